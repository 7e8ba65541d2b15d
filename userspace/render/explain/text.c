// SPDX-License-Identifier: MIT
/* The whole text: head, verdict, sections, findings. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "explain/verdict.h"
#include "render/explain/explain.h"
#include "render/owners.h"
#include "render/table.h"
#include "render/when.h"

#define TEXT_MAX	1024
#define NAME_BESIDE_MAX 24 /* a longer name has a line of its own */

static void print_head(FILE *out, const char *name, const struct explanation *x)
{
	char text[TEXT_MAX], first[NAME_BESIDE_MAX + 8], start[WHEN_TEXT_MAX];
	char warning[WHEN_WARNING_MAX];

	when_wall(x->host.start_wall_ns, start);
	snprintf(text, sizeof(text), "%s%s%s%s%s%s%s%s", TIME_TEXT(x->duration_ns),
		 *x->host.hostname ? " on " : "", x->host.hostname,
		 *x->host.kernel ? ", Linux " : "", x->host.kernel, *start ? ", from " : "", start,
		 x->cut ? "; no proper end" : "");
	snprintf(first, sizeof(first), "%s: ", name);
	if (strlen(name) > NAME_BESIDE_MAX) {
		text_printf(out, "%s:\n", name);
		snprintf(first, sizeof(first), "  ");
	}
	text_wrapped(out, first, text);
	if (*when_clock_warning(&x->host, x->has_summary ? &x->summary : NULL, warning))
		text_wrapped(out, "  warning: ", warning);
	if (*x->host.command)
		text_wrapped(out, "  command: ", x->host.command);
	for (uint32_t i = 0; i < x->tier_count; i++)
		if (!strcmp(x->tiers[i].figure, TRACE_TIER_FILTER))
			text_wrapped(out, "  only ", x->tiers[i].how);
}

#define GRAVE_MAX 5u /* that the first screen names */

static void print_grave(FILE *out, const struct explanation *x)
{
	uint32_t grave = 0;

	for (uint32_t i = 0; i < x->finding_count; i++) {
		const struct explain_finding *finding = &x->findings[i];
		char first[32];

		if (finding->severity == SEVERITY_INFO || ++grave > GRAVE_MAX)
			continue;
		if (grave == 1)
			fputc('\n', out);
		snprintf(first, sizeof(first), "  %s: ", explain_severity_name(finding->severity));
		text_wrapped(out, first, finding->title);
	}
	if (!grave)
		return;
	if (grave > GRAVE_MAX)
		fprintf(out, "  and %u more\n", grave - GRAVE_MAX);
	fprintf(out, "  The findings at the end have evidence and advice.\n");
}

/* Of a part of a recording. */
static void print_began_before(FILE *out, const struct explanation *x)
{
	uint64_t ios = x->from_ns ? x->began_before : 0;
	char text[160];

	if (!ios)
		return;
	snprintf(text, sizeof(text), "%s began before this part and %s in flight at its start.",
		 COUNTED_TEXT(ios, "IO"), ios == 1 ? "was" : "were");
	text_wrapped(out, "", text);
}

/* What a reader who stops here must know. */
static void print_answer(FILE *out, const struct explanation *x)
{
	char *owners = render_owners_text(x);

	fputc('\n', out);
	text_wrapped(out, "", x->verdict);
	print_began_before(out, x);
	if (owners)
		text_wrapped(out, "", owners);
	free(owners);
	print_grave(out, x);
}

static void print_finding(FILE *out, const struct explain_finding *finding)
{
	char first[64], title[EXPLAIN_TITLE_MAX + 64], saves[96];

	snprintf(title, sizeof(title), "%s [%s]", finding->title, finding->id);
	snprintf(first, sizeof(first), "  %s: ", explain_severity_name(finding->severity));
	fputc('\n', out);
	text_wrapped(out, first, title);
	text_wrapped(out, "    ", finding->evidence);
	text_wrapped(out, "    -> ", finding->advice);
	if (!finding->saves_ns)
		return;
	snprintf(saves, sizeof(saves), "saves at most %s, most of it of %s",
		 TIME_TEXT(finding->saves_ns), finding->saves_of);
	text_wrapped(out, "       ", saves);
}

static void print_findings(FILE *out, const struct explanation *x)
{
	const char *why = explain_why_no_findings(x);
	char none[TEXT_MAX];

	if (!x->finding_count) {
		snprintf(none, sizeof(none), "none%s%s.", *why ? ": " : "", why);
		fputc('\n', out);
		text_wrapped(out, "Findings: ", none);
		return;
	}
	fprintf(out, "\nFindings\n");
	for (uint32_t i = 0; i < x->finding_count; i++)
		print_finding(out, &x->findings[i]);
}

int explain_print_text(FILE *out, const char *name, const struct explanation *x, enum explain_by by)
{
	int (*const sections[])(FILE *, const struct explanation *) = {
		explain_print_waits,   explain_print_cache,   explain_print_flow,
		explain_print_what_if, explain_print_devices, explain_print_peaks,
		explain_print_slowest,
	};
	int err;

	print_head(out, name, x);
	print_answer(out, x);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		err = sections[i](out, x);
		if (err)
			return err;
	}
	err = explain_print_groups(out, x, by);
	if (!err)
		err = explain_print_memory(out, x, by);
	if (err)
		return err;
	print_findings(out, x);
	return ferror(out) ? -EIO : 0;
}
