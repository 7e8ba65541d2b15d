// SPDX-License-Identifier: MIT
/* What the page cache did by process, file and cgroup besides hits: a table of the figures that are
 * not 0. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "render/explain/explain.h"
#include "render/table.h"

#define GROUPS_SHOWN 10u

enum figure {
	FIGURE_WAITED = 0,
	FIGURE_WRITTEN,
	FIGURE_DIRTY_ALREADY,
	FIGURE_EVICTED,
	FIGURE_DIRECT,
	FIGURE_THROTTLED,
	FIGURES
};

static const char *const heads[FIGURES] = {
	[FIGURE_WAITED] = "waited",	  [FIGURE_WRITTEN] = "written",
	[FIGURE_DIRTY_ALREADY] = "again", [FIGURE_EVICTED] = "reclaimed",
	[FIGURE_DIRECT] = "O_DIRECT",	  [FIGURE_THROTTLED] = "throttled",
};

static uint64_t value(const struct explain_group *group, size_t figure)
{
	const uint64_t values[FIGURES] = {
		[FIGURE_WAITED] = group->wait_ns,
		[FIGURE_WRITTEN] = group->written_pages,
		[FIGURE_DIRTY_ALREADY] = group->overwritten_pages,
		[FIGURE_EVICTED] = group->evicted_pages,
		[FIGURE_DIRECT] = group->direct_read_bytes + group->direct_write_bytes,
		[FIGURE_THROTTLED] = group->throttle_ns,
	};

	return values[figure];
}

static bool has_any(const struct explain_group *group)
{
	for (size_t f = 0; f < FIGURES; f++)
		if (value(group, f))
			return true;
	return false;
}

static void add_value(struct table *t, const struct explain_group *group, size_t figure)
{
	uint64_t number = value(group, figure);

	if (!number)
		table__cell(t, "-");
	else if (figure == FIGURE_WAITED || figure == FIGURE_THROTTLED)
		table__cell(t, "%s", TIME_TEXT(number));
	else if (figure == FIGURE_DIRECT)
		table__cell(t, "%s", BYTES_TEXT(number));
	else if (figure == FIGURE_DIRTY_ALREADY)
		table__cell(t, "%.0f %%", explain_pct(number, group->written_pages));
	else
		table__cell(t, "%s", COUNT_TEXT(number));
}

static void add_group(struct table *t, const struct explain_group *group, const bool *shown)
{
	char label[EXPLAIN_LABEL_MAX];

	if (group->tgid || group->processes)
		table__cell(t, "%s", explain_group_cell(group, label, sizeof(label)));
	else
		table__cell(t, "%s", group->name);
	for (size_t f = 0; f < FIGURES; f++)
		if (shown[f])
			add_value(t, group, f);
}

static struct table *new_table(const char *what, const bool *shown)
{
	char columns[FIGURES + 2] = "l";
	struct table *t;
	size_t used = 1;

	for (size_t f = 0; f < FIGURES; f++)
		if (shown[f])
			columns[used++] = 'r';
	t = table__new(columns);
	if (!t)
		return NULL;
	table__cell(t, "%s", what);
	for (size_t f = 0; f < FIGURES; f++)
		if (shown[f])
			table__cell(t, "%s", heads[f]);
	return t;
}

/* By the first figure in which they differ, the most first; else in the order of the IOs' time. */
static int by_figures(const void *one, const void *other)
{
	const struct explain_group *a = *(const struct explain_group *const *)one;
	const struct explain_group *b = *(const struct explain_group *const *)other;

	for (size_t f = 0; f < FIGURES; f++)
		if (value(a, f) != value(b, f))
			return value(a, f) > value(b, f) ? -1 : 1;
	return (a > b) - (a < b);
}

static int print_sorted(FILE *out, const struct explain_group **sorted, uint32_t count,
			enum explain_by by, uint32_t rows_max)
{
	uint32_t rows = count < rows_max ? count : rows_max;
	bool shown[FIGURES] = {};
	struct table *t;
	int err;

	for (uint32_t i = 0; i < count; i++)
		for (size_t f = 0; f < FIGURES; f++)
			shown[f] |= value(sorted[i], f) != 0;
	t = new_table(explain_by_heads[by], shown);
	if (!t)
		return -ENOMEM;
	qsort(sorted, count, sizeof(const struct explain_group *), by_figures);
	for (uint32_t i = 0; i < rows; i++)
		add_group(t, sorted[i], shown);
	table__fit(t, 0, 2, out);
	fputc('\n', out);
	err = table__print(t, out, 2);
	table__free(t);
	if (!err && count > rows)
		fprintf(out, "  %s more: see --by %s\n", COUNT_TEXT(count - rows),
			explain_by_names[by]);
	return err;
}

static int print_groups(FILE *out, const struct explanation *x, enum explain_by by,
			uint32_t rows_max)
{
	const struct explain_groups *groups = explain_groups_by(x, by);
	const struct explain_group **sorted = calloc(groups->count + 1, sizeof(*sorted));
	uint32_t count = 0;
	int err = 0;

	if (!sorted)
		return -ENOMEM;
	for (uint32_t i = 0; i < groups->count; i++)
		if (has_any(&groups->list[i]))
			sorted[count++] = &groups->list[i];
	if (count)
		err = print_sorted(out, sorted, count, by, rows_max);
	free(sorted);
	return err;
}

int explain_print_memory(FILE *out, const struct explanation *x, enum explain_by by)
{
	bool are_commands = explain_programs(x) == &x->by_command;
	int err;

	if (!x->cache.recorded)
		return 0;
	if (by != EXPLAIN_BY_ALL)
		return print_groups(out, x, by, EXPLAIN_GROUPS_MAX);
	err = print_groups(out, x, are_commands ? EXPLAIN_BY_COMMAND : EXPLAIN_BY_PROCESS,
			   GROUPS_SHOWN);
	if (!err)
		err = print_groups(out, x, EXPLAIN_BY_FILE, GROUPS_SHOWN);
	if (!err && x->by_cgroup.count > 1)
		err = print_groups(out, x, EXPLAIN_BY_CGROUP, GROUPS_SHOWN);
	return err;
}
