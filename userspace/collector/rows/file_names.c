// SPDX-License-Identifier: MIT
#include "collector/rows/file_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#define FILES_KEPT_MAX 65536u
#define NAMES_KEPT_MAX 1024u /* of one file */
/* A probe takes the time of its record before it sends a name. */
#define NAME_LATE_NS 1000000u
/* A file that is asked for is moved to the end of the list at most once in as many questions. */
#define QUESTIONS_PER_MOVE 4096u

struct known_file {
	struct file_key {
		uint64_t inode;
		uint32_t device, padding;
	} key;
	struct known_name *names; /* the newest first */
	struct file_path *paths;
	uint64_t moved; /* the number of the question that moved it to the end */
	UT_hash_handle hh;
};

/* A name that the probes reported for a file, and since when it is valid. */
struct known_name {
	struct known_name *older;
	struct file_path *path;
	uint64_t time_ns;
	uint8_t version;
};

struct file_names {
	struct known_file *files; /* the first ones were not asked for the longest */
	uint64_t questions;
};

int file_names__create(struct file_names **names)
{
	*names = calloc(1, sizeof(**names));
	return *names ? 0 : -ENOMEM;
}

static void free_names(struct known_name *name)
{
	while (name) {
		struct known_name *older = name->older;

		free(name);
		name = older;
	}
}

static void remove_first(struct file_names *names)
{
	struct known_file *file = names->files;

	HASH_DEL(names->files, file);
	free_names(file->names);
	while (file->paths) {
		struct file_path *path = file->paths;

		file->paths = path->next;
		free(path->text);
		free(path);
	}
	free(file);
}

void file_names__free(struct file_names *names)
{
	if (!names)
		return;
	while (names->files)
		remove_first(names);
	free(names);
}

/* The probes send a name once, and forget that they have sent it after as many other files as are
 * kept here. */
void file_names__forget(struct file_names *names)
{
	while (HASH_COUNT(names->files) > FILES_KEPT_MAX)
		remove_first(names);
}

static struct known_file *find_file(struct file_names *names, uint32_t device, uint64_t inode)
{
	struct file_key key = {.inode = inode, .device = device};
	struct known_file *file;

	names->questions++;
	HASH_FIND(hh, names->files, &key, sizeof(key), file);
	if (file && names->questions - file->moved < QUESTIONS_PER_MOVE)
		return file;
	if (file) {
		HASH_DEL(names->files, file);
	} else {
		file = calloc(1, sizeof(*file));
		if (!file)
			return NULL;
		file->key = key;
	}
	file->moved = names->questions;
	HASH_ADD(hh, names->files, key, sizeof(key), file);
	return file;
}

static struct file_path *add_path(struct known_file *file, uint32_t generation)
{
	struct file_path *path = calloc(1, sizeof(*path));

	if (!path)
		return NULL;
	path->generation = generation;
	path->next = file->paths;
	file->paths = path;
	return path;
}

/* Finds the entry of a file with this path, or one whose path is not known yet; NULL: neither. The
 * most recently found entries come first, and the search is limited to them. */
static struct file_path *find_path(struct known_file *file, uint32_t generation, const char *text)
{
	struct file_path **at = &file->paths;

	for (unsigned int i = 0; i < NAMES_KEPT_MAX && *at; i++, at = &(*at)->next) {
		struct file_path *path = *at;

		if (path->generation != generation ||
		    (path->text && (!text || strcmp(path->text, text))))
			continue;
		*at = path->next;
		path->next = file->paths;
		file->paths = path;
		return path;
	}
	return NULL;
}

/* A thread that moved between CPUs has names in two rings, and the later ones may be read first. */
static void insert_name(struct known_file *file, struct known_name *name)
{
	struct known_name **at = &file->names;

	while (*at && (*at)->time_ns > name->time_ns)
		at = &(*at)->older;
	name->older = *at;
	*at = name;
}

static void forget_oldest_names(struct known_file *file)
{
	struct known_name **last = &file->names;

	for (unsigned int i = 0; i < NAMES_KEPT_MAX && *last; i++)
		last = &(*last)->older;
	free_names(*last);
	*last = NULL;
}

/* The path that had this version and was the newest one then. Where the probes could not send it, the
 * newest of all. NULL: there is none. */
static struct file_path *path_of_version(const struct known_file *file, uint8_t version,
					 uint64_t time_ns)
{
	struct known_name *same_version = NULL;

	for (struct known_name *name = file->names; name; name = name->older) {
		if (name->version != version)
			continue;
		if (name->time_ns <= time_ns + NAME_LATE_NS)
			return name->path;
		same_version = name;
	}
	if (same_version)
		return same_version->path;
	return file->names ? file->names->path : file->paths;
}

struct file_path *file_names__at(struct file_names *names, uint32_t device, uint64_t inode,
				 uint8_t version, uint64_t time_ns)
{
	struct known_file *file = find_file(names, device, inode);
	struct file_path *path = file ? path_of_version(file, version, time_ns) : NULL;

	return file && !path ? add_path(file, 0) : path;
}

struct file_path *file_names__newest(struct file_names *names, uint32_t device, uint64_t inode,
				     uint32_t generation)
{
	struct known_file *file = find_file(names, device, inode);
	struct file_path *path;

	if (!file)
		return NULL;
	for (struct known_name *name = file->names; name; name = name->older)
		if (name->path->generation == generation)
			return name->path;
	path = find_path(file, generation, NULL);
	return path ? path : add_path(file, generation);
}

uint32_t file_names__generation(struct file_names *names, uint32_t device, uint64_t inode,
				uint8_t version, uint64_t time_ns)
{
	struct known_file *file = find_file(names, device, inode);
	struct file_path *path = file ? path_of_version(file, version, time_ns) : NULL;

	return path ? path->generation : 0;
}

/* Takes `text` over. A path that was not known until now gets another entry in the table. */
static struct file_path *path_called(struct known_file *file, uint32_t generation, char *text)
{
	struct file_path *path = find_path(file, generation, text);

	if (!path)
		path = add_path(file, generation);
	if (!path || path->text) {
		free(text);
		return path;
	}
	path->text = text;
	path->id = 0;
	return path;
}

void file_names__add(struct file_names *names, const struct file_event *event, char *path)
{
	struct known_file *file = path ? find_file(names, event->device, event->inode) : NULL;
	struct known_name *name = file ? calloc(1, sizeof(*name)) : NULL;

	if (!name) {
		free(path);
		return;
	}
	name->path = path_called(file, event->generation, path);
	if (!name->path) {
		free(name);
		return;
	}
	name->version = event->version;
	name->time_ns = event->time_ns;
	insert_name(file, name);
	forget_oldest_names(file);
}
