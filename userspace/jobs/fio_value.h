/* SPDX-License-Identifier: MIT */
/* Numbers as fio's job files write them; private to fio_*.c. */
#ifndef BLKREEL_JOBS_FIO_VALUE_H
#define BLKREEL_JOBS_FIO_VALUE_H

#include <stddef.h>
#include <stdint.h>

#define FIO_BYTES_MAX  (1ull << 56)
#define FIO_DIRECTIONS 3 /* reads, writes, trims */

/*
 * Sizes and plain numbers, with + - * / % and brackets: "4k", "100Mb+4k", "2*(1g-4k)". Suffixes are
 * of either case and powers of 1024. 0; -EINVAL or -ERANGE.
 */
int fio_number(const char *text, uint64_t *number);

/* A size above 0; of "4k,8k" the first. 0, or -EINVAL. */
int fio_size_value(const char *text, uint64_t *bytes);

/*
 * Seconds unless a unit follows: "30", "200ms", "5m", "2d", "10sec". 0, or -EINVAL.
 */
int fio_time_value(const char *text, uint64_t *time_ns);

/*
 * Gives each direction its part of "READS,WRITES,TRIMS": the last one given holds for those that
 * follow; NULL for an empty one (",8k"), which keeps what it has. `text` is changed and holds them.
 * 0, or -EINVAL: more than three.
 */
int fio_directions(char *text, const char *parts[FIO_DIRECTIONS]);

#endif
