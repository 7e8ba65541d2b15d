/* SPDX-License-Identifier: MIT */
/* The times of a profile's IOs, one by one, never falling. */
#ifndef BLKREEL_PROFILE_ARRIVAL_ARRIVAL_H
#define BLKREEL_PROFILE_ARRIVAL_ARRIVAL_H

#include "profile/arrival/class_counts.h"
#include "profile/prng.h"
#include "profile/profile.h"

struct arrival;

int arrival__create(const struct profile *p, struct arrival **arrival); /* 0 or -ENOMEM */

/* Begins again after the last IO; the first comes at `base_ns` plus its time in the profile. */
void arrival__restart(struct arrival *a, uint64_t base_ns);

void arrival__free(struct arrival *a); /* NULL is allowed */

/* True: *time_ns since the first IO and the window it belongs to. False: all have been given. */
bool arrival__next(struct arrival *a, struct prng *random, uint64_t *time_ns, uint32_t *window);

/*
 * What is still to come of the group of IOs that the last one belongs to, itself included: of
 * others and of reads, by class of size. NULL: the profile does not say.
 */
const uint64_t (*arrival__still(const struct arrival *a))[CLASSES_OF_OP];

/* What the last one became. */
void arrival__became(struct arrival *a, bool is_read, unsigned int class);

#endif
