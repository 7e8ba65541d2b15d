// SPDX-License-Identifier: MIT
/* Findings about what tasks waited for, besides the device itself. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "explain/waits/io_limit.h"
#include "explain/findings/families.h"
#include "explain/findings/savings.h"
#include "explain/findings/schedulers.h"
#include "explain/findings/thresholds.h"

#define WITHOUT_TEXT_MAX 400
#define CGROUP_SHOWN	 200

static const struct {
	enum wait_cause cause;
	const char *id, *title, *advice; /* NULL: advise_on_limit(), advise_on_flushes() */
} rules[] = {
	{CAUSE_CGROUP_LIMIT, "limited-by-cgroup", "is held back by an IO limit of its cgroup",
	 NULL},
	{CAUSE_DIRTY_THROTTLE, "limited-by-dirty-pages",
	 "is made to wait: too many pages are dirty",
	 "A lower vm.dirty_background_bytes (or _ratio) lets writing back begin earlier; a higher "
	 "vm.dirty_bytes (or _ratio) absorbs bursts, but syncs may then wait for more pages. A stream "
	 "that lasts is only as fast as the device."},
	{CAUSE_JOURNAL, "waits-for-journal", "waits for commits of the journal",
	 "Sync less often and in larger transactions, use fdatasync on preallocated files, or give "
	 "the journal or the files of the other writers a device of their own."},
	{CAUSE_FLUSH, "waits-for-flush", "waits for flushes of the device's cache", NULL},
	{CAUSE_WBT, "limited-by-wbt", "is held back by writeback throttling (wbt)",
	 "Raise wbt_lat_usec of the queue, or write 0 into it to turn the throttling off; reads may "
	 "then be slower."},
	{CAUSE_TAG, "few-requests", "waits for a free request of the queue",
	 "Raise nr_requests of the queue, or let fewer threads submit at once."},
	{CAUSE_RECLAIM, "waits-for-memory", "waits for memory to be freed",
	 "Give its cgroup (memory.max, memory.high) or the machine more memory, or let the program "
	 "use less."},
	{CAUSE_RUN_QUEUE, "waits-for-cpu", "could run, but had no CPU",
	 "No storage helps here: use fewer busy tasks, more CPUs, a higher priority (nice, cpu.weight), "
	 "or a higher cpu.max of its cgroup (cpu.cfs_quota_us of version 1)."},
};

static bool has_finding(const struct explanation *x, const char *id)
{
	for (uint32_t i = 0; i < x->finding_count; i++)
		if (!strcmp(x->findings[i].id, id))
			return true;
	return false;
}

static bool is_much(const struct explain_waits *w, uint64_t ns)
{
	return ns >= WAITS_MIN_NS && explain_pct(ns, w->total_ns) >= WAITS_PCT;
}

/* The task that waited most of those that spent half of their time in it, however much all others wait; NULL: none. */
static const struct explain_wait_task *held_back(const struct explanation *x, enum wait_cause cause)
{
	const struct explain_wait_task *most = NULL;

	for (uint32_t i = 0; i < x->waits.task_count; i++) {
		const struct explain_wait_task *task = &x->waits.tasks[i];
		uint64_t ns = explain_waited_for(task, cause);

		if (ns >= WAITS_MIN_NS && explain_pct(ns, task->wall_ns) >= WAITS_OWN_PCT &&
		    explain_pct(task->wall_ns, x->duration_ns) >= WAITS_OWN_WALL_PCT &&
		    (!most || ns > explain_waited_for(most, cause)))
			most = task;
	}
	return most;
}

/* Which device a request was for is not known: a task gets it before its IO exists. */
static bool has_queue(const struct explanation *x, bool with_scheduler)
{
	for (uint32_t i = 0; i < x->device_count; i++) {
		const char *scheduler = x->devices[i]->info.scheduler;
		bool is_none = !strcmp(scheduler, SCHEDULER_NONE);

		if (explain_dividing(x->devices[i]) != DIVIDES_NOT && *scheduler &&
		    is_none != with_scheduler)
			return true;
	}
	return false;
}

static const char *advice_of(const struct explanation *x, size_t rule)
{
	if (rules[rule].cause != CAUSE_TAG || !has_queue(x, false))
		return rules[rule].advice;
	if (has_queue(x, true))
		return "Let fewer threads submit at once, or raise nr_requests of the queue if it "
		       "has a scheduler: with none it cannot exceed the depth of the hardware.";
	return "Keep fewer IOs in flight, or use a volume or an instance with a deeper queue: with "
	       "scheduler none, nr_requests cannot exceed the depth of the hardware.";
}

bool finding_limited_applies(const struct explanation *x)
{
	uint64_t ns;

	explain_most_waiting(&x->waits, 1u << CAUSE_CGROUP_LIMIT, &ns);
	return is_much(&x->waits, ns) || held_back(x, CAUSE_CGROUP_LIMIT);
}

/* The names of a limit in version 2 and in version 1 of control groups: the trace does not tell which it was. */
static void advise_on_limit(struct explain_finding *finding, const struct explain_io_limit *limit)
{
	const char *bytes = limit->writes ? "wbps" : "rbps";
	const char *ios = limit->writes ? "wiops" : "riops";
	const char *v1 = limit->ios_per_s ? "iops" : "bps";
	bool both = limit->bytes_per_s && limit->ios_per_s;

	if (!limit->bytes_per_s && !limit->ios_per_s) {
		finding_advice(finding,
			       "Raise or remove the limit of its cgroup%s%.*s (io.max, io.weight, "
			       "io.latency; blkio.throttle.* of version 1), or move the work to "
			       "another cgroup.",
			       limit->cgroup ? " " : "", CGROUP_SHOWN,
			       limit->cgroup ? limit->cgroup : "");
		return;
	}
	finding_advice(finding,
		       "Raise %s%s%s of %.*s in io.max (blkio.throttle.%s_%s_device of version 1), "
		       "%sor move the work to another cgroup.",
		       limit->bytes_per_s ? bytes : "", both ? " or " : "",
		       limit->ios_per_s ? ios : "", CGROUP_SHOWN, limit->cgroup,
		       limit->writes ? "write" : "read", both ? "*" : v1,
		       limit->ios_per_s ? "send fewer, larger IOs, " : "");
}

static void advise_on_flushes(struct explain_finding *finding, const struct explanation *x)
{
	const struct explain_device *d = explain_flushed_device(x);
	char took[TRACE_NAME_MAX + UNITS_TEXT_MAX + 48] = "";

	if (d)
		snprintf(took, sizeof(took), "Half of the flushes of %s took up to %s. ",
			 d->info.name,
			 TIME_TEXT(histogram_percentile(d->latency_by_op[TICK_FLUSH][LATENCY_TOTAL],
							50)));
	finding_advice(finding,
		       "%sSync less often and in groups (a database's group commit), or use a "
		       "device with power-loss protection, where a flush costs nothing.",
		       took);
}

/* Another finding has the same advice. */
static bool is_told(const struct explanation *x, enum wait_cause cause)
{
	return (cause == CAUSE_DIRTY_THROTTLE && has_finding(x, "writeback-throttled")) ||
	       (cause == CAUSE_FLUSH && has_finding(x, "fsync-storm"));
}

static void finding_cause(struct finding_list *list, size_t rule)
{
	const struct explain_waits *w = &list->x->waits;
	enum wait_cause cause = rules[rule].cause;
	const struct explain_wait_task *most;
	struct explain_finding *finding;
	char limit[IO_LIMIT_WORDS_MAX];
	uint64_t total_ns;

	most = explain_most_waiting(w, 1u << cause, &total_ns);
	if (!is_much(w, total_ns))
		most = held_back(list->x, cause);
	if (!most || is_told(list->x, cause))
		return;
	finding = finding_add(list, rules[rule].id, SEVERITY_WARNING, NULL);
	finding_title(finding, "%s %s", most->comm, rules[rule].title);
	finding_evidence(finding,
			 "%s (pid %u) waited %s of %s for %s%s, %s of all %s that tasks waited.",
			 most->comm, most->pid, TIME_TEXT(explain_waited_for(most, cause)),
			 TIME_TEXT(most->wall_ns), wait_cause_words(cause),
			 cause == CAUSE_CGROUP_LIMIT ? io_limit__words(&most->limit, limit) : "",
			 TIME_TEXT(total_ns), TIME_TEXT(w->total_ns));
	if (cause == CAUSE_CGROUP_LIMIT)
		advise_on_limit(finding, &most->limit);
	else if (cause == CAUSE_FLUSH)
		advise_on_flushes(finding, list->x);
	else
		finding_advice(finding, "%s", advice_of(list->x, rule));
}

/* The pair of programs of which one waited most behind the IOs of the other. */
static const struct explain_blame *worst_pair(const struct explain_waits *w)
{
	for (uint32_t i = 0; i < w->blame_count; i++)
		if (w->blame[i].by == BLAME_BY_TASK &&
		    strcmp(w->blame[i].victim, w->blame[i].culprit) != 0 &&
		    *w->blame[i].culprit != '(')
			return &w->blame[i];
	return NULL;
}

static bool has_named_rows(const struct explain_blame *pair)
{
	return pair->named_ns * 2 >= pair->ns;
}

/* The file whose IOs made others wait most. */
static const struct explain_blame *worst_file(const struct explain_waits *w)
{
	for (uint32_t i = 0; i < w->blame_count; i++)
		if (w->blame[i].by == BLAME_BY_FILE &&
		    strcmp(w->blame[i].victim, w->blame[i].culprit) != 0 &&
		    *w->blame[i].culprit == '/' && has_named_rows(&w->blame[i]))
			return &w->blame[i];
	return NULL;
}

/* The command that leaves the culprit's IOs out, or most of them. Rows name who submitted an IO: of what the kernel
 * writes from the page cache they name the file. */
static void say_without(const struct explain_waits *w, const struct explain_blame *pair, char *text,
			size_t bytes)
{
	const struct explain_blame *file = worst_file(w);

	*text = '\0';
	if (has_named_rows(pair))
		snprintf(text, bytes,
			 " 'blkreel replay --without task=%s' shows what the others would gain.",
			 pair->culprit);
	else if (file)
		snprintf(text, bytes,
			 "%s 'blkreel replay --without file=%s' shows what the others would gain "
			 "without this file.",
			 pair->is_kernel ? "" : " The kernel submits its IOs:", file->culprit);
}

/*
 * A commit ends when the pages are written that others have written into its files: what holds these back, as a limit
 * of their cgroup does, makes the commit longer.
 */
static void advise_on_pair(struct explain_finding *finding, const struct explanation *x,
			   const struct explain_blame *pair, const char *without)
{
	static const char *const schedulers[] = {
		[DIVIDES_NOT] = "",
		[DIVIDES_ALREADY] = ", give it a lower io.bfq.weight",
		[CAN_DIVIDE] = ", let a scheduler divide the device (bfq)",
	};
	const struct explain_device *device = explain_busiest_device(x);

	if (pair->is_kernel)
		finding_advice(
			finding,
			"%s is a thread of the kernel: 'blkreel explain --json' shows by file "
			"and by cgroup (waits.blame) for whom it works.%s",
			pair->culprit, without);
	else if (pair->where == BLAME_IN_JOURNAL)
		finding_advice(
			finding,
			"Let %s keep fewer pages dirty (vm.dirty_bytes, memory.high of its "
			"cgroup, O_DIRECT), use another file system, or run at another time. "
			"A limit of its IOs (io.max) would make the commits longer: they "
			"wait for its pages.%s",
			pair->culprit, without);
	else
		finding_advice(
			finding,
			"Limit %s (io.max of its cgroup)%s, or let it run at another time.%s",
			pair->culprit, device ? schedulers[explain_dividing(device)] : "", without);
}

bool finding_behind_others_applies(const struct explanation *x)
{
	const struct explain_blame *pair = worst_pair(&x->waits);

	return pair && is_much(&x->waits, pair->ns);
}

static void finding_blame(struct finding_list *list)
{
	const struct explain_waits *w = &list->x->waits;
	const struct explain_blame *pair = worst_pair(w);
	struct explain_finding *finding;
	char without[WITHOUT_TEXT_MAX];

	if (!finding_behind_others_applies(list->x))
		return;
	finding = finding_add(list, "waits-behind-others", SEVERITY_WARNING, NULL);
	finding_title(finding, "%.40s waits behind the IOs of %.40s", pair->victim, pair->culprit);
	finding_evidence(finding,
			 "%s of the %s that tasks waited passed while the device served %s and %s "
			 "waited (%s).",
			 TIME_TEXT(pair->ns), TIME_TEXT(w->total_ns), pair->culprit, pair->victim,
			 explain_blame_where_name(pair->where));
	say_without(w, pair, without, sizeof(without));
	advise_on_pair(finding, list->x, pair, without);
	finding->saves_ns = pair->ns;
	snprintf(finding->saves_of, sizeof(finding->saves_of), "%s", pair->victim);
}

void findings_of_waits(struct finding_list *list)
{
	if (!list->x->waits.recorded)
		return;
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		finding_cause(list, i);
	finding_blame(list);
}
