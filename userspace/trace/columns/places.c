// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/columns/places.h"

/* Each row adds at most two addresses: half of the slots stay free. */
#define SLOT_BITS 15
#define SLOTS	  (1u << SLOT_BITS)

/*
 * When fewer than one in 16 of the first TRIAL_ROWS rows refers to a known address, the search
 * ends.
 */
#define TRIAL_ROWS 1024u
#define TRIAL_PART 16u

/* The end of the previous IO is stored for as many devices as a trace can have. */
#define END_CONTEXTS 4096u

/* Value of back[] for a row that refers as far back as the row before it. */
#define SAME_DISTANCE 1u

_Static_assert(2 * TRACE_BLOCK_ROWS_MAX * 2 <= SLOTS, "the table never fills up");

/* Addresses where an IO began or ended, and the last row that did: 1 + 2 * row, + 1 for an end. */
struct places {
	uint64_t sector[SLOTS];
	uint32_t device[SLOTS];
	uint16_t last[SLOTS]; /* 0: free */
};

struct places *places__new(void)
{
	return malloc(sizeof(struct places));
}

void places__free(struct places *p)
{
	free(p);
}

static uint32_t slot_of(const struct places *p, uint32_t device, uint64_t sector)
{
	uint64_t key = sector ^ ((uint64_t)device << 48);
	uint32_t slot = (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> (64 - SLOT_BITS));

	while (p->last[slot] && (p->sector[slot] != sector || p->device[slot] != device))
		slot = (slot + 1) % SLOTS;
	return slot;
}

static void remember(struct places *p, uint32_t slot, uint32_t device, uint64_t sector,
		     uint32_t row, bool is_end)
{
	p->sector[slot] = sector;
	p->device[slot] = device;
	p->last[slot] = (uint16_t)(1 + 2 * row + is_end);
}

static uint64_t distance(uint32_t row, uint16_t last)
{
	uint32_t other = (last - 1u) / 2;

	return 2ull * (row - other) + (last - 1u) % 2;
}

uint32_t places__find(struct places *p, const struct io_row *rows, const uint64_t *sectors,
		      uint32_t count, uint64_t base, uint64_t *back, uint64_t *fresh)
{
	uint64_t ends[END_CONTEXTS], previous = 0;
	uint32_t new = 0;

	memset(p->last, 0, sizeof(p->last));
	for (unsigned int i = 0; i < END_CONTEXTS; i++)
		ends[i] = base;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t device = rows[i].device, slot = slot_of(p, device, sectors[i]);
		uint64_t *end = &ends[device % END_CONTEXTS];

		if (i == TRIAL_ROWS && new > TRIAL_ROWS - TRIAL_ROWS / TRIAL_PART)
			return count;
		back[i] = p->last[slot] ? distance(i, p->last[slot]) : 0;
		if (!back[i])
			fresh[new ++] = sectors[i] - *end;
		else if (back[i] == previous)
			back[i] = SAME_DISTANCE;
		previous = back[i] == SAME_DISTANCE ? previous : back[i];
		remember(p, slot, device, sectors[i], i, false);
		if (!rows[i].bytes)
			continue;
		*end = sectors[i] + rows[i].bytes / 512;
		remember(p, slot_of(p, device, *end), device, *end, i, true);
	}
	return new;
}

/* How far back row i refers, checked; *previous is the value of the row before and is updated. */
static int follow(uint64_t stored, uint32_t i, uint64_t *previous)
{
	*previous = stored == SAME_DISTANCE ? *previous : stored;
	return *previous < 2 || *previous / 2 > i ? -EBADMSG : 0;
}

int places_undo(const struct io_row *rows, uint64_t *back, uint32_t count, uint64_t base,
		const uint64_t *fresh, uint32_t fresh_count)
{
	const uint64_t *fresh_end = fresh + fresh_count;
	uint64_t ends[END_CONTEXTS], previous = 0;

	for (unsigned int i = 0; i < END_CONTEXTS; i++)
		ends[i] = base;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t *end = &ends[rows[i].device % END_CONTEXTS];

		if (back[i]) {
			uint32_t other;

			if (follow(back[i], i, &previous))
				return -EBADMSG;
			other = i - (uint32_t)(previous / 2);
			back[i] = back[other] + (previous % 2 ? rows[other].bytes / 512 : 0);
		} else {
			if (fresh == fresh_end)
				return -EBADMSG;
			back[i] = *end + *fresh++;
			previous = 0;
		}
		if (rows[i].bytes)
			*end = back[i] + rows[i].bytes / 512;
	}
	return fresh == fresh_end ? 0 : -EBADMSG;
}
