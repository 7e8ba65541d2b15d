// SPDX-License-Identifier: MIT
#include "replay/engine/sharing.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "replay/source/zones.h"

/*
 * IOs to remember behind the window, because they may still be in flight; older ones are taken as
 * if they overlapped.
 */
#define MEMORY_WINDOWS 2u

/* An IO of more regions is checked against all others. */
#define COUNTED_REGIONS 64u
#define COUNTERS	1024u

struct memory_entry {
	uint64_t begin_bytes, end_bytes;
	uint64_t number;
	uint8_t owner;
	bool reads;
};

/* What one IO waits for at one worker: all IOs of the worker with a lower number. 0: nothing. */
struct pending {
	uint64_t submitted, completed;
};

/* On a cache line of its own: one worker writes it, all others read it. */
struct told {
	_Alignas(64) _Atomic uint64_t submitted;
	_Atomic uint64_t completed;
};

struct sharing {
	unsigned int workers;
	uint32_t window, remembered;
	uint64_t region_bytes, zone_bytes;
	uint64_t next;			     /* the number of the next IO */
	unsigned int latest;		     /* the worker of the IO before */
	uint64_t given[SHARING_WORKERS_MAX]; /* the number after the last IO of each worker */
	struct memory_entry *memory;	     /* of all IOs, by number */
	/* A ring of IOs that reach into a region of another worker and may not have completed. */
	struct memory_entry *crossing;
	uint64_t crossing_first, crossing_end;
	uint64_t crossing_forgotten
		[SHARING_WORKERS_MAX]; /* forgotten because they were too many: all IOs below */
	uint32_t crossing_regions[COUNTERS]; /* IOs that reach into the region */
	uint32_t crossing_wide;
	bool *waits;		 /* by number modulo window */
	struct pending *pending; /* `workers` of each */
	struct told told[SHARING_WORKERS_MAX];
};

static uint64_t region_bytes(uint64_t zone_bytes)
{
	if (!zone_bytes)
		return SHARING_REGION_BYTES;
	return zone_bytes * ((SHARING_REGION_BYTES + zone_bytes - 1) / zone_bytes);
}

int sharing__create(const struct sharing_options *options, struct sharing **sharing)
{
	struct sharing *s = aligned_alloc(64, sizeof(*s));

	if (!s)
		return -ENOMEM;
	*s = (struct sharing){.workers = options->workers,
			      .window = options->window,
			      .remembered = options->window * MEMORY_WINDOWS,
			      .region_bytes = region_bytes(options->zone_bytes),
			      .zone_bytes = options->zone_bytes};
	s->memory = calloc(s->remembered, sizeof(*s->memory));
	s->crossing = calloc(s->remembered, sizeof(*s->crossing));
	s->waits = calloc(s->window, sizeof(*s->waits));
	s->pending = calloc((size_t)s->window * s->workers, sizeof(*s->pending));
	if (!s->memory || !s->crossing || !s->waits || !s->pending) {
		sharing__free(s);
		return -ENOMEM;
	}
	*sharing = s;
	return 0;
}

void sharing__free(struct sharing *s)
{
	if (!s)
		return;
	free(s->memory);
	free(s->crossing);
	free(s->waits);
	free(s->pending);
	free(s);
}

/* Regions ------------------------------------------------------------------------------------ */

/*
 * Mixes the bits: file systems and applications put busy data at multiples of large powers of two.
 */
static uint64_t mixed(uint64_t region)
{
	uint64_t z = region * 0x9e3779b97f4a7c15ull;

	return z >> 32;
}

static unsigned int owner_of(const struct sharing *s, uint64_t region)
{
	return (unsigned int)(mixed(region) % s->workers);
}

static uint64_t first_region(const struct sharing *s, const struct memory_entry *e)
{
	return e->begin_bytes / s->region_bytes;
}

static uint64_t last_region(const struct sharing *s, const struct memory_entry *e)
{
	return e->end_bytes > e->begin_bytes ? (e->end_bytes - 1) / s->region_bytes
					     : first_region(s, e);
}

static bool is_wide(const struct sharing *s, const struct memory_entry *e)
{
	return last_region(s, e) - first_region(s, e) >= COUNTED_REGIONS;
}

static bool crosses(const struct sharing *s, const struct memory_entry *e)
{
	if (is_wide(s, e))
		return s->workers > 1;
	for (uint64_t region = first_region(s, e); region <= last_region(s, e); region++)
		if (owner_of(s, region) != e->owner)
			return true;
	return false;
}

/* Told by the workers ------------------------------------------------------------------------ */

static uint64_t completed_below(const struct sharing *s, unsigned int worker)
{
	return atomic_load_explicit(&s->told[worker].completed, memory_order_acquire);
}

void sharing__submitted(struct sharing *s, unsigned int worker, uint64_t below)
{
	atomic_store_explicit(&s->told[worker].submitted, below, memory_order_release);
}

void sharing__completed(struct sharing *s, unsigned int worker, uint64_t below)
{
	atomic_store_explicit(&s->told[worker].completed, below, memory_order_release);
}

bool sharing__may_go(const struct sharing *s, unsigned int worker, uint64_t number)
{
	const struct pending *pending = &s->pending[number % s->window * s->workers];

	if (!s->waits[number % s->window])
		return true;
	for (unsigned int other = 0; other < s->workers; other++) {
		const struct told *told = &s->told[other];

		if (completed_below(s, other) < pending[other].completed ||
		    atomic_load_explicit(&told->submitted, memory_order_acquire) <
			    pending[other].submitted)
			return false;
	}
	return true;
}

/* The IOs that cross ------------------------------------------------------------------------- */

static void count_regions(struct sharing *s, const struct memory_entry *e, uint32_t change)
{
	if (is_wide(s, e)) {
		s->crossing_wide += change;
		return;
	}
	for (uint64_t region = first_region(s, e); region <= last_region(s, e); region++)
		s->crossing_regions[mixed(region) % COUNTERS] += change;
}

static void forget_crossing(struct sharing *s)
{
	count_regions(s, &s->crossing[s->crossing_first++ % s->remembered], -1u);
}

static void remember_crossing(struct sharing *s, const struct memory_entry *e)
{
	if (s->crossing_end - s->crossing_first == s->remembered) {
		const struct memory_entry *oldest = &s->crossing[s->crossing_first % s->remembered];

		s->crossing_forgotten[oldest->owner] = oldest->number + 1;
		forget_crossing(s);
	}
	s->crossing[s->crossing_end++ % s->remembered] = *e;
	count_regions(s, e, 1);
}

static void forget_completed_crossings(struct sharing *s)
{
	while (s->crossing_first != s->crossing_end) {
		const struct memory_entry *e = &s->crossing[s->crossing_first % s->remembered];

		if (e->number >= completed_below(s, e->owner))
			return;
		forget_crossing(s);
	}
}

static bool may_meet_a_crossing(const struct sharing *s, const struct memory_entry *e)
{
	if (s->crossing_first == s->crossing_end)
		return false;
	if (s->crossing_wide || is_wide(s, e))
		return true;
	for (uint64_t region = first_region(s, e); region <= last_region(s, e); region++)
		if (s->crossing_regions[mixed(region) % COUNTERS])
			return true;
	return false;
}

/* What an IO waits for ----------------------------------------------------------------------- */

static void raise_to(uint64_t *below, uint64_t to)
{
	if (*below < to)
		*below = to;
}

/* Two reads only have to be submitted in their order. */
static void wait_for_overlap(struct pending *pending, const struct memory_entry *e,
			     const struct memory_entry *before)
{
	struct pending *of = &pending[before->owner];

	if (before->owner != e->owner && before->begin_bytes < e->end_bytes &&
	    e->begin_bytes < before->end_bytes)
		raise_to(before->reads && e->reads ? &of->submitted : &of->completed,
			 before->number + 1);
}

static void wait_for_crossings(struct sharing *s, const struct memory_entry *e,
			       struct pending *pending)
{
	for (unsigned int worker = 0; worker < s->workers; worker++)
		if (worker != e->owner)
			raise_to(&pending[worker].completed, s->crossing_forgotten[worker]);
	if (!may_meet_a_crossing(s, e))
		return;
	for (uint64_t at = s->crossing_first; at != s->crossing_end; at++)
		wait_for_overlap(pending, e, &s->crossing[at % s->remembered]);
}

/* The lowest number of the other workers that may not have completed. */
static uint64_t oldest_of_others(const struct sharing *s, const struct memory_entry *e)
{
	uint64_t oldest = e->number;

	for (unsigned int worker = 0; worker < s->workers; worker++) {
		uint64_t below = completed_below(s, worker);

		if (worker != e->owner && below < s->given[worker] && below < oldest)
			oldest = below;
	}
	return oldest;
}

static void wait_for_all(struct sharing *s, const struct memory_entry *e, struct pending *pending)
{
	uint64_t oldest = oldest_of_others(s, e), known = 0;

	if (e->number >= s->remembered)
		known = e->number + 1 - s->remembered;
	for (unsigned int worker = 0; worker < s->workers && oldest < known; worker++) {
		uint64_t last = s->given[worker] < known ? s->given[worker] : known;

		if (worker != e->owner)
			raise_to(&pending[worker].completed, last);
	}
	for (uint64_t number = oldest > known ? oldest : known; number < e->number; number++)
		wait_for_overlap(pending, e, &s->memory[number % s->remembered]);
}

/* A flush is submitted after everything that was submitted before it in the source. */
static void wait_for_submissions(const struct sharing *s, const struct memory_entry *e,
				 struct pending *pending)
{
	for (unsigned int worker = 0; worker < s->workers; worker++)
		if (worker != e->owner)
			pending[worker].submitted = s->given[worker];
}

static void find_waits(struct sharing *s, const struct replay_io *io, const struct memory_entry *e)
{
	struct pending *pending = &s->pending[e->number % s->window * s->workers];
	bool waits = false;

	for (unsigned int worker = 0; worker < s->workers; worker++)
		pending[worker] = (struct pending){0};
	if (io->op == REPLAY_FLUSH || (io->flags & REPLAY_PREFLUSH))
		wait_for_submissions(s, e, pending);
	if (io->length_bytes) {
		if (crosses(s, e)) {
			wait_for_all(s, e, pending);
			remember_crossing(s, e);
		} else {
			wait_for_crossings(s, e, pending);
		}
	}
	for (unsigned int worker = 0; worker < s->workers; worker++)
		waits |= pending[worker].submitted || pending[worker].completed;
	s->waits[e->number % s->window] = waits;
}

unsigned int sharing__add(struct sharing *s, const struct replay_io *io)
{
	struct memory_entry *e = &s->memory[s->next % s->remembered];

	*e = (struct memory_entry){.begin_bytes = io->offset_bytes,
				   .end_bytes = io->offset_bytes + io->length_bytes,
				   .number = s->next,
				   .reads = io->op == REPLAY_READ};
	if (s->zone_bytes && io->length_bytes)
		zones__widen(s->zone_bytes, &e->begin_bytes, &e->end_bytes);
	/*
	 * A flush has no address: it goes to the worker of the IO before, whose writes it is mostly
	 * for.
	 */
	e->owner = (uint8_t)(io->length_bytes ? owner_of(s, first_region(s, e)) : s->latest);
	forget_completed_crossings(s);
	find_waits(s, io, e);
	s->given[e->owner] = ++s->next;
	s->latest = e->owner;
	return e->owner;
}
