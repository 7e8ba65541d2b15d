// SPDX-License-Identifier: MIT
#include "render/explain/json_what_if.h"

#include "render/json.h"

static json_t *counts(const struct cache_model_counts *c)
{
	json_t *object = json_object();

	if (c->read_pages)
		json_set_real(object, "hit_pct", explain_hit_pct(c));
	else
		json_object_set_new(object, "hit_pct", json_null());
	json_set_u64(object, "read_pages", c->read_pages);
	json_set_u64(object, "demand_miss_pages", c->missed_pages);
	json_set_u64(object, "readahead_pages", c->readahead_pages);
	json_set_u64(object, "fetched_bytes", (c->missed_pages + c->readahead_pages) * 4096);
	return object;
}

json_t *explain_json_what_if(const struct explanation *x)
{
	static const char *const whose[] = {
		[PRESENT_CACHE_MACHINE] = "machine",
		[PRESENT_CACHE_CGROUP] = "cgroup",
		[PRESENT_CACHE_GIVEN] = "given",
	};
	const struct explain_what_if *w = &x->what_if;
	uint64_t misses, account;
	json_t *object, *sizes;

	if (!w->recorded || w->present == PRESENT_CACHE_UNKNOWN)
		return json_null();
	object = json_object();
	sizes = json_array();
	json_set_u64(object, "present_cache_bytes", w->present_bytes);
	json_set_u64(object, "present_free_bytes", w->free_bytes);
	json_object_set_new(object, "present_cache_of", json_string(whose[w->present]));
	json_object_set_new(object, "quality", json_string("estimated"));
	json_set_bool(object, "recorded_with_mglru", x->summary.page_cache_mglru);
	json_set_u64(object, "distinct_pages", w->result.distinct_pages);
	json_set_u64(object, "cached_before_pages", w->result.cached_before_pages);
	json_set_u64(object, "sampled_one_in", w->result.sampled_one_in);
	json_set_u64(object, "lost_accesses", x->losses[LOSS_ACCESS_RING].count);
	json_object_set_new(object, "recorded", counts(&w->result.recorded));
	json_object_set_new(
		object, "recorded_quality",
		json_string(explain_misses_differ(x, &misses, &account) ? "bounded" : "exact"));
	for (unsigned int i = 0; i < CACHE_MODEL_SIZES; i++) {
		json_t *size = counts(&w->result.sizes[i]);

		json_set_real(size, "factor", 0.5 * (1 << i));
		json_set_u64(size, "cache_bytes", w->size_bytes[i]);
		json_array_append_new(sizes, size);
	}
	json_object_set_new(object, "sizes", sizes);
	return object;
}
