/* SPDX-License-Identifier: MIT */
/* A known load on a file, run in a separate process, and what the kernel reports of the cache
 * meanwhile. */
#ifndef BLKREEL_COLLECTOR_DOCTOR_SELF_LOAD_H
#define BLKREEL_COLLECTOR_DOCTOR_SELF_LOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum self_load_step {
	SELF_LOAD_COLD = 0,
	SELF_LOAD_WARM,
	SELF_LOAD_MAPPED,
	SELF_LOAD_SEQUENTIAL, /* behind the pages of the other steps: its readahead may reach far */
	SELF_LOAD_WRITTEN,
	SELF_LOAD_STEPS,
};

/* The effect of a step according to mincore(2), cachestat(2) and getrusage(2), in the kernel's
 * pages. */
struct self_load_truth {
	uint64_t pages;	 /* pages read or written */
	uint64_t absent; /* of those, not in the cache before */
	uint64_t added;	 /* added to the cache of the file */
	uint64_t faults; /* faults on mapped pages */
	uint64_t dirty;	 /* dirty pages at the end */
	bool has_cachestat;
	int err; /* 0 or negative errno */
};

struct self_load;

/* Starts the process, which creates an unnamed, uncached file in `directory`. 0; -EBUSY: its pages
 * do not leave the cache; other negative errno. */
int self_load__start(const char *directory, struct self_load **load);
/* Runs a step and fills *truth. 0 or negative errno. */
int self_load__step(struct self_load *load, enum self_load_step step,
		    struct self_load_truth *truth);
void self_load__free(struct self_load *load); /* ends the process; NULL is allowed */

/* The process, the inode of its file, and the description of a step (static). */
pid_t self_load__pid(const struct self_load *load);
uint64_t self_load__inode(const struct self_load *load);
const char *self_load__describe(enum self_load_step step);

#endif
