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

/*
 * IOs until the job ends; of a sequential job with time_based: until it has done all of its addresses once. 0: a random
 * job with time_based has no such number.
 */
uint64_t fio_job_ios(const struct fio_job *job);

/*
 * How many of these IOs fio_jobs_profile() draws if they are too many; 0: it draws all. `count` jobs run together; `all` as
 * above.
 */
uint64_t fio_job_cut(const struct fio_job *job, unsigned int count, bool all);

#endif
