/* SPDX-License-Identifier: MIT */
/* Encodes and decodes the head of the file and the header of each block. */
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

/* Encodes the head of a file. */
void trace_head_put(uint8_t head[TRACE_HEAD_BYTES]);

/*
 * Checks the first bytes of a file (up to TRACE_HEAD_BYTES). Returns 0 or an error of
 * trace_reader__open(); *message then says why (static storage).
 */
int trace_head_get(const uint8_t *head, size_t bytes, uint32_t *version, const char **message);

/*
 * For a head that trace_head_get() refused: true when it is damaged rather than of a newer version,
 * so that the blocks behind it may be read as blocks of this version.
 */
bool trace_head_is_repairable(const uint8_t *head, size_t bytes);

/* Encodes a header, with its checksum, into TRACE_BLOCK_HEAD_BYTES. */
void block_head_put(uint8_t *at, const struct block_head *head);

/*
 * Decodes a header and checks its checksum, limits and reserved bits. 0; -EBADMSG with *reason
 * (static storage).
 */
int block_head_get(const uint8_t *at, struct block_head *head, const char **reason);

/* True for a valid header that only a newer version understands. */
bool block_head_is_newer(const uint8_t *at);

/* The count of bytes in unused fields that are not 0. */
unsigned int trace_head_unused(const uint8_t *head);
unsigned int block_head_unused(const uint8_t *at);

/* CRC-32 as in zlib. */
uint32_t block_crc(const uint8_t *bytes, size_t count);

#endif
