/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Who asked for a flush that the flush machinery sends. */
#ifndef BLKREEL_BPF_FLUSH_BPF_H
#define BLKREEL_BPF_FLUSH_BPF_H

#include "compat.bpf.h"
#include "maps.bpf.h"
#include "request.bpf.h"

/*
 * The request with the preflush or FUA that a request of the flush machinery is sent for. Of several it is the
 * one that waited longest; the flush has its tag. NULL: not found.
 */
static __always_inline struct request *flush_asker(struct request *flush)
{
	struct blk_flush_queue *queue = BPF_CORE_READ(flush, mq_hctx, fq);
	struct list_head *waiting, *first;

	if (!queue || BPF_CORE_READ(queue, flush_rq) != flush)
		return NULL;
	waiting = &queue->flush_queue[0];
	if (BPF_CORE_READ_BITFIELD_PROBED(queue, flush_running_idx))
		waiting = &queue->flush_queue[1];
	first = BPF_CORE_READ(waiting, next);
	if (!first || first == waiting)
		return NULL;
	return (void *)first - flush_list_offset();
}

/* The kernel takes `bio` away when the data of a FUA is done; `biotail` stays. */
static __always_inline __u64 asker_cgroup(struct request *asker)
{
	if (!bpf_core_field_exists(struct bio, bi_blkg))
		return 0;
	return BPF_CORE_READ(asker, biotail, bi_blkg, blkcg, css.cgroup, kn, id);
}

/* Enters the cgroup and the task that asked, as far as they are known. */
static __noinline int fill_asker(struct io_event *event, struct request *flush,
				 struct request_state *slot)
{
	struct request *asker = flush_asker(flush);
	struct request_state *state;

	if (!asker || !event)
		return 0;
	event->subject.cgroup = asker_cgroup(asker);
	state = request_in(slot, asker);
	if (!state)
		return 0;
	event->pid = state->pid;
	event->tgid = state->tgid;
	__builtin_memcpy(event->comm, state->comm, sizeof(event->comm));
	event->flags &= ~IO_EVENT_KTHREAD;
	event->flags |= state->flags & IO_EVENT_KTHREAD;
	return 0;
}

#endif
