// SPDX-License-Identifier: MIT
/* Where the wall time of the tasks went: the first section. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "explain/waits/io_limit.h"
#include "render/explain/explain.h"
#include "render/explain/text_blame.h"
#include "render/table.h"

#define CULPRITS_SHOWN 4u
#define WORST_SHOWN    3u
#define TASK_SHOWN     1.0 /* per cent of all waiting; the first is shown in any case */
#define TEXT_MAX       512
#define SHARE_SHOWN    0.05 /* per cent of the wall time: less has no line */

static void add_line(struct table *t, const char *words, uint64_t ns, uint64_t wall_ns,
		     uint64_t count)
{
	if (!ns || explain_pct(ns, wall_ns) < SHARE_SHOWN)
		return;
	table__cell(t, "%s", words);
	table__cell(t, "%s", TIME_TEXT(ns));
	table__cell(t, "%.1f %%", explain_pct(ns, wall_ns));
	if (count)
		table__cell(t, "%s, %s each", COUNTED_TEXT(count, "time"), TIME_TEXT(ns / count));
	else
		table__end_row(t);
}

static int print_task(FILE *out, const struct explain_wait_task *task)
{
	struct table *t = table__new("lrrl");
	char words[64], limit[IO_LIMIT_WORDS_MAX], label[EXPLAIN_LABEL_MAX];
	int err;

	if (!t)
		return -ENOMEM;
	text_printf(out, "\nWhere the time of %s went: %s%s\n", explain_waiter_label(task, label),
		    TIME_TEXT(task->wall_ns), task->tasks > 1 ? " in all" : "");
	for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++) {
		if (cause == CAUSE_RUN_QUEUE || cause == CAUSE_CPU)
			continue;
		snprintf(words, sizeof(words), "waiting for %s", wait_cause_words(cause));
		add_line(t, words, task->causes[cause].ns, task->wall_ns,
			 task->causes[cause].count);
	}
	add_line(t, "ready, waiting for a CPU", task->run_queue_ns, task->wall_ns, 0);
	add_line(t, "running", task->cpu_ns, task->wall_ns, 0);
	add_line(t, "sleeping outside of storage", task->outside_ns, task->wall_ns, 0);
	add_line(t, "not accounted for", task->unaccounted_ns, task->wall_ns, 0);
	err = table__print(t, out, 2);
	table__free(t);
	/* In the table, a long path would move the figures away. */
	if (task->causes[CAUSE_CGROUP_LIMIT].ns && *io_limit__words(&task->limit, limit))
		text_wrapped(out, "  its limit: ", limit + 1);
	return err;
}

static bool is_sync(const struct explain_calls *calls)
{
	return !strcmp(calls->kind, "fsync") || !strcmp(calls->kind, "fdatasync") ||
	       !strcmp(calls->kind, "sync");
}

/* The flushes of the device are only a part of a sync. */
static void print_flushes(FILE *out, const struct explanation *x)
{
	const struct explain_device *d = explain_flushed_device(x);
	struct distribution flush;
	char text[TEXT_MAX];

	if (!d)
		return;
	histogram_distribution(d->latency_by_op[TICK_FLUSH][LATENCY_TOTAL], &flush);
	snprintf(text, sizeof(text), "a flush of %s took p50 %s, p99 %s", d->info.name,
		 TIME_TEXT(flush.p50), TIME_TEXT(flush.p99));
	text_wrapped(out, "    ", text);
}

/* "cp 4.1 s, systemd-journal 0.5 s" */
static void name_culprits(const struct explain_calls *calls, enum wait_cause cause, char *text,
			  size_t bytes)
{
	uint32_t shown = 0;
	size_t used = 0;

	*text = '\0';
	for (uint32_t i = 0; i < calls->culprit_count && shown < CULPRITS_SHOWN; i++)
		if (calls->culprits[i].cause == cause && calls->culprits[i].ns && ++shown)
			used += (size_t)snprintf(text + used, bytes - used, "%s%s %s",
						 used ? ", " : "", calls->culprits[i].name,
						 TIME_TEXT(calls->culprits[i].ns));
}

static void add_sync_line(struct table *t, const struct explain_calls *calls, enum wait_cause cause)
{
	uint64_t ns = calls->causes[cause].ns, others_ns = calls->others_ns[cause];
	uint64_t no_write_ns = calls->no_write_ns[cause], own_ns;
	char names[TEXT_MAX];

	if (explain_pct(ns, calls->ns) < SHARE_SHOWN)
		return;
	others_ns = others_ns < ns ? others_ns : ns;
	no_write_ns = no_write_ns < ns - others_ns ? no_write_ns : ns - others_ns;
	own_ns = ns - others_ns - no_write_ns;
	name_culprits(calls, cause, names, sizeof(names));
	table__cell(t, "%s", wait_cause_words(cause));
	table__cell(t, "%s", own_ns ? TIME_TEXT(own_ns) : "");
	table__cell(t, "%s", others_ns ? TIME_TEXT(others_ns) : "");
	table__cell(t, "%s", no_write_ns ? TIME_TEXT(no_write_ns) : "");
	table__cell(t, "%s", names);
}

/* What each call waited for, of its own and behind others. */
static int print_sync(FILE *out, const struct explanation *x, const struct explain_calls *calls)
{
	struct table *t = table__new("lrrrl");
	char text[TEXT_MAX];
	int err;

	if (!t)
		return -ENOMEM;
	snprintf(text, sizeof(text), "%s, %s: %s, p50 %s, p99 %s", calls->kind,
		 COUNTED_TEXT(calls->count, "time"), TIME_TEXT(calls->ns), TIME_TEXT(calls->p50_ns),
		 TIME_TEXT(calls->p99_ns));
	text_wrapped(out, "  ", text);
	table__cell(t, "%s", "");
	table__cell(t, "%s", "own");
	table__cell(t, "%s", "others'");
	table__cell(t, "%s", "no write");
	table__end_row(t);
	for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++)
		if (calls->causes[cause].ns)
			add_sync_line(t, calls, cause);
	err = table__print(t, out, 4);
	table__free(t);
	print_flushes(out, x);
	return err;
}

/* What the device ends is woken by an interrupt, in which any task may run. */
static bool has_waker(const struct explain_worst_wait *wait)
{
	return *wait->waker && (wait->cause == CAUSE_JOURNAL || wait->cause == CAUSE_OTHER);
}

static void print_worst(FILE *out, const struct explanation *x)
{
	const struct explain_waits *w = &x->waits;
	char text[TEXT_MAX], function[EXPLAIN_WAIT_FUNCTION_MAX + 16], when[WHEN_TEXT_MAX];

	for (uint32_t i = 0; i < w->worst_count && i < WORST_SHOWN; i++) {
		const struct explain_worst_wait *wait = &w->worst[i];

		if (!i)
			fprintf(out, "\nLongest waits\n");
		snprintf(function, sizeof(function), " (asleep in %s)", wait->function);
		snprintf(text, sizeof(text), "%s at %s: %s %u, %s%s%s, waited for %s%s%s%s",
			 TIME_TEXT(wait->duration_ns), explain_at(x, wait->time_ns, when),
			 wait->comm, wait->pid, wait->kind, wait->file ? " of " : "",
			 wait->file ? wait->file : "", wait_cause_words(wait->cause),
			 has_waker(wait) ? ", woken by " : "", has_waker(wait) ? wait->waker : "",
			 *wait->function ? function : "");
		text_wrapped(out, "  ", text);
		explain_print_story(out, wait);
	}
}

/* The functions that "something else" stands for. */
static void print_others(FILE *out, const struct explain_waits *w)
{
	char text[TEXT_MAX] = "";
	size_t used = 0;

	if (explain_pct(w->causes[CAUSE_OTHER].ns, w->total_ns) < TASK_SHOWN)
		return;
	for (uint32_t i = 0; i < w->other_count && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s %s", i ? ", " : "",
					 *w->others[i].function ? w->others[i].function
								: "not seen",
					 TIME_TEXT(w->others[i].ns));
	text_wrapped(out, "  something else is: ", text);
}

static void print_quality(FILE *out, const struct explain_waits *w)
{
	char text[TEXT_MAX];

	if (w->unexplained) {
		snprintf(text, sizeof(text),
			 "%s had no stack; their time counts as something else.",
			 COUNTED_TEXT(w->unexplained, "sleep"));
		text_wrapped(out, "  Note: ", text);
	}
	if (w->no_wakeup_ns) {
		snprintf(
			text, sizeof(text),
			"the wakeup from sleeps of %s was not seen; waiting for a CPU counts as their cause.",
			TIME_TEXT(w->no_wakeup_ns));
		text_wrapped(out, "  Note: ", text);
	}
}

int explain_print_waits(FILE *out, const struct explanation *x)
{
	const struct explain_waits *w = &x->waits;
	uint32_t shown = 0, count;
	const struct explain_wait_task *waiters = explain_waiters(w, &count);
	int err = 0;

	for (uint32_t i = 0; i < count && shown < EXPLAIN_WAITERS_FEW && !err; i++) {
		const struct explain_wait_task *task = &waiters[i];

		if (!task->wall_ns || !task->waited_ns ||
		    (shown && explain_pct(task->waited_ns, w->total_ns) < TASK_SHOWN))
			continue;
		shown++;
		err = print_task(out, task);
		for (uint32_t n = 0; n < task->call_count && !err; n++)
			if (is_sync(&task->calls[n]))
				err = print_sync(out, x, &task->calls[n]);
	}
	if (err)
		return err;
	if (shown && count > shown)
		fprintf(out, "  %s more: see --json\n",
			COUNTED_TEXT(count - shown, waiters == w->tasks ? "task" : "command"));
	if (shown)
		print_others(out, w);
	print_worst(out, x);
	err = explain_print_blame(out, w, x->cache.recorded);
	if (err)
		return err;
	print_quality(out, w);
	return 0;
}
