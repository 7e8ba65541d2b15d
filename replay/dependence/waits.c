// SPDX-License-Identifier: MIT
#include "replay/dependence/waits.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "replay/dependence/infer.h"
#include "replay/source/window.h"

#define SUBMISSIONS (1u << 16) /* whose times are remembered; a power of two */

struct submission {
	uint64_t done_ns, created_ns;
	uint32_t stream;
};

struct stream {
	uint64_t submissions, awaited, last_ns;
};

struct waits {
	struct replay_source below; /* gives `io` once */
	struct replay_io io;
	struct replay_source *dependence;
	struct dependence_counts counts;
	uint32_t first_task, stream_capacity;
	struct stream *streams;
	struct submission submissions[SUBMISSIONS];
};

static int give(struct replay_source *below, struct replay_io *io)
{
	*io = ((struct waits *)below)->io;
	return 1;
}

static const struct replay_source_ops below_ops = {.next = give};

int waits__create(uint32_t first_task, struct waits **waits)
{
	struct waits *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return -ENOMEM;
	w->first_task = first_task;
	w->below.ops = &below_ops;
	err = dependence__create(&w->below, &w->counts, &w->dependence);
	if (err) {
		waits__free(w);
		return err;
	}
	*waits = w;
	return 0;
}

void waits__free(struct waits *w)
{
	if (!w)
		return;
	replay_source__free(w->dependence);
	free(w->streams);
	free(w);
}

uint32_t waits__tasks(const struct waits *w)
{
	return w->first_task + w->counts.streams;
}

/* FNV-1a of the letters at the start of a name: kworker/1:2 and kworker/u8:0 are one program. */
static uint64_t program_of(const struct trace_task *task)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (const char *c = task->comm; isalpha((unsigned char)*c); c++)
		hash = (hash ^ (uint8_t)*c) * 0x100000001b3ull;
	return hash;
}

static int have_stream(struct waits *w, uint32_t stream)
{
	uint32_t capacity = w->stream_capacity ? w->stream_capacity : 64;
	struct stream *grown;

	if (stream < w->stream_capacity)
		return 0;
	while (capacity <= stream)
		capacity *= 2;
	grown = realloc(w->streams, capacity * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	for (uint32_t i = w->stream_capacity; i < capacity; i++)
		grown[i] = (struct stream){0};
	w->streams = grown;
	w->stream_capacity = capacity;
	return 0;
}

static struct submission *place_of(struct waits *w, uint32_t stream, uint64_t done_ns)
{
	uint64_t hash = (done_ns ^ ((uint64_t)stream << 48)) * 0x9e3779b97f4a7c15ull;

	return &w->submissions[hash >> 48];
}

static void say(struct waits *w, const struct replay_io *io, struct io_wait *waited)
{
	const struct replay_wait *wait = &io->wait;
	struct stream *stream = &w->streams[wait->stream];
	uint64_t done_ns = io->due_ns - wait->think_ns;
	const struct submission *cause = place_of(w, wait->stream, done_ns);

	waited->task = w->first_task + wait->stream + 1;
	waited->first = !stream->submissions;
	waited->outstanding = (uint32_t)(stream->submissions - stream->awaited);
	waited->awaited = (uint32_t)(wait->own_completions - stream->awaited);
	waited->dependent = wait->anchor == REPLAY_ANCHOR_OWN || wait->other_completions;
	waited->has_think = wait->anchor == REPLAY_ANCHOR_OWN;
	waited->think_ns = wait->think_ns;
	waited->has_cycle =
		waited->has_think && cause->stream == wait->stream + 1 && cause->done_ns == done_ns;
	waited->cycle_ns = waited->has_cycle ? io->due_ns - cause->created_ns : 0;
	waited->has_open_gap = !waited->awaited && !waited->first && io->due_ns >= stream->last_ns;
	waited->open_gap_ns = waited->has_open_gap ? io->due_ns - stream->last_ns : 0;
	stream->submissions++;
	stream->awaited = wait->own_completions;
	stream->last_ns = io->due_ns;
	*place_of(w, wait->stream, io->done_ns) =
		(struct submission){io->done_ns, io->due_ns, wait->stream + 1};
}

int waits__add(struct waits *w, const struct io_row *row, const struct trace_task *task,
	       struct io_wait *waited)
{
	struct replay_io io;
	int err;

	if (!task || !row->task || !row->completed_ns || row->completed_ns < row->created_ns)
		return 0;
	err = replay_io_from_row(row, &w->io);
	if (err)
		return 0; /* an address that no replay takes */
	w->io.due_ns = row->created_ns;
	w->io.done_ns =
		row->completed_ns > row->created_ns ? row->completed_ns : row->created_ns + 1;
	w->io.task = row->task;
	if (task->kernel_thread)
		w->io.flags |= REPLAY_KERNEL;
	if (task->kernel_thread && row->op == IO_OP_WRITE &&
	    !(row->flags & (IO_SYNC | IO_FUA | IO_PREFLUSH)))
		w->io.flags |= REPLAY_BACKGROUND;
	err = replay_source__next(w->dependence, &io);
	if (err < 0)
		return err;
	err = have_stream(w, io.wait.stream);
	if (err)
		return err;
	*waited = (struct io_wait){.program = program_of(task), .kernel = task->kernel_thread};
	say(w, &io, waited);
	return 1;
}
