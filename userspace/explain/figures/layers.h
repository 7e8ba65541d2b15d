/* SPDX-License-Identifier: MIT */
/*
 * The part of an IO's time that passed at devices below, from the rows that name the IO as parent.
 */
#ifndef BLKREEL_EXPLAIN_FIGURES_LAYERS_H
#define BLKREEL_EXPLAIN_FIGURES_LAYERS_H

#include <stdbool.h>

#include "trace/rows.h"

/* IOs above that may be awaited at a time; beyond that, the oldest are dropped. */
#define LAYERS_WAITING_MAX 65536u

struct layers;

struct layers *layers__new(void);    /* NULL: out of memory */
void layers__free(struct layers *l); /* NULL is allowed */

/* Takes every row, of all devices. 0 or -ENOMEM. */
int layers__add(struct layers *l, const struct io_row *row);

/*
 * For a row that others name as parent: the time from the creation of the first of them to the end
 * of the last, as far as it lies within the row's own. Drops the entry. False: there is none, or a
 * time is not known.
 */
bool layers__below_ns(struct layers *l, const struct io_row *row, uint64_t *below_ns);

#endif
