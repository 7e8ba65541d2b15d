#include "replay/buffers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bytes.h"
#include "base/units.h"

/* Above this, reads share memory: their data is looked at by nobody. */
#define READ_ARENA_MAX_BYTES (256ull << 20)

struct buffers {
	struct iovec iovecs[2];
	uint64_t read_stride_bytes;
	uint64_t read_places;
};

/* SplitMix64 of the position: any part of the stream can be made without what is before it. */
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

static int map_arena(struct iovec *iovec, uint64_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return -errno;
	*iovec = (struct iovec){.iov_base = at, .iov_len = bytes};
	return 0;
}

static int create_reads(struct buffers *b, const struct buffers_options *options)
{
	uint64_t stride_bytes = round_to_page(options->longest_read_bytes);
	uint64_t places = options->reads_in_flight;

	if (!stride_bytes)
		stride_bytes = PAGE_BYTES;
	if (!places || !options->longest_read_bytes)
		places = 1;
	if (places > READ_ARENA_MAX_BYTES / stride_bytes)
		places = READ_ARENA_MAX_BYTES / stride_bytes;
	if (!places)
		places = 1;
	b->read_stride_bytes = stride_bytes;
	b->read_places = places;
	return map_arena(&b->iovecs[BUFFERS_READ_INDEX], places * stride_bytes);
}

static int create_writes(struct buffers *b, const struct buffers_options *options)
{
	struct iovec *iovec = &b->iovecs[BUFFERS_WRITE_INDEX];
	int err;

	if (!options->longest_write_bytes)
		return map_arena(iovec, PAGE_BYTES);
	err = map_arena(iovec, BUFFERS_PATTERN_BYTES + round_to_page(options->longest_write_bytes));
	if (err)
		return err;
	buffers__pattern(options->seed, 0, iovec->iov_base, BUFFERS_PATTERN_BYTES);
	for (size_t done = BUFFERS_PATTERN_BYTES; done < iovec->iov_len;) {
		size_t part = iovec->iov_len - done;

		if (part > BUFFERS_PATTERN_BYTES)
			part = BUFFERS_PATTERN_BYTES;
		memcpy((uint8_t *)iovec->iov_base + done, iovec->iov_base, part);
		done += part;
	}
	return 0;
}

int buffers__create(const struct buffers_options *options, struct buffers **buffers)
{
	struct buffers *b;
	int err;

	if (options->longest_read_bytes > BUFFERS_LONGEST_BYTES ||
	    options->longest_write_bytes > BUFFERS_LONGEST_BYTES)
		return -EINVAL;
	b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
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
	for (unsigned int i = 0; i < 2; i++)
		if (b->iovecs[i].iov_base)
			munmap(b->iovecs[i].iov_base, b->iovecs[i].iov_len);
	free(b);
}

void *buffers__read(const struct buffers *b, uint32_t slot)
{
	const struct iovec *iovec = &b->iovecs[BUFFERS_READ_INDEX];

	return (uint8_t *)iovec->iov_base + slot % b->read_places * b->read_stride_bytes;
}

const void *buffers__write(const struct buffers *b, uint64_t offset_bytes)
{
	const struct iovec *iovec = &b->iovecs[BUFFERS_WRITE_INDEX];

	return (const uint8_t *)iovec->iov_base + offset_bytes % BUFFERS_PATTERN_BYTES;
}

const struct iovec *buffers__iovecs(const struct buffers *b, unsigned int *count)
{
	*count = 2;
	return b->iovecs;
}
