/* SPDX-License-Identifier: MIT */
/* The options of record that say into which files it writes: a ring in memory, or one file after the
 * other. */
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

/* The rows of an option table for the struct record_files_config in `field` of `type`. */
#define RECORD_FILES_OPTION(config_type, field, long_name, kind, member, value, text) \
	{                                                                             \
		.name = long_name, .type = kind,                                      \
		.offset = offsetof(config_type, field) +                              \
			  offsetof(struct record_files_config, member),               \
		.metavar = value, .help = text                                        \
	}
#define RECORD_FILES_OPTIONS(config_type, field)                                                   \
	RECORD_FILES_OPTION(config_type, field, "ring", OPT_LIST, ring, "TIME|SIZE",               \
			    "keep only the newest part, in memory; write it out\n"                 \
			    "on SIGUSR1, by a trigger and at the end\n"                            \
			    "(5m, 256M; a time and a size: what is less)"),                        \
		RECORD_FILES_OPTION(config_type, field, "trigger", OPT_LIST, triggers, "COND",     \
				    "with --ring: write it out when COND holds\n"                  \
				    "('lat > 500ms', 'read p99 > 20ms over 10s',\n"                \
				    "'stuck > 30s', 'depth > 200', 'iops < 1',\n"                  \
				    "'error'; repeatable)"),                                       \
		RECORD_FILES_OPTION(config_type, field, "after", OPT_TIME, after_ns, "TIME",       \
				    "go on for TIME after a trigger (default: 5s)"),               \
		RECORD_FILES_OPTION(config_type, field, "hold-off", OPT_TIME, hold_off_ns, "TIME", \
				    "ignore triggers for TIME after one (default: 1m)"),           \
		RECORD_FILES_OPTION(config_type, field, "rotate", OPT_LIST, rotate, "TIME|SIZE",   \
				    "begin a new file each TIME or SIZE, or both,\n"               \
				    "and on SIGHUP"),                                              \
	{                                                                                          \
		.name = "keep", .type = OPT_COUNT,                                                 \
		.offset =                                                                          \
			offsetof(config_type, field) + offsetof(struct record_files_config, keep), \
		.metavar = "N", .help = "keep only the newest N files of --ring or --rotate",      \
		.min = 1, .max = 1000000                                                           \
	}

/* What the options come to. */
struct record_files {
	bool has_ring, has_rotation;
	const char *ring_time; /* as it was given; NULL: none was */
	struct flight_options flight;
	struct rotation_options rotation;
	struct trigger *triggers[OPTION_LIST_MAX]; /* that flight points to */
};

/* EXIT_OK, EXIT_USAGE or EXIT_FAILED, and the message is out. record_files_release() in any case. */
int record_files_parse(const struct command_usage *usage, const struct record_files_config *config,
		       struct record_files *files);
void record_files_release(struct record_files *files);

/* A line that says what will be written when. */
void record_files_announce(const struct record_files *files, const char *path);

#endif
