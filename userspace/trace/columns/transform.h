/* SPDX-License-Identifier: MIT */
/* The values of a column, or their differences to a prediction, as they are stored. */
#ifndef BLKREEL_TRACE_COLUMNS_TRANSFORM_H
#define BLKREEL_TRACE_COLUMNS_TRANSFORM_H

#include "trace/format.h"

enum transform {
	TRANSFORM_PLAIN = 0,	    /* the value */
	TRANSFORM_DELTA = 1,	    /* signed difference to the previous row */
	TRANSFORM_DELTA_SEEN = 2,   /* ... to the previous value that is not 0; 0 stays 0 */
	TRANSFORM_RISING = 3,	    /* unsigned difference to the previous row */
	TRANSFORM_SINCE = 4,	    /* signed difference to another column of the row */
	TRANSFORM_SINCE_SEEN = 5,   /* the same; 0 stays 0 */
	TRANSFORM_AFTER_DEVICE = 6, /* to the end of the previous IO of the same device */
	TRANSFORM_AFTER_OP = 7,	    /* ... of the same device and operation */
	TRANSFORM_AFTER_TASK = 8,   /* ... of the same device and task */
	TRANSFORM_PLACES = 9, /* how many rows back this address occurred: trace/columns/places.h */
	TRANSFORM_COUNT
};

/*
 * The end of the previous IO is stored per context. Two devices (or tasks) may share a context: the
 * prediction is then worse, never wrong, because writer and reader share it alike.
 */
#define TRANSFORM_CONTEXTS 256u

/* What a prediction may use besides the column's own values; unused members are NULL. */
struct transform_inputs {
	const uint64_t *since;	   /* TRANSFORM_SINCE*: the other column */
	const struct io_row *rows; /* TRANSFORM_AFTER_*: device, op, task and bytes are read */
	uint64_t unit;		   /* 0, or a divisor that all differences are likely to have */
};

/* The header of a column: stored before its coded numbers. */
struct transform_head {
	uint64_t scale; /* differences were divided by it; at least 1 */
	uint64_t base;	/* value before the first row, where the transform has one */
};

/* Whether the transform stores a base. */
bool transform_has_base(unsigned int transform);

/* Fills `coded` and *head. 0; -ERANGE: this transform cannot hold these values. */
int transform_apply(enum transform transform, const struct transform_inputs *in,
		    const uint64_t *values, uint32_t count, uint64_t *coded,
		    struct transform_head *head);

/* Replaces coded numbers by values. 0; -EBADMSG: unknown transform, or an input is missing. */
int transform_undo(unsigned int transform, const struct transform_inputs *in, uint64_t *values,
		   uint32_t count, const struct transform_head *head);

/* Divides signed differences by a common divisor and zigzag-encodes them. Returns the divisor. */
uint64_t transform_scale(uint64_t *differences, uint32_t count);
/* The reverse. */
void transform_unscale(uint64_t *numbers, uint32_t count, uint64_t scale);

#endif
