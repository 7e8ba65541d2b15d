/* SPDX-License-Identifier: MIT */
/*
 * IO of devices that work without requests (zram, brd, dm, md, NVMe multipath heads): what the
 * probes say of bios, in the form that records of requests have, and which IO of a device below
 * is part of which of theirs.
 */
#ifndef BLKREEL_COLLECTOR_ROWS_BIOS_H
#define BLKREEL_COLLECTOR_ROWS_BIOS_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/bio.h"
#include "trace/rows.h"

struct bios;

/* With `links`: the probes say what bios are sent on as. 0 or -ENOMEM. */
int bios__create(bool links, struct bios **bios);
void bios__free(struct bios *bios); /* NULL is allowed */

/* 1: a record was an IO, which is now in *event; 0: it said something else; -EPROTO: it is no
 * record of bios; -ENOMEM. */
int bios__take(struct bios *bios, const void *record, size_t bytes, struct io_event *event);

/* Fills id and parent_id of the row of an event, in the order of completion. */
void bios__link_row(struct bios *bios, const struct io_event *event, struct io_row *row);

/* To be called when the rows of all records of a moment were linked. */
void bios__age(struct bios *bios);

#endif
