/*
 * Memory of the IOs: one arena with incompressible bytes that writes are taken from, one that
 * reads go to. Nothing is allocated or filled while a replay runs.
 */
#ifndef BLKREEL_REPLAY_BUFFERS_H
#define BLKREEL_REPLAY_BUFFERS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* What is written at offset X is byte X modulo this of a stream that the seed decides. */
#define BUFFERS_PATTERN_BYTES (16ull << 20)

/* The longest read or write: what one io_uring buffer of 1 GiB still takes beside the pattern. */
#define BUFFERS_LONGEST_BYTES (512ull << 20)

struct buffers;

struct buffers_options {
	uint64_t seed;
	uint64_t longest_read_bytes;  /* 0: no reads */
	uint64_t longest_write_bytes; /* 0: no writes */
	uint32_t reads_in_flight;
};

/* 0; -EINVAL: an IO above BUFFERS_LONGEST_BYTES; -ENOMEM. */
int buffers__create(const struct buffers_options *options, struct buffers **buffers);
void buffers__free(struct buffers *b); /* NULL is allowed */

/* Where a read of slot `slot` goes. Slots share memory when there are very many long ones. */
void *buffers__read(const struct buffers *b, uint32_t slot);
/* What a write at `offset_bytes` writes. */
const void *buffers__write(const struct buffers *b, uint64_t offset_bytes);

/* For registration: index 0 is of the reads, 1 of the writes; one that is not used is 1 page. */
const struct iovec *buffers__iovecs(const struct buffers *b, unsigned int *count);
#define BUFFERS_READ_INDEX  0
#define BUFFERS_WRITE_INDEX 1

/* The bytes of the pattern, for whoever checks what was written. `bytes` from `offset_bytes`. */
void buffers__pattern(uint64_t seed, uint64_t offset_bytes, void *into, size_t bytes);

#endif
