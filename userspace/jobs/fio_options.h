/* SPDX-License-Identifier: MIT */
/* One option of a job of fio; private to fio_*.c. */
#ifndef BLKREEL_JOBS_FIO_OPTIONS_H
#define BLKREEL_JOBS_FIO_OPTIONS_H

#include <stdbool.h>

#include "jobs/fio_jobs.h"

#define FIO_EXPECTED_MAX 80

/* What became of an option. */
struct fio_option {
	const char *note; /* a part of a sentence about it; NULL: it is taken as it is */
	bool unknown;
	char expected[FIO_EXPECTED_MAX]; /* -EINVAL: the value is not ... */
};

/* A job before its options. */
extern const struct fio_job fio_job_default;

/* 0, or -EINVAL with .expected. */
int fio_option__take(struct fio_job *job, const char *key, const char *value,
		     struct fio_option *option);

#endif
