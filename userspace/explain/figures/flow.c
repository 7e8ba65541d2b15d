// SPDX-License-Identifier: MIT
#include "explain/figures/flow.h"

#include "base/units.h"

static void sum_device_reads(struct explanation *x)
{
	struct explain_flow *f = &x->flow;

	for (uint32_t i = 0; i < x->device_count; i++) {
		const struct explain_origin *linked = x->devices[i]->linked.origin[DIRECTION_READ];

		for (int origin = 0; origin < IO_ORIGIN_COUNT; origin++) {
			const struct explain_origin *read =
				&x->devices[i]->origin[DIRECTION_READ][origin];

			f->device_bytes[origin] += read->bytes;
			f->device_ios[origin] += read->ios;
			/* The layer above counts these. */
			if (!x->devices_chosen) {
				f->device_bytes[origin] -= linked[origin].bytes;
				f->device_ios[origin] -= linked[origin].ios;
			}
		}
		f->part_page_reads += x->devices[i]->part_page_reads;
		if (!x->devices_chosen) {
			f->device_bytes[IO_ORIGIN_FILE] -= x->devices[i]->loop_reads.bytes;
			f->device_ios[IO_ORIGIN_FILE] -= x->devices[i]->loop_reads.ios;
		}
	}
	f->device_file_pages = (f->device_bytes[IO_ORIGIN_FILE] + PAGE_BYTES - 1) / PAGE_BYTES;
}

/* Takes up to `pages` of the pages that are not accounted for; returns how many. */
static uint64_t account_for(struct explain_flow *f, uint64_t pages)
{
	if (f->unaccounted_pages <= 0)
		return 0;
	if (pages > (uint64_t)f->unaccounted_pages)
		pages = (uint64_t)f->unaccounted_pages;
	f->unaccounted_pages -= (int64_t)pages;
	return pages;
}

/*
 * Compares both counts of the same pages. Pages added for another reason need not come from a device;
 * of those that a write adds, only the ones of which it changes a part.
 */
static void close_account(struct explanation *x)
{
	const struct explain_cache *c = &x->cache;
	struct explain_flow *f = &x->flow;

	f->fetched_file_pages = c->demand_miss_pages - c->blockdev_demand_pages +
				c->readahead_added_pages - c->blockdev_readahead_pages;
	f->unaccounted_pages = (int64_t)(f->device_file_pages - f->fetched_file_pages);
	f->other_file_pages = account_for(f, c->other_added_pages - c->blockdev_other_pages);
	f->partial_write_pages =
		account_for(f, c->write_added_pages - c->blockdev_write_added_pages);
}

#define GAP_PCT	      1.0 /* of the pages fetched: beyond it bytes used are not known */
#define UNTRACKED_PCT 1.0 /* of the pages used */

/* As in a copy of some seconds: the IOs of the rest of an interval are there, or its pages. */
static bool cuts_interval(const struct explanation *x)
{
	const struct explain_cache *c = &x->cache;

	return c->last_interval_end_ns &&
	       (c->first_interval_begin_ns + x->host.resolution_ns < x->host.start_ns ||
		c->last_file_read_ns > c->last_interval_end_ns);
}

static enum explain_gap gap_of(const struct explanation *x)
{
	const struct explain_flow *f = &x->flow;

	if (f->unaccounted_pages && cuts_interval(x))
		return GAP_CUT_INTERVAL;
	if (f->unaccounted_pages >= 0)
		return GAP_NONE;
	/* Such a read lacks less than a page. */
	if (0 - (uint64_t)f->unaccounted_pages <= f->part_page_reads)
		return GAP_SMALL_BLOCKS;
	return f->device_bytes[IO_ORIGIN_UNKNOWN] ? GAP_OWN_PAGES : GAP_HOLES;
}

void explain_flow(struct explanation *x)
{
	const struct explain_cache *c = &x->cache;
	struct explain_flow *f = &x->flow;
	uint64_t untracked = c->readahead_untracked_pages - c->blockdev_untracked_pages;
	uint64_t useful_pages = c->demand_miss_pages - c->blockdev_demand_pages +
				c->readahead_used_pages - c->blockdev_used_pages + untracked;

	sum_device_reads(x);
	if (!c->recorded)
		return;
	f->application_bytes = c->read_pages * PAGE_BYTES;
	f->hit_bytes = c->hit_pages * PAGE_BYTES;
	f->demand_bytes = c->demand_miss_pages * PAGE_BYTES;
	f->readahead_bytes = c->readahead_added_pages * PAGE_BYTES;
	f->closed = !x->devices_chosen && c->fetched_known;
	close_account(x);
	if (f->closed)
		f->gap = gap_of(x);
	useful_pages += f->partial_write_pages;
	if (!useful_pages || !f->closed)
		return;
	/* Pages that no device read make the bytes used unknown. */
	if (f->gap && explain_pct(explain_pages_apart(f), f->fetched_file_pages) > GAP_PCT)
		return;
	f->amplification_is_lower_bound = explain_pct(untracked, useful_pages) > UNTRACKED_PCT;
	f->read_amplification =
		(double)f->device_bytes[IO_ORIGIN_FILE] / (double)(useful_pages * PAGE_BYTES);
}
