/* SPDX-License-Identifier: MIT */
/* Devices beside a target that are opened exclusively while it is written to, so that nobody begins to use them. */
#ifndef BLKREEL_REPLAY_TARGET_CLAIMS_H
#define BLKREEL_REPLAY_TARGET_CLAIMS_H

#include "replay/target/neighbours.h"
#include "replay/target/safety.h"

#define CLAIMS_MAX 64

struct claim {
	int fd;
	dev_t device;
	bool shares; /* it lies on the same sectors; otherwise the target lies on it, or on its disk */
	struct neighbour neighbour; /* that shares */
};

struct claims {
	unsigned int count;
	struct claim items[CLAIMS_MAX];
};

/*
 * What a loop device lies on, other paths to the disks below, and other mapped devices on the same sectors. 0, or
 * -EPERM with the reason.
 */
int claims__take(const struct safety_view *view, const char *path, const struct storage *storage,
		 struct claims *claims, struct refusal *why);

/* Signatures on the devices that share sectors with the target, as safety__check_signatures(). */
int claims__check_signatures(const struct safety_view *view, const char *path,
			     const struct claims *claims, const char *const *forced,
			     unsigned int forced_count, struct refusal *why);

void claims__release(struct claims *claims);

#endif
