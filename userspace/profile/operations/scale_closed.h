/* SPDX-License-Identifier: MIT */
/* What scaling a profile does to its closed loop: docs/profile-format.md, "Operations". */
#ifndef BLKREEL_PROFILE_OPERATIONS_SCALE_CLOSED_H
#define BLKREEL_PROFILE_OPERATIONS_SCALE_CLOSED_H

#include "profile/profile.h"

/* `load` times as many tasks, at least one; their thinking makes up for what is no whole number. */
void scale_closed_load(struct profile *p, double load);

/* Cycles last `time` times as long, of which latency is the device's. */
void scale_closed_time(struct profile *p, double time);

#endif
