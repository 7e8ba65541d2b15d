/* SPDX-License-Identifier: MIT */
/* To whom a cgroup belongs: its systemd unit, pod and container, by its path and the names in the
 * trace. */
#ifndef BLKREEL_EXPLAIN_FIGURES_OWNERS_H
#define BLKREEL_EXPLAIN_FIGURES_OWNERS_H

#include "explain/figures/explanation.h"

/*
 * Each is a group_namer of the id of a cgroup; `context` is a struct explain_tables. A cgroup
 * without such an owner is "(no unit)", "(no pod)", "(no container)"; one without a path
 * "(unknown)". 0 or -ENOMEM.
 */
int explain_name_unit(const void *context, struct explain_group *group);
int explain_name_pod(const void *context, struct explain_group *group);
int explain_name_container(const void *context, struct explain_group *group);

#endif
