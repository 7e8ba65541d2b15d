/* SPDX-License-Identifier: MIT */
/* The input of profile and compare: a trace (one device of it) or a profile. */
#ifndef BLKREEL_COMMANDS_SHARED_WORKLOAD_INPUT_H
#define BLKREEL_COMMANDS_SHARED_WORKLOAD_INPUT_H

#include "base/options.h"
#include "profile/profile.h"
#include "trace/file/reader.h"
#include "trace/streams/left_out.h"
#include "workload/figures/measure.h"
#include "workload/missing_rows.h"
#include "workload/trace_requests.h"

/* For progress_start(): of a byte of a trace when it is opened, and each time that it is read. */
#define WORKLOAD_OPEN_WORK 0.2
#define WORKLOAD_READ_WORK 1.0

struct workload_input {
	const char *path;
	struct trace_reader *reader;	  /* of a trace */
	struct device_extent extent;	  /* of the chosen device */
	struct profile *profile;	  /* of a profile */
	char device_name[TRACE_NAME_MAX]; /* "" for a profile */
	char origin
		[64 +
		 TRACE_NAME_MAX]; /* "a profile", "a replay of a trace in mode asap"; "": other traces */
	uint64_t device_bytes; /* 0: not known */
	unsigned int block_offset_sectors;
	bool torn;		   /* the trace was cut; what is whole is used */
	struct left_out *left_out; /* what does not count; not owned; NULL: all counts */
	struct missing_rows missing;
	struct workload_measure *measure;
	const struct workload_figures *figures; /* after workload_input_measure() */
};

/*
 * Opens a trace or, when `allow_profile`, a profile. `device` NULL takes the device with the
 * most requests and says so when there are others; `option` is how a user chooses another.
 * Prints one line and returns an exit code when that fails.
 */
int workload_input_open(struct workload_input *input, const char *path, const char *device,
			const char *option, bool allow_profile);

/* Reads or generates every request. Exit code as above. */
int workload_input_measure(struct workload_input *input);

/* The requests of a trace in order, times from the first. Exit code as above. */
int workload_input_each(struct workload_input *input, row_handler handle, void *context);

/* For progress_start(): of opening and measuring a trace, or of generating a profile; 0: not known. */
double workload_work(const char *path);

void workload_input_close(struct workload_input *input);

/* Prints a warning about the rows of a kind that are missing from a trace or a profile, if any. */
void cmd_warn_missing(const char *path, const struct missing_rows *missing, enum row_kind kind);

/* Prints what is wrong with a file that is neither a trace nor, by profile__load(), a profile.
 * EXIT_BAD_INPUT. */
int cmd_profile_error(const char *path, const char *message);

#endif
