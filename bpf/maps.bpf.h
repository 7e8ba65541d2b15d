/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Maps and variables that the programs share with each other and with the collector. Weak: every
 * object that includes this defines the same, and the linker keeps one. */
#ifndef BLKREEL_BPF_MAPS_BPF_H
#define BLKREEL_BPF_MAPS_BPF_H

#include <bpf/bpf_helpers.h>

#include "event.h"

#define REQUESTS_MAX  65536
#define DEVICES_MAX   4096
#define FILES_MAX     65536
#define RINGS_MAX     256
#define PROCESSES_MAX 65536
#define CGROUPS_MAX   4096

const volatile struct probe_config config __weak = {};
struct probe_losses losses __weak = {};
/* Set while recording: the probes are attached before and detached after, so that no request is
 * seen by some of them only. */
__u32 recording __weak = 0;
/* Events that a copy handled in place of the first program of its tracepoint, whose call the kernel
 * had skipped. */
__u64 done_again __weak = 0;
/* Entries in the table of other requests, which is searched only when there are any. */
__u64 other_request_count __weak = 0;

/* The ring of a CPU; the collector creates the inner maps. */
struct ring_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, RINGS_MAX);
	__type(key, __u32);
	__array(values, struct ring_map);
} rings __weak SEC(".maps");

/*
 * The records of requests, for each CPU in memory that the collector maps: reserving and submitting
 * in a ring buffer, with its lock, takes as long as filling the record. The collector sets the
 * sizes.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cpu_ring);
} cpu_rings __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct io_event);
} cpu_events __weak SEC(".maps");

/* Requests between creation and completion, each in the slot of its device, hardware queue and tag:
 * no two live requests share one. The collector sets the size. Mapped memory begins at a page, so
 * that a slot covers two cache lines and not three. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct request_state);
} request_slots __weak SEC(".maps");

/* Requests without a slot, or whose slot is taken: those of the flush machinery, of devices that
 * appeared later, of queues that have grown. Keyed by their address. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, REQUESTS_MAX);
	__type(key, __u64);
	__type(value, struct request_state);
} other_requests __weak SEC(".maps");

/* The watched disks known at the start, in an open hash: an entry is at one of the DEVICE_PROBES
 * places from device * DEVICE_MULTIPLIER >> device_shift on. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct device_state);
} devices __weak SEC(".maps");

/* Disks that appeared later, when every disk is watched. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DEVICES_MAX);
	__type(key, __u32);
	__type(value, struct device_state);
} other_devices __weak SEC(".maps");

/* With listed devices: the disks and partitions that are meant, by their own numbers, and those above
 * them (enum listed_device). */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DEVICES_MAX);
	__type(key, __u32);
	__type(value, __u8);
} listed_devices __weak SEC(".maps");

struct file_key {
	__u64 inode;
	__u32 device;
	__u32 padding;
};

/* The name of a file as last sent. The name is sent again when one of these fields has changed. */
struct named_file {
	__u64 parent;	    /* address of the parent directory's dentry */
	__u64 hash_len;	    /* of the last component */
	__u64 path_hash;    /* of all components */
	__u64 path_jiffies; /* when all components were read */
	__u32 generation;   /* differs when the inode is another file */
	__u32 version;	    /* number of names sent before, modulo 256 */
};

/* Files whose name was already sent. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, FILES_MAX);
	__type(key, struct file_key);
	__type(value, struct named_file);
} named_files __weak SEC(".maps");

static __always_inline void *current_ring(void)
{
	__u32 index = bpf_get_smp_processor_id() & config.ring_mask;

	return bpf_map_lookup_elem(&rings, &index);
}

/* A wakeup for every record would cost more than the record: the collector polls every few
 * milliseconds and is woken only when a ring fills faster than that. Reading the fill level costs
 * something as well, so it is done for one record in WAKEUP_SAMPLE. */
#define WAKEUP_SAMPLE 32

static __always_inline __u64 wakeup_flags(void *ring, __u64 now_ns)
{
	if (now_ns % WAKEUP_SAMPLE ||
	    bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) < config.wakeup_bytes)
		return BPF_RB_NO_WAKEUP;
	return BPF_RB_FORCE_WAKEUP;
}

#endif
