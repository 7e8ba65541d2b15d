/* SPDX-License-Identifier: MIT */
/* Streaming decompression by content: gzip, zstd, xz, or plain bytes. */
#ifndef BLKREEL_EXCHANGE_INPUT_INFLATE_H
#define BLKREEL_EXCHANGE_INPUT_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inflate;

/* The count of first bytes that inflate__new() needs. */
#define INFLATE_MAGIC_BYTES 6

/* `head`: the first bytes of the stream (fewer than INFLATE_MAGIC_BYTES: all). NULL: no memory. */
struct inflate *inflate__new(const uint8_t *head, size_t bytes);
void inflate__free(struct inflate *f); /* NULL is allowed */

/*
 * Decompresses [*in, in_end) into [*out, out_end) and moves both. `last`: in_end is the end of the
 * input. 0: go on (*out unmoved and *in == in_end: needs more input); 1: the stream has ended;
 * -EBADMSG: damaged or cut; -ENOMEM.
 */
int inflate__run(struct inflate *f, const uint8_t **in, const uint8_t *in_end, uint8_t **out,
		 uint8_t *out_end, bool last);

#endif
