// SPDX-License-Identifier: MIT
#include "render/stat/history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "render/table.h"

#define OCTAVES	      64u
#define LINE_LINES    4u /* title, load, latency, time */
#define MAP_LINES_MIN 4u
#define MAP_LINES_MAX 12u

struct interval {
	uint64_t length_ns;
	double ios_per_second;
	double p99_ns; /* 0: nothing was timed */
	uint32_t octaves[OCTAVES];
};

struct device_history {
	char name[TRACE_NAME_MAX];
	uint64_t ios;
	struct interval list[CHART_COLUMNS_MAX]; /* of the last intervals, the oldest first */
	struct device_history *next;
};

struct stat_history {
	struct device_history *devices;
	unsigned int intervals; /* that are in each list */
};

int stat_history__create(struct stat_history **history)
{
	*history = calloc(1, sizeof(**history));
	return *history ? 0 : -ENOMEM;
}

void stat_history__free(struct stat_history *h)
{
	struct device_history *device = h ? h->devices : NULL;

	while (device) {
		struct device_history *next = device->next;

		free(device);
		device = next;
	}
	free(h);
}

static const struct live_device *find(const struct live_sample *sample, const char *name)
{
	for (unsigned int i = 0; i < sample->device_count; i++)
		if (!strcmp(sample->devices[i].name, name))
			return &sample->devices[i];
	return NULL;
}

static bool is_known(const struct stat_history *h, const char *name)
{
	const struct device_history *device = h->devices;

	while (device && strcmp(device->name, name) != 0)
		device = device->next;
	return device;
}

/* A device is followed from its first IO on. */
static int follow_new(struct stat_history *h, const struct live_sample *sample)
{
	for (unsigned int i = 0; i < sample->device_count; i++) {
		const struct live_device *found = &sample->devices[i];
		struct device_history *device;

		if (!found->moved || is_known(h, found->name))
			continue;
		device = calloc(1, sizeof(*device));
		if (!device)
			return -ENOMEM;
		snprintf(device->name, sizeof(device->name), "%s", found->name);
		device->next = h->devices;
		h->devices = device;
	}
	return 0;
}

static unsigned int octave_of(unsigned int bucket)
{
	uint64_t low_ns = loglinear_low(&counting_time_scale, bucket);

	return low_ns ? 63u - (unsigned int)__builtin_clzll(low_ns) : 0;
}

static void add_latencies(struct interval *interval, const struct counting_figures *figures)
{
	uint64_t sum[TALLY_TIME_BUCKETS] = {0};

	for (unsigned int op = 0; op < TALLY_OP_COUNT; op++)
		for (unsigned int i = 0; i < TALLY_TIME_BUCKETS; i++) {
			sum[i] += figures->op[op].total[i];
			interval->octaves[octave_of(i)] += (uint32_t)figures->op[op].total[i];
		}
	interval->p99_ns = (double)loglinear_percentile(&counting_time_scale, sum, 99);
}

static uint64_t ios_of(const struct live_device *device)
{
	uint64_t ios = 0;

	for (int op = 0; op < TICK_OP_COUNT; op++)
		ios += !device->accounted && device->probed ? device->probes.op[op].ios
							    : device->kernel.ios[op];
	return ios;
}

static struct interval interval_of(const struct live_device *device, uint64_t length_ns)
{
	struct interval interval = {.length_ns = length_ns};

	if (!device || !length_ns)
		return interval;
	interval.ios_per_second = (double)ios_of(device) * (double)NSEC_PER_SEC / (double)length_ns;
	if (device->probed)
		add_latencies(&interval, &device->probes);
	return interval;
}

int stat_history__add(struct stat_history *h, const struct live_sample *sample)
{
	unsigned int at = h->intervals < CHART_COLUMNS_MAX ? h->intervals : CHART_COLUMNS_MAX - 1;
	bool is_full = h->intervals == CHART_COLUMNS_MAX;
	int err = follow_new(h, sample);

	if (err)
		return err;
	for (struct device_history *device = h->devices; device; device = device->next) {
		const struct live_device *found = find(sample, device->name);

		if (is_full)
			memmove(device->list, device->list + 1, at * sizeof(*device->list));
		device->list[at] = interval_of(found, sample->interval_ns);
		device->ios += found ? ios_of(found) : 0;
	}
	h->intervals = at + 1;
	return 0;
}

static const struct device_history *busiest(const struct stat_history *h)
{
	const struct device_history *most = NULL;

	for (const struct device_history *device = h->devices; device; device = device->next)
		if (!most || device->ios > most->ios)
			most = device;
	return most;
}

static double largest(const double *values, unsigned int count)
{
	double most = 0;

	for (unsigned int i = 0; i < count; i++)
		most = values[i] > most ? values[i] : most;
	return most;
}

/* The title names the largest values, which the lines are drawn against. */
static bool draw_lines(FILE *out, const struct chart_style *style,
		       const struct device_history *device, const struct interval *list,
		       unsigned int count)
{
	double ios[CHART_COLUMNS_MAX], p99[CHART_COLUMNS_MAX];
	double most_ios, most_p99;

	for (unsigned int i = 0; i < count; i++) {
		ios[i] = list[i].ios_per_second;
		p99[i] = list[i].p99_ns;
	}
	most_ios = largest(ios, count);
	most_p99 = largest(p99, count);
	text_printf(out, "%s: at most %s IO/s", device->name,
		    COUNT_TEXT((uint64_t)(most_ios + 0.5)));
	if (most_p99 > 0)
		fprintf(out, ", p99 %s", TIME_TEXT((uint64_t)most_p99));
	fputc('\n', out);
	chart_line(out, style, "IO/s", CHART_READ, ios, count, most_ios);
	if (most_p99 > 0)
		chart_line(out, style, "p99", CHART_WRITE, p99, count, most_p99);
	return most_p99 > 0;
}

static unsigned int draw_map(FILE *out, const struct chart_style *style,
			     const struct interval *list, unsigned int count, unsigned int lines)
{
	static uint32_t cells[CHART_COLUMNS_MAX * OCTAVES];
	const struct chart_latencies latencies = {cells, count, OCTAVES, 1};

	for (unsigned int i = 0; i < count; i++)
		memcpy(cells + (size_t)i * OCTAVES, list[i].octaves, sizeof(list[i].octaves));
	return chart_latencies(out, style, &latencies,
			       lines < MAP_LINES_MAX ? lines : MAP_LINES_MAX);
}

unsigned int stat_history__draw(FILE *out, const struct chart_style *style,
				const struct stat_history *h, unsigned int lines)
{
	const struct device_history *device = busiest(h);
	unsigned int count = h->intervals, drawn;
	const struct interval *list;
	uint64_t shown_ns = 0;
	char ago[UNITS_TEXT_MAX + 8];

	if (!device || lines < LINE_LINES)
		return 0;
	count = count < chart_columns(style) ? count : chart_columns(style);
	list = device->list + h->intervals - count;
	for (unsigned int i = 0; i < count; i++)
		shown_ns += list[i].length_ns;
	drawn = draw_lines(out, style, device, list, count) ? 3 : 2;
	if (lines - drawn > MAP_LINES_MIN)
		drawn += draw_map(out, style, list, count, lines - drawn - 1);
	snprintf(ago, sizeof(ago), "-%s", TIME_TEXT(shown_ns));
	chart_time_axis(out, ago, "now", count);
	return drawn + 1;
}
