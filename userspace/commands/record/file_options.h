/* SPDX-License-Identifier: MIT */
/* The options of record that choose its files: a ring in memory, or one file after the other. */
#ifndef BLKREEL_COMMANDS_RECORD_FILE_OPTIONS_H
#define BLKREEL_COMMANDS_RECORD_FILE_OPTIONS_H

#include "base/options.h"
#include "collector/recording/recording.h"

struct record_files_config {
	struct option_list ring, triggers, rotate;
	uint64_t after_ns, hold_off_ns, keep;
};

#define RECORD_FILES_UNSET UINT64_MAX
#define RECORD_FILES_DEFAULT                                                       \
	{                                                                          \
		.after_ns = RECORD_FILES_UNSET, .hold_off_ns = RECORD_FILES_UNSET, \
	}

/* The rows of an option table for the struct record_files_config in `field` of `config_type`. */
#define RECORD_FILES_OPTIONS(config_type, field)                                                                  \
	OPTION(config_type, field.ring, 0, "ring", LIST, "TIME|SIZE",                                             \
	       "keep only the newest part, in memory: 5m, 256M, or\n"                                             \
	       "both (the lesser); write it to a file on SIGUSR1, by\n"                                           \
	       "a trigger and at the end"),                                                                       \
		OPTION(config_type, field.triggers, 0, "trigger", LIST, "COND",                                   \
		       "with --ring: write the file when COND holds:\n"                                           \
		       "'lat > 500ms', 'read p99 > 20ms over 10s',\n"                                             \
		       "'stuck > 30s', 'depth > 200', 'iops < 1', 'error'\n(repeatable)"),                        \
		OPTION(config_type, field.after_ns, 0, "after", TIME, "TIME",                                     \
		       "go on for TIME after a trigger (default: 5s)"),                                           \
		OPTION(config_type, field.hold_off_ns, 0, "hold-off", TIME, "TIME",                               \
		       "ignore triggers for TIME after one (default: 1m)"),                                       \
		OPTION(config_type, field.rotate, 0, "rotate", LIST, "TIME|SIZE",                                 \
		       "begin a new file each TIME, before it exceeds SIZE,\nor both, and on SIGHUP or SIGUSR1"), \
		OPTION(config_type, field.keep, 0, "keep", COUNT, "N",                                            \
		       "keep only the newest N files of --ring or --rotate\n(default: all)",                      \
		       .min = 1, .max = 1000000)

/* The parsed options. */
struct record_files {
	bool has_ring, has_rotation;
	const char *ring_time; /* the argument; NULL: none */
	struct flight_options flight;
	struct rotation_options rotation;
	struct trigger *triggers[OPTION_LIST_MAX]; /* that flight points to */
};

/* EXIT_OK, or EXIT_USAGE or EXIT_FAILED after a message. record_files_release() in any case. */
int record_files_parse(const struct command_usage *usage, const struct record_files_config *config,
		       struct record_files *files);
void record_files_release(struct record_files *files);

/* Prints what will be written when. */
void record_files_announce(const struct record_files *files, const char *path);

#endif
