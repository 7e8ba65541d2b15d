/* SPDX-License-Identifier: MIT */
/* Looks up what the user wants to record, with messages for what does not exist. */
#ifndef BLKREEL_COLLECTOR_RECORDING_SCOPE_H
#define BLKREEL_COLLECTOR_RECORDING_SCOPE_H

#include "collector/host/devices.h"
#include "collector/options.h"

#define RECORDING_DEVICES_MAX 64

/* The named devices and, with --stack, those below them. */
struct recording_scope {
	struct device_choice devices[RECORDING_DEVICES_MAX];
	unsigned int device_count; /* 0: all disks */
	unsigned int parts;	   /* enum probe_part */
};

/* Looks up one device by its name. 0, or -ENODEV with a sentence in `message`. */
int recording_scope__device(const char *name, struct device_choice *choice,
			    char message[COLLECTOR_MESSAGE_MAX]);
/* Chooses devices and parts. 0; -ENODEV or -E2BIG with a sentence in `message`; other negative
 * errno. */
int recording_scope__choose(const struct recording_options *options, struct recording_scope *scope,
			    char message[COLLECTOR_MESSAGE_MAX]);
/* Looks up the kernel's id of a cgroup. 0, or negative errno with a sentence in `message`. */
/* Whether `pid` is a process. 0; -ESRCH and a message: it is none, or a thread of one. */
int recording_scope__process(uint32_t pid, char message[COLLECTOR_MESSAGE_MAX]);

int recording_scope__cgroup(const char *path, uint64_t *id, char message[COLLECTOR_MESSAGE_MAX]);

#endif
