/* SPDX-License-Identifier: MIT */
/*
 * The counting probes (bpf/tally.bpf.c): counts and histograms for each disk and operation, busy
 * time and depth, kept in the kernel and read on demand. No record per IO.
 */
#ifndef BLKREEL_COLLECTOR_COUNTERS_COUNTING_PROBES_H
#define BLKREEL_COLLECTOR_COUNTERS_COUNTING_PROBES_H

#include <stdbool.h>

#include "base/loglinear.h"
#include "bpf/tally.h"
#include "collector/options.h"

struct counting_probes;

struct counting_options {
	unsigned int disks; /* disks to follow at once, up to TALLY_DEVICES_MAX */
	bool more;	    /* others can come: room for more than that, as far as it is cheap */
	unsigned int
		cgroups;   /* also count by cgroup, so many cgroups, disks and operations; 0: not */
	bool written_back; /* also count written pages of files */
	bool sizes;	   /* also count IOs by their size */
	bool plain; /* act as on a kernel whose atomic additions return nothing (before 5.12) */
	bool from_issue; /* act as on a kernel without block_io_start (before 6.5) */
};

/* How busy time and depth are measured on this kernel. */
enum counting_quality {
	COUNTING_EXACT,		     /* from creation to completion, every change counted once */
	COUNTING_FROM_ISSUE,	     /* the same, but from issue to completion */
	COUNTING_FROM_ISSUE_BOUNDED, /* and two CPUs at the same moment can disturb each other */
};

struct counting_op_figures {
	uint64_t ios, bytes;
	uint64_t total_ns, timed_ios; /* creation to completion, the sum over timed_ios requests */
	/* Issue to completion, the sum over device_ios requests, whose issue time the kernel noted. */
	uint64_t device_ns, device_ios;
	uint64_t written_back_pages; /* in pages of the kernel */
	uint64_t total[TALLY_TIME_BUCKETS], device[TALLY_TIME_BUCKETS], size[TALLY_SIZE_BUCKETS];
};

/* The figures of one disk since its last read. */
struct counting_figures {
	uint64_t time_ns, interval_ns; /* end (CLOCK_MONOTONIC) and length of the interval */
	uint64_t busy_ns;	       /* time with at least one request in flight */
	uint64_t depth_ns;	       /* requests in flight, integrated over the interval */
	uint32_t in_flight, depth_max;
	uint64_t passthrough_ios;
	uint64_t drift; /* requests whose start or end the kernel did not report */
	struct counting_op_figures op[TALLY_OP_COUNT];
};

extern const struct loglinear counting_time_scale; /* ns */
extern const struct loglinear counting_size_scale; /* bytes */

/* Loads and attaches the probes, which count nothing before counting_probes__follow(). On error
 * `message` holds a sentence. 0; -EPERM: privileges are missing; other negative errno. */
int counting_probes__create(const struct counting_options *options, struct counting_probes **probes,
			    char message[COLLECTOR_MESSAGE_MAX]);
void counting_probes__free(struct counting_probes *t); /* NULL is allowed */
/* How busy time and depth are measured. */
enum counting_quality counting_probes__quality(const struct counting_probes *t);

/* Counts a disk from now on. Returns its slot (0 and above), or -ENOSPC: the maximum is followed
 * already, until another is not any more. */
int counting_probes__follow(struct counting_probes *t, uint32_t major, uint32_t minor);
/* Stops counting; the slot can be used again. */
void counting_probes__unfollow(struct counting_probes *t, int slot);

/* Reads the changes since the last call or counting_probes__follow(). Call it at least every 4 s:
 * the integral of a queue of 65,535 over that time just fits. 0 or negative errno. */
int counting_probes__read(struct counting_probes *t, int slot, struct counting_figures *figures);

/* Whether the counts of `probes` can be read: 0 or negative errno. For privileges__drop(). */
int counting_probes__is_readable(void *probes);

/* The table of counts by cgroup, from struct tally_cgroup_key to an array of struct tally_cgroup,
 * whose sums are the counts; belongs to `t`. */
int counting_probes__cgroup_map(const struct counting_probes *t);
unsigned int counting_probes__cgroup_shards(const struct counting_probes *t); /* in the array */
/* The fronts of that table, and their arrays; belong to `t`. Only with counts by cgroup. */
struct tally_front *counting_probes__fronts(const struct counting_probes *t);
struct tally_cgroup *counting_probes__front_sums(const struct counting_probes *t);
/* Changes when the table has new keys. */
uint32_t counting_probes__cgroups_added(const struct counting_probes *t);

/* Calls that the kernel skipped since the start: the number of events missing from the figures. *ends
 * receives those at the end of a request, of any disk. */
uint64_t counting_probes__lost(const struct counting_probes *t, uint64_t *ends);

#endif
