/* SPDX-License-Identifier: MIT */
/* Checks the page-cache figures on this kernel: runs a known load and compares the probes' counts
 * with the kernel's own system calls. */
#ifndef BLKREEL_COLLECTOR_DOCTOR_SELF_CHECK_H
#define BLKREEL_COLLECTOR_DOCTOR_SELF_CHECK_H

#include <stdint.h>

#include "collector/options.h"

enum self_check_verdict {
	SELF_CHECK_RIGHT = 0,
	SELF_CHECK_WRONG,
	SELF_CHECK_NOT_CHECKED, /* this kernel lacks the figure or its reference value */
};

struct self_check_result {
	const char *load;	    /* description of the load */
	const char *tier, *figure;  /* "cache_reads", "read_pages" */
	uint64_t expected, counted; /* pages of the kernel; 0 where not checked */
	enum self_check_verdict verdict;
};

/* Writes and reads 8 MiB (with pages of 4 KiB) in an unnamed file in `directory` and calls `each`
 * for each figure of each step. 0, or negative errno with a sentence in `message`. */
int self_check__run(const char *directory,
		    void (*each)(const struct self_check_result *result, void *context),
		    void *context, char message[COLLECTOR_MESSAGE_MAX]);

#endif
