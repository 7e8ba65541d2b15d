// SPDX-License-Identifier: MIT
/*
 * A trace that is written with a key holds no names, and equal names have equal hashes under one
 * key.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "trace/tables/anonymize.h"
#include "trace/file/input.h"
#include "trace/file/reader.h"
#include "trace/file/writer.h"
#include "unit/shared/test.h"

static char directory[] = "/tmp/blkreel-anonymize-XXXXXX";
static char path[64];

static const char key[] = "sixteen bytes or more", other_key[] = "another key of enough bytes";

static struct anonymizer *with(const char *secret)
{
	struct anonymizer *a;

	if (anonymizer__create(secret, secret ? strlen(secret) : 0, &a))
		abort();
	return a;
}

/* Part of each secret name. */
#define SECRET "s3cret"

static const struct trace_host host = {.tool = "blkreel 0",
				       .hostname = SECRET "-host",
				       .kernel = "6.1",
				       .machine = "x86_64",
				       .command = "record -- /usr/bin/" SECRET "-command",
				       .start_ns = 5};
static const struct trace_device devices[] = {
	{.id = 1, .major = 8, .name = "sda", .model = "Model"},
	{.id = 2, .major = 7, .name = "loop0", .stacked_on = "file /srv/" SECRET "/disk.img"},
	{.id = 3, .name = SECRET "-server", .stacked_on = "dm " SECRET "1 " SECRET "2"},
	{.id = 4, .major = 253, .name = "dm-0", .stacked_on = "dm sda1 sdb1"},
	/* From a blktrace file of this name, and from copies of several traces. */
	{.id = 5, .major = 8, .name = SECRET "-sda"},
	{.id = 6, .major = 8, .name = SECRET ":nvme0n1p2"},
	{.id = 7, .major = 8, .minor = 16, .name = SECRET ":8:16"},
	{.id = 8, .major = 8, .minor = 16, .name = "8:16"},
};
static const struct trace_task tasks[] = {
	{.id = 1, .pid = 7, .comm = SECRET "-task"},
	{.id = 2, .comm = SECRET "-kthread", .kernel_thread = true},
	{.id = 3, .comm = ""},
	{.id = 4, .pid = 8, .comm = SECRET "-task"}};
static const struct trace_file files[] = {
	{.id = 1, .major = 8, .path = "/srv/" SECRET "/a/" SECRET "-file"},
	{.id = 2, .major = 8, .path = "[sda1].../" SECRET},
	{.id = 3, .major = 8, .path = "/dev/sda", .kind = FILE_BLOCKDEV},
	{.id = 4, .major = 8, .path = "/dev/" SECRET "/sda", .kind = FILE_BLOCKDEV},
	{.id = 5, .path = "[" SECRET "]/x"},
	{.id = 6, .path = ""},
	{.id = 7, .major = 8, .path = "/dev/" SECRET, .kind = FILE_REGULAR},
	{.id = 8, .major = 8, .path = "[" SECRET "-" SECRET "-" SECRET "-" SECRET "-" SECRET "]"},
	{.id = 9, .major = 8, .path = "[sda]" SECRET},
};
static const struct trace_cgroup cgroups[] = {{.id = 1,
					       .path = "/" SECRET ".slice/a",
					       .container = SECRET,
					       .pod = SECRET,
					       .pod_namespace = SECRET},
					      {.id = 2, .path = "/"}};
static const struct trace_tier tiers[] = {
	{"block", "tp_btf", "exact", "a note"},
	{TRACE_TIER_FILTER, "process 12 in cgroup /" SECRET " " SECRET, "exact", ""},
	{TRACE_TIER_FILTER, SECRET "-web: device sda, " SECRET "; task " SECRET ", 77; op read",
	 "exact", ""},
};

#define EACH(array, i) for (size_t i = 0; i < sizeof(array) / sizeof((array)[0]); i++)

static int write_all(const struct anonymizer *a)
{
	struct trace_writer_options options = {.anonymizer = a};
	struct trace_summary summary = {.command_status = -1};
	struct trace_writer *w;
	int err = trace_writer__create(path, &host, &options, &w), closed;

	if (err)
		return err;
	EACH(devices, i)
	err = err ? err : trace_writer__add_device(w, &devices[i]);
	EACH(tasks, i)
	err = err ? err : trace_writer__add_task(w, &tasks[i]);
	EACH(files, i)
	err = err ? err : trace_writer__add_file(w, &files[i]);
	EACH(cgroups, i)
	err = err ? err : trace_writer__add_cgroup(w, &cgroups[i]);
	EACH(tiers, i)
	err = err ? err : trace_writer__add_tier(w, &tiers[i]);
	closed = trace_writer__close(w, &summary);
	return err ? err : closed;
}

/* Counts the secret in the decompressed blocks of the file; -1: it cannot be read. */
static int count_secrets(void)
{
	enum input_state state;
	struct block_head head;
	const char *message;
	struct input *in;
	int found = 0;

	if (input__open(path, &in, &message))
		return -1;
	while ((state = input__read(in, &head)) == INPUT_BLOCK) {
		const uint8_t *at = input__payload(in, &head), *end = at + head.raw_bytes;

		while (at && (at = memmem(at, (size_t)(end - at), SECRET, strlen(SECRET)))) {
			found++;
			at++;
		}
		input__skip(in, &head);
	}
	input__free(in);
	return state == INPUT_NO_MORE ? found : -1;
}

static void test_no_name_is_in_the_file(void)
{
	struct anonymizer *a = with(NULL);

	REQUIRE(!write_all(NULL));
	CHECK_EQ(count_secrets(), 33);
	REQUIRE(!write_all(a));
	CHECK_EQ(count_secrets(), 0);
	anonymizer__free(a);
}

static struct trace_reader *read_with(const char *secret)
{
	struct anonymizer *a = with(secret);
	struct trace_reader *r;
	struct row_block block;

	if (write_all(a) || trace_reader__open(path, &r, NULL) || trace_reader__next(r, 0, &block))
		abort();
	anonymizer__free(a);
	return r;
}

/* Whether `text` matches `pattern`, where # stands for any hexadecimal digit. */
static bool is_like(const char *text, const char *pattern)
{
	for (; *text && *pattern; text++, pattern++)
		if (*pattern == '#' ? !strchr("0123456789abcdef", *text) : *pattern != *text)
			return false;
	return *text == *pattern;
}

static void check_like(const char *text, const char *pattern)
{
	if (!is_like(text, pattern))
		printf("# '%s' is not like '%s'\n", text, pattern);
	CHECK(is_like(text, pattern));
}

#define H10 "##########"
#define H12 "############"

static void test_form_of_hashes(void)
{
	struct trace_reader *r = read_with(key);

	CHECK(trace_reader__host(r)->anonymized);
	check_like(trace_reader__host(r)->hostname, "host-" H12);
	CHECK_TEXT(trace_reader__host(r)->command, "(anonymized)");
	CHECK_TEXT(trace_reader__host(r)->kernel, "6.1");
	CHECK_TEXT(trace_reader__device(r, 1)->name, "sda");
	CHECK_TEXT(trace_reader__device(r, 1)->model, "Model");
	CHECK_TEXT(trace_reader__device(r, 1)->stacked_on, "");
	CHECK_TEXT(trace_reader__device(r, 2)->name, "loop0");
	check_like(trace_reader__device(r, 2)->stacked_on, "file /" H10 "/" H10 "/" H10);
	check_like(trace_reader__device(r, 3)->name, "disk-" H12);
	check_like(trace_reader__device(r, 3)->stacked_on, "dm disk-" H12 " disk-" H12);
	CHECK_TEXT(trace_reader__device(r, 4)->stacked_on, "dm sda1 sdb1");
	check_like(trace_reader__device(r, 5)->name, "disk-" H12);
	check_like(trace_reader__device(r, 6)->name, "host-" H12 ":nvme0n1p2");
	check_like(trace_reader__device(r, 7)->name, "host-" H12 ":8:16");
	CHECK_TEXT(trace_reader__device(r, 8)->name, "8:16");
	check_like(trace_reader__task(r, 1)->comm, "p-" H12);
	check_like(trace_reader__task(r, 2)->comm, "p-" H12);
	CHECK_TEXT(trace_reader__task(r, 3)->comm, "");
	check_like(trace_reader__file(r, 1)->path, "/" H10 "/" H10 "/" H10 "/" H10);
	check_like(trace_reader__file(r, 2)->path, "[sda1].../" H10);
	CHECK_TEXT(trace_reader__file(r, 3)->path, "/dev/sda");
	check_like(trace_reader__file(r, 4)->path, "/" H10 "/" H10 "/" H10);
	check_like(trace_reader__file(r, 5)->path, H10 "/" H10);
	CHECK_TEXT(trace_reader__file(r, 6)->path, "");
	check_like(trace_reader__cgroup(r, 1)->path, "/" H10 "/" H10);
	CHECK_TEXT(trace_reader__cgroup(r, 2)->path, "/");
	CHECK_TEXT(trace_reader__tier(r, 0)->note, "a note");
	check_like(trace_reader__tier(r, 1)->how, "process 12 in cgroup /" H10);
	check_like(trace_reader__tier(r, 2)->how,
		   "host-" H12 ": device disk-" H12 ", disk-" H12 "; task p-" H12 ", 77; op read");
	trace_reader__free(r);
}

/* The first file and the device's backing file have the same second component. */
static void test_same_name_same_key_same_hash(void)
{
	struct trace_reader *first = read_with(key), *second = read_with(key),
			    *other = read_with(other_key), *random = read_with(NULL),
			    *again = read_with(NULL);
	const char *file = trace_reader__file(first, 1)->path;

	CHECK(!strncmp(file, trace_reader__device(first, 2)->stacked_on + 5, 22));
	CHECK_TEXT(trace_reader__task(first, 1)->comm, trace_reader__task(first, 4)->comm);
	CHECK(strcmp(trace_reader__task(first, 1)->comm, trace_reader__task(first, 2)->comm));
	CHECK_TEXT(file, trace_reader__file(second, 1)->path);
	CHECK_TEXT(trace_reader__host(first)->hostname, trace_reader__host(second)->hostname);
	CHECK(strcmp(file, trace_reader__file(other, 1)->path));
	CHECK(strcmp(trace_reader__task(first, 1)->comm, trace_reader__task(other, 1)->comm));
	CHECK(strcmp(trace_reader__file(random, 1)->path, trace_reader__file(again, 1)->path));
	trace_reader__free(first);
	trace_reader__free(second);
	trace_reader__free(other);
	trace_reader__free(random);
	trace_reader__free(again);
}

/* Against another implementation: Python's hmac over "task", a NUL and the name. */
static void test_known_hash(void)
{
	struct trace_task task = {.id = 1, .comm = "mysqld"};
	struct anonymizer *a = with("0123456789abcdef");

	CHECK_EQ(anonymizer__task(a, &task), 0);
	CHECK_TEXT(task.comm, "p-66fbff9630ae");
	anonymizer__free(a);
}

/* Short components become longer; the rest that does not fit becomes one hash. */
static void test_long_paths(void)
{
	static char long_path[TRACE_PATH_MAX], text[TRACE_PATH_MAX], second[TRACE_PATH_MAX];
	struct anonymizer *a = with(key);

	for (size_t length = 1; length < TRACE_PATH_MAX; length += length < 800 ? 1 : 17) {
		for (size_t i = 0; i < length; i++)
			long_path[i] = i % 2 ? 's' : '/';
		long_path[length] = '\0';
		memset(text, 0x55, sizeof(text));
		CHECK_EQ(anonymizer__cgroup_path(a, long_path, text), 0);
		CHECK(memchr(text, '\0', sizeof(text)) && !strchr(text, 's'));
	}
	CHECK(strlen(text) > TRACE_PATH_MAX - 30);
	/* The rest is hashed, not dropped: another rest has another hash. */
	long_path[strlen(long_path) - 1] = 't';
	CHECK_EQ(anonymizer__cgroup_path(a, long_path, second), 0);
	CHECK(strcmp(text, second));
	memset(long_path, '/', TRACE_PATH_MAX - 1);
	CHECK_EQ(anonymizer__cgroup_path(a, long_path, text), 0);
	memset(long_path, 'x', TRACE_PATH_MAX - 1);
	CHECK_EQ(anonymizer__cgroup_path(a, long_path, text), 0);
	check_like(text, H10);
	anonymizer__free(a);
}

/* A name of the form of the kernel's device names stays; any other may be a secret. */
static void test_names_of_the_kernel(void)
{
	static const char *const kernel_names[] = {"sda",	   "sdzzz12",	"vdb1",	 "xvda",
						   "nvme10n1p128", "nvme0c0n1", "dm-12", "md127p1",
						   "mmcblk0p2",	   "zram0",	"loop7", "259:0"};
	static const char *const others[] = {"sda-old", "sdabcd", "sd",	    "nvme",
					     "md_mail", "loop0x", "loop0p", "payroll",
					     "8:",	":8",	  "8:x",    "8:0:1"};
	struct anonymizer *a = with(key);

	EACH(kernel_names, i)
	{
		struct trace_device device = {.id = 1, .major = 8};

		strcpy(device.name, kernel_names[i]);
		CHECK_EQ(anonymizer__device(a, &device), 0);
		CHECK_TEXT(device.name, kernel_names[i]);
	}
	EACH(others, i)
	{
		struct trace_device device = {.id = 1, .major = 8};

		strcpy(device.name, others[i]);
		CHECK_EQ(anonymizer__device(a, &device), 0);
		CHECK(strcmp(device.name, others[i]));
	}
	anonymizer__free(a);
}

static void test_long_device_texts(void)
{
	struct anonymizer *a = with(key);
	struct trace_device device = {.id = 1};

	memset(device.stacked_on, 'x', sizeof(device.stacked_on) - 1);
	for (size_t i = 0; i < sizeof(device.stacked_on) - 1; i += 3)
		device.stacked_on[i] = i % 2 ? ' ' : '/';
	memcpy(device.stacked_on, "dm ", 3);
	CHECK_EQ(anonymizer__device(a, &device), 0);
	CHECK(!strchr(device.stacked_on, 'x'));
	memset(device.stacked_on, '/', sizeof(device.stacked_on) - 1);
	memcpy(device.stacked_on, "file ", 5);
	CHECK_EQ(anonymizer__device(a, &device), 0);
	anonymizer__free(a);
}

static void test_short_keys_are_refused(void)
{
	struct anonymizer *a;

	CHECK_EQ(anonymizer__create("fifteen bytes..", 15, &a), -EINVAL);
	anonymizer__free(NULL);
}

int main(void)
{
	if (!mkdtemp(directory))
		return EXIT_FAILURE;
	snprintf(path, sizeof(path), "%s/t.reel", directory);
	RUN(test_no_name_is_in_the_file);
	RUN(test_form_of_hashes);
	RUN(test_same_name_same_key_same_hash);
	RUN(test_known_hash);
	RUN(test_long_paths);
	RUN(test_names_of_the_kernel);
	RUN(test_long_device_texts);
	RUN(test_short_keys_are_refused);
	unlink(path);
	rmdir(directory);
	return TEST_RESULT;
}
