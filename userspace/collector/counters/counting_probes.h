/* SPDX-License-Identifier: MIT */
/*
 * The counting probes (bpf/tally.bpf.c): per disk and operation counts and histograms, busy time and
 * depth, kept in the kernel and read when wanted. No record per IO.
 */
#ifndef BLKREEL_COLLECTOR_COUNTERS_COUNTING_PROBES_H
#define BLKREEL_COLLECTOR_COUNTERS_COUNTING_PROBES_H

#include <stdbool.h>

#include "base/loglinear.h"
#include "bpf/tally.h"
#include "collector/options.h"

struct counting_probes;

struct counting_options {
	unsigned int disks; /* that may be followed at once, up to TALLY_DEVICES_MAX */
	bool written_back;  /* count written pages of files too */
	bool plain;	    /* as on a kernel whose atomic additions tell nothing (before 5.12) */
	bool from_issue;    /* as on a kernel without block_io_start (before 6.5) */
};

/* How busy time and depth are got on this kernel. */
enum counting_quality {
	COUNTING_EXACT,	     /* from creation to completion, every rise and fall counted once */
	COUNTING_FROM_ISSUE, /* the same, but from the moment that the driver is given the request */
	COUNTING_FROM_ISSUE_BOUNDED, /* and two CPUs at the same moment can disturb each other */
};

struct counting_op_figures {
	uint64_t ios, bytes;
	uint64_t total_ns, timed_ios; /* creation to completion, summed over so many */
	uint64_t device_ns,
		device_ios; /* issue to completion, of those of which the kernel noted it */
	uint64_t written_back_pages; /* of the kernel */
	uint64_t total[TALLY_TIME_BUCKETS], device[TALLY_TIME_BUCKETS], size[TALLY_SIZE_BUCKETS];
};

/* What one disk did since it was read last. */
struct counting_figures {
	uint64_t time_ns, interval_ns; /* CLOCK_MONOTONIC; the end and the length */
	uint64_t busy_ns;	       /* at least one request in flight */
	uint64_t depth_ns;	       /* requests in flight, integrated over the interval */
	uint32_t in_flight, depth_max;
	uint64_t passthrough_ios;
	uint64_t drift; /* requests of which the kernel did not report the start or the end */
	struct counting_op_figures op[TALLY_OP_COUNT];
};

extern const struct loglinear counting_time_scale; /* ns */
extern const struct loglinear counting_size_scale; /* bytes */

/* Loads and attaches; nothing is counted before counting_probes__follow(). On error `message` is a sentence. 0;
 * -EPERM: privileges are missing; other negative errno. */
int counting_probes__create(const struct counting_options *options, struct counting_probes **probes,
			    char message[COLLECTOR_MESSAGE_MAX]);
void counting_probes__free(struct counting_probes *t);
enum counting_quality counting_probes__quality(const struct counting_probes *t);

/* Counts a disk from now on. Its slot (0 and above), or -ENOSPC: as many as can be are followed. */
int counting_probes__follow(struct counting_probes *t, uint32_t major, uint32_t minor);
void counting_probes__unfollow(struct counting_probes *t, int slot);

/* What changed since the last call or counting_probes__follow(). 0 or negative errno. To be called every 4 s
 * or more often: of a queue of 65,535 the integral of that time is what fits. */
int counting_probes__read(struct counting_probes *t, int slot, struct counting_figures *figures);

/* Can the counts of `probes` be read? 0 or negative errno; for privileges__drop(). */
int counting_probes__is_readable(void *probes);

/* Calls that the kernel skipped since the beginning: as many events are missing from the figures. */
uint64_t counting_probes__lost(const struct counting_probes *t);

#endif
