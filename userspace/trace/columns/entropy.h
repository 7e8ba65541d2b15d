/* SPDX-License-Identifier: MIT */
/* Estimates from byte frequencies how well an entropy coder compresses them. */
#ifndef BLKREEL_TRACE_COLUMNS_ENTROPY_H
#define BLKREEL_TRACE_COLUMNS_ENTROPY_H

#include <stdint.h>

/*
 * Bits per byte (0 to 8) of bytes that occur `counts[b]` times; `total` is the sum, at most 2^17.
 */
float entropy_bits(const uint32_t counts[256], uint32_t total);

#endif
