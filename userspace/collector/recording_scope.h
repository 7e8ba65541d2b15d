/* What the user asked to be recorded, looked up; and what is said when it is not there. */
#ifndef BLKREEL_COLLECTOR_RECORDING_SCOPE_H
#define BLKREEL_COLLECTOR_RECORDING_SCOPE_H

#include "collector/devices.h"
#include "collector/recording.h"

/* 0; -ENODEV or -EOPNOTSUPP with a sentence in `message`. */
int recording_scope__device(const char *name, struct device_choice *choice,
			    char message[COLLECTOR_MESSAGE_MAX]);
/* The kernel's id of a cgroup. 0, or negative errno with a sentence in `message`. */
int recording_scope__cgroup(const char *path, uint64_t *id, char message[COLLECTOR_MESSAGE_MAX]);

#endif
