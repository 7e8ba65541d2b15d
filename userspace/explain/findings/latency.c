// SPDX-License-Identifier: MIT
/* Findings about where an IO waits, and about the tail of latency. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "explain/findings/families.h"
#include "explain/findings/schedulers.h"
#include "explain/findings/thresholds.h"

static uint64_t sum_ns(const struct explain_device *d, enum explain_latency part)
{
	uint64_t total_ns = 0;

	for (int op = 0; op < TICK_OP_COUNT; op++)
		total_ns += d->latency_sum_ns[op][part];
	return total_ns;
}

static bool has_scheduler(const struct explain_device *d)
{
	return *d->info.scheduler && strcmp(d->info.scheduler, SCHEDULER_NONE) != 0;
}

static void advise_on_queue(struct explain_finding *finding, const struct explain_device *d)
{
	char scheduler[96 + TRACE_NAME_MAX] = "";

	if (has_scheduler(d) && !d->info.rotational)
		snprintf(scheduler, sizeof(scheduler),
			 "; for a fast device try scheduler none (echo none > "
			 "/sys/block/%s/queue/scheduler)",
			 d->info.name);
	finding_advice(finding,
		       "More is asked than the device takes: lower the application's IO depth or "
		       "limit the process (io.max)%s.",
		       scheduler);
}

static void finding_queue(struct finding_list *list, const struct explain_device *d,
			  uint64_t queue_ns, uint64_t device_ns)
{
	const char *scheduler = *d->info.scheduler ? d->info.scheduler : "not known";
	struct explain_finding *finding;
	uint64_t mean_ns = (uint64_t)histogram_mean(d->latency[LATENCY_QUEUE]);
	char requests_text[48] = "";

	if (mean_ns < QUEUE_MEAN_MIN_NS)
		return;
	if (d->info.nr_requests)
		snprintf(requests_text, sizeof(requests_text), ", nr_requests %u",
			 d->info.nr_requests);
	finding = finding_add(list, "queue-dominates", SEVERITY_WARNING, d);
	finding_title(finding, "IOs of %s wait in the kernel longer than in the device",
		      d->info.name);
	finding_evidence(
		finding,
		"%s of %s of summed latency (%.0f %%) passed before the request was handed "
		"to the driver, %s for each on average; scheduler %s%s, at most %s at the "
		"driver at once.",
		TIME_TEXT(queue_ns), TIME_TEXT(queue_ns + device_ns),
		explain_pct(queue_ns, queue_ns + device_ns), TIME_TEXT(mean_ns), scheduler,
		requests_text, COUNT_TEXT(d->depth_max));
	advise_on_queue(finding, d);
}

enum sharing {
	SHARING_UNKNOWN = 0,
	SHARED_BY_PROCESSES,
	USED_BY_ONE,
};

/* Of all processes but the first, and of the threads of the kernel among these. */
static uint64_t others_ns(const struct explain_groups *tasks, uint64_t *kernel_ns)
{
	uint64_t ns = tasks->others.latency_sum_ns;

	*kernel_ns = 0;
	for (uint32_t i = 1; i < tasks->count; i++) {
		ns += tasks->list[i].latency_sum_ns;
		*kernel_ns += tasks->list[i].kernel_thread ? tasks->list[i].latency_sum_ns : 0;
	}
	return ns;
}

/*
 * Processes have the latency of all devices in one sum: even if others had all of theirs here, it is used by one if
 * they had little.
 */
static enum sharing sharing_of(const struct explanation *x, const struct explain_device *d)
{
	const struct explain_groups *tasks = &x->by_task;
	uint64_t here_ns = sum_ns(d, LATENCY_TOTAL), rest_ns, kernel_ns;

	if (!tasks->count || (d->linked_ios && !x->devices_chosen))
		return SHARING_UNKNOWN;
	rest_ns = others_ns(tasks, &kernel_ns);
	/* A thread of the kernel works for others, of whom there may be many. */
	if (explain_pct(rest_ns, here_ns) <= SHARED_MIN_PCT)
		return tasks->list[0].kernel_thread ? SHARING_UNKNOWN : USED_BY_ONE;
	if (explain_pct(rest_ns - kernel_ns, here_ns) > SHARED_MIN_PCT &&
	    explain_pct(d->shared_ns, sum_ns(d, LATENCY_DEVICE)) > SHARED_MIN_PCT)
		return SHARED_BY_PROCESSES;
	return SHARING_UNKNOWN;
}

static bool has_depth(const struct explain_device *d)
{
	return d->depth_ios && (double)d->depth_sum >= SHARED_DEPTH_MIN * (double)d->depth_ios;
}

/* Nothing sorts the IOs that wait. Many disks of virtual machines and of arrays say that they have heads to move. */
static bool may_be_unsorted_disk(const struct explain_device *d)
{
	return d->info.rotational && !*d->info.stacked_on && has_depth(d) &&
	       !strcmp(d->info.scheduler, SCHEDULER_NONE);
}

static bool is_unsorted_disk(const struct explain_device *d)
{
	const struct histogram *reads = d->latency_by_op[TICK_READ][LATENCY_DEVICE];
	bool is_virtual = !strncmp(d->info.name, "vd", 2) || !strncmp(d->info.name, "xvd", 3);

	return may_be_unsorted_disk(d) && !is_virtual && reads && reads->count >= FINDING_MIN_IOS &&
	       histogram_percentile(reads, 50) >= SEEK_MIN_NS;
}

static const char *what_divides(const struct explain_device *d)
{
	switch (explain_dividing(d)) {
	case DIVIDES_NOT:
		return "Several processes wait behind each other's IOs there: limiting the "
		       "heaviest (io.max) can help; ";
	case DIVIDES_ALREADY:
		return "Several processes wait behind each other's IOs there: limiting the "
		       "heaviest (io.max) or a lower io.bfq.weight of its cgroup can help; ";
	default:
		return "Several processes wait behind each other's IOs there: limiting the "
		       "heaviest (io.max) or a scheduler that divides the device (bfq) can help; ";
	}
}

/* What, other than the IOs and the device, makes waits in the device shorter; "": not known. */
static const char *what_helps(const struct explanation *x, const struct explain_device *d)
{
	enum sharing sharing = has_depth(d) ? sharing_of(x, d) : USED_BY_ONE;

	if (sharing == SHARED_BY_PROCESSES)
		return what_divides(d);
	/* That finding has the advice. */
	if (finding_behind_others_applies(x))
		sharing = SHARING_UNKNOWN;
	if (finding_readahead_small_applies(d))
		return sharing == USED_BY_ONE && !may_be_unsorted_disk(d)
			       ? "A larger readahead can help, schedulers cannot; "
			       : "A larger readahead can help; ";
	if (is_unsorted_disk(d))
		return "Scheduler none serves this disk: mq-deadline or bfq, which sort IOs by place "
		       "and serve reads before writeback, can help; ";
	if (sharing == SHARING_UNKNOWN || may_be_unsorted_disk(d))
		return "";
	return "Schedulers and queue settings cannot help; ";
}

/* `only`: nothing that helps was said before. */
static const char *what_else_helps(const struct explanation *x, bool only)
{
	if (finding_mostly_hits_applies(x))
		return " can help, and a faster device helps only the reads that are not in the "
		       "page cache";
	if (finding_read_once_applies(x))
		return only ? ", or a faster device, can help" : ", or a faster device, can";
	return only ? ", a cache or a faster device can help" : ", a cache or a faster device can";
}

static void finding_device(struct finding_list *list, const struct explain_device *d,
			   uint64_t queue_ns, uint64_t device_ns)
{
	const char *helps = what_helps(list->x, d);
	double mean = explain_at_driver_mean(d);
	struct explain_finding *finding;
	char at_driver[TRACE_NAME_MAX + 64] = "";

	if (mean > 0)
		snprintf(at_driver, sizeof(at_driver),
			 "; while %s was busy, %.1f requests were there on average", d->info.name,
			 mean);
	finding = finding_add(list, "device-dominates", SEVERITY_INFO, d);
	finding_title(finding, "the time of an IO of %s is spent in the device", d->info.name);
	finding_evidence(finding,
			 "%s of %s of summed latency (%.0f %%) passed between the driver and the "
			 "completion%s.",
			 TIME_TEXT(device_ns), TIME_TEXT(queue_ns + device_ns),
			 explain_pct(device_ns, queue_ns + device_ns), at_driver);
	finding_advice(finding,
		       "%s%s or larger IOs%s%s. 'blkreel replay' shows what another device "
		       "would do.",
		       helps, *helps ? "fewer" : "Fewer",
		       finding_readahead_small_applies(d) ? " (see readahead-small)" : "",
		       what_else_helps(list->x, !*helps));
}

static void finding_idle(struct finding_list *list, const struct explain_device *d)
{
	struct explain_finding *finding;

	/* The limit is why, and its finding has the advice. */
	if (finding_limited_applies(list->x))
		return;
	finding = finding_add(list, "storage-idle", SEVERITY_INFO, d);
	finding->saves_max_ns = d->busy_ns;
	finding_title(finding, "%s was idle for most of the time", d->info.name);
	finding_evidence(finding, "At least one IO was there for %s of %s (%.1f %%).",
			 TIME_TEXT(d->busy_ns), TIME_TEXT(list->x->duration_ns),
			 explain_pct(d->busy_ns, list->x->duration_ns));
	finding_advice(finding,
		       "A faster device can save at most %s. Look at the CPU (perf top), locks and "
		       "the network, and at limits that hold IO back before it reaches the device "
		       "(io.max of the cgroup).",
		       TIME_TEXT(d->busy_ns));
}

static bool is_idle(const struct explanation *x, const struct explain_device *d)
{
	uint64_t hung_ns;

	if (x->lost || d->untimed_ios > d->started_before || finding_hung_applies(x, d, &hung_ns))
		return false;
	return d->busy_ns && !d->busy_is_lower_bound && x->duration_ns >= FINDING_MIN_DURATION_NS &&
	       explain_pct(d->busy_ns, x->duration_ns) < STORAGE_IDLE_PCT;
}

/* That an idle device had few IOs is no reason to be silent, unless others had the IOs. */
static bool is_the_only_device(const struct explanation *x)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < x->device_count; i++)
		used += x->devices[i]->busy_ns > 0;
	return used == 1;
}

/* How many times as long the longest per cent of the IOs is as the median. */
static double size_ratio(const struct histogram *sizes)
{
	struct distribution s;

	if (!sizes)
		return 1;
	histogram_distribution(sizes, &s);
	return s.p50 && s.p99 > s.p50 ? (double)s.p99 / (double)s.p50 : 1;
}

/*
 * The latency of the IOs up to the size class of the median: large IOs take longer, which alone is no tail, and a few
 * of them are no measure for the others. *limit_bytes is 0 if there are no larger ones.
 */
static void latency_of_usual_sizes(struct histogram *const by_size[EXPLAIN_SIZE_CLASSES],
				   struct histogram *usual, uint64_t *limit_bytes)
{
	uint64_t ios = 0;

	*limit_bytes = 0;
	histogram_init(usual);
	for (unsigned int i = 0; i < EXPLAIN_SIZE_CLASSES; i++)
		ios += by_size[i] ? by_size[i]->count : 0;
	for (unsigned int i = 0; i < EXPLAIN_SIZE_CLASSES && 2 * usual->count < ios; i++) {
		if (by_size[i])
			histogram_merge(usual, by_size[i]);
		*limit_bytes = explain_size_class_bytes(i);
	}
	if (usual->count == ios)
		*limit_bytes = 0;
}

/* Fills *tail and returns how many times its p50 the p99 must be. Without rows, sizes and latencies are apart. */
static double tail_of(const struct explain_device *d, int op, struct distribution *tail,
		      uint64_t *limit_bytes)
{
	struct histogram usual;

	latency_of_usual_sizes(d->latency_by_size[op], &usual, limit_bytes);
	histogram_distribution(usual.count ? &usual : d->latency_by_op[op][LATENCY_TOTAL], tail);
	return usual.count ? TAIL_RATIO : TAIL_RATIO * size_ratio(d->size_bytes[op]);
}

/* What the IOs from p99 on took longer than half of the IOs; each bucket counts with its end. */
static uint64_t tail_ns(const struct histogram *latency, uint64_t p50, uint64_t p99)
{
	uint32_t bucket = loglinear_index(p99, HISTOGRAM_STEP_BITS);
	double ns = 0;

	for (; bucket < HISTOGRAM_BUCKETS; bucket++) {
		uint64_t end_ns = loglinear_number(bucket + 1, HISTOGRAM_STEP_BITS) - 1;

		end_ns = end_ns < latency->max ? end_ns : latency->max;
		if (latency->buckets[bucket])
			ns += (double)latency->buckets[bucket] * (double)(end_ns - p50);
	}
	return (uint64_t)ns;
}

static void finding_tail(struct finding_list *list, const struct explain_device *d, int op)
{
	const struct histogram *total = d->latency_by_op[op][LATENCY_TOTAL];
	char text[UNITS_TEXT_MAX], limit_text[UNITS_TEXT_MAX + 16] = "";
	struct explain_finding *finding;
	struct distribution t;
	uint64_t limit_bytes;
	double ratio;

	if (!total || total->count < FINDING_MIN_IOS)
		return;
	ratio = tail_of(d, op, &t, &limit_bytes);
	if (t.count < FINDING_MIN_IOS || t.p99 < TAIL_MIN_NS ||
	    (double)t.p99 < ratio * (double)t.p50)
		return;
	if (limit_bytes)
		snprintf(limit_text, sizeof(limit_text), " of up to %s", BYTES_TEXT(limit_bytes));
	finding = finding_add(list, "tail-latency", SEVERITY_WARNING, d);
	finding->saves_max_ns = tail_ns(total, t.p50, t.p99);
	finding_title(finding, "a few %s IOs of %s are far slower than the rest",
		      tick_op_name((enum tick_op)op), d->info.name);
	finding_evidence(finding,
			 "Of %s %s IOs%s half took up to %s, but 1 in 100 took %s or more and the "
			 "slowest %s.",
			 COUNT_TEXT(t.count), tick_op_name((enum tick_op)op), limit_text,
			 explain_time(list->x, t.p50, text), TIME_TEXT(t.p99), TIME_TEXT(t.max));
	finding_advice(
		finding,
		"See the slowest IOs for what they share (process, size, a flush or a burst of "
		"writes at the same time); 'blkreel dump --rows io' lists all with their times.");
}

void findings_of_latency(struct finding_list *list, const struct explain_device *d)
{
	uint64_t queue_ns, device_ns;

	explain_where(d, &queue_ns, &device_ns);
	if (is_idle(list->x, d) && is_the_only_device(list->x)) {
		finding_idle(list, d);
	} else if (d->latency[LATENCY_QUEUE] &&
		   d->latency[LATENCY_QUEUE]->count >= FINDING_MIN_IOS) {
		if (explain_pct(queue_ns, queue_ns + device_ns) >= QUEUE_DOMINATES_PCT)
			finding_queue(list, d, queue_ns, device_ns);
		else if (is_idle(list->x, d))
			finding_idle(list, d);
		else if (explain_pct(device_ns, queue_ns + device_ns) >= DEVICE_DOMINATES_PCT)
			finding_device(list, d, queue_ns, device_ns);
	}
	for (int op = 0; op < TICK_OP_COUNT; op++)
		finding_tail(list, d, op);
}
