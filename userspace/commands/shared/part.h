/* SPDX-License-Identifier: MIT */
/* For commands that read one trace: a time of it, or several traces on one clock, as one trace in memory. */
#ifndef BLKREEL_COMMANDS_SHARED_PART_H
#define BLKREEL_COMMANDS_SHARED_PART_H

#include "base/options.h"
#include "commands/shared/stream.h"

/* The rows of an option table for the struct stream_options in `field` of `config_type`: the time only. */
#define PART_OPTIONS(config_type, field)                                 \
	OPTION(config_type, field.from, 0, "from", TEXT, "TIME",         \
	       "leave out what was before this time of the recording,\n" \
	       "or of the clock: 15:04:05, 2026-11-21T15:04"),           \
		OPTION(config_type, field.to, 0, "to", TEXT, "TIME",     \
		       "leave out what was from this time on")

#define PART_PATH_MAX 32u

struct part {
	int fd;		  /* -1: the one trace is read as it is */
	const char *path; /* to read; valid as long as the part */
	char fd_path[PART_PATH_MAX];
	uint64_t from_ns; /* of the recording: the part begins here */
};

/*
 * Sets *part for `count` traces. EXIT_OK; EXIT_INCOMPLETE or EXIT_BAD_INPUT: as `copy`, of what could be read;
 * other exit codes, and no part, after a message. part__release() in every case.
 */
int part__make(const struct command_usage *usage, struct stream_options *options, char **paths,
	       unsigned int count, struct part *part);
void part__release(struct part *part);

#endif
