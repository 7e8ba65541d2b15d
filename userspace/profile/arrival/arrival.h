/* SPDX-License-Identifier: MIT */
/* The times of a profile's IOs, one by one; they never fall. */
#ifndef BLKREEL_PROFILE_ARRIVAL_ARRIVAL_H
#define BLKREEL_PROFILE_ARRIVAL_ARRIVAL_H

#include "profile/arrival/class_counts.h"
#include "profile/prng.h"
#include "profile/profile.h"

struct arrival;

int arrival__create(const struct profile *p, struct arrival **arrival); /* 0 or -ENOMEM */

/* Begins again after the last IO; the first IO comes at `base_ns` plus its time in the profile. */
void arrival__restart(struct arrival *a, uint64_t base_ns);

void arrival__free(struct arrival *a); /* NULL is allowed */

/* True: *time_ns counts from the first IO, *window is the window it belongs to. False: the end. */
bool arrival__next(struct arrival *a, struct prng *random, uint64_t *time_ns, uint32_t *window);

/*
 * IOs of the current bin that are still to come, the last one given included: others and reads, by
 * size class. NULL: the profile does not tell IOs apart.
 */
const uint64_t (*arrival__still(const struct arrival *a))[CLASSES_OF_OP];

/* Tells what the last IO given became. */
void arrival__became(struct arrival *a, bool is_read, unsigned int class);

#endif
