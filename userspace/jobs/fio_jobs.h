/* SPDX-License-Identifier: MIT */
/* What a job of fio asks for, as far as a profile can say it; private to fio_*.c. */
#ifndef BLKREEL_JOBS_FIO_JOBS_H
#define BLKREEL_JOBS_FIO_JOBS_H

#include "jobs/fio_zones.h"
#include "profile/profile.h"

#define FIO_JOBS_MAX  PROFILE_SPACES_MAX /* in a profile */
#define FIO_READ_MAX  64u		 /* in a file, of which some run together */
#define FIO_SPLIT_MAX 64
#define FIO_NAME_MAX  64

enum fio_direction {
	FIO_READS = 0,
	FIO_WRITES,
	FIO_TRIMS
};

/* How long the IOs of one direction are, and how fast they come. */
struct fio_sizes {
	unsigned int count; /* parts of a split */
	uint64_t bytes[FIO_SPLIT_MAX];
	uint32_t pct[FIO_SPLIT_MAX];
	uint64_t least_bytes, most_bytes; /* of a range; most_bytes 0: a split */
	uint64_t align_bytes;		  /* 0: as long as the IO */
	double rate_iops;		  /* of one of numjobs; 0: not given */
	uint64_t rate_bytes;
};

struct fio_job {
	char name[FIO_NAME_MAX];
	int line; /* of its section */
	bool random, trims, mixes;
	bool trims_first;		/* each write comes after a trim of its place */
	unsigned int read_pct, mix_pct; /* reads; mix_pct: once rw says that it mixes */
	unsigned int random_pct;	/* of the IOs of a random job; the others follow on */
	int64_t step_bytes;		/* sequential: from the end of an IO to the next */
	unsigned int run;		/* random: IOs from a place on, before the next place */
	struct fio_sizes sizes[FIO_DIRECTIONS];
	uint64_t offset_bytes, size_bytes;
	unsigned int offset_pct, size_pct; /* of the target; 0: in bytes */
	uint64_t io_bytes;		   /* to be done; 0: size_bytes */
	uint64_t file_bytes;		   /* of one of nrfiles; 0: not given */
	unsigned int file_count, loops;
	uint64_t number_ios; /* 0: not given */
	unsigned int numjobs, iodepth;
	bool is_async, is_direct;
	uint64_t ramp_ns;
	bool poisson; /* gaps as chance makes them, else less uneven ones */
	uint64_t runtime_ns, start_ns;
	unsigned int group;	   /* it begins when the jobs of all groups before have ended */
	bool waits, does_no_io;	   /* the first of its group; an engine without block IO */
	int engine_line;	   /* where the engine is named */
	uint64_t begin_ns, end_ns; /* found by fio_jobs_profile() */
	uint64_t thinktime_ns;	   /* after so many IOs: */
	unsigned int thinktime_blocks;
	uint64_t seed; /* 0: not given */
	bool time_based;
	double zipf; /* 0: not */
	struct fio_zones zones[FIO_DIRECTIONS];
	unsigned int flush_every; /* writes; 0: never */
};

#define FIO_ASSUMED_IO_NS 1000000ull /* of an IO whose rate is not said */

/* Mean size of an IO of the job, and of one direction of it. */
uint64_t fio_job_mean_bytes(const struct fio_job *job);
uint64_t fio_sizes_mean_bytes(const struct fio_sizes *sizes);

/* True when the job says how fast its IOs come. */
bool fio_job_has_rate(const struct fio_job *job);

/*
 * Share of the reads, 0 to 1. Where a job that mixes limits reads and writes, fio does as many of
 * each as these limits allow, whatever rwmixread says.
 */
double fio_job_read_share(const struct fio_job *job);

/* Mean time between two IOs of all copies of a job. */
double fio_job_gap_ns(const struct fio_job *job);

#endif
