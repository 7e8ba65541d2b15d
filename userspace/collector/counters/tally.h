/* SPDX-License-Identifier: MIT */
/*
 * The counting probes (bpf/tally.bpf.c): per disk and operation counts and histograms, busy time and
 * depth, kept in the kernel and read when wanted. No record per IO.
 */
#ifndef BLKREEL_COLLECTOR_COUNTERS_TALLY_H
#define BLKREEL_COLLECTOR_COUNTERS_TALLY_H

#include <stdbool.h>

#include "base/loglinear.h"
#include "bpf/tally.h"
#include "collector/options.h"

struct tally;

struct tally_options {
	unsigned int disks; /* that may be followed at once, up to TALLY_DEVICES_MAX */
	bool written_back;  /* count written pages of files too */
	bool plain;	    /* as on a kernel whose atomic additions tell nothing (before 5.12) */
	bool from_issue;    /* as on a kernel without block_io_start (before 6.5) */
};

/* How busy time and depth are got on this kernel. */
enum tally_quality {
	TALLY_EXACT,	  /* from creation to completion, every rise and fall counted once */
	TALLY_FROM_ISSUE, /* the same, but from the moment that the driver is given the request */
	TALLY_FROM_ISSUE_BOUNDED, /* and two CPUs at the same moment can disturb each other */
};

struct tally_op_figures {
	uint64_t ios, bytes;
	uint64_t total_ns, timed_ios; /* creation to completion, summed over so many */
	uint64_t device_ns,
		device_ios; /* issue to completion, of those of which the kernel noted it */
	uint64_t written_back_pages; /* of the kernel */
	uint64_t total[TALLY_TIME_BUCKETS], device[TALLY_TIME_BUCKETS], size[TALLY_SIZE_BUCKETS];
};

/* What one disk did since it was read last. */
struct tally_figures {
	uint64_t time_ns, interval_ns; /* CLOCK_MONOTONIC; the end and the length */
	uint64_t busy_ns;	       /* at least one request in flight */
	uint64_t depth_ns;	       /* requests in flight, integrated over the interval */
	uint32_t in_flight, depth_max;
	uint64_t passthrough_ios;
	uint64_t drift; /* requests of which the kernel did not report the start or the end */
	struct tally_op_figures op[TALLY_OP_COUNT];
};

extern const struct loglinear tally_time_scale; /* ns */
extern const struct loglinear tally_size_scale; /* bytes */

/* Loads and attaches; nothing is counted before tally__follow(). On error `message` is a sentence. 0;
 * -EPERM: privileges are missing; other negative errno. */
int tally__create(const struct tally_options *options, struct tally **tally,
		  char message[COLLECTOR_MESSAGE_MAX]);
void tally__free(struct tally *t);
enum tally_quality tally__quality(const struct tally *t);

/* Counts a disk from now on. Its slot (0 and above), or -ENOSPC: as many as can be are followed. */
int tally__follow(struct tally *t, uint32_t major, uint32_t minor);
void tally__unfollow(struct tally *t, int slot);

/* What changed since the last call or tally__follow(). 0 or negative errno. To be called every 4 s
 * or more often: of a queue of 65,535 the integral of that time is what fits. */
int tally__read(struct tally *t, int slot, struct tally_figures *figures);

/* Can the counts of `tally` be read? 0 or negative errno; for privileges__drop(). */
int tally__is_readable(void *tally);

/* Calls that the kernel skipped since the beginning: as many events are missing from the figures. */
uint64_t tally__lost(const struct tally *t);

#endif
