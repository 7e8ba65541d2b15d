// SPDX-License-Identifier: MIT
#include "explain/findings/savings.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"

#define OF(cause)  (1u << CAUSE_##cause)
#define OF_READING (OF(PAGE_READ) | OF(READAHEAD_IN_FLIGHT))
#define OF_DEVICE  (OF(DEVICE) | OF(FLUSH) | OF(WRITEBACK_OF_PAGE) | OF_READING)
/* Also what the kernel must write first, of which the device takes a part. */
#define OF_SERVICE (OF_DEVICE | OF(JOURNAL) | OF(DIRTY_THROTTLE))

/*
 * Findings that are not listed keep their advice. They tell about the recording or the health of a device, or what they
 * could save is not known: what others gain without one task, or without reads that nobody waits for.
 */
static const struct {
	const char *id;
	uint32_t causes;
} savings[] = {
	{"limited-by-cgroup", OF(CGROUP_LIMIT)},
	{"limited-by-dirty-pages", OF(DIRTY_THROTTLE)},
	{"waits-for-journal", OF(JOURNAL)},
	{"waits-for-flush", OF(FLUSH)},
	{"limited-by-wbt", OF(WBT)},
	{"few-requests", OF(TAG)},
	{"waits-for-memory", OF(RECLAIM)},
	{"waits-for-cpu", OF(RUN_QUEUE)},
	{"readahead-small", OF_READING},
	{"direct-io-bypass", OF(DEVICE)},
	{"fsync-storm", WAITS_OF_SYNCS},
	{"small-writes-journal", OF(JOURNAL) | OF(FLUSH)},
	{"writeback-throttled", OF(DIRTY_THROTTLE)},
	{"thrashing", OF_READING},
	{"dropped-and-read-again", OF_READING},
	{"evicts-others", OF_READING},
	{"cached-twice", OF_READING},
	{"cache-cold", OF_READING},
	{"queue-dominates", OF(SCHEDULER) | OF(TAG) | OF(WBT)},
	{"device-dominates", OF_SERVICE},
	{"storage-idle", OF_SERVICE},
	{"tail-latency", OF_SERVICE | OF(SCHEDULER)},
};

#define ANY_DEVICE	   0u
#define UNKNOWN_DEVICE_PCT 1.0 /* of the time: more, and a device has no time of its own */

static uint64_t waited_at(const struct explain_wait_task *task, uint32_t mask, uint32_t device)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < task->device_count; i++)
		for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++)
			if (mask & 1u << cause &&
			    (device == ANY_DEVICE || task->devices[i].device == device))
				ns += task->devices[i].ns[cause];
	return ns;
}

static uint64_t waited_for(const struct explain_wait_task *task, uint32_t mask)
{
	uint64_t ns = 0;

	for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++)
		if (mask & 1u << cause)
			ns += explain_waited_for(task, cause);
	return ns;
}

/* A task counts with `each_ns` at most. */
static const struct explain_wait_task *most_waiting(const struct explain_waits *w, uint32_t mask,
						    uint32_t device, uint64_t each_ns,
						    uint64_t *total_ns)
{
	const struct explain_wait_task *most = NULL;
	uint64_t most_ns = 0;

	*total_ns = 0;
	for (uint32_t i = 0; i < w->task_count; i++) {
		uint64_t ns = device == ANY_DEVICE ? waited_for(&w->tasks[i], mask)
						   : waited_at(&w->tasks[i], mask, device);

		ns = ns < each_ns ? ns : each_ns;
		*total_ns += ns;
		if (ns > most_ns) {
			most = &w->tasks[i];
			most_ns = ns;
		}
	}
	return most;
}

const struct explain_wait_task *explain_most_waiting(const struct explain_waits *w, uint32_t mask,
						     uint64_t *total_ns)
{
	return most_waiting(w, mask, ANY_DEVICE, UINT64_MAX, total_ns);
}

/* NULL: the finding is about none. */
static const struct explain_device *device_of(const struct explanation *x,
					      const struct explain_finding *finding)
{
	for (uint32_t i = 0; i < x->device_count; i++)
		if (*finding->device && !strcmp(x->devices[i]->info.name, finding->device))
			return x->devices[i];
	return NULL;
}

static bool waits_for_another(const struct explain_waits *w, const struct explain_device *device)
{
	for (uint32_t i = 0; i < w->task_count; i++)
		for (uint32_t k = 0; k < w->tasks[i].device_count; k++)
			if (w->tasks[i].devices[k].device != device->id)
				return true;
	return false;
}

/* Of a commit or a flush it is not known which device it waits for. */
static bool knows_devices(const struct explain_waits *w, uint32_t mask)
{
	uint64_t all_ns = 0, known_ns = 0;

	for (uint32_t i = 0; i < w->task_count; i++) {
		all_ns += waited_for(&w->tasks[i], mask);
		known_ns += waited_at(&w->tasks[i], mask, ANY_DEVICE);
	}
	return explain_pct(all_ns - known_ns, all_ns) <= UNKNOWN_DEVICE_PCT;
}

static bool is_below_another(const struct explain_device *device)
{
	return device && device->linked_ios;
}

/* A wait for an IO that another device carries out is a wait for both. */
static bool has_layers(const struct explanation *x)
{
	for (uint32_t i = 0; i < x->device_count; i++)
		if (is_below_another(x->devices[i]))
			return true;
	return false;
}

/* How long a device, or all (NULL), had IOs; UINT64_MAX: not known. */
static uint64_t busy_ns(const struct explanation *x, const struct explain_device *device)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < x->device_count; i++) {
		if (device && x->devices[i] != device)
			continue;
		if (x->devices[i]->busy_is_lower_bound)
			return UINT64_MAX;
		ns += x->devices[i]->busy_ns;
	}
	return ns && !x->lost ? ns : UINT64_MAX;
}

/* A commit also takes time without IOs: of that a device, whatever its speed, takes nothing off. */
static uint64_t each_ns(const struct explanation *x, const struct explain_device *device,
			uint32_t causes)
{
	return (causes & OF_SERVICE) == OF_SERVICE ? busy_ns(x, device) : UINT64_MAX;
}

#define SUBMITTER_PCT 5.0 /* of the summed latency: a process with less does not count */
#define WAITER_PCT    1.0 /* of the latency of its IOs: who waited less waits elsewhere */

static bool waits_itself(const struct explain_waits *w, const struct explain_group *process)
{
	uint64_t waited_ns = 0;

	for (uint32_t i = 0; i < w->task_count; i++)
		if (w->tasks[i].tgid == process->tgid)
			waited_ns += w->tasks[i].waited_ns;
	return explain_pct(waited_ns, process->latency_sum_ns) >= WAITER_PCT;
}

/* Programs that wait for events (epoll, eventfd) or for a thread that syncs for them wait outside of what is recorded. */
static bool are_submitters_waiting(const struct explanation *x)
{
	uint64_t all_ns = x->by_task.others.latency_sum_ns;

	for (uint32_t i = 0; i < x->by_task.count; i++)
		all_ns += x->by_task.list[i].latency_sum_ns;
	for (uint32_t i = 0; i < x->by_task.count; i++) {
		const struct explain_group *process = &x->by_task.list[i];

		if (!process->kernel_thread && process->tgid &&
		    explain_pct(process->latency_sum_ns, all_ns) >= SUBMITTER_PCT &&
		    !waits_itself(&x->waits, process))
			return false;
	}
	return true;
}

static void weigh(const struct explanation *x, struct explain_finding *finding, uint32_t causes)
{
	const struct explain_device *device = device_of(x, finding);
	const struct explain_wait_task *most;
	uint32_t id = ANY_DEVICE;

	if (device && waits_for_another(&x->waits, device))
		id = device->id;
	finding->is_weighed =
		id == ANY_DEVICE || (!has_layers(x) && knows_devices(&x->waits, causes));
	if (!finding->is_weighed)
		return;
	if (!finding->saves_ns) {
		most = most_waiting(&x->waits, causes, id, each_ns(x, device, causes),
				    &finding->saves_ns);
		if (finding->saves_pct > 0 && finding->saves_pct < 100)
			finding->saves_ns =
				(uint64_t)((double)finding->saves_ns * finding->saves_pct / 100);
		if (finding->saves_max_ns && finding->saves_ns > finding->saves_max_ns)
			finding->saves_ns = finding->saves_max_ns;
		if (most)
			snprintf(finding->saves_of, sizeof(finding->saves_of), "%s", most->comm);
	}
	/* Waits in the scheduler of a device below another can be found as waits for the device. */
	finding->is_weighed =
		finding->saves_ns || !(causes & OF(SCHEDULER)) || !is_below_another(device);
	finding->is_weighed &= finding->saves_ns || are_submitters_waiting(x);
	if (finding->is_weighed && !finding->saves_ns)
		snprintf(finding->advice, sizeof(finding->advice),
			 "No task waited for this: nothing to gain.");
}

void explain_findings_weigh(struct explanation *x)
{
	if (!x->waits.recorded)
		return;
	for (uint32_t i = 0; i < x->finding_count; i++) {
		struct explain_finding *finding = &x->findings[i];

		finding->is_weighed = finding->saves_ns != 0;
		for (size_t k = 0; k < sizeof(savings) / sizeof(savings[0]); k++)
			if (!strcmp(savings[k].id, finding->id))
				weigh(x, finding, savings[k].causes);
	}
}
