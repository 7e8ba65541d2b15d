/* SPDX-License-Identifier: MIT */
/* What the parts of the counting probes share. */
#ifndef BLKREEL_COLLECTOR_COUNTERS_COUNTING_INTERNAL_H
#define BLKREEL_COLLECTOR_COUNTERS_COUNTING_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "bpf/tally.h"
#include "tally.skel.h"

/* The shared words of one disk, read at one time. */
struct counting_moment {
	uint64_t time_ns; /* ns since base_ns */
	uint64_t flow;
	uint64_t busy_ns;
	uint64_t depth_ns; /* modulo 2^48 */
};

struct counting_slot {
	bool used;
	uint32_t major, minor;
	struct counting_moment last;
	int stat_fd;	   /* its counters in sysfs; -1: none */
	uint64_t quiet_ns; /* time without a start or an end */
	bool moved;	   /* starts or ends before the last read: it may have come too early */
	uint64_t passthrough_ios;
	struct tally_stat stats[TALLY_OP_COUNT]; /* as last read, summed over the CPUs */
};

struct counting_probes {
	struct tally_bpf *skeleton;
	struct tally_stat *per_cpu;
	unsigned int cpus, slot_count;
	unsigned int shards;		 /* of the sums of a cgroup */
	struct tally_cgroup *front_sums; /* mapped; NULL: no counts by cgroup */
	uint64_t base_ns;
	bool plain, from_issue;
	bool table_used; /* starts are remembered, or were at the last check */
	bool comparable; /* the kernel's number in flight, too, counts from creation to completion */
	struct counting_slot *slots;
};

static inline uint64_t counting_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* How many disks to make room for when `disks` are there and others can come. */
unsigned int counting_room(unsigned int disks, unsigned int cpus);

/* The words of a slot that the probes write. */
static inline struct tally_device *counting_device(const struct counting_probes *t, int slot)
{
	return &t->skeleton->bss->tally_devices[slot];
}

/* NULL: the disk of the slot has no place. */
struct tally_place *counting_place(const struct counting_probes *t, int slot);

/* Adds up the counts of all CPUs, at slot * TALLY_OP_COUNT + operation. Buckets wrap, and so may
 * their sum. 0 or negative errno. */
int counting_read_stat(struct counting_probes *t, uint32_t at, struct tally_stat *sum);

/* The words are consistent when no request started or ended while they were read. */
void counting_read_moment(const struct counting_probes *t, const struct tally_device *device,
			  struct counting_moment *moment);

#endif
