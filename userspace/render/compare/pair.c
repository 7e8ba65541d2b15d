// SPDX-License-Identifier: MIT
#include "render/compare/pair.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "render/json.h"
#include "render/missing.h"
#include "render/table.h"
#include "base/ioprio.h"

#define LABEL_WIDTH 18
#define VALUE_WIDTH 13

static double share_pct(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

void render_figure_text(const struct workload_figures *f, enum workload_figure figure, char *text)
{
	snprintf(text, UNITS_TEXT_MAX, "-");
	switch (figure) {
	case FIGURE_IOS_RATIO:
		units_count(f->ios, text);
		break;
	case FIGURE_READ_IOS_DELTA_PP:
		snprintf(text, UNITS_TEXT_MAX, "%.1f %%", share_pct(f->op_ios[IO_OP_READ], f->ios));
		break;
	case FIGURE_BYTES_RATIO:
		units_bytes(f->bytes, text);
		break;
	case FIGURE_SIZE_TVD:
	case FIGURE_MRC_MAE:
	case FIGURE_COUNT:
		break;
	case FIGURE_GAP_KS:
		if (f->gaps.count)
			units_time((uint64_t)histogram_mean(&f->gaps), text);
		break;
	case FIGURE_IDC_RATIO_10MS:
	case FIGURE_IDC_RATIO_1S:
	case FIGURE_IDC_RATIO_60S:
		if (!isnan(f->idc[figure - FIGURE_IDC_RATIO_10MS]))
			snprintf(text, UNITS_TEXT_MAX, "%.2f",
				 f->idc[figure - FIGURE_IDC_RATIO_10MS]);
		break;
	case FIGURE_PEAK_10MS_RATIO:
		units_count(f->peak_10ms_ios, text);
		break;
	case FIGURE_SEQUENTIAL_DELTA_PP:
		snprintf(text, UNITS_TEXT_MAX, "%.1f %%",
			 share_pct(f->sequential_ios, f->data_ios));
		break;
	case FIGURE_BUSY_READS_DELTA_PP:
		if (!isnan(f->busy_reads_pct))
			snprintf(text, UNITS_TEXT_MAX, "%.1f %%", f->busy_reads_pct);
		break;
	case FIGURE_BYTES_IDC_RATIO:
		if (!isnan(f->bytes_idc_1s))
			snprintf(text, UNITS_TEXT_MAX, "%.2f", f->bytes_idc_1s);
		break;
	case FIGURE_FOOTPRINT_RATIO:
		units_bytes(f->mrc.footprint_blocks * PAGE_BYTES, text);
		break;
	case FIGURE_OP_TVD:
		snprintf(
			text, UNITS_TEXT_MAX, "%.1f %%",
			share_pct(f->ios - f->op_ios[IO_OP_READ] - f->op_ios[IO_OP_WRITE], f->ios));
		break;
	}
}

void render_change_text(enum workload_figure figure, double value, char *text)
{
	if (isnan(value))
		snprintf(text, UNITS_TEXT_MAX, "-");
	else if (figure_info(figure)->is_ratio)
		snprintf(text, UNITS_TEXT_MAX, "x%.3f", value);
	else if (strstr(figure_info(figure)->name, "_pp"))
		snprintf(text, UNITS_TEXT_MAX, "%+.2f pp",
			 fabs(value) < 0.005 ? 0.0 : value); /* never "-0.00" */
	else
		snprintf(text, UNITS_TEXT_MAX, "%.3f", value);
}

static const char *short_name(const char *title, char *text)
{
	size_t length = strlen(title);

	if (length <= VALUE_WIDTH)
		return title;
	snprintf(text, VALUE_WIDTH + 1, "..%s", title + length - (VALUE_WIDTH - 2));
	return text;
}

static bool is_said(const struct comparison *c, unsigned int figure)
{
	for (unsigned int i = 0; i < figure; i++)
		if (c->reasons[i] && !strcmp(c->reasons[i], c->reasons[figure]))
			return true;
	return false;
}

void render_not_compared(const struct comparison *c, FILE *out)
{
	char text[FIGURE_COUNT * UNITS_TEXT_MAX];

	for (unsigned int i = 0; i < FIGURE_COUNT; i++) {
		size_t used = 0;

		if (!c->reasons[i] || is_said(c, i))
			continue;
		for (unsigned int j = i; j < FIGURE_COUNT; j++)
			if (c->reasons[j] && !strcmp(c->reasons[j], c->reasons[i]))
				used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
							 used ? ", " : "", figure_info(j)->label);
		snprintf(text + used, sizeof(text) - used, ": %s.", c->reasons[i]);
		text_wrapped(out, "Not compared: ", text);
	}
}

void render_workload_table(const struct comparison *c, const char *a_title, const char *b_title,
			   FILE *out)
{
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX], change[UNITS_TEXT_MAX];

	fprintf(out, "%-*s %*s %*s %*s\n", LABEL_WIDTH, "Workload", VALUE_WIDTH,
		short_name(a_title, a), VALUE_WIDTH, short_name(b_title, b), VALUE_WIDTH, "change");
	units_time(c->a->duration_ns, a);
	units_time(c->b->duration_ns, b);
	fprintf(out, "%-*s %*s %*s\n", LABEL_WIDTH, "duration", VALUE_WIDTH, a, VALUE_WIDTH, b);
	for (unsigned int i = 0; i < FIGURE_COUNT; i++) {
		render_figure_text(c->a, i, a);
		render_figure_text(c->b, i, b);
		render_change_text(i, c->figures[i], change);
		fprintf(out, "%-*s %*s %*s %*s%s\n", LABEL_WIDTH, figure_info(i)->label,
			VALUE_WIDTH, a, VALUE_WIDTH, b, VALUE_WIDTH, change,
			c->differs[i] ? "  differs" : "");
	}
	if (c->a->flush_machinery_ios || c->b->flush_machinery_ios)
		fprintf(out,
			"Not counted: flush requests of the kernel for PREFLUSH writes (A %s, B %s).\n",
			units_count(c->a->flush_machinery_ios, a),
			units_count(c->b->flush_machinery_ios, b));
	fprintf(out, "Sizes, gaps, cache miss curve, other operations: from 0 (the same) to 1.\n"
		     "Bursts: variance / mean of the IOs in a window; 0 is even, 1 is random.\n");
	if (c->near_zero)
		fprintf(out,
			"Bursts below %.1f, or of windows within %.0f %% of their mean (standard "
			"deviation),\nare near 0 and count as that.\n",
			NEAR_ZERO_IDC, 100 * NEAR_ZERO_SPREAD);
	render_not_compared(c, out);
}

static void latency_row(const char *op, const char *label, const struct distribution *d, FILE *out)
{
	const double values[] = {d->mean,	 (double)d->p50,   (double)d->p90,
				 (double)d->p99, (double)d->p99_9, (double)d->max};
	char text[UNITS_TEXT_MAX];

	fprintf(out, "%-6s %-9s", op, label);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		fprintf(out, " %9s", d->count ? units_time((uint64_t)values[i], text) : "-");
	fputc('\n', out);
}

static void ratio_row(const struct latency_ratio *ratio, FILE *out)
{
	const double values[] = {ratio->mean, ratio->p50,   ratio->p90,
				 ratio->p99,  ratio->p99_9, ratio->max};
	char text[UNITS_TEXT_MAX];

	fprintf(out, "%-6s %-9s", "", "  B / A");
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		snprintf(text, sizeof(text), isnan(values[i]) ? "-" : "x%.2f", values[i]);
		fprintf(out, " %9s", text);
	}
	fputc('\n', out);
}

static void latency_table(const char *op, const struct latency_comparison *l, FILE *out)
{
	char label[UNITS_TEXT_MAX];

	if (!l->a[LATENCY_TOTAL].count && !l->b[LATENCY_TOTAL].count)
		return;
	for (unsigned int part = 0; part < LATENCY_PARTS; part++) {
		snprintf(label, sizeof(label), "%s A", latency_part_name(part));
		if (l->a[part].count)
			latency_row(part ? "" : op, label, &l->a[part], out);
		snprintf(label, sizeof(label), "%s B", latency_part_name(part));
		if (l->b[part].count)
			latency_row(part || l->a[part].count ? "" : op, label, &l->b[part], out);
		if (!isnan(l->ratio[part].mean))
			ratio_row(&l->ratio[part], out);
	}
}

/* Breaks a text at blanks so that it stays below 80 columns. */
static void wrapped(const char *text, FILE *out)
{
	unsigned int column = 0;

	while (*text) {
		size_t length = strcspn(text, " ");

		if (column && column + 1 + length > 78) {
			fputc('\n', out);
			column = 0;
		}
		column +=
			(unsigned int)fprintf(out, "%s%.*s", column ? " " : "", (int)length, text);
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

static void exact_side(const char *side, const struct exact_io *io, bool priority, FILE *out)
{
	char text[IOPRIO_TEXT_MAX];

	fprintf(out, "%s %s", side, io_op_name(io->op));
	if (io->length_bytes)
		fprintf(out, "%s%s of %llu bytes at %llu", io->fua ? " (fua)" : "",
			io->atomic ? " (atomic)" : "", (unsigned long long)io->length_bytes,
			(unsigned long long)io->offset_bytes);
	if (priority)
		fprintf(out, ", %s", ioprio_text(io->ioprio, text));
}

static void exact_example(const struct exact_example *example, FILE *out)
{
	bool priority = example->kind == EXACT_PRIORITY;

	fprintf(out, "  %-8s", exact_kind_name(example->kind));
	if (example->kind == EXACT_ORDER) {
		exact_side("  after one that it came before in A:", &example->b, priority, out);
	} else {
		if (example->kind != EXACT_ADDED)
			exact_side("  A:", &example->a, priority, out);
		if (example->kind != EXACT_MISSING)
			exact_side("  B:", &example->b, priority, out);
	}
	fputc('\n', out);
}

static void exact_table(const struct exact_differences *d, FILE *out)
{
	char count[UNITS_TEXT_MAX];

	fprintf(out, "\n%-18s %*s\n", "IO by IO", VALUE_WIDTH, "differences");
	for (unsigned int kind = 0; kind < EXACT_KINDS; kind++)
		fprintf(out, "%-18s %*s\n", exact_kind_name(kind), VALUE_WIDTH,
			units_count(d->counts[kind], count));
	if (d->example_count)
		fprintf(out, "For example:\n");
	for (unsigned int i = 0; i < d->example_count; i++)
		exact_example(&d->examples[i], out);
}

void render_side_name(const char *path, const char *device, const char *origin, FILE *out)
{
	text_printf(out, "%s%s%s%s%s\n", path, *device ? ", device " : "", device,
		    *origin ? ": " : "", origin);
}

void render_compare_text(const struct comparison *c, const struct compare_names *names, FILE *out)
{
	fputs("A  ", out);
	render_side_name(names->a_path, names->a_device, names->a_origin, out);
	fputs("B  ", out);
	render_side_name(names->b_path, names->b_device, names->b_origin, out);
	fputc('\n', out);
	wrapped(c->summary, out);
	fputc('\n', out);
	render_workload_table(c, "A", "B", out);
	if (c->exact)
		exact_table(c->exact, out);
	if (c->read.a[LATENCY_TOTAL].count || c->read.b[LATENCY_TOTAL].count ||
	    c->write.a[LATENCY_TOTAL].count || c->write.b[LATENCY_TOTAL].count) {
		fprintf(out, "\n%-16s %9s %9s %9s %9s %9s %9s\n", "Latency", "mean", "p50", "p90",
			"p99", "p99.9", "max");
		latency_table("reads", &c->read, out);
		latency_table("writes", &c->write, out);
	}
}

json_t *render_workload_json(const struct comparison *c)
{
	json_t *object = json_object(), *idc = json_object(), *reasons = json_object();

	for (unsigned int i = 0; i < FIGURE_COUNT; i++) {
		const char *name = figure_info(i)->name, *dot = strchr(name, '.');

		json_set_real(dot ? idc : object, dot ? dot + 1 : name, c->figures[i]);
		if (c->reasons[i])
			json_set_text(reasons, name, c->reasons[i]);
	}
	json_object_set_new(object, "idc_ratio", idc);
	json_object_set_new(object, "reasons", reasons);
	return object;
}

json_t *render_side_json(const struct workload_figures *f, const struct missing_rows *missing,
			 const char *path, const char *device)
{
	json_t *object = json_object(), *idc = json_object();

	json_set_text(object, "name", path);
	json_set_text(object, "device", device);
	json_set_u64(object, "ios", f->ios);
	json_object_set_new(object, "missing", render_missing_json(missing, ROW_IO));
	json_set_u64(object, "bytes", f->bytes);
	json_set_u64(object, "duration_ns", f->duration_ns);
	json_set_real(object, "read_ios_pct", share_pct(f->op_ios[IO_OP_READ], f->ios));
	json_set_real(object, "sequential_pct", share_pct(f->sequential_ios, f->data_ios));
	json_set_u64(object, "footprint_bytes", f->mrc.footprint_blocks * PAGE_BYTES);
	json_set_u64(object, "footprint_sampled_one_block_in", f->mrc.sampled_one_block_in);
	json_set_u64(object, "peak_10ms_ios", f->peak_10ms_ios);
	json_set_real(object, "busy_reads_pct", f->busy_reads_pct);
	json_set_real(object, "bytes_idc_1s", f->bytes_idc_1s);
	json_set_u64(object, "fua_ios", f->fua_ios);
	json_set_u64(object, "preflush_ios", f->preflush_ios);
	json_set_u64(object, "flush_machinery_ios", f->flush_machinery_ios);
	for (unsigned int s = 0; s < WINDOW_SCALES; s++)
		json_set_real(idc, window_scale_name(s), f->idc[s]);
	json_object_set_new(object, "idc", idc);
	for (unsigned int op = 0; op < IO_OP_COUNT; op++) {
		char key[64];

		if (!f->op_ios[op])
			continue;
		snprintf(key, sizeof(key), "%s_ios", io_op_name(op));
		json_set_u64(object, key, f->op_ios[op]);
	}
	return object;
}

static json_t *ratio_json(const struct latency_ratio *ratio)
{
	json_t *object = json_object();

	json_set_real(object, "mean", ratio->mean);
	json_set_real(object, "p50", ratio->p50);
	json_set_real(object, "p90", ratio->p90);
	json_set_real(object, "p99", ratio->p99);
	json_set_real(object, "p99_9", ratio->p99_9);
	json_set_real(object, "max", ratio->max);
	return object;
}

/* a, b and ratio of the total; the same for the two parts of it. */
static json_t *latency_json(const struct latency_figures *a, const struct latency_figures *b,
			    const struct latency_comparison *l)
{
	const struct histogram *sides[LATENCY_PARTS][2] = {
		[LATENCY_TOTAL] = {&a->total, &b->total},
		[LATENCY_QUEUE] = {&a->queue, &b->queue},
		[LATENCY_DEVICE] = {&a->device, &b->device},
	};
	json_t *object = json_object(), *in_flight = json_object();
	json_t *equal_depth = json_object();

	json_set_u64(in_flight, "a", a->in_flight_max);
	json_set_u64(in_flight, "b", b->in_flight_max);
	json_object_set_new(object, "in_flight_max", in_flight);
	json_set_real(equal_depth, "share_pct", l->equal_depth.share_pct);
	json_set_real(equal_depth, "ratio", l->equal_depth.ratio);
	json_object_set_new(object, "equal_depth", equal_depth);
	for (unsigned int part = 0; part < LATENCY_PARTS; part++) {
		json_t *into = part == LATENCY_TOTAL ? object : json_object();

		json_object_set_new(into, "a", json_distribution(sides[part][0]));
		json_object_set_new(into, "b", json_distribution(sides[part][1]));
		json_object_set_new(into, "ratio", ratio_json(&l->ratio[part]));
		if (part != LATENCY_TOTAL)
			json_object_set_new(object, latency_part_name(part), into);
	}
	return object;
}

static json_t *exact_io_json(const struct exact_io *io)
{
	json_t *object = json_object();
	char text[IOPRIO_TEXT_MAX];

	json_set_text(object, "op", io_op_name(io->op));
	json_set_u64(object, "offset_bytes", io->offset_bytes);
	json_set_u64(object, "bytes", io->length_bytes);
	json_set_bool(object, "fua", io->fua);
	json_set_bool(object, "atomic", io->atomic);
	json_set_text(object, "ioprio", ioprio_text(io->ioprio, text));
	return object;
}

static json_t *exact_json(const struct exact_differences *d)
{
	json_t *object = json_object(), *examples = json_array();

	json_set_u64(object, "a_ios", d->a_ios);
	json_set_u64(object, "b_ios", d->b_ios);
	json_set_u64(object, "differences", exact_differences__total(d));
	for (unsigned int kind = 0; kind < EXACT_KINDS; kind++)
		json_set_u64(object, exact_kind_name(kind), d->counts[kind]);
	for (unsigned int i = 0; i < d->example_count; i++) {
		const struct exact_example *example = &d->examples[i];
		json_t *entry = json_object();

		json_set_text(entry, "kind", exact_kind_name(example->kind));
		if (example->kind != EXACT_ADDED && example->kind != EXACT_ORDER)
			json_object_set_new(entry, "a", exact_io_json(&example->a));
		if (example->kind != EXACT_MISSING)
			json_object_set_new(entry, "b", exact_io_json(&example->b));
		json_array_append_new(examples, entry);
	}
	json_object_set_new(object, "examples", examples);
	return object;
}

json_t *render_compare_document(const struct comparison *c, const struct compare_names *names,
				json_t *limits)
{
	json_t *document = json_document("compare"), *latency = json_object();
	json_t *differs = json_array();

	json_object_set_new(document, "a",
			    render_side_json(c->a, c->a_missing, names->a_path, names->a_device));
	json_object_set_new(document, "b",
			    render_side_json(c->b, c->b_missing, names->b_path, names->b_device));
	json_object_set_new(document, "workload", render_workload_json(c));
	if (c->exact)
		json_object_set_new(document, "exact", exact_json(c->exact));
	json_object_set_new(latency, "read", latency_json(&c->a->read, &c->b->read, &c->read));
	json_object_set_new(latency, "write", latency_json(&c->a->write, &c->b->write, &c->write));
	json_object_set_new(document, "latency", latency);
	if (c->no_verdict)
		json_object_set_new(document, "same_workload", json_null());
	else
		json_set_bool(document, "same_workload", c->same_workload);
	if (c->no_verdict)
		json_set_text(document, "no_verdict_reason", c->no_verdict_reason);
	for (unsigned int i = 0; i < FIGURE_COUNT; i++)
		if (c->differs[i])
			json_array_append_new(differs, json_string(figure_info(i)->name));
	json_object_set_new(document, "differs", differs);
	if (limits)
		json_object_set_new(document, "limits", limits);
	json_set_text(document, "summary", c->summary);
	return document;
}

int render_compare_json(const struct comparison *c, const struct compare_names *names,
			json_t *limits, FILE *out)
{
	return json_print(out, render_compare_document(c, names, limits));
}
