/* SPDX-License-Identifier: MIT */
/*
 * Addresses of operations on files, in bytes, as addresses of requests, in sectors, and back. The
 * model continues runs by whole sectors and carries the rest along (recent_ends.h); here both ends
 * of the recent runs are known, so that a run of 100 bytes each is a run in both, and gets as far
 * in both.
 */
#ifndef BLKREEL_PROFILE_FILE_RUNS_H
#define BLKREEL_PROFILE_FILE_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "workload/figures/recent_ends.h"

struct file_run {
	uint64_t end_sector; /* as the model has it */
	uint64_t end;	     /* in bytes */
	uint64_t carry;
	uint32_t owner; /* the task that began it */
};

/* Of one kind (reads, or writes, of one space), the most recent first. Zero-filled is empty. */
struct file_runs {
	unsigned int count;
	struct file_run runs[RECENT_ENDS];
};

/*
 * The sector for an operation at `address`, of the whole address space; it ends at `limit_sector`
 * at the latest. *continues: it goes on where one of the recent ones ended.
 */
uint64_t file_runs_sector(struct file_runs *r, uint64_t address, uint64_t bytes,
			  uint64_t limit_sector, bool *continues);

/* The run that a request at `sector` continues; NULL: none. */
const struct file_run *file_runs_find(const struct file_runs *r, uint64_t sector);

/* That the request at `sector` is an operation at `address`, of a run that `owner` began. */
void file_runs_follow(struct file_runs *r, uint64_t sector, uint64_t address, uint64_t bytes,
		      uint32_t owner);

#endif
