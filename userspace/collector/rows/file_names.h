/* SPDX-License-Identifier: MIT */
/* The names that inodes have had, as the probes sent them, and since when each is valid. */
#ifndef BLKREEL_COLLECTOR_ROWS_FILE_NAMES_H
#define BLKREEL_COLLECTOR_ROWS_FILE_NAMES_H

#include <stdint.h>

#include "bpf/event.h"

struct file_names;

/* A path of a file, or of an earlier file with the same inode number. */
struct file_path {
	struct file_path *next;
	char *text; /* NULL: not known */
	uint32_t generation;
	/* For the caller, 0 at first and when the text becomes known: its entry in a table. */
	uint32_t id, trace;
};

int file_names__create(struct file_names **names); /* 0 or -ENOMEM */
void file_names__free(struct file_names *names);   /* NULL is allowed */

/* Adds a name that records will refer to. Takes `path` over, the whole path; NULL: out of memory, and
 * the name is not known. */
void file_names__add(struct file_names *names, const struct file_event *event, char *path);

/* The path of an inode when a probe made a record: `version` and `time_ns` are the record's. NULL: out
 * of memory. Paths are valid until file_names__forget(). */
struct file_path *file_names__at(struct file_names *names, uint32_t device, uint64_t inode,
				 uint8_t version, uint64_t time_ns);

/* The newest path of the inode's file of this generation. NULL: out of memory. */
struct file_path *file_names__newest(struct file_names *names, uint32_t device, uint64_t inode,
				     uint32_t generation);

/* The generation of the file that had this name; 0: not known. */
uint32_t file_names__generation(struct file_names *names, uint32_t device, uint64_t inode,
				uint8_t version, uint64_t time_ns);

/* Forgets all inodes but the 65,536 that were asked for last, within a few thousand. */
void file_names__forget(struct file_names *names);

#endif
