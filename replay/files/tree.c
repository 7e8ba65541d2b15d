// SPDX-License-Identifier: MIT
#include "replay/files/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/units.h"
#include "replay/files/resident.h"
#include "replay/target/page_cache.h"

#define MARK	     ".blkreel-files"
#define MARK_TEXT    "Files that 'blkreel replay --files' laid out and may overwrite.\n"
#define NAME_BYTES   16
#define CHUNK_BYTES  (1u << 20)
#define MARGIN_BYTES (4ull << 20) /* for the file system's own data */

static int failed(const struct file_tree *t, const char *what, int err, char *message)
{
	snprintf(message, FILE_TREE_MESSAGE_MAX, "%s: %s: %s", t->path, what, strerror(-err));
	return err;
}

static const char *file_name(uint32_t id, char name[NAME_BYTES])
{
	snprintf(name, NAME_BYTES, "f%" PRIu32, id);
	return name;
}

/* Whether the directory is empty. 1: yes; 0: no; negative errno. */
static int is_empty(const struct file_tree *t)
{
	int fd = openat(t->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int empty = 1;

	if (!folder) {
		int err = -errno;

		if (fd >= 0)
			close(fd);
		return err;
	}
	while (empty && (entry = readdir(folder)))
		/* mkfs creates lost+found. */
		empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
			!strcmp(entry->d_name, "lost+found");
	closedir(folder);
	return empty;
}

static bool has_mark(const struct file_tree *t)
{
	char text[sizeof(MARK_TEXT)];
	int fd = openat(t->folder, MARK, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t length;

	if (fd < 0)
		return false;
	length = read(fd, text, sizeof(text));
	close(fd);
	return length == (ssize_t)strlen(MARK_TEXT) && !memcmp(text, MARK_TEXT, (size_t)length);
}

static int make_mark(const struct file_tree *t)
{
	ssize_t written;
	int fd = openat(t->folder, MARK, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	written = write(fd, MARK_TEXT, strlen(MARK_TEXT));
	if (close(fd) || written != (ssize_t)strlen(MARK_TEXT)) {
		unlinkat(t->folder, MARK, 0);
		return -ENOSPC;
	}
	return 0;
}

static int claim(struct file_tree *t, char *message)
{
	int empty;

	t->existed = has_mark(t);
	if (t->existed)
		return 0;
	empty = is_empty(t);
	if (empty < 0)
		return failed(t, "cannot be read", empty, message);
	if (empty)
		return 0;
	snprintf(message, FILE_TREE_MESSAGE_MAX,
		 "%s is not empty, and was not laid out by a replay before; name a new or an empty "
		 "directory",
		 t->path);
	return -EEXIST;
}

/* The parts of the files that exist need no more space. */
static uint64_t existing_bytes(const struct file_tree *t, const struct file_script *script)
{
	uint64_t bytes = 0;

	for (uint32_t id = 0; id < script->file_ids && t->existed; id++) {
		uint64_t there = 0;
		struct stat file;
		char name[NAME_BYTES];

		if (script->files[id].used &&
		    !fstatat(t->folder, file_name(id, name), &file, AT_SYMLINK_NOFOLLOW))
			there = (uint64_t)file.st_blocks * SECTOR_BYTES;
		if (there > script->files[id].peak_bytes)
			there = script->files[id].peak_bytes;
		bytes += there;
	}
	return bytes;
}

static int check_room(const struct file_tree *t, const struct file_script *script, char *message)
{
	uint64_t need = script->peak_bytes, there = existing_bytes(t, script), free_bytes;
	char needed[UNITS_TEXT_MAX], has[UNITS_TEXT_MAX];
	struct statvfs fs;

	if (fstatvfs(t->folder, &fs))
		return failed(t, "cannot be asked for free space", -errno, message);
	free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
	need = need > there ? need - there : 0;
	if (need && __builtin_add_overflow(need, need / 64 + MARGIN_BYTES, &need))
		need = UINT64_MAX;
	if (need > free_bytes) {
		snprintf(
			message, FILE_TREE_MESSAGE_MAX,
			"%s: the files need %s more, and %s are free; choose a larger file system, "
			"or "
			"a part of the trace with --from and --to",
			t->path, units_bytes(need, needed), units_bytes(free_bytes, has));
		return -ENOSPC;
	}
	if (fs.f_files && !t->existed && script->file_count >= fs.f_favail) {
		snprintf(message, FILE_TREE_MESSAGE_MAX,
			 "%s: %" PRIu32
			 " files are needed, and the file system has room for %" PRIu64
			 "; choose another",
			 t->path, script->file_count, (uint64_t)fs.f_favail);
		return -ENOSPC;
	}
	return 0;
}

static int open_folder(struct file_tree *t, const struct file_script *script, char *message)
{
	struct stat folder;
	int err;

	t->folder = open(t->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (t->folder < 0)
		return failed(t, "cannot be used as a directory", -errno, message);
	if (fstat(t->folder, &folder))
		return failed(t, "cannot be looked at", -errno, message);
	t->device = folder.st_dev;
	err = claim(t, message);
	if (!err)
		err = check_room(t, script, message);
	if (err || t->existed)
		return err;
	err = make_mark(t);
	return err ? failed(t, "cannot be written to", err, message) : 0;
}

int file_tree__open(struct file_tree *t, const char *path, const struct file_script *script,
		    char message[FILE_TREE_MESSAGE_MAX])
{
	bool is_new;
	int err;

	*t = (struct file_tree){.folder = -1, .path = path};
	is_new = !mkdir(path, 0700);
	if (!is_new && errno != EEXIST)
		return failed(t, "cannot be created", -errno, message);
	err = open_folder(t, script, message);
	if (err && is_new) {
		unlinkat(t->folder, MARK, 0);
		rmdir(path);
	}
	return err;
}

int file_tree__open_file(const struct file_tree *t, uint32_t id, int flags)
{
	char name[NAME_BYTES];
	struct stat file;
	int fd = openat(t->folder, file_name(id, name), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
			0600);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &file) || !S_ISREG(file.st_mode) || file.st_nlink != 1) {
		close(fd);
		return -EEXIST;
	}
	return fd;
}

/* splitmix64 (Steele, Lea and Flood, 2014) */
void file_tree_fill(uint64_t *words, uint64_t count, uint64_t seed)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t z = (seed += 0x9e3779b97f4a7c15ull);

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
		words[i] = z ^ (z >> 31);
	}
}

static int write_range(int fd, const char *data, uint64_t from, uint64_t to)
{
	while (from < to) {
		uint64_t bytes = to - from < CHUNK_BYTES ? to - from : CHUNK_BYTES;
		ssize_t written = pwrite(fd, data, bytes, (off_t)from);

		if (written <= 0)
			return written < 0 ? -errno : -ENOSPC;
		from += (uint64_t)written;
	}
	return 0;
}

static int lay_out_file(struct file_tree *t, uint32_t id, uint64_t size_bytes, const char *data)
{
	int fd = file_tree__open_file(t, id, O_RDWR | O_CREAT), err = 0;
	uint64_t there;
	struct stat file;

	if (fd < 0)
		return fd;
	if (fstat(fd, &file))
		err = -errno;
	/* A file with holes has to be written again: reads of holes do not reach the disk. */
	there = (uint64_t)file.st_blocks * SECTOR_BYTES < (uint64_t)file.st_size
			? 0
			: (uint64_t)file.st_size;
	if (!err && (uint64_t)file.st_size > size_bytes && ftruncate(fd, (off_t)size_bytes))
		err = -errno;
	if (!err && there < size_bytes) {
		err = write_range(fd, data, there, size_bytes);
		t->laid_bytes += size_bytes - there;
	}
	close(fd);
	return err;
}

int file_tree__lay_out(struct file_tree *t, const struct file_script *script,
		       char message[FILE_TREE_MESSAGE_MAX])
{
	uint64_t *data = malloc(CHUNK_BYTES);
	char name[NAME_BYTES];
	int err = 0;

	if (!data)
		return failed(t, "cannot be laid out", -ENOMEM, message);
	file_tree_fill(data, CHUNK_BYTES / sizeof(*data), 1);
	for (uint32_t id = 0; id < script->file_ids && !err; id++) {
		if (!script->files[id].used)
			continue;
		err = lay_out_file(t, id, script->files[id].initial_bytes, (const char *)data);
		if (err == -EEXIST || err == -ELOOP || err == -ENXIO)
			snprintf(
				message, FILE_TREE_MESSAGE_MAX,
				"%s/%s is no file that a replay laid out; remove the directory, or "
				"name another",
				t->path, file_name(id, name));
		else if (err)
			failed(t, file_name(id, name), err, message);
	}
	free(data);
	if (!err && syncfs(t->folder))
		err = failed(t, "cannot be written back", -errno, message);
	return err == -ELOOP || err == -ENXIO ? -EEXIST : err;
}

static int read_all(int fd, char *buffer, const volatile sig_atomic_t *stop)
{
	uint64_t at = 0;
	ssize_t got = 0;

	while (!*stop && (got = pread(fd, buffer, CHUNK_BYTES, (off_t)at)) > 0)
		at += (uint64_t)got;
	return got < 0 ? -errno : 0;
}

static int read_resident(int fd, const struct file_need *need, const volatile sig_atomic_t *stop)
{
	uint64_t page = 0, offset_bytes, length_bytes;
	int err = 0;

	while (!err && !*stop && file_resident__next(need, &page, &offset_bytes, &length_bytes))
		err = page_cache__read(fd, offset_bytes, length_bytes);
	return err;
}

static int set_cache_of(int fd, const struct file_need *need, enum file_cache cache, char *buffer,
			const volatile sig_atomic_t *stop)
{
	int err = page_cache__drop(fd, false);

	if (!err && cache == FILE_CACHE_WARM)
		err = read_all(fd, buffer, stop);
	if (!err && cache == FILE_CACHE_AS_RECORDED)
		err = read_resident(fd, need, stop);
	return err;
}

static void count_cached(int fd, uint64_t *cached_bytes)
{
	struct page_cache_state state;
	struct stat file;

	if (fstat(fd, &file) || page_cache__look(fd, 0, (uint64_t)file.st_size, &state))
		*cached_bytes = UINT64_MAX;
	else if (*cached_bytes != UINT64_MAX)
		*cached_bytes += state.cached_bytes;
}

int file_tree__set_cache(const struct file_tree *t, const struct file_script *script,
			 enum file_cache cache, const volatile sig_atomic_t *stop,
			 uint64_t *cached_bytes, char message[FILE_TREE_MESSAGE_MAX])
{
	char name[NAME_BYTES], *buffer = malloc(CHUNK_BYTES);
	int err = buffer ? 0 : failed(t, "cannot be read", -ENOMEM, message);

	*cached_bytes = 0;
	for (uint32_t id = 0; id < script->file_ids && !err; id++) {
		int fd;

		if (!script->files[id].used)
			continue;
		fd = file_tree__open_file(t, id, O_RDONLY);
		err = fd < 0 ? fd : set_cache_of(fd, &script->files[id], cache, buffer, stop);
		if (fd >= 0) {
			count_cached(fd, cached_bytes);
			close(fd);
		}
		if (err)
			failed(t, file_name(id, name), err, message);
	}
	free(buffer);
	return err;
}

void file_tree__close(struct file_tree *t)
{
	if (t->folder >= 0)
		close(t->folder);
	t->folder = -1;
}
