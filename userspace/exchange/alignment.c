// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>

#include "exchange/alignment.h"

#include "trace/format.h"

#define BLOCK_SECTORS 8u
#define NOT_FIXED     BLOCK_SECTORS

struct place {
	uint64_t rows[BLOCK_SECTORS]; /* by their first sector modulo BLOCK_SECTORS */
	uint32_t fixed_shift;	      /* NOT_FIXED before the first query */
};

struct alignment {
	struct place devices[TRACE_DEVICES_MAX + 1];
};

struct alignment *alignment__new(void)
{
	struct alignment *a = calloc(1, sizeof(*a));

	for (uint32_t i = 0; a && i <= TRACE_DEVICES_MAX; i++)
		a->devices[i].fixed_shift = NOT_FIXED;
	return a;
}

void alignment__free(struct alignment *a)
{
	free(a);
}

void alignment__add(struct alignment *a, const struct io_row *row)
{
	if (row->device <= TRACE_DEVICES_MAX && row->bytes)
		a->devices[row->device].rows[row->sector % BLOCK_SECTORS]++;
}

/* The sector in 4 KiB at which more than half of the IOs begin; 0: there is none. */
static uint32_t usual_place(const struct place *place)
{
	uint64_t all = 0;
	uint32_t most = 0;

	for (uint32_t i = 0; i < BLOCK_SECTORS; i++) {
		all += place->rows[i];
		most = place->rows[i] > place->rows[most] ? i : most;
	}
	return 2 * place->rows[most] > all ? most : 0;
}

uint32_t alignment__shift_sectors(struct alignment *a, uint32_t device)
{
	struct place *place;

	if (device > TRACE_DEVICES_MAX)
		return 0;
	place = &a->devices[device];
	if (place->fixed_shift == NOT_FIXED)
		place->fixed_shift = (BLOCK_SECTORS - usual_place(place)) % BLOCK_SECTORS;
	return place->fixed_shift;
}

void alignment__worst(const struct alignment *a, const struct foreign_names *names,
		      struct misaligned *worst)
{
	for (uint32_t id = 1; id <= TRACE_DEVICES_MAX; id++) {
		uint32_t usual = usual_place(&a->devices[id]);

		if (!usual || a->devices[id].rows[usual] <= worst->rows)
			continue;
		worst->rows = a->devices[id].rows[usual];
		worst->sectors = usual;
		snprintf(worst->device, sizeof(worst->device), "%s",
			 foreign_names__device_name(names, id));
	}
}
