/* SPDX-License-Identifier: MIT */
/* A plan by its name, that of a suite, a test of the SNIA or a file, becomes points. */
#ifndef BLKREEL_BENCH_PLAN_H
#define BLKREEL_BENCH_PLAN_H

#include "bench/points.h"

/*
 * 0, and the points are to be freed; -EINVAL or, of the job file, -EBADMSG with a sentence; other
 * errno: the job file cannot be read; -ENOMEM.
 */
int bench_plan(const struct bench_request *request, struct bench_points *points,
	       char message[BENCH_MESSAGE_MAX]);

#endif
