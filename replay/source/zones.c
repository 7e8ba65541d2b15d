// SPDX-License-Identifier: MIT
#include "replay/source/zones.h"

#include <errno.h>
#include <linux/blkzoned.h>
#include <sys/ioctl.h>

#include "base/units.h"

int zones__ask(int fd, const struct replay_io *io)
{
	static const unsigned long requests[] = {
		[REPLAY_ZONE_OPEN] = BLKOPENZONE,	[REPLAY_ZONE_CLOSE] = BLKCLOSEZONE,
		[REPLAY_ZONE_FINISH] = BLKFINISHZONE,	[REPLAY_ZONE_RESET] = BLKRESETZONE,
		[REPLAY_ZONE_RESET_ALL] = BLKRESETZONE,
	};
	struct blk_zone_range range = {.sector = io->offset_bytes / SECTOR_BYTES,
				       .nr_sectors = io->length_bytes / SECTOR_BYTES};

	return ioctl(fd, requests[io->zone], &range) ? -errno : 0;
}

int zones__place(struct replay_io *io, uint64_t zone_bytes, uint64_t target_bytes)
{
	if (io->zone == REPLAY_ZONE_RESET_ALL) {
		io->offset_bytes = 0;
		io->length_bytes = target_bytes;
		return 0;
	}
	if (io->offset_bytes >= target_bytes)
		return -ERANGE;
	io->length_bytes = target_bytes - io->offset_bytes;
	if (io->length_bytes > zone_bytes)
		io->length_bytes = zone_bytes;
	return 0;
}

void zones__widen(uint64_t zone_bytes, uint64_t *begin_bytes, uint64_t *end_bytes)
{
	uint64_t over = *end_bytes % zone_bytes;

	*begin_bytes -= *begin_bytes % zone_bytes;
	if (over && __builtin_add_overflow(*end_bytes, zone_bytes - over, end_bytes))
		*end_bytes = UINT64_MAX;
}
