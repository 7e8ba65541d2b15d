/* SPDX-License-Identifier: MIT */
/* How an array of 64-bit numbers is stored as bytes: the lowest layer of a column. */
#ifndef BLKREEL_TRACE_COLUMNS_CODING_H
#define BLKREEL_TRACE_COLUMNS_CODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum coding {
	CODING_CONSTANT = 0,   /* one varint */
	CODING_VARINT = 1,     /* a varint per value */
	CODING_PLANES = 2,     /* minimum, width in bytes, all lowest bytes, all second bytes... */
	CODING_DICTIONARY = 3, /* up to 256 values, then one byte per value */
	CODING_RUNS = 4,       /* value, length; value, length... */
	CODING_COUNT
};

#define CODING_DICTIONARY_MAX 256

/* The choice of coding_plan(), for coding_pack(). */
struct coding_plan {
	enum coding coding;
	uint32_t bytes; /* that coding_pack() will write */
	uint32_t cost;	/* an estimate of these bytes after compression */
	uint64_t min;
	unsigned int width_bytes; /* of CODING_PLANES */
	unsigned int entries;	  /* of CODING_DICTIONARY */
	uint64_t dictionary[CODING_DICTIONARY_MAX];
};

/* Chooses the cheapest coding of `count` (at least 1) values. Writes nothing yet. */
void coding_plan(struct coding_plan *plan, const uint64_t *values, uint32_t count);

/*
 * Plans the given coding, or CODING_CONSTANT when all values are the same; tries no other. False:
 * the coding cannot hold these values.
 */
bool coding_plan_as(struct coding_plan *plan, enum coding coding, const uint64_t *values,
		    uint32_t count);

/* Plans CODING_VARINT: for numbers in repeated patterns, which planes would break up. */
void coding_plan_varint(struct coding_plan *plan, const uint64_t *values, uint32_t count);

/* Upper bound of the bytes that coding_pack() writes. */
#define CODING_BYTES_MAX(count) (8 * (count) + 16)

/* Writes plan->bytes bytes and returns the end. */
uint8_t *coding_pack(const struct coding_plan *plan, const uint64_t *values, uint32_t count,
		     uint8_t *at);

/*
 * Decodes `count` values. 0; -EBADMSG: the coding is unknown, or the `bytes` bytes are not exactly
 * `count` values.
 */
int coding_unpack(unsigned int coding, const uint8_t *at, size_t bytes, uint64_t *values,
		  uint32_t count);

#endif
