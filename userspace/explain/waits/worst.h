/* SPDX-License-Identifier: MIT */
/* The longest sleeps. */
#ifndef BLKREEL_EXPLAIN_WAITS_WORST_H
#define BLKREEL_EXPLAIN_WAITS_WORST_H

#include "explain/waits/blame.h"

/*
 * Keeps the sleep in w->worst if it is one of the longest: `functions` of its stack, `file` of its call, `cause` of
 * most of it, `most`: for whom.
 */
void wait_worst_note(struct explain_waits *w, const struct explain_tables *tables,
		     const struct explain_worst_wait *found, const struct wait_row *sleep,
		     const char *functions, uint32_t file, const struct blame_most *most);

#endif
