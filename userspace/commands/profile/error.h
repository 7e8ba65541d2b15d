/* SPDX-License-Identifier: MIT */
/* What a profile is off by: it is generated again and measured. */
#ifndef BLKREEL_COMMANDS_PROFILE_ERROR_H
#define BLKREEL_COMMANDS_PROFILE_ERROR_H

#include "profile/profile.h"
#include "workload/figures/closed_figures.h"
#include "workload/figures/measure.h"

#define PROFILE_SEEDS_MAX      100
#define PROFILE_MEASURE_BLOCKS (1u << 17) /* followed one by one; of more a sample */

/*
 * Generates with `seeds` seeds from that of the profile up and compares; `closed` NULL: not known of
 * the trace. 0 or negative errno.
 */
int cmd_profile_error_measure(const struct profile *p, const struct workload_figures *trace,
			      const struct closed_measure *closed, unsigned int seeds,
			      struct profile_error *error);

/* Adds an operation on a file as file_source.h has it; what goes past the page cache touches no block of it. 0 or
 * -ENOMEM. */
int cmd_profile_measure_file(struct workload_measure *measure, const struct io_row *request);

#endif
