/* SPDX-License-Identifier: MIT */
/*
 * Who did IO in one interval, and how much: sums for each task, cgroup, file and device. Bounded:
 * of each kind the first PARTIES_MAX are kept, the others go into one sum that says how many they
 * are.
 */
#ifndef BLKREEL_COLLECTOR_ACTIVITY_PARTIES_H
#define BLKREEL_COLLECTOR_ACTIVITY_PARTIES_H

#include "collector/rows/registry.h"
#include "trace/rows.h"

#define PARTIES_MAX 16384u /* of each kind */

/* IOs by completion; pages of 4 KiB. */
struct activity_sums {
	uint64_t ios[TICK_OP_COUNT];
	uint64_t bytes[TICK_OP_COUNT];
	uint64_t passthrough_ios; /* which the kernel's counters do not include */
	uint64_t untimed_ios;	  /* their creation or issue was not seen: in no time below */
	uint64_t total_ns;	  /* creation to completion, summed over IOs */
	uint64_t queue_ns;	  /* of it: before the hand-over to the driver */
	uint64_t longest_ns;	  /* the longest of one IO */
	uint64_t errors;	  /* IOs that failed */
	uint64_t read_pages;	  /* touched by reads and page faults */
	uint64_t miss_pages;	  /* of these: were not in the page cache */
	uint64_t dirtied_pages;
	uint64_t page_waits_ns; /* readers slept for pages that others had requested */
};

/* The entry of id 1 is the first of its array; what has id 0 is in struct party_rest. */
struct party_task {
	struct trace_task task;
	struct activity_sums sums;
};

struct party_cgroup {
	uint64_t kernel_id;
	char *path; /* "": not known */
	struct activity_sums sums;
};

struct party_file {
	uint32_t major, minor, generation;
	uint64_t inode;
	enum file_kind kind;
	char *path; /* "": not known */
	struct activity_sums sums;
};

struct party_device {
	struct trace_device device;
	struct activity_sums sums;
	struct tick_row kernel; /* the kernel's own counters in the interval */
	bool has_kernel;	/* they changed */
	bool is_counted;	/* they cover what is watched of it */
};

/* What has no place in a table. */
struct party_rest {
	struct activity_sums none[IO_ORIGIN_COUNT]; /* it has none of this kind, by origin */
	struct activity_sums refused;		    /* the table is full */
	uint64_t refused_count;			    /* how many these were, at most */
};

struct parties {
	struct party_task *tasks;
	struct party_cgroup *cgroups;
	struct party_file *files;
	struct party_device *devices;
	uint32_t task_count, cgroup_count, file_count, device_count;
	struct party_rest task_rest, cgroup_rest, file_rest, device_rest;
	struct activity_sums total; /* of all rows but those in `below` */
	struct activity_sums
		below; /* IOs of which the IO above is in `total`: only the devices have them */
};

/* Begins empty, as zeroes. */
void parties__release(struct parties *p);

/* The tables in which a registry (rows/registry.h) numbers the parties. */
struct row_tables parties__tables(struct parties *p);

/* Adds a row, whose ids are those of the registry. */
void parties__add_io(struct parties *p, const struct io_row *row);
void parties__add_cache(struct parties *p, const struct cache_row *row);
/* Adds the kernel's counters of a device. */
void parties__add_tick(struct parties *p, const struct tick_row *tick);

/* Adds `more` to `sums`. */
void activity_sums__add(struct activity_sums *sums, const struct activity_sums *more);

/* All IOs and bytes, passthrough commands included. */
uint64_t activity_sums__ios(const struct activity_sums *sums);
uint64_t activity_sums__bytes(const struct activity_sums *sums);

#endif
