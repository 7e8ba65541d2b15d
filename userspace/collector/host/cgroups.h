/* SPDX-License-Identifier: MIT */
/* Paths of cgroups by the id that the kernel gives with an IO. */
#ifndef BLKREEL_COLLECTOR_HOST_CGROUPS_H
#define BLKREEL_COLLECTOR_HOST_CGROUPS_H

#include <stdint.h>

struct cgroups;

/* Finds where the hierarchy with the io controller is mounted. 0 or -ENOMEM; a machine without
 * cgroups gives a table that knows no path. */
int cgroups__create(struct cgroups **cgroups);
void cgroups__free(struct cgroups *cgroups);

/* Path below the mount, "/" for the root; "" when there is no such cgroup (any more). Valid
 * until the next call. */
const char *cgroups__path(struct cgroups *cgroups, uint64_t id);

/* The id of a cgroup folder, given as a path below the mount or as the whole path.
 * 0, -ENOENT, -ENOTDIR or other negative errno. */
int cgroups__id(struct cgroups *cgroups, const char *path, uint64_t *id);

#endif
