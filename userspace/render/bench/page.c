// SPDX-License-Identifier: MIT
/* The page of a bench: what was measured, charts, and all figures as tables. */
#include <math.h>
#include <errno.h>

#include "base/units.h"
#include "render/bench/bench.h"
#include "render/report/html.h"

#define MIB (1024.0 * 1024)

static void meta(FILE *out, const char *name, const char *value)
{
	if (!*value)
		return;
	fprintf(out, "<span>%s <b>", name);
	html_text(out, value);
	fputs("</b></span>\n", out);
}

static void print_answer(const struct bench_results *r, FILE *out)
{
	const struct bench_pts *pts = r->points->pts;
	double best = 0;

	fputs("<section id=\"answer\"><div class=\"meta\">\n", out);
	meta(out, "plan", r->plan);
	meta(out, "target", r->target);
	meta(out, "model", r->model);
	if (r->target_bytes)
		meta(out, "size", BYTES_TEXT(r->target_bytes));
	meta(out, "kernel", r->kernel);
	meta(out, "CPU", r->cpu);
	if (r->runtime_ns)
		meta(out, "each point", TIME_TEXT(r->runtime_ns));
	fputs("</div>\n<h1>", out);
	for (unsigned int i = 0; i < r->done; i++)
		best = r->figures[i].iops > best ? r->figures[i].iops : best;
	if (pts && pts->tracked_count)
		fprintf(out, "SNIA PTS %s: %s after %s", pts->title,
			r->steady.reached ? "steady" : "not steady",
			COUNTED_TEXT(r->steady.rounds, "round"));
	else if (pts)
		fprintf(out, "SNIA PTS %s: %s", pts->title,
			COUNTED_TEXT(r->steady.rounds, "round"));
	else
		fprintf(out, "%s, at most %s IOPS", COUNTED_TEXT(r->done, "point"),
			COUNT_TEXT((uint64_t)(best + 0.5)));
	fputs("</h1>\n", out);
	if (r->merged)
		fprintf(out, "<p class=\"rest\">The sum of %s; percentiles of all their IOs.</p>\n",
			COUNTED_TEXT(r->merged, "result"));
	if (!r->is_whole)
		fprintf(out, "<p class=\"rest\">Interrupted after %u of %s.</p>\n", r->done,
			COUNTED_TEXT(r->points->count, "point"));
	fputs("</section>\n", out);
}

static bool varies(const struct bench_results *r, bool depth)
{
	const struct bench_point *first = &r->points->items[0];

	for (unsigned int i = 1; i < r->done; i++) {
		const struct bench_point *p = &r->points->items[i];

		if (depth ? p->depth != first->depth
			  : p->bs_bytes != first->bs_bytes || p->mix_pct != first->mix_pct)
			return true;
	}
	return false;
}

static void chart(FILE *out, const char *id, const char *title, const char *question)
{
	const struct html_chart c = {.id = id, .title = title, .question = question};

	fputs("<div class=\"card\">", out);
	html_chart(out, &c);
	fputs("</div>\n", out);
}

static void print_charts(const struct bench_results *r, FILE *out)
{
	const struct bench_pts *pts = r->points->pts;

	fputs("<section id=\"charts\"><h2>Charts</h2>\n", out);
	if (pts && r->steady.rounds && pts->tracked_count)
		chart(out, "bench-rounds", "Steady state", "Do the rounds still change?");
	if (pts && r->steady.rounds && !pts->tracked_count)
		chart(out, "bench-saturation", "Write saturation",
		      "What is left when all is written?");
	if (!pts && varies(r, true))
		chart(out, "bench-depth", "Against depth", "What do more IOs in flight bring?");
	if (pts ? pts->tracked_count && r->steady.rounds
		: varies(r, false) && r->points->items[0].bs_bytes)
		chart(out, "bench-heat", "Size and mix",
		      "Rows: size of the IOs. Columns: per cent read/write.");
	if (!pts && r->done <= 64)
		chart(out, "bench-points", "Points", "Which is fast, which is slow?");
	fputs("</section>\n", out);
}

/* Tables -------------------------------------------------------------------------------------- */

static void print_steady(const struct bench_results *r, FILE *out)
{
	static const char *const heads[] = {"size",   "#read %", "#mean", "#range",
					    "#slope", "steady",	 NULL};
	char text[UNITS_TEXT_MAX], pct[32];

	fputs("<section id=\"steady\"><h2>Steady state <small>five rounds; range at most 20 %, slope "
	      "at most 10 % of the mean</small></h2><div class=\"card\">\n",
	      out);
	html_begin_table(out, "steady-table", "Steady state", heads);
	for (unsigned int i = 0; i < r->steady.tracked_count; i++) {
		const struct bench_tracked *t = &r->steady.tracked[i];
		const struct steady_verdict *v = &t->verdict;

		fprintf(out, "<tr><th scope=\"row\">%s</th>", BYTES_TEXT(t->bs_bytes));
		fprintf(out, "<td class=\"number\">%d</td>", t->mix_pct);
		html_cell(out, bench_figure_text(r->points->pts->figure, v->mean, text), v->mean);
		snprintf(pct, sizeof(pct), "%.2f %%", v->range_pct);
		html_cell(out, pct, v->range_pct);
		snprintf(pct, sizeof(pct), "%.2f %%", v->slope_pct);
		html_cell(out, pct, v->slope_pct);
		fprintf(out, "<td>%s</td></tr>\n", v->reached ? "yes" : "no");
	}
	html_end_table(out);
	fputs("</div></section>\n", out);
}

static void print_matrix(const struct bench_results *r, FILE *out)
{
	const struct bench_pts *pts = r->points->pts;
	char texts[8][16], value[UNITS_TEXT_MAX];
	const char *heads[10] = {"size"};
	double mean;

	for (unsigned int m = 0; m < pts->mix_count; m++) {
		snprintf(texts[m], sizeof(texts[m]), "#%d/%d", pts->mixes[m], 100 - pts->mixes[m]);
		heads[m + 1] = texts[m];
	}
	heads[pts->mix_count + 1] = NULL;
	fprintf(out,
		"<section id=\"matrix\"><h2>%s <small>mean of the rounds that are judged; per cent "
		"read/write</small></h2><div class=\"card\">\n",
		bench_figure_name(pts->figure));
	html_begin_table(out, "matrix-table", "Size and mix", heads);
	for (unsigned int s = 0; s < pts->size_count; s++) {
		if (!bench_window_mean(r, pts->sizes[s], pts->mixes[0], &mean))
			continue;
		fprintf(out, "<tr><th scope=\"row\">%s</th>", BYTES_TEXT(pts->sizes[s]));
		for (unsigned int m = 0; m < pts->mix_count; m++)
			if (bench_window_mean(r, pts->sizes[s], pts->mixes[m], &mean))
				html_cell(out, bench_figure_text(pts->figure, mean, value), mean);
			else
				fputs("<td></td>", out);
		fputs("</tr>\n", out);
	}
	html_end_table(out);
	fputs("</div></section>\n", out);
}

static void time_cell(FILE *out, uint64_t ns)
{
	html_cell(out, TIME_TEXT(ns), (double)ns);
}

static void print_points(const struct bench_results *r, FILE *out)
{
	static const char *const heads[] = {"point",  "#size",	"#read %", "#depth", "#jobs",
					    "#IOPS",  "#MiB/s", "#mean",   "#p50",   "#p99",
					    "#p99.9", "#max",	NULL};
	char text[UNITS_TEXT_MAX];
	double bytes, read_pct;

	fputs("<section id=\"points\"><h2>All points</h2><div class=\"card\">\n", out);
	html_begin_table(out, "points-table", "All points", heads);
	for (unsigned int i = 0; i < r->done; i++) {
		const struct bench_point *p = &r->points->items[i];
		const struct bench_figures *f = &r->figures[i];

		fputs("<tr><th scope=\"row\">", out);
		html_name(out, p->name);
		fputs("</th>", out);
		bench_mix(p, f, &bytes, &read_pct);
		html_cell(out, bytes > 0 ? units_bytes((uint64_t)(bytes + 0.5), text) : "-", bytes);
		snprintf(text, sizeof(text), read_pct == floor(read_pct) ? "%.0f" : "%.1f",
			 read_pct);
		html_cell(out, read_pct < 0 ? "-" : text, read_pct);
		html_cell(out, units_count(p->depth, text), p->depth);
		html_cell(out, units_count(p->jobs, text), p->jobs);
		html_cell(out, units_count((uint64_t)(f->iops + 0.5), text), f->iops);
		snprintf(text, sizeof(text), "%.1f", f->bytes_per_s / MIB);
		html_cell(out, text, f->bytes_per_s);
		time_cell(out, (uint64_t)(f->mean_ns + 0.5));
		time_cell(out, f->p50_ns);
		time_cell(out, f->p99_ns);
		time_cell(out, f->p99_9_ns);
		time_cell(out, f->max_ns);
		fputs("</tr>\n", out);
	}
	html_end_table(out);
	fputs("</div></section>\n", out);
}

static void print_steps(const struct bench_results *r, FILE *out)
{
	for (unsigned int i = 0; i < r->done; i++) {
		const struct bench_figures *f = &r->figures[i];

		if (r->points->items[i].kind == BENCH_PURGE)
			fprintf(out, "<p class=\"rest\">Purge: %s.</p>\n",
				f->ios ? "the whole target was discarded"
				       : "none, the target cannot discard");
		if (r->points->items[i].kind == BENCH_FILL)
			fprintf(out,
				"<p class=\"rest\">Preconditioning: %s written in order, twice the "
				"target.</p>\n",
				BYTES_TEXT(f->bytes));
	}
}

int bench_print_html(const struct bench_results *r, FILE *out)
{
	const struct bench_pts *pts = r->points->pts;
	int err;

	html_begin_head(out);
	html_text(out, r->plan);
	fputs(" on ", out);
	html_text(out, r->target);
	fputs(" - blkreel bench", out);
	html_end_head(out);
	fputs("<body>\n<header class=\"bar\"><p class=\"brand\"><b>blkreel</b> bench</p>\n"
	      "<nav aria-label=\"Sections\"><a href=\"#answer\">Answer</a><a href=\"#charts\">Charts</a>"
	      "<a href=\"#points\">All points</a></nav>\n<div class=\"state\"></div></header>\n<main>\n",
	      out);
	print_answer(r, out);
	if (pts)
		print_steps(r, out);
	html_missing_charts(out);
	print_charts(r, out);
	if (pts && pts->tracked_count && r->steady.rounds) {
		print_steady(r, out);
		print_matrix(r, out);
	}
	print_points(r, out);
	fputs("</main>\n", out);
	err = html_data(out, bench_json(r));
	if (err)
		return err;
	html_end(out);
	return fflush(out) || ferror(out) ? -EIO : 0;
}
