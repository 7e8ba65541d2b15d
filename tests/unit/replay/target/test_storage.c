// SPDX-License-Identifier: MIT
/* Where two names lead to the same bytes: made-up chains, and files of the test's own. */
#include "unit/shared/test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "replay/target/file_data.h"
#include "replay/target/guard.h"
#include "replay/target/marks.h"
#include "replay/target/dm_table.h"
#include "replay/target/storage_tree.h"

#define DISK   makedev(8, 0)
#define PART_1 makedev(8, 1)
#define PART_2 makedev(8, 2)
#define LOOP_0 makedev(7, 0)
#define LOOP_1 makedev(7, 1)

static char directory[] = "/tmp/blkreel-test-XXXXXX";
/* No loop devices and no other processes. */
static struct safety_view view = {"/proc/self/mountinfo", "/proc/swaps", directory, NULL, NULL};

static struct storage device(dev_t number, dev_t disk)
{
	return (struct storage){.block = true, .device = number, .disk = disk};
}

static struct storage file(ino_t inode)
{
	return (struct storage){.file_count = 1, .files = {{1, inode}}};
}

static struct storage_tree chain(unsigned int count, struct storage first, struct storage second,
				 struct storage third)
{
	const struct storage items[] = {first, second, third};
	struct storage_tree tree = {.count = count};

	for (short i = 0; i < (short)count; i++)
		tree.levels[i] = (struct storage_level){.at = items[i],
							.end = UINT64_MAX,
							.thin = DM_NO_THIN,
							.parent = (short)(i - 1),
							.step = i ? STEP_LOOP : STEP_ITSELF};
	return tree;
}

static struct storage none;

static enum storage_overlap of(struct storage_tree a, struct storage_tree b)
{
	enum storage_overlap overlap = storage_tree__overlap(&a, &b, NULL);

	CHECK_EQ(storage_tree__overlap(&b, &a, NULL), overlap);
	return overlap;
}

static void partitions_share_with_their_disk_alone(void)
{
	struct storage_tree disk = chain(1, device(DISK, DISK), none, none),
			    first = chain(1, device(PART_1, DISK), none, none),
			    second = chain(1, device(PART_2, DISK), none, none);

	CHECK_EQ(of(disk, disk), STORAGE_SHARED);
	CHECK_EQ(of(disk, first), STORAGE_SHARED);
	CHECK_EQ(of(first, first), STORAGE_SHARED);
	CHECK_EQ(of(first, second), STORAGE_APART);
}

/* A loop device on each partition of a loop device: their lowest file is one, and yet they are apart. */
static void the_level_where_two_meet_decides(void)
{
	struct storage_tree on_first =
				    chain(3, device(LOOP_1, LOOP_1), device(PART_1, DISK), file(7)),
			    on_second =
				    chain(3, device(LOOP_0, LOOP_0), device(PART_2, DISK), file(7)),
			    whole = chain(2, device(DISK, DISK), file(7), none);

	CHECK_EQ(of(on_first, on_second), STORAGE_APART);
	CHECK_EQ(of(on_first, whole), STORAGE_SHARED);
	CHECK_EQ(of(on_first, chain(1, file(7), none, none)), STORAGE_SHARED);
	CHECK_EQ(of(on_first, chain(1, file(8), none, none)), STORAGE_APART);
}

static void two_loop_devices_on_one_file_share_it(void)
{
	struct storage_tree a = chain(2, device(LOOP_0, LOOP_0), file(7), none),
			    b = chain(2, device(LOOP_1, LOOP_1), file(7), none),
			    c = chain(2, device(LOOP_1, LOOP_1), file(8), none);

	CHECK_EQ(of(a, b), STORAGE_SHARED);
	CHECK_EQ(of(a, c), STORAGE_APART);
}

static void what_cannot_be_known_is_told(void)
{
	struct storage hidden = file(7), other = file(8);
	struct storage_tree deep = chain(1, device(LOOP_0, LOOP_0), none, none);

	hidden.unknown = true;
	CHECK_EQ(of(chain(1, hidden, none, none), chain(1, other, none, none)), STORAGE_UNKNOWN);
	CHECK_EQ(of(chain(1, hidden, none, none), chain(1, file(7), none, none)), STORAGE_SHARED);
	CHECK_EQ(of(chain(1, hidden, none, none), chain(1, device(DISK, DISK), none, none)),
		 STORAGE_APART);
	deep.cut = true;
	CHECK_EQ(of(deep, chain(1, other, none, none)), STORAGE_UNKNOWN);
}

static int open_new(const char *name, off_t size)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || ftruncate(fd, size)) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	return fd;
}

static void put(int fd, const char *bytes, size_t count, off_t offset)
{
	if (pwrite(fd, bytes, count, offset) != (ssize_t)count)
		exit(EXIT_FAILURE);
}

static void hard_links_are_one_storage(void)
{
	char from[256], to[256];
	struct storage_tree a, b;
	struct storage first, second;
	int fd = open_new("file", 4096), other;

	snprintf(from, sizeof(from), "%s/file", directory);
	snprintf(to, sizeof(to), "%s/link", directory);
	REQUIRE(!link(from, to));
	other = open(to, O_PATH);
	REQUIRE(other >= 0);
	CHECK_EQ(storage__of_fd(&view, fd, &first), 0);
	CHECK_EQ(storage__of_fd(&view, other, &second), 0);
	storage_tree__follow(&view, &first, &a);
	storage_tree__follow(&view, &second, &b);
	CHECK_EQ(a.count, 1);
	CHECK_EQ(storage_tree__overlap(&a, &b, NULL), STORAGE_SHARED);
	close(fd);
	close(other);
}

static void zeroes_are_no_data(void)
{
	char zeroes[8192] = {0};
	int fd = open_new("data", 1 << 20);

	CHECK(!file_data__has(fd));
	put(fd, zeroes, sizeof(zeroes), 4096);
	CHECK(!file_data__has(fd));
	put(fd, "x", 1, (1 << 20) - 1);
	CHECK(file_data__has(fd));
	close(fd);
	fd = open_new("empty", 0);
	CHECK(!file_data__has(fd));
	close(fd);
}

static void the_mark_is_of_the_bytes_that_a_replay_left(void)
{
	int fd = open_new("marked", 1 << 20);
	bool attributes = !fsetxattr(fd, "user.test", "x", 1, 0);

	put(fd, "replayed", 8, 0);
	CHECK(file_data__has(fd));
	file_data__mark(fd);
	CHECK_EQ(file_data__has(fd), !attributes);
	if (attributes) {
		put(fd, "other", 5, 0);
		CHECK(file_data__has(fd));
		file_data__mark(fd);
		CHECK(!file_data__has(fd));
		REQUIRE(!ftruncate(fd, 2 << 20));
		CHECK(file_data__has(fd));
	}
	close(fd);
}

/* In memory, where any size is possible and holes are known as such. */
static int open_sparse(off_t size)
{
	int fd = memfd_create("sparse", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, size)) {
		perror("memfd_create");
		exit(EXIT_FAILURE);
	}
	return fd;
}

/* More than 256 MiB of zeroes that are written count as data, the same as a hole does not. */
static void a_hole_is_not_read(void)
{
	char zeroes[4096] = {0};
	int fd = open_sparse(1ll << 30);

	put(fd, zeroes, sizeof(zeroes), 0);
	CHECK(!file_data__has(fd));
	put(fd, "x", 1, 900 << 20);
	CHECK(file_data__has(fd));
	close(fd);
}

static char names[256];

static void add_name(void *context, const char *name)
{
	snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s ", name);
}

static const char *marks_of(int fd, uint64_t offset, uint64_t size)
{
	names[0] = '\0';
	CHECK_EQ(marks__find(fd, offset, size, add_name, NULL), 0);
	return names;
}

static void marks_are_found_at_both_ends_and_inside_a_range(void)
{
	const off_t size = 16 << 20;
	int fd = open_new("marks", size);

	CHECK_TEXT(marks_of(fd, 0, size), "");
	put(fd, "EFI PART", 8, size - 512);
	CHECK_TEXT(marks_of(fd, 0, size), "gpt ");
	CHECK_TEXT(marks_of(fd, 0, size - 512), "");
	put(fd, "_BHRfS_M", 8, (8 << 20) + 65536 + 64);
	CHECK_TEXT(marks_of(fd, 0, size), "gpt ");
	CHECK_TEXT(marks_of(fd, 8 << 20, 4 << 20), "btrfs ");
	/* Not at the start of a sector. */
	put(fd, "LABELONE", 8, 100);
	CHECK_TEXT(marks_of(fd, 0, 1 << 20), "");
	CHECK_TEXT(marks_of(fd, 0, 300), "");
	close(fd);
}

/* Copies far behind the start: each alone, in a range that does not begin at 0, too. */
static void marks_are_found_at_each_place_of_a_copy(void)
{
	static const struct {
		uint64_t offset;
		unsigned int at, length;
		const char *magic, *name;
	} copies[] = {
		{64ull << 20, 64, 8, "_BHRfS_M", "btrfs "},
		{256ull << 30, 64, 8, "_BHRfS_M", "btrfs "},
		{1ull << 50, 64, 8, "_BHRfS_M", "btrfs "},
		{4ull << 20, 0, 6, "SKUL\xba\xbe", "crypto_LUKS "},
		{8193ull << 10, 0x38, 2, "\x53\xef", "ext4 "},
		{32ull << 20, 0x38, 2, "\x53\xef", "ext4 "},
		{128ull << 20, 0x38, 2, "\x53\xef", "ext4 "},
	};
	const uint64_t start = 1 << 20;

	for (unsigned int i = 0; i < sizeof(copies) / sizeof(copies[0]); i++) {
		const uint64_t size = copies[i].offset + (64 << 20), at = start + copies[i].offset;
		int fd = open_sparse((off_t)(start + size));

		CHECK_TEXT(marks_of(fd, start, size), "");
		put(fd, copies[i].magic, copies[i].length, (off_t)(at + copies[i].at));
		if (copies[i].length == 2) { /* without the number of its group it is none */
			CHECK_TEXT(marks_of(fd, start, size), "");
			put(fd, "\x01", 1, (off_t)(at + 0x5a));
		}
		CHECK_TEXT(marks_of(fd, start, size), copies[i].name);
		CHECK_TEXT(marks_of(fd, 0, size), "");
		close(fd);
	}
}

/*
 * The name of a loop device that is not attached, and that may be asked: the last one, as the kernel gives others the
 * first. False: there is none here.
 */
static bool find_free_loop(char *name, size_t bytes)
{
	struct loop_info64 info;

	for (unsigned int i = 256; i--;) {
		char path[32];
		bool is_free;
		int fd;

		snprintf(path, sizeof(path), "/dev/loop%u", i);
		fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			continue;
		is_free = ioctl(fd, LOOP_GET_STATUS64, &info) && errno == ENXIO;
		close(fd);
		if (is_free) {
			snprintf(name, bytes, "loop%u", i);
			return true;
		}
	}
	return false;
}

/* sysfs still has it, then not: a /sys of the test's own, and a device that the driver does not have. */
static void a_loop_device_that_is_being_detached_is_waited_for(void)
{
	char name[32], command[256], path[256];
	struct storage_loop loop;
	pid_t detacher;

	if (!find_free_loop(name, sizeof(name))) {
		printf("# skip: needs the right to open a free loop device\n");
		return;
	}
	snprintf(command, sizeof(command), "mkdir -p %s/block/%s/loop", directory, name);
	REQUIRE(!system(command));
	snprintf(path, sizeof(path), "block/%s/loop/backing_file", name);
	close(open_new(path, 0));
	snprintf(path, sizeof(path), "%s/block/%s/loop/backing_file", directory, name);
	detacher = fork();
	if (!detacher) {
		usleep(50000);
		_exit(unlink(path) ? EXIT_FAILURE : EXIT_SUCCESS);
	}
	REQUIRE(detacher > 0);
	CHECK(!storage__read_loop(&view, name, &loop));
	waitpid(detacher, NULL, 0);
	snprintf(command, sizeof(command), "rm -r %s/block", directory);
	REQUIRE(!system(command));
}

static void a_guard_sees_at_once_who_writes_already(void)
{
	struct safety_view with_processes = view;
	int fd = open_new("written", 4096), pipes[2];
	struct storage storage;
	struct guard *guard;
	char path[256], byte;
	pid_t writer;

	with_processes.proc_path = "/proc";
	snprintf(path, sizeof(path), "%s/written", directory);
	REQUIRE(!storage__of_fd(&with_processes, fd, &storage));
	close(fd);
	REQUIRE(!pipe(pipes));
	writer = fork();
	if (!writer) {
		fd = open(path, O_WRONLY);
		if (fd < 0 || write(pipes[1], "w", 1) != 1)
			_exit(EXIT_FAILURE);
		pause();
	}
	REQUIRE(writer > 0 && read(pipes[0], &byte, 1) == 1);
	fd = open(path, O_RDONLY);
	REQUIRE(fd >= 0);
	REQUIRE(!guard__start(&with_processes, path, fd, &storage, &guard));
	CHECK(guard__verdict(guard) && strstr(guard__verdict(guard), "opened for writing by"));
	guard__end(guard);
	close(fd);
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
	close(pipes[0]);
	close(pipes[1]);
}

static void a_guard_sees_who_writes_and_lets_readers_in(void)
{
	volatile sig_atomic_t enough = false;
	struct guard *guard;
	struct storage storage;
	int fd = open_new("guarded", 4096), other;
	char path[256];

	snprintf(path, sizeof(path), "%s/guarded", directory);
	REQUIRE(!storage__of_fd(&view, fd, &storage));
	REQUIRE(!guard__start(&view, path, fd, &storage, &guard));
	guard__tell(guard, &enough);
	other = open(path, O_RDONLY); /* waits until the guard lets it in */
	REQUIRE(other >= 0);
	close(other);
	CHECK(!guard__verdict(guard));
	other = open(path, O_WRONLY | O_NONBLOCK);
	if (other >= 0)
		close(other);
	for (int i = 0; i < 6000 && !enough; i++)
		usleep(10000);
	CHECK(enough);
	CHECK(guard__verdict(guard) != NULL);
	guard__end(guard);
	close(fd);
}

int main(void)
{
	char command[64];

	if (!mkdtemp(directory))
		return EXIT_FAILURE;
	RUN(partitions_share_with_their_disk_alone);
	RUN(the_level_where_two_meet_decides);
	RUN(two_loop_devices_on_one_file_share_it);
	RUN(what_cannot_be_known_is_told);
	RUN(hard_links_are_one_storage);
	RUN(zeroes_are_no_data);
	RUN(a_hole_is_not_read);
	RUN(the_mark_is_of_the_bytes_that_a_replay_left);
	RUN(marks_are_found_at_both_ends_and_inside_a_range);
	RUN(marks_are_found_at_each_place_of_a_copy);
	RUN(a_loop_device_that_is_being_detached_is_waited_for);
	RUN(a_guard_sees_at_once_who_writes_already);
	RUN(a_guard_sees_who_writes_and_lets_readers_in);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return system(command) ? EXIT_FAILURE : TEST_RESULT;
}
