/* SPDX-License-Identifier: MIT */
/* Little-endian numbers and variable-length integers in byte buffers: the only way to disk. */
#ifndef BLKREEL_BASE_BYTES_H
#define BLKREEL_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>

#define VARINT_MAX_BYTES 10

static inline void put_le(uint8_t *at, uint64_t value, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

static inline uint64_t get_le(const uint8_t *at, unsigned int bytes)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

static inline void put_le16(uint8_t *at, uint16_t value)
{
	put_le(at, value, 2);
}

static inline void put_le32(uint8_t *at, uint32_t value)
{
	put_le(at, value, 4);
}

static inline void put_le64(uint8_t *at, uint64_t value)
{
	put_le(at, value, 8);
}

static inline uint16_t get_le16(const uint8_t *at)
{
	return (uint16_t)get_le(at, 2);
}

static inline uint32_t get_le32(const uint8_t *at)
{
	return (uint32_t)get_le(at, 4);
}

static inline uint64_t get_le64(const uint8_t *at)
{
	return get_le(at, 8);
}

/* Signed differences become small unsigned numbers: 0, -1, 1, -2 ... -> 0, 1, 2, 3 ... */
static inline uint64_t zigzag(uint64_t difference)
{
	return (difference << 1) ^ (uint64_t)((int64_t)difference >> 63);
}

static inline uint64_t unzigzag(uint64_t value)
{
	return (value >> 1) ^ (~(value & 1) + 1);
}

/* LEB128: seven bits a byte, the lowest first. Returns the bytes written (1 to 10). */
static inline unsigned int put_varint(uint8_t *at, uint64_t value)
{
	unsigned int n = 0;

	while (value >= 0x80) {
		at[n++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	at[n++] = (uint8_t)value;
	return n;
}

static inline unsigned int varint_bytes(uint64_t value)
{
	return value ? (70u - (unsigned int)__builtin_clzll(value)) / 7 : 1;
}

/* Returns the bytes read, or 0 when the number does not end before `end` or exceeds 64 bits. */
static inline unsigned int get_varint(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
	uint64_t result = 0;

	for (unsigned int n = 0; n < VARINT_MAX_BYTES && at + n < end; n++) {
		uint64_t bits = at[n] & 0x7f;

		if (n == 9 && bits > 1)
			return 0;
		result |= bits << (7 * n);
		if (!(at[n] & 0x80)) {
			*value = result;
			return n + 1;
		}
	}
	return 0;
}

#endif
