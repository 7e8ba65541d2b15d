/* SPDX-License-Identifier: MIT */
/*
 * The folder of a bench: a file for each point that is done, so that an interrupted bench goes on
 * where it was.
 */
#ifndef BLKREEL_BENCH_STORE_H
#define BLKREEL_BENCH_STORE_H

#include "bench/measure.h"

#define BENCH_PATH_MAX 4200

/* Makes the folder if there is none. 0 or negative errno. */
int bench_store__open(const char *folder);

/*
 * The figures of a point that is done. `settings`: what holds for all points. 1; 0: it is not done;
 * -EEXIST: the file is of another bench, or damaged; other errno.
 */
int bench_store__load(const char *folder, unsigned int number, const char *settings,
		      const struct bench_point *point, struct bench_figures *figures);

/* Saves them: the file is there whole, or not at all. 0 or negative errno. */
int bench_store__save(const char *folder, unsigned int number, const char *settings,
		      const struct bench_point *point, const struct bench_figures *figures);

/* The path of a file in the folder. */
const char *bench_store__path(const char *folder, const char *name, char path[BENCH_PATH_MAX]);

#endif
