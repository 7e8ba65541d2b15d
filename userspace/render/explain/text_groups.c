// SPDX-License-Identifier: MIT
/* The tables by process, file, cgroup and the owners of cgroups. */
#include <errno.h>
#include <stdio.h>

#include "base/units.h"
#include "render/explain/explain.h"
#include "render/table.h"

#define GROUPS_SHOWN 10u

static bool has_figures(const struct explain_group *group)
{
	return group->ios || group->cache_read_pages || group->cache_fetched_pages ||
	       group->cache_dirtied_pages;
}

static void add_figures(struct table *t, const struct explanation *x,
			const struct explain_group *group, bool with_cache)
{
	char text[UNITS_TEXT_MAX];
	/* If no IO has a known latency, the sum is not 0 but unknown. */
	bool timed = group->latency_sum_ns > 0;

	table__cell(t, "%s", COUNT_TEXT(group->ios));
	table__cell(t, "%s", BYTES_TEXT(group->bytes));
	table__cell(t, "%s", timed ? TIME_TEXT(group->latency_sum_ns) : "-");
	table__cell(t, "%s", timed ? explain_time(x, group->latency_p99_ns, text) : "-");
	if (!with_cache)
		return;
	table__cell(t, "%s", COUNT_TEXT(group->cache_read_pages));
	if (group->cache_read_pages)
		table__cell(t, "%.0f %%",
			    explain_pct(group->cache_hit_pages, group->cache_read_pages));
	else
		table__cell(t, "-");
	table__cell(t, "%s",
		    group->cache_fetched_pages ? BYTES_TEXT(group->cache_fetched_pages * PAGE_BYTES)
					       : "-");
}

static void add_heads(struct table *t, const char *what, bool with_cache)
{
	table__cell(t, "%s", what);
	table__cell(t, "IOs");
	table__cell(t, "bytes");
	table__cell(t, "time");
	table__cell(t, "p99");
	if (!with_cache)
		return;
	table__cell(t, "pages");
	table__cell(t, "hits");
	table__cell(t, "from disk");
}

static void add_group(struct table *t, const struct explanation *x,
		      const struct explain_group *group, bool with_cache)
{
	char label[EXPLAIN_LABEL_MAX];

	if (group->tgid || group->processes)
		table__cell(t, "%s", explain_group_cell(group, label, sizeof(label)));
	else
		table__cell(t, "%s", group->name);
	add_figures(t, x, group, with_cache);
}

const char *const explain_by_heads[EXPLAIN_BY_ALL] = {
	"process, pid", "command (processes)", "cgroup", "systemd unit", "container", "pod",
	"file"};

static bool has_cache(const struct explanation *x)
{
	return x->cache.recorded && x->cache.hits_known;
}

static int print_rows(FILE *out, const struct explanation *x, enum explain_by by, uint32_t rows,
		      const struct explain_group *last)
{
	const struct explain_groups *groups = explain_groups_by(x, by);
	struct table *t = table__new(has_cache(x) ? "lrrrrrrr" : "lrrrr");
	int err;

	if (!t)
		return -ENOMEM;
	fputc('\n', out);
	add_heads(t, explain_by_heads[by], has_cache(x));
	for (uint32_t i = 0; i < rows; i++)
		if (has_figures(&groups->list[i]))
			add_group(t, x, &groups->list[i], has_cache(x));
	if (last)
		add_group(t, x, last, has_cache(x));
	table__fit(t, 0, 2, out);
	err = table__print(t, out, 2);
	table__free(t);
	return err;
}

/* The first few. */
static int print_groups(FILE *out, const struct explanation *x, enum explain_by by)
{
	const struct explain_groups *groups = explain_groups_by(x, by);
	uint32_t shown = groups->count < GROUPS_SHOWN ? groups->count : GROUPS_SHOWN;
	uint64_t more = explain_groups_count(groups) - shown;
	int err;

	if (!shown)
		return 0;
	err = print_rows(out, x, by, shown, NULL);
	if (!err && (more || has_figures(&groups->others)))
		fprintf(out, "  %s more: see --by %s\n", more ? COUNT_TEXT(more) : "and",
			explain_by_names[by]);
	return err;
}

/* Names such as "(unknown)" and "(no pod)" stand for none. */
static bool any_named(const struct explain_groups *groups)
{
	for (uint32_t i = 0; i < groups->count; i++)
		if (*groups->list[i].name != '(')
			return true;
	return false;
}

/* A single group would only repeat the totals. */
static int print_parted(FILE *out, const struct explanation *x, enum explain_by by)
{
	const struct explain_groups *groups = explain_groups_by(x, by);

	return groups->count > 1 && any_named(groups) ? print_groups(out, x, by) : 0;
}

static int print_programs(FILE *out, const struct explanation *x)
{
	bool are_commands = explain_programs(x) == &x->by_command;
	int err = print_groups(out, x, are_commands ? EXPLAIN_BY_COMMAND : EXPLAIN_BY_PROCESS);

	if (!err && are_commands)
		fprintf(out, "  %s processes: see --by process\n",
			COUNT_TEXT(explain_groups_count(&x->by_task)));
	return err;
}

static int print_who(FILE *out, const struct explanation *x)
{
	int err;

	err = print_programs(out, x);
	if (!err)
		err = print_groups(out, x, EXPLAIN_BY_FILE);
	/* Where each cgroup is one unit, the table of cgroups has these names, too. */
	if (!err && x->by_unit.count < x->by_cgroup.count)
		err = print_parted(out, x, EXPLAIN_BY_UNIT);
	if (!err)
		err = print_parted(out, x, EXPLAIN_BY_POD);
	if (!err)
		err = print_parted(out, x, EXPLAIN_BY_CONTAINER);
	if (!err)
		err = print_parted(out, x, EXPLAIN_BY_CGROUP);
	return err;
}

/* Whose sum is that of the whole. */
static int print_each(FILE *out, const struct explanation *x, enum explain_by by)
{
	const struct explain_groups *groups = explain_groups_by(x, by);
	struct explain_group others = groups->others;
	char name[64];

	if (!groups->count) {
		fprintf(out, "\nBy %s: %s\n", explain_by_names[by],
			x->host.anonymized ? "not known, because names are hashes"
					   : "nothing is known");
		return 0;
	}
	snprintf(name, sizeof(name), groups->others_count ? "(%s others)" : "(others)",
		 COUNT_TEXT(groups->others_count));
	others.name = name;
	return print_rows(out, x, by, groups->count, has_figures(&others) ? &others : NULL);
}

int explain_print_groups(FILE *out, const struct explanation *x, enum explain_by by)
{
	return by == EXPLAIN_BY_ALL ? print_who(out, x) : print_each(out, x, by);
}
