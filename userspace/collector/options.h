/* SPDX-License-Identifier: MIT */
/* The options of a recording, the totals that it returns, and the size of its messages. */
#ifndef BLKREEL_COLLECTOR_OPTIONS_H
#define BLKREEL_COLLECTOR_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define COLLECTOR_MESSAGE_MAX 4608 /* bytes: a path and a sentence */

/* The message for -ENODEV while recording. */
#define RECORDING_NO_DEVICE_LEFT                                                                      \
	"the recording ended early: none of its devices is there any more; the part recorded before " \
	"is complete and readable"

struct anonymizer;
struct privileges_plan;
struct trigger;

/* The flight recorder: keeps the newest part of the recording in memory, and writes it into a file
 * on request, when a trigger fires, and at the end. */
struct flight_options {
	uint64_t keep_ns;    /* time to keep; 0: limited by keep_bytes alone */
	uint64_t keep_bytes; /* memory to use; never 0 */
	struct trigger *const *triggers;
	unsigned int trigger_count;
	uint64_t after_ns;	 /* how long a trigger's file continues after the trigger */
	uint64_t hold_off_ns;	 /* after a trigger's file, triggers are ignored for this long */
	unsigned int keep_files; /* keep the newest files only; 0: all */
};

/* Rotation: begins a new file when the current one reaches an age or a size; 0: no such limit. */
struct rotation_options {
	uint64_t every_ns, every_bytes;
	unsigned int keep_files; /* keep the newest finished files only; 0: all */
};

struct recording_options {
	const char *const *devices; /* names or paths of disks or partitions; empty: all disks */
	unsigned int device_count;
	bool stack;    /* also record the devices below the named ones */
	bool cache;    /* also record the page-cache account */
	bool accesses; /* with cache: also a row for each operation on a file */
	bool waits;    /* also record what tasks wait for */
	bool lean;     /* only completions, with the kernel's own times: no submitter, no depth */
	uint32_t ops;  /* record only these: a bit for each enum io_op; 0: all */
	uint32_t pid;  /* record only this process (thread group); 0: all */
	const char *cgroup_path;	     /* record only this cgroup; NULL: all */
	uint64_t duration_ns;		     /* as planned, for the progress; 0: not known */
	uint64_t ring_bytes;		     /* per CPU, a power of two; 0: the default */
	uint64_t resolution_ns;		     /* rounds all times; 0 or 1: full resolution */
	int zstd_level;			     /* 0: the default */
	const char *command;		     /* the command line, for the head of the trace */
	const char *without;		     /* parties that this replay left out; NULL: none */
	const char *replay_mode;	     /* of the replay that is recorded; NULL: none */
	bool replay_generated;		     /* that replay plays a profile or a job file */
	const struct anonymizer *anonymizer; /* hashes names; NULL: names stay. Not owned */
	/* The user and the capabilities that the process changes to, for good, once the probes are
	 * attached; NULL: it keeps its own. */
	const struct privileges_plan *privileges;
	/* Whose the file is, for a recorder that keeps its rights; NULL: the recorder's. */
	const struct privileges_plan *owner;
	/* At most one of the two is set; with neither there is one file. Not owned. */
	const struct flight_options *flight;
	const struct rotation_options *rotation;
};

/* What was written and what was lost, for the last line that the user sees. */
struct recording_totals {
	uint64_t io_rows;
	uint64_t access_rows;
	uint64_t wait_rows;
	uint64_t file_bytes;
	uint64_t duration_ns;
	uint64_t lost; /* sum over all classes */
	uint64_t in_flight_at_end;
	uint64_t unlinked;  /* IOs that a device sent on, without a known IO above */
	unsigned int files; /* made by a rotation */
};

#endif
