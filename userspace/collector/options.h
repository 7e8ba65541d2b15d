/* SPDX-License-Identifier: MIT */
/* What a recording is asked for and what it gives back: options, totals, messages. */
#ifndef BLKREEL_COLLECTOR_OPTIONS_H
#define BLKREEL_COLLECTOR_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define COLLECTOR_MESSAGE_MAX 4608 /* a path and a sentence */

struct anonymizer;
struct privileges_plan;
struct trigger;

/* Keeps the newest part in memory, and writes it into a file when it is asked to, when a trigger
 * fires, and at the end. */
struct flight_options {
	uint64_t keep_ns;    /* 0: as long as keep_bytes last */
	uint64_t keep_bytes; /* of memory; never 0 */
	struct trigger *const *triggers;
	unsigned int trigger_count;
	uint64_t after_ns;    /* a trigger's file ends so much later */
	uint64_t hold_off_ns; /* after the file of a trigger others are not followed for so long */
	unsigned int keep_files; /* the newest; 0: all */
};

/* A new file whenever one has become so old or so large; 0: whatever its age, or size. */
struct rotation_options {
	uint64_t every_ns, every_bytes;
	unsigned int keep_files; /* the newest, beside the one that is written; 0: all */
};

struct recording_options {
	const char *const *devices; /* names or paths of disks or partitions; none: every disk */
	unsigned int device_count;
	bool stack;    /* the devices below those that are named, too */
	bool cache;    /* the page-cache account too */
	bool accesses; /* a row for each operation on a file; with the account */
	bool lean;     /* only completions, with the kernel's own times: no submitter, no depth */
	uint32_t ops;  /* only these: a bit for each enum io_op; 0: all */
	uint32_t pid;  /* only this process (thread group); 0: all */
	const char *cgroup_path;	     /* only this cgroup; NULL: all */
	uint64_t ring_bytes;		     /* per CPU, a power of two; 0: the default */
	uint64_t resolution_ns;		     /* 0 or 1: full */
	int zstd_level;			     /* 0: the default */
	const char *command;		     /* the command line, for the trace's head */
	const struct anonymizer *anonymizer; /* names are hashed with it; NULL: none is; it stays */
	/* What the process becomes for ever once the probes are on; NULL: it stays what it is. */
	const struct privileges_plan *privileges;
	/* At most one of them; without both there is one file. What they point to stays. */
	const struct flight_options *flight;
	const struct rotation_options *rotation;
};

/* What was written and what was not, for the last line that the user sees. */
struct recording_totals {
	uint64_t io_rows;
	uint64_t access_rows;
	uint64_t file_bytes;
	uint64_t duration_ns;
	uint64_t lost; /* sum over all classes */
	uint64_t in_flight_at_end;
	uint64_t unlinked;  /* sent on to a device below, by which IO above is not known */
	unsigned int files; /* made by a rotation */
};

#endif
