/* SPDX-License-Identifier: MIT */
/*
 * The tests of the SNIA's performance test specification for solid state storage: purge,
 * preconditioning, then rounds of a matrix of sizes and mixes until the steady state is reached.
 */
#ifndef BLKREEL_BENCH_PTS_H
#define BLKREEL_BENCH_PTS_H

#include "bench/measure.h"
#include "replay/engine/steady.h"

#define BENCH_TRACKED_MAX 4

enum bench_figure {
	BENCH_IOPS,
	BENCH_THROUGHPUT,
	BENCH_LATENCY,
};

struct bench_pts {
	const char *name, *title;
	bool random, fills;
	unsigned int size_count, mix_count, tracked_count;
	uint64_t sizes[8];
	int mixes[7]; /* per cent of reads */
	uint32_t depth;
	unsigned int jobs;
	enum bench_figure figure;
	struct {
		uint64_t bs_bytes;
		int mix_pct;
	} tracked[BENCH_TRACKED_MAX]; /* whose figures have to be steady */
	unsigned int rounds_max;
	unsigned int times_full; /* ends when so many times the target is written; 0: never */
};

/* How steady one of the tracked points is over the last rounds. */
struct bench_tracked {
	uint64_t bs_bytes;
	int mix_pct;
	struct steady_verdict verdict;
};

struct bench_steady {
	unsigned int rounds; /* that are whole */
	bool reached;
	unsigned int tracked_count;
	struct bench_tracked tracked[BENCH_TRACKED_MAX];
};

/* NULL: no test has this name. */
const struct bench_pts *bench_pts__find(const char *name);

/* Adds the points of all rounds that there may be. 0, -E2BIG, or -EINVAL with a sentence. */
int bench_pts__add(const struct bench_pts *pts, const struct bench_request *r,
		   struct bench_points *points, char message[BENCH_MESSAGE_MAX]);

/* The figure by which the test judges, of one point: IOs or bytes a second, or ns. */
double bench_pts__figure(const struct bench_pts *pts, const struct bench_figures *figures);

/* Judges the rounds that are whole of the first `done` points. */
void bench_pts__judge(const struct bench_points *points, const struct bench_figures *figures,
		      unsigned int done, struct bench_steady *steady);

/* True when nothing more is to be measured after the first `done` points. */
bool bench_pts__is_over(const struct bench_points *points, const struct bench_figures *figures,
			unsigned int done, uint64_t target_bytes);

#endif
