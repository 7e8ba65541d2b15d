/* SPDX-License-Identifier: MIT */
/*
 * The IOs of a profile with who submits each and when it completes, where the profile says so. The
 * IOs and their times are those of generator.h for the same seed; integer arithmetic only.
 */
#ifndef BLKREEL_PROFILE_CLOSED_LOOP_CLOSED_LOOP_H
#define BLKREEL_PROFILE_CLOSED_LOOP_CLOSED_LOOP_H

#include "profile/generate/generator.h"
#include "profile/profile.h"

struct closed_loop;

/* As profile_generator__create(). `duration_ns` as profile_generator__repeat(); 0: once through. */
int closed_loop__create(const struct profile *p, uint64_t seed, uint64_t duration_ns,
			struct closed_loop **loop);
void closed_loop__free(struct closed_loop *l); /* NULL is allowed */

/*
 * As profile_generator__next(); what comes last is kept back until it is known when it completes.
 */
int closed_loop__next(struct closed_loop *l, struct closed_row *row);

/* Numbers of tasks lie in [1, CLOSED_TASK_NUMBERS]; the kind is (number - 1) % CLOSED_TASKS_MAX. */
#define CLOSED_TASK_NUMBERS (CLOSED_TASKS_MAX * 4096u)

#endif
