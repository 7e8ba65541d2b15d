// SPDX-License-Identifier: MIT
/* Findings about the recording itself: losses, and an end that is missing. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "explain/findings/families.h"

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
		finding_title(finding, "no IO is missing, but some lack a time or the submitter");
	finding_evidence(finding, "%s.", evidence);
	finding_advice(finding, "%s: %s.",
		       without_row ? "For a complete recording" : "Nothing is to be done", advice);
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
