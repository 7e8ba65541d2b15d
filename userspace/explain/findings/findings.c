// SPDX-License-Identifier: MIT
#include "explain/findings/findings.h"

#include <string.h>

#include "explain/findings/families.h"

/* Losses come first, because they make figures wrong; then by severity; else the order of the
 * rules. */
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
