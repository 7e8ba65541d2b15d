/* SPDX-License-Identifier: MIT */
/* The parts of a condition; for trigger.c and trigger_parse.c alone. */
#ifndef BLKREEL_COLLECTOR_RECORDING_TRIGGER_INTERNAL_H
#define BLKREEL_COLLECTOR_RECORDING_TRIGGER_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

/* The window moves in steps of 1/50 of its length. */
#define TRIGGER_SLOTS 50u

#define TRIGGER_ANY_OP (-1)

enum trigger_figure {
	TRIGGER_LATENCY,
	TRIGGER_STUCK,
	TRIGGER_PERCENTILE,
	TRIGGER_DEPTH,
	TRIGGER_IOPS,
	TRIGGER_ERROR,
};

struct trigger_slot {
	uint64_t ios, longer; /* IOs, and those above the limit */
	uint64_t longest_ns;
};

struct trigger {
	char *text; /* as the user wrote it */
	enum trigger_figure figure;
	int op;		   /* enum io_op or TRIGGER_ANY_OP */
	uint64_t limit;	   /* ns, requests, or requests a second */
	bool is_below;	   /* iops only: below the limit */
	uint32_t tail_ppm; /* percentile: the share that may exceed the limit, in millionths */
	uint64_t slot_ns;
	bool has_begun;
	uint64_t begin_ns, slot; /* the number of the newest slot since begin_ns */
	struct trigger_slot slots[TRIGGER_SLOTS], sum;
};

#endif
