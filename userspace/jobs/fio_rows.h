/* SPDX-License-Identifier: MIT */
/* The IOs that jobs of fio would submit, as a profile; private to fio_*.c. */
#ifndef BLKREEL_JOBS_FIO_ROWS_H
#define BLKREEL_JOBS_FIO_ROWS_H

#include "jobs/fio_jobs.h"

/*
 * A profile of what the jobs do: side by side, or group after group. `all`: also what a job would do
 * after a minute at the rate that is assumed. 0, -ENOMEM, -ERANGE or -ENODATA: no IOs.
 */
int fio_jobs_profile(struct fio_job *jobs, unsigned int count, bool all, struct profile **profile);

/* IOs that a job does before it ends, or passes over its addresses once; 0: it draws until its time is over. */
uint64_t fio_job_ios(const struct fio_job *job);

/*
 * How many of them are drawn where they are too many: the first ones. `count` jobs run together, `all`: as above.
 * 0: all of them.
 */
uint64_t fio_job_cut(const struct fio_job *job, unsigned int count, bool all);

#endif
