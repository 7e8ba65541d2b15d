/* SPDX-License-Identifier: MIT */
/* Finds the names of a container or a pod in the state files of its runtime or the kubelet. */
#ifndef BLKREEL_CONTAINERS_STATE_FILES_H
#define BLKREEL_CONTAINERS_STATE_FILES_H

#include "containers/cgroup_owner.h"
#include "containers/container_name.h"

/* Fills what the files below `root` say; the rest of *name stays as it is. The owner has a pod or a
 * container, whose id is hexadecimal. */
void state_files__find(const char *root, const struct cgroup_owner *owner,
		       struct container_name *name);

#endif
