// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "exchange/foreign_output.h"
#include "exchange/repeats.h"

/* The window holds the IOs of 200 us: 2^12 sets of 4 are more than any device reaches. */
#define SET_BITS 12
#define SETS	 (1u << SET_BITS)
#define WAYS	 4u

struct seen {
	uint64_t time_ns; /* 0: free */
	uint64_t sector;
	uint64_t bytes;
	uint32_t device;
	uint32_t op;
};

struct repeats {
	struct seen sets[SETS][WAYS];
};

struct repeats *repeats__new(void)
{
	return calloc(1, sizeof(struct repeats));
}

void repeats__free(struct repeats *r)
{
	free(r);
}

static bool same(const struct seen *seen, const struct io_row *row)
{
	return seen->sector == row->sector && seen->bytes == row->bytes &&
	       seen->device == row->device && seen->op == row->op;
}

bool repeats__check(struct repeats *r, const struct io_row *row)
{
	uint64_t time_ns = foreign_row_time_ns(row);
	uint64_t key = row->sector * 31 + row->bytes * 7 + row->device * 13 + row->op;
	struct seen *set = r->sets[(key * 0x9e3779b97f4a7c15ull) >> (64 - SET_BITS)];
	struct seen *oldest = set;

	/* Two equal flushes need not be of stacked devices. */
	if (!row->bytes)
		return false;
	for (unsigned int way = 0; way < WAYS; way++) {
		if (set[way].time_ns && same(&set[way], row) &&
		    time_ns - set[way].time_ns <= REPEAT_WINDOW_NS)
			return true;
		if (set[way].time_ns < oldest->time_ns)
			oldest = &set[way];
	}
	*oldest = (struct seen){time_ns, row->sector, row->bytes, row->device, row->op};
	return false;
}
