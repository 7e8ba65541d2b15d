// SPDX-License-Identifier: MIT
#include "explain/figures/cache_figures.h"

#include <errno.h>
#include <string.h>

static void note_interval(struct explain_cache *c, const struct cache_row *row)
{
	uint64_t begin_ns = row->time_ns - row->interval_ns;

	if (!row->interval_ns || row->time_ns < row->interval_ns)
		return;
	if (!c->last_interval_end_ns || begin_ns < c->first_interval_begin_ns)
		c->first_interval_begin_ns = begin_ns;
	if (row->time_ns > c->last_interval_end_ns)
		c->last_interval_end_ns = row->time_ns;
	if (row->interval_ns > c->longest_interval_ns)
		c->longest_interval_ns = row->interval_ns;
}

static bool is_damon(const struct trace_task *task)
{
	return task && !strncmp(task->comm, "kdamond.", strlen("kdamond."));
}

void cache_figures__add(struct explain_cache *c, const struct cache_row *row,
			const struct trace_file *file, const struct trace_task *task)
{
	note_interval(c, row);
	c->recorded = true;
	c->rows++;
	c->read_operations += row->reads;
	c->read_pages += row->read_pages;
	c->demand_miss_pages += row->demand_miss_pages;
	c->fault_pages += row->fault_pages;
	c->readahead_added_pages += row->readahead_added_pages;
	c->readahead_used_pages += row->readahead_used_pages;
	c->readahead_wasted_pages += row->readahead_wasted_pages;
	c->readahead_untracked_pages += row->readahead_untracked_pages;
	c->write_added_pages += row->write_added_pages;
	c->other_added_pages += row->other_added_pages;
	c->dirtied_pages += row->dirtied_pages;
	c->written_back_pages += row->written_back_pages;
	c->deleted_pages += row->deleted_pages;
	c->waits += row->waits;
	c->wait_ns += row->wait_ns;
	c->written_pages += row->written_pages;
	c->overwritten_pages += row->overwritten_pages;
	c->evicted_pages += row->evicted_pages;
	c->damon_pages += is_damon(task) ? row->evicted_pages : 0;
	c->direct_reads += row->direct_reads;
	c->direct_read_bytes += row->direct_read_bytes;
	c->direct_writes += row->direct_writes;
	c->direct_write_bytes += row->direct_write_bytes;
	c->throttles += row->throttles;
	c->throttle_ns += row->throttle_ns;
	if (file && file->kind == FILE_BLOCKDEV) {
		c->blockdev_demand_pages += row->demand_miss_pages;
		c->blockdev_readahead_pages += row->readahead_added_pages;
		c->blockdev_used_pages += row->readahead_used_pages;
		c->blockdev_untracked_pages += row->readahead_untracked_pages;
		c->blockdev_other_pages += row->other_added_pages;
		c->blockdev_write_added_pages += row->write_added_pages;
	}
}

static void finish_qualities(struct explanation *x)
{
	static const char *const figures[CACHE_FIGURE_COUNT] = {
		[CACHE_READS] = "cache_reads",
		[CACHE_DEMAND_MISSES] = "cache_demand_misses",
		[CACHE_READAHEAD] = "cache_readahead",
		[CACHE_FAULTS] = "cache_faults",
		[CACHE_DIRTIED] = "cache_dirtied",
		[CACHE_WAITS] = "cache_waits",
		[CACHE_OVERWRITTEN] = "cache_overwritten",
		[CACHE_EVICTED] = "cache_evicted",
		[CACHE_DIRECT] = "cache_direct",
		[CACHE_THROTTLED] = "cache_throttled",
	};
	struct explain_cache *c = &x->cache;

	for (int figure = 0; figure < CACHE_FIGURE_COUNT; figure++) {
		c->quality[figure] = "";
		for (uint32_t i = 0; i < x->tier_count; i++)
			if (!strcmp(x->tiers[i].figure, figures[figure]))
				c->quality[figure] = x->tiers[i].quality;
		/* the recorder writes these tiers only with --cache */
		c->recorded |= *c->quality[figure] != '\0' && !x->cut_before_rows;
	}
	c->hits_known =
		explain_cache_knows(c, CACHE_READS) && explain_cache_knows(c, CACHE_DEMAND_MISSES);
	c->fetched_known = explain_cache_knows(c, CACHE_DEMAND_MISSES) &&
			   explain_cache_knows(c, CACHE_READAHEAD);
}

void cache_figures__finish(struct explanation *x)
{
	struct explain_cache *c = &x->cache;
	uint64_t known = c->readahead_used_pages + c->readahead_wasted_pages;

	finish_qualities(x);
	c->hit_pages =
		c->read_pages > c->demand_miss_pages ? c->read_pages - c->demand_miss_pages : 0;
	c->readahead_unknown_pages =
		c->readahead_added_pages > known ? c->readahead_added_pages - known : 0;
}

/* A kernel thread evicts on behalf of others. */
static bool is_process(uint32_t id, const void *context)
{
	const struct explain_tables *tables = context;
	const struct trace_task *task = tables->task(tables->context, id);

	return task && !explain_is_kernel_thread(task);
}

static const char *command_of(uint32_t id, const void *context)
{
	const struct explain_tables *tables = context;
	const struct trace_task *task = tables->task(tables->context, id);

	return task && !explain_is_kernel_thread(task) ? task->comm : NULL;
}

static int name_eviction(struct explanation *x, struct cache_pairs *pairs,
			 const struct explain_tables *tables)
{
	struct cache_eviction most = cache_pairs__eviction(pairs, is_process, tables);
	struct explain_group task = {.id = most.task}, file = {.id = most.file};
	struct explain_eviction *eviction = &x->eviction;
	int err;

	if (!most.again_pages)
		return 0;
	err = explain_name_task(tables, &task);
	if (!err)
		err = explain_name_file(tables, &file);
	*eviction = (struct explain_eviction){
		.evictor = task.name,
		.file = file.name,
		.tgid = task.tgid,
		.pages = most.pages,
		.again_pages = most.again_pages,
	};
	return err;
}

static int name_dropping(struct explanation *x, struct cache_pairs *pairs,
			 const struct explain_tables *tables)
{
	struct explain_group task = {0}, file = {0};
	struct cache_dropping most;
	int err = cache_pairs__dropping(pairs, command_of, tables, &most);

	if (err || !most.again_pages)
		return err;
	task.id = most.task;
	file.id = most.file;
	err = explain_name_task(tables, &task);
	if (!err)
		err = explain_name_file(tables, &file);
	x->dropping = (struct explain_dropping){
		.dropper = task.name,
		.file = file.name,
		.tgid = task.tgid,
		.processes = most.processes,
		.files = most.files,
		.pages = most.pages,
		.again_pages = most.again_pages,
		.used = most.used,
		.wrote_directly = most.wrote_directly,
	};
	return err;
}

int cache_figures__name_pairs(struct explanation *x, struct cache_pairs *pairs,
			      const struct explain_tables *tables)
{
	int err = name_eviction(x, pairs, tables);

	x->reread_pct = cache_pairs__reread_pct(pairs);
	x->evicted_again_pages = cache_pairs__evicted_again(pairs, x->cache.evicted_pages);
	return err ? err : name_dropping(x, pairs, tables);
}
