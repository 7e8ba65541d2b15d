// SPDX-License-Identifier: MIT
#include "commands/replay/content.h"

#include "base/log.h"
#include "base/units.h"
#include "commands/shared/command.h"

int replay_content_plan(const struct replay_content_words *words, uint64_t longest_write_bytes,
			struct buffers_content *content, uint32_t *iodepth)
{
	uint32_t slots = buffers__own_slots(longest_write_bytes);
	char bytes[UNITS_TEXT_MAX];

	*content = (struct buffers_content){.compressible_pct = (uint32_t)words->compressible_pct};
	*iodepth = (uint32_t)words->iodepth;
	content->own = words->stamped || words->dedup_pct != REPLAY_CONTENT_NOT_SAID;
	if (!content->own)
		return EXIT_OK;
	if (!words->stamped)
		content->dedup_pct = (uint32_t)words->dedup_pct;
	if (*iodepth <= slots)
		return EXIT_OK;
	if (words->iodepth_said) {
		pr_err("writes of up to %s with content of their own leave memory for %u in "
		       "flight: lower --iodepth",
		       units_bytes(longest_write_bytes, bytes), slots);
		return EXIT_USAGE;
	}
	*iodepth = slots;
	return EXIT_OK;
}
