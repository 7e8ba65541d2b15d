/* SPDX-License-Identifier: MIT */
/* Distributions of times as a few rising values: made of histograms, drawn from, asked. Integers. */
#ifndef BLKREEL_PROFILE_CLOSED_VALUES_H
#define BLKREEL_PROFILE_CLOSED_VALUES_H

#include "base/histogram.h"
#include "profile/closed.h"
#include "profile/prng.h"

/* At most `peak_cap` values, the last such that the mean is that of the histogram. */
void closed_values_of(const struct histogram *h, uint32_t most, struct closed_values *v);

uint64_t closed_values_draw(const struct closed_values *v, struct prng *random);
uint64_t closed_values_mean(const struct closed_values *v);
uint64_t closed_values_spread(const struct closed_values *v); /* of the inner 80 % */

/* Chance of a ns, in 2^-48ths; 0 outside. */
uint64_t closed_values_density(const struct closed_values *v, uint64_t at);
/* The same of what is not over before; past the last value it rises on and on. */
uint64_t closed_values_hazard(const struct closed_values *v, uint64_t at);
/* Share below `at`, in 1024ths. */
uint64_t closed_values_below(const struct closed_values *v, uint64_t at);

/* About half as many values, to five; the mean stays. */
void closed_values_thin(struct closed_values *v);

/* Each value times `factor` plus `shift_ns`, not below 0. */
void closed_values_change(struct closed_values *v, double factor, double shift_ns);

#endif
