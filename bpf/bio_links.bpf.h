/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Finds the bio above: the places of the bios in flight, and the identity of bios that are sent on.
 */
#ifndef BLKREEL_BPF_BIO_LINKS_BPF_H
#define BLKREEL_BPF_BIO_LINKS_BPF_H

#include "bio.h"
#include "compat.bpf.h"
#include "maps.bpf.h"

#define BIOS_MAX     65536
#define BUCKET_SHIFT 11 /* sectors of 1 MiB */
#define SECTOR_SHIFT 9

const volatile struct bio_config bio_config = {};
struct bio_counts bio_counts = {};
/* Bios between queue and completion, by their address. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, BIOS_MAX);
	__type(key, __u64);
	__type(value, struct bio_event);
} bios SEC(".maps");

/* The place of a bio in flight, to find it from the reports of bios sent on. */
struct bio_place {
	__u64 sector; /* in a bucket: the number of the MiB */
	__u32 device;
	__u32 is_bucket;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 2 * BIOS_MAX);
	__type(key, struct bio_place);
	__type(value, __u64);
} bio_places SEC(".maps");

/* The bio that was queued last on a CPU: most drivers send it on at once. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} bio_queued_last SEC(".maps");

/* The bio above a bio, kept in case the device below splits it. */
struct bio_above {
	struct bio_identity identity;
	__u32 device;
	__u32 queued; /* times the bio was queued since; at the second time it is another bio */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, BIOS_MAX);
	__type(key, __u64);
	__type(value, struct bio_above);
} bios_above SEC(".maps");

static __always_inline void forget_place(const struct bio_event *event, __u64 address)
{
	struct bio_place place = {.sector = event->sector, .device = event->device};
	__u64 *found;

	if (!bio_config.links)
		return;
	found = bpf_map_lookup_elem(&bio_places, &place);
	if (found && *found == address)
		bpf_map_delete_elem(&bio_places, &place);
}

static __always_inline void note_last(__u64 address)
{
	__u32 zero = 0;

	if (bio_config.links)
		bpf_map_update_elem(&bio_queued_last, &zero, &address, BPF_ANY);
}

static __always_inline void note_place(const struct bio_event *event, __u64 address)
{
	struct bio_place place = {.sector = event->sector, .device = event->device};
	struct bio_place bucket = {
		.sector = event->sector >> BUCKET_SHIFT, .device = event->device, .is_bucket = 1};

	if (!bio_config.links)
		return;
	bpf_map_update_elem(&bio_places, &place, &address, BPF_ANY);
	bpf_map_update_elem(&bio_places, &bucket, &address, BPF_ANY);
}

/* A bio is queued once in its life; before that a device above may have sent it on. */
static __always_inline void forget_above(__u64 address)
{
	struct bio_above *above;

	if (!bio_config.links)
		return;
	above = bpf_map_lookup_elem(&bios_above, &address);
	if (above && above->queued++)
		bpf_map_delete_elem(&bios_above, &address);
}

static __always_inline void send_link(const struct bio_identity *identity, __u32 device,
				      __u64 sector)
{
	struct bio_link link = {
		.type = RECORD_LINK,
		.device = device,
		.sector = sector,
		.time_ns = bpf_ktime_get_ns(),
		.parent = *identity,
	};
	void *ring = current_ring();

	if (!ring ||
	    bpf_ringbuf_output(ring, &link, sizeof(link), wakeup_flags(ring, link.time_ns)))
		__sync_fetch_and_add(&bio_counts.unlinked, 1);
}

/* A device with requests splits a bio that was sent to it. */
static __always_inline void link_rest(__u64 first, __u64 rest)
{
	struct bio_above *above;

	if (!bio_config.links)
		return;
	above = bpf_map_lookup_elem(&bios_above, &rest);
	if (above)
		send_link(&above->identity, above->device,
			  BPF_CORE_READ((struct bio *)first, bi_iter.bi_sector) +
				  (BPF_CORE_READ((struct bio *)first, bi_iter.bi_size) >>
				   SECTOR_SHIFT));
}

static __always_inline struct bio_event *bio_in_bucket(__u32 disk, __u64 sector, __u64 bucket)
{
	struct bio_place place = {.sector = bucket, .device = disk, .is_bucket = 1};
	__u64 *address = bpf_map_lookup_elem(&bio_places, &place);
	struct bio_event *event;

	if (!address)
		return NULL;
	event = bpf_map_lookup_elem(&bios, address);
	if (!event || event->device != disk || sector < event->sector ||
	    sector - event->sector >= event->bytes >> SECTOR_SHIFT)
		return NULL;
	return event;
}

static __always_inline struct bio_event *bio_of(const __u64 *address, __u32 disk, __u64 sector)
{
	struct bio_event *event = address ? bpf_map_lookup_elem(&bios, address) : NULL;

	return event && event->device == disk && event->sector == sector ? event : NULL;
}

/* The bio in flight that begins at a sector of a disk, or else one that contains the sector. */
static __always_inline struct bio_event *bio_at(__u32 disk, __u64 sector)
{
	struct bio_place place = {.sector = sector, .device = disk};
	struct bio_event *event;
	__u32 zero = 0;

	/* Of several at one address, take the one that this task has just queued. */
	event = bio_of(bpf_map_lookup_elem(&bio_queued_last, &zero), disk, sector);
	if (event && event->pid == (__u32)bpf_get_current_pid_tgid())
		return event;
	event = bio_of(bpf_map_lookup_elem(&bio_places, &place), disk, sector);
	if (event)
		return event;
	event = bio_in_bucket(disk, sector, sector >> BUCKET_SHIFT);
	if (!event && sector >> BUCKET_SHIFT)
		event = bio_in_bucket(disk, sector, (sector >> BUCKET_SHIFT) - 1);
	return event;
}

#endif
