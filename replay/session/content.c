// SPDX-License-Identifier: MIT
#include "replay/session/content.h"

#include "base/exit_codes.h"
#include "base/units.h"

int replay_content_plan(const struct replay_options *options, uint64_t longest_write_bytes,
			struct buffers_content *content, uint32_t *iodepth, struct failure *failure)
{
	const struct replay_content_options *o = &options->content;
	uint32_t slots = buffers__own_slots(longest_write_bytes);
	char bytes[UNITS_TEXT_MAX];

	*content = (struct buffers_content){.compressible_pct = (uint32_t)o->compressible_pct};
	*iodepth = (uint32_t)options->iodepth;
	content->own = options->stamp.stamp || o->dedup_pct != REPLAY_DEDUP_ABSENT;
	if (!content->own)
		return 0;
	if (!options->stamp.stamp)
		content->dedup_pct = (uint32_t)o->dedup_pct;
	if (*iodepth <= slots)
		return 0;
	if (options->iodepth_given)
		return failure_add(failure, EXIT_USAGE,
				   "writes of up to %s with content of their own leave memory for "
				   "%u in flight: lower --iodepth",
				   units_bytes(longest_write_bytes, bytes), slots);
	*iodepth = slots;
	return 0;
}
