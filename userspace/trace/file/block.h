/* SPDX-License-Identifier: MIT */
/* The head of the file and the header of each block, to and from bytes. */
#ifndef BLKREEL_TRACE_FILE_BLOCK_H
#define BLKREEL_TRACE_FILE_BLOCK_H

#include <stddef.h>

#include "trace/format.h"

struct block_head {
	uint8_t kind;
	uint8_t compression;
	uint32_t rows;
	uint32_t raw_bytes;
	uint32_t stored_bytes;
	uint32_t payload_crc;
};

void trace_head_put(uint8_t head[TRACE_HEAD_BYTES]);

/*
 * 0, or what trace_reader__open() returns for these `bytes` (up to TRACE_HEAD_BYTES) first bytes
 * of a file; *message then says why (static storage).
 */
int trace_head_get(const uint8_t *head, size_t bytes, uint32_t *version, const char **message);

/*
 * Of a head that trace_head_get() refused: whether it is damage rather than a newer version, so
 * that the blocks behind it may be taken for those of this version.
 */
bool trace_head_is_repairable(const uint8_t *head, size_t bytes);

void block_head_put(uint8_t *at, const struct block_head *head);

/* 0, or -EBADMSG with *reason (static storage): checksum, limits and reserved bits are checked. */
int block_head_get(const uint8_t *at, struct block_head *head, const char **reason);

/* A header that is right and says what only a newer version understands. */
bool block_head_is_newer(const uint8_t *at);

/* Bytes of the unused fields that are not 0. */
unsigned int trace_head_unused(const uint8_t *head);
unsigned int block_head_unused(const uint8_t *at);

uint32_t block_crc(const uint8_t *bytes, size_t count);

#endif
