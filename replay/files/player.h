/* SPDX-License-Identifier: MIT */
/*
 * Plays a script on a tree of files, with a thread for each recorded task (see
 * FILE_SCRIPT_THREADS_MAX): each operation when it is due, or as soon as the one before it has
 * ended.
 */
#ifndef BLKREEL_REPLAY_FILES_PLAYER_H
#define BLKREEL_REPLAY_FILES_PLAYER_H

#include <signal.h>

#include "base/histogram.h"
#include "replay/files/script.h"
#include "replay/files/tree.h"

#define FILE_PLAYER_ERRORS_MAX 16

struct file_player_options {
	const struct file_script *script;
	const struct file_tree *tree;
	bool timed; /* else as fast as each thread can */
	bool write;
	bool stop_at_error;
	double speed;	     /* timed: 2 is twice as fast as recorded */
	uint64_t runtime_ns; /* from the start: then no more operation begins; 0: no limit */
	const volatile sig_atomic_t *stop; /* not 0: end */
};

struct file_op_result {
	uint64_t count; /* operations done, including those that failed */
	uint64_t errors;
	uint64_t bytes;
	struct histogram intended_ns;  /* from when it was due; mode timed */
	struct histogram submitted_ns; /* from when it began */
};

struct file_error {
	uint8_t op; /* enum access_op */
	int error;  /* errno; 0: fewer bytes than asked for */
	uint64_t count;
};

struct file_result {
	struct file_op_result ops[ACCESS_OP_COUNT];
	struct histogram lateness_ns; /* timed */
	struct file_error errors[FILE_PLAYER_ERRORS_MAX];
	unsigned int error_kinds;
	uint64_t errors_of_other_kinds;
	uint64_t not_direct, reopened_files; /* as in struct file_actor_counts */
	uint64_t cached_bytes; /* of the files, before the replay; set by the caller */
	uint64_t duration_ns;
	uint64_t last_due_ns; /* of the operations done, at the speed asked for */
	int stopped;	      /* the signal that `stop` held; 0: none */
	bool stopped_at_error;
	bool runtime_over; /* options->runtime_ns ended it before the script did */
};

/* `result` is zero before. 0; negative errno when a thread could not start: nothing was played. */
int file_player__run(const struct file_player_options *options, struct file_result *result);

/* Sums over all operations: those that failed, all, and the bytes moved. */
uint64_t file_result__errors(const struct file_result *r);
uint64_t file_result__count(const struct file_result *r);
uint64_t file_result__bytes(const struct file_result *r);

#endif
