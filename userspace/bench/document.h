/* SPDX-License-Identifier: MIT */
/* Points and figures as the fields of JSON objects: of the folder of a bench, and of its results. */
#ifndef BLKREEL_BENCH_DOCUMENT_H
#define BLKREEL_BENCH_DOCUMENT_H

#include <jansson.h>

#include "bench/measure.h"

/* Those of --until-steady are there only if it was given. */
void bench_figures__set(json_t *object, const struct bench_figures *figures);
/* 0, or -EINVAL: a field is missing. The latencies are to be freed. */
int bench_figures__get(const json_t *object, struct bench_figures *figures);

void bench_point__set(json_t *object, const struct bench_point *point);
/* What merging and printing need of it. 0 or -EINVAL. */
int bench_point__get(const json_t *object, struct bench_point *point);

#endif
