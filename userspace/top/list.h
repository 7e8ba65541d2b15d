/* SPDX-License-Identifier: MIT */
/* The parties of one interval (collector/activity), grouped, sorted and cut to the first few. */
#ifndef BLKREEL_TOP_LIST_H
#define BLKREEL_TOP_LIST_H

#include <stddef.h>

#include "collector/activity/activity.h"
#include "containers/container_names.h"

enum top_by {
	TOP_PROCESS,
	TOP_COMMAND,
	TOP_CGROUP,
	TOP_UNIT,
	TOP_CONTAINER,
	TOP_POD,
	TOP_FILE,
	TOP_DEVICE,
	TOP_BY_COUNT,
};

enum top_sort {
	TOP_WAITING, /* time of its IOs in queue and device */
	TOP_IOS,
	TOP_BYTES,
	TOP_MISSES,
	TOP_SORT_COUNT,
};

/* "process", "waiting", ..., each with a NULL at the end, for options. */
extern const char *const top_by_names[];
extern const char *const top_sort_names[];

struct top_row {
	char *name;
	uint32_t pid; /* of a process; 0: none */
	uint64_t id;  /* of a cgroup (kernel) or the inode of a file; 0: none */
	const struct party_device *device; /* by device; owned by the sample */
	struct activity_sums sums;
};

struct top_list {
	struct top_row *rows; /* sorted */
	size_t count;	      /* of rows that were asked for */
	size_t all;	      /* of rows in memory */
	/* What is in no row: those below the last, and those that found no place in memory. */
	struct activity_sums other;
	uint64_t other_count;
};

/* What a list is of. */
struct top_choice {
	enum top_by by;
	enum top_sort sort;
	struct container_names *names; /* NULL: containers have no names, but ids. Not owned */
};

/* Makes the list of at most `limit` rows; a limit of 0 is none. 0 or -ENOMEM. */
int top_list__make(const struct activity_sample *sample, const struct top_choice *choice,
		   size_t limit, struct top_list *list);
void top_list__release(struct top_list *list);

/* What the rows and `other` add up to. */
void top_list__total(const struct top_list *list, struct activity_sums *total);

/* How the IOs of rows compare with the kernel's counters. */
struct top_agreement {
	unsigned int compared;	   /* devices */
	unsigned int not_compared; /* a part of them is watched, or the kernel does not count */
	uint64_t ios, kernel_ios;  /* of the compared devices, without passthrough commands */
	uint64_t apart;		   /* the sum of the differences of each device and operation */
	bool bytes_equal;
};

void top_agreement__of(const struct activity_sample *sample, struct top_agreement *agreement);

#endif
