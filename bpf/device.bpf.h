/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The watched disks, and the state of each. */
#ifndef BLKREEL_BPF_DEVICE_BPF_H
#define BLKREEL_BPF_DEVICE_BPF_H

#include "compat.bpf.h"
#include "maps.bpf.h"

static __always_inline __u32 request_device(struct request *rq)
{
	struct gendisk *disk = request_disk(rq);

	if (!disk)
		return 0;
	return (__u32)disk->major << 20 | (__u32)disk->first_minor;
}

static __noinline struct device_state *other_device(__u32 device)
{
	struct device_state *state = bpf_map_lookup_elem(&other_devices, &device);
	struct device_state fresh = {.device = device, .end_sector = ~0ull};

	if (state || config.devices_listed)
		return state;
	bpf_map_update_elem(&other_devices, &device, &fresh, BPF_NOEXIST);
	state = bpf_map_lookup_elem(&other_devices, &device);
	if (!state)
		__sync_fetch_and_add(&losses.io_state, 1);
	return state;
}

/* NULL: not watched. */
static __always_inline struct device_state *find_device(__u32 device)
{
	__u32 first = device * DEVICE_MULTIPLIER >> config.device_shift;

	if (!device)
		return NULL;
	for (int i = 0; i < DEVICE_PROBES; i++) {
		__u32 index = (first + i) & config.device_mask;
		struct device_state *state = bpf_map_lookup_elem(&devices, &index);

		if (!state || !state->device)
			break;
		if (state->device == device)
			return state;
	}
	return config.devices_listed && !config.watch_below ? NULL : other_device(device);
}

static __always_inline bool is_named(__u32 device)
{
	__u8 *kind = bpf_map_lookup_elem(&listed_devices, &device);

	return kind && *kind == LISTED_NAMED;
}

/* A request without data has no place on the disk: it belongs to the partition that its bio was
 * sent to. The kernel's own flush has no bio and concerns all partitions. */
static __always_inline bool empty_request_in_part(struct bio *bio)
{
	__u32 part;

	if (!bio || !bpf_core_field_exists(struct bio, bi_bdev))
		return true;
	part = BPF_CORE_READ(bio, bi_bdev, bd_dev);
	return is_named(part);
}

static __always_inline bool op_wanted(__u32 op)
{
	return !config.ops_listed || (config.ops[op / 64 & 3] >> op % 64 & 1);
}

/* Whether the request is in the watched range and of a watched operation. */
static __always_inline bool watched(const struct device_state *device, struct request *rq)
{
	__u64 sector = rq->__sector;

	if (!op_wanted(rq->cmd_flags & OP_MASK))
		return false;
	if (!device->first_sector && device->end_sector == ~0ull)
		return true;
	if (!rq->__data_len)
		return empty_request_in_part(rq->bio);
	return sector >= device->first_sector && sector < device->end_sector;
}

/* The number of issued requests, this one included. The collector knows what completed in between;
 * a counter that is decremented at completion would travel between the CPUs twice for each request.
 * Before Linux 5.12 the result of an atomic addition is not available: two CPUs at the same moment
 * can get the same number. */
static __always_inline __u64 next_issue_number(struct device_state *device)
{
	/* Read before the addition, or the read would wait for it. */
	__u64 earlier = *(volatile __u64 *)&device->issued;

	__sync_fetch_and_add(&device->issued, 1);
	return earlier + 1;
}

#endif
