/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a foreign file: a regular file, a pipe or standard input, plain or compressed with
 * gzip, zstd or xz (detected by content). Memory is bounded; lines are returned in place.
 */
#ifndef BLKREEL_EXCHANGE_INPUT_BYTE_SOURCE_H
#define BLKREEL_EXCHANGE_INPUT_BYTE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The most bytes that peek shows, and the longest line. */
#define BYTE_SOURCE_PEEK_MAX (64u << 10)

/* What some programs write before a text in UTF-8. */
#define BYTE_ORDER_MARK	      "\xEF\xBB\xBF"
#define BYTE_ORDER_MARK_BYTES 3

static inline bool byte_order_mark_begins(const void *head, size_t bytes)
{
	return bytes >= BYTE_ORDER_MARK_BYTES &&
	       !memcmp(head, BYTE_ORDER_MARK, BYTE_ORDER_MARK_BYTES);
}

struct byte_source;

/* `path` "-" is standard input. 0 or negative errno (-EISDIR, -ENOENT...). */
int byte_source__open(const char *path, struct byte_source **source);
/* Reads `bytes` bytes at `data`, which must outlive the source; for tests. 0 or -ENOMEM. */
int byte_source__from_memory(const void *data, size_t bytes, struct byte_source **source);
void byte_source__free(struct byte_source *s); /* NULL is allowed */

/*
 * Shows the next bytes without taking them: *bytes is at most BYTE_SOURCE_PEEK_MAX and smaller only
 * at the end. NULL: the end, or an error, see byte_source__error(). Valid until the next call.
 */
const uint8_t *byte_source__peek(struct byte_source *s, size_t *bytes);

/*
 * Takes exactly `bytes` (at most BYTE_SOURCE_PEEK_MAX). NULL: the end, fewer bytes are left (see
 * byte_source__left_over()), or an error. Valid until the next call.
 */
const uint8_t *byte_source__take(struct byte_source *s, size_t bytes);
size_t byte_source__left_over(const struct byte_source *s);

/*
 * Takes the next line without its end (LF or CRLF) and, on line 1, without a byte order mark. 1: [*at, *end) holds it until the next call; 0:
 * the end; -EMSGSIZE: a line above BYTE_SOURCE_PEEK_MAX; other negative errno as
 * byte_source__error().
 */
int byte_source__line(struct byte_source *s, const char **at, const char **end);

/* 0; -EBADMSG: the compressed data is damaged or cut; other negative errno. */
int byte_source__error(const struct byte_source *s);

const char *byte_source__name(const struct byte_source *s);	/* for messages */
uint64_t byte_source__line_number(const struct byte_source *s); /* of the last line, from 1 */
uint64_t byte_source__offset(const struct byte_source *s);	/* of the next byte, decompressed */

#endif
