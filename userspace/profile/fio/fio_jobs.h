/* SPDX-License-Identifier: MIT */
/* What a job of fio asks for, as far as a profile can say it; private to fio_*.c. */
#ifndef BLKREEL_PROFILE_FIO_FIO_JOBS_H
#define BLKREEL_PROFILE_FIO_FIO_JOBS_H

#include "profile/fio/fio_zones.h"
#include "profile/profile.h"

#define FIO_JOBS_MAX  PROFILE_SPACES_MAX
#define FIO_SPLIT_MAX 64
#define FIO_NAME_MAX  64

struct fio_job {
	char name[FIO_NAME_MAX];
	bool random, trims, mixes;
	unsigned int read_pct, mix_pct; /* reads; mix_pct: once rw says that it mixes */
	unsigned int split_count;
	uint64_t split_bytes[FIO_SPLIT_MAX];
	uint32_t split_pct[FIO_SPLIT_MAX];
	uint64_t offset_bytes, size_bytes, align_bytes;
	uint64_t number_ios; /* 0: not given */
	unsigned int numjobs, iodepth;
	double rate_iops; /* of one of numjobs; 0: not given */
	uint64_t rate_bytes;
	bool poisson; /* gaps as chance makes them, else less uneven ones */
	uint64_t runtime_ns, start_ns;
	uint64_t thinktime_ns; /* after so many IOs: */
	unsigned int thinktime_blocks;
	uint64_t seed; /* 0: not given */
	bool time_based;
	double zipf; /* 0: not */
	struct fio_zones zones[FIO_DIRECTIONS];
	unsigned int flush_every; /* writes; 0: never */
};

#define FIO_ASSUMED_IO_NS 1000000ull /* of an IO whose rate is not said */

/* Mean size of an IO of the job. */
uint64_t fio_job_mean_bytes(const struct fio_job *job);

/* Mean time between two IOs of all copies of a job. */
double fio_job_gap_ns(const struct fio_job *job);

#endif
