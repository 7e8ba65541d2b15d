// SPDX-License-Identifier: MIT
#include "explain/figures/wait_account.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/loglinear.h"
#include "base/units.h"
#include "explain/figures/blame.h"
#include "explain/figures/wait_join.h"
#include "explain/figures/wait_worst.h"

#define TASKS_MAX     4096u /* with figures of their own */
#define HELD_MAX      65536u
#define HELD_NS	      (2 * NSEC_PER_SEC) /* rows of one time are written within a second */
#define KIND_MAX      24u		 /* enum wait_call, and the places outside of calls */
#define SCALE_BUCKETS ((64 - 3 + 1) << 3)

static const struct loglinear scale = {.unit = 1, .step_bits = 3, .buckets = SCALE_BUCKETS};

struct calls {
	struct explain_calls figures;
	uint64_t *counts; /* by duration */
};

struct task {
	uint32_t pid;
	struct explain_wait_task figures;
	struct calls kinds[KIND_MAX];
	uint32_t limited_cgroup; /* whose limit held it back; 0: not known */
	bool is_here;		 /* it used a file or an IO of a recorded device */
	uint64_t slept_until_ns; /* the end of its last sleep */
	struct sleep *open;	 /* sleeps of the call that has not ended */
	UT_hash_handle hh;
};

struct sleep {
	struct sleep *next;
	struct wait_row row;
};

/* A call with its sleeps, or a sleep outside of calls. */
struct held {
	struct held *next;
	struct wait_row call; /* what: WAIT_SLEEP where there is none */
	struct sleep *sleeps;
	uint64_t end_ns;
};

struct wait_account {
	const struct explain_tables *tables;
	struct kept_ios *ios;
	struct wait_join *join;
	struct blame *blame;
	struct task *tasks;
	uint64_t left_out;
	struct held *first, **last;
	uint32_t held_count;
	struct explain_waits result; /* without tasks */
	bool failed;
};

struct wait_account *wait_account__new(const struct explain_tables *tables)
{
	struct wait_account *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->tables = tables;
	a->last = &a->first;
	a->ios = kept_ios__new();
	if (a->ios) {
		a->join = wait_join__new(tables, a->ios);
		a->blame = blame__new(tables, a->ios);
	}
	if (!a->join || !a->blame) {
		wait_account__free(a);
		return NULL;
	}
	return a;
}

static void free_sleeps(struct sleep *sleep)
{
	while (sleep) {
		struct sleep *next = sleep->next;

		free(sleep);
		sleep = next;
	}
}

void wait_account__free(struct wait_account *a)
{
	struct task *task, *next;

	if (!a)
		return;
	while (a->first) {
		struct held *held = a->first;

		a->first = held->next;
		free_sleeps(held->sleeps);
		free(held);
	}
	HASH_ITER (hh, a->tasks, task, next) {
		HASH_DEL(a->tasks, task);
		for (unsigned int i = 0; i < KIND_MAX; i++)
			free(task->kinds[i].counts);
		free_sleeps(task->open);
		free(task->figures.calls);
		free(task);
	}
	for (uint32_t i = 0; i < a->result.worst_count; i++)
		free(a->result.worst[i].file);
	wait_join__free(a->join);
	blame__free(a->blame);
	kept_ios__free(a->ios);
	free(a);
}

static const char *functions_of(const struct wait_account *a, uint32_t stack)
{
	const struct trace_stack *entry =
		a->tables->stack ? a->tables->stack(a->tables->context, stack) : NULL;

	return entry ? entry->functions : "";
}

/* *found is NULL beyond the bound. Threads are told apart by their number, whatever their name. */
static int task_of(struct wait_account *a, uint32_t id, struct task **found)
{
	const struct trace_task *entry = a->tables->task(a->tables->context, id);
	uint32_t pid = entry ? entry->pid : 0;
	struct task *task;

	HASH_FIND_INT(a->tasks, &pid, task);
	if (!task && HASH_COUNT(a->tasks) >= TASKS_MAX) {
		a->left_out++;
		*found = NULL;
		return 0;
	}
	if (!task) {
		task = calloc(1, sizeof(*task));
		if (!task)
			return -ENOMEM;
		task->pid = pid;
		HASH_ADD_INT(a->tasks, pid, task);
	}
	if (entry) {
		task->figures.pid = entry->pid;
		task->figures.tgid = entry->tgid;
		task->figures.kernel_thread = entry->kernel_thread;
		memcpy(task->figures.comm, entry->comm, sizeof(task->figures.comm));
	}
	*found = task;
	return 0;
}

/* Figures --------------------------------------------------------------------------------------- */

/* The entry of a kind of call; `kind` is one of a static text. */
static struct explain_calls *calls_of(struct task *task, const char *kind)
{
	for (unsigned int i = 0; i < KIND_MAX; i++) {
		struct explain_calls *calls = &task->kinds[i].figures;

		if (!calls->kind)
			calls->kind = kind;
		if (!strcmp(calls->kind, kind))
			return calls;
	}
	return &task->kinds[KIND_MAX - 1].figures;
}

static int count_durations(struct task *task, struct explain_calls *calls, uint64_t ns,
			   uint64_t count)
{
	struct calls *holder = (struct calls *)calls;

	if (!holder->counts)
		holder->counts = calloc(SCALE_BUCKETS, sizeof(*holder->counts));
	if (!holder->counts)
		return -ENOMEM;
	holder->counts[loglinear_bucket(&scale, ns)] += count;
	if (ns > calls->max_ns)
		calls->max_ns = ns;
	return 0;
}

static void add_cause(struct explain_cause *causes, enum wait_cause cause, uint64_t ns,
		      uint64_t count)
{
	causes[cause].ns += ns;
	causes[cause].count += count;
}

static enum wait_cause largest(const uint64_t ns[CAUSE_COUNT])
{
	enum wait_cause most = CAUSE_OTHER;

	for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++)
		if (ns[cause] > ns[most])
			most = cause;
	return most;
}

static void add_culprit(struct explain_calls *calls, const struct blame_most *other)
{
	struct explain_culprit *found = NULL;

	for (uint32_t i = 0; i < calls->culprit_count; i++) {
		struct explain_culprit *culprit = &calls->culprits[i];

		if (culprit->cause == other->cause && !strcmp(culprit->name, other->culprit))
			found = culprit;
	}
	if (!found && calls->culprit_count < EXPLAIN_CULPRITS) {
		found = &calls->culprits[calls->culprit_count++];
		*found = (struct explain_culprit){.cause = other->cause};
		memcpy(found->name, other->culprit, sizeof(found->name));
	}
	if (found)
		found->ns += other->ns;
}

static void add_others(struct explain_calls *calls, const struct blame_others *others)
{
	for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++)
		calls->others_ns[cause] += others->ns[cause];
	for (uint32_t i = 0; i < others->count; i++)
		add_culprit(calls, &others->list[i]);
}

/* Who made it wait, and its place among the longest. */
static int note_sleep(struct wait_account *a, const struct task *task, struct explain_calls *calls,
		      const struct wait_row *sleep, uint32_t file, uint64_t place,
		      const uint64_t ns[CAUSE_COUNT])
{
	struct explain_worst_wait found = {
		.cause = largest(ns),
		.pid = task->figures.pid,
		.kind = calls->kind,
	};
	struct blame_others others;
	struct blame_most most;
	int err = blame__add(a->blame, sleep, file, place, ns, &others);

	if (err)
		return err;
	add_others(calls, &others);
	most = blame_most_of(&others);
	memcpy(found.comm, task->figures.comm, sizeof(found.comm));
	wait_worst_note(&a->result, a->tables, &found, sleep, functions_of(a, sleep->stack), file,
			&most);
	return 0;
}

/* Outside of a call, what it submitted since its last sleep is what it sleeps for. */
static int add_sleep(struct wait_account *a, struct task *task, struct explain_calls *calls,
		     const struct wait_row *sleep, uint32_t file)
{
	const char *functions = functions_of(a, sleep->stack);
	enum wait_cause cause = wait_cause_of_stack(functions);
	uint64_t ns[CAUSE_COUNT] = {0}, place = KEPT_IOS_NONE;

	a->result.unexplained += !*functions;
	task->is_here |= cause >= CAUSE_COUNT;
	if (cause < CAUSE_COUNT)
		ns[cause] = sleep->duration_ns;
	else
		place = wait_join__divide(a->join, sleep, cause, file,
					  sleep->call_ns ? sleep->call_ns : task->slept_until_ns,
					  ns);
	if (ns[CAUSE_CGROUP_LIMIT] && place != KEPT_IOS_NONE)
		task->limited_cgroup = kept_ios__at(a->ios, place)->cgroup;
	if (ns[CAUSE_OTHER])
		wait_worst_note_other(&a->result, functions, ns[CAUSE_OTHER]);
	for (cause = 0; cause < CAUSE_COUNT; cause++) {
		if (!ns[cause])
			continue;
		add_cause(calls->causes, cause, ns[cause], 1);
		add_cause(task->figures.causes, cause, ns[cause], 1);
	}
	return task->is_here ? note_sleep(a, task, calls, sleep, file, place, ns) : 0;
}

static void add_run_queue(struct wait_account *a, struct task *task, struct explain_calls *calls,
			  uint64_t ns)
{
	if (!ns)
		return;
	add_cause(calls->causes, CAUSE_RUN_QUEUE, ns, 1);
	add_cause(task->figures.causes, CAUSE_RUN_QUEUE, ns, 1);
}

/* Calls whose file is on another device are not followed; those by path have none (truncate, sync, msync). */
static bool has_own_file(const struct wait_row *call)
{
	return call->file != 0;
}

/* sync waits for all devices. */
static bool waits_here(const struct wait_account *a, const struct wait_row *call,
		       const struct sleep *sleeps)
{
	if (has_own_file(call))
		return true;
	for (; call->call == WAIT_CALL_SYNC && sleeps; sleeps = sleeps->next)
		if (wait_join__has_write(a->join, &sleeps->row))
			return true;
	return false;
}

static int add_call(struct wait_account *a, struct task *task, const struct held *held)
{
	const struct wait_row *call = &held->call;
	struct explain_calls *calls = calls_of(task, wait_call_name(call->call));
	uint64_t slept_ns = 0;
	int err = 0;

	task->is_here |= waits_here(a, call, held->sleeps);
	for (const struct sleep *sleep = held->sleeps; sleep && !err; sleep = sleep->next) {
		slept_ns += sleep->row.duration_ns;
		err = add_sleep(a, task, calls, &sleep->row, call->file);
	}
	slept_ns += call->cpu_ns + call->run_queue_ns;
	if (call->duration_ns > slept_ns)
		a->result.unaccounted_ns += call->duration_ns - slept_ns;
	add_run_queue(a, task, calls, call->run_queue_ns);
	add_cause(calls->causes, CAUSE_CPU, call->cpu_ns, 1);
	calls->count += call->count;
	calls->ns += call->duration_ns;
	return err ? err : count_durations(task, calls, call->duration_ns, 1);
}

/*
 * A sleep for IO that no file tells about counts where an IO of a recorded device ended it: a page
 * fault can be on any device, and a call for completions can wait for a socket. A sleep in a call on a
 * file of a recorded device knows its call.
 */
static bool is_elsewhere(const struct wait_account *a, const struct wait_row *sleep)
{
	const char *functions = functions_of(a, sleep->stack);
	enum wait_cause cause = wait_cause_of_stack(functions);

	if (cause >= CAUSE_COUNT)
		return !wait_join__has_io(a->join, sleep, cause);
	return !sleep->call_ns && wait_cause_is_in_file_call(functions);
}

static bool is_call_elsewhere(const struct wait_account *a, const struct held *held)
{
	if (has_own_file(&held->call))
		return false;
	for (const struct sleep *sleep = held->sleeps; sleep; sleep = sleep->next)
		if (!is_elsewhere(a, &sleep->row))
			return false;
	return held->sleeps != NULL;
}

static int add_lone_sleep(struct wait_account *a, struct task *task, const struct wait_row *sleep)
{
	const char *place = wait_cause_place(functions_of(a, sleep->stack));
	uint64_t ns = sleep->duration_ns + sleep->run_queue_ns;
	struct explain_calls *calls;
	int err;

	if (is_elsewhere(a, sleep))
		return 0;
	calls = calls_of(task, place);
	err = add_sleep(a, task, calls, sleep, 0);

	add_run_queue(a, task, calls, sleep->run_queue_ns);
	calls->count++;
	calls->ns += ns;
	return err ? err : count_durations(task, calls, ns, 1);
}

/* Held rows ------------------------------------------------------------------------------------- */

static int release_first(struct wait_account *a)
{
	struct held *held = a->first;
	struct task *task = NULL;
	uint64_t end_ns = held->end_ns;
	int err = task_of(a, held->call.task, &task);

	a->first = held->next;
	if (!a->first)
		a->last = &a->first;
	a->held_count--;
	if (!err && task && !is_call_elsewhere(a, held))
		err = held->call.what == WAIT_SLEEP ? add_lone_sleep(a, task, &held->call)
						    : add_call(a, task, held);
	if (task && task->slept_until_ns < end_ns)
		task->slept_until_ns = end_ns;
	free_sleeps(held->sleeps);
	free(held);
	return err;
}

static int release_until(struct wait_account *a, uint64_t until_ns)
{
	int err = 0;

	while (a->first && !err && (a->first->end_ns <= until_ns || a->held_count > HELD_MAX))
		err = release_first(a);
	return err;
}

static int hold(struct wait_account *a, const struct wait_row *row, struct sleep *sleeps)
{
	struct held *held = calloc(1, sizeof(*held));

	if (!held) {
		free_sleeps(sleeps);
		return -ENOMEM;
	}
	held->call = *row;
	held->sleeps = sleeps;
	held->end_ns = row->time_ns + row->duration_ns;
	*a->last = held;
	a->last = &held->next;
	a->held_count++;
	return release_until(a, 0);
}

int wait_account__add_io(struct wait_account *a, const struct io_row *row)
{
	if (kept_ios__add(a->ios, row))
		blame__learn_io(a->blame, row);
	if (!a->first || row->completed_ns < HELD_NS)
		return 0;
	return release_until(a, row->completed_ns - HELD_NS);
}

int wait_account__add_cache(struct wait_account *a, const struct cache_row *row)
{
	return blame__learn_cache(a->blame, row);
}

/* Sleeps come before the call that they are of. Those of a call that is missing are of no call. */
static int add_open(struct wait_account *a, struct task *task, const struct wait_row *row)
{
	struct sleep *sleep = calloc(1, sizeof(*sleep));

	if (!sleep)
		return -ENOMEM;
	sleep->row = *row;
	sleep->next = task->open;
	task->open = sleep;
	return 0;
}

static struct sleep *take_open(struct task *task, const struct wait_row *call)
{
	struct sleep **at = &task->open, *taken = NULL;

	while (*at) {
		struct sleep *sleep = *at;

		if (sleep->row.call_ns > call->call_ns) {
			at = &sleep->next;
			continue;
		}
		*at = sleep->next;
		if (sleep->row.call_ns == call->call_ns) {
			sleep->next = taken;
			taken = sleep;
		} else {
			free(sleep);
		}
	}
	return taken;
}

static int add_counted(struct wait_account *a, struct task *task, const struct wait_row *row)
{
	struct explain_calls *calls = calls_of(task, wait_call_name(row->call));
	uint64_t middle_ns = row->high ? row->low + (row->high - row->low) / 2 : row->low;

	task->is_here = true;
	calls->count += row->count;
	calls->ns += row->duration_ns;
	add_cause(calls->causes, CAUSE_CPU, row->cpu_ns, row->count);
	return count_durations(task, calls, middle_ns, row->count);
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
		return row->call_ns ? add_open(a, task, row) : hold(a, row, NULL);
	case WAIT_CALL:
		err = blame__learn_call(a->blame, row);
		return err ? err : hold(a, row, take_open(task, row));
	case WAIT_CALLS:
		return add_counted(a, task, row);
	case WAIT_TASK:
		task->figures.wall_ns += row->duration_ns;
		task->figures.cpu_ns += row->cpu_ns;
		task->figures.run_queue_ns += row->run_queue_ns;
		task->figures.sleep_ns += row->sleep_ns;
		break;
	}
	return 0;
}

/* The end --------------------------------------------------------------------------------------- */

static int by_time(const void *one, const void *other)
{
	uint64_t a = ((const struct explain_calls *)one)->ns;
	uint64_t b = ((const struct explain_calls *)other)->ns;

	return (a < b) - (a > b);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int finish_calls(struct task *task)
{
	struct explain_wait_task *t = &task->figures;
	uint32_t count = 0;

	while (count < KIND_MAX && task->kinds[count].figures.kind)
		count++;
	t->calls = calloc(count + 1, sizeof(*t->calls));
	if (!t->calls)
		return -ENOMEM;
	t->call_count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct calls *kind = &task->kinds[i];

		t->calls[i] = kind->figures;
		if (!kind->counts)
			continue;
		t->calls[i].p50_ns = loglinear_percentile(&scale, kind->counts, 50);
		t->calls[i].p99_ns = loglinear_percentile(&scale, kind->counts, 99);
		t->calls[i].p50_ns = smaller(t->calls[i].p50_ns, t->calls[i].max_ns);
		t->calls[i].p99_ns = smaller(t->calls[i].p99_ns, t->calls[i].max_ns);
	}
	qsort(t->calls, count, sizeof(*t->calls), by_time);
	return 0;
}

static void finish_task(struct explain_wait_task *t)
{
	uint64_t slept_ns = 0, seen_ns;

	for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++)
		if (cause != CAUSE_CPU && cause != CAUSE_RUN_QUEUE)
			slept_ns += t->causes[cause].ns;
	t->waited_ns = slept_ns + t->run_queue_ns;
	t->outside_ns = t->sleep_ns > slept_ns ? t->sleep_ns - slept_ns : 0;
	seen_ns = t->cpu_ns + t->run_queue_ns + slept_ns + t->outside_ns;
	t->unaccounted_ns = t->wall_ns > seen_ns ? t->wall_ns - seen_ns : 0;
}

static void add_to_total(struct explain_waits *w, const struct explain_wait_task *t)
{
	for (uint32_t i = 0; i < t->call_count; i++)
		for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++)
			add_cause(w->causes, cause, t->calls[i].causes[cause].ns,
				  t->calls[i].causes[cause].count);
}

/* NULL: it is not known. */
static char *path_of_cgroup(const struct wait_account *a, uint32_t id)
{
	const struct trace_cgroup *cgroup = id ? a->tables->cgroup(a->tables->context, id) : NULL;

	return cgroup && *cgroup->path ? strdup(cgroup->path) : NULL;
}

static int by_waiting(const void *one, const void *other)
{
	uint64_t a = ((const struct explain_wait_task *)one)->waited_ns;
	uint64_t b = ((const struct explain_wait_task *)other)->waited_ns;

	return (a < b) - (a > b);
}

static void finish_quality(struct explanation *x)
{
	x->waits.quality = "";
	for (uint32_t i = 0; i < x->tier_count; i++) {
		if (strcmp(x->tiers[i].figure, "waits"))
			continue;
		x->waits.quality = x->tiers[i].quality;
		x->waits.recorded |= strcmp(x->tiers[i].quality, "unavailable") != 0;
	}
}

int wait_account__finish(struct wait_account *a, struct explanation *x)
{
	struct explain_waits *w = &x->waits;
	struct task *task, *next;
	int err = release_until(a, UINT64_MAX);

	if (err)
		return err;
	*w = a->result;
	a->result.worst_count = 0;
	w->left_out = a->left_out;
	finish_quality(x);
	w->tasks = calloc(HASH_COUNT(a->tasks) + 1, sizeof(*w->tasks));
	if (!w->tasks)
		return -ENOMEM;
	HASH_ITER (hh, a->tasks, task, next) {
		err = finish_calls(task);
		if (err)
			return err;
		finish_task(&task->figures);
		/* Others are known for sleeps that had to do with no recorded device. */
		if (!task->is_here)
			continue;
		add_to_total(w, &task->figures);
		task->figures.limited_cgroup = path_of_cgroup(a, task->limited_cgroup);
		w->tasks[w->task_count++] = task->figures;
		task->figures.calls = NULL;
	}
	qsort(w->tasks, w->task_count, sizeof(*w->tasks), by_waiting);
	for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++)
		if (cause != CAUSE_CPU)
			w->total_ns += w->causes[cause].ns;
	return blame__finish(a->blame, w);
}
