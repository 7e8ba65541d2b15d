// SPDX-License-Identifier: MIT
/* The devices, where their time went, and the slowest IOs. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "explain/figures/device_account.h"
#include "render/explain/explain.h"
#include "render/table.h"
#include "trace/row_time.h"

#define DEVICES_SHOWN 8u
#define DASH	      "-"

static uint64_t ios_of(const struct explain_device *d)
{
	uint64_t ios = 0;

	for (int op = 0; op < TICK_OP_COUNT; op++)
		ios += d->counted[op].ios;
	return ios;
}

static void add_time(struct table *t, const struct explanation *x, const struct histogram *h,
		     double pct)
{
	char text[UNITS_TEXT_MAX];

	if (h)
		table__cell(t, "%s", explain_time(x, histogram_percentile(h, pct), text));
	else
		table__cell(t, DASH);
}

static void add_operation(struct table *t, const struct explanation *x,
			  const struct explain_device *d, int op)
{
	const struct explain_counters *c = &d->counted[op];
	const struct histogram *total = d->latency_by_op[op][LATENCY_TOTAL];

	table__cell(t, "%s", tick_op_name((enum tick_op)op));
	table__cell(t, "%s", COUNT_TEXT(c->ios));
	table__cell(t, "%s", COUNT_TEXT(c->merges));
	table__cell(t, "%s", BYTES_TEXT(c->bytes));
	for (int part = LATENCY_QUEUE; part <= LATENCY_DEVICE; part++) {
		bool timed = d->latency_by_op[op][part] ||
			     (op == TICK_WRITE && d->flush_request_latency[part]);

		/* A sum of times below the resolution is not known. */
		if (timed && (d->latency_sum_ns[op][part] || explain_resolution_ns(x) == 1))
			table__cell(t, "%s", TIME_TEXT(d->latency_sum_ns[op][part]));
		else
			table__cell(t, DASH);
	}
	add_time(t, x, total, 50);
	add_time(t, x, total, 99);
}

static int print_operations(FILE *out, const struct explanation *x, const struct explain_device *d)
{
	static const char *const heads[] = {"",		"IOs",	     "merged", "bytes",
					    "in queue", "in device", "p50",    "p99"};
	struct table *t = table__new("lrrrrrrr");
	int err;

	if (!t)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		table__cell(t, "%s", heads[i]);
	for (int op = 0; op < TICK_OP_COUNT; op++)
		if (d->counted[op].ios)
			add_operation(t, x, d, op);
	err = table__print(t, out, 2);
	table__free(t);
	return err;
}

static void print_origins(FILE *out, const struct explain_device *d,
			  enum explain_direction direction)
{
	static const char *const labels[IO_ORIGIN_COUNT] = {
		"of unknown origin", "of file pages", "of metadata or raw blocks", "direct",
		"of swap",	     "without data"};
	char text[512] = "", share[48] = "";

	for (int i = 0; i < IO_ORIGIN_COUNT; i++) {
		const struct explain_origin *origin = &d->origin[direction][i];
		size_t used = strlen(text);

		if (!origin->ios)
			continue;
		snprintf(text + used, sizeof(text) - used, "%s%s %s (%s)", used ? ", " : "",
			 COUNT_TEXT(origin->ios), labels[i], BYTES_TEXT(origin->bytes));
	}
	if (!*text)
		return;
	if (d->data_ios[direction])
		snprintf(share, sizeof(share), "; %.0f %% sequential",
			 explain_pct(d->sequential_ios[direction], d->data_ios[direction]));
	snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s", share);
	text_wrapped(out, direction == DIRECTION_READ ? "  reads:  " : "  writes: ", text);
}

/* Ticks are shown and not judged: the kernel takes its times at other places, and cuts each
 * interval's sum to whole milliseconds. */
static void print_ticks(FILE *out, const struct explain_device *d)
{
	char text[512] = "";
	bool differs = false;

	for (int op = 0; op < TICK_OP_COUNT; op++) {
		uint64_t ours_ms = d->counted[op].ticks_ms, kernel_ms = d->kernel[op].ticks_ms;
		size_t used = strlen(text);

		if (!d->counted[op].ios)
			continue;
		differs |= ours_ms != kernel_ms;
		snprintf(text + used, sizeof(text) - used, "%s%s %s ms, the kernel's %s",
			 used ? "; " : "", tick_op_name((enum tick_op)op), COUNT_TEXT(ours_ms),
			 COUNT_TEXT(kernel_ms));
		if (kernel_ms && ours_ms != kernel_ms)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), " (%+.1f %%)",
				 100 * ((double)kernel_ms - (double)ours_ms) / (double)kernel_ms);
	}
	if (differs)
		snprintf(
			text + strlen(text), sizeof(text) - strlen(text),
			". The kernel takes its times once for all IOs of a plug and at the end of "
			"its own accounting, and cuts them to milliseconds.");
	if (*text)
		text_wrapped(out, "  ticks:  ", text);
}

static void print_flush_requests(FILE *out, const struct explanation *x,
				 const struct explain_device *d)
{
	const struct histogram *total = d->flush_request_latency[LATENCY_TOTAL];
	char p50[UNITS_TEXT_MAX], p99[UNITS_TEXT_MAX], text[256];

	snprintf(text, sizeof(text), "%s of the writes carry no data: they flush the device cache",
		 COUNT_TEXT(d->flush_requests));
	if (total)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 ", have p50 %s and p99 %s, and are not in p50 and p99 above",
			 explain_time(x, histogram_percentile(total, 50), p50),
			 explain_time(x, histogram_percentile(total, 99), p99));
	text_wrapped(out, "  ", text);
}

/* The table has the row's times; the answer does not call this a queue. */
static void print_preflushes(FILE *out, const struct explain_device *d)
{
	char text[192];

	snprintf(text, sizeof(text),
		 "of the time of writes in queue, %s passed while the device flushed its cache "
		 "before them: the answer counts it at the device",
		 TIME_TEXT(d->preflush_ns));
	text_wrapped(out, "  ", text);
}

static void print_remarks(FILE *out, const struct explanation *x, const struct explain_device *d)
{
	if (d->flush_requests)
		print_flush_requests(out, x, d);
	if (d->preflush_ns)
		print_preflushes(out, d);
	if (d->kernel_flush_ios)
		fprintf(out,
			"  %s IOs are the kernel's own flushes, made for writes that ask for one:\n"
			"  replay and compare count these writes, not the flushes\n",
			COUNT_TEXT(d->kernel_flush_ios));
	if (d->passed_on_ios)
		fprintf(out, "  %s IOs went to devices below: %.0f %% of their time passed there\n",
			COUNT_TEXT(d->passed_on_ios), explain_pct(d->below_ns, d->passed_on_ns));
	if (d->linked_ios)
		fprintf(out, "  %s are the work of IOs of a device above%s\n",
			COUNT_TEXT(d->linked_ios),
			x->devices_chosen ? "" : ", and in no figure by process or file");
	if (d->untimed_ios)
		fprintf(out, "  %s without a known latency: in no time above\n",
			COUNTED_TEXT(d->untimed_ios, "IO"));
	if (d->timed_from_issue_ios)
		fprintf(out, "  %s IOs have no known creation: their times begin with the issue\n",
			COUNT_TEXT(d->timed_from_issue_ios));
	if (d->merges_cut_ios)
		fprintf(out, "  merges are a lower bound: %s IOs were merged of more than 1,024\n",
			COUNT_TEXT(d->merges_cut_ios));
	if (d->passthrough_ios)
		fprintf(out, "  %s %s in no figure above\n",
			COUNTED_TEXT(d->passthrough_ios, "passthrough command"),
			d->passthrough_ios == 1 ? "is" : "are");
	if (d->agreement == AGREEMENT_EXACT)
		fprintf(out, "  IOs%s and bytes equal the kernel's own counters\n",
			d->merges_cut_ios ? "" : ", merges");
	else if (d->agreement == AGREEMENT_EDGES)
		fprintf(out,
			"  equal the kernel's counters except for IOs in flight, or ending, at "
			"start or end\n");
	if (d->agreement == AGREEMENT_EXACT || d->agreement == AGREEMENT_EDGES)
		print_ticks(out, d);
	else if (d->agreement == AGREEMENT_DIFFERS)
		fprintf(out, "  NOT equal to the kernel's own counters, see the findings\n");
}

static int print_device(FILE *out, const struct explanation *x, const struct explain_device *d)
{
	char first[TRACE_NAME_MAX + 2], at_driver[EXPLAIN_LABEL_MAX], depth[EXPLAIN_LABEL_MAX + 4],
		text[320];
	int err;

	snprintf(first, sizeof(first), "%s: ", d->info.name);
	explain_at_driver_text(d, at_driver);
	snprintf(depth, sizeof(depth), "%s%s", *at_driver ? "; " : "", at_driver);
	if (explain_device_is_untimed(d))
		snprintf(text, sizeof(text),
			 "busy for an unknown time: no IO has a known latency%s", depth);
	else
		snprintf(text, sizeof(text), "busy %s%s of %s (%.0f %%)%s",
			 d->busy_is_lower_bound ? "at least " : "", TIME_TEXT(d->busy_ns),
			 TIME_TEXT(x->duration_ns), explain_pct(d->busy_ns, x->duration_ns), depth);
	fputc('\n', out);
	text_wrapped(out, first, text);
	err = print_operations(out, x, d);
	if (err)
		return err;
	print_origins(out, d, DIRECTION_READ);
	print_origins(out, d, DIRECTION_WRITE);
	print_remarks(out, x, d);
	return 0;
}

/* The device with the most time spent that is not yet shown. */
static const struct explain_device *next_device(const struct explanation *x,
						const struct explain_device *last)
{
	const struct explain_device *next = NULL;

	for (uint32_t i = 0; i < x->device_count; i++) {
		const struct explain_device *d = x->devices[i];

		if (!ios_of(d))
			continue;
		if (last && (d->in_queue_ns > last->in_queue_ns ||
			     (d->in_queue_ns == last->in_queue_ns && d->id <= last->id)))
			continue;
		if (!next || d->in_queue_ns > next->in_queue_ns)
			next = d;
	}
	return next;
}

int explain_print_devices(FILE *out, const struct explanation *x)
{
	const struct explain_device *d = NULL;
	uint32_t shown = 0, active = 0;
	int err;

	for (uint32_t i = 0; i < x->device_count; i++)
		active += ios_of(x->devices[i]) > 0;
	while (shown < DEVICES_SHOWN && (d = next_device(x, d))) {
		err = print_device(out, x, d);
		if (err)
			return err;
		shown++;
	}
	if (active > shown)
		fprintf(out, "\n%u more devices: see --json, or choose with -d.\n", active - shown);
	if (x->ignored_rows)
		fprintf(out, "\n%s rows of further devices were left out.\n",
			COUNT_TEXT(x->ignored_rows));
	return 0;
}

static void add_slow(struct table *t, const struct explanation *x,
		     const struct explain_slow_io *slow)
{
	const struct io_row *row = &slow->row;
	char text[UNITS_TEXT_MAX], when[WHEN_TEXT_MAX];
	uint64_t queue_ns;

	table__cell(t, "%s", explain_at(x, io_row_time_ns(row), when));
	table__cell(t, "%s", explain_time(x, slow->total_ns, text));
	if (explain_queue_ns(row, &queue_ns))
		table__cell(t, "%s", explain_time(x, queue_ns, text));
	else
		table__cell(t, DASH);
	table__cell(t, "%s", slow->device);
	table__cell(t, "%s", io_op_name((enum io_op)row->op));
	table__cell(t, "%s", BYTES_TEXT(row->bytes));
	table__cell(t, "%s", *slow->comm ? slow->comm : "(unknown)");
	table__cell(t, "%s", slow->file ? slow->file : "");
}

int explain_print_slowest(FILE *out, const struct explanation *x)
{
	static const char *const heads[] = {"at", "latency", "in queue", "device",
					    "op", "bytes",   "process",	 "file"};
	struct table *t;
	int err;

	if (!x->slowest_count)
		return 0;
	t = table__new("rrrllrll");
	if (!t)
		return -ENOMEM;
	fprintf(out, "\nSlowest IOs\n");
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		table__cell(t, "%s", heads[i]);
	for (uint32_t i = 0; i < x->slowest_count; i++)
		add_slow(t, x, &x->slowest[i]);
	table__fit(t, 7, 2, out);
	err = table__print(t, out, 2);
	table__free(t);
	return err;
}
