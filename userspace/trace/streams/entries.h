/* SPDX-License-Identifier: MIT */
/* The entries of the tables of a trace: which of two traces are the same, and their copies. */
#ifndef BLKREEL_TRACE_STREAMS_ENTRIES_H
#define BLKREEL_TRACE_STREAMS_ENTRIES_H

#include "trace/file/reader.h"
#include "trace/file/writer.h"

enum entry_table {
	ENTRY_DEVICES,
	ENTRY_TASKS,
	ENTRY_FILES,
	ENTRY_CGROUPS,
	ENTRY_STACKS,
	ENTRY_TABLES
};

/* Identifies an entry of one recording. Compared as bytes: padding is zeroed. */
struct entry_identity {
	uint64_t host_hash;  /* see entry_identify_host() */
	uint64_t number;     /* size of a device, inode, id of a cgroup */
	uint64_t path_hash;  /* of a file; of the functions of a stack */
	uint32_t generation; /* of a file */
	uint32_t table;
	uint32_t a, b; /* major and minor, or pid and tgid */
	uint32_t padding;
	uint32_t kind; /* of a file; whether a task is the kernel's */
	char name[TRACE_NAME_MAX];
};

/* False: the table has no such entry. */
bool entry_identify(enum entry_table table, const struct trace_reader *r, uint32_t id,
		    struct entry_identity *identity);
/* Tells it from entries of other recordings, of other hosts or of another time. */
void entry_identify_host(const struct trace_reader *r, uint32_t id,
			 struct entry_identity *identity);

/* Writes the entry `from` of `r`, which must exist, as `id`. 0 or negative errno. */
int entry_write(enum entry_table table, struct trace_writer *w, const struct trace_reader *r,
		uint32_t from, uint32_t id);

#endif
