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
	if (group->tgid)
		table__cell(t, "%s %u", group->name, group->tgid);
	else
		table__cell(t, "%s", group->name);
	add_figures(t, x, group, with_cache);
}

static int print_groups(FILE *out, const struct explanation *x, const struct explain_groups *groups,
			const char *what, bool with_cache)
{
	uint32_t shown = groups->count < GROUPS_SHOWN ? groups->count : GROUPS_SHOWN;
	uint64_t more = groups->count - shown + groups->others_count;
	struct table *t;
	int err;

	if (!shown)
		return 0;
	t = table__new(with_cache ? "lrrrrrrr" : "lrrrr");
	if (!t)
		return -ENOMEM;
	fputc('\n', out);
	add_heads(t, what, with_cache);
	for (uint32_t i = 0; i < shown; i++)
		if (has_figures(&groups->list[i]))
			add_group(t, x, &groups->list[i], with_cache);
	table__fit(t, 0, 2, out);
	err = table__print(t, out, 2);
	table__free(t);
	if (!err && (more || has_figures(&groups->others)))
		fprintf(out, "  %s more: see --json\n", more ? COUNT_TEXT(more) : "and");
	return err;
}

/* A single group would only repeat the totals. */
static int print_parted(FILE *out, const struct explanation *x, const struct explain_groups *groups,
			const char *what, bool with_cache)
{
	return groups->count > 1 ? print_groups(out, x, groups, what, with_cache) : 0;
}

int explain_print_groups(FILE *out, const struct explanation *x)
{
	bool with_cache = x->cache.recorded && x->cache.hits_known;
	int err;

	err = print_groups(out, x, &x->by_task, "process, pid", with_cache);
	if (!err)
		err = print_groups(out, x, &x->by_file, "file", with_cache);
	/* Where each cgroup is one unit, the table of cgroups has these names, too. */
	if (!err && x->by_unit.count < x->by_cgroup.count)
		err = print_parted(out, x, &x->by_unit, "systemd unit", with_cache);
	if (!err)
		err = print_parted(out, x, &x->by_pod, "pod", with_cache);
	if (!err)
		err = print_parted(out, x, &x->by_container, "container", with_cache);
	if (!err)
		err = print_parted(out, x, &x->by_cgroup, "cgroup", with_cache);
	return err;
}
