// SPDX-License-Identifier: MIT
#include "replay/engine/schedule.h"

uint64_t schedule_due_ns(const struct schedule *s, uint64_t source_due_ns)
{
	uint64_t due_ns;

	if (__builtin_add_overflow(s->start_ns, schedule_scaled_ns(source_due_ns, s->speed),
				   &due_ns))
		return UINT64_MAX;
	return due_ns;
}

uint64_t schedule_sleep_ns(const struct schedule *s, uint64_t due_ns, uint64_t now_ns)
{
	if (due_ns <= now_ns || due_ns - now_ns <= s->lead_ns)
		return 0;
	return due_ns - now_ns - s->lead_ns;
}
