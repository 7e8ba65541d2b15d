// SPDX-License-Identifier: MIT
#include "replay/engine/buffers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bytes.h"
#include "base/units.h"
#include "replay/engine/huge_pages.h"
#include "replay/verify/stamp.h"

/* Above this, reads share memory: nobody looks at their data. */
#define READ_ARENA_MAX_BYTES (16ull << 20)

/* Writes with content of their own do not share memory. */
#define OWN_ARENA_MAX_BYTES (64ull << 20)

/* IOs of up to this length need no huge pages: every device takes as many pages in one IO. */
#define SMALL_PAGES_IO_BYTES (16 * PAGE_BYTES)

struct buffers {
	struct iovec iovecs[2];
	struct iovec pattern; /* own: the source of copies */
	bool borrows;	      /* the pattern is another worker's */
	uint64_t run_bytes;   /* of the memory of IOs, the shortest */
	uint64_t write_stride_bytes;
	uint64_t blocks_made;
	uint64_t seed;
	struct buffers_content content;
	uint64_t read_stride_bytes;
	uint64_t read_places;
};

/* SplitMix64 of the position: any part of the stream can be made alone. */
static uint64_t pattern_word(uint64_t seed, uint64_t index)
{
	uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

void buffers__pattern(uint64_t seed, uint64_t offset_bytes, void *into, size_t bytes)
{
	uint8_t *at = into;

	while (bytes) {
		uint64_t place = offset_bytes % BUFFERS_PATTERN_BYTES;
		uint8_t word[8];
		size_t skip = place % sizeof(word);
		size_t part = sizeof(word) - skip < bytes ? sizeof(word) - skip : bytes;

		put_le64(word, pattern_word(seed, place / sizeof(word)));
		memcpy(at, word + skip, part);
		at += part;
		offset_bytes += part;
		bytes -= part;
	}
}

static uint64_t round_to_page(uint64_t bytes)
{
	return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static int map_small_pages(struct iovec *iovec, uint64_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return -errno;
	*iovec = (struct iovec){.iov_base = at, .iov_len = bytes};
	return 0;
}

/* A device takes only so many pieces of memory in one IO; the kernel splits an IO of more. */
static int map_arena(struct buffers *b, struct iovec *iovec, uint64_t bytes, uint64_t io_bytes)
{
	bool huge;
	void *at;

	if (io_bytes <= SMALL_PAGES_IO_BYTES)
		return map_small_pages(iovec, bytes);
	at = huge_pages__map(&bytes, &huge);
	if (!at)
		return -errno;
	*iovec = (struct iovec){.iov_base = at, .iov_len = bytes};
	if (!huge)
		b->run_bytes = PAGE_BYTES;
	return 0;
}

static int create_reads(struct buffers *b, const struct buffers_options *options)
{
	uint64_t stride_bytes = round_to_page(options->longest_read_bytes);
	uint64_t places = options->in_flight;
	uint64_t arena_bytes = READ_ARENA_MAX_BYTES / (options->workers ? options->workers : 1);

	if (!stride_bytes)
		stride_bytes = PAGE_BYTES;
	if (!places || !options->longest_read_bytes)
		places = 1;
	if (places > arena_bytes / stride_bytes)
		places = arena_bytes / stride_bytes;
	if (!places)
		places = 1;
	b->read_stride_bytes = stride_bytes;
	b->read_places = places;
	return map_arena(b, &b->iovecs[BUFFERS_READ_INDEX], places * stride_bytes,
			 options->longest_read_bytes);
}

static void thin_out(uint8_t *pattern, uint32_t compressible_pct)
{
	const size_t sector_bytes = 512;
	size_t zeroes = sector_bytes * compressible_pct / 100;

	for (size_t at = 0; zeroes && at < BUFFERS_PATTERN_BYTES; at += sector_bytes)
		memset(pattern + at + sector_bytes - zeroes, 0, zeroes);
}

static int create_pattern(struct buffers *b, const struct buffers_options *options,
			  struct iovec *iovec)
{
	int err;

	if (options->pattern) {
		*iovec = options->pattern->iovecs[BUFFERS_WRITE_INDEX];
		b->borrows = true;
		if (options->pattern->run_bytes < b->run_bytes)
			b->run_bytes = options->pattern->run_bytes;
		return 0;
	}
	err = map_arena(b, iovec,
			BUFFERS_PATTERN_BYTES + round_to_page(options->longest_write_bytes),
			options->longest_write_bytes);
	if (err)
		return err;
	buffers__pattern(options->seed, 0, iovec->iov_base, BUFFERS_PATTERN_BYTES);
	thin_out(iovec->iov_base, options->content.compressible_pct);
	for (size_t done = BUFFERS_PATTERN_BYTES; done < iovec->iov_len;) {
		size_t part = iovec->iov_len - done;

		if (part > BUFFERS_PATTERN_BYTES)
			part = BUFFERS_PATTERN_BYTES;
		memcpy((uint8_t *)iovec->iov_base + done, iovec->iov_base, part);
		done += part;
	}
	return 0;
}

static int create_writes(struct buffers *b, const struct buffers_options *options)
{
	struct iovec *iovec = &b->iovecs[BUFFERS_WRITE_INDEX];
	int err;

	if (!options->longest_write_bytes)
		return map_small_pages(iovec, PAGE_BYTES);
	if (!options->content.own)
		return create_pattern(b, options, iovec);
	b->write_stride_bytes = round_to_page(options->longest_write_bytes);
	err = create_pattern(b, options, &b->pattern);
	return err ? err
		   : map_arena(b, iovec, options->in_flight * b->write_stride_bytes,
			       options->longest_write_bytes);
}

uint64_t buffers__run_bytes(const struct buffers *b)
{
	return b->run_bytes;
}

uint32_t buffers__own_slots(uint64_t longest_write_bytes)
{
	uint64_t stride_bytes = round_to_page(longest_write_bytes);
	uint64_t slots = stride_bytes ? OWN_ARENA_MAX_BYTES / stride_bytes : UINT32_MAX;

	return !slots ? 1 : slots > UINT32_MAX ? UINT32_MAX : (uint32_t)slots;
}

int buffers__create(const struct buffers_options *options, struct buffers **buffers)
{
	struct buffers *b;
	int err;

	if (options->longest_read_bytes > REPLAY_LONGEST_BYTES ||
	    options->longest_write_bytes > REPLAY_LONGEST_BYTES ||
	    (options->content.own &&
	     options->in_flight > buffers__own_slots(options->longest_write_bytes)))
		return -EINVAL;
	b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	b->seed = options->seed;
	b->run_bytes = HUGE_PAGE_BYTES;
	b->content = options->content;
	b->blocks_made = options->first_own_block;
	err = create_reads(b, options);
	if (!err)
		err = create_writes(b, options);
	if (err) {
		buffers__free(b);
		return err;
	}
	*buffers = b;
	return 0;
}

void buffers__free(struct buffers *b)
{
	if (!b)
		return;
	if (b->borrows)
		*(b->content.own ? &b->pattern : &b->iovecs[BUFFERS_WRITE_INDEX]) =
			(struct iovec){NULL};
	for (unsigned int i = 0; i < 2; i++)
		if (b->iovecs[i].iov_base)
			munmap(b->iovecs[i].iov_base, b->iovecs[i].iov_len);
	if (b->pattern.iov_base)
		munmap(b->pattern.iov_base, b->pattern.iov_len);
	free(b);
}

void *buffers__read(const struct buffers *b, uint32_t slot)
{
	const struct iovec *iovec = &b->iovecs[BUFFERS_READ_INDEX];

	/* Avoid the division, which is slower than the rest of the function. */
	uint64_t place = slot < b->read_places ? slot : slot % b->read_places;

	return (uint8_t *)iovec->iov_base + place * b->read_stride_bytes;
}

static const uint8_t *pattern_at(const struct iovec *pattern, uint64_t offset_bytes)
{
	return (const uint8_t *)pattern->iov_base + offset_bytes % BUFFERS_PATTERN_BYTES;
}

/* Fills whole blocks by their addresses; a part of a block is never a copy. */
static void make_block(struct buffers *b, uint64_t offset_bytes, uint8_t *into, size_t bytes)
{
	uint64_t place = pattern_word(~b->seed, offset_bytes / BUFFERS_BLOCK_BYTES);

	if (bytes == BUFFERS_BLOCK_BYTES && place % 100 < b->content.dedup_pct) {
		place = place / 100 % BUFFERS_COPIED_BLOCKS * BUFFERS_BLOCK_BYTES;
		memcpy(into, pattern_at(&b->pattern, place), bytes);
		return;
	}
	memcpy(into, pattern_at(&b->pattern, offset_bytes), bytes);
	if (bytes >= 2 * sizeof(uint64_t)) {
		put_le64(into, pattern_word(b->seed, offset_bytes));
		put_le64(into + sizeof(uint64_t), pattern_word(b->seed, b->blocks_made++));
	}
}

static void stamp_blocks(const struct buffers *b, const struct replay_io *io, uint8_t *into)
{
	uint32_t block_bytes = b->content.stamped_bytes;
	struct stamp stamp = {
		.run = b->content.run,
		.number = io->number,
		.io_offset_bytes = io->offset_bytes,
		.io_length_bytes = io->length_bytes,
	};

	for (uint64_t at = 0; at + block_bytes <= io->length_bytes; at += block_bytes) {
		stamp.offset_bytes = io->offset_bytes + at;
		memcpy(into + at, pattern_at(&b->pattern, stamp.offset_bytes), block_bytes);
		stamp__put(&stamp, into + at, block_bytes);
	}
}

const void *buffers__write(struct buffers *b, const struct replay_io *io, uint32_t slot)
{
	uint8_t *into = (uint8_t *)b->iovecs[BUFFERS_WRITE_INDEX].iov_base;
	uint64_t done = 0;

	if (!b->content.own)
		return pattern_at(&b->iovecs[BUFFERS_WRITE_INDEX], io->offset_bytes);
	into += slot * b->write_stride_bytes;
	if (b->content.stamped_bytes) {
		stamp_blocks(b, io, into);
		return into;
	}
	while (done < io->length_bytes) {
		uint64_t at = io->offset_bytes + done;
		size_t part = BUFFERS_BLOCK_BYTES - at % BUFFERS_BLOCK_BYTES;

		if (part > io->length_bytes - done)
			part = io->length_bytes - done;
		make_block(b, at, into + done, part);
		done += part;
	}
	return into;
}

const struct iovec *buffers__iovecs(const struct buffers *b, unsigned int *count)
{
	*count = 2;
	return b->iovecs;
}
