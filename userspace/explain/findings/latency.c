// SPDX-License-Identifier: MIT
/* Findings about where an IO waits, and about the tail of latency. */
#include <stdio.h>

#include "base/units.h"
#include "explain/findings/families.h"
#include "explain/findings/thresholds.h"

static uint64_t sum_ns(const struct explain_device *d, enum explain_latency part)
{
	uint64_t total_ns = 0;

	for (int op = 0; op < TICK_OP_COUNT; op++)
		total_ns += d->latency_sum_ns[op][part];
	return total_ns;
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
	finding_advice(
		finding,
		"More is asked than the device takes: lower the application's IO depth or "
		"limit the process (io.max); for a fast device try scheduler none (echo none "
		"> /sys/block/%s/queue/scheduler).",
		d->info.name);
}

static void finding_device(struct finding_list *list, const struct explain_device *d,
			   uint64_t queue_ns, uint64_t device_ns)
{
	struct explain_finding *finding;

	finding = finding_add(list, "device-dominates", SEVERITY_INFO, d);
	finding_title(finding, "the time of an IO of %s is spent in the device", d->info.name);
	finding_evidence(finding,
			 "%s of %s of summed latency (%.0f %%) passed between the driver and the "
			 "completion; %.1f requests were there on average.",
			 TIME_TEXT(device_ns), TIME_TEXT(queue_ns + device_ns),
			 explain_pct(device_ns, queue_ns + device_ns),
			 d->depth_ios ? (double)d->depth_sum / (double)d->depth_ios : 0.0);
	finding_advice(finding, "Schedulers and queue settings cannot help; fewer or larger IOs, a "
				"cache or a faster device can. 'blkreel replay' shows what another "
				"device would do.");
}

static void finding_tail(struct finding_list *list, const struct explain_device *d, int op)
{
	const struct histogram *total = d->latency_by_op[op][LATENCY_TOTAL];
	struct explain_finding *finding;
	struct distribution t;

	if (!total || total->count < FINDING_MIN_IOS)
		return;
	histogram_distribution(total, &t);
	if (t.p99 < TAIL_MIN_NS || (double)t.p99 < TAIL_RATIO * (double)t.p50)
		return;
	finding = finding_add(list, "tail-latency", SEVERITY_WARNING, d);
	finding_title(finding, "a few %s IOs of %s are far slower than the rest",
		      explain_op_name((enum tick_op)op), d->info.name);
	finding_evidence(finding,
			 "Of %s %s IOs half took up to %s, but 1 in 100 took %s or more and the "
			 "slowest %s.",
			 COUNT_TEXT(t.count), explain_op_name((enum tick_op)op), TIME_TEXT(t.p50),
			 TIME_TEXT(t.p99), TIME_TEXT(t.max));
	finding_advice(
		finding,
		"See the slowest IOs for what they share (process, size, a flush or a burst of "
		"writes at the same time); 'blkreel dump --rows io' lists all with their times.");
}

void findings_of_latency(struct finding_list *list, const struct explain_device *d)
{
	uint64_t queue_ns = sum_ns(d, LATENCY_QUEUE), device_ns = sum_ns(d, LATENCY_DEVICE);

	if (d->latency[LATENCY_QUEUE] && d->latency[LATENCY_QUEUE]->count >= FINDING_MIN_IOS) {
		if (explain_pct(queue_ns, queue_ns + device_ns) >= QUEUE_DOMINATES_PCT)
			finding_queue(list, d, queue_ns, device_ns);
		else if (explain_pct(device_ns, queue_ns + device_ns) >= DEVICE_DOMINATES_PCT)
			finding_device(list, d, queue_ns, device_ns);
	}
	for (int op = 0; op < TICK_OP_COUNT; op++)
		finding_tail(list, d, op);
}
