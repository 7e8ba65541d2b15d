// SPDX-License-Identifier: MIT
#include "collector/counters/cgroup_places.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/units.h"
#include "collector/host/cgroups.h"

#define LOOK_NS	 (5 * NSEC_PER_SEC) /* how often to look whether cgroups still exist */
#define YOUNG_NS (3 * NSEC_PER_SEC)
#define GONE_MAX 4096 /* ids that are remembered */

struct entry {
	uint64_t id;
	enum cgroup_standing standing;
	uint64_t first_ns;
	uint64_t first_round;
	uint64_t refused_in, promoted_in; /* the round in which it was, last */
	struct cgroup_place *place;
	UT_hash_handle hh, by_path;
};

struct cgroup_places {
	struct cgroups *cgroups;
	struct container_names *names;
	struct entry *entries, *paths; /* `paths`: those that are shown */
	unsigned int most, shown, beyond, gone;
	uint64_t now_ns, looked_ns, round;
};

int cgroup_places__create(const char *controller, unsigned int most, struct cgroup_places **places)
{
	struct cgroup_places *p = calloc(1, sizeof(*p));
	int err = p ? cgroups__create(controller, &p->cgroups) : -ENOMEM;

	if (!err)
		err = container_names__create("", &p->names);
	if (err) {
		cgroup_places__free(p);
		return err;
	}
	p->most = most;
	*places = p;
	return 0;
}

static void drop_place(struct cgroup_places *p, struct entry *entry)
{
	if (!entry->place)
		return;
	HASH_DELETE(by_path, p->paths, entry);
	free((char *)entry->place->path);
	free(entry->place);
	entry->place = NULL;
	p->shown--;
}

void cgroup_places__free(struct cgroup_places *p)
{
	struct entry *entry, *next;

	if (!p)
		return;
	HASH_ITER (hh, p->entries, entry, next) {
		HASH_DEL(p->entries, entry);
		drop_place(p, entry);
		free(entry);
	}
	container_names__free(p->names);
	cgroups__free(p->cgroups);
	free(p);
}

static void set_gone(struct cgroup_places *p, struct entry *entry)
{
	drop_place(p, entry);
	entry->standing = CGROUP_GONE;
	p->gone++;
}

/* The cgroup at the path may be another one by now. */
static void look(struct cgroup_places *p, struct entry *entry)
{
	const char *path = entry->place ? entry->place->path : "";

	if (entry->standing == CGROUP_BEYOND)
		path = cgroups__path(p->cgroups, entry->id);
	else if (!entry->place)
		return;
	if (!cgroups__is_at(p->cgroups, path, entry->id))
		set_gone(p, entry);
	else if (entry->place)
		container_names__find(p->names, &entry->place->owner, p->now_ns,
				      &entry->place->name);
}

void cgroup_places__refresh(struct cgroup_places *p, uint64_t now_ns)
{
	struct entry *entry, *next;

	p->now_ns = now_ns;
	p->round++;
	p->beyond = 0;
	if (p->looked_ns && now_ns - p->looked_ns < LOOK_NS)
		return;
	p->looked_ns = now_ns;
	HASH_ITER (hh, p->entries, entry, next)
		look(p, entry);
	if (p->gone <= GONE_MAX)
		return;
	HASH_ITER (hh, p->entries, entry, next) {
		if (entry->standing != CGROUP_GONE)
			continue;
		HASH_DEL(p->entries, entry);
		free(entry);
	}
	p->gone = 0;
}

static void show(struct cgroup_places *p, struct entry *entry, const char *path)
{
	struct cgroup_place *place = calloc(1, sizeof(*place));

	if (place)
		place->path = strdup(path);
	if (!place || !place->path) {
		free(place);
		return;
	}
	place->id = entry->id;
	cgroup_owner__of_path(path, &place->owner);
	container_names__find(p->names, &place->owner, p->now_ns, &place->name);
	entry->place = place;
	entry->standing = CGROUP_SHOWN;
	HASH_ADD_KEYPTR(by_path, p->paths, place->path, strlen(place->path), entry);
	p->shown++;
}

static void settle(struct cgroup_places *p, struct entry *entry)
{
	const char *path = cgroups__path(p->cgroups, entry->id);

	if (!*path) {
		if (p->now_ns - entry->first_ns >= YOUNG_NS)
			set_gone(p, entry);
		return;
	}
	/* No two series may have the same path: one that was removed and made again has to wait
	 * until the next look finds the old one gone. */
	if (cgroup_places__has_path(p, path)) {
		p->looked_ns = 0;
		return;
	}
	if (p->shown >= p->most) {
		entry->standing = CGROUP_BEYOND;
		return;
	}
	show(p, entry, path);
	if (entry->place && entry->first_round != p->round)
		entry->promoted_in = p->round;
}

enum cgroup_standing cgroup_places__find(struct cgroup_places *p, uint64_t id,
					 const struct cgroup_place **place)
{
	struct entry *entry;

	HASH_FIND(hh, p->entries, &id, sizeof(id), entry);
	if (!entry) {
		entry = calloc(1, sizeof(*entry));
		*place = NULL;
		if (!entry)
			return CGROUP_BEYOND;
		entry->id = id;
		entry->standing = CGROUP_YOUNG;
		entry->first_ns = p->now_ns;
		entry->first_round = p->round;
		HASH_ADD(hh, p->entries, id, sizeof(id), entry);
	}
	if (entry->standing == CGROUP_YOUNG || entry->standing == CGROUP_BEYOND)
		settle(p, entry);
	if (entry->standing == CGROUP_BEYOND && entry->refused_in != p->round) {
		entry->refused_in = p->round;
		p->beyond++;
	}
	*place = entry->place;
	return entry->promoted_in == p->round ? CGROUP_PROMOTED : entry->standing;
}

unsigned int cgroup_places__shown(const struct cgroup_places *p)
{
	return p->shown;
}

unsigned int cgroup_places__beyond(const struct cgroup_places *p)
{
	return p->beyond;
}

void cgroup_places__each(const struct cgroup_places *p,
			 void (*each)(const struct cgroup_place *place, void *context),
			 void *context)
{
	const struct entry *entry;

	for (entry = p->entries; entry; entry = entry->hh.next)
		if (entry->place)
			each(entry->place, context);
}

bool cgroup_places__has_path(const struct cgroup_places *p, const char *path)
{
	struct entry *entry;

	HASH_FIND(by_path, p->paths, path, strlen(path), entry);
	return entry;
}
