/* SPDX-License-Identifier: MIT */
/*
 * Links an IO of a device to the IO of the device above that it is part of. Drivers report what
 * they send on (struct bio_link) before the device below has a row of it.
 */
#ifndef BLKREEL_COLLECTOR_ROWS_LINKS_H
#define BLKREEL_COLLECTOR_ROWS_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/bio.h"

struct links;

int links__create(struct links **links); /* 0 or -ENOMEM */
void links__free(struct links *links);	 /* NULL is allowed */

/* The number of an IO above, from 1; the same identity gives the same number. 0: out of memory. */
uint32_t links__number(struct links *links, const struct bio_identity *identity);

/* Notes that an IO above was sent on. 0 or -ENOMEM. */
int links__add(struct links *links, const struct bio_link *link);

/*
 * Finds the IO above of a row of `device` that begins at `sector` and was sent on before
 * `until_ns`, and forgets the link; 0: none. Of several IOs sent there, the last one before that
 * time.
 */
uint32_t links__take(struct links *links, uint32_t device, uint64_t sector, uint64_t until_ns);

/* Notes that an IO above has ended. Returns whether it was ever sent on. */
bool links__end(struct links *links, uint32_t number);

/* Forgets the IOs that had ended at the previous call: by now their last parts have rows. */
void links__age(struct links *links);

#endif
