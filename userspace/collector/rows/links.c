// SPDX-License-Identifier: MIT
#include "collector/rows/links.h"

#include <errno.h>
#include <stdlib.h>

#include <uthash.h>

struct place {
	uint64_t sector;
	uint32_t device, padding;
};

/* An IO that was sent on and has no row yet. */
struct sent {
	uint64_t time_ns;
	uint32_t parent;
	struct spot *spot;
	struct sent *next_at_spot, **link_at_spot;
	struct sent *next_of_parent, **link_of_parent;
};

/* All IOs that were sent to one place. */
struct spot {
	struct place place;
	struct sent *first;
	UT_hash_handle hh;
};

struct parent {
	struct bio_identity identity;
	uint32_t number;
	bool was_sent_on, has_ended;
	struct sent *first;
	struct parent *next_ended;
	UT_hash_handle by_identity, by_number;
};

/* IOs above that are in flight, or whose row was lost. */
#define LINKS_PARENTS_MAX 262144u

struct links {
	struct spot *spots;
	struct parent *by_identity, *by_number;
	struct parent *ended, *ended_before;
	uint32_t last_number;
};

int links__create(struct links **links)
{
	*links = calloc(1, sizeof(**links));
	return *links ? 0 : -ENOMEM;
}

static void forget_sent(struct links *links, struct sent *sent)
{
	struct spot *spot = sent->spot;

	*sent->link_at_spot = sent->next_at_spot;
	if (sent->next_at_spot)
		sent->next_at_spot->link_at_spot = sent->link_at_spot;
	*sent->link_of_parent = sent->next_of_parent;
	if (sent->next_of_parent)
		sent->next_of_parent->link_of_parent = sent->link_of_parent;
	if (!spot->first) {
		HASH_DEL(links->spots, spot);
		free(spot);
	}
	free(sent);
}

static void forget_parent(struct links *links, struct parent *parent)
{
	while (parent->first)
		forget_sent(links, parent->first);
	HASH_DELETE(by_identity, links->by_identity, parent);
	HASH_DELETE(by_number, links->by_number, parent);
	free(parent);
}

void links__free(struct links *links)
{
	if (!links)
		return;
	while (links->by_number)
		forget_parent(links, links->by_number);
	free(links);
}

static struct parent *find_parent(struct links *links, const struct bio_identity *identity)
{
	struct parent *parent;

	HASH_FIND(by_identity, links->by_identity, identity, sizeof(*identity), parent);
	if (parent)
		return parent;
	/* The first entry is the oldest: its row was lost. */
	if (HASH_CNT(by_number, links->by_number) >= LINKS_PARENTS_MAX &&
	    !links->by_number->has_ended)
		forget_parent(links, links->by_number);
	parent = calloc(1, sizeof(*parent));
	if (!parent)
		return NULL;
	parent->identity = *identity;
	parent->number = ++links->last_number;
	HASH_ADD(by_identity, links->by_identity, identity, sizeof(parent->identity), parent);
	HASH_ADD(by_number, links->by_number, number, sizeof(parent->number), parent);
	return parent;
}

uint32_t links__number(struct links *links, const struct bio_identity *identity)
{
	struct parent *parent = find_parent(links, identity);

	return parent ? parent->number : 0;
}

static struct spot *find_spot(struct links *links, const struct place *place, bool add)
{
	struct spot *spot;

	HASH_FIND(hh, links->spots, place, sizeof(*place), spot);
	if (spot || !add)
		return spot;
	spot = calloc(1, sizeof(*spot));
	if (!spot)
		return NULL;
	spot->place = *place;
	HASH_ADD(hh, links->spots, place, sizeof(spot->place), spot);
	return spot;
}

int links__add(struct links *links, const struct bio_link *link)
{
	struct place place = {.sector = link->sector, .device = link->device};
	struct parent *parent = find_parent(links, &link->parent);
	struct sent *sent = parent ? calloc(1, sizeof(*sent)) : NULL;

	if (!sent)
		return -ENOMEM;
	sent->spot = find_spot(links, &place, true);
	if (!sent->spot) {
		free(sent);
		return -ENOMEM;
	}
	parent->was_sent_on = true;
	sent->time_ns = link->time_ns;
	sent->parent = parent->number;
	sent->next_at_spot = sent->spot->first;
	sent->link_at_spot = &sent->spot->first;
	if (sent->next_at_spot)
		sent->next_at_spot->link_at_spot = &sent->next_at_spot;
	sent->spot->first = sent;
	sent->next_of_parent = parent->first;
	sent->link_of_parent = &parent->first;
	if (sent->next_of_parent)
		sent->next_of_parent->link_of_parent = &sent->next_of_parent;
	parent->first = sent;
	return 0;
}

uint32_t links__take(struct links *links, uint32_t device, uint64_t sector, uint64_t until_ns)
{
	struct place place = {.sector = sector, .device = device};
	struct spot *spot = find_spot(links, &place, false);
	struct sent *last = NULL;
	uint32_t parent;

	for (struct sent *sent = spot ? spot->first : NULL; sent; sent = sent->next_at_spot)
		if (sent->time_ns <= until_ns && (!last || sent->time_ns > last->time_ns))
			last = sent;
	if (!last)
		return 0;
	parent = last->parent;
	forget_sent(links, last);
	return parent;
}

bool links__end(struct links *links, uint32_t number)
{
	struct parent *parent;

	HASH_FIND(by_number, links->by_number, &number, sizeof(number), parent);
	if (!parent)
		return false;
	if (parent->has_ended)
		return parent->was_sent_on;
	parent->has_ended = true;
	parent->next_ended = links->ended;
	links->ended = parent;
	return parent->was_sent_on;
}

void links__age(struct links *links)
{
	struct parent *next;

	for (struct parent *parent = links->ended_before; parent; parent = next) {
		next = parent->next_ended;
		forget_parent(links, parent);
	}
	links->ended_before = links->ended;
	links->ended = NULL;
}
