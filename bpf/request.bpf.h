/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The state of a request from its creation to its end. A request belongs to a tag of a hardware
 * queue for all its life, so its state has a slot of its own and needs no hash insert. A request
 * without a slot, or whose slot is taken, goes to a hash table.
 */
#ifndef BLKREEL_BPF_REQUEST_BPF_H
#define BLKREEL_BPF_REQUEST_BPF_H

#include "compat.bpf.h"
#include "maps.bpf.h"

/* With an IO scheduler a request is allocated by the scheduler's tag, and gets the driver's tag
 * later. */
static __always_inline struct request_state *request_slot(struct request *rq,
							  const struct device_state *device)
{
	__u32 tag = rq->internal_tag;
	__u32 index;

	if ((__s32)tag < 0)
		tag = rq->tag;
	if (tag >= device->queue_slots)
		return NULL;
	index = device->first_slot + rq->mq_hctx->queue_num * device->queue_slots + tag;
	if (index >= device->end_slot)
		return NULL;
	return bpf_map_lookup_elem(&request_slots, &index);
}

static __always_inline struct request_state *other_request(struct request *rq)
{
	__u64 key = (__u64)rq;

	if (!other_request_count)
		return NULL;
	return bpf_map_lookup_elem(&other_requests, &key);
}

/* The slot of the request; NULL: it has none. */
static __always_inline struct request_state *slot_of(struct request *rq,
						     const struct device_state *device)
{
	return config.lean ? NULL : request_slot(rq, device);
}

static __always_inline struct request_state *request_in(struct request_state *slot,
							struct request *rq)
{
	if (slot && slot->key == (__u64)rq)
		return slot;
	return other_request(rq);
}

static __always_inline struct request_state *find_request(struct request *rq,
							  const struct device_state *device)
{
	return request_in(slot_of(rq, device), rq);
}

static __noinline struct request_state *remember_other(__u64 key, __u16 flags)
{
	struct request_state fresh = {.key = key, .flags = flags | IO_EVENT_OVERFLOW};

	if (bpf_map_update_elem(&other_requests, &key, &fresh, BPF_NOEXIST)) {
		__sync_fetch_and_add(&losses.io_state, 1);
		return NULL;
	}
	__sync_fetch_and_add(&other_request_count, 1);
	return bpf_map_lookup_elem(&other_requests, &key);
}

/* A new state for a request; NULL when the table is full (then counted). */
static __always_inline struct request_state *
remember_request(struct request *rq, struct request_state *slot, __u16 flags)
{
	/* The check stays beside the use: the verifier does not follow a result that was kept. */
	asm volatile("" : "+r"(slot));
	if (!slot || slot->key)
		return remember_other((__u64)rq, flags);
	slot->key = (__u64)rq;
	slot->issued_ns = 0;
	slot->issue_number = 0;
	slot->flags = flags;
	return slot;
}

static __always_inline void forget_request(struct request *rq, struct request_state *state)
{
	__u64 key = (__u64)rq;

	if (!(state->flags & IO_EVENT_OVERFLOW)) {
		state->key = 0;
		return;
	}
	bpf_map_delete_elem(&other_requests, &key);
	__sync_fetch_and_add(&other_request_count, -1);
}

#endif
