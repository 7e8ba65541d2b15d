// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/units.h"
#include "render/short_text.h"
#include "render/stat/stat.h"
#include "render/table.h"

#define CELL_MAX    SHORT_TEXT_MAX
#define TIME_WIDTH  10
#define BUSY_WARM   80.0
#define BUSY_HOT    95.0
#define COLOR_NONE  ""
#define COLOR_BOLD  "\033[1m"
#define COLOR_WARM  "\033[33m"
#define COLOR_HOT   "\033[31m"
#define COLOR_RESET "\033[0m"

static const char cache_title[] = "cache B/s:";

/* One line: a device, or one operation of a device. */
struct line {
	const struct live_device *device;
	int op; /* -1: all of them */
	const char *op_name;
	bool of_device; /* with the figures that are the device's */
	uint64_t interval_ns;
};

enum column {
	COLUMN_DEVICE,
	COLUMN_OP,
	COLUMN_IOS,
	COLUMN_MERGES,
	COLUMN_BYTES,
	COLUMN_AWAIT,
	COLUMN_P50,
	COLUMN_P99,
	COLUMN_DEVICE_P50,
	COLUMN_DEVICE_P99,
	COLUMN_BUSY,
	COLUMN_UTIL,
	COLUMN_IN_FLIGHT,
	COLUMN_DEPTH,
	COLUMN_DEPTH_MAX,
	COLUMN_QUEUE,
	COLUMN_COUNT,
};

/* Columns that do not fit go in the order of `keep`, the lowest first. */
static const struct {
	const char *title;
	unsigned int width, keep;
} columns[COLUMN_COUNT] = {
	[COLUMN_DEVICE] = {"DEVICE", 10, 20},  [COLUMN_OP] = {"OP", 8, 19},
	[COLUMN_IOS] = {"IO/s", 7, 18},	       [COLUMN_MERGES] = {"MERGE/s", 8, 2},
	[COLUMN_BYTES] = {"BYTE/s", 8, 17},    [COLUMN_AWAIT] = {"AWAIT", 8, 5},
	[COLUMN_P50] = {"P50", 8, 12},	       [COLUMN_P99] = {"P99", 8, 15},
	[COLUMN_DEVICE_P50] = {"DEV50", 8, 3}, [COLUMN_DEVICE_P99] = {"DEV99", 8, 4},
	[COLUMN_BUSY] = {"BUSY%", 7, 16},      [COLUMN_UTIL] = {"UTIL%", 7, 10},
	[COLUMN_IN_FLIGHT] = {"NOW", 5, 8},    [COLUMN_DEPTH] = {"DEPTH", 7, 14},
	[COLUMN_DEPTH_MAX] = {"MAX", 5, 13},   [COLUMN_QUEUE] = {"AQU-SZ", 7, 1},
};

static bool shown(enum column column, const struct stat_style *style)
{
	unsigned int width = style->time ? TIME_WIDTH : 0;

	if (!style->width)
		return true;
	for (unsigned int i = 0; i < COLUMN_COUNT; i++)
		if (columns[i].keep >= columns[column].keep)
			width += columns[i].width;
	return width <= style->width || column == COLUMN_DEVICE;
}

static void print_time(FILE *out, const struct stat_style *style, const struct live_sample *sample)
{
	time_t seconds = (time_t)(sample->wall_ns / NSEC_PER_SEC);
	struct tm tm;
	char text[16];

	if (!style->time)
		return;
	localtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	fprintf(out, "%-*s", TIME_WIDTH, text);
}

static void format_pct(char *text, uint64_t part, uint64_t whole)
{
	snprintf(text, CELL_MAX, "%.1f", whole ? 100.0 * (double)part / (double)whole : 0.0);
}

static double per_second(uint64_t count, uint64_t interval_ns)
{
	return interval_ns ? (double)count * (double)NSEC_PER_SEC / (double)interval_ns : 0;
}

/* If the kernel does not count the figure, the probes do. */
static bool by_probes(const struct live_device *device)
{
	return !device->accounted && device->probed;
}

static uint64_t ios_of(const struct live_device *device, int op)
{
	return by_probes(device) ? device->probes.op[op].ios : device->kernel.ios[op];
}

/* The figure of the line's operation, or the sum of all. */
static uint64_t of_ops(const struct line *line, const uint64_t figures[TICK_OP_COUNT])
{
	uint64_t sum = 0;

	if (line->op >= 0)
		return figures[line->op];
	for (unsigned int op = 0; op < TICK_OP_COUNT; op++)
		sum += figures[op];
	return sum;
}

static uint64_t ios_of_line(const struct line *line)
{
	uint64_t sum = 0;

	for (int op = 0; op < TICK_OP_COUNT; op++)
		if (line->op < 0 || line->op == op)
			sum += ios_of(line->device, op);
	return sum;
}

static uint64_t bytes_of_line(const struct line *line)
{
	uint64_t sum = 0;

	if (!by_probes(line->device))
		return of_ops(line, line->device->kernel.sectors) * SECTOR_BYTES;
	for (int op = 0; op < TICK_OP_COUNT; op++)
		if (line->op < 0 || line->op == op)
			sum += line->device->probes.op[op].bytes;
	return sum;
}

/* False if nothing was timed. */
static bool percentile(const struct line *line, bool of_device, double pct, uint64_t *value_ns)
{
	uint64_t sum[TALLY_TIME_BUCKETS] = {0};
	bool any = false;

	for (int op = 0; op < TALLY_OP_COUNT; op++) {
		const struct counting_op_figures *figures = &line->device->probes.op[op];
		const uint64_t *from = of_device ? figures->device : figures->total;

		if (line->op >= 0 && line->op != op)
			continue;
		any |= of_device ? figures->device_ios : figures->timed_ios;
		for (unsigned int i = 0; i < TALLY_TIME_BUCKETS; i++)
			sum[i] += from[i];
	}
	*value_ns = loglinear_percentile(&counting_time_scale, sum, pct);
	return any;
}

static void format_percentile(char *text, const struct line *line, bool of_device, double pct)
{
	uint64_t value_ns;

	if (percentile(line, of_device, pct, &value_ns))
		short_time(text, (double)value_ns);
}

static void format_await(char *text, const struct line *line)
{
	uint64_t ios = of_ops(line, line->device->kernel.ios);
	uint64_t ticks_ms = of_ops(line, line->device->kernel.ticks_ms);

	if (ios && !ticks_ms)
		snprintf(text, CELL_MAX, "0");
	else if (ios)
		short_time(text, (double)(ticks_ms * NSEC_PER_MSEC) / (double)ios);
}

static void format_kernel_cell(char *text, enum column column, const struct line *line)
{
	const struct tick_row *kernel = &line->device->kernel;

	if (column == COLUMN_IOS)
		short_scaled(text, per_second(ios_of_line(line), line->interval_ns), 1000, "");
	if (column == COLUMN_BYTES)
		short_scaled(text, per_second(bytes_of_line(line), line->interval_ns), 1024, "");
	if (by_probes(line->device))
		return;
	switch (column) {
	case COLUMN_MERGES:
		short_scaled(text, per_second(of_ops(line, kernel->merges), line->interval_ns),
			     1000, "");
		break;
	case COLUMN_AWAIT:
		format_await(text, line);
		break;
	case COLUMN_UTIL:
		if (line->of_device)
			format_pct(text, kernel->io_ticks_ms * NSEC_PER_MSEC, line->interval_ns);
		break;
	case COLUMN_QUEUE:
		if (line->of_device)
			snprintf(text, CELL_MAX, "%.2f",
				 (double)(kernel->in_queue_ms * NSEC_PER_MSEC) /
					 (double)line->interval_ns);
		break;
	default:
		break;
	}
}

static void format_probe_cell(char *text, enum column column, const struct line *line)
{
	const struct counting_figures *probes = &line->device->probes;

	if (!line->device->probed) {
		if (column == COLUMN_IN_FLIGHT && line->of_device && line->device->moved)
			snprintf(text, CELL_MAX, "%" PRIu32, line->device->kernel.in_flight);
		return;
	}
	switch (column) {
	case COLUMN_P50:
	case COLUMN_P99:
		format_percentile(text, line, false, column == COLUMN_P50 ? 50 : 99);
		break;
	case COLUMN_DEVICE_P50:
	case COLUMN_DEVICE_P99:
		format_percentile(text, line, true, column == COLUMN_DEVICE_P50 ? 50 : 99);
		break;
	case COLUMN_BUSY:
		if (line->of_device)
			format_pct(text, probes->busy_ns, probes->interval_ns);
		break;
	case COLUMN_IN_FLIGHT:
		if (line->of_device)
			snprintf(text, CELL_MAX, "%" PRIu32, probes->in_flight);
		break;
	case COLUMN_DEPTH:
		if (line->of_device && probes->interval_ns)
			snprintf(text, CELL_MAX, "%.2f",
				 (double)probes->depth_ns / (double)probes->interval_ns);
		break;
	case COLUMN_DEPTH_MAX:
		if (line->of_device)
			snprintf(text, CELL_MAX, "%" PRIu32, probes->depth_max);
		break;
	default:
		break;
	}
}

static const char *cell_color(enum column column, const struct line *line)
{
	const struct counting_figures *probes = &line->device->probes;
	double busy_pct;

	if (column != COLUMN_BUSY || !line->of_device || !probes->interval_ns)
		return COLOR_NONE;
	busy_pct = 100.0 * (double)probes->busy_ns / (double)probes->interval_ns;
	return busy_pct >= BUSY_HOT ? COLOR_HOT : busy_pct >= BUSY_WARM ? COLOR_WARM : COLOR_NONE;
}

static void print_cell(FILE *out, const struct stat_style *style, enum column column,
		       const struct line *line)
{
	const char *color = style->color ? cell_color(column, line) : COLOR_NONE;
	char text[CELL_MAX] = "";
	bool left = column <= COLUMN_OP;

	if (column == COLUMN_DEVICE)
		snprintf(text, sizeof(text), "%s", line->of_device ? line->device->name : "");
	else if (column == COLUMN_OP)
		snprintf(text, sizeof(text), "%s", line->op_name);
	format_kernel_cell(text, column, line);
	format_probe_cell(text, column, line);
	if (!text[0])
		snprintf(text, sizeof(text), "%s", left || !line->of_device ? "" : "-");
	if (left)
		text_printf(out, "%-*s ", (int)columns[column].width - 1, text);
	else
		fprintf(out, " %s%*s%s", color, (int)columns[column].width - 1, text,
			*color ? COLOR_RESET : "");
}

static void print_line(FILE *out, const struct stat_style *style, const struct live_sample *sample,
		       const struct line *line)
{
	print_time(out, style, sample);
	/* The columns from here on are figures of the device. */
	for (unsigned int column = 0; column < (line->of_device ? COLUMN_COUNT : COLUMN_BUSY);
	     column++)
		if (shown(column, style))
			print_cell(out, style, column, line);
	fputc('\n', out);
}

void stat_text_header(FILE *out, const struct stat_style *style)
{
	if (style->color)
		fputs(COLOR_BOLD, out);
	if (style->time)
		fprintf(out, "%-*s", TIME_WIDTH, "TIME");
	for (unsigned int i = 0; i < COLUMN_COUNT; i++) {
		if (!shown(i, style))
			continue;
		if (i <= COLUMN_OP)
			fprintf(out, "%-*s", (int)columns[i].width, columns[i].title);
		else
			fprintf(out, "%*s", (int)columns[i].width, columns[i].title);
	}
	fprintf(out, "%s\n", style->color ? COLOR_RESET : "");
}

static unsigned int print_device(FILE *out, const struct stat_style *style,
				 const struct live_sample *sample, const struct live_device *device)
{
	struct line line = {.device = device,
			    .op = -1,
			    .op_name = "",
			    .of_device = true,
			    .interval_ns = sample->interval_ns};
	unsigned int lines = 1, active = 0;

	for (int op = 0; op < TICK_OP_COUNT; op++) {
		if (!ios_of(device, op))
			continue;
		active++;
		line.op_name = tick_op_name(op);
	}
	if (active != 1)
		line.op_name = active ? "all" : device->there ? "" : "gone";
	print_line(out, style, sample, &line);
	if (active < 2)
		return lines;
	line.of_device = false;
	for (int op = 0; op < TICK_OP_COUNT; op++) {
		if (!ios_of(device, op))
			continue;
		line.op = op;
		line.op_name = tick_op_name(op);
		print_line(out, style, sample, &line);
		lines++;
	}
	return lines;
}

unsigned int stat_text_devices(FILE *out, const struct stat_style *style,
			       const struct live_sample *sample)
{
	unsigned int lines = 0;

	for (unsigned int i = 0; i < sample->device_count; i++) {
		const struct live_device *device = &sample->devices[i];

		if (device->moved || device->named || (style->all && device->there))
			lines += print_device(out, style, sample, device);
	}
	return lines;
}

/* The line of the page cache, broken where it would be wider than the screen. */
struct cache_line {
	FILE *out;
	const struct stat_style *style;
	uint64_t interval_ns;
	unsigned int used, lines;
};

static void add_text(struct cache_line *line, const char *text)
{
	unsigned int length = (unsigned int)strlen(text);
	unsigned int indent = (unsigned int)sizeof(cache_title) - 1;

	if (line->style->width && line->used + length > line->style->width) {
		fprintf(line->out, "\n%*s", (int)indent, "");
		line->used = indent;
		line->lines++;
	}
	fputs(text, line->out);
	line->used += length;
}

static void add_pages(struct cache_line *line, const char *name, uint64_t pages)
{
	char text[2 * CELL_MAX], bytes[CELL_MAX];

	short_scaled(bytes, per_second(pages * PAGE_BYTES, line->interval_ns), 1024, "");
	snprintf(text, sizeof(text), "  %s %s", name, bytes);
	add_text(line, text);
}

static void add_hits(struct cache_line *line, const struct live_cache *cache)
{
	uint64_t missed = cache->demand_miss_pages;
	uint64_t hits = cache->read_pages > missed ? cache->read_pages - missed : 0;
	char text[CELL_MAX];

	add_pages(line, "hit", hits);
	if (!cache->read_pages)
		return;
	snprintf(text, sizeof(text), " (%.1f%%)", 100.0 * (double)hits / (double)cache->read_pages);
	add_text(line, text);
}

unsigned int stat_text_cache(FILE *out, const struct stat_style *style,
			     const struct live_sample *sample)
{
	const struct live_cache *cache = &sample->cache;
	struct cache_line line = {.out = out,
				  .style = style,
				  .interval_ns = sample->interval_ns,
				  .used = style->time ? TIME_WIDTH : 0,
				  .lines = 1};

	if (!cache->has_account)
		return 0;
	print_time(out, style, sample);
	add_text(&line, cache_title);
	if (cache->has_reads)
		add_pages(&line, "read", cache->read_pages);
	if (cache->has_reads && cache->has_misses)
		add_hits(&line, cache);
	if (cache->has_misses) {
		add_pages(&line, "miss", cache->demand_miss_pages);
		add_pages(&line, "readahead", cache->readahead_added_pages);
		add_pages(&line, "used", cache->readahead_used_pages);
		add_pages(&line, "wasted", cache->readahead_wasted_pages);
	}
	add_pages(&line, "dirtied", cache->dirtied_pages);
	if (cache->has_written_back)
		add_pages(&line, "written", cache->written_back_pages);
	fputc('\n', out);
	return line.lines;
}

static void begin_note(FILE *out, const struct stat_style *style, const struct live_sample *sample)
{
	print_time(out, style, sample);
	if (style->color)
		fputs(COLOR_WARM, out);
}

static unsigned int print_loss(FILE *out, const struct stat_style *style,
			       const struct live_sample *sample, uint64_t count, const char *what)
{
	char text[UNITS_TEXT_MAX];

	if (!count)
		return 0;
	begin_note(out, style, sample);
	fprintf(out, "lost: %s %s%s\n", units_count(count, text), what,
		style->color ? COLOR_RESET : "");
	return 1;
}

static const char *change_text(enum live_change change)
{
	if (change == LIVE_REPLACED)
		return "is another disk now";
	return change == LIVE_APPEARED ? "has appeared" : "has disappeared";
}

unsigned int stat_text_notes(FILE *out, const struct stat_style *style,
			     const struct live_sample *sample)
{
	const struct live_lost *lost = &sample->lost;
	unsigned int lines = 0;

	for (unsigned int i = 0; i < sample->device_count; i++) {
		const struct live_device *device = &sample->devices[i];

		if (device->change == LIVE_SAME)
			continue;
		begin_note(out, style, sample);
		text_printf(out, "%s %s", device->name, change_text(device->change));
		fprintf(out, "%s\n", style->color ? COLOR_RESET : "");
		lines++;
	}
	lines += print_loss(
		out, style, sample, lost->probe_calls,
		"calls of probes, skipped by the kernel: figures are too low by as much");
	lines += print_loss(
		out, style, sample, lost->unreported,
		"starts or ends of requests were not reported by the kernel: busy time and "
		"depth were wrong before this");
	lines += print_loss(out, style, sample, lost->cache_pages,
			    "pages of the page cache were not counted: its account is full");
	lines += print_loss(
		out, style, sample, lost->devices,
		"devices are beyond the limit of the probes: name those that matter with "
		"-d");
	return lines;
}
