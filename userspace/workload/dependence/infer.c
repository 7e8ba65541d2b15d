// SPDX-License-Identifier: MIT
#include "workload/dependence/infer.h"

#include <errno.h>
#include <stdlib.h>

#include "workload/dependence/log_end.h"

#define IN_FLIGHT_MAX 65536u

#define NO_STREAM UINT32_MAX

/* Higher ids, which no trace has, count as one task. */
#define TASKS_MAX (1u << 23)

struct in_flight {
	uint64_t done_ns;
	uint32_t stream;
	bool write, flush, kernel, background;
};

#define RECENT_COMPLETIONS 16u

/* A completion that is older than this many usual think times did not cause a submission. */
#define THINK_FACTOR 4

struct stream {
	bool started;
	uint32_t cause;	      /* of a kernel thread: the stream that it works for, or NO_STREAM */
	uint64_t submissions; /* of IOs whose completion is known */
	uint64_t completions;
	uint64_t answered; /* of these completions: those that caused a submission */
	uint64_t recent_ns[RECENT_COMPLETIONS];
	uint64_t usual_think_ns; /* from the last completion to a submission, a moving average */
	uint64_t last_submit_ns;
};

/* A completion that an IO of another stream may have waited for. */
struct completion {
	bool seen;
	uint32_t stream;
	uint64_t count; /* of the stream's completions, this one included */
	uint64_t done_ns;
};

struct dependence {
	uint32_t *stream_of_task; /* + 1; 0: none yet */
	uint32_t tasks;		  /* allocated of these */
	struct stream *streams;
	uint32_t stream_count;
	struct completion last;		/* of all streams, writeback excepted */
	struct completion last_of_task; /* of a task that is no kernel thread */
	struct completion last_of_kernel;
	struct log_end log;
	uint32_t in_flight_count;
	struct in_flight in_flight[IN_FLIGHT_MAX]; /* a heap by done_ns */
};

/* Streams ------------------------------------------------------------------------------------ */

static int grow_tasks(struct dependence *d, uint32_t task)
{
	uint32_t tasks = d->tasks ? d->tasks : 256;
	uint32_t *grown;

	while (tasks <= task)
		tasks *= 2;
	grown = realloc(d->stream_of_task, tasks * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	for (uint32_t i = d->tasks; i < tasks; i++)
		grown[i] = 0;
	d->stream_of_task = grown;
	d->tasks = tasks;
	return 0;
}

static int find_stream(struct dependence *d, uint32_t task, uint32_t *stream)
{
	struct stream *grown;
	uint32_t count = d->stream_count;
	int err;

	if (task >= TASKS_MAX)
		task = 0;
	if (task >= d->tasks) {
		err = grow_tasks(d, task);
		if (err)
			return err;
	}
	if (!d->stream_of_task[task]) {
		if (!(count & (count - 1))) {
			grown = realloc(d->streams, (count ? 2 * count : 1) * sizeof(*grown));
			if (!grown)
				return -ENOMEM;
			d->streams = grown;
		}
		d->streams[count] = (struct stream){.cause = NO_STREAM};
		d->stream_of_task[task] = ++d->stream_count;
	}
	*stream = d->stream_of_task[task] - 1;
	return 0;
}

/* What is in flight -------------------------------------------------------------------------- */

static void push(struct dependence *d, const struct in_flight *entry)
{
	uint32_t at = d->in_flight_count++;

	for (; at && entry->done_ns < d->in_flight[(at - 1) / 2].done_ns; at = (at - 1) / 2)
		d->in_flight[at] = d->in_flight[(at - 1) / 2];
	d->in_flight[at] = *entry;
}

static void pop(struct dependence *d, struct in_flight *entry)
{
	struct in_flight last;
	uint32_t at = 0, child;

	*entry = d->in_flight[0];
	last = d->in_flight[--d->in_flight_count];
	while ((child = 2 * at + 1) < d->in_flight_count) {
		if (child + 1 < d->in_flight_count &&
		    d->in_flight[child + 1].done_ns < d->in_flight[child].done_ns)
			child++;
		if (last.done_ns <= d->in_flight[child].done_ns)
			break;
		d->in_flight[at] = d->in_flight[child];
		at = child;
	}
	d->in_flight[at] = last;
}

static void complete_first(struct dependence *d)
{
	struct completion completion;
	struct in_flight entry;
	struct stream *stream;

	pop(d, &entry);
	stream = &d->streams[entry.stream];
	stream->completions++;
	stream->recent_ns[stream->completions % RECENT_COMPLETIONS] = entry.done_ns;
	if (entry.background)
		return;
	completion = (struct completion){true, entry.stream, stream->completions, entry.done_ns};
	d->last = completion;
	if (entry.kernel) {
		d->last_of_kernel = completion;
		return;
	}
	d->last_of_task = completion;
	if (entry.write || entry.flush)
		log_end__complete(&d->log, entry.stream, entry.flush, entry.done_ns,
				  stream->completions);
}

/* Waiting ------------------------------------------------------------------------------------ */

/*
 * The completion of another stream that this IO may have waited for, when its own stream has no
 * later one.
 */
static struct completion other_completion(const struct dependence *d,
					  const struct dependence_io *io, uint32_t index)
{
	const struct stream *stream = &d->streams[index];
	struct completion other = {0};

	if (!stream->started)
		other = d->last;
	else if (io->kernel)
		other = d->last_of_task;
	else if (d->last_of_kernel.seen && d->streams[d->last_of_kernel.stream].cause == index)
		other = d->last_of_kernel;
	other.seen = other.seen && other.stream != index;
	return other;
}

/* The write of a log that came before this IO. */
static struct completion turn_before(struct dependence *d, const struct dependence_io *io,
				     uint32_t index)
{
	const struct log_write write = {.offset_bytes = io->offset_bytes,
					.end_bytes = io->offset_bytes + io->length_bytes,
					.done_ns = io->done_ns,
					.stream = index};
	struct log_write before;

	if (!io->write || io->kernel || io->background ||
	    !log_end__submit(&d->log, &write, &before))
		return (struct completion){0};
	return (struct completion){true, before.stream, before.count, before.done_ns};
}

static uint64_t done_ns(const struct stream *s, uint64_t completion)
{
	return s->recent_ns[completion % RECENT_COMPLETIONS];
}

/* 0 for an IO that is out of order. */
static uint64_t since(uint64_t then_ns, uint64_t now_ns)
{
	return now_ns > then_ns ? now_ns - then_ns : 0;
}

/*
 * Which completion of its own stream, counted from 1, let an IO go at `now_ns`. With nothing in
 * flight it was the last. Otherwise the task keeps several IOs in flight, and it was the oldest
 * completion that has caused no IO yet, unless that one is so old that the task must have waited
 * for more.
 */
static uint64_t cause_of(struct stream *s, uint64_t now_ns)
{
	uint64_t cause = s->answered + 1;
	uint64_t think_ns = since(done_ns(s, s->completions), now_ns);

	s->usual_think_ns = s->answered ? (7 * s->usual_think_ns + think_ns) / 8 : think_ns;
	if (s->submissions == s->completions)
		return s->completions;
	if (cause + RECENT_COMPLETIONS <= s->completions)
		cause = s->completions - RECENT_COMPLETIONS + 1;
	while (cause < s->completions &&
	       since(done_ns(s, cause), now_ns) > THINK_FACTOR * s->usual_think_ns)
		cause++;
	return cause;
}

static void infer(struct dependence *d, const struct dependence_io *io, uint32_t index,
		  struct replay_wait *wait)
{
	struct stream *stream = &d->streams[index];
	struct completion other = other_completion(d, io, index);
	struct completion turn = turn_before(d, io, index);
	uint64_t anchor_ns = 0;

	*wait = (struct replay_wait){.stream = index, .depth = d->in_flight_count + 1};
	if (stream->started) {
		wait->anchor = REPLAY_ANCHOR_SUBMIT;
		anchor_ns = stream->last_submit_ns;
	}
	if (stream->completions > stream->answered && !io->background) {
		stream->answered = cause_of(stream, io->due_ns);
		wait->anchor = REPLAY_ANCHOR_OWN;
		anchor_ns = done_ns(stream, stream->answered);
	}
	wait->own_completions = stream->answered;
	if (turn.seen && !(other.seen && other.done_ns > turn.done_ns))
		other = turn;
	if (other.seen && (turn.seen || !stream->started || other.done_ns > anchor_ns)) {
		wait->other_stream = other.stream;
		wait->other_completions = other.count;
	}
	if (other.seen && (!stream->started || other.done_ns > anchor_ns)) {
		wait->anchor = REPLAY_ANCHOR_OTHER;
		anchor_ns = other.done_ns;
		if (io->kernel)
			stream->cause = other.stream;
	}
	wait->think_ns = since(anchor_ns, io->due_ns);
	stream->started = true;
	stream->submissions += !!io->done_ns;
	stream->last_submit_ns = io->due_ns;
}

int dependence__add(struct dependence *d, const struct dependence_io *io, struct replay_wait *wait)
{
	bool overflows;
	uint32_t stream;
	int err = find_stream(d, io->task, &stream);

	if (err)
		return err;
	while (d->in_flight_count && d->in_flight[0].done_ns <= io->due_ns)
		complete_first(d);
	overflows = d->in_flight_count == IN_FLIGHT_MAX;
	if (overflows)
		complete_first(d);
	infer(d, io, stream, wait);
	wait->overflowed = overflows;
	if (io->done_ns) {
		struct in_flight entry = {io->done_ns, stream,	   io->write,
					  io->flush,   io->kernel, io->background};

		push(d, &entry);
	} else {
		wait->uncounted = true;
	}
	return 0;
}

uint32_t dependence__streams(const struct dependence *d)
{
	return d->stream_count;
}

void dependence__free(struct dependence *d)
{
	if (!d)
		return;
	free(d->stream_of_task);
	free(d->streams);
	free(d);
}

int dependence__create(struct dependence **dependence)
{
	*dependence = calloc(1, sizeof(**dependence));
	return *dependence ? 0 : -ENOMEM;
}
