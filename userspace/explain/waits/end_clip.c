// SPDX-License-Identifier: MIT
#include "explain/waits/end_clip.h"

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Damaged rows may be longer than the clock can tell. */
static uint64_t before(uint64_t time_ns, uint64_t end_ns)
{
	if (end_ns == UINT64_MAX)
		return UINT64_MAX;
	return time_ns < end_ns ? end_ns - time_ns : 0;
}

uint64_t end_clip_ns(const struct wait_row *row, uint64_t end_ns)
{
	return smaller(row->duration_ns, before(row->time_ns, end_ns));
}

uint64_t end_clip_run_queue_ns(const struct wait_row *sleep, uint64_t end_ns)
{
	return smaller(sleep->run_queue_ns, before(sleep->time_ns + sleep->duration_ns, end_ns));
}

static uint64_t share_of(uint64_t ns, uint64_t part_ns, uint64_t whole_ns)
{
	return part_ns < whole_ns ? (uint64_t)((double)ns * ((double)part_ns / (double)whole_ns))
				  : ns;
}

void end_clip_parts(const struct wait_row *sleep, uint64_t end_ns, uint64_t ns[CAUSE_COUNT])
{
	for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++)
		ns[cause] = share_of(ns[cause], end_clip_ns(sleep, end_ns), sleep->duration_ns);
}

void end_clip_call(struct wait_row *call, const struct sleep *sleeps, uint64_t end_ns)
{
	uint64_t awake_ns = before(call->sleep_ns, call->duration_ns), slept_ns = 0, left_ns;

	if (end_clip_ns(call, end_ns) == call->duration_ns)
		return;
	for (; sleeps; sleeps = sleeps->next)
		slept_ns += end_clip_ns(&sleeps->row, end_ns);
	call->duration_ns = end_clip_ns(call, end_ns);
	call->sleep_ns = slept_ns;
	left_ns = before(slept_ns, call->duration_ns);
	call->cpu_ns = share_of(call->cpu_ns, left_ns, awake_ns);
	call->run_queue_ns = share_of(call->run_queue_ns, left_ns, awake_ns);
}
