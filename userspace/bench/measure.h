/* SPDX-License-Identifier: MIT */
/* Measures one point with a replay of its own process, which does all checks of the target. */
#ifndef BLKREEL_BENCH_MEASURE_H
#define BLKREEL_BENCH_MEASURE_H

#include <signal.h>

#include "base/options.h"
#include "bench/points.h"

struct bench_options {
	const char *target;
	uint64_t target_bytes;	  /* its size, which jobs of suites use whole */
	uint64_t create_bytes;	  /* of a target that is not there; 0: not given */
	const char *fit, *source; /* NULL: not given */
	const char *until_steady; /* a figure of replay; NULL: for the whole runtime */
	uint64_t round_ns;	  /* of --until-steady */
	double start_epoch_s;	  /* of the next point, Unix time; 0: at once */
	bool write;
	const struct option_list *yes_destroy, *force;
	const volatile sig_atomic_t *interrupted; /* a signal, which the replay is sent, too */
};

/* What a replay says of a point. */
struct bench_figures {
	double iops, read_iops, write_iops, bytes_per_s;
	uint64_t ios, errors, duration_ns, bytes;
	uint64_t skipped;				 /* IOs that the target does not support */
	uint64_t reads, read_bytes, writes, write_bytes; /* that succeeded */
	double mean_ns;
	uint64_t min_ns, p50_ns, p99_ns, p99_9_ns, max_ns;
	uint64_t steady_rounds, steady_reached; /* of --until-steady */
	double steady_mean, steady_range_pct, steady_slope_pct;
	char *latencies; /* see base/histogram_text.h; to be freed */
};

/*
 * 0: *figures is filled, also if some IOs failed. Else the exit code that the replay ended with, after its message, or
 * EXIT_FAILED after one here.
 */
int bench_measure(const struct bench_options *options, const struct bench_point *point,
		  struct bench_figures *figures);

#endif
