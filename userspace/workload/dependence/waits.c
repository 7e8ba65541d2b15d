// SPDX-License-Identifier: MIT
#include "workload/dependence/waits.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/units.h"
#include "workload/dependence/infer.h"

#define SUBMISSIONS (1u << 16) /* whose times are remembered; a power of two */

struct submission {
	uint64_t done_ns, created_ns;
	uint32_t stream;
};

struct stream {
	uint64_t submissions, awaited, last_ns;
};

struct waits {
	struct dependence *dependence;
	uint32_t first_task, stream_capacity;
	struct stream *streams;
	struct submission submissions[SUBMISSIONS];
};

int waits__create(uint32_t first_task, struct waits **waits)
{
	struct waits *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return -ENOMEM;
	w->first_task = first_task;
	err = dependence__create(&w->dependence);
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
	dependence__free(w->dependence);
	free(w->streams);
	free(w);
}

uint32_t waits__tasks(const struct waits *w)
{
	return w->first_task + dependence__streams(w->dependence);
}

/* FNV-1a of the letters at the start of a name: kworker/1:2 and kworker/u8:0 are one program. */
static uint64_t program_of(const struct trace_task *task)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (const char *c = task->comm; isalpha((unsigned char)*c); c++)
		hash = (hash ^ (uint8_t)*c) * 0x100000001b3ull;
	return hash;
}

static struct submission *place_of(struct waits *w, uint32_t stream, uint64_t done_ns)
{
	uint64_t hash = (done_ns ^ ((uint64_t)stream << 48)) * 0x9e3779b97f4a7c15ull;

	return &w->submissions[hash >> 48];
}

static void say(struct waits *w, const struct dependence_io *io, const struct replay_wait *wait,
		struct io_wait *waited)
{
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

static struct dependence_io io_of(const struct io_row *row, bool kernel)
{
	bool flush = io_row_is_flush(row);

	return (struct dependence_io){
		.due_ns = row->created_ns,
		.done_ns = row->completed_ns > row->created_ns ? row->completed_ns
							       : row->created_ns + 1,
		.offset_bytes = row->sector * SECTOR_BYTES,
		.length_bytes = row->bytes,
		.task = row->task,
		.write = !flush && row->bytes &&
			 (row->op == IO_OP_WRITE || row->op == IO_OP_ZONE_APPEND),
		.flush = flush,
		.kernel = kernel,
		.background = kernel && row->op == IO_OP_WRITE &&
			      !(row->flags & (IO_SYNC | IO_FUA | IO_PREFLUSH)),
	};
}

int waits__add(struct waits *w, const struct io_row *row, const struct trace_task *task,
	       struct io_wait *waited)
{
	struct dependence_io io;
	struct replay_wait wait;
	struct stream *streams;
	int err;

	if (!task || !row->task || !row->completed_ns || row->completed_ns < row->created_ns)
		return 0;
	io = io_of(row, task->kernel_thread);
	err = dependence__add(w->dependence, &io, &wait);
	if (err)
		return err;
	streams = grow_zeroed(w->streams, &w->stream_capacity, wait.stream, sizeof(*streams));
	if (!streams)
		return -ENOMEM;
	w->streams = streams;
	*waited = (struct io_wait){.program = program_of(task), .kernel = task->kernel_thread};
	say(w, &io, &wait, waited);
	return 1;
}
