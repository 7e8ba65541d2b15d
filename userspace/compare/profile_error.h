/* SPDX-License-Identifier: MIT */
/* How far a profile is from its trace: its IOs are generated with several seeds and measured. */
#ifndef BLKREEL_COMPARE_PROFILE_ERROR_H
#define BLKREEL_COMPARE_PROFILE_ERROR_H

#include "profile/build/build.h"
#include "profile/profile.h"
#include "workload/figures/closed_figures.h"
#include "workload/figures/local_figures.h"
#include "workload/figures/measure.h"

#define PROFILE_SEEDS_MAX      100
#define PROFILE_MEASURE_BLOCKS (1u << 17) /* blocks that are followed; of more a sample */

/*
 * The trace, as its rows were measured. `closed` NULL: it has no closed loop; `local` NULL: parts
 * are not compared.
 */
struct profile_error_trace {
	const struct workload_figures *figures;
	const struct closed_measure *closed;
	struct local_measure *local;
};

/*
 * Generates with `seeds` seeds, from the profile's own up, and compares with the trace. 0 or
 * negative errno.
 */
int profile_error_measure(const struct profile *p, const struct profile_error_trace *trace,
			  unsigned int seeds, struct profile_error *error);

/* A measure of the parts of a workload with the times and addresses of `extent`. 0 or -ENOMEM. */
int profile_error_create_local(const struct profile_extent *extent, struct local_measure **local);

/*
 * Adds an operation on a file, as file_source.h has it, to a measure; one past the page cache
 * touches no block of it. 0 or -ENOMEM.
 */
int profile_error_add_access(struct workload_measure *measure, const struct io_row *request);

#endif
