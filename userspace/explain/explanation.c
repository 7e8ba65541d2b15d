// SPDX-License-Identifier: MIT
#include "explain/explanation.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "explain/device_account.h"
#include "explain/explainer.h"
#include "explain/group_account.h"

void explanation__free(struct explanation *x)
{
	if (!x)
		return;
	for (uint32_t i = 0; i < x->device_count; i++)
		explain_device__free(x->devices[i]);
	free(x->devices);
	explain_groups_release(&x->by_task);
	explain_groups_release(&x->by_file);
	explain_groups_release(&x->by_cgroup);
	free(x->eviction.evictor);
	free(x->eviction.file);
	for (uint32_t i = 0; i < x->slowest_count; i++)
		free(x->slowest[i].file);
	for (uint32_t i = 0; i < x->tier_count; i++) {
		free(x->tiers[i].figure);
		free(x->tiers[i].how);
		free(x->tiers[i].quality);
		free(x->tiers[i].note);
	}
	free(x->tiers);
	free(x->findings);
	free(x);
}

const char *explain_severity_name(enum explain_severity severity)
{
	static const char *const names[] = {"info", "warning", "critical"};

	return names[severity];
}

const char *explain_op_name(enum tick_op op)
{
	static const char *const names[] = {"read", "write", "discard", "flush"};

	return names[op];
}

bool explain_cache_knows(const struct explain_cache *cache, enum explain_cache_figure figure)
{
	const char *quality = cache->quality[figure];

	if (figure >= CACHE_WAITS && (!quality || !*quality))
		return false;
	return !quality || strcmp(quality, "unavailable") != 0;
}

double explain_pct(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void sum_device_reads(struct explanation *x)
{
	struct explain_flow *f = &x->flow;

	for (uint32_t i = 0; i < x->device_count; i++) {
		const struct explain_origin *linked = x->devices[i]->linked_reads;

		for (int origin = 0; origin < IO_ORIGIN_COUNT; origin++) {
			const struct explain_origin *read =
				&x->devices[i]->origin[DIRECTION_READ][origin];

			f->device_bytes[origin] += read->bytes;
			f->device_ios[origin] += read->ios;
			/* Counted at the layer above already. */
			if (!x->devices_chosen) {
				f->device_bytes[origin] -= linked[origin].bytes;
				f->device_ios[origin] -= linked[origin].ios;
			}
		}
	}
	f->device_file_pages = (f->device_bytes[IO_ORIGIN_FILE] + PAGE_BYTES - 1) / PAGE_BYTES;
}

/* Both accounts of the same pages; what came for another reason need not have come from a device. */
static void close_account(struct explanation *x)
{
	const struct explain_cache *c = &x->cache;
	struct explain_flow *f = &x->flow;
	uint64_t others = c->other_added_pages - c->blockdev_other_pages;

	f->fetched_file_pages = c->demand_miss_pages - c->blockdev_demand_pages +
				c->readahead_added_pages - c->blockdev_readahead_pages;
	f->unaccounted_pages = (int64_t)(f->device_file_pages - f->fetched_file_pages);
	if (f->unaccounted_pages > 0)
		f->other_file_pages = others < (uint64_t)f->unaccounted_pages
					      ? others
					      : (uint64_t)f->unaccounted_pages;
	f->unaccounted_pages -= (int64_t)f->other_file_pages;
}

void explain_flow(struct explanation *x)
{
	const struct explain_cache *c = &x->cache;
	struct explain_flow *f = &x->flow;
	uint64_t useful_pages = c->demand_miss_pages - c->blockdev_demand_pages +
				c->readahead_used_pages - c->blockdev_used_pages +
				c->readahead_untracked_pages - c->blockdev_untracked_pages;

	sum_device_reads(x);
	if (!c->recorded)
		return;
	f->application_bytes = c->read_pages * PAGE_BYTES;
	f->hit_bytes = c->hit_pages * PAGE_BYTES;
	f->demand_bytes = c->demand_miss_pages * PAGE_BYTES;
	f->readahead_bytes = c->readahead_added_pages * PAGE_BYTES;
	f->closed = !x->devices_chosen && c->fetched_known;
	close_account(x);
	if (useful_pages && f->closed)
		f->read_amplification = (double)f->device_bytes[IO_ORIGIN_FILE] /
					(double)(useful_pages * PAGE_BYTES);
}
