/* SPDX-License-Identifier: MIT */
/*
 * The names of pods and containers, from the files that runtimes and the kubelet keep; no daemon is
 * asked. What cannot be read stays unnamed: most of these files are root's.
 */
#ifndef BLKREEL_CONTAINERS_CONTAINER_NAMES_H
#define BLKREEL_CONTAINERS_CONTAINER_NAMES_H

#include "containers/cgroup_owner.h"
#include "containers/container_name.h"

#define CONTAINER_LABEL_MAX 768

struct container_names;

/* `root` goes before the paths of all files ("": the machine's). 0 or -ENOMEM. */
int container_names__create(const char *root, struct container_names **names);
void container_names__free(struct container_names *n); /* NULL is allowed */

/*
 * The names of an owner; all "" for a unit, and for what a user placed below its own slice, because
 * the files are root's. Answers are kept; "not known" for 5 s. `now_ns` is CLOCK_MONOTONIC.
 */
void container_names__find(struct container_names *n, const struct cgroup_owner *owner,
			   uint64_t now_ns, struct container_name *name);

/*
 * One name to show to a person: "namespace/pod/container", "container (docker)", a unit, or the
 * path; ids have 12 digits. `label` has CONTAINER_LABEL_MAX bytes and is returned.
 */
char *container_names__label(const struct cgroup_owner *owner, const struct container_name *name,
			     const char *path, char label[CONTAINER_LABEL_MAX]);

#endif
