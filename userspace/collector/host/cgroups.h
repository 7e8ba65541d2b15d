/* SPDX-License-Identifier: MIT */
/* Translates between paths of cgroups and the ids that the kernel reports with an IO. */
#ifndef BLKREEL_COLLECTOR_HOST_CGROUPS_H
#define BLKREEL_COLLECTOR_HOST_CGROUPS_H

#include <stdbool.h>
#include <stdint.h>

struct cgroups;

/* Finds the mount of the hierarchy with a controller, by its name in cgroup v1 ("blkio", "memory"). 0 or -ENOMEM; on a
 * machine without cgroups every lookup finds nothing. */
int cgroups__create(const char *controller, struct cgroups **cgroups);
void cgroups__free(struct cgroups *cgroups); /* NULL is allowed */

/* Where the hierarchy is mounted; "": nowhere. */
const char *cgroups__mount(const struct cgroups *cgroups);

/* The path below the mount, "/" for the root; "" when the cgroup does not exist (any more). Valid
 * until the next call. */
const char *cgroups__path(struct cgroups *cgroups, uint64_t id);

/* Whether the cgroup at a path below the mount has this id. */
bool cgroups__is_at(const struct cgroups *cgroups, const char *path, uint64_t id);

/* The id of a cgroup, given as a path below the mount or as an absolute path. 0, -ENOENT, -ENOTDIR;
 * -EOPNOTSUPP: the cgroup has no io controller; other negative errno. */
int cgroups__id(struct cgroups *cgroups, const char *path, uint64_t *id);

#endif
