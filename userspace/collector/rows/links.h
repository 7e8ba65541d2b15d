/* SPDX-License-Identifier: MIT */
/*
 * Which IO of a device is part of which IO of the device above: drivers say what they send on
 * (struct bio_link), before the device below has a row of it.
 */
#ifndef BLKREEL_COLLECTOR_ROWS_LINKS_H
#define BLKREEL_COLLECTOR_ROWS_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/bio.h"

struct links;

int links__create(struct links **links); /* 0 or -ENOMEM */
void links__free(struct links *links);	 /* NULL is allowed */

/* The number of an IO above, from 1, the same for links of it and for itself; 0: no memory. */
uint32_t links__number(struct links *links, const struct bio_identity *identity);

/* An IO above is sent on. 0 or -ENOMEM. */
int links__add(struct links *links, const struct bio_link *link);

/*
 * The IO above of a row of `device` that begins at `sector` and was created at `created_ns`, and
 * forgets the link; 0: none. Of several that were sent there the last before that moment.
 */
uint32_t links__take(struct links *links, uint32_t device, uint64_t sector, uint64_t created_ns);

/* An IO above has ended: whether it was ever sent on. */
bool links__end(struct links *links, uint32_t number);

/* Forgets what had ended when this was called before: their last parts have rows by then. */
void links__age(struct links *links);

#endif
