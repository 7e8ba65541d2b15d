/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Chooses where the record of a request is written. In memory that the collector maps there is one
 * writer per CPU at a time: a probe that interrupts another one finds the memory busy and takes the
 * ring buffer, and ends before the other continues. This needs probes that are not preempted, or
 * two could alternate, and a processor that keeps the order of stores. The collector checks both.
 */
#ifndef BLKREEL_BPF_RECORDS_BPF_H
#define BLKREEL_BPF_RECORDS_BPF_H

#include "maps.bpf.h"

#define IN_THIS_ORDER() asm volatile("" ::: "memory")

/* The ring of this CPU, owned by the caller until leave_cpu_ring(); NULL: there is none, or it is
 * busy. */
static __always_inline struct cpu_ring *enter_cpu_ring(__u32 cpu)
{
	struct cpu_ring *ring;

	if (!config.cpu_events)
		return NULL;
	ring = bpf_map_lookup_elem(&cpu_rings, &cpu);
	if (!ring || *(volatile __u64 *)&ring->busy)
		return NULL;
	*(volatile __u64 *)&ring->busy = 1;
	IN_THIS_ORDER();
	return ring;
}

static __always_inline void leave_cpu_ring(struct cpu_ring *ring)
{
	IN_THIS_ORDER();
	*(volatile __u64 *)&ring->busy = 0;
}

/* NULL: full. */
static __always_inline struct io_event *next_cpu_event(struct cpu_ring *ring, __u32 cpu)
{
	__u64 produced = *(volatile __u64 *)&ring->produced;
	__u32 index = cpu * config.cpu_events + ((__u32)produced & (config.cpu_events - 1));

	if (produced - *(volatile __u64 *)&ring->consumed >= config.cpu_events)
		return NULL;
	return bpf_map_lookup_elem(&cpu_events, &index);
}

static __noinline int wake_collector(void)
{
	void *ring = current_ring();
	__u64 note = EVENT_WAKE;

	if (ring)
		bpf_ringbuf_output(ring, &note, sizeof(note), BPF_RB_FORCE_WAKEUP);
	return 0;
}

static __always_inline void publish_cpu_event(struct cpu_ring *ring)
{
	__u64 produced = ring->produced + 1;

	IN_THIS_ORDER();
	*(volatile __u64 *)&ring->produced = produced;
	if (!(produced % WAKEUP_SAMPLE) && produced - ring->consumed >= config.cpu_events / 4)
		wake_collector();
}

/* The location of a record until it is sent. */
struct record_place {
	struct cpu_ring *cpu_ring; /* NULL: in the ring buffer */
	void *ring;
};

/* NULL when the ring is full (then counted); otherwise send_record() must follow. */
static __always_inline struct io_event *new_record(struct record_place *place)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct io_event *event = NULL;

	place->ring = NULL;
	place->cpu_ring = enter_cpu_ring(cpu);
	if (place->cpu_ring) {
		event = next_cpu_event(place->cpu_ring, cpu);
		if (!event)
			leave_cpu_ring(place->cpu_ring);
	} else {
		place->ring = current_ring();
		if (place->ring)
			event = bpf_ringbuf_reserve(place->ring, sizeof(*event), 0);
	}
	if (!event) {
		__sync_fetch_and_add(&losses.io_ring, 1);
		return NULL;
	}
	event->type = EVENT_IO;
	event->number = 0;
	return event;
}

/* `now_ns`: 0 when not known. */
static __always_inline void send_record(struct io_event *event, const struct record_place *place,
					__u64 now_ns)
{
	if (place->cpu_ring) {
		publish_cpu_event(place->cpu_ring);
		leave_cpu_ring(place->cpu_ring);
	} else {
		bpf_ringbuf_submit(event,
				   now_ns ? wakeup_flags(place->ring, now_ns) : BPF_RB_NO_WAKEUP);
	}
}

#endif
