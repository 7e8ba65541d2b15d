// SPDX-License-Identifier: MIT
#include "report/timeline.h"

#include <string.h>

#include "trace/row_time.h"

#define SHORTEST_NS 1000000u /* of a trace whose duration is not known */

uint64_t timeline_width_ns(uint64_t duration_ns)
{
	static const uint64_t steps[] = {1, 2, 5};
	uint64_t scale = 1;

	for (unsigned int i = 0;; i++) {
		uint64_t width_ns = steps[i % 3] * scale;

		if (duration_ns / width_ns < TIMELINE_BINS)
			return width_ns;
		if (i % 3 == 2)
			scale *= 10;
	}
}

void timeline_init(struct timeline *t, uint64_t start_ns, uint64_t duration_ns)
{
	memset(t, 0, sizeof(*t));
	t->start_ns = start_ns;
	t->width_ns = timeline_width_ns(duration_ns ? duration_ns : SHORTEST_NS);
}

static uint64_t since_start_ns(const struct timeline *t, uint64_t time_ns)
{
	return time_ns > t->start_ns ? time_ns - t->start_ns : 0;
}

unsigned int timeline_doublings(const struct timeline *t, uint64_t time_ns)
{
	uint64_t bin = since_start_ns(t, time_ns) / t->width_ns;
	unsigned int doublings = 0;

	while (bin >> doublings >= TIMELINE_BINS)
		doublings++;
	return doublings;
}

uint32_t timeline_bin(const struct timeline *t, uint64_t time_ns)
{
	return (uint32_t)(since_start_ns(t, time_ns) / t->width_ns);
}

/* What spans whole bins is added to them, so that bins can be merged. */
static void resolve_spanning(struct timeline *t)
{
	int64_t spanning = 0;

	for (uint32_t i = 0; i < TIMELINE_BINS; i++) {
		spanning += t->spanning[i];
		t->in_flight_ns[i] += (uint64_t)spanning * t->width_ns;
	}
	memset(t->spanning, 0, sizeof(t->spanning));
}

void timeline_double(struct timeline *t)
{
	resolve_spanning(t);
	for (uint32_t i = 0; i < TIMELINE_BINS; i++) {
		uint32_t a = 2 * i, b = 2 * i + 1;
		bool both = b < TIMELINE_BINS;

		for (int op = 0; op < TICK_OP_COUNT; op++) {
			struct timeline_load *load = &t->load[op];

			load->ios[i] = both ? load->ios[a] + load->ios[b] : 0;
			load->bytes[i] = both ? load->bytes[a] + load->bytes[b] : 0;
		}
		t->in_flight_ns[i] = both ? t->in_flight_ns[a] + t->in_flight_ns[b] : 0;
		t->depth_max[i] = !both				      ? 0
				  : t->depth_max[a] > t->depth_max[b] ? t->depth_max[a]
								      : t->depth_max[b];
	}
	t->width_ns *= 2;
	t->bins = (t->bins + 1) / 2;
}

static void add_span(struct timeline *t, uint64_t from_ns, uint64_t to_ns)
{
	uint32_t first = timeline_bin(t, from_ns), last = timeline_bin(t, to_ns);

	from_ns = since_start_ns(t, from_ns);
	to_ns = since_start_ns(t, to_ns);
	if (first == last) {
		t->in_flight_ns[first] += to_ns - from_ns;
		return;
	}
	t->in_flight_ns[first] += (first + 1) * t->width_ns - from_ns;
	t->in_flight_ns[last] += to_ns - last * t->width_ns;
	t->spanning[first + 1]++;
	t->spanning[last]--;
}

void timeline_add(struct timeline *t, const struct io_row *row, enum tick_op op)
{
	uint64_t from_ns = row->issued_ns ? row->issued_ns : row->created_ns;
	uint32_t bin = timeline_bin(t, io_row_time_ns(row));

	t->load[op].ios[bin]++;
	t->load[op].bytes[bin] += row->bytes;
	if (bin >= t->bins)
		t->bins = bin + 1;
	if (from_ns && row->completed_ns > from_ns)
		add_span(t, from_ns, row->completed_ns);
	bin = timeline_bin(t, from_ns ? from_ns : io_row_time_ns(row));
	if (row->depth > t->depth_max[bin])
		t->depth_max[bin] = row->depth;
}

void timeline_finish(struct timeline *t, uint64_t duration_ns)
{
	uint64_t bins = duration_ns / t->width_ns + (duration_ns % t->width_ns != 0);

	resolve_spanning(t);
	if (bins > t->bins)
		t->bins = bins > TIMELINE_BINS ? TIMELINE_BINS : (uint32_t)bins;
}
