// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "render/compare/runs.h"

/* Text that a file named: nothing of it may act as markdown or HTML. */
static void escaped(const char *text, FILE *out)
{
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || *text == 127)
			fputc('?', out);
		else if (strchr("\\`*_{}[]()<>#+-!|&~", *text))
			fprintf(out, "&#%u;", (unsigned int)(unsigned char)*text);
		else
			fputc(*text, out);
	}
}

static void figure_cells(const struct repetitions *r, const char *name, FILE *out)
{
	struct interval interval;

	if (repetitions__figure(r, name, &interval) || isnan(interval.value))
		fprintf(out, " - |");
	else if (isnan(interval.low))
		fprintf(out, " x%.2f |", interval.value);
	else
		fprintf(out, " x%.2f (x%.2f to x%.2f) |", interval.value, interval.low,
			interval.high);
}

static void candidates(const struct compared *list, unsigned int count, FILE *out)
{
	fprintf(out,
		"| candidate | runs | workload | IO/s | read mean | read p99 | write mean | write p99 |\n"
		"|---|---:|---|---:|---:|---:|---:|---:|\n");
	for (unsigned int i = 0; i < count; i++) {
		const struct repetitions *r = list[i].r;

		fprintf(out, "| %c ", candidate_letter(i));
		escaped(run_short_name(list[i].b->paths[0]), out);
		fprintf(out, " | %u | %s |", r->b->count,
			r->typical.no_verdict	   ? "no verdict"
			: r->typical.same_workload ? "the same"
						   : "another");
		figure_cells(r, "throughput.iops", out);
		figure_cells(r, "latency.read.mean", out);
		figure_cells(r, "latency.read.p99", out);
		figure_cells(r, "latency.write.mean", out);
		figure_cells(r, "latency.write.p99", out);
		fputc('\n', out);
	}
	fprintf(out, "\nEach figure is candidate / base, with its interval of 95 %%.\n");
}

static void limits(const struct compared *c, FILE *out)
{
	char text[LIMIT_TEXT_MAX];

	for (unsigned int i = 0; i < c->limit_count; i++) {
		limit_result__text(&c->limits[i], text);
		fprintf(out, "- **%s**: %s\n",
			limit_result__is_failure(&c->limits[i]) ? "failed" : "passed", text);
	}
}

void render_runs_markdown(const struct compared *list, unsigned int count, FILE *out)
{
	fprintf(out, "### blkreel compare: base A ");
	escaped(run_short_name(list[0].a->paths[0]), out);
	fprintf(out, " (%s)\n\n", COUNTED_TEXT(list[0].r->a->count, "run"));
	candidates(list, count, out);
	for (unsigned int i = 0; i < count; i++) {
		char summary[COMPARISON_SUMMARY_MAX];

		comparison_summary_of(list[i].r->typical.summary, candidate_letter(i), summary);
		fprintf(out, "\n**%c ", candidate_letter(i));
		escaped(run_short_name(list[i].b->paths[0]), out);
		fprintf(out, "**: %s\n\n", summary);
		limits(&list[i], out);
	}
}
