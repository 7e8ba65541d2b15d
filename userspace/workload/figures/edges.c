// SPDX-License-Identifier: MIT
#include "workload/figures/edges.h"

#include "base/units.h"

/* The duration of a reading of the kernel's counters, unless the trace has it. */
#define LOOK_NS (250 * NSEC_PER_USEC)
#define SPAN_NS NSEC_PER_MSEC

void edges_add_io(struct edges *e, const struct io_row *row)
{
	uint64_t end_ns = row->completed_ns;

	if (!end_ns)
		return;
	if (!e->first_end_ns || end_ns < e->first_end_ns)
		e->first_end_ns = end_ns;
	if (end_ns > e->last_end_ns)
		e->last_end_ns = end_ns;
	if (row->cpu >= e->cpus)
		e->cpus = row->cpu + 1u;
	if (end_ns / SPAN_NS != e->span) {
		e->span = end_ns / SPAN_NS;
		e->span_ios = 0;
	}
	if (++e->span_ios > e->peak_ios)
		e->peak_ios = e->span_ios;
}

void edges_add_tick(struct edges *e, const struct tick_row *row)
{
	uint64_t look_ns = row->snapshot_ns > LOOK_NS ? row->snapshot_ns : LOOK_NS;
	uint64_t from_ns = row->time_ns - row->interval_ns;

	if (!e->has_ticks || from_ns < e->ticks_from_ns) {
		e->ticks_from_ns = from_ns;
		e->first_look_ns = look_ns;
	}
	if (row->time_ns > e->ticks_to_ns) {
		e->ticks_to_ns = row->time_ns;
		e->last_look_ns = look_ns;
	}
	e->has_ticks = true;
}

static bool is_near(uint64_t a, uint64_t b, uint64_t ns)
{
	return (a > b ? a - b : b - a) <= ns;
}

/* IOs may end as fast as in the fastest ms, and one on each CPU may be reported and not counted
 * yet. */
static uint64_t ended_during(const struct edges *e, uint64_t look_ns)
{
	return e->cpus + (uint64_t)((double)e->peak_ios * look_ns / SPAN_NS);
}

uint64_t edges_ios(const struct edges *e)
{
	uint64_t ios = 0;

	if (is_near(e->first_end_ns, e->ticks_from_ns, e->first_look_ns))
		ios += ended_during(e, e->first_look_ns);
	if (is_near(e->last_end_ns, e->ticks_to_ns, e->last_look_ns))
		ios += ended_during(e, e->last_look_ns);
	return ios;
}
