// SPDX-License-Identifier: MIT
/* Findings about the processes that caused the IO. */
#include <stdio.h>

#include "base/units.h"
#include "explain/findings/families.h"
#include "explain/findings/thresholds.h"

void findings_of_tasks(struct finding_list *list)
{
	const struct explain_groups *tasks = &list->x->by_task;
	const struct explain_group *top = tasks->list;
	uint64_t ios = tasks->others.ios, latency_sum_ns = tasks->others.latency_sum_ns;
	struct explain_finding *finding;
	uint32_t with_ios = 0;
	char pid_text[24] = "";

	for (uint32_t i = 0; i < tasks->count; i++) {
		ios += tasks->list[i].ios;
		latency_sum_ns += tasks->list[i].latency_sum_ns;
		with_ios += tasks->list[i].ios > 0;
	}
	if (with_ios < AMONG_TASKS_MIN || ios < FINDING_MIN_IOS || !top->id ||
	    explain_pct(top->latency_sum_ns, latency_sum_ns) < ONE_TASK_PCT)
		return;
	if (top->tgid)
		snprintf(pid_text, sizeof(pid_text), " (pid %u)", top->tgid);
	finding = finding_add(list, "one-task-dominates", SEVERITY_INFO, NULL);
	finding_title(finding, "one process caused most of the device time: %s%s", top->name,
		      pid_text);
	finding_evidence(finding,
			 "%s%s submitted %s of %s IOs (%.0f %%) and %s of %s of summed "
			 "latency (%.0f %%).",
			 top->name, pid_text, COUNT_TEXT(top->ios), COUNT_TEXT(ios),
			 explain_pct(top->ios, ios), TIME_TEXT(top->latency_sum_ns),
			 TIME_TEXT(latency_sum_ns),
			 explain_pct(top->latency_sum_ns, latency_sum_ns));
	finding_advice(finding, top->kernel_thread
					? "It is a kernel thread: it writes for others. Look at "
					  "which files are written (by file) for who is behind it."
					: "Look at this process first; io.max or io.weight of its "
					  "cgroup limits what it takes from the others.");
}
