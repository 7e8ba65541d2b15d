/* SPDX-License-Identifier: MIT */
/* The losses that a repair finds: the gaps, and how many rows were in each. */
#ifndef BLKREEL_TRACE_REPAIR_LOSSES_H
#define BLKREEL_TRACE_REPAIR_LOSSES_H

#include <stdio.h>

#include "trace/repair/salvage.h"

struct losses {
	FILE *gaps; /* complete gaps, as struct lost_gap */
	struct lost_gap {
		struct gap gap;
		uint64_t from_ns, to_ns; /* of the rows around it; 0: there are none */
	} pending;			 /* its end is not known yet */
	uint64_t last_ns;		 /* the latest time of the rows so far */
	uint64_t count;			 /* of gaps */
	bool open;			 /* `pending` is in use */
};

/* Totals of the rows of the whole file. */
struct repair_totals {
	uint64_t kept;		    /* rows */
	uint64_t first_ns, last_ns; /* of the recording */
	uint64_t index_at;	    /* of an index that is whole; 0: there is none */
	bool has_end;
	uint64_t end_rows; /* as the end mark counts them */
};

int losses__start(struct losses *l); /* 0 or negative errno */
void losses__stop(struct losses *l);

/*
 * Add a gap, or the times of a row block that is kept, in the order of the file. 0 or negative
 * errno.
 */
int losses__add_gap(struct losses *l, const struct gap *gap);
int losses__add_rows(struct losses *l, uint64_t first_ns, uint64_t last_ns);

/*
 * Calls `each` with one row for each gap that held rows, and one for missing rows whose place is
 * unknown. Moves the offset of `in`. *at_least: a gap may have held more rows than its row tells.
 * 0, the result of `each`, or negative errno.
 */
int losses__each(struct losses *l, struct input *in, const struct repair_totals *totals,
		 int (*each)(const struct loss_row *row, void *context), void *context,
		 bool *at_least);

#endif
