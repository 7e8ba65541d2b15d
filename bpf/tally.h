/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the counting probes (tally.bpf.c) and the collector share. Private to one build, as event.h.
 *
 * Latency buckets are log-linear: a latency is cut to TALLY_TIME_UNIT_NS, and each power of two of that
 * has 1 << TALLY_TIME_STEP_BITS steps; what is longer than the last bucket is in the last. Sizes
 * the same, in sectors of 512 bytes.
 */
#ifndef BLKREEL_BPF_TALLY_H
#define BLKREEL_BPF_TALLY_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define TALLY_DEVICES_MAX 256 /* a power of two */

#define TALLY_TIME_UNIT_BITS 8 /* 256 ns */
#define TALLY_TIME_STEP_BITS 3
#define TALLY_TIME_BUCKETS   240 /* up to 2^32 units: 18 minutes */
#define TALLY_SIZE_STEP_BITS 2
#define TALLY_SIZE_BUCKETS   64 /* up to 2^17 sectors: 64 MiB */

enum tally_op { /* as the kernel groups its own statistics, and as enum tick_op of the trace */
	TALLY_READ = 0,
	TALLY_WRITE,
	TALLY_DISCARD,
	TALLY_FLUSH,
	TALLY_OP_COUNT,
};

/* The low bits of `flow`: requests in flight. */
#define TALLY_COUNT_BITS 16
#define TALLY_COUNT_MASK ((1ull << TALLY_COUNT_BITS) - 1)

/*
 * One disk, shared by all CPUs; times are ns since config.base_ns. All that it holds changes with almost every
 * IO: what is only read would have to be fetched from the other CPU each time, and is in its place.
 *
 * `flow` is two sums in one word, so that one addition keeps both and one load reads both: below the
 * number of requests in flight, above it the sum of the times at which requests ended less those
 * at which they started (modulo 2^48 ns). At a moment T, the integral of the number in flight
 * over time is that sum plus T times the number.
 *
 * `busy_ns`, where additions tell what was there before: the sum of the times at which the number
 * fell to 0 less those at which it rose from 0. Negative while the disk is busy: T is then to be
 * added. The order in which CPUs add does not matter. Where additions tell nothing (before 5.12)
 * it is the length of the busy periods that have ended, and busy_since_ns is not 0 in one.
 */
struct tally_device {
	__u64 flow;
	__s64 busy_ns;
	__u64 busy_since_ns;
	__u64 passthrough_ios;
	__u32 depth_max;
	__u32 padding[23]; /* two lines: CPUs fetch them in pairs */
} __attribute__((aligned(128)));

/*
 * Where a disk is found by its number (major << 20 | minor): at TALLY_PLACE(number) or a few places
 * further. A place whose number is 0 is free: no disk has that number. Times are CLOCK_MONOTONIC.
 *
 * A request is in flight for us when its start was counted. At its end that is told by the start that the kernel
 * noted, or for what started before since_ns by the table `starts`. Since the kernel's time can be earlier than
 * the start (read once for a whole plug, taken over from a request that was merged) starts are
 * remembered for a while.
 */
struct tally_place {
	__u32 number;
	__u32 slot;
	__u64 followed_ns; /* the disk was found here no earlier */
	__u64 since_ns;	   /* a start that the kernel noted at this time or later was counted */
	__u64 remember_until_ns; /* starts are put into the table; TALLY_ALWAYS: nothing else tells */
} __attribute__((aligned(32)));

#define TALLY_ALWAYS (~0ull)

#define TALLY_PLACES	    1024 /* a power of two */
#define TALLY_PLACES_TRIED  4
#define TALLY_PLACE(number) (((number) ^ (number) >> 15) & (TALLY_PLACES - 1))

/* One disk and operation on one CPU. Buckets wrap: only differences mean something. */
struct tally_stat {
	__u64 ios;
	__u64 bytes;
	__u64 total_ns; /* sum over timed_ios: from start_time_ns to the end */
	__u64 timed_ios;
	__u64 device_ns; /* sum over device_ios: from io_start_time_ns to the end */
	__u64 device_ios;
	__u64 written_back_pages; /* of the kernel: data was page cache of a file */
	__u32 total[TALLY_TIME_BUCKETS];
	__u32 device[TALLY_TIME_BUCKETS];
	__u32 size[TALLY_SIZE_BUCKETS];
};

/* Set by the collector before load. */
struct tally_config {
	__u64 base_ns;		   /* CLOCK_MONOTONIC, before anything is attached */
	__u8 arguments_have_queue; /* block_rq_issue(q, rq) rather than (rq) */
	__u8 from_issue;	   /* no block_io_start: in flight is what the driver holds */
	__u8 written_back;	   /* count writes of page-cache pages */
	__u8 page_shift;
	__u32 flush_sequence_mask; /* of request.rq_flags */
	__u32 accounted_mask;	   /* the same: the kernel accounts it (queue/iostats) */
	__u32 padding;
};

_Static_assert(sizeof(struct tally_device) == 128, "disks share no cache line");
_Static_assert(sizeof(struct tally_place) == 32, "a place is in one cache line");
_Static_assert(sizeof(struct tally_stat) == 56 + 4 * (2 * TALLY_TIME_BUCKETS + TALLY_SIZE_BUCKETS),
	       "tally_stat is an ABI");

#endif
