/* SPDX-License-Identifier: MIT */
/*
 * IO of devices without requests (zram, brd, dm, md, NVMe multipath heads): converts the records of
 * bios to the form of records of requests, and links each IO of a device below to the IO above that
 * it is part of.
 */
#ifndef BLKREEL_COLLECTOR_ROWS_BIOS_H
#define BLKREEL_COLLECTOR_ROWS_BIOS_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/bio.h"
#include "trace/rows.h"

struct bios;

/* `links`: the probes also send records of bios that are sent on. 0 or -ENOMEM. */
int bios__create(bool links, struct bios **bios);
void bios__free(struct bios *bios); /* NULL is allowed */

/* Takes a record. 1: it was an IO, now in *event; 0: it was another record; -EPROTO: not a record
 * of bios; -ENOMEM. */
int bios__take(struct bios *bios, const void *record, size_t bytes, struct io_event *event);

/* Fills id and parent_id of the row of an event. Call it in the order of completion. */
void bios__link_row(struct bios *bios, const struct io_event *event, struct io_row *row);

/* Call it after the rows of all records of a moment were linked. */
void bios__age(struct bios *bios);

#endif
