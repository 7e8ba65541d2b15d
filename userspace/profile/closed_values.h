/* SPDX-License-Identifier: MIT */
/* Distributions of times as a few rising values: built from histograms, drawn from. Integers. */
#ifndef BLKREEL_PROFILE_CLOSED_VALUES_H
#define BLKREEL_PROFILE_CLOSED_VALUES_H

#include "base/histogram.h"
#include "profile/closed.h"
#include "profile/prng.h"

/* At most `most` values; the last is set so that the mean is that of the histogram. */
void closed_values_of(const struct histogram *h, uint32_t most, struct closed_values *v);

uint64_t closed_values_draw(const struct closed_values *v, struct prng *random);
uint64_t closed_values_mean(const struct closed_values *v);
uint64_t closed_values_spread(const struct closed_values *v); /* of the inner 80 % */

/* Density at `at`, in 2^-48ths per ns; 0 outside. */
uint64_t closed_values_density(const struct closed_values *v, uint64_t at);
/* Hazard at `at`, the same for what is not over before; it goes on rising past the last value. */
uint64_t closed_values_hazard(const struct closed_values *v, uint64_t at);
/* Share below `at`, in 1024ths. */
uint64_t closed_values_below(const struct closed_values *v, uint64_t at);

/* Keeps about half of the values, at least five; the mean stays. */
void closed_values_thin(struct closed_values *v);

/* Each value times `factor` plus `shift_ns`, not below 0. */
void closed_values_change(struct closed_values *v, double factor, double shift_ns);

#endif
