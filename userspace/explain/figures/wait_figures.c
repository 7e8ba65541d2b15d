// SPDX-License-Identifier: MIT
#include "explain/figures/wait_figures.h"

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

int wait_figures__count(struct explain_calls *calls, uint64_t ns, uint64_t count)
{
	struct wait_kind *holder = (struct wait_kind *)calls;

	if (!holder->counts)
		holder->counts = calloc(SCALE_BUCKETS, sizeof(*holder->counts));
	if (!holder->counts)
		return -ENOMEM;
	holder->counts[loglinear_bucket(&scale, ns)] += count;
	if (ns > calls->max_ns)
		calls->max_ns = ns;
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

	for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++)
		calls->others_ns[cause] += others->ns[cause];
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

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
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

int wait_figures__finish(struct wait_figures *f)
{
	int err = finish_calls(f);

	if (!err)
		finish_task(&f->task);
	return err;
}

void wait_figures__add_to_total(struct explain_waits *w, const struct wait_figures *f)
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

void wait_figures__finish_others(struct explain_waits *w, struct name_sum **others)
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
