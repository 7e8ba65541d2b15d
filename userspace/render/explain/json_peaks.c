// SPDX-License-Identifier: MIT
#include "render/explain/json_peaks.h"

#include "render/json.h"

static json_t *window(const struct peak *peak, uint64_t window_ns)
{
	json_t *object = json_object();

	json_set_u64(object, "window_ns", window_ns);
	json_set_u64(object, "ios", peak->ios);
	json_set_u64(object, "ios_at_ns", peak->ios_at_ns);
	json_set_u64(object, "bytes", peak->bytes);
	json_set_u64(object, "bytes_at_ns", peak->bytes_at_ns);
	return object;
}

static void set_rate(json_t *object, const char *key, uint64_t per_s)
{
	if (per_s)
		json_set_u64(object, key, per_s);
	else
		json_object_set_new(object, key, json_null());
}

static json_t *limit(const struct peak_limit *limit)
{
	json_t *object = json_object();

	set_rate(object, "ios_per_s", limit->ios_per_s);
	set_rate(object, "bytes_per_s", limit->bytes_per_s);
	json_set_u64(object, "held_ios", limit->held_ios);
	json_set_u64(object, "p99_ns", limit->p99_ns);
	json_set_u64(object, "longest_ns", limit->longest_ns);
	return object;
}

json_t *explain_json_peaks(const struct peak_figures *p, uint64_t duration_ns)
{
	json_t *object, *windows, *limits;

	if (!p->ios)
		return json_null();
	object = json_object();
	windows = json_array();
	limits = json_array();
	json_set_u64(object, "ios", p->ios);
	json_set_u64(object, "bytes", p->bytes);
	for (unsigned int i = 0; i < PEAK_WINDOWS && peak_windows_ns[i] <= duration_ns; i++)
		json_array_append_new(windows, window(&p->windows[i], peak_windows_ns[i]));
	json_object_set_new(object, "windows", windows);
	for (unsigned int i = 0; i < PEAK_LIMITS; i++)
		json_array_append_new(limits, limit(&p->limits[i]));
	json_object_set_new(object, "limits", limits);
	return object;
}
