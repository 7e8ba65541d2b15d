/* SPDX-License-Identifier: MIT */
/* For which programs threads of the kernel send IOs: who wrote the pages of a file, and who waits behind a limit. */
#ifndef BLKREEL_EXPLAIN_WAITS_WRITERS_H
#define BLKREEL_EXPLAIN_WAITS_WRITERS_H

#include "explain/figures/labels.h"

struct writers;

struct writers *writers__new(const struct explain_tables *tables); /* NULL: no memory */
void writers__free(struct writers *w);				   /* NULL is allowed */

/* The task wrote into the file: `pages`, or 0 where only the fact is known. 0 or -ENOMEM. */
int writers__add(struct writers *w, uint32_t task, uint32_t file, uint64_t pages);

/* The table id of the task that wrote nearly all of the file, or 0: not known, or several programs did. */
uint32_t writers__of(const struct writers *w, uint32_t file);

/* Counts an IO with which a thread of the kernel writes pages of a file; no other. 0 or -ENOMEM. */
int writers__add_io(struct writers *w, const struct io_row *row);

/* Counts an IO that a limit of a cgroup held back and that a thread of the kernel sent on: `task` waited for it. 0 or
 * -ENOMEM. */
int writers__add_limited(struct writers *w, uint32_t task, uint64_t io_ns);

/* Fills x->writers. 0 or -ENOMEM. */
int writers__finish(const struct writers *w, struct explanation *x);

/* Whether two table ids are of one file, which may have been renamed. */
bool explain_is_same_file(const struct explain_tables *tables, uint32_t one, uint32_t other);

#endif
