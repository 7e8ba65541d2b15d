// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/units.h"
#include "render/short_text.h"
#include "render/table.h"
#include "render/top/top.h"

#define NAME_WIDTH_MIN 12

enum column {
	COLUMN_WAITING,
	COLUMN_QUEUE,
	COLUMN_AWAIT,
	COLUMN_MAX,
	COLUMN_IOS,
	COLUMN_READ,
	COLUMN_WRITE,
	COLUMN_MISSES,
	COLUMN_HIT,
	COLUMN_PID,
	COLUMN_COUNT,
};

/* Columns that do not fit go in the order of `keep`, the lowest first. */
static const struct {
	const char *title;
	unsigned int width, keep;
} columns[COLUMN_COUNT] = {
	[COLUMN_WAITING] = {"WAIT/s", 7, 10}, [COLUMN_QUEUE] = {"QUEUE%", 8, 3},
	[COLUMN_AWAIT] = {"AWAIT", 8, 4},     [COLUMN_MAX] = {"MAX", 8, 2},
	[COLUMN_IOS] = {"IO/s", 7, 9},	      [COLUMN_READ] = {"READ/s", 8, 8},
	[COLUMN_WRITE] = {"WRITE/s", 9, 7},   [COLUMN_MISSES] = {"MISS/s", 8, 5},
	[COLUMN_HIT] = {"HIT%", 6, 1},	      [COLUMN_PID] = {"PID", 9, 6},
};

static const char *const by_titles[] = {
	[TOP_PROCESS] = "PROCESS", [TOP_COMMAND] = "COMMAND",	  [TOP_CGROUP] = "CGROUP",
	[TOP_UNIT] = "UNIT",	   [TOP_CONTAINER] = "CONTAINER", [TOP_POD] = "POD",
	[TOP_FILE] = "FILE",	   [TOP_DEVICE] = "DEVICE",
};

static enum column sorted_column(enum top_sort sort)
{
	switch (sort) {
	case TOP_IOS:
		return COLUMN_IOS;
	case TOP_BYTES:
		return COLUMN_READ;
	case TOP_MISSES:
		return COLUMN_MISSES;
	default:
		return COLUMN_WAITING;
	}
}

static bool exists(enum column column, const struct top_style *style, bool has_cache)
{
	if (column == COLUMN_PID)
		return style->of.by == TOP_PROCESS;
	if (column == COLUMN_MISSES || column == COLUMN_HIT)
		return has_cache && style->of.by != TOP_DEVICE;
	return true;
}

/* Of the first columns, the sorted one always stays. */
static unsigned int keep(enum column column, const struct top_style *style)
{
	return column == sorted_column(style->of.sort) ? COLUMN_COUNT + 1 : columns[column].keep;
}

static bool shown(enum column column, const struct top_style *style, bool has_cache)
{
	unsigned int width = 2 + NAME_WIDTH_MIN;

	if (!exists(column, style, has_cache))
		return false;
	for (unsigned int i = 0; i < COLUMN_COUNT; i++)
		if (exists(i, style, has_cache) && keep(i, style) >= keep(column, style))
			width += columns[i].width;
	return !style->width || width <= style->width;
}

static double per_second(uint64_t count, const struct activity_sample *sample)
{
	return sample->interval_ns
		       ? (double)count * (double)NSEC_PER_SEC / (double)sample->interval_ns
		       : 0;
}

static void share_text(char text[SHORT_TEXT_MAX], uint64_t part, uint64_t whole)
{
	if (whole)
		snprintf(text, SHORT_TEXT_MAX, "%.1f", 100.0 * (double)part / (double)whole);
}

static uint64_t timed_ios(const struct activity_sums *sums)
{
	return activity_sums__ios(sums) - sums->untimed_ios;
}

static void cell(char text[SHORT_TEXT_MAX], enum column column,
		 const struct activity_sample *sample, const struct activity_sums *sums,
		 uint32_t pid)
{
	text[0] = '\0';
	switch (column) {
	case COLUMN_WAITING:
		if (timed_ios(sums))
			short_time(text, per_second(sums->total_ns, sample));
		break;
	case COLUMN_QUEUE:
		share_text(text, sums->queue_ns, sums->total_ns);
		break;
	case COLUMN_AWAIT:
		if (timed_ios(sums))
			short_time(text, (double)sums->total_ns / (double)timed_ios(sums));
		break;
	case COLUMN_MAX:
		if (timed_ios(sums))
			short_time(text, (double)sums->longest_ns);
		break;
	case COLUMN_IOS:
		short_scaled(text, per_second(activity_sums__ios(sums), sample), 1000, "");
		break;
	case COLUMN_READ:
		short_scaled(text, per_second(sums->bytes[TICK_READ], sample), 1024, "");
		break;
	case COLUMN_WRITE:
		short_scaled(text, per_second(sums->bytes[TICK_WRITE], sample), 1024, "");
		break;
	case COLUMN_MISSES:
		if (sample->has_misses)
			short_scaled(text, per_second(sums->miss_pages, sample), 1000, "");
		break;
	case COLUMN_HIT:
		if (sample->has_reads && sample->has_misses && sums->read_pages >= sums->miss_pages)
			share_text(text, sums->read_pages - sums->miss_pages, sums->read_pages);
		break;
	default:
		if (pid)
			snprintf(text, SHORT_TEXT_MAX, "%" PRIu32, pid);
	}
}

struct line {
	char *text;
	unsigned int used, width; /* width 0: no limit; columns so far are `used` */
};

static void put_cell(struct line *line, enum column column, const char *text)
{
	line->used += (unsigned int)snprintf(line->text + line->used, TOP_LINE_MAX - line->used,
					     "%*s", (int)columns[column].width, text);
}

/* What a file or a user named: control characters become '?', and so does what is no UTF-8. */
static void tame(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
}

static unsigned int columns_of(const char *text)
{
	unsigned int count = 0;

	for (; *text; text++)
		count += ((unsigned char)*text & 0xc0) != 0x80;
	return count;
}

/* Paths differ at their ends, so the start is cut, between characters. */
static void put_name(struct line *line, const char *name)
{
	unsigned int room = line->width ? line->width - line->used - 2 : TOP_LINE_MAX / 4;
	unsigned int long_by = columns_of(name);
	const char *dots = "";
	char *at = line->text + line->used;

	if (long_by > room) {
		dots = "...";
		for (long_by -= room - 3; long_by || ((unsigned char)*name & 0xc0) == 0x80; name++)
			long_by -= ((unsigned char)name[1] & 0xc0) != 0x80;
	}
	snprintf(at, TOP_LINE_MAX - line->used, "  %s%s", dots, name);
	tame(at);
}

static const char *put_row(const struct top_style *style, const struct activity_sample *sample,
			   const struct activity_sums *sums, uint32_t pid, const char *name,
			   char text[TOP_LINE_MAX])
{
	struct line line = {.text = text, .width = style->width};
	char value[SHORT_TEXT_MAX];

	for (unsigned int i = 0; i < COLUMN_COUNT; i++) {
		if (!shown(i, style, sample->has_cache))
			continue;
		cell(value, i, sample, sums, pid);
		put_cell(&line, i, value);
	}
	put_name(&line, name);
	return text;
}

const char *top_text_header(const struct top_style *style, bool has_cache, struct top_span *sorted,
			    char text[TOP_LINE_MAX])
{
	struct line line = {.text = text, .width = style->width};

	for (unsigned int i = 0; i < COLUMN_COUNT; i++) {
		if (!shown(i, style, has_cache))
			continue;
		put_cell(&line, i, columns[i].title);
		if (sorted && i == sorted_column(style->of.sort))
			*sorted = (struct top_span){
				line.used - (unsigned int)strlen(columns[i].title), line.used};
	}
	put_name(&line, by_titles[style->of.by]);
	return text;
}

const char *top_text_row(const struct top_style *style, const struct activity_sample *sample,
			 const struct top_row *row, char text[TOP_LINE_MAX])
{
	return put_row(style, sample, &row->sums, row->pid, row->name, text);
}

const char *top_text_other(const struct top_style *style, const struct activity_sample *sample,
			   const struct top_list *list, char text[TOP_LINE_MAX])
{
	char name[UNITS_TEXT_MAX];

	text[0] = '\0';
	if (!list->other_count)
		return text;
	units_counted(list->other_count, "other", name);
	return put_row(style, sample, &list->other, 0, name, text);
}

static uint64_t lost_of(const struct activity_sample *sample)
{
	uint64_t lost = 0;

	for (unsigned int i = 0; i < LOSS_CLASS_COUNT; i++)
		lost += sample->lost[i];
	return lost;
}

static void agreement_text(const struct activity_sample *sample, char *text, size_t bytes)
{
	struct top_agreement agreement;

	top_agreement__of(sample, &agreement);
	if (!agreement.compared)
		text[0] = '\0';
	else if (!agreement.apart)
		snprintf(text, bytes, "; the kernel counted as many");
	else
		snprintf(text, bytes, "; the kernel counted %s", COUNT_TEXT(agreement.kernel_ios));
}

const char *top_text_summary(const struct top_style *style, const struct activity_sample *sample,
			     char line[TOP_LINE_MAX])
{
	const struct activity_sums *total = &sample->parties.total;
	time_t seconds = (time_t)(sample->wall_ns / NSEC_PER_SEC);
	uint64_t lost = lost_of(sample);
	char clock[16], kernel[96], losses[96] = "; nothing lost";
	struct tm tm;

	strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&seconds, &tm));
	agreement_text(sample, kernel, sizeof(kernel));
	if (lost)
		snprintf(losses, sizeof(losses), "; %s lost", COUNTED_TEXT(lost, "event"));
	snprintf(line, TOP_LINE_MAX, "%s  %s, %s in %s%s%s", clock,
		 COUNTED_TEXT(activity_sums__ios(total), "IO"),
		 BYTES_TEXT(activity_sums__bytes(total)), TIME_TEXT(sample->interval_ns), kernel,
		 losses);
	if (style->width && strlen(line) > style->width)
		snprintf(line, TOP_LINE_MAX, "%s %s%s", clock,
			 COUNTED_TEXT(activity_sums__ios(total), "IO"), losses);
	if (style->width && strlen(line) > style->width)
		line[style->width] = '\0';
	return line;
}

static void print_losses(FILE *out, const struct activity_sample *sample)
{
	for (unsigned int i = 0; i < LOSS_CLASS_COUNT; i++)
		if (sample->lost[i])
			fprintf(out, "lost: %s %s: %s\n", COUNT_TEXT(sample->lost[i]),
				loss_class_meaning(i), loss_class_remedy(i));
}

static void trim(char *line)
{
	size_t length = strlen(line);

	while (length && line[length - 1] == ' ')
		line[--length] = '\0';
}

int top_text(FILE *out, const struct top_style *style, const struct activity_sample *sample,
	     const struct top_list *list, const struct top_missing *missing)
{
	const struct activity_sums *below = &sample->parties.below;
	char line[TOP_LINE_MAX];

	fprintf(out, "%s\n", top_text_summary(style, sample, line));
	fprintf(out, "%s\n", top_text_header(style, sample->has_cache, NULL, line));
	for (size_t i = 0; i < list->count; i++) {
		top_text_row(style, sample, &list->rows[i], line);
		trim(line);
		fprintf(out, "%s\n", line);
	}
	if (*top_text_other(style, sample, list, line))
		fprintf(out, "%s\n", line);
	if (activity_sums__ios(below) && style->of.by != TOP_DEVICE)
		fprintf(out, "%s of devices below others are in no row: they are parts of these\n",
			COUNTED_TEXT(activity_sums__ios(below), "IO"));
	print_losses(out, sample);
	for (unsigned int i = 0; i < missing->count && style->of.sort == TOP_MISSES; i++)
		text_printf(out, "missing: %s: %s\n", missing->figures[i].figures,
			    missing->figures[i].why);
	return ferror(out) ? -EIO : 0;
}
