// SPDX-License-Identifier: MIT
#include "compare/judge_repetitions.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "compare/judge.h"

static void append(struct repetitions *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void append(struct repetitions *r, const char *format, ...)
{
	size_t used = strlen(r->typical.summary);
	va_list args;

	va_start(args, format);
	vsnprintf(r->typical.summary + used, sizeof(r->typical.summary) - used, format, args);
	va_end(args);
}

/* "5 runs each" or "3 and 5 runs" */
static void append_runs(struct repetitions *r)
{
	if (r->a->count == r->b->count)
		append(r, "%u runs each", r->a->count);
	else
		append(r, "%u and %u runs", r->a->count, r->b->count);
}

static void judge_figures(struct repetitions *r)
{
	struct comparison *c = &r->typical;
	unsigned int differing = 0;
	char text[UNITS_TEXT_MAX];

	for (unsigned int i = 0; i < FIGURE_COUNT; i++) {
		c->differs[i] = !judge_is_same(c, i);
		differing += c->differs[i];
	}
	c->same_workload = !differing;
	if (c->same_workload) {
		append(r, "%s (%u of %u figures within their limits).", judge_sameness(c),
		       r->judged, r->judged);
		return;
	}
	append(r, "Not the same workload: ");
	for (unsigned int i = 0, said = 0; i < FIGURE_COUNT; i++) {
		if (!c->differs[i])
			continue;
		judge_figure_text(i, c->figures[i], text, sizeof(text));
		append(r, "%s%s", said++ ? ", " : "", text);
	}
	append(r, ".");
	judge_gap_resolution(c);
}

static bool is_as_long(double low, double high)
{
	return low >= 1 / SAME_LATENCY_RATIO && high <= SAME_LATENCY_RATIO;
}

/* Noisy runs can have equal means by chance. */
static enum latency_verdict verdict(const struct repetitions *r, const struct interval *mean)
{
	bool noise = repetitions__know_noise(r);

	if (isnan(mean->value))
		return LATENCY_NOT_KNOWN;
	if (noise ? is_as_long(mean->low, mean->high) : is_as_long(mean->value, mean->value))
		return LATENCY_AS_LONG;
	if (noise && interval__is_noise(mean, 1))
		return LATENCY_WITHIN_NOISE;
	return mean->value > 1 ? LATENCY_SLOWER : LATENCY_FASTER;
}

static void append_interval(struct repetitions *r, const struct interval *mean)
{
	if (!repetitions__know_noise(r))
		return;
	append(r, ", 95 %% interval x%.2f to x%.2f, ", mean->low, mean->high);
	append_runs(r);
}

/* "in B the median is x0.50 (20 us to 10 us), the mean x3.00 (30 us to 90 us" */
static void append_medians(struct repetitions *r, const char *op, enum latency_verdict verdict,
			   const struct interval *mean, const struct latency_comparison *l)
{
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];

	append(r, " %s: in B the median is x%.2f (%s to %s)", op, l->ratio[LATENCY_TOTAL].p50,
	       units_time(l->a[LATENCY_TOTAL].p50, a), units_time(l->b[LATENCY_TOTAL].p50, b));
	units_time((uint64_t)l->a[LATENCY_TOTAL].mean, a);
	units_time((uint64_t)l->b[LATENCY_TOTAL].mean, b);
	append(r, ", the mean x%.2f (%s%s to %s", mean->value,
	       verdict == LATENCY_WITHIN_NOISE ? "no difference beyond the noise of the runs; "
					       : "",
	       a, b);
}

static void append_means(struct repetitions *r, const char *op, enum latency_verdict verdict,
			 const struct interval *mean, const struct latency_comparison *l)
{
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];

	units_time((uint64_t)l->a[LATENCY_TOTAL].mean, a);
	units_time((uint64_t)l->b[LATENCY_TOTAL].mean, b);
	switch (verdict) {
	case LATENCY_NOT_KNOWN:
		return;
	case LATENCY_AS_LONG:
		append(r, " %s take as long in B as in A (mean %s and %s, x%.2f", op, a, b,
		       mean->value);
		break;
	case LATENCY_WITHIN_NOISE:
		append(r, " %s: no difference beyond the noise of the runs (mean %s and %s, x%.2f",
		       op, a, b, mean->value);
		break;
	case LATENCY_SLOWER:
	case LATENCY_FASTER:
		append(r, " %s are x%.2f %s in B (mean %s to %s", op,
		       verdict == LATENCY_SLOWER ? mean->value : 1 / mean->value,
		       latency_verdict_name(verdict), a, b);
		break;
	}
}

static void append_latency(struct repetitions *r, const char *op, enum latency_verdict verdict,
			   const struct interval *mean, const struct latency_comparison *l)
{
	const struct latency_ratio *ratio = &l->ratio[LATENCY_TOTAL];

	if (judge_agree(mean->value, ratio->p50))
		append_means(r, op, verdict, mean, l);
	else
		append_medians(r, op, verdict, mean, l);
	append_interval(r, mean);
	append(r, "; p99 B / A x%.2f)", ratio->p99);
	if (verdict == LATENCY_SLOWER || verdict == LATENCY_FASTER)
		append(r, ", %s", judge_where_changed(l));
	append(r, ".");
}

static unsigned int median_in_flight(const struct run_set *set, bool reads)
{
	double values[RUNS_MAX];

	for (unsigned int i = 0; i < set->count; i++)
		values[i] = reads ? set->figures[i]->read.in_flight_max
				  : set->figures[i]->write.in_flight_max;
	return (unsigned int)median_of_runs(values, set->count);
}

static void judge_op(struct repetitions *r, bool reads)
{
	const struct latency_comparison *l = reads ? &r->typical.read : &r->typical.write;
	const struct interval *mean = reads ? &r->read_mean : &r->write_mean;
	const char *ios = reads ? "reads" : "writes";
	enum latency_verdict found = verdict(r, mean);

	*(reads ? &r->read : &r->write) = found;
	if (found == LATENCY_NOT_KNOWN)
		return;
	append_latency(r, reads ? "Reads" : "Writes", found, mean, l);
	judge_equal_depth(&r->typical, ios, l);
	judge_resolution(&r->typical, ios, l);
	judge_pile_up(&r->typical, ios, median_in_flight(r->a, reads),
		      median_in_flight(r->b, reads));
}

static void append_losses(struct repetitions *r)
{
	char text[MISSING_TEXT_MAX];

	for (unsigned int side = 0; side < 2; side++) {
		const struct run_set *set = side ? r->b : r->a;

		for (unsigned int i = 0; i < set->count; i++)
			if (missing_rows__text(set->missing[i], ROW_IO, text))
				append(r, " In run %u of %c %s.", i + 1, side ? 'B' : 'A', text);
	}
}

static void append_no_verdict(struct repetitions *r)
{
	unsigned int count = r->a->count * r->b->count, lacking = 0, unjudged = 0;
	struct comparison *c = &r->typical;
	char *reason = c->no_verdict_reason;

	for (unsigned int i = 0; i < count; i++) {
		lacking += judge_lacks_ios(&r->pairs[i]);
		unjudged += r->pairs[i].no_verdict;
	}
	c->same_workload = false;
	if (lacking == count)
		snprintf(reason, sizeof(c->no_verdict_reason), JUDGE_LACKS_IOS);
	else if (lacking == unjudged)
		snprintf(reason, sizeof(c->no_verdict_reason),
			 "a run of A and a run of B have no IO.");
	else
		snprintf(reason, sizeof(c->no_verdict_reason),
			 "more than %.0f %% of the IOs of a run are missing, and the figures are "
			 "of the others.",
			 LOST_PCT_MAX);
	append(r, "No verdict: %s", reason);
}

void judge_repetitions(struct repetitions *r)
{
	struct comparison *c = &r->typical;

	if (c->no_verdict) {
		append_no_verdict(r);
		append_losses(r);
		return;
	}
	judge_figures(r);
	judge_op(r, true);
	judge_op(r, false);
	if (r->read == LATENCY_NOT_KNOWN && r->write == LATENCY_NOT_KNOWN)
		append(r, " Latency cannot be compared: %s.", judge_why_no_latency(c));
	else if (!repetitions__know_noise(r))
		append(r, " The noise of the runs is not known: it needs %u runs of each side.",
		       INTERVAL_RUNS_MIN);
	append_losses(r);
}
