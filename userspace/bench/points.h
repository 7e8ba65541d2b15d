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
#define BENCH_MESSAGE_MAX 512
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

enum bench_kind {
	BENCH_SUITE,  /* IOs of one size and mix on the whole target */
	BENCH_SOURCE, /* a trace, profile or job file as fast as depth allows */
	BENCH_JOBS,   /* jobs of a job file, as fio runs them */
	BENCH_PURGE,  /* discards the whole target */
	BENCH_FILL,   /* writes the whole target in order, twice */
};

struct bench_point {
	char name[BENCH_NAME_MAX];
	enum bench_kind kind;
	const char *source; /* of BENCH_SOURCE and BENCH_JOBS, as given */
	unsigned int group; /* of BENCH_JOBS */
	bool rated, loops, buffered, writes;
	bool random;
	uint64_t bs_bytes; /* 0: the plan's */
	int mix_pct;	   /* of reads, or BENCH_NO_MIX */
	uint32_t depth;	   /* of each job */
	unsigned int jobs, repeat;
	unsigned int round;	      /* of a test of the SNIA, from 1; 0: it has none */
	uint64_t runtime_ns, ramp_ns; /* runtime 0: until its IOs are done */
};

struct bench_pts;

struct bench_points {
	struct bench_point *items;
	unsigned int count;
	const struct bench_pts *pts; /* the test of the SNIA; NULL: the plan is none */
};

/* What points are asked for. */
struct bench_request {
	const char *plan;
	const struct bench_grid *grid;
	unsigned int repeats;
	uint64_t runtime_ns; /* 0: the plan's, or BENCH_RUNTIME_NS */
	uint64_t target_bytes;
	uint32_t target_block_bytes;
	void (*note)(const char *text, void *context); /* of a job file, with its line */
	void *context;
};

#define BENCH_RUNTIME_NS     (30 * NSEC_PER_SEC)
#define BENCH_PTS_RUNTIME_NS (60 * NSEC_PER_SEC)

void bench_points__free(struct bench_points *points);

/* -E2BIG: there are BENCH_POINTS_MAX. */
int bench_points__add(struct bench_points *points, const struct bench_point *point);

/* True when the point has writes, as far as is known before a source is read. */
bool bench_point__writes(const struct bench_point *point);

/* All that tells a point from others of a plan, as text. */
const char *bench_point__key(const struct bench_point *point, char key[BENCH_KEY_MAX]);

#endif
