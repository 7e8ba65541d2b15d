// SPDX-License-Identifier: MIT
#include "explain/verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "explain/figures/what_if.h"

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

/* The task that waited most, and for what. */
static void say_task(struct explanation *x)
{
	const struct explain_wait_task *task = x->waits.task_count ? &x->waits.tasks[0] : NULL;
	enum wait_cause most = CAUSE_OTHER;

	if (!task || explain_pct(task->waited_ns, task->wall_ns) < WAITS_OF_TASK_PCT)
		return;
	for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++)
		if (cause != CAUSE_CPU && task->causes[cause].ns > task->causes[most].ns)
			most = cause;
	say(x, "%s %u waited %s of %s: %s (%.1f %%) for %s.", task->comm, task->pid,
	    TIME_TEXT(task->waited_ns), TIME_TEXT(task->wall_ns), TIME_TEXT(task->causes[most].ns),
	    explain_pct(task->causes[most].ns, task->waited_ns), wait_cause_words(most));
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

static const struct explain_device *busiest(const struct explanation *x)
{
	const struct explain_device *most = NULL;

	for (uint32_t i = 0; i < x->device_count; i++)
		if (!most || x->devices[i]->in_queue_ns > most->in_queue_ns)
			most = x->devices[i];
	return most && most->in_queue_ns ? most : NULL;
}

static void say_device(struct explanation *x, const struct explain_device *d)
{
	uint64_t ios = 0, queue_ns = 0, device_ns = 0;
	char share[64] = "";

	for (int op = 0; op < TICK_OP_COUNT; op++) {
		ios += d->counted[op].ios;
		queue_ns += d->latency_sum_ns[op][LATENCY_QUEUE];
		device_ns += d->latency_sum_ns[op][LATENCY_DEVICE];
	}
	/* Imported traces may have the completion of an IO, but seldom its issue. */
	if (queue_ns || device_ns)
		snprintf(share, sizeof(share), ", which spent %.0f %% of their time in the %s",
			 explain_pct(queue_ns > device_ns ? queue_ns : device_ns,
				     queue_ns + device_ns),
			 queue_ns > device_ns ? "queue" : "device");
	say(x, "%s was busy for %s of %s with %s IO%s%s.", d->info.name, TIME_TEXT(d->busy_ns),
	    TIME_TEXT(x->duration_ns), COUNT_TEXT(ios), ios == 1 ? "" : "s", share);
}

void explain_verdict(struct explanation *x)
{
	const struct explain_device *d = busiest(x);

	if (x->waits.recorded)
		say_task(x);
	if (x->cache.recorded && x->cache.read_pages)
		say_cache(x);
	if (d)
		say_device(x, d);
	if (!*x->verdict)
		say(x, "%s",
		    x->io_rows ? "IOs were recorded, but not how long they took."
		    : !x->cache.recorded && explain_has_accesses(x)
			    ? "Only operations on files: no IO of a device, and no account of the "
			      "page cache."
			    : "Nothing happened: no IO and no buffered read was recorded.");
}
