/* SPDX-License-Identifier: MIT */
/* What a bench measures: the points of a plan and a grid. */
#ifndef BLKREEL_BENCH_POINTS_H
#define BLKREEL_BENCH_POINTS_H

#include <stdbool.h>
#include <stdint.h>

#define BENCH_VALUES_MAX  32 /* of one --grid */
#define BENCH_POINTS_MAX  4096
#define BENCH_NAME_MAX	  64
#define BENCH_KEY_MAX	  256
#define BENCH_MESSAGE_MAX 256
#define BENCH_NO_MIX	  -1

/* --grid: what is varied; a count of 0: as the plan has it. */
struct bench_grid {
	unsigned int bs_count, mix_count, depth_count, jobs_count;
	uint64_t bs_bytes[BENCH_VALUES_MAX], mix_pct[BENCH_VALUES_MAX], depth[BENCH_VALUES_MAX],
		jobs[BENCH_VALUES_MAX];
};

/* Adds "bs=4k,64k", "depth=1,8", "mix=100,70" (per cent of reads) or "jobs=1,4". 0, or -EINVAL with
 * a sentence. */
int bench_grid__add(struct bench_grid *g, const char *text, char message[BENCH_MESSAGE_MAX]);

struct bench_point {
	char name[BENCH_NAME_MAX];
	const char *source; /* a trace or a profile, as given; NULL: a job of these: */
	bool random;
	uint64_t bs_bytes; /* 0: the plan's */
	int mix_pct;	   /* of reads, or BENCH_NO_MIX */
	uint32_t depth;	   /* of each job */
	unsigned int jobs, repeat;
};

struct bench_points {
	struct bench_point *items;
	unsigned int count;
	bool is_suite;
};

/* Names of the suites, and of what one consists; ends with NULL. */
extern const char *const bench_suites[];

/*
 * The points of `plan`, the name of a suite or else a source, `repeats` times each. 0 and to be
 * freed; -EINVAL with a sentence; -ENOMEM.
 */
int bench_points__create(const char *plan, const struct bench_grid *grid, unsigned int repeats,
			 struct bench_points *points, char message[BENCH_MESSAGE_MAX]);
void bench_points__free(struct bench_points *points);

/* True when the point has writes, as far as is known before a source is read. */
bool bench_point__writes(const struct bench_point *point);

/* All that tells a point from others of a plan, as text. */
const char *bench_point__key(const struct bench_point *point, char key[BENCH_KEY_MAX]);

#endif
