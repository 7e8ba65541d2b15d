// SPDX-License-Identifier: MIT
#include "compare/comparison.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "compare/judge.h"

/* 0 in both is no difference; 0 in A alone has no ratio. */
static double ratio(double a, double b)
{
	if (a == 0 && b == 0)
		return 1;
	return a > 0 ? b / a : NAN;
}

static double share_pct(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static void set(struct comparison *c, enum workload_figure figure, double value)
{
	c->figures[figure] = value;
	c->reasons[figure] = isnan(value) ? "A has none, B has some" : NULL;
}

static void set_unknown(struct comparison *c, enum workload_figure figure, const char *reason)
{
	c->figures[figure] = NAN;
	c->reasons[figure] = reason;
}

/* Bursts near 0 are compared by how far they rise above `floor`. */
static double burst_ratio(struct comparison *c, double a, double b, double floor)
{
	if (isnan(a) || isnan(b) || (a >= floor && b >= floor))
		return ratio(a, b);
	c->near_zero |= a != b;
	return ratio(fmax(a, floor), fmax(b, floor));
}

/* The bursts of windows that hold `sum` together and are as far from even as still counts as even. */
static double even_windows(double sum, double windows)
{
	return NEAR_ZERO_SPREAD * NEAR_ZERO_SPREAD * sum / windows;
}

static double burst_floor(const struct workload_figures *f, unsigned int scale)
{
	return fmax(NEAR_ZERO_IDC, even_windows((double)f->ios, (double)f->windows[scale]));
}

/* Windows of both that the ratio of bursts needs, and the reason where there are fewer. */
struct burst_windows {
	uint64_t least;
	const char *reasons[WINDOW_SCALES];
};

#define BURST_REASONS(windows)                                                     \
	{                                                                          \
		"needs a duration of " windows " windows of 10 ms in both",        \
			"needs a duration of " windows " windows of 1 s in both",  \
			"needs a duration of " windows " windows of 60 s in both", \
	}

/* The variance of fewer windows is twice or half as large by chance (of ten in 31 % of the cases). */
static const struct burst_windows of_workloads = {30, BURST_REASONS("30")};
/* A profile makes the bursts of its trace anew: these are no two samples of a service. */
static const struct burst_windows of_profile = {2, BURST_REASONS("two")};

static bool has_windows(const struct comparison *c, const struct burst_windows *needs,
			enum window_scale scale)
{
	return c->a->windows[scale] >= needs->least && c->b->windows[scale] >= needs->least;
}

static void compare_bursts(struct comparison *c, const struct burst_windows *needs)
{
	for (unsigned int s = 0; s < WINDOW_SCALES; s++) {
		enum workload_figure figure = FIGURE_IDC_RATIO_10MS + s;
		double a = c->a->idc[s], b = c->b->idc[s];

		if (has_windows(c, needs, s))
			set(c, figure,
			    burst_ratio(c, a, b, fmax(burst_floor(c->a, s), burst_floor(c->b, s))));
		else
			set_unknown(c, figure, needs->reasons[s]);
	}
}

static double byte_burst_floor(const struct workload_figures *f)
{
	return fmax(NEAR_ZERO_IDC, even_windows(f->bytes_idc_ios, (double)f->windows[WINDOW_1S]));
}

static void compare_byte_bursts(struct comparison *c, const struct burst_windows *needs)
{
	const struct workload_figures *a = c->a, *b = c->b;

	if (has_windows(c, needs, WINDOW_1S))
		set(c, FIGURE_BYTES_IDC_RATIO,
		    burst_ratio(c, a->bytes_idc_1s, b->bytes_idc_1s,
				fmax(byte_burst_floor(a), byte_burst_floor(b))));
	else
		set_unknown(c, FIGURE_BYTES_IDC_RATIO, needs->reasons[WINDOW_1S]);
}

static void compare_busy(struct comparison *c)
{
	const struct workload_figures *a = c->a, *b = c->b;

	if (a->ios >= BUSY_IOS_MIN && b->ios >= BUSY_IOS_MIN)
		set(c, FIGURE_BUSY_READS_DELTA_PP, b->busy_reads_pct - a->busy_reads_pct);
	else
		set_unknown(c, FIGURE_BUSY_READS_DELTA_PP, "needs 1,000 IOs in both");
}

/* Reads and writes count as one operation: their shares have a figure of their own. */
static double op_share(const struct workload_figures *f, unsigned int op)
{
	uint64_t ios = f->op_ios[op] + (op == IO_OP_READ ? f->op_ios[IO_OP_WRITE] : 0);

	return share_pct(ios, f->ios) / 100;
}

static double op_distance(const struct workload_figures *a, const struct workload_figures *b)
{
	double more = 0, less = 0;

	for (unsigned int op = 0; op < IO_OP_COUNT; op++) {
		double change = op == IO_OP_WRITE ? 0 : op_share(b, op) - op_share(a, op);

		more += fmax(change, 0);
		less += fmax(-change, 0);
	}
	return fmax(more, less);
}

static void compare_figures(struct comparison *c, const struct burst_windows *needs)
{
	const struct workload_figures *a = c->a, *b = c->b;

	set(c, FIGURE_IOS_RATIO, ratio((double)a->ios, (double)b->ios));
	set(c, FIGURE_READ_IOS_DELTA_PP,
	    share_pct(b->op_ios[IO_OP_READ], b->ios) - share_pct(a->op_ios[IO_OP_READ], a->ios));
	set(c, FIGURE_BYTES_RATIO, ratio((double)a->bytes, (double)b->bytes));
	set(c, FIGURE_SIZE_TVD, size_table_distance(&a->sizes, &b->sizes));
	set(c, FIGURE_GAP_KS, histogram_ks(&a->gaps, &b->gaps));
	compare_bursts(c, needs);
	compare_byte_bursts(c, needs);
	compare_busy(c);
	set(c, FIGURE_PEAK_10MS_RATIO, ratio((double)a->peak_10ms_ios, (double)b->peak_10ms_ios));
	set(c, FIGURE_MRC_MAE, mrc_curve_distance(&a->mrc, &b->mrc));
	set(c, FIGURE_SEQUENTIAL_DELTA_PP,
	    share_pct(b->sequential_ios, b->data_ios) - share_pct(a->sequential_ios, a->data_ios));
	set(c, FIGURE_FOOTPRINT_RATIO,
	    ratio((double)a->mrc.footprint_blocks, (double)b->mrc.footprint_blocks));
	set(c, FIGURE_OP_TVD, op_distance(a, b));
}

static struct latency_ratio distribution_ratio(const struct distribution *a,
					       const struct distribution *b)
{
	if (!a->count || !b->count)
		return (struct latency_ratio){NAN, NAN, NAN, NAN, NAN, NAN};
	return (struct latency_ratio){
		.mean = ratio(a->mean, b->mean),
		.p50 = ratio((double)a->p50, (double)b->p50),
		.p90 = ratio((double)a->p90, (double)b->p90),
		.p99 = ratio((double)a->p99, (double)b->p99),
		.p99_9 = ratio((double)a->p99_9, (double)b->p99_9),
		.max = ratio((double)a->max, (double)b->max),
	};
}

/* The mean of fewer IOs of a class says nothing. */
#define DEPTH_IOS_MIN 30u

static double ios_of(const struct depth_class *classes)
{
	double ios = 0;

	for (unsigned int i = 0; i < DEPTH_CLASSES; i++)
		ios += (double)classes[i].ios;
	return ios;
}

/* Each class counts with the smaller of its two shares of the IOs. */
static struct equal_depth compare_depths(const struct depth_class *a, const struct depth_class *b)
{
	double a_ios = ios_of(a), b_ios = ios_of(b), share = 0, weights = 0, logs = 0;

	if (a_ios <= 0 || b_ios <= 0)
		return (struct equal_depth){NAN, NAN};
	for (unsigned int i = 0; i < DEPTH_CLASSES; i++) {
		double weight = fmin((double)a[i].ios / a_ios, (double)b[i].ios / b_ios);

		share += weight;
		if (a[i].ios < DEPTH_IOS_MIN || b[i].ios < DEPTH_IOS_MIN)
			continue;
		weights += weight;
		logs += weight * (b[i].log_ns / (double)b[i].ios - a[i].log_ns / (double)a[i].ios);
	}
	return (struct equal_depth){100 * share, weights > 0 ? exp(logs / weights) : NAN};
}

static void compare_latency(const struct latency_figures *a, const struct latency_figures *b,
			    struct latency_comparison *l)
{
	histogram_distribution(&a->total, &l->a[LATENCY_TOTAL]);
	histogram_distribution(&a->queue, &l->a[LATENCY_QUEUE]);
	histogram_distribution(&a->device, &l->a[LATENCY_DEVICE]);
	histogram_distribution(&b->total, &l->b[LATENCY_TOTAL]);
	histogram_distribution(&b->queue, &l->b[LATENCY_QUEUE]);
	histogram_distribution(&b->device, &l->b[LATENCY_DEVICE]);
	for (unsigned int part = 0; part < LATENCY_PARTS; part++)
		l->ratio[part] = distribution_ratio(&l->a[part], &l->b[part]);
	l->equal_depth = compare_depths(a->by_depth, b->by_depth);
}

/* What a device decides in a replay that waits for completions says nothing of the workload. */
static void leave_times_out(struct comparison *c)
{
	static const enum workload_figure timed[] = {
		FIGURE_GAP_KS,	       FIGURE_IDC_RATIO_10MS,  FIGURE_IDC_RATIO_10MS + 1,
		FIGURE_IDC_RATIO_60S,  FIGURE_PEAK_10MS_RATIO, FIGURE_BUSY_READS_DELTA_PP,
		FIGURE_BYTES_IDC_RATIO};

	for (size_t i = 0; i < sizeof(timed) / sizeof(timed[0]); i++)
		set_unknown(c, timed[i], FIGURE_FOLLOWS_DEVICE);
}

static void compare(const struct workload_figures *a, const struct workload_figures *b,
		    const struct burst_windows *needs, struct comparison *c)
{
	*c = (struct comparison){.a = a, .b = b};
	compare_figures(c, needs);
	c->follows_device = a->follows_device || b->follows_device;
	c->is_generated = a->is_generated || b->is_generated;
	if (c->follows_device)
		leave_times_out(c);
	compare_latency(&a->read, &b->read, &c->read);
	compare_latency(&a->write, &b->write, &c->write);
	judge_workloads(c);
}

void compare_workloads(const struct workload_figures *a, const struct workload_figures *b,
		       struct comparison *c)
{
	compare(a, b, &of_workloads, c);
}

void compare_with_profile(const struct workload_figures *trace,
			  const struct workload_figures *generated, struct comparison *c)
{
	compare(trace, generated, &of_profile, c);
}

void comparison_add_missing(struct comparison *c, const struct missing_rows *a,
			    const struct missing_rows *b)
{
	c->a_missing = a;
	c->b_missing = b;
	judge_missing(c);
}

void comparison_add_exact(struct comparison *c, const struct exact_differences *d)
{
	c->exact = d;
	judge_exact(c);
}

static const struct {
	const char *name;
	size_t offset;
} ratio_fields[] = {
	{"mean", offsetof(struct latency_ratio, mean)},
	{"p50", offsetof(struct latency_ratio, p50)},
	{"p90", offsetof(struct latency_ratio, p90)},
	{"p99", offsetof(struct latency_ratio, p99)},
	{"p99_9", offsetof(struct latency_ratio, p99_9)},
	{"max", offsetof(struct latency_ratio, max)},
};

static int latency_figure(const struct latency_comparison *l, const char *name, double *value)
{
	const struct latency_ratio *from = &l->ratio[LATENCY_TOTAL];

	for (unsigned int part = 0; part < LATENCY_PARTS; part++) {
		const char *part_name = latency_part_name(part);
		size_t length = strlen(part_name);

		if (strncmp(name, part_name, length) || name[length] != '.')
			continue;
		from = &l->ratio[part];
		name += length + 1;
		break;
	}
	for (size_t i = 0; i < sizeof(ratio_fields) / sizeof(ratio_fields[0]); i++) {
		if (strcmp(name, ratio_fields[i].name))
			continue;
		memcpy(value, (const char *)from + ratio_fields[i].offset, sizeof(*value));
		return 0;
	}
	return -ENOENT;
}

static int exact_figure(const struct exact_differences *d, const char *name, double *value)
{
	if (!strcmp(name, "differences")) {
		*value = d ? (double)exact_differences__total(d) : NAN;
		return 0;
	}
	for (unsigned int kind = 0; kind < EXACT_KINDS; kind++) {
		if (strcmp(name, exact_kind_name(kind)))
			continue;
		*value = d ? (double)d->counts[kind] : NAN;
		return 0;
	}
	return -ENOENT;
}

static double per_second(uint64_t amount, const struct workload_figures *f)
{
	return f->duration_ns ? (double)amount * 1e9 / (double)f->duration_ns : NAN;
}

static int throughput_figure(const struct comparison *c, const char *name, double *value)
{
	if (!strcmp(name, "iops"))
		*value = ratio(per_second(c->a->ios, c->a), per_second(c->b->ios, c->b));
	else if (!strcmp(name, "bytes_per_s"))
		*value = ratio(per_second(c->a->bytes, c->a), per_second(c->b->bytes, c->b));
	else
		return -ENOENT;
	return 0;
}

int comparison_figure(const struct comparison *c, const char *name, double *value)
{
	if (!strncmp(name, "latency.read.", 13))
		return latency_figure(&c->read, name + 13, value);
	if (!strncmp(name, "latency.write.", 14))
		return latency_figure(&c->write, name + 14, value);
	if (!strncmp(name, "exact.", 6))
		return exact_figure(c->exact, name + 6, value);
	if (!strncmp(name, "throughput.", 11))
		return throughput_figure(c, name + 11, value);
	if (strncmp(name, "workload.", 9))
		return -ENOENT;
	if (!strcmp(name + 9, "same")) {
		*value = c->no_verdict ? NAN : c->same_workload;
		return 0;
	}
	for (unsigned int i = 0; i < FIGURE_COUNT; i++) {
		if (strcmp(name + 9, figure_info(i)->name))
			continue;
		*value = figure_info(i)->is_ratio ? c->figures[i] : fabs(c->figures[i]);
		return 0;
	}
	return -ENOENT;
}

/* "B" alone; no name of a file or a device stands in a summary. */
static bool is_word_b(const char *summary, const char *at)
{
	return *at == 'B' && (at == summary || !isalnum((unsigned char)at[-1])) &&
	       !isalnum((unsigned char)at[1]);
}

void comparison_summary_of(const char *summary, char letter, char text[COMPARISON_SUMMARY_MAX])
{
	size_t i;

	for (i = 0; summary[i] && i < COMPARISON_SUMMARY_MAX - 1; i++)
		text[i] = is_word_b(summary, summary + i) && letter >= 'B' && letter <= 'Z'
				  ? letter
				  : summary[i];
	text[i] = '\0';
}
