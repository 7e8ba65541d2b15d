/* SPDX-License-Identifier: MIT */
/* The sizes of a stream as a bssplit of fio: whole per cent, few sizes, and the bytes of all IOs. */
#ifndef BLKREEL_JOBS_FIO_SPLIT_H
#define BLKREEL_JOBS_FIO_SPLIT_H

#include "profile/profile.h"

#define FIO_SIZES 32

struct fio_split {
	uint64_t bytes[FIO_SIZES];
	unsigned int pct[FIO_SIZES]; /* at least 1, the sum is 100 */
	unsigned int count;
};

/*
 * Sizes of at least one per cent of the IOs stay as they are. Rarer ones become groups of their
 * mean. One of these groups also makes up for what the rounding to whole per cent changed.
 */
void fio_split__of_stream(const struct profile_stream *s, struct fio_split *split);

/* Whole per cent with the sum 100, the largest remainders rounded up; all 0 when there is none. */
void fio_percents(const uint64_t *weights, unsigned int count, unsigned int *pct);

#endif
