// SPDX-License-Identifier: MIT
#include "explain/verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "explain/findings/thresholds.h"
#include "explain/waits/io_limit.h"
#include "explain/what_if.h"

__attribute__((format(printf, 2, 3))) static void say(struct explanation *x, const char *fmt, ...)
{
	size_t used = strlen(x->verdict);
	va_list args;

	if (used && used + 1 < sizeof(x->verdict))
		x->verdict[used++] = ' ';
	va_start(args, fmt);
	vsnprintf(x->verdict + used, sizeof(x->verdict) - used, fmt, args);
	va_end(args);
}

#define WAITS_SAID_PCT 1.0 /* of the duration: less is not worth a sentence */

static bool readers_slept(const struct explanation *x)
{
	return x->cache.waits && explain_pct(x->cache.wait_ns, x->duration_ns) >= WAITS_SAID_PCT;
}

/* Pages that a reader finds on their way count as hits, yet the reader sleeps for them. */
static void say_waits(struct explanation *x)
{
	const struct explain_cache *c = &x->cache;

	if (c->wait_ns <= x->duration_ns)
		say(x, "Readers slept %s of %s (%.0f %%) for pages on their way.",
		    TIME_TEXT(c->wait_ns), TIME_TEXT(x->duration_ns),
		    explain_pct(c->wait_ns, x->duration_ns));
	else
		say(x, "Readers slept %s in total, within %s, for pages on their way.",
		    TIME_TEXT(c->wait_ns), TIME_TEXT(x->duration_ns));
}

#define WAITS_OF_TASK_PCT 1.0 /* of its wall time: less is not worth a sentence */

static bool is_sync(const struct explain_calls *calls)
{
	return !strcmp(calls->kind, "fsync") || !strcmp(calls->kind, "fdatasync") ||
	       !strcmp(calls->kind, "sync");
}

#define MOST_OF_WAITING_PCT 50.0
#define OTHERS_SAID_PCT	    10.0 /* of the calls: less is not worth a sentence */
#define VICTIM_MIN_PCT	    25.0 /* of the wall time of a task */

/* The calls that make its data durable, if most of its waiting was in them. */
static const struct explain_calls *syncs_of(const struct explain_wait_task *task)
{
	for (uint32_t i = 0; i < task->call_count; i++) {
		const struct explain_calls *calls = &task->calls[i];
		uint64_t waited_ns = calls->ns - calls->causes[CAUSE_CPU].ns;

		if (is_sync(calls) && explain_pct(waited_ns, task->waited_ns) > MOST_OF_WAITING_PCT)
			return calls;
	}
	return NULL;
}

/* The time of several tasks is longer than the recording. */
static const char *in_all(const struct explain_wait_task *task)
{
	return task->tasks > 1 ? " in all" : "";
}

/* "1.89 s (99.5 %) for the IO limit of its cgroup /batch": of `waited_ns`. */
static void say_cause(struct explanation *x, const struct explain_wait_task *task,
		      enum wait_cause cause, uint64_t ns, uint64_t waited_ns)
{
	char limit[IO_LIMIT_WORDS_MAX] = "";

	if (cause == CAUSE_CGROUP_LIMIT)
		io_limit__words(&task->limit, limit);
	say(x, "%s (%.1f %%) for %s%s.", TIME_TEXT(ns), explain_pct(ns, waited_ns),
	    wait_cause_words(cause), limit);
}

static enum wait_cause most_of_calls(const struct explain_calls *calls)
{
	uint64_t ns[CAUSE_COUNT];

	for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++)
		ns[cause] = cause == CAUSE_CPU ? 0 : calls->causes[cause].ns;
	return wait_cause_largest(ns);
}

static enum wait_cause most_of_task(const struct explain_wait_task *task)
{
	uint64_t ns[CAUSE_COUNT];

	for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++)
		ns[cause] = cause == CAUSE_CPU ? 0 : explain_waited_for(task, cause);
	return wait_cause_largest(ns);
}

static uint64_t others_of(const struct explain_calls *calls)
{
	uint64_t ns = 0;

	for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++)
		ns += calls->others_ns[cause];
	return ns;
}

/* The parts of the time that the syncs of a task waited for that are not its own. */
static void say_parts(struct explanation *x, const struct explain_calls *calls, uint64_t waited_ns)
{
	const struct explain_culprit *worst = &calls->culprits[0];
	uint64_t others_ns = others_of(calls), no_write_ns = explain_no_write_ns(calls);
	char nothing[96] = "", others[192] = "";

	if (explain_pct(no_write_ns, waited_ns) >= OTHERS_SAID_PCT)
		snprintf(nothing, sizeof(nothing), "%s (%.0f %%) passed while nothing was written",
			 TIME_TEXT(no_write_ns), explain_pct(no_write_ns, waited_ns));
	if (calls->culprit_count && explain_pct(others_ns, waited_ns) >= OTHERS_SAID_PCT)
		snprintf(others, sizeof(others),
			 "%s%s (%.0f %%)%s behind the IOs of others: %s %s, %s",
			 *nothing ? ", " : "", TIME_TEXT(others_ns),
			 explain_pct(others_ns, waited_ns), *nothing ? "" : " passed", worst->name,
			 TIME_TEXT(worst->ns), wait_cause_words(worst->cause));
	if (*nothing || *others)
		say(x, "Of the %s, %s%s.", TIME_TEXT(waited_ns), nothing, others);
}

static void say_syncs(struct explanation *x, const struct explain_wait_task *task,
		      const struct explain_calls *calls)
{
	uint64_t waited_ns = calls->ns - calls->causes[CAUSE_CPU].ns;
	enum wait_cause most = most_of_calls(calls);
	char label[EXPLAIN_LABEL_MAX];

	say(x, "%s called %s %s and waited %s of %s%s for it (p50 %s, p99 %s):",
	    explain_waiter_label(task, label), calls->kind, COUNTED_TEXT(calls->count, "time"),
	    TIME_TEXT(waited_ns), TIME_TEXT(task->wall_ns), in_all(task), TIME_TEXT(calls->p50_ns),
	    TIME_TEXT(calls->p99_ns));
	say_cause(x, task, most, calls->causes[most].ns, waited_ns);
	say_parts(x, calls, waited_ns);
}

/* The task, or the command, that waited most, and for what. */
static void say_task(struct explanation *x)
{
	char label[EXPLAIN_LABEL_MAX];
	uint32_t count;
	const struct explain_wait_task *waiters = explain_waiters(&x->waits, &count);
	const struct explain_wait_task *task = count ? waiters : NULL;
	const struct explain_calls *syncs = task ? syncs_of(task) : NULL;
	enum wait_cause most;

	if (!task || explain_pct(task->waited_ns, task->wall_ns) < WAITS_OF_TASK_PCT)
		return;
	if (syncs) {
		say_syncs(x, task, syncs);
		return;
	}
	most = most_of_task(task);
	say(x, "%s waited %s of %s%s:", explain_waiter_label(task, label),
	    TIME_TEXT(task->waited_ns), TIME_TEXT(task->wall_ns), in_all(task));
	say_cause(x, task, most, explain_waited_for(task, most), task->waited_ns);
}

/* What a task waited behind the IOs of others; *worst: who and where most, NULL: nobody. */
static uint64_t behind_others(const struct explain_wait_task *task,
			      const struct explain_culprit **worst)
{
	uint64_t ns = 0;

	*worst = NULL;
	for (uint32_t i = 0; i < task->call_count; i++) {
		const struct explain_calls *calls = &task->calls[i];

		ns += others_of(calls);
		if (calls->culprit_count && (!*worst || calls->culprits[0].ns > (*worst)->ns))
			*worst = &calls->culprits[0];
	}
	return ns;
}

/* Who waited most may be who makes others wait: the task that passed most of its own time behind others. */
static void say_victim(struct explanation *x)
{
	const struct explain_culprit *worst = NULL, *of_task;
	const struct explain_wait_task *victim = NULL, *waiters;
	double most_pct = VICTIM_MIN_PCT;
	char label[EXPLAIN_LABEL_MAX];
	uint32_t count;

	waiters = explain_waiters(&x->waits, &count);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t ns = behind_others(&waiters[i], &of_task);

		if (!of_task || waiters[i].kernel_thread || ns < WAITS_MIN_NS ||
		    explain_pct(waiters[i].wall_ns, x->duration_ns) < WAITS_OWN_WALL_PCT ||
		    explain_pct(ns, waiters[i].wall_ns) < most_pct)
			continue;
		victim = &waiters[i];
		worst = of_task;
		most_pct = explain_pct(ns, victim->wall_ns);
	}
	/* Of the first, the sentence about its syncs has it. */
	if (!victim || (victim == waiters && syncs_of(victim)))
		return;
	say(x, "%s waited %s of %s%s (%.0f %%) behind the IOs of others: %s %s, %s.",
	    explain_waiter_label(victim, label), TIME_TEXT(behind_others(victim, &of_task)),
	    TIME_TEXT(victim->wall_ns), in_all(victim), most_pct, worst->name, TIME_TEXT(worst->ns),
	    wait_cause_words(worst->cause));
}

static void say_cache(struct explanation *x)
{
	const struct explain_cache *c = &x->cache;
	const char *pages = c->read_pages == 1 ? "page was" : "pages were";
	bool slept = readers_slept(x);
	char readahead[96] = "";

	if (c->readahead_used_pages)
		snprintf(readahead, sizeof(readahead), " (%s of them brought there by readahead)",
			 COUNT_TEXT(c->readahead_used_pages));

	if (!c->hits_known)
		say(x, "%s %s read; this kernel could not tell which of them were hits.",
		    COUNT_TEXT(c->read_pages), pages);
	else if (!c->demand_miss_pages)
		say(x, "%s %s read, all of them in the page cache%s when they were asked for%s.",
		    COUNT_TEXT(c->read_pages), pages, slept ? " or on their way" : "", readahead);
	else if (!c->hit_pages)
		say(x, "%s %s read, all from the device: the reader waited for each.",
		    COUNT_TEXT(c->read_pages), pages);
	else
		say(x, "%s %s read: %s (%.1f %%) %s%s, %s %s.", COUNT_TEXT(c->read_pages), pages,
		    COUNT_TEXT(c->hit_pages), explain_pct(c->hit_pages, c->read_pages),
		    slept ? "in the page cache or on their way" : "from the page cache", readahead,
		    COUNT_TEXT(c->demand_miss_pages), slept ? "fetched on demand" : "waited for");
	if (slept)
		say_waits(x);
}

static uint64_t ios_of(const struct explain_device *d)
{
	uint64_t ios = 0;

	for (int op = 0; op < TICK_OP_COUNT; op++)
		ios += d->counted[op].ios;
	return ios;
}

static void say_device(struct explanation *x, const struct explain_device *d)
{
	uint64_t ios = ios_of(d), queue_ns, device_ns;
	char share[64] = "", flushes[UNITS_TEXT_MAX + 32] = "";

	explain_where(d, &queue_ns, &device_ns);
	/* Imported traces may have the completion of an IO, but seldom its issue. */
	if (d->timed_from_issue_ios)
		snprintf(share, sizeof(share),
			 ", from their issue on: their creation is not known");
	else if (queue_ns || device_ns)
		snprintf(share, sizeof(share), ", which spent %.0f %% of their time in the %s",
			 explain_pct(queue_ns > device_ns ? queue_ns : device_ns,
				     queue_ns + device_ns),
			 queue_ns > device_ns ? "queue" : "device");
	if (d->kernel_flush_ios)
		snprintf(flushes, sizeof(flushes), " (%s of them the kernel's flushes)",
			 COUNT_TEXT(d->kernel_flush_ios));
	say(x, "%s was busy for %s of %s with %s IO%s%s%s.", d->info.name, TIME_TEXT(d->busy_ns),
	    TIME_TEXT(x->duration_ns), COUNT_TEXT(ios), ios == 1 ? "" : "s", flushes, share);
}

#define FAILING_DEVICES_MAX 3u /* that are named */
#define ERRORS_TEXT_MAX	    (FAILING_DEVICES_MAX * (TRACE_NAME_MAX + 64))

/* Where errors are, all else is of less interest. */
static void say_errors(struct explanation *x)
{
	char text[ERRORS_TEXT_MAX] = "";
	uint32_t named = 0, failing = 0;

	for (uint32_t i = 0; i < x->device_count; i++) {
		const struct explain_device *d = x->devices[i];
		size_t used = strlen(text);

		failing += explain_failures(d) > 0;
		if (!explain_failures(d) || named == FAILING_DEVICES_MAX)
			continue;
		snprintf(text + used, sizeof(text) - used, "%s%s of %s of %s", named ? ", " : "",
			 COUNT_TEXT(explain_failures(d)), COUNT_TEXT(ios_of(d)), d->info.name);
		named++;
	}
	if (failing > named)
		say(x, "IOs failed: %s, and more of %s.", text,
		    COUNTED_TEXT(failing - named, "other device"));
	else if (failing)
		say(x, "IOs failed: %s.", text);
}

bool explain_says_load(const struct explanation *x)
{
	struct explain_totals t = explain_totals_of(x);

	return t.all_ios && !t.timed_devices && !x->cache.read_pages;
}

const char *explain_why_no_findings(const struct explanation *x)
{
	return explain_says_load(x)
		       ? "without latencies, slow IOs, queues and a busy device cannot be "
			 "found. 'blkreel replay' on a device measures them for this load"
		       : "";
}

static void say_load(struct explanation *x)
{
	struct explain_totals t = explain_totals_of(x);
	double seconds = (double)x->duration_ns / (double)NSEC_PER_SEC;
	char rate[UNITS_TEXT_MAX + 16] = "";

	if ((double)t.all_ios >= seconds && seconds > 0)
		snprintf(rate, sizeof(rate), " (%s a second)",
			 COUNT_TEXT((uint64_t)((double)t.all_ios / seconds + 0.5)));
	say(x, "%s in %s%s, %.0f %% reads; no latencies: queue and device are unknown.",
	    COUNTED_TEXT(t.all_ios, "IO"), SPOKEN_TEXT(x->duration_ns), rate,
	    explain_pct(t.ios[TICK_READ], t.all_ios));
}

static const char *what_there_is(const struct explanation *x)
{
	if (x->cut_before_rows)
		return "Nothing can be said: the file breaks off before its first row.";
	if (x->io_rows)
		return "IOs were recorded, but not how long they took.";
	if (!x->cache.recorded && explain_has_accesses(x))
		return "Only operations on files: no IO of a device, and no account of the page "
		       "cache.";
	if (x->cut)
		return "No IO and no buffered read in what could be read of the trace.";
	return "Nothing happened: no IO and no buffered read was recorded.";
}

void explain_verdict(struct explanation *x)
{
	const struct explain_device *d = explain_busiest_device(x);
	size_t errors_length;

	say_errors(x);
	errors_length = strlen(x->verdict);
	if (x->waits.recorded) {
		say_task(x);
		say_victim(x);
	}
	if (x->cache.recorded && x->cache.read_pages)
		say_cache(x);
	if (d)
		say_device(x, d);
	if (explain_says_load(x))
		say_load(x);
	if (x->verdict[errors_length] == '\0')
		say(x, "%s", what_there_is(x));
}
