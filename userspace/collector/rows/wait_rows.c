// SPDX-License-Identifier: MIT
#include "collector/rows/wait_rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/loglinear.h"
#include "collector/rows/wait_stacks.h"

/* What was written of a task. */
struct known_task {
	uint32_t pid;
	uint64_t since_ns; /* tells tasks with one number apart */
	uint64_t until_ns;
	uint64_t cpu_ns, run_queue_ns, sleep_ns;
	uint32_t id;
	bool exits; /* it was seen to, and nothing has changed since */
	UT_hash_handle hh;
};

struct known_calls {
	struct wait_calls_key key;
	uint64_t since_ns; /* of its task */
	struct wait_calls written;
	UT_hash_handle hh;
};

struct wait_rows {
	struct probes *probes;
	struct wait_stacks *stacks;
	struct known_task *tasks;
	struct known_calls *calls;
	uint64_t rows;
};

/* The arguments of one wait_rows__write(). */
struct write {
	struct wait_rows *w;
	struct registry *registry;
	struct trace_writer *writer;
	uint64_t active_ns, now_ns;
	enum wait_rows_until until;
	uint32_t *ended; /* tasks to forget */
	size_t ended_count, ended_size;
};

int wait_rows__create(struct probes *probes, struct wait_rows **rows)
{
	struct wait_rows *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return -ENOMEM;
	w->probes = probes;
	err = wait_stacks__create(probes, &w->stacks);
	if (err) {
		free(w);
		return err;
	}
	*rows = w;
	return 0;
}

void wait_rows__free(struct wait_rows *w)
{
	struct known_task *task, *next_task;
	struct known_calls *calls, *next_calls;

	if (!w)
		return;
	HASH_ITER (hh, w->tasks, task, next_task) {
		HASH_DEL(w->tasks, task);
		free(task);
	}
	HASH_ITER (hh, w->calls, calls, next_calls) {
		HASH_DEL(w->calls, calls);
		free(calls);
	}
	wait_stacks__free(w->stacks);
	free(w);
}

void wait_rows__begin_trace(struct wait_rows *w)
{
	wait_stacks__begin_trace(w->stacks);
}

uint64_t wait_rows__rows(const struct wait_rows *w)
{
	return w->rows;
}

/* Records --------------------------------------------------------------------------------------- */

static int append(struct wait_rows *w, struct trace_writer *writer, const struct wait_row *row)
{
	w->rows++;
	return trace_writer__append_wait(writer, row);
}

static uint8_t call_of(uint32_t entry)
{
	uint32_t call = entry & WAIT_NUMBER_CALL;

	return call < WAIT_CALL_COUNT ? (uint8_t)call : WAIT_CALL_NONE;
}

static uint8_t sleep_flags(uint16_t flags)
{
	return (flags & WAIT_EVENT_IOWAIT ? WAIT_IOWAIT : 0) |
	       (flags & WAIT_EVENT_NO_WAKEUP ? WAIT_NO_WAKEUP : 0);
}

/* A thread of the kernel is a process of its own. */
static uint32_t waker_of(struct registry *registry, uint32_t pid, uint32_t tgid, const char *comm)
{
	return pid ? registry__task(registry, pid, tgid ? tgid : pid, !tgid, comm) : 0;
}

static int add_sleep(struct wait_rows *w, const struct wait_event *event, uint32_t task,
		     struct registry *registry, struct trace_writer *writer)
{
	bool in_call = event->what == WAIT_EVENT_SLEPT_CALL;
	struct wait_row row = {
		.what = WAIT_SLEEP,
		.time_ns = in_call ? event->call_ns : event->time_ns,
		.duration_ns = in_call ? event->sleep_ns : event->end_ns - event->time_ns,
		.run_queue_ns = event->run_queue_ns,
		.call_ns = in_call ? event->time_ns : event->call_ns,
		.call = call_of(event->call),
		.task = task,
		.flags = sleep_flags(event->flags),
	};

	row.waker = waker_of(registry, event->waker_pid, event->waker_tgid, event->waker_comm);
	row.stack = wait_stacks__id(w->stacks, event->stack, writer);
	return append(w, writer, &row);
}

static int add_call(struct wait_rows *w, const struct wait_event *event, uint32_t task,
		    struct registry *registry, struct trace_writer *writer)
{
	struct wait_row row = {
		.what = WAIT_CALL,
		.time_ns = event->time_ns,
		.duration_ns = event->end_ns - event->time_ns,
		.run_queue_ns = event->run_queue_ns,
		.cpu_ns = event->cpu_ns,
		.sleep_ns = event->sleep_ns,
		.call_ns = event->time_ns,
		.count = 1,
		.call = call_of(event->call),
		.task = task,
	};

	/* The switch to the task was not seen: what followed is not known. */
	if (row.cpu_ns > row.duration_ns)
		row.cpu_ns = 0;
	/* Before Linux 5.11 inodes of block devices have the number 0. */
	if (event->mode)
		row.file = registry__file(registry, event->device, event->inode, event->mode,
					  (uint8_t)event->version, event->end_ns);
	return append(w, writer, &row);
}

int wait_rows__add(struct wait_rows *w, const struct wait_event *event, struct registry *registry,
		   struct trace_writer *writer, uint64_t active_ns, uint64_t stop_ns)
{
	uint32_t task;
	int err = 0;

	if (event->end_ns < active_ns || event->time_ns > stop_ns)
		return 0;
	task = registry__task(registry, event->pid, event->tgid, event->flags & WAIT_EVENT_KTHREAD,
			      event->comm);
	if (event->what != WAIT_EVENT_CALL)
		err = add_sleep(w, event, task, registry, writer);
	if (!err && event->what != WAIT_EVENT_SLEEP)
		err = add_call(w, event, task, registry, writer);
	return err;
}

/* Tables ---------------------------------------------------------------------------------------- */

static struct known_task *find_task(struct wait_rows *w, uint32_t pid, uint64_t since_ns)
{
	struct known_task *known;

	HASH_FIND_INT(w->tasks, &pid, known);
	if (known && known->since_ns == since_ns)
		return known;
	if (!known) {
		known = calloc(1, sizeof(*known));
		if (!known)
			return NULL;
		known->pid = pid;
		HASH_ADD_INT(w->tasks, pid, known);
	}
	known->since_ns = since_ns;
	known->exits = false;
	known->until_ns = known->cpu_ns = known->run_queue_ns = known->sleep_ns = 0;
	return known;
}

static uint64_t above(uint64_t value, uint64_t limit)
{
	return value > limit ? value - limit : 0;
}

static bool exits(const struct wait_task *task)
{
	return task->exits && task->in_ns && !task->ended;
}

/* What it does at this moment has lasted until now. */
static void add_present(const struct wait_task *task, uint64_t now_ns, struct wait_task *present)
{
	*present = *task;
	if (task->ended || exits(task))
		return;
	if (task->in_ns)
		present->cpu_ns += above(now_ns, task->in_ns);
	else if (task->asleep && !task->woken_ns)
		present->sleep_ns += above(now_ns, task->out_ns);
	else if (task->asleep) {
		present->sleep_ns += above(task->woken_ns, task->out_ns);
		present->run_queue_ns += above(now_ns, task->woken_ns);
	} else {
		present->run_queue_ns += above(now_ns, task->out_ns);
	}
}

/* It may go on, and then the next part has the whole row. */
static uint32_t cut_at_seam(const struct write *write)
{
	return write->until == WAITS_UNTIL_SEAM ? WAIT_CUT : 0;
}

/* It runs, and its last sleep is no record yet. */
static int append_last_sleep(struct write *write, const struct wait_task *task, uint32_t id)
{
	struct wait_row row = {
		.what = WAIT_SLEEP,
		.time_ns = task->slept_ns,
		.duration_ns = above(task->slept_until_ns, task->slept_ns),
		.run_queue_ns = above(task->in_ns, task->slept_until_ns),
		.call_ns = task->call_ns,
		.call = task->call_ns ? call_of(task->call) : WAIT_CALL_NONE,
		.task = id,
		.flags = sleep_flags(task->flags) | cut_at_seam(write),
	};

	if (task->ended || !task->slept_ns || row.time_ns + row.duration_ns < write->active_ns)
		return 0;
	row.waker = waker_of(write->registry, task->waker_pid, task->waker_tgid, task->waker_comm);
	row.stack = wait_stacks__id(write->w->stacks, task->stack, write->writer);
	return append(write->w, write->writer, &row);
}

static int append_unfinished(struct write *write, const struct wait_task *task, uint32_t id)
{
	bool woken = task->asleep && task->woken_ns;
	uint64_t end_ns = woken ? task->woken_ns : write->now_ns;
	struct wait_row row = {
		.what = WAIT_SLEEP,
		.time_ns = task->out_ns,
		.duration_ns = above(end_ns, task->out_ns),
		.run_queue_ns = woken ? above(write->now_ns, end_ns) : 0,
		.call_ns = task->call_ns,
		.call = task->call_ns ? call_of(task->call) : WAIT_CALL_NONE,
		.task = id,
		.flags = WAIT_CUT | (task->flags & WAIT_EVENT_IOWAIT ? WAIT_IOWAIT : 0),
		.stack = wait_stacks__id(write->w->stacks, task->stack, write->writer),
	};

	if (task->ended || !task->out_ns || !task->storage)
		return 0;
	return append(write->w, write->writer, &row);
}

/* Before Linux 5.11 inodes of block devices have the number 0. */
static uint32_t file_of_call(struct registry *registry, const struct wait_task *task,
			     uint64_t now_ns)
{
	if (!task->file_mode)
		return 0;
	return registry__file(registry, task->file_device, task->inode, task->file_mode,
			      (uint8_t)task->file_version, now_ns);
}

static int append_unfinished_call(struct write *write, const struct wait_task *task,
				  const struct wait_task *present, uint32_t id)
{
	uint64_t during_ns = above(present->cpu_ns, task->cpu_ns);
	struct wait_row row = {
		.what = WAIT_CALL,
		.time_ns = task->call_ns,
		.call_ns = task->call_ns,
		.duration_ns = above(write->now_ns, task->call_ns),
		.cpu_ns = task->call_cpu_ns + during_ns,
		.run_queue_ns =
			task->call_run_queue_ns + above(present->run_queue_ns, task->run_queue_ns),
		.sleep_ns = task->call_sleep_ns + above(present->sleep_ns, task->sleep_ns),
		.call = call_of(task->call),
		.count = 1,
		.flags = WAIT_CUT,
		.task = id,
	};

	if (task->ended || !task->call_ns)
		return 0;
	if (!(task->call & WAIT_NUMBER_NO_FILE))
		row.file = file_of_call(write->registry, task, write->now_ns);
	if (task->end_unseen && task->in_ns) {
		row.duration_ns = above(task->in_ns, task->call_ns);
		row.cpu_ns = task->call_cpu_ns;
		row.flags = cut_at_seam(write);
	}
	return append(write->w, write->writer, &row);
}

static int append_open(struct write *write, const struct wait_task *task,
		       const struct wait_task *present, uint32_t id)
{
	int err = append_last_sleep(write, task, id);

	if (!err)
		err = append_unfinished(write, task, id);
	return err ? err : append_unfinished_call(write, task, present, id);
}

static int note_ended(struct write *write, uint32_t pid)
{
	if (write->ended_count == write->ended_size) {
		size_t size = write->ended_size ? 2 * write->ended_size : 256;
		uint32_t *ended = realloc(write->ended, size * sizeof(*ended));

		if (!ended)
			return -ENOMEM;
		write->ended = ended;
		write->ended_size = size;
	}
	write->ended[write->ended_count++] = pid;
	return 0;
}

/*
 * A task whose exit has begun and that runs: perhaps the kernel did not report its last switch. Its time ends where it
 * began to run, until it is seen to leave. False: nothing is new; the second time it is over.
 */
static bool note_exit(struct known_task *known, const struct wait_task *task, uint64_t *end_ns,
		      bool *over)
{
	if (task->in_ns > known->until_ns) {
		*end_ns = task->in_ns;
		return true;
	}
	*over = known->exits;
	known->exits = true;
	return false;
}

static int write_task(const struct wait_task *task, void *context)
{
	struct write *write = context;
	struct known_task *known = find_task(write->w, task->pid, task->since_ns);
	uint64_t begin_ns, end_ns;
	struct wait_task present;
	struct wait_row row;
	bool over = false;
	int err = 0;

	if (!known)
		return -ENOMEM;
	/* The entry was read just now; only at the end does none change any more. */
	if (write->until != WAITS_UNTIL_END)
		write->now_ns = clock_ns(CLOCK_MONOTONIC);
	end_ns = task->ended ? task->out_ns : write->now_ns;
	if (exits(task) && !note_exit(known, task, &end_ns, &over))
		return over ? note_ended(write, task->pid) : 0;
	add_present(task, write->now_ns, &present);
	begin_ns = known->until_ns ? known->until_ns : task->since_ns;
	if (begin_ns < write->active_ns)
		begin_ns = write->active_ns;
	known->id = registry__task(write->registry, task->pid, task->tgid,
				   task->flags & WAIT_EVENT_KTHREAD, task->comm);
	row = (struct wait_row){
		.what = WAIT_TASK,
		.time_ns = end_ns,
		.duration_ns = above(end_ns, begin_ns),
		.cpu_ns = above(present.cpu_ns, known->cpu_ns),
		.run_queue_ns = above(present.run_queue_ns, known->run_queue_ns),
		.sleep_ns = above(present.sleep_ns, known->sleep_ns),
		.task = known->id,
	};
	known->until_ns = end_ns;
	known->cpu_ns = present.cpu_ns;
	known->run_queue_ns = present.run_queue_ns;
	known->sleep_ns = present.sleep_ns;
	if (row.duration_ns)
		err = append(write->w, write->writer, &row);
	if (!err && write->until != WAITS_UNTIL_TICK)
		err = append_open(write, task, &present, known->id);
	if (!err && task->ended)
		err = note_ended(write, task->pid);
	return err;
}

static struct known_calls *find_calls(struct wait_rows *w, const struct wait_calls_key *key,
				      uint64_t since_ns)
{
	struct known_calls *known;

	HASH_FIND(hh, w->calls, key, sizeof(*key), known);
	if (known && known->since_ns == since_ns)
		return known;
	if (!known) {
		known = calloc(1, sizeof(*known));
		if (!known)
			return NULL;
		known->key = *key;
		HASH_ADD(hh, w->calls, key, sizeof(*key), known);
	}
	known->since_ns = since_ns;
	memset(&known->written, 0, sizeof(known->written));
	return known;
}

/* The mean of all calls stands for those of each bucket, within its bounds. */
static int write_calls(const struct wait_calls_key *key, const struct wait_calls *calls,
		       void *context)
{
	struct write *write = context;
	struct known_task *task;
	struct known_calls *known;
	uint64_t left_ns, left = 0, low_sum = 0;
	int err = 0;

	HASH_FIND_INT(write->w->tasks, &key->pid, task);
	known = find_calls(write->w, key, task ? task->since_ns : 0);
	if (!known)
		return -ENOMEM;
	left_ns = above(calls->ns, known->written.ns);
	for (uint32_t i = 0; i < WAIT_BUCKETS; i++) {
		uint64_t count = above(calls->buckets[i], known->written.buckets[i]);

		left += count;
		low_sum += count * loglinear_number(i, WAIT_STEP_BITS);
	}
	for (uint32_t i = 0; i < WAIT_BUCKETS && !err && left; i++) {
		uint64_t count = above(calls->buckets[i], known->written.buckets[i]);
		uint64_t low = loglinear_number(i, WAIT_STEP_BITS);
		uint64_t more_ns = above(left_ns, low_sum);
		struct wait_row row = {
			.what = WAIT_CALLS,
			.time_ns = write->now_ns,
			.count = count,
			.low = low,
			.high = i + 1 < WAIT_BUCKETS ? loglinear_number(i + 1, WAIT_STEP_BITS) : 0,
			.call = call_of(key->call),
			.task = task ? task->id : 0,
		};

		if (!count)
			continue;
		/* Sums to exactly the time of all. */
		row.duration_ns = row.cpu_ns =
			count * low + (low_sum ? (uint64_t)((double)more_ns *
							    (double)(count * low) / (double)low_sum)
					       : 0);
		if (count == left)
			row.duration_ns = row.cpu_ns = left_ns;
		left -= count;
		low_sum -= count * low;
		left_ns = above(left_ns, row.duration_ns);
		err = append(write->w, write->writer, &row);
	}
	known->written = *calls;
	return err;
}

/* All of an ended task is written, and another one can get its number. */
static void forget_task(struct wait_rows *w, uint32_t pid)
{
	struct known_task *task;

	probes__forget_wait_task(w->probes, pid);
	HASH_FIND_INT(w->tasks, &pid, task);
	if (task) {
		HASH_DEL(w->tasks, task);
		free(task);
	}
	for (uint32_t call = 0; call <= WAIT_NUMBER_CALL; call++) {
		struct wait_calls_key key = {.pid = pid, .call = call};
		struct known_calls *calls;

		HASH_FIND(hh, w->calls, &key, sizeof(key), calls);
		if (!calls)
			continue;
		HASH_DEL(w->calls, calls);
		free(calls);
	}
}

static void log_end(const struct wait_rows *w)
{
	pr_debug(
		"%llu switches to tasks were not reported by the kernel; their times were computed",
		(unsigned long long)probes__computed_switches(w->probes));
	pr_debug("waits: %u tasks and %u kinds of their calls are remembered at the end",
		 HASH_COUNT(w->tasks), HASH_COUNT(w->calls));
}

int wait_rows__write(struct wait_rows *w, struct registry *registry, struct trace_writer *writer,
		     uint64_t active_ns, uint64_t now_ns, enum wait_rows_until until)
{
	struct write write = {w, registry, writer, active_ns, now_ns, until, NULL, 0, 0};
	int err = probes__each_wait_task(w->probes, write_task, &write);

	if (!err)
		err = probes__each_wait_calls(w->probes, write_calls, &write);
	for (size_t i = 0; i < write.ended_count; i++)
		forget_task(w, write.ended[i]);
	free(write.ended);
	if (until == WAITS_UNTIL_END)
		log_end(w);
	return err;
}
