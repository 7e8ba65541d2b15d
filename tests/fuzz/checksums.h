/* SPDX-License-Identifier: MIT */
/* Makes all checksums of a trace right, because no fuzzer guesses them and everything that decodes
 * lies behind them. Offsets are those of docs/trace-format.md. */
#ifndef BLKREEL_TESTS_FUZZ_CHECKSUMS_H
#define BLKREEL_TESTS_FUZZ_CHECKSUMS_H

#include <string.h>

#include "base/bytes.h"
#include "trace/file/block.h"

/* `size` is at least TRACE_HEAD_BYTES. */
static inline void repair_checksums(uint8_t *data, size_t size)
{
	size_t at = TRACE_HEAD_BYTES;

	trace_head_put(data);
	while (size - at >= TRACE_BLOCK_HEAD_BYTES) {
		uint32_t stored = get_le32(data + at + 16);

		memcpy(data + at, TRACE_BLOCK_MAGIC, TRACE_BLOCK_MAGIC_BYTES);
		if (stored > size - at - TRACE_BLOCK_HEAD_BYTES) {
			stored = (uint32_t)(size - at - TRACE_BLOCK_HEAD_BYTES);
			put_le32(data + at + 16, stored);
		}
		put_le32(data + at + 24, block_crc(data + at + TRACE_BLOCK_HEAD_BYTES, stored));
		put_le32(data + at + 28, block_crc(data + at, 28));
		at += TRACE_BLOCK_HEAD_BYTES + stored;
	}
}

#endif
