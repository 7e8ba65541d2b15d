/* SPDX-License-Identifier: MIT */
/* The closed loop of a profile as fio has it: numjobs, iodepth, thinktime. */
#ifndef BLKREEL_JOBS_FIO_CLOSED_H
#define BLKREEL_JOBS_FIO_CLOSED_H

#include "jobs/fio_jobs.h"
#include "profile/profile.h"

/* What a job for a stream has of the closed loop. */
struct fio_closed {
	unsigned int numjobs, iodepth;
	uint64_t thinktime_us; /* after thinktime_blocks IOs */
	unsigned int thinktime_blocks;
	bool shared; /* its tasks do IOs of other streams, too */
};

/* False where the profile says no closed loop of the stream. */
bool fio_closed_of_stream(const struct profile *p, uint32_t stream, struct fio_closed *closed);

/* Says in the profile of jobs, whose space is the job's index, how they wait. */
void fio_closed_of_jobs(const struct fio_job *jobs, unsigned int count, struct profile *p);

#endif
