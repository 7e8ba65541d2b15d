// SPDX-License-Identifier: MIT
#include "compare/judge.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* So many IOs in flight, and so many times as many as in A, are a queue that A did not have. */
#define PILED_UP_MIN   8u
#define PILED_UP_RATIO 4u

/* Mean and median tell the same if one ratio is at most so many times the other. */
#define AGREE_RATIO 1.5

/* With fewer IOs of equal depth, the depth is another one. */
#define EQUAL_DEPTH_PCT 70.0
#define COMPARABLE_PCT	10.0

bool judge_is_same(const struct comparison *c, enum workload_figure figure)
{
	const struct figure_info *info = figure_info(figure);
	double value = c->figures[figure];

	/* NaN: the traces are too short for the figure, which then does not count, or A alone has
	 * 0. */
	if (isnan(value) && c->follows_device && c->reasons[figure] &&
	    !strcmp(c->reasons[figure], FIGURE_FOLLOWS_DEVICE))
		return true;
	if (isnan(value))
		return (figure >= FIGURE_IDC_RATIO_10MS && figure <= FIGURE_IDC_RATIO_60S) ||
		       figure >= FIGURE_BUSY_READS_DELTA_PP;
	if (info->is_ratio)
		return value <= info->same && value >= 1 / info->same;
	return fabs(value) <= info->same;
}

static void append(struct comparison *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void append(struct comparison *c, const char *format, ...)
{
	size_t used = strlen(c->summary);
	va_list args;

	va_start(args, format);
	vsnprintf(c->summary + used, sizeof(c->summary) - used, format, args);
	va_end(args);
}

void judge_figure_text(enum workload_figure figure, double value, char *text, size_t size)
{
	const struct figure_info *info = figure_info(figure);

	if (isnan(value))
		snprintf(text, size, "%s", info->label);
	else if (info->is_ratio)
		snprintf(text, size, "%s x%.2f", info->label, value);
	else if (strstr(info->name, "_pp"))
		snprintf(text, size, "%s %+.1f points", info->label, value);
	else
		snprintf(text, size, "%s by %.2f of 1", info->label, value);
}

static void judge_workload(struct comparison *c)
{
	char text[UNITS_TEXT_MAX];
	bool first = true;

	c->same_workload = true;
	for (unsigned int i = 0; i < FIGURE_COUNT; i++) {
		c->differs[i] = !judge_is_same(c, i);
		if (c->differs[i])
			c->same_workload = false;
	}
	append(c, !c->same_workload   ? "Not the same workload: "
		  : c->follows_device ? "The same IOs; their times follow the device."
				      : "The same workload.");
	for (unsigned int i = 0; i < FIGURE_COUNT; i++) {
		if (!c->differs[i])
			continue;
		if (!first)
			append(c, ", ");
		judge_figure_text(i, c->figures[i], text, sizeof(text));
		append(c, "%s", text);
		first = false;
	}
	if (!c->same_workload)
		append(c, ".");
}

const char *judge_where_changed(const struct latency_comparison *l)
{
	double total = l->b[LATENCY_TOTAL].mean - l->a[LATENCY_TOTAL].mean;
	double queue = l->b[LATENCY_QUEUE].mean - l->a[LATENCY_QUEUE].mean;
	double device = l->b[LATENCY_DEVICE].mean - l->a[LATENCY_DEVICE].mean;

	if (!l->a[LATENCY_DEVICE].count || !l->b[LATENCY_DEVICE].count)
		return "it is not known where";
	if (total < 0) {
		queue = -queue;
		device = -device;
	}
	if (queue > 3 * device)
		return "in the queue before the device";
	if (device > 3 * queue)
		return "in the device";
	return "in both queue and device";
}

static bool agree(double x, double y)
{
	return isnan(x) || isnan(y) || (x <= y * AGREE_RATIO && y <= x * AGREE_RATIO);
}

/* An IO takes longer the more are at the device: bursts of another depth tell nothing of the device. */
static void judge_equal_depth(struct comparison *c, const struct latency_comparison *l)
{
	const struct equal_depth *equal = &l->equal_depth;
	double device = l->ratio[LATENCY_DEVICE].mean;

	if (isnan(equal->share_pct) || isnan(device))
		return;
	if (equal->share_pct < COMPARABLE_PCT)
		append(c,
		       " Hardly ever were as many IOs at the device in A and B: this does not tell "
		       "which device is faster.");
	else if (equal->share_pct < EQUAL_DEPTH_PCT || !agree(device, equal->ratio))
		append(c,
		       " Of those with as many IOs at the device in A as in B (%.0f %%), a typical one "
		       "takes the device x%.2f as long.",
		       equal->share_pct, equal->ratio);
}

static bool judge_latency(struct comparison *c, const char *op, const struct latency_comparison *l)
{
	const struct latency_ratio *ratio = &l->ratio[LATENCY_TOTAL];
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];
	char a_median[UNITS_TEXT_MAX], b_median[UNITS_TEXT_MAX];
	double mean = ratio->mean;
	bool same;

	if (isnan(mean))
		return false;
	units_time((uint64_t)l->a[LATENCY_TOTAL].mean, a);
	units_time((uint64_t)l->b[LATENCY_TOTAL].mean, b);
	same = mean <= SAME_LATENCY_RATIO && mean >= 1 / SAME_LATENCY_RATIO;
	if (!agree(mean, ratio->p50))
		append(c,
		       " %s: in B the median is x%.2f (%s to %s), the mean x%.2f (%s to %s), p99 "
		       "x%.2f%s%s.",
		       op, ratio->p50, units_time(l->a[LATENCY_TOTAL].p50, a_median),
		       units_time(l->b[LATENCY_TOTAL].p50, b_median), mean, a, b, ratio->p99,
		       same ? "" : ", ", same ? "" : judge_where_changed(l));
	else if (same)
		append(c, " %s take as long in B as in A (mean %s and %s; p99 B / A x%.2f).", op, a,
		       b, ratio->p99);
	else if (mean > 1)
		append(c, " %s are x%.2f slower in B (mean %s to %s; p99 B / A x%.2f), %s.", op,
		       mean, a, b, ratio->p99, judge_where_changed(l));
	else
		append(c, " %s are x%.2f faster in B (mean %s to %s; p99 B / A x%.2f), %s.", op,
		       1 / mean, a, b, ratio->p99, judge_where_changed(l));
	judge_equal_depth(c, l);
	return true;
}

/* A recording of programs that wait for their IOs, and a replay that does not wait. */
static void judge_depth(struct comparison *c, const char *op, const struct latency_figures *a,
			const struct latency_figures *b)
{
	if (!a->in_flight_max || b->in_flight_max < PILED_UP_MIN ||
	    b->in_flight_max < PILED_UP_RATIO * a->in_flight_max)
		return;
	append(c,
	       " At most %u of the %s were in flight in A, but %u in B: where A's programs wait for their "
	       "IOs, a replay at the recorded times piles them up. 'replay --mode dependent' waits "
	       "as they did, and tells how they would fare.",
	       a->in_flight_max, op, b->in_flight_max);
}

static bool has_latency(const struct distribution *reads, const struct distribution *writes)
{
	return reads[LATENCY_TOTAL].count || writes[LATENCY_TOTAL].count;
}

const char *judge_why_no_latency(const struct comparison *c)
{
	bool a = has_latency(c->read.a, c->write.a), b = has_latency(c->read.b, c->write.b);

	return a && b ? "A and B have no operation in common"
	       : a    ? "B has none"
	       : b    ? "A has none"
		      : "only recordings have it";
}

bool judge_lacks_ios(const struct comparison *c)
{
	return !c->a->ios && !c->b->ios;
}

static void refuse_verdict(struct comparison *c)
{
	c->no_verdict = true;
	c->same_workload = false;
	memset(c->differs, 0, sizeof(c->differs));
	snprintf(c->no_verdict_reason, sizeof(c->no_verdict_reason), JUDGE_LACKS_IOS);
	append(c, "No verdict: " JUDGE_LACKS_IOS);
}

void judge_workloads(struct comparison *c)
{
	bool reads, writes;

	if (judge_lacks_ios(c)) {
		refuse_verdict(c);
		return;
	}
	judge_workload(c);
	reads = judge_latency(c, "Reads", &c->read);
	writes = judge_latency(c, "Writes", &c->write);
	if (reads)
		judge_depth(c, "reads", &c->a->read, &c->b->read);
	if (writes)
		judge_depth(c, "writes", &c->a->write, &c->b->write);
	if (!reads && !writes)
		append(c, " Latency cannot be compared: %s.", judge_why_no_latency(c));
}

static void append_missing(struct comparison *c, const char *side, const struct missing_rows *m)
{
	char text[MISSING_TEXT_MAX];

	if (missing_rows__text(m, ROW_IO, text))
		append(c, " In %s %s.", side, text);
}

void judge_missing(struct comparison *c)
{
	double a_pct = missing_rows__lost_pct(c->a_missing, ROW_IO);
	double b_pct = missing_rows__lost_pct(c->b_missing, ROW_IO);

	if (a_pct > LOST_PCT_MAX || b_pct > LOST_PCT_MAX) {
		c->no_verdict = true;
		c->same_workload = false;
		memset(c->differs, 0, sizeof(c->differs));
		snprintf(c->summary, sizeof(c->summary), "No verdict: more than %.0f %% of the IOs",
			 LOST_PCT_MAX);
		append(c, " of %s are missing, and the figures are of the others.",
		       a_pct <= LOST_PCT_MAX   ? "B"
		       : b_pct <= LOST_PCT_MAX ? "A"
					       : "A and of B");
	}
	append_missing(c, "A", c->a_missing);
	append_missing(c, "B", c->b_missing);
	if (c->no_verdict)
		snprintf(c->no_verdict_reason, sizeof(c->no_verdict_reason), "%.*s",
			 (int)sizeof(c->no_verdict_reason) - 1,
			 c->summary + strlen("No verdict: "));
}

void judge_exact(struct comparison *c)
{
	const struct exact_differences *d = c->exact;
	uint64_t total = exact_differences__total(d);
	char b[UNITS_TEXT_MAX];

	append(c, " IO by IO: %s in op, flags, size and order of overlapping IOs",
	       COUNTED_TEXT(total, "difference"));
	if (!total)
		append(c, ", in %s.", COUNTED_TEXT(d->a_ios, "IO"));
	else
		append(c, " (%s in A, %s in B).", COUNTED_TEXT(d->a_ios, "IO"),
		       units_count(d->b_ios, b));
}
