// SPDX-License-Identifier: MIT
#include "explain/findings/findings.h"

#include <string.h>

#include "explain/findings/families.h"
#include "explain/findings/savings.h"

/*
 * Losses come first, because they make figures wrong; then what is critical; then what could save most time, where
 * that is known; then by severity; else the order of the rules.
 */
static bool goes_before(const struct explain_finding *one, const struct explain_finding *other)
{
	bool losses = !strcmp(one->id, "losses"), other_losses = !strcmp(other->id, "losses");
	bool critical = one->severity == SEVERITY_CRITICAL;
	bool other_critical = other->severity == SEVERITY_CRITICAL;

	if (losses != other_losses)
		return losses;
	if (critical != other_critical)
		return critical;
	if (one->saves_ns != other->saves_ns)
		return one->saves_ns > other->saves_ns;
	return one->severity > other->severity;
}

static void sort_findings(struct explain_finding *findings, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		struct explain_finding moved = findings[i];
		uint32_t place = i;

		while (place && goes_before(&moved, &findings[place - 1])) {
			findings[place] = findings[place - 1];
			place--;
		}
		findings[place] = moved;
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
	findings_of_waits(&list);
	explain_findings_weigh(x);
	sort_findings(x->findings, x->finding_count);
	return list.err;
}
