// SPDX-License-Identifier: MIT
/* The busiest windows of each device, and what limits of a volume would do to the IOs of the busiest. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "render/explain/explain.h"
#include "render/table.h"

#define DEVICES_SHOWN  4u
#define LIMITS_IOS_MIN 100u /* of fewer there is no p99 */

static double per_second(uint64_t count, uint64_t in_ns)
{
	return in_ns ? (double)count * (double)NSEC_PER_SEC / (double)in_ns : 0;
}

static uint64_t rounded(double value)
{
	return (uint64_t)(value + 0.5);
}

static void add_head(struct table *t, const struct explanation *x)
{
	table__cell(t, "%s", "");
	for (unsigned int i = 0; i < PEAK_WINDOWS && peak_windows_ns[i] <= x->duration_ns; i++)
		table__cell(t, "in %s", SPOKEN_TEXT(peak_windows_ns[i]));
	table__cell(t, "mean");
}

static void add_rates(struct table *t, const struct explanation *x, const struct explain_device *d)
{
	const struct peak_figures *p = &d->peaks;

	table__cell(t, "%s, IOs/s", d->info.name);
	for (unsigned int i = 0; i < PEAK_WINDOWS && peak_windows_ns[i] <= x->duration_ns; i++)
		table__cell(t, "%s",
			    COUNT_TEXT(rounded(per_second(p->windows[i].ios, peak_windows_ns[i]))));
	table__cell(t, "%s", COUNT_TEXT(rounded(per_second(p->ios, x->duration_ns))));
	table__cell(t, "bytes/s");
	for (unsigned int i = 0; i < PEAK_WINDOWS && peak_windows_ns[i] <= x->duration_ns; i++)
		table__cell(
			t, "%s",
			BYTES_TEXT(rounded(per_second(p->windows[i].bytes, peak_windows_ns[i]))));
	table__cell(t, "%s", BYTES_TEXT(rounded(per_second(p->bytes, x->duration_ns))));
}

static const char *wait_text(uint64_t ns, char *text)
{
	return ns ? units_time(ns, text) : "none";
}

static void add_limit(struct table *t, const struct explain_device *d,
		      const struct peak_limit *limit)
{
	char text[UNITS_TEXT_MAX];

	if (limit->ios_per_s)
		table__cell(t, "%s IOs/s", COUNT_TEXT(limit->ios_per_s));
	else
		table__cell(t, "%s/s", BYTES_TEXT(limit->bytes_per_s));
	table__cell(t, "%.1f %%", explain_pct(limit->held_ios, d->peaks.ios));
	table__cell(t, "%s", wait_text(limit->p99_ns, text));
	table__cell(t, "%s", wait_text(limit->longest_ns, text));
}

/* Of `count` limits, the smallest for each of these waits of 99 % of the IOs. */
static void add_limits(struct table *t, const struct explain_device *d,
		       const struct peak_limit *limits, unsigned int count)
{
	static const uint64_t p99_below_ns[] = {NSEC_PER_SEC, 100 * NSEC_PER_MSEC,
						10 * NSEC_PER_MSEC, NSEC_PER_MSEC};
	unsigned int next = 0;

	for (size_t i = 0; i < sizeof(p99_below_ns) / sizeof(p99_below_ns[0]); i++) {
		unsigned int first = next;

		while (first < count && limits[first].p99_ns >= p99_below_ns[i])
			first++;
		if (first == count || (next && first < next))
			continue;
		add_limit(t, d, &limits[first]);
		next = first + 1;
	}
}

static int print_limits(FILE *out, const struct explain_device *d)
{
	static const char *const heads[] = {"held back", "p99", "longest"};
	const struct peak_limit *limits = d->peaks.limits;
	struct table *t = table__new("rrrr");
	unsigned int of_ios = 0;
	int err;

	if (!t)
		return -ENOMEM;
	while (of_ios < PEAK_LIMITS && limits[of_ios].ios_per_s)
		of_ios++;
	table__cell(t, "limit of %s", d->info.name);
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		table__cell(t, "%s", heads[i]);
	add_limits(t, d, limits, of_ios);
	add_limits(t, d, limits + of_ios, PEAK_LIMITS - of_ios);
	err = table__print(t, out, 2);
	table__free(t);
	return err;
}

/* The device with most IOs that is not yet shown. */
static const struct explain_device *next_device(const struct explanation *x,
						const struct explain_device *last)
{
	const struct explain_device *next = NULL;

	for (uint32_t i = 0; i < x->device_count; i++) {
		const struct explain_device *d = x->devices[i];

		if (!d->peaks.ios ||
		    (last && (d->peaks.ios > last->peaks.ios ||
			      (d->peaks.ios == last->peaks.ios && d->id <= last->id))))
			continue;
		if (!next || d->peaks.ios > next->peaks.ios)
			next = d;
	}
	return next;
}

static int print_table(FILE *out, const struct explanation *x)
{
	struct table *t;
	char columns[PEAK_WINDOWS + 3] = "l";
	const struct explain_device *d = NULL;
	int err;

	for (unsigned int i = 0; i < PEAK_WINDOWS && peak_windows_ns[i] <= x->duration_ns; i++)
		strcat(columns, "r");
	t = table__new(strcat(columns, "r"));
	if (!t)
		return -ENOMEM;
	add_head(t, x);
	for (unsigned int shown = 0; shown < DEVICES_SHOWN && (d = next_device(x, d)); shown++)
		add_rates(t, x, d);
	err = table__print(t, out, 2);
	table__free(t);
	return err;
}

int explain_print_peaks(FILE *out, const struct explanation *x)
{
	const struct explain_device *most = next_device(x, NULL);
	int err;

	if (!most || x->duration_ns < peak_windows_ns[0])
		return 0;
	fprintf(out, "\nPeak load\n");
	err = print_table(out, x);
	if (err || most->peaks.ios < LIMITS_IOS_MIN)
		return err;
	fputc('\n', out);
	err = print_limits(out, most);
	text_wrapped(
		out, "  ",
		"A volume with such a limit would hold these IOs back for so long, if they came "
		"when they did here and it saved nothing up for bursts. A program that waits "
		"for its IOs would send the next ones later.");
	return err;
}
