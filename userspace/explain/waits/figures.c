// SPDX-License-Identifier: MIT
#include "explain/waits/figures.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/loglinear.h"

#define SCALE_BUCKETS ((64 - 3 + 1) << 3)

static const struct loglinear scale = {.unit = 1, .step_bits = 3, .buckets = SCALE_BUCKETS};

void wait_figures__free(struct wait_figures *f)
{
	for (unsigned int i = 0; i < WAIT_KINDS_MAX; i++) {
		free(f->kinds[i].counts);
		name_sums__free(&f->kinds[i].culprits);
	}
	name_sums__free(&f->others);
	free(f->task.calls);
	free(f->task.devices);
	free(f->task.limit.cgroup);
}

struct explain_calls *wait_figures__calls(struct wait_figures *f, const char *kind)
{
	for (unsigned int i = 0; i < WAIT_KINDS_MAX; i++) {
		struct explain_calls *calls = &f->kinds[i].figures;

		if (!calls->kind)
			calls->kind = kind;
		if (!strcmp(calls->kind, kind))
			return calls;
	}
	return &f->kinds[WAIT_KINDS_MAX - 1].figures;
}

static int begin_counts(struct wait_kind *kind)
{
	if (kind->counts)
		return 0;
	kind->counts = calloc(SCALE_BUCKETS, sizeof(*kind->counts));
	kind->min_ns = UINT64_MAX;
	return kind->counts ? 0 : -ENOMEM;
}

int wait_figures__count(struct explain_calls *calls, uint64_t ns, uint64_t count)
{
	struct wait_kind *holder = (struct wait_kind *)calls;

	if (begin_counts(holder))
		return -ENOMEM;
	holder->counts[loglinear_bucket(&scale, ns)] += count;
	if (ns > calls->max_ns)
		calls->max_ns = ns;
	if (ns < holder->min_ns)
		holder->min_ns = ns;
	return 0;
}

void wait_figures__add_to_calls(struct explain_calls *calls, enum wait_cause cause, uint64_t ns,
				uint64_t count)
{
	calls->causes[cause].ns += ns;
	calls->causes[cause].count += count;
}

void wait_figures__add(struct wait_figures *f, struct explain_calls *calls, enum wait_cause cause,
		       uint64_t ns)
{
	wait_figures__add_to_calls(calls, cause, ns, 1);
	f->task.causes[cause].ns += ns;
	f->task.causes[cause].count++;
}

static struct explain_device_waits *device_of(struct explain_wait_task *t, uint32_t device)
{
	static struct explain_device_waits beyond;
	struct explain_device_waits *devices;

	for (uint32_t i = 0; i < t->device_count; i++)
		if (t->devices[i].device == device)
			return &t->devices[i];
	if (t->device_count == WAIT_DEVICES_MAX)
		return &beyond;
	devices = realloc(t->devices, (t->device_count + 1) * sizeof(*devices));
	if (!devices)
		return NULL;
	t->devices = devices;
	devices[t->device_count] = (struct explain_device_waits){.device = device};
	return &devices[t->device_count++];
}

int wait_figures__add_to_device(struct wait_figures *f, uint32_t device,
				const uint64_t ns[CAUSE_COUNT])
{
	struct explain_device_waits *waits = device_of(&f->task, device);

	if (!waits)
		return -ENOMEM;
	for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++)
		waits->ns[cause] += ns[cause];
	return 0;
}

void wait_figures__note_quality(struct wait_figures *f, const struct wait_row *sleep,
				const char *functions)
{
	f->unexplained += !*functions;
	if (sleep->flags & WAIT_NO_WAKEUP)
		f->no_wakeup_ns += sleep->duration_ns;
}

int wait_figures__add_other(struct wait_figures *f, const char *functions, uint64_t ns)
{
	char function[EXPLAIN_WAIT_FUNCTION_MAX];

	wait_cause_function(functions, function, sizeof(function));
	return name_sums__add(&f->others, CAUSE_OTHER, function, ns, 1);
}

int wait_figures__add_others(struct explain_calls *calls, const struct blame_others *others)
{
	struct wait_kind *holder = (struct wait_kind *)calls;
	int err = 0;

	for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++) {
		calls->others_ns[cause] += others->ns[cause];
		calls->no_write_ns[cause] += others->no_write_ns[cause];
	}
	for (uint32_t i = 0; i < others->count && !err; i++)
		err = name_sums__add(&holder->culprits, others->list[i].cause,
				     others->list[i].culprit, others->list[i].ns, 1);
	return err;
}

static int by_time(const void *one, const void *other)
{
	uint64_t a = ((const struct explain_calls *)one)->ns;
	uint64_t b = ((const struct explain_calls *)other)->ns;

	return (a < b) - (a > b);
}

/* The middle of its bucket, but no length that no call had. */
static uint64_t percentile_ns(const struct wait_kind *kind, double pct)
{
	uint64_t ns = loglinear_percentile(&scale, kind->counts, pct);

	if (ns < kind->min_ns)
		return kind->min_ns;
	return ns < kind->figures.max_ns ? ns : kind->figures.max_ns;
}

static void finish_culprits(struct wait_kind *kind, struct explain_calls *calls)
{
	name_sums__sort(&kind->culprits);
	for (const struct name_sum *sum = kind->culprits;
	     sum && calls->culprit_count < EXPLAIN_CULPRITS; sum = sum->hh.next) {
		struct explain_culprit *culprit = &calls->culprits[calls->culprit_count++];

		snprintf(culprit->name, sizeof(culprit->name), "%s", sum->key.name);
		culprit->cause = sum->key.number;
		culprit->ns = sum->ns;
	}
}

static int finish_calls(struct wait_figures *f)
{
	struct explain_wait_task *t = &f->task;
	uint32_t count = 0;

	while (count < WAIT_KINDS_MAX && f->kinds[count].figures.kind)
		count++;
	t->calls = calloc(count + 1, sizeof(*t->calls));
	if (!t->calls)
		return -ENOMEM;
	t->call_count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct wait_kind *kind = &f->kinds[i];

		t->calls[i] = kind->figures;
		finish_culprits(kind, &t->calls[i]);
		if (!kind->counts)
			continue;
		t->calls[i].p50_ns = percentile_ns(kind, 50);
		t->calls[i].p99_ns = percentile_ns(kind, 99);
	}
	qsort(t->calls, count, sizeof(*t->calls), by_time);
	return 0;
}

static void finish_task(struct explain_wait_task *t)
{
	uint64_t slept_ns = 0, seen_ns, left_ns;

	for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++)
		if (cause != CAUSE_CPU && cause != CAUSE_RUN_QUEUE)
			slept_ns += t->causes[cause].ns;
	/* Of an interval that a part of a recording cuts, these are estimated, the sleeps are not. */
	left_ns = t->wall_ns > slept_ns ? t->wall_ns - slept_ns : 0;
	if (t->wall_ns && t->run_queue_ns > left_ns)
		t->run_queue_ns = left_ns;
	t->waited_ns = slept_ns + t->run_queue_ns;
	t->outside_ns = t->sleep_ns > slept_ns ? t->sleep_ns - slept_ns : 0;
	seen_ns = t->cpu_ns + t->run_queue_ns + slept_ns + t->outside_ns;
	t->unaccounted_ns = t->wall_ns > seen_ns ? t->wall_ns - seen_ns : 0;
}

static int finish(struct wait_figures *f)
{
	int err = finish_calls(f);

	if (!err)
		finish_task(&f->task);
	return err;
}

static void add_to_total(struct explain_waits *w, const struct wait_figures *f)
{
	const struct explain_wait_task *task = &f->task;

	w->total_ns += task->waited_ns;
	w->unaccounted_ns += f->unaccounted_ns;
	w->unexplained += f->unexplained;
	w->no_wakeup_ns += f->no_wakeup_ns;
	for (uint32_t i = 0; i < task->call_count; i++)
		for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++) {
			w->causes[cause].ns += task->calls[i].causes[cause].ns;
			w->causes[cause].count += task->calls[i].causes[cause].count;
		}
}

static void finish_others(struct explain_waits *w, struct name_sum **others)
{
	name_sums__sort(others);
	for (const struct name_sum *sum = *others; sum && w->other_count < EXPLAIN_OTHER_WAITS;
	     sum = sum->hh.next) {
		struct explain_other_wait *other = &w->others[w->other_count++];

		snprintf(other->function, sizeof(other->function), "%s", sum->key.name);
		other->ns = sum->ns;
		other->count = sum->count;
	}
	name_sums__free(others);
}

/* The list has what the figures held. */
static void move(struct wait_figures *f, struct explain_wait_task *list, uint32_t *count)
{
	list[(*count)++] = f->task;
	f->task.calls = NULL;
	f->task.devices = NULL;
	f->task.limit.cgroup = NULL;
}

/* Commands: tasks of one name ------------------------------------------------------------------- */

/* Threads of the kernel have what they work for behind the name. */
static void command_of(const struct explain_wait_task *task, char name[sizeof(task->comm)])
{
	memcpy(name, task->comm, sizeof(task->comm));
	if (task->kernel_thread)
		name[strcspn(name, "/")] = '\0';
}

static int compare_commands(const struct wait_figures *a, const struct wait_figures *b)
{
	char one[sizeof(a->task.comm)], other[sizeof(b->task.comm)];

	command_of(&a->task, one);
	command_of(&b->task, other);
	return strcmp(one, other);
}

static int by_command(const void *one, const void *other)
{
	const struct wait_figures *a = *(struct wait_figures *const *)one;
	const struct wait_figures *b = *(struct wait_figures *const *)other;
	int order = compare_commands(a, b);

	return order ? order : (a->task.pid > b->task.pid) - (a->task.pid < b->task.pid);
}

static int merge_calls(struct explain_calls *calls, const struct wait_kind *from)
{
	struct wait_kind *into = (struct wait_kind *)calls;
	const struct explain_calls *more = &from->figures;

	calls->count += more->count;
	calls->ns += more->ns;
	calls->max_ns = more->max_ns > calls->max_ns ? more->max_ns : calls->max_ns;
	for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++) {
		wait_figures__add_to_calls(calls, cause, more->causes[cause].ns,
					   more->causes[cause].count);
		calls->others_ns[cause] += more->others_ns[cause];
		calls->no_write_ns[cause] += more->no_write_ns[cause];
	}
	if (from->counts && begin_counts(into))
		return -ENOMEM;
	if (from->counts && from->min_ns < into->min_ns)
		into->min_ns = from->min_ns;
	for (unsigned int i = 0; from->counts && i < SCALE_BUCKETS; i++)
		into->counts[i] += from->counts[i];
	return name_sums__add_all(&into->culprits, from->culprits);
}

static int merge(struct wait_figures *into, const struct wait_figures *from)
{
	struct explain_wait_task *task = &into->task;
	int err = 0;

	task->wall_ns += from->task.wall_ns;
	task->cpu_ns += from->task.cpu_ns;
	task->run_queue_ns += from->task.run_queue_ns;
	task->sleep_ns += from->task.sleep_ns;
	for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++) {
		task->causes[cause].ns += from->task.causes[cause].ns;
		task->causes[cause].count += from->task.causes[cause].count;
	}
	for (unsigned int i = 0; i < WAIT_KINDS_MAX && from->kinds[i].figures.kind && !err; i++)
		err = merge_calls(wait_figures__calls(into, from->kinds[i].figures.kind),
				  &from->kinds[i]);
	return err;
}

/* The limit that held one of them back for longest. */
static int copy_limit(struct explain_wait_task *command, const struct explain_wait_task *tasks)
{
	const struct explain_wait_task *most = tasks;

	for (uint32_t i = 1; i < command->tasks; i++)
		if (tasks[i].causes[CAUSE_CGROUP_LIMIT].ns > most->causes[CAUSE_CGROUP_LIMIT].ns)
			most = &tasks[i];
	command->limit = most->limit;
	if (!most->limit.cgroup)
		return 0;
	command->limit.cgroup = strdup(most->limit.cgroup);
	return command->limit.cgroup ? 0 : -ENOMEM;
}

/* `tasks` are those of the figures in `list`. */
static int add_command(struct wait_figures *const *list, const struct explain_wait_task *tasks,
		       uint32_t count, struct explain_waits *w)
{
	struct wait_figures *sum = calloc(1, sizeof(*sum));
	struct explain_wait_task *command = sum ? &sum->task : NULL;
	int err = 0;

	if (!sum)
		return -ENOMEM;
	command->tasks = count;
	command->kernel_thread = tasks->kernel_thread;
	command_of(tasks, command->comm);
	if (count == 1) {
		command->pid = tasks->pid;
		command->tgid = tasks->tgid;
		memcpy(command->comm, tasks->comm, sizeof(command->comm));
	}
	for (uint32_t i = 0; i < count && !err; i++)
		err = merge(sum, list[i]);
	if (!err)
		err = finish(sum);
	if (!err)
		err = copy_limit(command, tasks);
	if (!err)
		move(sum, w->commands, &w->command_count);
	wait_figures__free(sum);
	free(sum);
	return err;
}

static int add_commands(struct wait_figures *const *sorted, uint32_t count, struct explain_waits *w)
{
	uint32_t end;
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i = end) {
		for (end = i + 1; end < count && !compare_commands(sorted[i], sorted[end]);)
			end++;
		err = add_command(sorted + i, w->tasks + i, end - i, w);
	}
	return err;
}

/* The end --------------------------------------------------------------------------------------- */

static int by_waiting(const void *one, const void *other)
{
	uint64_t a = ((const struct explain_wait_task *)one)->waited_ns;
	uint64_t b = ((const struct explain_wait_task *)other)->waited_ns;

	return (a < b) - (a > b);
}

int wait_figures__finish(struct wait_figures **list, uint32_t count, struct explain_waits *w)
{
	struct name_sum *others = NULL;
	int err = 0;

	w->tasks = calloc(count + 1, sizeof(*w->tasks));
	w->commands = calloc(count + 1, sizeof(*w->commands));
	if (!w->tasks || !w->commands)
		return -ENOMEM;
	qsort(list, count, sizeof(*list), by_command);
	for (uint32_t i = 0; i < count && !err; i++) {
		err = finish(list[i]);
		if (err)
			break;
		list[i]->task.tasks = 1;
		add_to_total(w, list[i]);
		err = name_sums__add_all(&others, list[i]->others);
		move(list[i], w->tasks, &w->task_count);
	}
	finish_others(w, &others);
	if (!err)
		err = add_commands(list, count, w);
	qsort(w->tasks, w->task_count, sizeof(*w->tasks), by_waiting);
	qsort(w->commands, w->command_count, sizeof(*w->commands), by_waiting);
	return err;
}

void wait_figures__quality(struct explanation *x)
{
	x->waits.quality = "";
	for (uint32_t i = 0; i < x->tier_count; i++) {
		if (strcmp(x->tiers[i].figure, "waits"))
			continue;
		x->waits.quality = x->tiers[i].quality;
		x->waits.recorded |= strcmp(x->tiers[i].quality, "unavailable") != 0;
	}
}
