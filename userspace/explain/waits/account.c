// SPDX-License-Identifier: MIT
#include "explain/waits/account.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/reorder_window.h"
#include "base/units.h"
#include "explain/waits/cut_row.h"
#include "explain/waits/end_clip.h"
#include "explain/waits/file_systems.h"
#include "explain/waits/io_limit.h"
#include "explain/waits/open_sleeps.h"
#include "explain/waits/figures.h"
#include "explain/waits/join.h"
#include "explain/waits/worst.h"
#include "explain/waits/worker_sleeps.h"
#include "trace/row_time.h"

#define TASKS_MAX 4096u /* with figures of their own */
#define HELD_MAX  65536u
#define HELD_NS	  (2 * NSEC_PER_SEC) /* rows of one time are written within a second */

struct task {
	uint32_t key; /* its number, or its table id where several hosts have numbers */
	struct wait_figures figures;
	struct kept_io
		limited;  /* the last IO that a limit of its cgroup held back; cgroup 0: none */
	bool is_here;	  /* it used a file or an IO of a recorded device */
	uint64_t from_ns; /* its time begins; 0: not known */
	uint64_t slept_until_ns; /* the end of its last sleep */
	struct wait_row cut[2];	 /* its last sleep and call that had not ended; duration 0: none */
	struct open_sleeps open;
	struct worker_sleeps as_worker;
	UT_hash_handle hh;
};

struct wait_account {
	const struct explain_tables *tables;
	explain_takes_fn *takes; /* NULL: every device is explained */
	const void *context;
	struct file_systems *file_systems;
	struct kept_ios *ios;
	struct wait_join *join;
	struct blame *blame;
	struct task *tasks;
	uint64_t left_out;
	bool has_hosts;
	uint64_t end_ns;	     /* what is after it is left out */
	struct reorder_window *held; /* calls, and sleeps outside of calls, by their ends */
	struct explain_waits result; /* without tasks */
	bool failed;
};

struct wait_account *wait_account__new(const struct explain_tables *tables, struct writers *writers,
				       explain_takes_fn *takes, const void *context)
{
	struct wait_account *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->tables = tables;
	a->takes = takes;
	a->context = context;
	a->end_ns = UINT64_MAX;
	a->file_systems = file_systems__new(tables);
	a->ios = kept_ios__new();
	if (a->ios) {
		a->join = wait_join__new(tables, a->ios);
		a->blame = blame__new(tables, a->ios, writers);
	}
	if (!a->join || !a->blame || !a->file_systems) {
		wait_account__free(a);
		return NULL;
	}
	return a;
}

void wait_account__free(struct wait_account *a)
{
	struct task *task, *next;

	if (!a)
		return;
	reorder_window__free(a->held);
	HASH_ITER (hh, a->tasks, task, next) {
		HASH_DEL(a->tasks, task);
		wait_figures__free(&task->figures);
		open_sleeps__free(&task->open);
		worker_sleeps__free(&task->as_worker);
		free(task);
	}
	for (uint32_t i = 0; i < a->result.worst_count; i++)
		free(a->result.worst[i].file);
	wait_join__free(a->join);
	blame__free(a->blame);
	file_systems__free(a->file_systems);
	kept_ios__free(a->ios);
	free(a);
}

static const char *functions_of(const struct wait_account *a, uint32_t stack)
{
	const struct trace_stack *entry =
		a->tables->stack ? a->tables->stack(a->tables->context, stack) : NULL;

	return entry ? entry->functions : "";
}

void wait_account__join_hosts(struct wait_account *a)
{
	a->has_hosts = true;
}

void wait_account__end_at(struct wait_account *a, uint64_t end_ns)
{
	a->end_ns = end_ns;
	blame__end_at(a->blame, end_ns);
}

/* Threads are told apart by their number, whatever their name. */
static uint32_t key_of(const struct wait_account *a, uint32_t id)
{
	const struct trace_task *entry = a->tables->task(a->tables->context, id);

	return a->has_hosts ? id : entry ? entry->pid : 0;
}

/* *found is NULL beyond the bound. */
static int task_of(struct wait_account *a, uint32_t id, struct task **found)
{
	const struct trace_task *entry = a->tables->task(a->tables->context, id);
	uint32_t key = key_of(a, id);
	struct task *task;

	HASH_FIND_INT(a->tasks, &key, task);
	if (!task && HASH_COUNT(a->tasks) >= TASKS_MAX) {
		a->left_out++;
		*found = NULL;
		return 0;
	}
	if (!task) {
		task = calloc(1, sizeof(*task));
		if (!task)
			return -ENOMEM;
		task->key = key;
		HASH_ADD_INT(a->tasks, key, task);
	}
	if (entry) {
		task->figures.task.pid = entry->pid;
		task->figures.task.tgid = entry->tgid;
		task->figures.task.kernel_thread = entry->kernel_thread;
		memcpy(task->figures.task.comm, entry->comm, sizeof(task->figures.task.comm));
	}
	*found = task;
	return 0;
}

/* Who made it wait, and its place among the longest. */
static int note_sleep(struct wait_account *a, const struct task *task, struct explain_calls *calls,
		      const struct wait_row *sleep, uint32_t file, uint64_t place,
		      const uint64_t ns[CAUSE_COUNT])
{
	struct explain_worst_wait found = {
		.cause = wait_cause_largest(ns),
		.pid = task->figures.task.pid,
		.kind = calls->kind,
	};
	struct blame_others others = {0};
	struct wait_row clipped = *sleep;
	struct blame_most most;
	int err = 0;

	/* Disks of several hosts have one number, too, so that the device of a file is not known. */
	if (!a->has_hosts)
		err = blame__add(a->blame, sleep, file, place, ns, &others);
	if (err)
		return err;
	err = wait_figures__add_others(calls, &others);
	if (err)
		return err;
	most = blame_most_of(&others);
	memcpy(found.comm, task->figures.task.comm, sizeof(found.comm));
	clipped.duration_ns = end_clip_ns(sleep, a->end_ns);
	wait_worst_note(&a->result, a->tables, &found, &clipped, functions_of(a, sleep->stack),
			file, &most);
	return 0;
}

static bool is_for_writes(enum wait_cause cause)
{
	return cause == CAUSE_JOURNAL || cause == CAUSE_WRITEBACK_OF_PAGE || cause == CAUSE_FLUSH;
}

static bool is_for_writes_of_worker(enum wait_cause cause, const char *functions)
{
	return is_for_writes(cause) && wait_cause_is_in_io_worker(functions);
}

/* What the task submitted since `since_ns` is what it sleeps for. */
static int add_sleep(struct wait_account *a, struct task *task, struct explain_calls *calls,
		     const struct wait_row *sleep, uint32_t file, uint64_t since_ns)
{
	const char *functions = functions_of(a, sleep->stack);
	enum wait_cause cause = wait_cause_of_stack(functions);
	uint64_t ns[CAUSE_COUNT] = {0}, place = KEPT_IOS_NONE;
	int err = 0;

	wait_figures__note_quality(&task->figures, sleep, functions);
	task->is_here |= cause >= CAUSE_COUNT || is_for_writes_of_worker(cause, functions);
	if (cause < CAUSE_COUNT)
		ns[cause] = sleep->duration_ns;
	else
		place = wait_join__divide(a->join, sleep, cause, file, since_ns, ns);
	end_clip_parts(sleep, a->end_ns, ns);
	if (ns[CAUSE_CGROUP_LIMIT] && place != KEPT_IOS_NONE)
		task->limited = *kept_ios__at(a->ios, place);
	if (ns[CAUSE_OTHER])
		err = wait_figures__add_other(&task->figures, functions, ns[CAUSE_OTHER]);
	if (!err && place != KEPT_IOS_NONE)
		err = wait_figures__add_to_device(&task->figures,
						  kept_ios__at(a->ios, place)->device, ns);
	for (cause = 0; cause < CAUSE_COUNT; cause++)
		if (ns[cause])
			wait_figures__add(&task->figures, calls, cause, ns[cause]);
	return task->is_here && !err ? note_sleep(a, task, calls, sleep, file, place, ns) : err;
}

static void add_run_queue(struct task *task, struct explain_calls *calls, uint64_t ns)
{
	if (ns)
		wait_figures__add(&task->figures, calls, CAUSE_RUN_QUEUE, ns);
}

/*
 * Calls whose file is on another device are not followed; those by path have no file (truncate, sync, msync). sync waits
 * for all devices.
 */
static bool waits_here(const struct wait_account *a, const struct wait_row *call,
		       const struct sleep *sleeps)
{
	if (call->file)
		return true;
	for (; call->call == WAIT_CALL_SYNC && sleeps; sleeps = sleeps->next)
		if (wait_join__has_write(a->join, &sleeps->row))
			return true;
	return false;
}

/* A call that is seen from its first sleep on asked for its pages before it. */
static uint64_t asked_since_ns(const struct task *task, const struct wait_row *call,
			       const struct sleep *sleeps)
{
	bool begins_asleep = sleeps && sleeps->row.time_ns == call->call_ns;

	return begins_asleep ? task->slept_until_ns : call->call_ns;
}

static int add_call(struct wait_account *a, struct task *task, const struct wait_row *call,
		    const struct sleep *sleeps)
{
	struct explain_calls *calls =
		wait_figures__calls(&task->figures, wait_call_name(call->call));
	uint64_t slept_ns = 0, since_ns = asked_since_ns(task, call, sleeps);
	int err = 0;

	task->is_here |= waits_here(a, call, sleeps);
	for (const struct sleep *sleep = sleeps; sleep && !err; sleep = sleep->next) {
		slept_ns += end_clip_ns(&sleep->row, a->end_ns);
		if (sleep->row.duration_ns)
			err = add_sleep(a, task, calls, &sleep->row, call->file, since_ns);
	}
	slept_ns += call->cpu_ns + call->run_queue_ns;
	if (call->duration_ns > slept_ns)
		task->figures.unaccounted_ns += call->duration_ns - slept_ns;
	add_run_queue(task, calls, call->run_queue_ns);
	wait_figures__add_to_calls(calls, CAUSE_CPU, call->cpu_ns, 1);
	calls->count += call->count;
	calls->ns += call->duration_ns;
	return err ? err : wait_figures__count(calls, call->duration_ns, 1);
}

/*
 * A sleep for IO that no file tells about counts where an IO of a recorded device ended it: a page
 * fault can be on any device, and a call for completions can wait for a socket. A wait for what is
 * written, as in rename(2), counts where a recorded device wrote meanwhile. A sleep in a call on a
 * file of a recorded device knows its call.
 */
static bool is_elsewhere(const struct wait_account *a, const struct wait_row *sleep)
{
	const char *functions = functions_of(a, sleep->stack);
	enum wait_cause cause = wait_cause_of_stack(functions);

	if (cause >= CAUSE_COUNT)
		return !wait_join__has_io(a->join, sleep, cause);
	if (!sleep->call_ns && wait_cause_is_in_file_call(functions) &&
	    !is_for_writes_of_worker(cause, functions))
		return true;
	return is_for_writes(cause) && !wait_join__has_write(a->join, sleep);
}

static bool is_call_elsewhere(const struct wait_account *a, const struct wait_row *call,
			      const struct sleep *sleeps)
{
	if (call->file)
		return false;
	for (const struct sleep *sleep = sleeps; sleep; sleep = sleep->next)
		if (!is_elsewhere(a, &sleep->row))
			return false;
	return sleeps != NULL;
}

/* Who waits for a completion that a worker of io_uring brings waits for what the worker sleeps for. */
static int follow_workers(const struct wait_account *a, struct wait_row *call, struct sleep *sleeps)
{
	int err = 0;

	for (struct sleep *next; wait_join__is_for_completions(call) && sleeps && !err;
	     sleeps = next) {
		uint32_t key = key_of(a, sleeps->row.waker);
		uint64_t left_out_ns;
		struct task *worker;

		next = sleeps->next;
		HASH_FIND_INT(a->tasks, &key, worker);
		if (!worker || !worker->as_worker.count ||
		    wait_cause_of_stack(functions_of(a, sleeps->row.stack)) != CAUSE_OF_IO)
			continue;
		err = worker_sleeps__replace(&worker->as_worker, sleeps, &left_out_ns);
		call->duration_ns -=
			left_out_ns < call->duration_ns ? left_out_ns : call->duration_ns;
	}
	return err;
}

/* A call for completions sleeps also while no IO of a recorded device exists for it: that part is elsewhere. */
static void leave_out_idle(const struct wait_account *a, struct wait_row *call,
			   struct sleep *sleeps)
{
	for (; wait_join__is_for_completions(call) && sleeps; sleeps = sleeps->next) {
		struct wait_row *sleep = &sleeps->row;
		uint64_t idle_ns;

		if (wait_cause_of_stack(functions_of(a, sleep->stack)) != CAUSE_OF_IO)
			continue;
		idle_ns = wait_join__idle_ns(a->join, sleep);
		sleep->time_ns += idle_ns;
		sleep->duration_ns -= idle_ns;
		call->duration_ns -= idle_ns < call->duration_ns ? idle_ns : call->duration_ns;
	}
}

static int add_lone_sleep(struct wait_account *a, struct task *task, const struct wait_row *sleep)
{
	const char *place = wait_cause_place(functions_of(a, sleep->stack));
	uint64_t run_queue_ns = end_clip_run_queue_ns(sleep, a->end_ns);
	uint64_t ns = end_clip_ns(sleep, a->end_ns) + run_queue_ns;
	struct explain_calls *calls;
	int err;

	if (is_elsewhere(a, sleep))
		return 0;
	calls = wait_figures__calls(&task->figures, place);
	err = add_sleep(a, task, calls, sleep, 0, task->slept_until_ns);
	add_run_queue(task, calls, run_queue_ns);
	calls->count++;
	calls->ns += ns;
	return err ? err : wait_figures__count(calls, ns, 1);
}

/* Whether a sleep is for a device that is explained: by the IO that ended it, else by the file of its call. */
static bool is_sleep_for_taken(const struct wait_account *a, const struct wait_row *sleep,
			       uint32_t file)
{
	enum wait_cause cause = wait_cause_of_stack(functions_of(a, sleep->stack));
	enum wait_device device = WAIT_DEVICE_UNKNOWN;

	if (cause >= CAUSE_COUNT)
		device = wait_join__device(a->join, sleep, cause, file, a->takes, a->context);
	if (device != WAIT_DEVICE_UNKNOWN)
		return device == WAIT_DEVICE_TAKEN;
	return file && file_systems__uses_any(a->file_systems, file, a->takes, a->context);
}

static bool is_for_taken(const struct wait_account *a, const struct sleep *sleeps, uint32_t file)
{
	if (!a->takes)
		return true;
	for (; sleeps; sleeps = sleeps->next)
		if (is_sleep_for_taken(a, &sleeps->row, file))
			return true;
	return false;
}

/* Held rows ------------------------------------------------------------------------------------- */

static int release_call(struct wait_account *a, struct task *task, struct wait_row call)
{
	uint64_t drop_ns = call.call_ns > HELD_NS ? call.call_ns - HELD_NS : 0;
	struct sleep *sleeps = open_sleeps__take(&task->open, call.call_ns, drop_ns);
	bool is_left = call_row_clip(&call, sleeps, task->from_ns);
	int err = follow_workers(a, &call, sleeps);

	leave_out_idle(a, &call, sleeps);
	end_clip_call(&call, sleeps, a->end_ns);
	if (!err && is_left && !is_call_elsewhere(a, &call, sleeps) &&
	    is_for_taken(a, sleeps, call.file))
		err = add_call(a, task, &call, sleeps);
	sleep__free(sleeps);
	return err;
}

static int release_sleep(struct wait_account *a, struct task *task, const struct wait_row *row)
{
	struct sleep sleep = {.row = *row};
	int err = 0;

	if (!sleep_row_clip(&sleep.row, task->from_ns))
		return 0;
	if (wait_cause_is_in_io_request(functions_of(a, row->stack)))
		err = worker_sleeps__add(&task->as_worker, &sleep.row);
	return err || !is_for_taken(a, &sleep, 0) ? err : add_lone_sleep(a, task, &sleep.row);
}

static int release_first(struct wait_account *a)
{
	const struct wait_row *row = reorder_window__pop(a->held);
	struct task *task = NULL;
	int err = task_of(a, row->task, &task);

	if (!err && task)
		err = row->what == WAIT_SLEEP ? release_sleep(a, task, row)
					      : release_call(a, task, *row);
	if (task && task->slept_until_ns < wait_row_end_ns(row))
		task->slept_until_ns = wait_row_end_ns(row);
	return err;
}

static int release_until(struct wait_account *a, uint64_t until_ns)
{
	uint64_t end_ns;
	int err = 0;

	if (!a->held)
		return 0;
	while (!err && reorder_window__first(a->held, &end_ns) && end_ns <= until_ns)
		err = release_first(a);
	return err;
}

static int hold(struct wait_account *a, const struct wait_row *row)
{
	struct wait_row *place;
	int err = a->held ? 0 : reorder_window__create(HELD_MAX, sizeof(*row), &a->held);

	if (!err && reorder_window__full(a->held))
		err = release_first(a);
	if (err)
		return err;
	place = reorder_window__push(a->held, wait_row_end_ns(row), 0);
	*place = *row;
	return 0;
}

int wait_account__add_io(struct wait_account *a, const struct io_row *row)
{
	int err = kept_ios__add(a->ios, row) ? blame__learn_io(a->blame, row) : 0;

	if (!err && a->takes && row->file)
		err = file_systems__learn(a->file_systems, row->file, row->device);
	if (err)
		return err;
	return row->completed_ns < HELD_NS ? 0 : release_until(a, row->completed_ns - HELD_NS);
}

static int add_counted(const struct wait_account *a, struct task *task, const struct wait_row *row)
{
	struct explain_calls *calls =
		wait_figures__calls(&task->figures, wait_call_name(row->call));
	uint64_t middle_ns = row->high ? row->low + (row->high - row->low) / 2 : row->low;

	/* Their file is not known. */
	task->is_here |= !a->takes;
	calls->count += row->count;
	calls->ns += row->duration_ns;
	wait_figures__add_to_calls(calls, CAUSE_CPU, row->cpu_ns, row->count);
	return wait_figures__count(calls, middle_ns, row->count);
}

static int add_wait(struct wait_account *a, struct task *task, const struct wait_row *row)
{
	int err = 0;

	if (row->what == WAIT_SLEEP && row->call_ns)
		return open_sleeps__add(&task->open, row);
	if (row->what == WAIT_CALL)
		err = blame__learn_call(a->blame, row);
	return err ? err : hold(a, row);
}

static int add_whole_or_cut(struct wait_account *a, struct task *task, const struct wait_row *row)
{
	struct wait_row counts;

	return cut_row__next(&task->cut[row->what == WAIT_CALL], row, &counts)
		       ? add_wait(a, task, &counts)
		       : 0;
}

static int add_cut(struct wait_account *a)
{
	struct task *task, *next;
	int err = 0;

	HASH_ITER (hh, a->tasks, task, next)
		for (unsigned int i = 0; i < 2 && !err; i++)
			if (task->cut[i].duration_ns)
				err = add_wait(a, task, &task->cut[i]);
	return err;
}

static void add_time(struct task *task, const struct wait_row *row)
{
	uint64_t from_ns = row->time_ns - row->duration_ns;

	if (!task->from_ns || from_ns < task->from_ns)
		task->from_ns = from_ns;
	task->figures.task.wall_ns += row->duration_ns;
	task->figures.task.cpu_ns += row->cpu_ns;
	task->figures.task.run_queue_ns += row->run_queue_ns;
	task->figures.task.sleep_ns += row->sleep_ns;
}

int wait_account__add(struct wait_account *a, const struct wait_row *row)
{
	struct task *task;
	int err = task_of(a, row->task, &task);

	a->result.recorded = true;
	if (err || !task)
		return err;
	switch (row->what) {
	case WAIT_SLEEP:
	case WAIT_CALL:
		return add_whole_or_cut(a, task, row);
	case WAIT_CALLS:
		return add_counted(a, task, row);
	case WAIT_TASK:
		add_time(task, row);
		break;
	}
	return 0;
}

/* The end --------------------------------------------------------------------------------------- */

/* Others are known for sleeps that had to do with no recorded device. */
static int finish_tasks(struct wait_account *a, struct explain_waits *w)
{
	struct wait_figures **here = calloc(HASH_COUNT(a->tasks) + 1, sizeof(*here));
	struct task *task, *next;
	uint32_t count = 0;
	int err = 0;

	if (!here)
		return -ENOMEM;
	HASH_ITER (hh, a->tasks, task, next) {
		if (err || !task->is_here)
			continue;
		here[count++] = &task->figures;
		err = io_limit__find(a->tables, &task->limited, &task->figures.task.limit);
	}
	if (!err)
		err = wait_figures__finish(here, count, w);
	free(here);
	return err;
}

int wait_account__finish(struct wait_account *a, struct explanation *x)
{
	struct explain_waits *w = &x->waits;
	int err = add_cut(a);

	if (!err)
		err = release_until(a, UINT64_MAX);
	if (err)
		return err;
	*w = a->result;
	a->result.worst_count = 0;
	w->left_out = a->left_out;
	wait_figures__quality(x);
	err = finish_tasks(a, w);
	if (err)
		return err;
	return blame__finish(a->blame, w);
}
