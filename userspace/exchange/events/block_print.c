// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <uthash.h>

#include "exchange/events/blktrace_record.h"
#include "exchange/events/block_heap.h"
#include "exchange/events/block_print.h"

/* Events of one device at the same time, which blkparse orders by their sequence numbers. */
#define MOMENT_EVENTS_MAX 1024u
/* 1973: a trace without a date counts from 1970. */
#define WALL_NS_MIN (100000000ull * NSEC_PER_SEC)

/* blkparse prints the first name of a process. */
struct process {
	uint32_t pid;
	bool is_named;
	char comm[BLOCK_PRINT_COMM_BYTES];
	UT_hash_handle hh;
};

/* The kernel counts per device and CPU. */
struct counter {
	struct {
		uint32_t device, cpu;
	} key;
	uint32_t sequence;
	UT_hash_handle hh;
};

struct printer {
	struct block_heap *heap;
	struct process *processes;
	struct counter *counters;
	uint64_t pushed;
	bool started;
	uint64_t first_ns, last_ns;
	uint32_t moment_events;
	struct block_event moment[MOMENT_EVENTS_MAX];
};

static struct process *process_of(struct printer *p, uint32_t pid)
{
	struct process *process;

	HASH_FIND(hh, p->processes, &pid, sizeof(pid), process);
	if (process)
		return process;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->pid = pid;
	HASH_ADD(hh, p->processes, pid, sizeof(process->pid), process);
	return process;
}

static uint32_t next_sequence(struct printer *p, const struct block_event *event)
{
	struct counter *counter, wanted = {.key = {event->device, event->cpu}};

	HASH_FIND(hh, p->counters, &wanted.key, sizeof(wanted.key), counter);
	if (!counter) {
		counter = calloc(1, sizeof(*counter));
		if (!counter)
			return 0;
		counter->key = wanted.key;
		HASH_ADD(hh, p->counters, key, sizeof(counter->key), counter);
	}
	return ++counter->sequence;
}

static int by_sequence(const void *left, const void *right)
{
	const struct block_event *a = left, *b = right;

	if (a->sequence != b->sequence)
		return a->sequence < b->sequence ? -1 : 1;
	/* At equal times by CPU, because qsort() is not stable. */
	return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

static void put_one(struct foreign_output *o, struct printer *p, const struct block_event *event,
		    block_put_fn *put)
{
	static const char no_comm[BLOCK_PRINT_COMM_BYTES];
	struct process *process = process_of(p, event->pid);
	struct block_print_context context = {.first = !p->started};

	if (!p->started)
		p->first_ns = event->time_ns;
	p->started = true;
	context.since_first_ns = event->time_ns - p->first_ns;
	context.wall_ns = foreign_output__unix_ns(o, event->time_ns);
	if (context.wall_ns < WALL_NS_MIN)
		context.wall_ns = 0;
	context.new_pid = process && !process->is_named;
	context.comm = process ? process->comm : no_comm;
	if (process)
		process->is_named = true;
	put(o, event, &context);
}

static void put_moment(struct foreign_output *o, struct printer *p, block_put_fn *put)
{
	for (uint32_t i = 0; i < p->moment_events; i++)
		p->moment[i].sequence = next_sequence(p, &p->moment[i]);
	if (p->moment_events > 1)
		qsort(p->moment, p->moment_events, sizeof(p->moment[0]), by_sequence);
	for (uint32_t i = 0; i < p->moment_events; i++)
		put_one(o, p, &p->moment[i], put);
	p->moment_events = 0;
}

/* Passes the earliest event to `put`. */
static bool pop(struct foreign_output *o, struct printer *p, block_put_fn *put)
{
	struct block_event event;

	if (!block_heap__pop(p->heap, &event, NULL))
		return false;
	if (p->moment_events == MOMENT_EVENTS_MAX ||
	    (p->moment_events &&
	     (p->moment[0].time_ns != event.time_ns || p->moment[0].device != event.device)))
		put_moment(o, p, put);
	p->moment[p->moment_events++] = event;
	p->last_ns = event.time_ns;
	return true;
}

static void push(struct foreign_output *o, struct printer *p, struct block_event *event,
		 enum block_action action, uint64_t time_ns, block_put_fn *put)
{
	if (!time_ns)
		return;
	if (block_heap__full(p->heap))
		pop(o, p, put);
	if (time_ns < p->last_ns) {
		foreign_output__leave_out_event(o);
		return;
	}
	event->action = (uint8_t)action;
	event->time_ns = time_ns;
	block_heap__push(p->heap, event, (uint64_t)event->device << 32 | (uint32_t)p->pushed++, 0);
}

static struct printer *printer_of(struct foreign_output *o)
{
	struct printer *p = foreign_output__state(o, sizeof(*p));

	if (p && !p->heap)
		p->heap = block_heap__new(BLOCK_PRINT_EVENTS);
	return p && p->heap ? p : NULL;
}

/* A device without a number gets 0:ID. */
static uint32_t device_number(const struct foreign_output *o, uint32_t id)
{
	const struct trace_device *device = foreign_output__device(o, id);

	if (!device || (!device->major && !device->minor) || device->major > BLOCK_MAJOR_MAX ||
	    device->minor > BLOCK_MINOR_MAX)
		return block_device(0, id & BLOCK_MINOR_MAX);
	return block_device(device->major, device->minor);
}

bool block_print__row(struct foreign_output *o, const struct io_row *row, block_put_fn *put)
{
	const struct trace_task *task = foreign_output__task(o, row->task);
	struct printer *p = printer_of(o);
	struct process *process;
	struct block_event event = {.sector = row->bytes ? row->sector : 0,
				    .bytes = row->bytes,
				    .device = device_number(o, row->device),
				    .pid = task ? task->pid : 0,
				    .cpu = row->cpu,
				    .flags = row->flags,
				    .op = row->op};

	if (!p || !blktrace_can_hold(row))
		return false;
	process = process_of(p, event.pid);
	if (!process)
		return false;
	if (!process->is_named && !*process->comm && task)
		memcpy(process->comm, task->comm, strnlen(task->comm, sizeof(process->comm) - 1));
	/* A flush has no flags of its own; one of the kernel was not queued. */
	if (row->op == IO_OP_FLUSH)
		event.flags &= ~IO_PREFLUSH;
	if (!(row->flags & IO_FLUSH_MACHINERY)) {
		push(o, p, &event, BLOCK_QUEUE, row->created_ns, put);
		if (row->issued_ns)
			push(o, p, &event, BLOCK_GET_REQUEST, row->created_ns, put);
	}
	push(o, p, &event, BLOCK_ISSUE, row->issued_ns, put);
	event.error = row->error;
	push(o, p, &event, BLOCK_COMPLETE, row->completed_ns, put);
	return true;
}

void block_print__end(struct foreign_output *o, block_put_fn *put)
{
	struct printer *p = printer_of(o);
	struct process *process, *next_process;
	struct counter *counter, *next_counter;

	if (!p)
		return;
	while (pop(o, p, put))
		;
	put_moment(o, p, put);
	HASH_ITER (hh, p->processes, process, next_process) {
		HASH_DEL(p->processes, process);
		free(process);
	}
	HASH_ITER (hh, p->counters, counter, next_counter) {
		HASH_DEL(p->counters, counter);
		free(counter);
	}
	block_heap__free(p->heap);
	p->heap = NULL;
}
