/* SPDX-License-Identifier: MIT */
/* The cgroups that have figures of their own: their paths, owners and names, and whether they
 * still exist. At most so many; a cgroup that was refused may come in when another is gone. */
#ifndef BLKREEL_COLLECTOR_COUNTERS_CGROUP_PLACES_H
#define BLKREEL_COLLECTOR_COUNTERS_CGROUP_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "containers/container_names.h"

struct cgroup_places;

struct cgroup_place {
	uint64_t id;
	const char *path; /* below the mount */
	struct cgroup_owner owner;
	struct container_name name;
};

enum cgroup_standing {
	CGROUP_SHOWN,
	CGROUP_PROMOTED, /* shown from this round on, after it was not */
	CGROUP_BEYOND,	 /* exists, but too many are shown */
	CGROUP_GONE,	 /* does not exist (any more) */
	CGROUP_YOUNG,	 /* not found yet */
};

/* For the hierarchy of `controller` (see cgroups__create()). 0 or -ENOMEM. */
int cgroup_places__create(const char *controller, unsigned int most, struct cgroup_places **places);
void cgroup_places__free(struct cgroup_places *p); /* NULL is allowed */

/* Looks whether the cgroups still exist, and for names that were not known; call it before a round
 * of cgroup_places__find(). `now_ns` is CLOCK_MONOTONIC. */
void cgroup_places__refresh(struct cgroup_places *p, uint64_t now_ns);

/* *place is valid until the next refresh; NULL unless the cgroup is shown, which it is until it is
 * gone. Without memory a cgroup is CGROUP_BEYOND. */
enum cgroup_standing cgroup_places__find(struct cgroup_places *p, uint64_t id,
					 const struct cgroup_place **place);

/* Cgroups that are shown, and, since the last refresh, those that were refused. */
unsigned int cgroup_places__shown(const struct cgroup_places *p);
unsigned int cgroup_places__beyond(const struct cgroup_places *p);

/* Whether a cgroup with this path is shown. */
bool cgroup_places__has_path(const struct cgroup_places *p, const char *path);

/* Calls `each` for every cgroup that is shown. */
void cgroup_places__each(const struct cgroup_places *p,
			 void (*each)(const struct cgroup_place *place, void *context),
			 void *context);

#endif
