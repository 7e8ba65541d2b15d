// SPDX-License-Identifier: MIT
#include "explain/findings/findings.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explainer.h"
#include "explain/words.h"

struct explain_finding *finding_add(struct finding_list *list, const char *id,
				    enum explain_severity severity,
				    const struct explain_device *device)
{
	static struct explain_finding nowhere;
	struct explanation *x = list->x;
	struct explain_finding *added = &nowhere;

	if (!list->err && x->finding_count == list->allocated) {
		uint32_t allocated = list->allocated ? 2 * list->allocated : 16;
		struct explain_finding *grown = realloc(x->findings, allocated * sizeof(*grown));

		if (grown) {
			x->findings = grown;
			list->allocated = allocated;
		} else {
			list->err = -ENOMEM;
		}
	}
	if (!list->err)
		added = &x->findings[x->finding_count++];
	memset(added, 0, sizeof(*added));
	added->id = id;
	added->severity = severity;
	if (device)
		snprintf(added->device, sizeof(added->device), "%s", device->info.name);
	return added;
}

void finding_title(struct explain_finding *finding, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(finding->title, sizeof(finding->title), fmt, args);
	va_end(args);
}

void finding_evidence(struct explain_finding *finding, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(finding->evidence, sizeof(finding->evidence), fmt, args);
	va_end(args);
}

void finding_advice(struct explain_finding *finding, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(finding->advice, sizeof(finding->advice), fmt, args);
	va_end(args);
}

static void finding_losses(struct finding_list *list)
{
	const struct explanation *x = list->x;
	struct explain_finding *finding;
	char evidence[EXPLAIN_SENTENCES_MAX] = "", advice[EXPLAIN_SENTENCES_MAX] = "";
	uint64_t rows = 0, without_row = 0;

	for (int kind = 0; kind < LOSS_CLASS_COUNT; kind++) {
		const struct explain_loss *loss = &x->losses[kind];
		size_t used = strlen(evidence), advised = strlen(advice);

		rows += loss->rows;
		without_row += kind == LOSS_IO_EVENT ? 0 : loss->rows;
		if (!loss->rows)
			continue;
		snprintf(evidence + used, sizeof(evidence) - used, "%s%s (%s): %s",
			 used ? "; " : "", loss_class_meaning(kind),
			 loss_class_name((enum loss_class)kind), COUNT_TEXT(loss->count));
		snprintf(advice + advised, sizeof(advice) - advised, "%s%s", advised ? "; " : "",
			 loss_class_remedy(kind));
	}
	if (!rows)
		return;
	finding = finding_add(list, "losses", SEVERITY_WARNING, NULL);
	if (without_row)
		finding_title(finding,
			      "the recording has gaps: what was lost is in no figure below");
	else
		finding_title(finding, "no IO is missing, but some lack a time or who made them");
	finding_evidence(finding, "%s.", evidence);
	finding_advice(finding, "For a complete recording: %s.", advice);
}

static void finding_incomplete(struct finding_list *list)
{
	const struct explanation *x = list->x;
	struct explain_finding *finding;

	if (!x->cut)
		return;
	finding = finding_add(list, "incomplete-trace", SEVERITY_WARNING, NULL);
	finding_title(finding, "the trace has no proper end: it is explained as far as it goes");
	finding_evidence(finding, "%s IOs over %s could be read before the trace broke off.",
			 COUNT_TEXT(x->io_rows), TIME_TEXT(x->duration_ns));
	finding_advice(finding, "Let the recorder finish (Ctrl-C, not kill -9), and check that the "
				"file was copied whole.");
}

void findings_of_recording(struct finding_list *list)
{
	finding_losses(list);
	finding_incomplete(list);
}

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

/* What makes figures untrue comes first, then the gravest; otherwise the order of the rules. */
static int rank(const struct explain_finding *finding)
{
	if (!strcmp(finding->id, "losses"))
		return SEVERITY_CRITICAL + 1;
	return (int)finding->severity;
}

static void sort_gravest_first(struct explain_finding *findings, uint32_t count)
{
	uint32_t place = 0;

	for (int wanted = SEVERITY_CRITICAL + 1; wanted >= SEVERITY_INFO; wanted--) {
		for (uint32_t i = place; i < count; i++) {
			struct explain_finding moved = findings[i];

			if (rank(&moved) != wanted)
				continue;
			memmove(findings + place + 1, findings + place,
				(i - place) * sizeof(*findings));
			findings[place++] = moved;
		}
	}
}

int explain_findings(struct explanation *x)
{
	struct finding_list list = {.x = x};

	findings_of_recording(&list);
	findings_of_cache(&list);
	findings_of_memory(&list);
	findings_of_writeback(&list);
	findings_of_devices(&list);
	findings_of_tasks(&list);
	sort_gravest_first(x->findings, x->finding_count);
	return list.err;
}
