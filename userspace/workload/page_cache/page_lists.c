// SPDX-License-Identifier: MIT
#include "workload/page_cache/page_lists.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_PAGE UINT32_MAX

#define RECLAIM_PAGES	 32u /* SWAP_CLUSTER_MAX: pages scanned and reclaimed at once */
#define DEFAULT_PRIORITY 12  /* DEF_PRIORITY: a scan covers 2^-priority of a list */
#define PAGES_PER_GB	 (1u << 18)
#define FIRST_PAGES	 4096u
#define CAPACITY_MAX	 (UINT32_MAX / 2)

enum page_flags {
	PAGE_HELD = 1u << 0,
	PAGE_ACTIVE = 1u << 1,
	PAGE_REFERENCED = 1u << 2,
	PAGE_MARKED = 1u << 3,
	PAGE_EVICTED = 1u << 4, /* its age is valid */
};

struct page {
	uint32_t newer, older; /* neighbours in its list */
	uint32_t age;	       /* when it was evicted */
	uint8_t flags;
};

struct page_list {
	uint32_t newest, oldest;
	uint32_t pages;
};

struct page_lists {
	struct page *pages;
	uint32_t allocated;
	uint32_t capacity;
	unsigned int sample_bits;
	uint32_t age; /* evictions and activations so far; may wrap: only differences count */
	struct page_list inactive, active;
};

int page_lists__create(uint64_t capacity_pages, struct page_lists **lists)
{
	struct page_lists *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->inactive = l->active = (struct page_list){NO_PAGE, NO_PAGE, 0};
	page_lists__resize(l, capacity_pages, 0);
	*lists = l;
	return 0;
}

void page_lists__free(struct page_lists *l)
{
	if (!l)
		return;
	free(l->pages);
	free(l);
}

int page_lists__grow(struct page_lists *l, uint32_t pages)
{
	uint32_t allocated = l->allocated ? l->allocated : FIRST_PAGES;
	struct page *grown;

	while (allocated < pages)
		allocated *= 2;
	if (allocated == l->allocated)
		return 0;
	grown = realloc(l->pages, allocated * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memset(grown + l->allocated, 0, (allocated - l->allocated) * sizeof(*grown));
	l->pages = grown;
	l->allocated = allocated;
	return 0;
}

static struct page_list *list_of(struct page_lists *l, uint32_t page)
{
	return l->pages[page].flags & PAGE_ACTIVE ? &l->active : &l->inactive;
}

static void unlink_page(struct page_lists *l, uint32_t page)
{
	struct page_list *list = list_of(l, page);
	struct page *p = &l->pages[page];

	if (p->newer == NO_PAGE)
		list->newest = p->older;
	else
		l->pages[p->newer].older = p->older;
	if (p->older == NO_PAGE)
		list->oldest = p->newer;
	else
		l->pages[p->older].newer = p->newer;
	list->pages--;
}

/* Links the page as the newest of the list given by its flags. */
static void link_page(struct page_lists *l, uint32_t page)
{
	struct page_list *list = list_of(l, page);
	struct page *p = &l->pages[page];

	p->newer = NO_PAGE;
	p->older = list->newest;
	if (list->newest == NO_PAGE)
		list->oldest = page;
	else
		l->pages[list->newest].newer = page;
	list->newest = page;
	list->pages++;
}

static void evict_oldest(struct page_lists *l)
{
	uint32_t page = l->inactive.oldest;

	unlink_page(l, page);
	l->pages[page].flags = PAGE_EVICTED;
	l->pages[page].age = l->age++;
}

/* The page may still be marked as referenced: then one access activates it again. */
static void deactivate_oldest(struct page_lists *l)
{
	uint32_t page = l->active.oldest;

	unlink_page(l, page);
	l->pages[page].flags &= (uint8_t)~PAGE_ACTIVE;
	link_page(l, page);
}

static uint64_t square_root(uint64_t x)
{
	uint64_t root = 0;

	while ((root + 1) * (root + 1) <= x)
		root++;
	return root;
}

/*
 * The kernel also deactivates when pages were refaulted since its last reclaim. It updates the
 * counters of control groups for that only every two seconds, so this affects one batch of many and
 * is not modelled.
 */
static bool inactive_is_low(const struct page_lists *l)
{
	uint64_t pages = (uint64_t)page_lists__held(l) << l->sample_bits;
	uint64_t gb = pages / PAGES_PER_GB;
	uint64_t ratio = gb ? square_root(10 * gb) : 1;

	return l->inactive.pages * ratio < l->active.pages;
}

static uint32_t at_most(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* A cache of a few pages must not lose half of them for one miss. */
static uint32_t batch(const struct page_lists *l)
{
	uint32_t part = l->capacity / 64;

	return part < 1 ? 1 : at_most(part, RECLAIM_PAGES);
}

/* Scans both lists in turns until `wanted` pages are reclaimed. Returns the count. */
static uint32_t shrink(struct page_lists *l, unsigned int priority, uint32_t wanted)
{
	uint32_t inactive = l->inactive.pages >> priority, active = l->active.pages >> priority;
	uint32_t reclaimed = 0, now;
	bool may_deactivate = inactive_is_low(l);

	while ((inactive || active) && reclaimed < wanted) {
		now = at_most(inactive, batch(l));
		inactive -= now;
		for (; now && l->inactive.pages; now--, reclaimed++)
			evict_oldest(l);
		now = at_most(active, batch(l));
		active -= now;
		for (; may_deactivate && now && l->active.pages; now--)
			deactivate_oldest(l);
	}
	return reclaimed;
}

static void reclaim(struct page_lists *l)
{
	uint32_t wanted = batch(l), reclaimed = 0;
	int priority = DEFAULT_PRIORITY;

	while (reclaimed < wanted && priority >= 0)
		reclaimed += shrink(l, (unsigned int)priority--, wanted - reclaimed);
	while (reclaimed < wanted && l->active.pages) {
		deactivate_oldest(l);
		evict_oldest(l);
		reclaimed++;
	}
}

void page_lists__resize(struct page_lists *l, uint64_t capacity_pages, unsigned int sample_bits)
{
	l->sample_bits = sample_bits;
	capacity_pages >>= sample_bits;
	l->capacity = !capacity_pages		      ? 1
		      : capacity_pages > CAPACITY_MAX ? CAPACITY_MAX
						      : (uint32_t)capacity_pages;
	while (page_lists__held(l) > l->capacity)
		reclaim(l);
}

bool page_lists__holds(const struct page_lists *l, uint32_t page)
{
	return l->pages[page].flags & PAGE_HELD;
}

void page_lists__insert(struct page_lists *l, uint32_t page)
{
	struct page *p = &l->pages[page];
	bool is_recent;

	if (page_lists__held(l) >= l->capacity)
		reclaim(l);
	is_recent = p->flags & PAGE_EVICTED && l->age - p->age <= l->active.pages;
	p->flags = PAGE_HELD;
	if (is_recent) {
		p->flags |= PAGE_ACTIVE;
		l->age++;
	}
	link_page(l, page);
}

void page_lists__access(struct page_lists *l, uint32_t page)
{
	struct page *p = &l->pages[page];

	if (p->flags & PAGE_ACTIVE || !(p->flags & PAGE_REFERENCED)) {
		p->flags |= PAGE_REFERENCED;
		return;
	}
	unlink_page(l, page);
	p->flags = (uint8_t)((p->flags & ~PAGE_REFERENCED) | PAGE_ACTIVE);
	link_page(l, page);
	l->age++;
}

void page_lists__forget(struct page_lists *l, uint32_t page)
{
	if (page_lists__holds(l, page))
		unlink_page(l, page);
	l->pages[page].flags = 0;
}

void page_lists__mark(struct page_lists *l, uint32_t page)
{
	l->pages[page].flags |= PAGE_MARKED;
}

bool page_lists__take_mark(struct page_lists *l, uint32_t page)
{
	bool is_marked = l->pages[page].flags & PAGE_MARKED;

	l->pages[page].flags &= (uint8_t)~PAGE_MARKED;
	return is_marked;
}

uint32_t page_lists__held(const struct page_lists *l)
{
	return l->inactive.pages + l->active.pages;
}
