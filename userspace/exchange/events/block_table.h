/* SPDX-License-Identifier: MIT */
/*
 * IOs that are under way, found by device, kind and first sector. Several at one place are normal
 * (two readers, a write that overtakes another): they are found in the order of their arrival.
 */
#ifndef BLKREEL_EXCHANGE_EVENTS_BLOCK_TABLE_H
#define BLKREEL_EXCHANGE_EVENTS_BLOCK_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/rows.h"

struct block_io {
	struct io_row row;    /* .device, .sector and .bytes are of what is left */
	uint32_t kind;	      /* an enum io_op, or a value of the caller's */
	uint64_t whole_bytes; /* of a request, of which row.bytes are not completed yet */
	uint64_t first_sector;
	bool merged;	/* bio: was reported as merged into a request */
	bool lower;	/* was asked for by a device above that is in the trace as well */
	bool at_driver; /* request: issued and not handed back */
	bool given_out; /* its row was given already: what still comes adds nothing */
	bool counted;	/* as in flight */
	struct block_io *bucket_prev, *bucket_next;
	struct block_io *age_prev, *age_next;
};

struct block_table;

struct block_table *block_table__new(void);    /* NULL: no memory */
void block_table__free(struct block_table *t); /* NULL is allowed */

/* A copy of `io` as the youngest one. NULL: no memory. */
struct block_io *block_table__add(struct block_table *t, const struct block_io *io);
void block_table__remove(struct block_table *t, struct block_io *io);
/* Gives it another first sector; its age stays. */
void block_table__move(struct block_table *t, struct block_io *io, uint64_t sector);

/*
 * The oldest one that begins at the sector, of these one of exactly `bytes` if there is one.
 * `wanted`, when not NULL, has to agree. NULL: none (also when too many others share its bucket).
 */
struct block_io *block_table__find(const struct block_table *t, uint32_t device, uint32_t kind,
				   uint64_t sector, uint64_t bytes,
				   bool (*wanted)(const struct block_io *io));
/* One of the youngest in whose middle the sector lies; looks at a bounded number. */
struct block_io *block_table__find_around(const struct block_table *t, uint32_t device,
					  uint32_t kind, uint64_t sector);

struct block_io *block_table__oldest(const struct block_table *t); /* not given out; NULL: none */
/* Marks it as given out: it is found as before, and forgotten first. */
void block_table__give_out(struct block_table *t, struct block_io *io);
/* Removes the oldest one that was given out. False: there is none. */
bool block_table__forget(struct block_table *t);

uint32_t block_table__count(const struct block_table *t);

#endif
