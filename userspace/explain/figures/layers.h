/* SPDX-License-Identifier: MIT */
/* What part of the time of an IO passed at devices below: of the rows that name it as parent. */
#ifndef BLKREEL_EXPLAIN_FIGURES_LAYERS_H
#define BLKREEL_EXPLAIN_FIGURES_LAYERS_H

#include <stdbool.h>

#include "trace/rows.h"

/* IOs above that are waited for; beyond that those that never came are forgotten. */
#define LAYERS_WAITING_MAX 65536u

struct layers;

struct layers *layers__new(void);    /* NULL: out of memory */
void layers__free(struct layers *l); /* NULL is allowed */

/* Every row, whichever devices are of interest. 0 or -ENOMEM. */
int layers__add(struct layers *l, const struct io_row *row);

/*
 * Of a row that others name as parent, and forgets it: the time between the creation of the first
 * of them and the end of the last, as far as it lies within the row's own. False: there is none, or
 * a time is not known.
 */
bool layers__below_ns(struct layers *l, const struct io_row *row, uint64_t *below_ns);

#endif
