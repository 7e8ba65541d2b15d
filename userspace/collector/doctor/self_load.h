/* SPDX-License-Identifier: MIT */
/* A known load on a file, by a process of its own, and what the kernel says of the cache meanwhile. */
#ifndef BLKREEL_COLLECTOR_DOCTOR_SELF_LOAD_H
#define BLKREEL_COLLECTOR_DOCTOR_SELF_LOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum self_load_step {
	SELF_LOAD_COLD = 0,
	SELF_LOAD_WARM,
	SELF_LOAD_MAPPED,
	SELF_LOAD_SEQUENTIAL, /* behind the others: readahead of it may go far */
	SELF_LOAD_WRITTEN,
	SELF_LOAD_STEPS,
};

/* What a step did, by mincore(2), cachestat(2) and getrusage(2); counts of the kernel's pages. */
struct self_load_truth {
	uint64_t pages;	 /* read, or written */
	uint64_t absent; /* of those: not in the cache before */
	uint64_t added;	 /* to the cache of the file */
	uint64_t faults; /* of mapped pages */
	uint64_t dirty;	 /* at the end */
	bool has_cachestat;
	int err; /* 0 or negative errno */
};

struct self_load;

/* Starts the process, which makes a file without a name in `directory`, of which nothing is cached.
 * 0; -EBUSY: its pages do not leave the cache; other negative errno. */
int self_load__start(const char *directory, struct self_load **load);
/* Carries out a step. 0 or negative errno. */
int self_load__step(struct self_load *load, enum self_load_step step,
		    struct self_load_truth *truth);
void self_load__free(struct self_load *load); /* ends the process; NULL is allowed */

pid_t self_load__pid(const struct self_load *load);
uint64_t self_load__inode(const struct self_load *load);
const char *self_load__describe(enum self_load_step step);

#endif
