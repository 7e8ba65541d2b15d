// SPDX-License-Identifier: MIT
#include "replay/engine/dependents.h"

#include <errno.h>
#include <stdlib.h>

#include "replay/engine/schedule.h"

#define NONE UINT32_MAX

/* Completion times to remember per stream. An IO that waits for an older one is late anyway. */
#define RECENT_COMPLETIONS 32u

struct entry {
	struct replay_io io;
	uint32_t next; /* the next of its stream, or of the free list */
};

struct stream {
	uint32_t head, tail; /* entries in the order of the source; NONE: none */
	uint32_t waiters,
		next_waiter; /* streams whose head waits for this stream; NONE ends the list */
	uint64_t completions;
	uint64_t last_submit_ns;
	uint64_t due_ns; /* of the head, when it is in the heap */
	uint64_t recent_ns[RECENT_COMPLETIONS];
};

struct dependents {
	uint64_t start_ns;
	double speed;
	uint32_t stream_count;
	struct stream *streams;
	uint32_t *heap; /* streams whose head waits for nothing, by its due_ns */
	uint32_t heap_count;
	uint32_t count, free;
	struct entry entries[DEPENDENTS_IOS];
};

int dependents__create(uint64_t start_ns, double speed, struct dependents **dependents)
{
	struct dependents *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->start_ns = start_ns;
	w->speed = speed;
	for (uint32_t i = 0; i < DEPENDENTS_IOS; i++)
		w->entries[i].next = i + 1 < DEPENDENTS_IOS ? i + 1 : NONE;
	*dependents = w;
	return 0;
}

void dependents__free(struct dependents *w)
{
	if (!w)
		return;
	free(w->streams);
	free(w->heap);
	free(w);
}

bool dependents__full(const struct dependents *w)
{
	return w->count == DEPENDENTS_IOS;
}

static int have_stream(struct dependents *w, uint32_t index)
{
	uint32_t count = w->stream_count ? w->stream_count : 16;
	struct stream *streams;
	uint32_t *heap;

	if (index < w->stream_count)
		return 0;
	while (count <= index)
		count *= 2;
	streams = realloc(w->streams, count * sizeof(*streams));
	if (!streams)
		return -ENOMEM;
	w->streams = streams;
	heap = realloc(w->heap, count * sizeof(*heap));
	if (!heap)
		return -ENOMEM;
	w->heap = heap;
	for (uint32_t i = w->stream_count; i < count; i++)
		streams[i] = (struct stream){
			.head = NONE, .tail = NONE, .waiters = NONE, .next_waiter = NONE};
	w->stream_count = count;
	return 0;
}

/* The heap of heads -------------------------------------------------------------------------- */

static bool before(const struct dependents *w, uint32_t a, uint32_t b)
{
	const struct stream *first = &w->streams[a], *second = &w->streams[b];

	if (first->due_ns != second->due_ns)
		return first->due_ns < second->due_ns;
	/*
	 * Equal due times: the first in the source goes first, so that overlapping IOs keep their
	 * order.
	 */
	return w->entries[first->head].io.due_ns < w->entries[second->head].io.due_ns;
}

static void push(struct dependents *w, uint32_t stream)
{
	uint32_t at = w->heap_count++;

	for (; at && before(w, stream, w->heap[(at - 1) / 2]); at = (at - 1) / 2)
		w->heap[at] = w->heap[(at - 1) / 2];
	w->heap[at] = stream;
}

static void pop(struct dependents *w)
{
	uint32_t last = w->heap[--w->heap_count];
	uint32_t at = 0, child;

	while ((child = 2 * at + 1) < w->heap_count) {
		if (child + 1 < w->heap_count && before(w, w->heap[child + 1], w->heap[child]))
			child++;
		if (!before(w, w->heap[child], last))
			break;
		w->heap[at] = w->heap[child];
		at = child;
	}
	w->heap[at] = last;
}

/* Waiting ------------------------------------------------------------------------------------ */

/* The time of the stream's `count`-th completion; 0: none yet. */
static uint64_t completion_ns(const struct stream *s, uint64_t count)
{
	if (!count)
		return 0;
	if (s->completions - count >= RECENT_COMPLETIONS)
		count = s->completions - RECENT_COMPLETIONS + 1;
	return s->recent_ns[count % RECENT_COMPLETIONS];
}

static uint64_t later(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns : b_ns;
}

static uint64_t head_due_ns(const struct dependents *w, const struct stream *s)
{
	const struct replay_wait *wait = &w->entries[s->head].io.wait;
	uint64_t own_ns = completion_ns(s, wait->own_completions), other_ns = 0;
	uint64_t anchor_ns = w->start_ns, due_ns;

	if (wait->other_completions)
		other_ns = completion_ns(&w->streams[wait->other_stream], wait->other_completions);
	if (wait->anchor == REPLAY_ANCHOR_SUBMIT)
		anchor_ns = s->last_submit_ns;
	else if (wait->anchor == REPLAY_ANCHOR_OWN)
		anchor_ns = own_ns;
	else if (wait->anchor == REPLAY_ANCHOR_OTHER)
		anchor_ns = other_ns;
	if (__builtin_add_overflow(anchor_ns, schedule_scaled_ns(wait->think_ns, w->speed),
				   &due_ns))
		return UINT64_MAX;
	return later(later(due_ns, s->last_submit_ns), later(own_ns, other_ns));
}

/* The stream has a head that is neither in the heap nor among the waiters of another stream. */
static void look_at_head(struct dependents *w, uint32_t index)
{
	struct stream *s = &w->streams[index], *other;
	const struct replay_wait *wait = &w->entries[s->head].io.wait;

	if (s->completions < wait->own_completions)
		return; /* is looked at again when one of its own IOs completes */
	other = &w->streams[wait->other_stream];
	if (wait->other_completions && other->completions < wait->other_completions) {
		s->next_waiter = other->waiters;
		other->waiters = index;
		return;
	}
	s->due_ns = head_due_ns(w, s);
	push(w, index);
}

int dependents__add(struct dependents *w, const struct replay_io *io)
{
	const struct replay_wait *wait = &io->wait;
	uint32_t index = w->free;
	struct stream *s;
	int err;

	err = have_stream(w, wait->stream > wait->other_stream ? wait->stream : wait->other_stream);
	if (err)
		return err;
	w->free = w->entries[index].next;
	w->count++;
	w->entries[index] = (struct entry){.io = *io, .next = NONE};
	s = &w->streams[wait->stream];
	if (s->head != NONE) {
		w->entries[s->tail].next = index;
		s->tail = index;
		return 0;
	}
	s->head = s->tail = index;
	look_at_head(w, wait->stream);
	return 0;
}

enum dependents_state dependents__peek(const struct dependents *w, const struct replay_io **io,
				       uint64_t *due_ns)
{
	const struct stream *s;

	if (!w->heap_count)
		return w->count ? DEPENDENTS_BLOCKED : DEPENDENTS_EMPTY;
	s = &w->streams[w->heap[0]];
	*io = &w->entries[s->head].io;
	*due_ns = s->due_ns;
	return DEPENDENTS_READY;
}

void dependents__submitted(struct dependents *w, uint64_t now_ns)
{
	uint32_t stream = w->heap[0], index;
	struct stream *s = &w->streams[stream];

	pop(w);
	index = s->head;
	s->head = w->entries[index].next;
	s->last_submit_ns = now_ns;
	w->entries[index].next = w->free;
	w->free = index;
	w->count--;
	if (s->head != NONE)
		look_at_head(w, stream);
}

static bool waits_for_own(const struct dependents *w, const struct stream *s)
{
	return s->head != NONE && s->completions == w->entries[s->head].io.wait.own_completions - 1;
}

void dependents__completed(struct dependents *w, uint32_t stream, uint64_t now_ns)
{
	struct stream *s = &w->streams[stream];
	bool head_waits = waits_for_own(w, s);
	uint32_t waiter = s->waiters;

	s->completions++;
	s->recent_ns[s->completions % RECENT_COMPLETIONS] = now_ns;
	if (head_waits)
		look_at_head(w, stream);
	s->waiters = NONE;
	while (waiter != NONE) {
		uint32_t next = w->streams[waiter].next_waiter;

		look_at_head(w, waiter);
		waiter = next;
	}
}
