/* SPDX-License-Identifier: MIT */
/* Finds out, by trying, what this kernel, machine and user allow the recorder. */
#ifndef BLKREEL_COLLECTOR_DOCTOR_DOCTOR_H
#define BLKREEL_COLLECTOR_DOCTOR_DOCTOR_H

#include <stdbool.h>

#define DOCTOR_TEXT_MAX 512

enum doctor_state {
	DOCTOR_WORKS = 0,
	DOCTOR_LIMITED, /* works with limits */
	DOCTOR_MISSING,
};

struct doctor_finding {
	const char *name;
	enum doctor_state state;
	char how[DOCTOR_TEXT_MAX];  /* what was tried, and the result */
	char cost[DOCTOR_TEXT_MAX]; /* the cost of the lack and the remedy; "" when it works */
};

/* Tries everything and calls `each` for every finding, the most important first. */
void doctor__examine(void (*each)(const struct doctor_finding *finding, void *context),
		     void *context);

/* Calls `each` for every block device, with its name and whether it can be recorded. */
void doctor__each_device(void (*each)(const char *name, bool recordable, const char *why,
				      void *context),
			 void *context);

#endif
