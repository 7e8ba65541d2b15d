// SPDX-License-Identifier: MIT
#include "replay/verify/verifier.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "replay/verify/stamp.h"

/* 64 MiB of numbers. */
#define WINDOW_BLOCKS (8ull << 20)

#define READ_BYTES (1u << 20)

/* Flags beside the number of the last required write. */
#define CLEARED	  (1ull << 63) /* a discard or zeroes followed, which are required, too */
#define MAY_CLEAR (1ull << 62) /* a discard or zeroes may have followed */
#define NUMBER	  (MAY_CLEAR - 1)

struct neighbour {
	bool known; /* the block before this one was looked at */
	bool whole;
	bool cleared;
	struct stamp stamp;
};

struct verifier {
	const struct verifier_options *options;
	struct verifier_result *result;
	uint64_t round_writes; /* IOs that change data, in a round */
	uint64_t window_bytes; /* where the window starts */
	uint64_t window_blocks;
	uint64_t
		next_bytes; /* where the next window with writes starts; UINT64_MAX: there is none */
	uint64_t *entries;  /* by block of the window; 0: not written */
	uint8_t *buffer;
	struct neighbour before;
	uint64_t last_torn;
};

const char *verified_name(enum verified kind)
{
	static const char *const names[] = {"verified",	    "lost",	 "misdirected",
					    "bad_checksum", "bad_magic", "unreadable"};

	return names[kind];
}

/* What should be there ------------------------------------------------------------------------ */

static void enter(struct verifier *v, const struct replay_io *io, uint64_t block)
{
	uint64_t *entry = &v->entries[block];
	bool required = io->number <= v->options->required;

	if (io->op == REPLAY_WRITE && required)
		*entry = io->number;
	else if (io->op != REPLAY_WRITE)
		*entry |= required ? CLEARED : MAY_CLEAR;
}

static void enter_io(struct verifier *v, const struct replay_io *io)
{
	uint32_t block_bytes = v->options->block_bytes;
	uint64_t window_end = v->window_bytes + v->window_blocks * block_bytes;
	uint64_t at = io->offset_bytes - io->offset_bytes % block_bytes;
	uint64_t end_bytes = io->offset_bytes + io->length_bytes;

	if (at < v->window_bytes)
		at = v->window_bytes;
	for (; at < end_bytes && at < window_end; at += block_bytes)
		enter(v, io, (at - v->window_bytes) / block_bytes);
	if (end_bytes > window_end && at < v->next_bytes)
		v->next_bytes = at;
}

static int enter_round(struct verifier *v, uint64_t round)
{
	struct replay_source *source;
	struct replay_io io;
	uint64_t writes_before = round * v->round_writes, writes = 0;
	int err = v->options->again(v->options->context, &source);

	if (err)
		return err;
	while ((err = replay_source__next(source, &io)) > 0) {
		if (!io.number)
			continue;
		writes++;
		io.number += writes_before;
		enter_io(v, &io);
	}
	v->round_writes = writes;
	return err;
}

/*
 * All rounds write the same, so three decide: the last that must be there as a whole, the next, whose
 * first writes must be there, and one more, whose writes may be there.
 */
static int enter_rounds(struct verifier *v)
{
	uint64_t rounds = v->options->rounds, whole = 0;
	int err = 0;

	if (v->round_writes)
		whole = v->options->required / v->round_writes;
	if (whole > rounds)
		whole = rounds;
	v->next_bytes = UINT64_MAX;
	for (uint64_t round = whole ? whole - 1 : 0; round <= whole + 1 && round < rounds && !err;
	     round++)
		err = enter_round(v, round);
	return err;
}

/* A source without rounds need not be read for that. */
static int count_writes(struct verifier *v)
{
	struct verifier counting = *v;
	int err;

	if (v->options->rounds == 1)
		return 0;
	counting.window_blocks = 0;
	err = enter_round(&counting, 0);
	v->round_writes = counting.round_writes;
	return err;
}

/* What is there ------------------------------------------------------------------------------- */

static bool is_zero(const uint8_t *block, size_t bytes)
{
	return !block[0] && !memcmp(block, block + 1, bytes - 1);
}

static bool covers(const struct stamp *stamp, uint64_t offset_bytes)
{
	return offset_bytes >= stamp->io_offset_bytes &&
	       offset_bytes - stamp->io_offset_bytes < stamp->io_length_bytes;
}

static void count_torn(struct verifier *v, const struct stamp *stamp)
{
	if (stamp->number == v->last_torn)
		return;
	v->last_torn = stamp->number;
	if (stamp->number > v->options->required) {
		v->result->torn_in_flight++;
		return;
	}
	if (!v->result->torn_writes++)
		v->result->first_torn_bytes = stamp->io_offset_bytes;
}

/* A torn write: one of two blocks holds it, the other something older. */
static void look_for_tear(struct verifier *v, const struct neighbour *now, uint64_t at)
{
	const struct neighbour *before = &v->before;
	uint64_t number_now = now->whole ? now->stamp.number : 0;
	uint64_t number_before = before->whole ? before->stamp.number : 0;

	if (!before->known || !now->known || before->cleared || now->cleared ||
	    number_now == number_before)
		return;
	if (number_before > number_now && covers(&before->stamp, at))
		count_torn(v, &before->stamp);
	if (number_now > number_before && covers(&now->stamp, at - v->options->block_bytes))
		count_torn(v, &now->stamp);
}

static enum verified judge(const struct verifier *v, const uint8_t *block, uint64_t at,
			   uint64_t required, struct neighbour *now)
{
	uint32_t block_bytes = v->options->block_bytes;
	enum stamp_found found = stamp__get(block, block_bytes, &now->stamp);

	if (found == STAMP_FOUND_BROKEN)
		return VERIFIED_BAD_CHECKSUM;
	if (found == STAMP_FOUND_NONE)
		return is_zero(block, block_bytes) ? VERIFIED_LOST : VERIFIED_BAD_MAGIC;
	if (now->stamp.run != v->options->run)
		return VERIFIED_LOST;
	if (now->stamp.offset_bytes != at)
		return VERIFIED_MISDIRECTED;
	now->whole = true;
	return now->stamp.number < required ? VERIFIED_LOST : VERIFIED_OK;
}

static void count(struct verifier *v, enum verified kind, uint64_t at)
{
	if (!v->result->blocks[kind]++)
		v->result->first_bytes[kind] = at;
}

/* `block` NULL: could not be read. */
static void look_at_block(struct verifier *v, const uint8_t *block, uint64_t at)
{
	uint64_t entry = v->entries[(at - v->window_bytes) / v->options->block_bytes];
	struct neighbour now = {.cleared = entry & (CLEARED | MAY_CLEAR)};
	enum verified kind = VERIFIED_UNREADABLE;

	if (block)
		kind = judge(v, block, at, entry & NUMBER, &now);
	now.known = kind == VERIFIED_OK || kind == VERIFIED_LOST;
	look_for_tear(v, &now, at);
	if (now.cleared)
		v->result->cleared_blocks++;
	else
		count(v, kind, at);
	v->before = now;
}

/* Reads block by block to find those that cannot be read. */
static void look_singly(struct verifier *v, uint64_t from, uint64_t bytes)
{
	uint32_t block_bytes = v->options->block_bytes;

	for (uint64_t at = from; at < from + bytes; at += block_bytes) {
		ssize_t got = pread(v->options->fd, v->buffer, block_bytes, (off_t)at);

		look_at_block(v, got == (ssize_t)block_bytes ? v->buffer : NULL, at);
	}
}

static void look_at_part(struct verifier *v, uint64_t from, uint64_t bytes)
{
	ssize_t got = pread(v->options->fd, v->buffer, bytes, (off_t)from);

	if (got != (ssize_t)bytes) {
		look_singly(v, from, bytes);
		return;
	}
	for (uint64_t at = 0; at < bytes; at += v->options->block_bytes)
		look_at_block(v, v->buffer + at, from + at);
}

static void look_at_window(struct verifier *v)
{
	uint32_t block_bytes = v->options->block_bytes;
	uint64_t most = READ_BYTES / block_bytes ? READ_BYTES / block_bytes : 1;

	for (uint64_t block = 0; block < v->window_blocks;) {
		uint64_t end = block;

		if (!v->entries[block]) {
			v->before.known = false;
			block++;
			continue;
		}
		while (end < v->window_blocks && end - block < most && v->entries[end])
			end++;
		look_at_part(v, v->window_bytes + block * block_bytes, (end - block) * block_bytes);
		block = end;
	}
}

int verifier__run(const struct verifier_options *options, struct verifier_result *result)
{
	size_t buffer_bytes = READ_BYTES > options->block_bytes ? READ_BYTES : options->block_bytes;
	uint64_t target_blocks = options->target_bytes / options->block_bytes;
	struct verifier v = {
		.options = options,
		.result = result,
		.window_blocks = target_blocks < WINDOW_BLOCKS ? target_blocks : WINDOW_BLOCKS,
	};
	int err = -ENOMEM;

	*result = (struct verifier_result){0};
	v.entries = malloc((v.window_blocks ? v.window_blocks : 1) * sizeof(*v.entries));
	v.buffer = aligned_alloc(PAGE_BYTES, buffer_bytes);
	if (v.entries && v.buffer)
		err = count_writes(&v);
	while (!err && v.window_bytes != UINT64_MAX) {
		uint64_t left = target_blocks - v.window_bytes / options->block_bytes;

		if (left < v.window_blocks)
			v.window_blocks = left;
		memset(v.entries, 0, v.window_blocks * sizeof(*v.entries));
		err = enter_rounds(&v);
		if (!err)
			look_at_window(&v);
		v.window_bytes = v.next_bytes;
	}
	result->writes = v.round_writes * options->rounds;
	free(v.entries);
	free(v.buffer);
	return err;
}
