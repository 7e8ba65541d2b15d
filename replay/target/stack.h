/* SPDX-License-Identifier: MIT */
/* A block device, its partitions and everything that is built on them, from sysfs. */
#ifndef BLKREEL_REPLAY_TARGET_STACK_H
#define BLKREEL_REPLAY_TARGET_STACK_H

#include <stdbool.h>
#include <sys/types.h>

#define STACK_NAME_MAX	  64
#define STACK_DEVICES_MAX 256

enum stack_relation {
	STACK_ITSELF = 0,
	STACK_PARTITION, /* a partition of the device */
	STACK_HOLDER,	 /* dm, md, bcache ... on it, on a partition, or on another holder */
};

struct stack_device {
	dev_t device;
	enum stack_relation relation;
	char name[STACK_NAME_MAX];
};

struct stack {
	unsigned int count;
	struct stack_device devices[STACK_DEVICES_MAX];
};

/*
 * Reads the stack of `device`, the first entry. 0; -ENODEV: not in sysfs; -E2BIG; other negative
 * errno.
 */
int stack__read(const char *sysfs_path, dev_t device, struct stack *stack);

/* NULL when it is not part of the stack. */
const struct stack_device *stack__find(const struct stack *stack, dev_t device);

/* "it", "its partition sda1", "dm-0 on it": for a message. */
const char *stack_relation_text(enum stack_relation relation);

#endif
