// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "render/compare/pair.h"
#include "render/compare/runs.h"
#include "render/table.h"

#define INDENT 0

const char *run_short_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

char candidate_letter(unsigned int candidate)
{
	return candidate < 25 ? (char)('B' + (int)candidate) : '+';
}

static void side_names(char side, const struct run_set *set, const struct run_names *names,
		       FILE *out)
{
	for (unsigned int i = 0; i < set->count; i++) {
		fprintf(out, "%c%-2u ", side, i + 1);
		render_side_name(names->paths[i], names->devices[i], names->origins[i], out);
	}
}

static void interval_cells(struct table *t, const struct interval *interval)
{
	table__cell(t, isnan(interval->value) ? "-" : "x%.2f", interval->value);
	if (isnan(interval->low))
		table__cell(t, "-");
	else
		table__cell(t, "x%.2f to x%.2f", interval->low, interval->high);
}

static void workload_rows(const struct repetitions *r, FILE *out)
{
	struct table *t = table__new("lrl");
	char change[UNITS_TEXT_MAX];

	table__cell(t, "Workload");
	table__cell(t, "B against A");
	table__cell(t, "%s", "");
	for (unsigned int i = 0; i < FIGURE_COUNT; i++) {
		render_change_text(i, r->typical.figures[i], change);
		table__cell(t, "%s", figure_info(i)->label);
		table__cell(t, "%s", change);
		table__cell(t, "%s", r->typical.differs[i] ? "differs" : "");
	}
	table__print(t, out, INDENT);
	table__free(t);
}

static void latency_row(struct table *t, const struct repetitions *r, const char *op,
			const char *part, const char *column, double a, double b)
{
	struct interval interval;
	char name[LIMIT_NAME_MAX];

	snprintf(name, sizeof(name), "latency.%s.%s%s", op, part, column);
	if (repetitions__figure(r, name, &interval) || isnan(interval.value))
		return;
	table__cell(t, "%ss: %s%s", op, strcmp(column, "p99_9") ? column : "p99.9",
		    !*part		     ? ""
		    : strcmp(part, "queue.") ? " in the device"
					     : " in the queue");
	table__cell(t, "%s", TIME_TEXT((uint64_t)a));
	table__cell(t, "%s", TIME_TEXT((uint64_t)b));
	interval_cells(t, &interval);
}

static void latency_rows(struct table *t, const struct repetitions *r, const char *op,
			 const struct latency_comparison *l)
{
	const struct distribution *a = l->a, *b = l->b;

	latency_row(t, r, op, "", "mean", a->mean, b->mean);
	latency_row(t, r, op, "", "p50", (double)a->p50, (double)b->p50);
	latency_row(t, r, op, "", "p99", (double)a->p99, (double)b->p99);
	latency_row(t, r, op, "", "p99_9", (double)a->p99_9, (double)b->p99_9);
	latency_row(t, r, op, "queue.", "mean", a[LATENCY_QUEUE].mean, b[LATENCY_QUEUE].mean);
	latency_row(t, r, op, "device.", "mean", a[LATENCY_DEVICE].mean, b[LATENCY_DEVICE].mean);
}

static double ios_per_second(const struct workload_figures *f)
{
	return f->duration_ns ? (double)f->ios * 1e9 / (double)f->duration_ns : 0;
}

static double median_iops(const struct run_set *set)
{
	double values[RUNS_MAX];

	for (unsigned int i = 0; i < set->count; i++)
		values[i] = ios_per_second(set->figures[i]);
	return median_of_runs(values, set->count);
}

static void throughput_row(struct table *t, const struct repetitions *r)
{
	struct interval interval;

	if (repetitions__figure(r, "throughput.iops", &interval) || isnan(interval.value))
		return;
	table__cell(t, "IOs per second");
	table__cell(t, "%s", COUNT_TEXT((uint64_t)(median_iops(r->a) + 0.5)));
	table__cell(t, "%s", COUNT_TEXT((uint64_t)(median_iops(r->b) + 0.5)));
	interval_cells(t, &interval);
}

static void figure_rows(const struct repetitions *r, FILE *out)
{
	struct table *t = table__new("lrrrl");

	table__cell(t, "Median of the runs");
	table__cell(t, "A");
	table__cell(t, "B");
	table__cell(t, "B / A");
	table__cell(t, "95 %% interval");
	throughput_row(t, r);
	latency_rows(t, r, "read", &r->typical.read);
	latency_rows(t, r, "write", &r->typical.write);
	if (table__rows(t) != 1) {
		fputc('\n', out);
		table__print(t, out, INDENT);
	}
	table__free(t);
}

static void time_cell(struct table *t, const struct distribution *d, double value)
{
	table__cell(t, "%s", d->count ? TIME_TEXT((uint64_t)value) : "-");
}

static void run_rows(struct table *t, char side, const struct run_set *set)
{
	struct distribution read, write;

	for (unsigned int i = 0; i < set->count; i++) {
		const struct workload_figures *f = set->figures[i];

		histogram_distribution(&f->read.total, &read);
		histogram_distribution(&f->write.total, &write);
		table__cell(t, "%c%u", side, i + 1);
		table__cell(t, "%s", COUNT_TEXT(f->ios));
		table__cell(t, "%s", COUNT_TEXT((uint64_t)(ios_per_second(f) + 0.5)));
		time_cell(t, &read, read.mean);
		time_cell(t, &read, (double)read.p99);
		time_cell(t, &write, write.mean);
		time_cell(t, &write, (double)write.p99);
	}
}

static void each_run(const struct repetitions *r, FILE *out)
{
	static const char *const heads[] = {"Run",	"IOs",	      "IO/s",	  "read mean",
					    "read p99", "write mean", "write p99"};
	struct table *t = table__new("lrrrrrr");

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		table__cell(t, "%s", heads[i]);
	run_rows(t, 'A', r->a);
	run_rows(t, 'B', r->b);
	fputc('\n', out);
	table__print(t, out, INDENT);
	table__free(t);
}

static void limit_rows(const struct compared *c, FILE *out)
{
	char text[LIMIT_TEXT_MAX];

	if (c->limit_count)
		fputc('\n', out);
	for (unsigned int i = 0; i < c->limit_count; i++) {
		limit_result__text(&c->limits[i], text);
		text_wrapped(out, limit_result__is_failure(&c->limits[i]) ? "failed: " : "passed: ",
			     text);
	}
}

void render_runs_text(const struct compared *c, FILE *out)
{
	side_names('A', c->r->a, c->a, out);
	side_names('B', c->r->b, c->b, out);
	fputc('\n', out);
	text_wrapped(out, "", c->r->typical.summary);
	fputc('\n', out);
	workload_rows(c->r, out);
	render_not_compared(&c->r->typical, out);
	figure_rows(c->r, out);
	each_run(c->r, out);
	limit_rows(c, out);
}

static const char *ratio_text(enum latency_verdict verdict, const struct interval *mean, char *text)
{
	snprintf(text, UNITS_TEXT_MAX, isnan(mean->value) ? "-" : "x%.2f", mean->value);
	return verdict == LATENCY_WITHIN_NOISE ? "noise" : text;
}

static void side_cells(struct table *t, char letter, const char *name, const struct run_set *set)
{
	table__cell(t, "%c", letter);
	table__cell(t, "%s", run_short_name(name));
	table__cell(t, "%s", COUNT_TEXT((uint64_t)(median_iops(set) + 0.5)));
}

static void latency_cells(struct table *t, const struct distribution *d, const char *ratio)
{
	time_cell(t, d, d->mean);
	time_cell(t, d, (double)d->p99);
	table__cell(t, "%s", ratio);
}

static void candidate_row(struct table *t, char letter, const struct compared *c)
{
	const struct comparison *typical = &c->r->typical;
	char text[UNITS_TEXT_MAX];

	side_cells(t, letter, c->b->paths[0], c->r->b);
	latency_cells(t, &typical->read.b[LATENCY_TOTAL],
		      ratio_text(c->r->read, &c->r->read_mean, text));
	latency_cells(t, &typical->write.b[LATENCY_TOTAL],
		      ratio_text(c->r->write, &c->r->write_mean, text));
	table__cell(t, "%s", typical->no_verdict ? "?" : typical->same_workload ? "yes" : "no");
}

static void candidate_table(const struct compared *list, unsigned int count, FILE *out)
{
	static const char *const heads[] = {"",	      "",	"IO/s", "reads",  "p99",
					    "/ base", "writes", "p99",	"/ base", "same"};
	struct table *t = table__new("llrrrrrrrl");

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		table__cell(t, "%s", heads[i]);
	side_cells(t, 'A', list[0].a->paths[0], list[0].r->a);
	latency_cells(t, &list[0].r->typical.read.a[LATENCY_TOTAL], "base");
	latency_cells(t, &list[0].r->typical.write.a[LATENCY_TOTAL], "base");
	table__cell(t, "base");
	for (unsigned int i = 0; i < count; i++)
		candidate_row(t, candidate_letter(i), &list[i]);
	table__fit(t, 1, INDENT, out);
	table__print(t, out, INDENT);
	table__free(t);
	fprintf(out, "reads, writes: mean latency. / base: divided by that of the base.\n"
		     "same: the same workload.\n");
}

void render_candidates_text(const struct compared *list, unsigned int count, FILE *out)
{
	candidate_table(list, count, out);
	for (unsigned int i = 0; i < count; i++) {
		char first[UNITS_TEXT_MAX], summary[COMPARISON_SUMMARY_MAX];

		snprintf(first, sizeof(first), "%c %.40s: ", candidate_letter(i),
			 run_short_name(list[i].b->paths[0]));
		comparison_summary_of(list[i].r->typical.summary, candidate_letter(i), summary);
		fputc('\n', out);
		text_wrapped(out, first, summary);
		limit_rows(&list[i], out);
	}
}
