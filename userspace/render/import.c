// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "base/log.h"
#include "base/units.h"
#include "render/import.h"

/* A smaller share is not reported. */
#define REPEATS_WORTH_PCT   2
#define UNALIGNED_WORTH_PCT 1
/* Fewer rows may be unaligned by chance. */
#define UNALIGNED_ROWS_MIN 20

static const char *const left_out[LEFT_OUT_COUNT] = {
	[LEFT_OUT_NO_REPLY] = "without an operation (the tracer saw no reply)",
	[LEFT_OUT_NOT_IO] = "without an IO",
	[LEFT_OUT_NO_DATA] = "of zero length",
	[LEFT_OUT_LOWER] = "of devices below others that were traced as well",
};

static double pct(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void say_left_out(const struct foreign_report *report)
{
	for (unsigned int i = 0; i < LEFT_OUT_COUNT; i++)
		if (report->left_out[i])
			pr_warn("left out: %s %s", COUNTED_TEXT(report->left_out[i], "record"),
				left_out[i]);
	if (report->bad_records)
		pr_warn("left out: %s that cannot be understood; the first: %s: %s",
			COUNTED_TEXT(report->bad_records, "record"), report->bad_where,
			report->bad_reason);
}

static void say_responses(const struct foreign_report *report)
{
	if (report->without_response)
		pr_warn("the completion of %s is not known: the response time is missing, 0 or "
			"implausible (negative, above an hour); the first: %s%s",
			COUNTED_TEXT(report->without_response, "IO"), report->response_where,
			report->response_found);
}

static void say_repeats(const struct import_result *result, bool dedup)
{
	uint64_t all = result->rows + (dedup ? result->repeats : 0);

	if (dedup)
		pr_info("left out: %s (%.1f %%) that repeated another one within 200 us",
			COUNTED_TEXT(result->repeats, "IO"), pct(result->repeats, all));
	else if (pct(result->repeats, all) >= REPEATS_WORTH_PCT)
		pr_warn("%s (%.1f %%) repeat%s another one within 200 us: probably both levels of a "
			"stacked device were traced; --dedup skips them",
			COUNTED_TEXT(result->repeats, "IO"), pct(result->repeats, all),
			result->repeats == 1 ? "s" : "");
}

static void say_times(const struct import_result *result)
{
	char by[UNITS_TEXT_MAX];

	if (result->whole_seconds && result->rows >= WHOLE_SECONDS_ROWS_MIN)
		pr_warn("all times are whole seconds: bursts, gaps and a timed replay of this trace "
			"are meaningless below 1 s");
	else if (result->format->tick_ns >= NSEC_PER_MSEC)
		pr_warn("times of this format are multiples of %s",
			units_time(result->format->tick_ns, by));
	if (result->before_start)
		pr_warn("%s lie%s before the start of this trace, which makes their times wrong: "
			"sort the input by time, or name its parts as inputs of their own, which "
			"are merged",
			COUNTED_TEXT(result->before_start, "IO"),
			result->before_start == 1 ? "s" : "");
	if (!result->disordered)
		return;
	pr_warn("%s came out of order, by up to %s: %s", COUNTED_TEXT(result->disordered, "IO"),
		units_time(result->disorder_ns, by),
		result->still_disordered ? "sorted where the distance allowed" : "sorted");
	if (result->still_disordered)
		pr_warn("%s could not be sorted: too far from the place of its time",
			COUNTED_TEXT(result->still_disordered, "IO"));
}

static void say_alignment(const struct import_result *result, bool align)
{
	if (!result->misaligned.sectors || result->misaligned.rows < UNALIGNED_ROWS_MIN ||
	    pct(result->misaligned.rows, result->rows) < UNALIGNED_WORTH_PCT)
		return;
	if (align)
		pr_info("addresses were moved by up to 7 sectors (%s: by %u)",
			result->misaligned.device, 8 - result->misaligned.sectors);
	else
		pr_warn("%s of %s begin %s above a multiple of 4 KiB, as on a disk whose "
			"partition begins at sector 63; --align moves them",
			COUNTED_TEXT(result->misaligned.rows, "IO"), result->misaligned.device,
			COUNTED_TEXT(result->misaligned.sectors, "sector"));
}

void render_import(const struct import_result *result, const char *output, bool dedup, bool align)
{
	char span[UNITS_TEXT_MAX], bytes[UNITS_TEXT_MAX];

	say_left_out(&result->report);
	say_responses(&result->report);
	say_repeats(result, dedup);
	say_times(result);
	say_alignment(result, align);
	for (unsigned int i = 0; i < result->report.note_count; i++)
		pr_warn("%s", result->report.notes[i]);
	if (result->cut)
		pr_warn("%s", result->message);
	pr_info("%s: %s of %s over %s from %s, %s", output, COUNTED_TEXT(result->rows, "IO"),
		COUNTED_TEXT(result->devices, "device"),
		units_time(result->last_ns - result->first_ns, span), result->format->name,
		units_bytes(result->file_bytes, bytes));
}
