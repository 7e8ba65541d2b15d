/* SPDX-License-Identifier: MIT */
/* A disk that the kernel knows by several names, one for each path to it (multipath). */
#ifndef BLKREEL_REPLAY_TARGET_TWINS_H
#define BLKREEL_REPLAY_TARGET_TWINS_H

#include "replay/target/view.h"

#define TWINS_MAX 16

struct twin {
	char name[64];
	dev_t device;
};

/* Finds up to `max` other names of a disk by its world wide identifier. Their number; 0 also without an identifier. */
unsigned int twins__find(const struct safety_view *view, dev_t disk, struct twin *twins,
			 unsigned int max);

#endif
