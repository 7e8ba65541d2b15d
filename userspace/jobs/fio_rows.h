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

#endif
