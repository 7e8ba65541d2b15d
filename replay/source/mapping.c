// SPDX-License-Identifier: MIT
#include "replay/source/mapping.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "replay/source/zones.h"

struct mapping {
	struct replay_source base;
	struct replay_source *below;
	struct mapping_options options;
	uint32_t left_out; /* since the last IO that it gave */
	struct replay_io
		rest; /* what is left of a long op that becomes writes; length 0: nothing */
};

static void align(const struct mapping_options *options, struct replay_io *io)
{
	uint64_t block = options->block_bytes;
	uint64_t before = io->offset_bytes % block;
	uint64_t after = (block - (io->offset_bytes + io->length_bytes) % block) % block;

	if ((!before && !after) || (options->unaligned_data && replay_op_has_data(io->op)))
		return;
	io->offset_bytes -= before;
	io->length_bytes += before + after;
	io->flags |= REPLAY_ALIGNED;
}

static bool clip(uint64_t usable_bytes, struct replay_io *io)
{
	if (io->length_bytes <= usable_bytes)
		return true;
	if (replay_op_has_data(io->op))
		return false;
	io->length_bytes = usable_bytes;
	io->flags |= REPLAY_CLIPPED;
	return true;
}

static void scale(const struct mapping_options *options, uint64_t usable_bytes,
		  struct replay_io *io)
{
	unsigned __int128 scaled = (unsigned __int128)io->offset_bytes * usable_bytes;
	uint64_t offset_bytes = (uint64_t)(scaled / options->source_bytes);

	io->offset_bytes = offset_bytes - offset_bytes % options->block_bytes;
}

int mapping__apply(const struct mapping_options *options, struct replay_io *io)
{
	uint64_t usable_bytes =
		options->target_bytes - options->target_bytes % options->block_bytes;
	uint64_t original_bytes;

	if (io->op == REPLAY_FLUSH)
		return 0;
	if (io->op == REPLAY_ZONE)
		return options->zone_bytes ? zones__place(io, options->zone_bytes, usable_bytes)
					   : -ERANGE;
	align(options, io);
	if (options->fit == REPLAY_FIT_COMPACT)
		io->offset_bytes = footprint__place(options->footprint, io->offset_bytes);
	else if (options->fit != REPLAY_FIT_NONE && !clip(usable_bytes, io))
		return -ERANGE;
	if (options->fit == REPLAY_FIT_SCALE)
		scale(options, usable_bytes, io);
	if (io->length_bytes <= usable_bytes && io->offset_bytes <= usable_bytes - io->length_bytes)
		return 0;
	if (options->fit == REPLAY_FIT_NONE || options->fit == REPLAY_FIT_COMPACT || !usable_bytes)
		return -ERANGE;
	original_bytes = io->offset_bytes;
	io->offset_bytes %= usable_bytes;
	if (io->offset_bytes > usable_bytes - io->length_bytes)
		io->offset_bytes = usable_bytes - io->length_bytes;
	if (io->offset_bytes != original_bytes)
		io->flags |= REPLAY_WRAPPED;
	return 0;
}

/* False: the IO is to be left out. */
static bool keep_atomic(const struct mapping_options *options, struct replay_io *io)
{
	if (!(io->flags & REPLAY_ATOMIC) ||
	    atomic_units__take(&options->atomic, io->offset_bytes, io->length_bytes))
		return true;
	if (options->skips_atomic)
		return false;
	io->flags &= ~(uint32_t)REPLAY_ATOMIC;
	io->flags |= REPLAY_EMULATED;
	return true;
}

/* 1: *io is to be played; 0: it is to be left out; negative errno. */
static int map(const struct mapping_options *options, struct replay_io *io)
{
	int err;

	if (options->skipped_ops & 1u << io->op)
		return 0;
	err = mapping__apply(options, io);
	if (!err && options->instead[io->op]) {
		io->op = options->instead[io->op];
		io->flags |= REPLAY_EMULATED;
	}
	return err ? err : keep_atomic(options, io);
}

/* Keeps what is longer than a piece for the next call. A piece begins at a multiple of its length. */
static void cut(struct mapping *m, struct replay_io *io)
{
	uint64_t bytes = MAPPING_PIECE_BYTES - io->offset_bytes % MAPPING_PIECE_BYTES;

	m->rest.length_bytes = 0;
	if (io->length_bytes <= bytes)
		return;
	m->rest = *io;
	m->rest.flags &= ~(uint32_t)REPLAY_DEVIATIONS;
	m->rest.offset_bytes += bytes;
	m->rest.length_bytes -= bytes;
	io->length_bytes = bytes;
}

static int mapping_next(struct replay_source *base, struct replay_io *io)
{
	struct mapping *m = (struct mapping *)base;
	bool becomes_write = false;
	int err;

	if (m->rest.length_bytes) {
		*io = m->rest;
		cut(m, io);
		return 1;
	}
	while ((err = replay_source__next(m->below, io)) > 0) {
		becomes_write = m->options.instead[io->op] == REPLAY_WRITE;
		err = map(&m->options, io);
		if (err)
			break;
		m->left_out++;
	}
	if (err > 0 && m->left_out) {
		io->flags |= REPLAY_AFTER_GAP;
		io->left_out = m->left_out;
		m->left_out = 0;
	}
	if (err > 0 && becomes_write)
		cut(m, io);
	return err;
}

uint64_t mapping__left_out(const struct replay_source *base)
{
	return ((const struct mapping *)base)->left_out;
}

static void mapping_free(struct replay_source *base)
{
	free(base);
}

static const struct replay_source_ops mapping_ops = {
	.next = mapping_next,
	.free = mapping_free,
};

int mapping__create(struct replay_source *below, const struct mapping_options *options,
		    struct replay_source **source)
{
	struct mapping *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	m->base.ops = &mapping_ops;
	m->below = below;
	m->options = *options;
	*source = &m->base;
	return 0;
}
