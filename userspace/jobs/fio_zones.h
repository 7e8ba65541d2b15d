/* SPDX-License-Identifier: MIT */
/*
 * random_distribution=zoned: and zoned_abs:, parts of a job's addresses and how often each is used;
 * private to fio_*.c.
 */
#ifndef BLKREEL_JOBS_FIO_ZONES_H
#define BLKREEL_JOBS_FIO_ZONES_H

#include <stdbool.h>
#include <stdint.h>

#include "jobs/fio_value.h"
#include "profile/prng.h"

#define FIO_ZONES_MAX 256

/* Of one direction. */
struct fio_zones {
	unsigned int count; /* 0: there are none */
	bool absolute;
	uint32_t access_pct[FIO_ZONES_MAX]; /* 100 in sum */
	uint64_t ends[FIO_ZONES_MAX];	    /* per cent of the job's size, bytes where `absolute` */
};

/*
 * "ACCESS/SIZE:ACCESS/SIZE..." of all directions, or of each after a comma: reads, writes, trims;
 * the last one holds for directions not given. ACCESS is per cent, 100 in sum. SIZE is per cent, or
 * bytes if `absolute`; without it, an even share of the rest. `zones` has FIO_DIRECTIONS entries. 0
 * or -EINVAL.
 */
int fio_zones_parse(const char *value, bool absolute, struct fio_zones *zones);

/* One of `slots` of `align` bytes in a job of `size_bytes`; of zones that begin behind it, any. */
uint64_t fio_zones_draw(const struct fio_zones *zones, uint64_t size_bytes, uint64_t align,
			uint64_t slots, struct prng *random);

#endif
