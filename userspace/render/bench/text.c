// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "base/units.h"
#include "render/bench/bench.h"
#include "render/table.h"

#define INDENT 2
#define MIB    (1024.0 * 1024)

const char *bench_figure_name(enum bench_figure figure)
{
	return figure == BENCH_IOPS	    ? "IOPS"
	       : figure == BENCH_THROUGHPUT ? "MiB/s"
					    : "mean latency";
}

const char *bench_figure_text(enum bench_figure figure, double value, char *text)
{
	if (figure == BENCH_IOPS)
		return units_count((uint64_t)(value + 0.5), text);
	if (figure == BENCH_LATENCY)
		return units_time((uint64_t)(value + 0.5), text);
	snprintf(text, UNITS_TEXT_MAX, "%.1f", value / MIB);
	return text;
}

bool bench_window_mean(const struct bench_results *r, uint64_t bs_bytes, int mix_pct, double *mean)
{
	unsigned int rounds = r->steady.rounds, count = 0;

	*mean = 0;
	for (unsigned int i = 0; i < r->done; i++) {
		const struct bench_point *p = &r->points->items[i];

		if (!p->round || p->round > rounds || p->round + STEADY_WINDOW <= rounds ||
		    p->bs_bytes != bs_bytes || p->mix_pct != mix_pct)
			continue;
		*mean += bench_pts__figure(r->points->pts, &r->figures[i]);
		count++;
	}
	if (count)
		*mean /= count;
	return count > 0;
}

bool bench_mix(const struct bench_point *p, const struct bench_figures *f, double *bytes,
	       double *read_pct)
{
	double ios = (double)f->reads + (double)f->writes;

	*bytes = (double)p->bs_bytes;
	*read_pct = p->mix_pct;
	if (!p->bs_bytes)
		*bytes = ios > 0 ? (double)(f->read_bytes + f->write_bytes) / ios : 0;
	if (p->mix_pct == BENCH_NO_MIX && ios > 0)
		*read_pct = 100 * (double)f->reads / ios;
	return ios > 0 && (!p->bs_bytes || p->mix_pct == BENCH_NO_MIX);
}

/* Rows of points ----------------------------------------------------------------------------- */

static void mix_cells(struct table *t, const struct bench_point *p, const struct bench_figures *f)
{
	double bytes, read_pct;

	bench_mix(p, f, &bytes, &read_pct);
	table__cell(t, "%s", bytes > 0 ? BYTES_TEXT((uint64_t)(bytes + 0.5)) : "-");
	if (read_pct < 0)
		table__cell(t, "-");
	else
		table__cell(t, read_pct == floor(read_pct) ? "%.0f" : "%.1f", read_pct);
}

static void row(struct table *t, const struct bench_point *p, const struct bench_figures *f)
{
	char text[UNITS_TEXT_MAX];

	table__cell(t, "%s", p->name);
	mix_cells(t, p, f);
	table__cell(t, "%u", p->depth);
	table__cell(t, "%u", p->jobs);
	table__cell(t, "%s", units_count((uint64_t)(f->iops + 0.5), text));
	table__cell(t, "%.1f", f->bytes_per_s / MIB);
	table__cell(t, "%s", units_time(f->p50_ns, text));
	table__cell(t, "%s", units_time(f->p99_ns, text));
	table__cell(t, "%s", units_time(f->p99_9_ns, text));
}

static int print_points(const struct bench_results *r, FILE *out)
{
	static const char *const head[] = {"point", "size",  "read%", "depth", "jobs",
					   "IOPS",  "MiB/s", "p50",   "p99",   "p99.9"};
	struct table *t = table__new("lrrrrrrrrr");
	bool measured = false;
	double bytes, pct;
	int err;

	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		table__cell(t, "%s", head[i]);
	for (unsigned int i = 0; i < r->done; i++) {
		row(t, &r->points->items[i], &r->figures[i]);
		measured |= bench_mix(&r->points->items[i], &r->figures[i], &bytes, &pct);
	}
	err = table__print(t, out, INDENT);
	table__free(t);
	if (!err && measured)
		fputs("\n  Size and read% are of what was issued: the mean size, the share of reads.\n",
		      out);
	return err;
}

static void steady_cells(struct table *t, const struct bench_figures *f)
{
	if (f->steady_rounds < STEADY_WINDOW) {
		for (unsigned int i = 0; i < 3; i++)
			table__cell(t, "-");
		return;
	}
	table__cell(t, "%.1f %%", f->steady_range_pct);
	table__cell(t, "%.1f %%", f->steady_slope_pct);
	table__cell(t, "%.6g", f->steady_mean);
}

static int print_steady(const struct bench_results *r, FILE *out)
{
	static const char *const head[] = {"point",  "size",  "read%", "depth", "steady",
					   "rounds", "range", "slope", "mean"};
	struct table *t = table__new("lrrrlrrrr");
	int err;

	fprintf(out,
		"\nSteady state of %s: five rounds in a row with range <= 20 %%, slope <= 10 %%\n\n",
		r->steady_figure);
	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		table__cell(t, "%s", head[i]);
	for (unsigned int i = 0; i < r->done; i++) {
		const struct bench_point *p = &r->points->items[i];
		const struct bench_figures *f = &r->figures[i];

		table__cell(t, "%s", p->name);
		mix_cells(t, p, f);
		table__cell(t, "%u", p->depth);
		table__cell(t, "%s", f->steady_reached ? "yes" : "no");
		table__cell(t, "%" PRIu64, f->steady_rounds);
		steady_cells(t, f);
	}
	err = table__print(t, out, INDENT);
	table__free(t);
	return err;
}

/* Tests of the SNIA -------------------------------------------------------------------------- */

static int print_matrix(const struct bench_results *r, FILE *out)
{
	const struct bench_pts *pts = r->points->pts;
	char format[16] = "r", text[UNITS_TEXT_MAX];
	struct table *t;
	double mean;
	int err;

	for (unsigned int m = 0; m < pts->mix_count; m++)
		format[m + 1] = 'r';
	t = table__new(format);
	table__cell(t, "size");
	for (unsigned int m = 0; m < pts->mix_count; m++)
		table__cell(t, "%d/%d", pts->mixes[m], 100 - pts->mixes[m]);
	for (unsigned int s = 0; s < pts->size_count; s++) {
		if (!bench_window_mean(r, pts->sizes[s], pts->mixes[0], &mean))
			continue;
		table__cell(t, "%s", BYTES_TEXT(pts->sizes[s]));
		for (unsigned int m = 0; m < pts->mix_count; m++)
			table__cell(t, "%s",
				    bench_window_mean(r, pts->sizes[s], pts->mixes[m], &mean)
					    ? bench_figure_text(pts->figure, mean, text)
					    : "-");
	}
	err = table__print(t, out, INDENT);
	table__free(t);
	return err;
}

static int print_tracked(const struct bench_results *r, FILE *out)
{
	static const char *const head[] = {"tracked", "read%", "mean", "range", "slope", "steady"};
	struct table *t = table__new("rrrrrl");
	char text[UNITS_TEXT_MAX];
	int err;

	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		table__cell(t, "%s", head[i]);
	for (unsigned int i = 0; i < r->steady.tracked_count; i++) {
		const struct bench_tracked *tracked = &r->steady.tracked[i];
		const struct steady_verdict *v = &tracked->verdict;

		table__cell(t, "%s", BYTES_TEXT(tracked->bs_bytes));
		table__cell(t, "%d", tracked->mix_pct);
		table__cell(t, "%s", bench_figure_text(r->points->pts->figure, v->mean, text));
		table__cell(t, "%.2f %%", v->range_pct);
		table__cell(t, "%.2f %%", v->slope_pct);
		table__cell(t, "%s", v->reached ? "yes" : "no");
	}
	err = table__print(t, out, INDENT);
	table__free(t);
	return err;
}

static void print_steps(const struct bench_results *r, FILE *out)
{
	for (unsigned int i = 0; i < r->done; i++) {
		const struct bench_point *p = &r->points->items[i];
		const struct bench_figures *f = &r->figures[i];

		if (p->kind == BENCH_PURGE && !f->ios && f->skipped)
			fputs("  purge         the target cannot discard: not purged\n", out);
		else if (p->kind == BENCH_PURGE)
			fprintf(out, "  purge         the whole target was discarded in %s\n",
				TIME_TEXT(f->duration_ns));
		else if (p->kind == BENCH_FILL)
			fprintf(out,
				"  precondition  %s written in order in %s, twice the target\n",
				BYTES_TEXT(f->bytes), TIME_TEXT(f->duration_ns));
	}
}

static int print_saturation(const struct bench_results *r, FILE *out)
{
	static const char *const head[] = {"round", "written", "IOPS", "mean", "p99.9", "max"};
	struct table *t = table__new("rrrrrr");
	char text[UNITS_TEXT_MAX];
	uint64_t written = 0;
	int err;

	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		table__cell(t, "%s", head[i]);
	for (unsigned int i = 0; i < r->done; i++) {
		const struct bench_figures *f = &r->figures[i];

		if (!r->points->items[i].round)
			continue;
		written += f->bytes;
		table__cell(t, "%u", r->points->items[i].round);
		table__cell(t, "%s", units_bytes(written, text));
		table__cell(t, "%s", units_count((uint64_t)(f->iops + 0.5), text));
		table__cell(t, "%s", units_time((uint64_t)f->mean_ns, text));
		table__cell(t, "%s", units_time(f->p99_9_ns, text));
		table__cell(t, "%s", units_time(f->max_ns, text));
	}
	err = table__print(t, out, INDENT);
	table__free(t);
	return err;
}

static int print_pts(const struct bench_results *r, FILE *out)
{
	const struct bench_pts *pts = r->points->pts;
	unsigned int rounds = r->steady.rounds,
		     window = rounds < STEADY_WINDOW ? rounds : STEADY_WINDOW;
	int err;

	print_steps(r, out);
	if (!pts->tracked_count) {
		fputc('\n', out);
		return print_saturation(r, out);
	}
	fprintf(out, "  steady        %s after %s of at most %u\n\n",
		r->steady.reached ? "yes," : "no,", COUNTED_TEXT(rounds, "round"), pts->rounds_max);
	if (!rounds)
		return 0;
	fprintf(out, "%s, mean of rounds %u to %u; columns: per cent read/write\n\n",
		bench_figure_name(pts->figure), rounds - window + 1, rounds);
	err = print_matrix(r, out);
	if (err)
		return err;
	fputs("\nSteady state: range <= 20 %, slope <= 10 % of the mean\n\n", out);
	return print_tracked(r, out);
}

int bench_text(const struct bench_results *r, FILE *out)
{
	uint64_t errors = 0;
	int err;

	text_printf(out, "Bench of %s on %s", r->plan, r->target);
	if (r->merged)
		fprintf(out, ", %s", COUNTED_TEXT(r->merged, "result"));
	if (r->runtime_ns)
		fprintf(out, ", %s a point", TIME_TEXT(r->runtime_ns));
	fputs("\n\n", out);
	err = r->points->pts ? print_pts(r, out) : print_points(r, out);
	if (!err && r->steady_figure && !r->points->pts)
		err = print_steady(r, out);
	for (unsigned int i = 0; i < r->done; i++)
		errors += r->figures[i].errors;
	if (errors)
		fprintf(out, "\n  %s failed; they are in no rate and no latency.\n",
			COUNTED_TEXT(errors, "IO"));
	if (!r->is_whole)
		fprintf(out, "\n  %u of %s %s not measured.\n", r->points->count - r->done,
			COUNTED_TEXT(r->points->count, "point"),
			r->points->count - r->done == 1 ? "was" : "were");
	return err;
}
