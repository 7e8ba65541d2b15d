// SPDX-License-Identifier: MIT
#include <errno.h>
#include <libdeflate.h>
#include <string.h>

#include "base/bytes.h"
#include "trace/file/block.h"

/* Offsets in the file's head. */
enum {
	HEAD_VERSION = 8,
	HEAD_RESERVED = 12,
	HEAD_UNUSED = 16,
	HEAD_CRC = 28
};

/* Offsets in a block's header. */
enum {
	BLOCK_AT_KIND = 4,
	BLOCK_AT_COMPRESSION = 5,
	BLOCK_AT_RESERVED = 6,
	BLOCK_AT_ROWS = 8,
	BLOCK_AT_RAW = 12,
	BLOCK_AT_STORED = 16,
	BLOCK_AT_UNUSED = 20,
	BLOCK_AT_PAYLOAD_CRC = 24,
	BLOCK_AT_HEAD_CRC = 28
};

uint32_t block_crc(const uint8_t *bytes, size_t count)
{
	return libdeflate_crc32(0, bytes, count);
}

void trace_head_put(uint8_t head[TRACE_HEAD_BYTES])
{
	memset(head, 0, TRACE_HEAD_BYTES);
	memcpy(head, TRACE_MAGIC, TRACE_MAGIC_BYTES);
	put_le32(head + HEAD_VERSION, TRACE_VERSION);
	put_le32(head + HEAD_CRC, block_crc(head, HEAD_CRC));
}

int trace_head_get(const uint8_t *head, size_t bytes, uint32_t *version, const char **message)
{
	size_t known = bytes < TRACE_MAGIC_BYTES ? bytes : TRACE_MAGIC_BYTES;

	if (!bytes) {
		*message = "is empty: no recording was written to it";
		return -ENODATA;
	}
	if (memcmp(head, TRACE_MAGIC, known)) {
		*message = "is not a blkreel trace ('blkreel record' makes them)";
		return -EINVAL;
	}
	if (bytes < TRACE_HEAD_BYTES) {
		*message = "was cut inside its head: no row is left";
		return -ENODATA;
	}
	if (get_le32(head + HEAD_CRC) != block_crc(head, HEAD_CRC)) {
		*message =
			"has a damaged head (wrong checksum): copy it again from its source, or try "
			"'blkreel repair'";
		return -EBADMSG;
	}
	*version = get_le32(head + HEAD_VERSION);
	if (!*version) {
		*message = "has a damaged head (version 0): copy it again from its source";
		return -EBADMSG;
	}
	if (*version > TRACE_VERSION || get_le32(head + HEAD_RESERVED)) {
		*message = "was made by a newer blkreel: read it with that version";
		return -EPROTONOSUPPORT;
	}
	return 0;
}

bool trace_head_is_repairable(const uint8_t *head, size_t bytes)
{
	uint8_t right[TRACE_HEAD_BYTES];

	if (bytes < TRACE_HEAD_BYTES)
		return false;
	trace_head_put(right);
	/* Either only the checksum is wrong, or the checksum proves what the bytes were. */
	if (!memcmp(head, right, HEAD_CRC) || !memcmp(head + HEAD_CRC, right + HEAD_CRC, 4))
		return true;
	if (memcmp(head, right, TRACE_MAGIC_BYTES))
		return true;
	return get_le32(head + HEAD_CRC) != block_crc(head, HEAD_CRC) &&
	       get_le32(head + HEAD_VERSION) <= TRACE_VERSION;
}

void block_head_put(uint8_t *at, const struct block_head *head)
{
	memset(at, 0, TRACE_BLOCK_HEAD_BYTES);
	memcpy(at, TRACE_BLOCK_MAGIC, TRACE_BLOCK_MAGIC_BYTES);
	at[BLOCK_AT_KIND] = head->kind;
	at[BLOCK_AT_COMPRESSION] = head->compression;
	put_le32(at + BLOCK_AT_ROWS, head->rows);
	put_le32(at + BLOCK_AT_RAW, head->raw_bytes);
	put_le32(at + BLOCK_AT_STORED, head->stored_bytes);
	put_le32(at + BLOCK_AT_PAYLOAD_CRC, head->payload_crc);
	put_le32(at + BLOCK_AT_HEAD_CRC, block_crc(at, BLOCK_AT_HEAD_CRC));
}

static const char *block_head_check(const struct block_head *head)
{
	if (head->rows > TRACE_BLOCK_ROWS_MAX)
		return "a block claims too many rows";
	if (head->raw_bytes > TRACE_BLOCK_BYTES_MAX || head->stored_bytes > head->raw_bytes)
		return "a block claims an impossible length";
	if (head->compression == COMPRESSION_NONE && head->stored_bytes != head->raw_bytes)
		return "a block claims an impossible length";
	if (head->compression > COMPRESSION_ZSTD)
		return "a block has an unknown compression";
	return NULL;
}

int block_head_get(const uint8_t *at, struct block_head *head, const char **reason)
{
	if (memcmp(at, TRACE_BLOCK_MAGIC, TRACE_BLOCK_MAGIC_BYTES)) {
		*reason = "no block starts here";
		return -EBADMSG;
	}
	if (get_le32(at + BLOCK_AT_HEAD_CRC) != block_crc(at, BLOCK_AT_HEAD_CRC)) {
		*reason = "the checksum of a block header is wrong";
		return -EBADMSG;
	}
	if (get_le16(at + BLOCK_AT_RESERVED)) {
		*reason = "a block uses a feature of a newer blkreel";
		return -EBADMSG;
	}
	head->kind = at[BLOCK_AT_KIND];
	head->compression = at[BLOCK_AT_COMPRESSION];
	head->rows = get_le32(at + BLOCK_AT_ROWS);
	head->raw_bytes = get_le32(at + BLOCK_AT_RAW);
	head->stored_bytes = get_le32(at + BLOCK_AT_STORED);
	head->payload_crc = get_le32(at + BLOCK_AT_PAYLOAD_CRC);
	*reason = block_head_check(head);
	return *reason ? -EBADMSG : 0;
}

bool block_head_is_newer(const uint8_t *at)
{
	return !memcmp(at, TRACE_BLOCK_MAGIC, TRACE_BLOCK_MAGIC_BYTES) &&
	       get_le32(at + BLOCK_AT_HEAD_CRC) == block_crc(at, BLOCK_AT_HEAD_CRC) &&
	       (get_le16(at + BLOCK_AT_RESERVED) || at[BLOCK_AT_COMPRESSION] > COMPRESSION_ZSTD ||
		at[BLOCK_AT_KIND] >= BLOCK_KIND_MANDATORY);
}

unsigned int trace_head_unused(const uint8_t *head)
{
	unsigned int used = 0;

	for (unsigned int at = HEAD_UNUSED; at < HEAD_CRC; at++)
		used += head[at] != 0;
	return used;
}

unsigned int block_head_unused(const uint8_t *at)
{
	unsigned int used = 0;

	for (unsigned int i = BLOCK_AT_UNUSED; i < BLOCK_AT_PAYLOAD_CRC; i++)
		used += at[i] != 0;
	return used;
}
