/* SPDX-License-Identifier: MIT */
/* What sysfs calls a block device. */
#ifndef BLKREEL_REPLAY_TARGET_DEVICE_NAMES_H
#define BLKREEL_REPLAY_TARGET_DEVICE_NAMES_H

#include <sys/types.h>

struct device_names {
	char name[64];	  /* of the kernel */
	char model[128];  /* of its disk; may be "" */
	char part_of[64]; /* of a partition: its disk; else "" */
};

/* What is not known is "". */
void device_names__read(dev_t device, struct device_names *names);

#endif
