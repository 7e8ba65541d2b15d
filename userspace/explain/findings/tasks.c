// SPDX-License-Identifier: MIT
/* Findings about the processes that caused the IO. */
#include <stdio.h>

#include "base/units.h"
#include "explain/findings/families.h"
#include "explain/findings/thresholds.h"

struct sums {
	uint64_t ios, latency_sum_ns;
};

/* NULL: none took most of the time, or it is the only one with IO. */
static const struct explain_group *dominating(const struct explain_groups *groups, struct sums *all)
{
	const struct explain_group *top = groups->list;
	uint32_t with_ios = groups->others.ios > 0;

	*all = (struct sums){groups->others.ios, groups->others.latency_sum_ns};
	for (uint32_t i = 0; i < groups->count; i++) {
		all->ios += groups->list[i].ios;
		all->latency_sum_ns += groups->list[i].latency_sum_ns;
		with_ios += groups->list[i].ios > 0;
	}
	if (with_ios < AMONG_TASKS_MIN || all->ios < FINDING_MIN_IOS || !top->id ||
	    explain_pct(top->latency_sum_ns, all->latency_sum_ns) < ONE_TASK_PCT)
		return NULL;
	return top;
}

static void advise_on(struct explain_finding *finding, const struct explanation *x,
		      const struct explain_group *top)
{
	const struct explain_writer *writer = x->writer_count ? x->writers : NULL;

	if (!top->kernel_thread)
		finding_advice(finding,
			       "Look at %s; io.max of its cgroup limits what it takes from the "
			       "others.",
			       top->processes > 1 ? "what starts this command so often"
						  : "this process first");
	else if (writer && explain_pct(writer->io_ns, top->latency_sum_ns) >= WRITER_PCT)
		finding_advice(finding,
			       "It is a kernel thread: it %s for others. Look at %s first, whose "
			       "%s took %s.",
			       writer->is_limited ? "sends IOs" : "writes", writer->comm,
			       writer->is_limited ? "IOs behind an IO limit" : "pages",
			       TIME_TEXT(writer->io_ns));
	else
		finding_advice(finding,
			       "It is a kernel thread: it writes for others. Look at which "
			       "files are written (by file) for who is behind it.");
}

void findings_of_tasks(struct finding_list *list)
{
	const struct explain_groups *programs = explain_programs(list->x);
	struct sums all;
	const struct explain_group *top = dominating(&list->x->by_task, &all);
	struct explain_finding *finding;
	char name[EXPLAIN_LABEL_MAX], pid[24] = "";

	/* Many short processes of one command. */
	if (!top && programs != &list->x->by_task)
		top = dominating(programs, &all);
	if (!top)
		return;
	if (top->tgid)
		snprintf(pid, sizeof(pid), " (pid %u)", top->tgid);
	snprintf(name, sizeof(name), "%s%s", top->name, pid);
	if (top->processes > 1)
		explain_group_label(top, name, sizeof(name));
	finding = finding_add(list, "one-task-dominates", SEVERITY_INFO, NULL);
	finding_title(finding, "one %s caused most of the device time: %s",
		      top->processes > 1 ? "command" : "process", name);
	finding_evidence(finding,
			 "%s submitted %s of %s IOs (%.0f %%) and %s of %s of summed "
			 "latency (%.0f %%).",
			 name, COUNT_TEXT(top->ios), COUNT_TEXT(all.ios),
			 explain_pct(top->ios, all.ios), TIME_TEXT(top->latency_sum_ns),
			 TIME_TEXT(all.latency_sum_ns),
			 explain_pct(top->latency_sum_ns, all.latency_sum_ns));
	advise_on(finding, list->x, top);
}
