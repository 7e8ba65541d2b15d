/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The memory that the counting probes (tally.bpf.c) share with the collector. Private to one build,
 * like event.h.
 *
 * Latency buckets are log-linear: a latency is truncated to 1 << TALLY_TIME_UNIT_BITS ns, and each
 * power of two of that unit has 1 << TALLY_TIME_STEP_BITS buckets. The last bucket also has
 * everything longer. Sizes are the same, in sectors of 512 bytes.
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
 * One disk, shared by all CPUs; times are ns since config.base_ns. Every field changes with almost
 * every IO. Fields that are only read are in struct tally_place: here they would have to be fetched
 * from the other CPU each time.
 *
 * `flow` holds two sums in one word, so that one addition updates both and one load reads both: in
 * the low bits the number of requests in flight, above it the sum of end times less the sum of
 * start times (modulo 2^48 ns). At a time T, the integral of the number in flight over time is that
 * sum plus T times the number.
 *
 * `busy_ns`, where additions return the old value: the sum of the times at which the number fell to
 * 0 less those at which it rose from 0. While the disk is busy it is negative, and T must be added.
 * The order in which CPUs add does not matter. Where additions return nothing (before Linux 5.12)
 * it is the length of the finished busy periods, and busy_since_ns is not 0 in a busy period.
 */
struct tally_device {
	__u64 flow;
	__s64 busy_ns;
	__u64 busy_since_ns;
	__u64 passthrough_ios;
	__u32 depth_max;
	__u32 padding[23]; /* two cache lines: CPUs fetch them in pairs */
} __attribute__((aligned(128)));

/*
 * The place of a disk, found by its number (major << 20 | minor): at TALLY_PLACE(number) or a few
 * places further. A place with number 0 is free: no disk has that number. Times are CLOCK_MONOTONIC.
 *
 * A request counts as in flight when its start was counted. At its end the kernel's start time tells
 * that, or, for a start before since_ns, the table `starts`. The kernel's time can be earlier than
 * the start (read once for a whole plug, or taken over from a merged request), so starts are
 * remembered for a while.
 */
struct tally_place {
	__u32 number;
	__u32 slot;
	__u64 followed_ns; /* the disk was not here earlier */
	__u64 since_ns;	   /* starts that the kernel noted at this time or later were counted */
	/* Until then starts are put into the table; TALLY_ALWAYS: the kernel notes no start times. */
	__u64 remember_until_ns;
} __attribute__((aligned(32)));

#define TALLY_ALWAYS (~0ull)

#define TALLY_PLACES	    1024 /* a power of two */
#define TALLY_PLACES_TRIED  4
#define TALLY_PLACE(number) (((number) ^ (number) >> 15) & (TALLY_PLACES - 1))

/* One disk and operation on one CPU. Buckets wrap: only differences are meaningful. */
struct tally_stat {
	__u64 ios;
	__u64 bytes;
	__u64 total_ns; /* sum over timed_ios: from start_time_ns to the end */
	__u64 timed_ios;
	__u64 device_ns; /* sum over device_ios: from io_start_time_ns to the end */
	__u64 device_ios;
	__u64 written_back_pages; /* the kernel's pages, written from the page cache of a file */
	__u32 total[TALLY_TIME_BUCKETS];
	__u32 device[TALLY_TIME_BUCKETS];
	__u32 size[TALLY_SIZE_BUCKETS];
};

/* One cgroup, disk and operation. */
struct tally_cgroup_key {
	__u64 cgroup; /* kernfs id in the hierarchy of the io controller; TALLY_OTHER: see below */
	__u32 number; /* of the disk, as in struct tally_place */
	__u32 op;
};

/* Requests of no known cgroup, and of cgroups for which there was no room. */
#define TALLY_OTHER 0ull

/* Bucket i has times below 1 << (TALLY_CGROUP_UNIT_BITS + i) ns, the last one everything longer. */
#define TALLY_CGROUP_UNIT_BITS 13 /* 8.192 us */
#define TALLY_CGROUP_BUCKETS   21 /* up to 4.3 s, and longer */

/* The same bucket, of a time's bucket in struct tally_stat. */
#define TALLY_CGROUP_BUCKET(bucket)                         \
	TALLY_CGROUP_AT(((bucket) >> TALLY_TIME_STEP_BITS), \
			TALLY_CGROUP_UNIT_BITS - TALLY_TIME_UNIT_BITS - TALLY_TIME_STEP_BITS)
#define TALLY_CGROUP_AT(power, first)                                   \
	((power) <= (first)			    ? 0                 \
	 : (power) - (first) < TALLY_CGROUP_BUCKETS ? (power) - (first) \
						    : TALLY_CGROUP_BUCKETS - 1)

#define TALLY_SHARDS_MAX 8

/*
 * A table value has one of these (a shard) for each CPU, up to TALLY_SHARDS_MAX, a power of two. The
 * sums of the cgroup are those of all its shards.
 */
struct tally_cgroup {
	__u64 ios;
	__u64 bytes;
	__u64 written_back_pages;
	__u64 queue_ns;	 /* sum: from start_time_ns to io_start_time_ns */
	__u64 device_ns; /* sum: from io_start_time_ns to the end */
	__u64 no_room;	 /* of TALLY_OTHER: requests that should have had an entry of their own */
	__u64 queue[TALLY_CGROUP_BUCKETS];
	__u64 device[TALLY_CGROUP_BUCKETS];
};

/*
 * A front: the sums of one key outside the table of all keys, found with fewer cache lines. The
 * collector gives a key a front while its set has a free one; the sums of a key are those of the
 * table and of its front together. A set of TALLY_FRONT_WAYS fronts is in one cache line.
 */
struct tally_front {
	__u64 cgroup;
	__u64 disk_op; /* TALLY_DISK_OP(); 0: free, written last */
};

#define TALLY_FRONTS	 1024 /* a power of two */
#define TALLY_FRONT_WAYS 4
#define TALLY_FRONT_BITS 8 /* of the number of sets */

#define TALLY_DISK_OP(number, op) ((__u64)(number) << 32 | (op))
/* The first front of the set of a key: multiplicative hashing. */
#define TALLY_FRONT_SET(cgroup, disk_op)                                                   \
	((__u32)((((cgroup) ^ (disk_op)*0xd6e8feb86659fd93ull) * 0x9e3779b97f4a7c15ull) >> \
		 (64 - TALLY_FRONT_BITS)) *                                                \
	 TALLY_FRONT_WAYS)

/* Set by the collector before load. */
struct tally_config {
	__u64 base_ns;		   /* CLOCK_MONOTONIC, before anything is attached */
	__u8 arguments_have_queue; /* block_rq_issue(q, rq) rather than (rq) */
	__u8 from_issue;	   /* no block_io_start: in flight means issued to the driver */
	__u8 written_back;	   /* count writes of page-cache pages */
	__u8 page_shift;
	__u32 flush_sequence_mask; /* of request.rq_flags */
	__u32 accounted_mask; /* of request.rq_flags: accounted by the kernel (queue/iostats) */
	__u32 last_shard;     /* number of shards, a power of two, less 1 */
	__u8 cgroups;	      /* count by cgroup, too */
	__u8 atomic_shards; /* several CPUs add to a shard, or programs that interrupt each other */
	__u8 sizes;	    /* count IOs by their size, too */
};

_Static_assert(sizeof(struct tally_device) == 128, "disks share no cache line");
_Static_assert(sizeof(struct tally_place) == 32, "a place is in one cache line");
_Static_assert(sizeof(struct tally_cgroup_key) == 16, "a map key without holes");
_Static_assert(sizeof(struct tally_cgroup) == 48 + 16 * TALLY_CGROUP_BUCKETS,
	       "tally_cgroup is an ABI");
_Static_assert(sizeof(struct tally_front) * TALLY_FRONT_WAYS == 64, "a set is in one cache line");
_Static_assert(TALLY_FRONTS == TALLY_FRONT_WAYS << TALLY_FRONT_BITS, "every front is in a set");
_Static_assert(sizeof(struct tally_stat) == 56 + 4 * (2 * TALLY_TIME_BUCKETS + TALLY_SIZE_BUCKETS),
	       "tally_stat is an ABI");

#endif
