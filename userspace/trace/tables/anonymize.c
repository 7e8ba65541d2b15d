// SPDX-License-Identifier: MIT
#include "trace/tables/anonymize.h"

#include <ctype.h>
#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define RANDOM_KEY_BYTES 32
#define NAME_DIGITS	 12
#define COMPONENT_DIGITS 10
#define DIGITS_MAX	 NAME_DIGITS
/* A component and the slash before it. */
#define COMPONENT_BYTES (COMPONENT_DIGITS + 1)

struct anonymizer {
	size_t key_bytes;
	uint8_t key[];
};

/* Kinds of names: a process and a file of one name have different hashes. */
static const char host_names[] = "host", file_names[] = "file", cgroup_names[] = "cgroup",
		  task_names[] = "task", device_names[] = "device";

int anonymizer__create(const void *key, size_t key_bytes, struct anonymizer **anonymizer)
{
	struct anonymizer *a;

	if (sodium_init() < 0)
		return -EIO;
	if (!key)
		key_bytes = RANDOM_KEY_BYTES;
	if (key_bytes < ANONYMIZER_KEY_BYTES_MIN || key_bytes > INT32_MAX)
		return -EINVAL;
	a = malloc(sizeof(*a) + key_bytes);
	if (!a)
		return -ENOMEM;
	a->key_bytes = key_bytes;
	if (key) {
		memcpy(a->key, key, key_bytes);
	} else if (getrandom(a->key, key_bytes, 0) != (ssize_t)key_bytes) {
		anonymizer__free(a);
		return -EIO;
	}
	*anonymizer = a;
	return 0;
}

void anonymizer__free(struct anonymizer *a)
{
	if (!a)
		return;
	sodium_memzero(a->key, a->key_bytes);
	free(a);
}

/* `digits` hexadecimal digits of the hash of a name of `kind`, and a NUL. */
static int hash(const struct anonymizer *a, const char *kind, const char *name, size_t bytes,
		unsigned int digits, char *text)
{
	uint8_t result[crypto_auth_hmacsha256_BYTES];
	crypto_auth_hmacsha256_state state;

	if (bytes > TRACE_PATH_MAX)
		return -ENAMETOOLONG;
	crypto_auth_hmacsha256_init(&state, a->key, a->key_bytes);
	crypto_auth_hmacsha256_update(&state, (const uint8_t *)kind, strlen(kind) + 1);
	crypto_auth_hmacsha256_update(&state, (const uint8_t *)name, bytes);
	crypto_auth_hmacsha256_final(&state, result);
	for (unsigned int i = 0; i < digits; i += 2)
		sprintf(text + i, "%02x", result[i / 2]);
	return 0;
}

/* "PREFIX-0123456789ab"; an empty name stays empty. */
static int hash_name(const struct anonymizer *a, const char *kind, const char *prefix,
		     const char *name, size_t bytes, char *text, size_t size)
{
	char hexadecimal[DIGITS_MAX + 1];
	int err;

	*text = '\0';
	if (!bytes)
		return 0;
	err = hash(a, kind, name, bytes, NAME_DIGITS, hexadecimal);
	if (!err)
		snprintf(text, size, "%s-%s", prefix, hexadecimal);
	return err;
}

/*
 * Hashes a path component by component, so that the shape of the tree remains. If the result would
 * not fit into `size` bytes, the rest becomes one component.
 */
static int hash_path(const struct anonymizer *a, const char *kind, const char *path, char *text,
		     size_t size)
{
	size_t used = 0, bytes;
	int err = 0;

	while (*path && !err) {
		if (*path == '/' && used + 1 + COMPONENT_BYTES < size) {
			text[used++] = *path++;
			continue;
		}
		bytes = strcspn(path, "/");
		if (path[bytes] && used + 2 * COMPONENT_BYTES >= size)
			bytes = strlen(path);
		err = hash(a, kind, path, bytes, COMPONENT_DIGITS, text + used);
		used += COMPONENT_DIGITS;
		path += bytes;
	}
	text[used] = '\0';
	return err;
}

int anonymizer__host(const struct anonymizer *a, struct trace_host *host)
{
	char name[TRACE_TEXT_MAX];
	int err = hash_name(a, host_names, "host", host->hostname,
			    strnlen(host->hostname, sizeof(host->hostname)), name, sizeof(name));

	memcpy(host->hostname, name, sizeof(name));
	if (*host->command)
		snprintf(host->command, sizeof(host->command), "(anonymized)");
	host->anonymized = true;
	return err;
}

/*
 * Devices of the kernel have a number and a name that the kernel chose; others are of other origin.
 */
static bool has_kernel_number(uint32_t major)
{
	return major != 0;
}

static const char digits[] = "0123456789";

/* "sda1" behind "sd", with as many letters as the kernel needs for 18,278 disks. */
static bool is_lettered(const char *rest)
{
	size_t letters = strspn(rest, "abcdefghijklmnopqrstuvwxyz");

	return letters && letters <= 3 && !rest[letters + strspn(rest + letters, digits)];
}

/* "0n1p2" behind "nvme": numbers with one letter between them. */
static bool is_numbered(const char *rest)
{
	size_t number = strspn(rest, digits);

	while (number && rest[number] && strchr("cnp", rest[number])) {
		rest += number + 1;
		number = strspn(rest, digits);
	}
	return number && !rest[number];
}

/*
 * A number alone proves nothing: devices of imported traces, and names that users gave to files,
 * have one as well. "8:0" stands for a device without a name.
 */
static bool is_kernel_name(const char *name)
{
	static const char *const lettered[] = {"sd", "vd", "xvd", "dasd", NULL};
	static const char *const numbered[] = {
		"nvme", "loop", "dm-",	 "md",	  "mmcblk", "nbd",    "ram",	  "zram", "rbd",
		"drbd", "sr",	"nullb", "ublkb", "pmem",   "bcache", "mtdblock", NULL};
	size_t major = strspn(name, digits);

	for (const char *const *driver = lettered; *driver; driver++)
		if (!strncmp(name, *driver, strlen(*driver)) && is_lettered(name + strlen(*driver)))
			return true;
	for (const char *const *driver = numbered; *driver; driver++)
		if (!strncmp(name, *driver, strlen(*driver)) && is_numbered(name + strlen(*driver)))
			return true;
	name += major;
	return major && *name == ':' && name[1] && !name[1 + strspn(name + 1, digits)];
}

/* Hashes the names of "dm sda1 sdb1" behind the first word. */
static int hash_words(const struct anonymizer *a, const char *words, char *text, size_t size)
{
	size_t used = strcspn(words, " "), bytes;
	char name[TRACE_NAME_MAX];
	int err = 0;

	snprintf(text, size, "%.*s", (int)used, words);
	for (words += used; *words && !err; words += bytes) {
		words += strspn(words, " ");
		bytes = strcspn(words, " ");
		err = hash_name(a, device_names, "disk", words, bytes, name, sizeof(name));
		if (bytes && used < size)
			used += (size_t)snprintf(text + used, size - used, " %s", name);
	}
	return err;
}

/* In a copy of several traces the host stands before the kernel's name: "HOST:sda". */
static int hash_kernel_device(const struct anonymizer *a, char name[TRACE_NAME_MAX])
{
	char hashed[TRACE_NAME_MAX], recorded[TRACE_NAME_MAX];
	const char *colon;
	int err;

	if (is_kernel_name(name))
		return 0;
	snprintf(recorded, sizeof(recorded), "%s", name);
	colon = strchr(recorded, ':');
	while (colon && !is_kernel_name(colon + 1))
		colon = strchr(colon + 1, ':');
	if (!colon)
		return hash_name(a, device_names, "disk", recorded, strlen(recorded), name,
				 TRACE_NAME_MAX);
	err = hash_name(a, host_names, "host", recorded, (size_t)(colon - recorded), hashed,
			sizeof(hashed));
	if (!err)
		snprintf(name, TRACE_NAME_MAX, "%s%.13s", hashed, colon);
	return err;
}

int anonymizer__device(const struct anonymizer *a, struct trace_device *device)
{
	static const char file[] = "file ";
	char name[TRACE_NAME_MAX], on[TRACE_TEXT_MAX];
	int err = 0;

	if (!has_kernel_number(device->major)) {
		err = hash_name(a, device_names, "disk", device->name,
				strnlen(device->name, sizeof(device->name)), name, sizeof(name));
		memcpy(device->name, name, sizeof(name));
	} else {
		err = hash_kernel_device(a, device->name);
	}
	snprintf(on, sizeof(on), "%.*s", (int)sizeof(on) - 1, device->stacked_on);
	if (!err && !strncmp(on, file, strlen(file)))
		err = hash_path(a, file_names, on + strlen(file), device->stacked_on + strlen(file),
				sizeof(on) - strlen(file));
	else if (!err && !has_kernel_number(device->major))
		err = hash_words(a, on, device->stacked_on, sizeof(device->stacked_on));
	return err;
}

int anonymizer__task(const struct anonymizer *a, struct trace_task *task)
{
	char name[sizeof(task->comm)];
	int err = hash_name(a, task_names, "p", task->comm, strnlen(task->comm, sizeof(name) - 1),
			    name, sizeof(name));

	memset(task->comm, 0, sizeof(task->comm));
	memcpy(task->comm, name, strlen(name));
	return err;
}

/*
 * The length of the part of the path that is a kernel's device name: all of "/dev/sda", which is a
 * device itself, and "[sda]" or "[sda]..." at the start of a path that is not mounted here.
 */
static size_t kernel_part(const struct trace_file *file)
{
	const char *end;

	if (!has_kernel_number(file->major))
		return 0;
	if (file->kind == FILE_BLOCKDEV && !strncmp(file->path, "/dev/", 5) &&
	    !strchr(file->path + 5, '/'))
		return strlen(file->path);
	end = strchr(file->path, ']');
	if (file->path[0] != '[' || !end || end - file->path > TRACE_NAME_MAX)
		return 0;
	end += strncmp(end, "]...", 4) ? 1 : 4;
	return *end && *end != '/' ? 0 : (size_t)(end - file->path);
}

int anonymizer__file_path(const struct anonymizer *a, const struct trace_file *file, char *text)
{
	size_t kernel_bytes = kernel_part(file);

	memcpy(text, file->path, kernel_bytes);
	return hash_path(a, file_names, file->path + kernel_bytes, text + kernel_bytes,
			 TRACE_PATH_MAX - kernel_bytes);
}

int anonymizer__cgroup_path(const struct anonymizer *a, const char *path, char *text)
{
	return hash_path(a, cgroup_names, path, text, TRACE_PATH_MAX);
}

/* The text of a filter while it is rewritten. */
struct filter_text {
	const struct anonymizer *a;
	const char *kind; /* of names: from the last keyword */
	char *text;
	size_t used;
};

#define FILTER_SEPARATORS " ,;"

static bool is_word(const char *const *words, const char *at, size_t bytes)
{
	for (; *words; words++)
		if (strlen(*words) == bytes && !memcmp(*words, at, bytes))
			return true;
	return false;
}

/* 5, 1.5, 20ms */
static bool is_number(const char *at, size_t bytes)
{
	static const char *const units[] = {"", "ns", "us", "ms", "s", "m", "h", NULL};
	size_t number = 0, dots = 0;

	while (number < bytes && (isdigit((unsigned char)at[number]) || at[number] == '.'))
		dots += at[number++] == '.';
	return number && dots <= 1 && is_word(units, at + number, bytes - number);
}

static bool is_op(const char *at, size_t bytes)
{
	char name[TRACE_NAME_MAX];

	snprintf(name, sizeof(name), "%.*s", (int)(bytes < sizeof(name) ? bytes : 0), at);
	return io_op_from_name(name) >= 0;
}

/* Whether the word belongs to the sentence and is no name. */
static bool is_plain(struct filter_text *f, const char *at, size_t bytes)
{
	static const char *const tasks[] = {"process", "processes", "task", "tasks", NULL};
	static const char *const devices[] = {"device", "devices", NULL};
	static const char *const others[] = {"in", "and", "or",	 "op", "ops", "from",
					     "to", "the", "end", "ns", "us",  "ms",
					     "s",  "min", "h",	 "m",  NULL};

	if (is_word(tasks, at, bytes))
		f->kind = task_names;
	else if (is_word(devices, at, bytes))
		f->kind = device_names;
	else
		return is_word(others, at, bytes) || is_number(at, bytes) || is_op(at, bytes);
	return true;
}

static void add_text(struct filter_text *f, const char *at, size_t bytes)
{
	size_t space = TRACE_PATH_MAX - 1 - f->used;

	if (bytes > space)
		bytes = space;
	memcpy(f->text + f->used, at, bytes);
	f->used += bytes;
	f->text[f->used] = '\0';
}

static int add_name(struct filter_text *f, const char *at, size_t bytes)
{
	bool is_host = at[bytes - 1] == ':';
	char name[TRACE_NAME_MAX];
	int err;

	if (is_host)
		err = hash_name(f->a, host_names, "host", at, bytes - 1, name, sizeof(name));
	else
		err = hash_name(f->a, f->kind, f->kind == device_names ? "disk" : "p", at, bytes,
				name, sizeof(name));
	add_text(f, name, strlen(name));
	if (is_host)
		add_text(f, ":", 1);
	return err;
}

static int add_cgroup(struct filter_text *f, const char *at, size_t bytes)
{
	char path[TRACE_PATH_MAX], hashed[TRACE_PATH_MAX];
	int err;

	if (bytes >= sizeof(path))
		return -ENAMETOOLONG;
	memcpy(path, at, bytes);
	path[bytes] = '\0';
	err = hash_path(f->a, cgroup_names, path, hashed, sizeof(hashed));
	add_text(f, hashed, strlen(hashed));
	return err;
}

/*
 * Texts such as "process 123 in cgroup /db" or "web1: device sda; task mysqld, from 1 s to 2 s":
 * everything that is neither a number nor a word of such a sentence counts as a name.
 */
int anonymizer__filter(const struct anonymizer *a, const char *how, char *text)
{
	static const char cgroup[] = "cgroup ";
	struct filter_text f = {.a = a, .kind = task_names, .text = text};
	size_t bytes;
	int err = 0;

	for (*text = '\0'; *how && !err; how += bytes) {
		bytes = strspn(how, FILTER_SEPARATORS);
		if (bytes) {
			add_text(&f, how, bytes);
		} else if (!strncmp(how, cgroup, strlen(cgroup))) {
			add_text(&f, cgroup, strlen(cgroup));
			how += strlen(cgroup);
			bytes = strcspn(how, ";");
			err = add_cgroup(&f, how, bytes);
		} else {
			bytes = strcspn(how, FILTER_SEPARATORS);
			if (is_plain(&f, how, bytes))
				add_text(&f, how, bytes);
			else
				err = add_name(&f, how, bytes);
		}
	}
	return err;
}
