// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The life of a request: created (block_io_start), inserted into a scheduler (block_rq_insert),
 * issued to the driver (block_rq_issue), possibly requeued or merged into another one, completed in
 * one or more parts. Its state holds only what these moments alone tell; the rest is read from the
 * request itself when it ends.
 */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "compat.bpf.h"
#include "device.bpf.h"
#include "event.h"
#include "flush.bpf.h"
#include "maps.bpf.h"
#include "records.bpf.h"
#include "request.bpf.h"
#include "subject.bpf.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#define MERGES_FOLLOWED 1024

/*
 * Several programs for one tracepoint, with one body. Where a probe can be preempted (a46023d5616e,
 * "tracing: Guard __DECLARE_TRACE() use of __DO_TRACE_CALL() with SRCU-fast") the kernel skips
 * every other call of the program on that CPU until the probe continues, which would lose a large
 * part of the events of a busy CPU. It does not skip calls of another program: each copy handles
 * the events whose earlier copies were skipped. The same holds for a completion that a task polls,
 * when the interrupt of another completion comes. On other kernels only the first program is
 * loaded.
 */
#define PROBE(name, tracepoint, again)              \
	SEC("tp_btf/" #tracepoint)                  \
	int name(__u64 *ctx)                        \
	{                                           \
		return on_##tracepoint(ctx, again); \
	}
#define PROBES(tracepoint)                           \
	PROBE(tracepoint, tracepoint, false)         \
	PROBE(tracepoint##_second, tracepoint, true) \
	PROBE(tracepoint##_third, tracepoint, true)

/* a54895fa057c ("block: remove the request_queue to argument request based tracepoints") */
static __always_inline struct request *request_argument(__u64 *ctx)
{
	struct request *rq;

	if (!config.arguments_have_queue)
		return (struct request *)ctx[0];
	rq = (struct request *)ctx[1];
	/* The load stays in its branch: older verifiers reject a modified context pointer. */
	asm volatile("" : "+r"(rq));
	return rq;
}

static __always_inline bool is_flush(struct request *rq)
{
	return (rq->cmd_flags & OP_MASK) == OP_FLUSH;
}

/* The submitter is filtered at the start, where it is known; --lean does not filter by process. */
static __always_inline bool wanted(struct request *rq)
{
	struct bio *bio = rq->bio;

	if (config.only_pid && !process_in_scope(bpf_get_current_pid_tgid() >> 32))
		return false;
	return !config.only_cgroup || (bio && bio_in_scope(bio));
}

/* The kernel clears the flush flags before the request is issued; its bio keeps them. */
static __always_inline __u32 request_flags(struct request *rq)
{
	struct bio *bio = rq->bio;

	return rq->cmd_flags | (bio ? bio->bi_opf & ~OP_MASK : 0);
}

/* The number of bios of the request after the first. */
static __always_inline __u32 count_merges(struct request *rq, __u16 *flags)
{
	struct bio *bio = rq->bio;
	int merges;

	if (!bio)
		return 0;
	for (merges = 0; merges < MERGES_FOLLOWED; merges++) {
		bio = bio->bi_next;
		if (!bio)
			return merges;
	}
	*flags |= IO_EVENT_MERGES_CUT;
	return merges;
}

/* The submitter; the rest of the record is filled when the request ends. */
static __always_inline void fill_from_state(struct io_event *event,
					    const struct request_state *state)
{
	event->created_ns = state->created_ns;
	event->inserted_ns = state->flags & IO_EVENT_INSERTED ? state->inserted_ns : 0;
	event->issued_ns = state->issued_ns;
	event->pid = state->pid;
	event->tgid = state->tgid;
	event->issue_number = state->issue_number;
	event->cpu = state->cpu;
	__builtin_memcpy(event->comm, state->comm, sizeof(event->comm));
}

/* The request as it was before its first part was completed, or when it began. */
static __always_inline void fill_as_remembered(struct io_event *event,
					       const struct request_state *state)
{
	event->sector = state->sector;
	event->bytes = state->bytes;
	event->cmd_flags = state->cmd_flags;
	event->merges = 0;
	event->ioprio = 0;
	event->write_hint = 0;
	event->status = 0;
	describe(&event->subject, NULL, 0);
	if (!(state->flags & IO_EVENT_IN_PARTS))
		return;
	event->merges = state->merges;
	event->ioprio = state->ioprio;
	event->write_hint = state->write_hint;
	event->status = state->status;
	event->subject = state->subject;
}

static __always_inline void fill_from_request(struct io_event *event, struct request *rq)
{
	event->sector = rq->__sector;
	event->bytes = rq->__data_len;
	event->cmd_flags = request_flags(rq);
	event->merges = count_merges(rq, &event->flags);
	event->ioprio = request_ioprio(rq);
	event->write_hint = request_write_hint(rq);
	event->status = 0;
	describe(&event->subject, rq->bio, rq->__data_len);
}

/* Without the kernel's accounting (queue/iostats) the time can be from an earlier life of the
 * request, except for the flush machinery's own requests, which are never accounted. */
static __always_inline __u64 kernel_start_ns(struct request *rq)
{
	if (!is_flush(rq) && !request_has_flag(rq, config.accounted_mask))
		return 0;
	return rq->start_time_ns;
}

/* Fills a record for a request whose creation was not seen: from what the kernel remembers. */
static __always_inline void fill_without_state(struct io_event *event, struct request *rq)
{
	event->created_ns = kernel_start_ns(rq);
	event->inserted_ns = 0;
	event->issued_ns = rq->io_start_time_ns;
	event->pid = 0;
	event->tgid = 0;
	event->issue_number = 0;
	event->cpu = rq->mq_ctx->cpu;
	__builtin_memset(event->comm, 0, sizeof(event->comm));
}

static __always_inline void note_lost(struct device_state *device,
				      const struct request_state *state)
{
	if (state && state->issue_number)
		__sync_fetch_and_add(&device->lost_numbers, 1);
}

/* A kernel can skip a probe: one that is already running on that CPU, and some kernels every probe
 * on top of certain tasks. A request that begins again has ended in between: its state is still a
 * record. */
static __always_inline void end_unseen(struct request *rq, struct device_state *device,
				       struct request_state *state)
{
	struct record_place place;
	struct io_event *event = new_record(&place);

	if (!event) {
		note_lost(device, state);
	} else {
		event->flags = state->flags | IO_EVENT_NO_END;
		event->device = state->device;
		event->completed_ns = 0;
		fill_from_state(event, state);
		fill_as_remembered(event, state);
		send_record(event, &place, 0);
	}
	forget_request(rq, state);
}

static __always_inline void note_submitter(struct request_state *state)
{
	state->cpu = bpf_get_smp_processor_id();
	if (current_task(&state->pid, &state->tgid, state->comm) & PF_KTHREAD)
		state->flags |= IO_EVENT_KTHREAD;
}

/* Uses the kernel's own time where the request was first seen later than its creation. */
static __always_inline void note_creation(struct request_state *state, struct request *rq,
					  __u64 now_ns, bool at_start)
{
	__u64 kernel_ns = at_start ? 0 : kernel_start_ns(rq);

	state->created_ns = now_ns;
	if (kernel_ns && kernel_ns < state->created_ns) {
		state->created_ns = kernel_ns;
		state->flags |= IO_EVENT_KERNEL_TIME;
	}
	if (!at_start && is_flush(rq) && request_has_flag(rq, config.flush_sequence_mask))
		state->flags |= IO_EVENT_FLUSH_MACHINERY;
}

static __always_inline struct request_state *begin(struct request *rq, struct device_state *device,
						   struct request_state *slot, __u64 now_ns,
						   bool at_start)
{
	struct request_state *state;

	if (!recording || !watched(device, rq) || !wanted(rq))
		return NULL;
	state = remember_request(rq, slot, 0);
	if (!state)
		return NULL;
	state->sector = rq->__sector;
	state->bytes = rq->__data_len;
	state->cmd_flags = request_flags(rq);
	state->device = device->device;
	note_creation(state, rq, now_ns, at_start);
	note_submitter(state);
	return state;
}

static __always_inline void note_again(bool again)
{
	if (again)
		__sync_fetch_and_add(&done_again, 1);
}

static __always_inline int on_block_io_start(__u64 *ctx, bool again)
{
	struct request *rq = (struct request *)ctx[0];
	struct device_state *device = find_device(request_device(rq));
	struct request_state *slot, *earlier;
	__u64 now_ns;

	if (!device)
		return 0;
	now_ns = bpf_ktime_get_ns(); /* before the slot is read: see on_block_rq_complete */
	slot = slot_of(rq, device);
	earlier = request_in(slot, rq);
	if (again && earlier && !(earlier->flags & IO_EVENT_AT_DRIVER))
		return 0;
	if (earlier)
		end_unseen(rq, device, earlier);
	if (begin(rq, device, slot, now_ns, true))
		note_again(again);
	return 0;
}

PROBES(block_io_start)

/* block_io_start does not report the flush machinery's own requests. */
static __always_inline bool announced(struct request *rq)
{
	return config.has_io_start && !is_flush(rq);
}

/* The state of a request at a later moment of its life. A request that the driver seems to hold
 * already is the next life of a request whose end was not seen. */
static __always_inline struct request_state *meet(struct request *rq, struct device_state *device)
{
	struct request_state *slot = slot_of(rq, device), *state = request_in(slot, rq);

	/* Its creation is reported, but it has no state: created before the recording, or
	 * filtered. */
	if (announced(rq))
		return state;
	if (state && !(state->flags & IO_EVENT_AT_DRIVER))
		return state;
	if (state)
		end_unseen(rq, device, state);
	return begin(rq, device, slot, bpf_ktime_get_ns(), false);
}

SEC("tp_btf/block_rq_insert")
int block_rq_insert(__u64 *ctx)
{
	struct request *rq = request_argument(ctx);
	struct device_state *device = find_device(request_device(rq));
	struct request_state *state = device ? meet(rq, device) : NULL;

	if (state && !(state->flags & IO_EVENT_INSERTED)) {
		state->inserted_ns = bpf_ktime_get_ns();
		state->flags |= IO_EVENT_INSERTED;
	}
	return 0;
}

static __always_inline int on_block_rq_issue(__u64 *ctx, bool again)
{
	struct request *rq = request_argument(ctx);
	struct device_state *device = find_device(request_device(rq));
	struct request_state *state;

	if (!device)
		return 0;
	if (again) {
		state = find_request(rq, device);
		if (state && state->flags & IO_EVENT_AT_DRIVER)
			return 0;
	}
	state = meet(rq, device);
	if (!state)
		return 0;
	note_again(again);
	state->flags |= IO_EVENT_AT_DRIVER;
	if (!state->issued_ns) {
		state->issued_ns = bpf_ktime_get_ns();
		state->issue_number = next_issue_number(device);
	}
	return 0;
}

PROBES(block_rq_issue)

SEC("tp_btf/block_rq_requeue")
int block_rq_requeue(__u64 *ctx)
{
	struct request *rq = request_argument(ctx);
	struct device_state *device = find_device(request_device(rq));
	struct request_state *state = device ? find_request(rq, device) : NULL;

	if (!state || !(state->flags & IO_EVENT_AT_DRIVER))
		return 0;
	state->flags = (state->flags & ~IO_EVENT_AT_DRIVER) | IO_EVENT_REQUEUED;
	return 0;
}

/* The argument was merged into its neighbour and will never complete itself. */
static __always_inline int on_block_rq_merge(__u64 *ctx, bool again)
{
	struct request *rq = request_argument(ctx);
	struct device_state *device = find_device(request_device(rq));
	struct request_state *state = device ? find_request(rq, device) : NULL;

	if (state) {
		note_again(again);
		forget_request(rq, state);
	}
	return 0;
}

PROBES(block_rq_merge)

/* Some of its bytes are complete, or in a flush sequence all of them, but the request is not. Each
 * part advances the sector, removes its bios, and shortens the request. */
static __noinline int complete_part(struct request *rq, struct device_state *device,
				    struct request_state *state, __u32 status)
{
	if (!state) {
		if (!config.lean)
			return 0;
		state = remember_request(rq, NULL, IO_EVENT_LEAN);
		if (!state)
			return 0;
		state->device = device->device;
	}
	if (!(state->flags & IO_EVENT_IN_PARTS)) {
		state->flags |= IO_EVENT_IN_PARTS;
		state->sector = rq->__sector;
		state->bytes = rq->__data_len;
		state->cmd_flags = request_flags(rq);
		state->merges = count_merges(rq, &state->flags);
		state->ioprio = request_ioprio(rq);
		state->write_hint = request_write_hint(rq);
		state->status = 0;
		describe(&state->subject, rq->bio, rq->__data_len);
	}
	if (status)
		state->status = status;
	return 0;
}

static __always_inline void fill_completed(struct io_event *event, struct request *rq,
					   const struct device_state *device,
					   const struct request_state *state, __u32 status)
{
	event->flags = config.lean ? IO_EVENT_LEAN : state ? state->flags : IO_EVENT_NO_START;
	if (state && !config.lean)
		fill_from_state(event, state);
	else
		fill_without_state(event, rq);
	if (state && (state->flags & IO_EVENT_IN_PARTS))
		fill_as_remembered(event, state);
	else
		fill_from_request(event, rq);
	if (status)
		event->status = status;
	if (is_flush(rq) && request_has_flag(rq, config.flush_sequence_mask)) {
		event->flags |= IO_EVENT_FLUSH_MACHINERY;
		fill_asker(event, rq, slot_of(rq, device));
	}
}

static __always_inline void record_completed(struct request *rq, struct device_state *device,
					     const struct request_state *state, __u32 status,
					     __u64 now_ns)
{
	struct record_place place;
	struct io_event *event = new_record(&place);

	if (!event) {
		note_lost(device, state);
		return;
	}
	event->completed_ns = now_ns;
	event->device = device->device;
	fill_completed(event, rq, device, state, status);
	send_record(event, &place, now_ns);
}

/* For a request first seen at its end the submitter is unknown. */
static __always_inline bool wanted_without_state(struct request *rq,
						 const struct device_state *device)
{
	if (!recording || !watched(device, rq))
		return false;
	return config.lean ? wanted(rq) : !config.only_pid && !config.only_cgroup;
}

/* The flushes without data that ended last on a CPU. */
#define ENDED_FLUSHES 64

struct ended_flush {
	__u64 key;
	__u64 start_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, ENDED_FLUSHES);
	__type(key, __u32);
	__type(value, struct ended_flush);
} ended_flushes SEC(".maps");

/* Without block_io_start, a flush without data is first seen at its end. */
static __always_inline bool only_ends(struct request *rq)
{
	return !config.has_io_start && (rq->cmd_flags & OP_MASK) == OP_WRITE && !rq->__data_len;
}

/* Whether no earlier copy has ended this flush: there was no state that it could take away. Interrupts
 * that end other flushes can come between two copies. */
static __always_inline bool first_to_end(struct request *rq, bool again)
{
	__u32 index = (__u32)(rq->tag + rq->internal_tag) % ENDED_FLUSHES;
	struct ended_flush *ended = bpf_map_lookup_elem(&ended_flushes, &index);
	__u64 start_ns = rq->start_time_ns;

	if (!ended)
		return !again;
	if (again && ended->key == (__u64)rq && ended->start_ns == start_ns)
		return false;
	ended->key = (__u64)rq;
	ended->start_ns = start_ns;
	return true;
}

/* When a copy finds no state, an earlier program has just ended the request. Reading the clock waits
 * for all earlier memory accesses, so it comes before any access to memory that another CPU has
 * written. */
static __always_inline int on_block_rq_complete(__u64 *ctx, bool again)
{
	struct request *rq = (struct request *)ctx[0];
	__u32 status = (__u32)ctx[1], bytes = (__u32)ctx[2];
	__u64 now_ns = bpf_ktime_get_ns();
	struct device_state *device = find_device(request_device(rq));
	struct request_state *state;

	if (!device)
		return 0;
	state = find_request(rq, device);
	if (!state && !wanted_without_state(rq, device))
		return 0;
	if (only_ends(rq) ? !first_to_end(rq, again) : !state && again)
		return 0;
	if (!is_flush(rq) && request_has_flag(rq, config.flush_sequence_mask))
		return rq->__data_len ? complete_part(rq, device, state, status) : 0;
	if (rq->bio && bytes < rq->__data_len)
		return complete_part(rq, device, state, status);
	note_again(again);
	record_completed(rq, device, state, status, now_ns);
	if (state)
		forget_request(rq, state);
	return 0;
}

PROBES(block_rq_complete)
