// SPDX-License-Identifier: MIT
/* Findings about writers and writeback. */
#include "base/units.h"
#include "explain/findings/families.h"
#include "explain/findings/thresholds.h"

static const struct explain_group *most_throttled(const struct explain_groups *groups)
{
	const struct explain_group *most = NULL;

	for (uint32_t i = 0; i < groups->count; i++)
		if (groups->list[i].throttle_ns > (most ? most->throttle_ns : 0))
			most = &groups->list[i];
	return most;
}

void findings_of_writeback(struct finding_list *list)
{
	const struct explanation *x = list->x;
	const struct explain_cache *c = &x->cache;
	const struct explain_group *task = most_throttled(&x->by_task);
	const struct explain_group *file = most_throttled(&x->by_file);
	struct explain_finding *finding;

	if (!explain_cache_knows(c, CACHE_THROTTLED) || !task ||
	    task->throttle_ns < THROTTLED_MIN_NS ||
	    explain_pct(task->throttle_ns, x->duration_ns) < THROTTLED_PCT)
		return;
	finding = finding_add(list, "writeback-throttled", SEVERITY_WARNING, NULL);
	finding_title(finding,
		      "the kernel throttled %s: it writes faster than dirty pages are written back",
		      task->name);
	finding_evidence(finding,
			 "%s (pid %u) was made to wait %s times, %s of %s, while it wrote%s%s; "
			 "%s pages became dirty and %s were written back.",
			 task->name, task->tgid, COUNT_TEXT(task->throttles),
			 TIME_TEXT(task->throttle_ns), TIME_TEXT(x->duration_ns), file ? " " : "",
			 file ? file->name : "", COUNT_TEXT(c->dirtied_pages),
			 COUNT_TEXT(c->written_back_pages));
	finding_advice(
		finding,
		"A lower vm.dirty_background_bytes (or _ratio) lets writing back begin earlier; a "
		"higher vm.dirty_bytes (or _ratio, or more memory for the cgroup) absorbs bursts, "
		"but syncs may then wait for more pages. A stream that lasts is only as fast as "
		"the device: limit it, or write it with O_DIRECT.");
}
