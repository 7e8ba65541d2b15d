// SPDX-License-Identifier: MIT
#include "replay/verify/stamp.h"

#include <libdeflate.h>
#include <string.h>

#include "base/bytes.h"

#define CHECKSUM_AT 48

static const char magic[8] = "blkreelW"; /* without a 0 at its end */

static uint32_t checksum(const uint8_t *block, size_t block_bytes)
{
	static const uint8_t none[4];
	uint32_t crc = libdeflate_crc32(0, block, CHECKSUM_AT);

	crc = libdeflate_crc32(crc, none, sizeof(none));
	return libdeflate_crc32(crc, block + CHECKSUM_AT + sizeof(none),
				block_bytes - CHECKSUM_AT - sizeof(none));
}

void stamp__put(const struct stamp *stamp, uint8_t *block, size_t block_bytes)
{
	memcpy(block, magic, sizeof(magic));
	put_le64(block + 8, stamp->run);
	put_le64(block + 16, stamp->offset_bytes);
	put_le64(block + 24, stamp->number);
	put_le64(block + 32, stamp->io_offset_bytes);
	put_le64(block + 40, stamp->io_length_bytes);
	put_le32(block + CHECKSUM_AT + 4, 0);
	put_le32(block + CHECKSUM_AT, checksum(block, block_bytes));
}

enum stamp_found stamp__get(const uint8_t *block, size_t block_bytes, struct stamp *stamp)
{
	if (memcmp(block, magic, sizeof(magic)) != 0)
		return STAMP_FOUND_NONE;
	if (get_le32(block + CHECKSUM_AT) != checksum(block, block_bytes))
		return STAMP_FOUND_BROKEN;
	*stamp = (struct stamp){
		.run = get_le64(block + 8),
		.offset_bytes = get_le64(block + 16),
		.number = get_le64(block + 24),
		.io_offset_bytes = get_le64(block + 32),
		.io_length_bytes = get_le64(block + 40),
	};
	return STAMP_FOUND_WHOLE;
}
