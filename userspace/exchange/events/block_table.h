/* SPDX-License-Identifier: MIT */
/*
 * Pending IOs, found by device, kind and first sector. Several IOs with the same key are normal
 * (two readers, a write that overtakes another): they are found in order of arrival.
 */
#ifndef BLKREEL_EXCHANGE_EVENTS_BLOCK_TABLE_H
#define BLKREEL_EXCHANGE_EVENTS_BLOCK_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/rows.h"

struct block_io {
	struct io_row row;    /* .device, .sector and .bytes are of the rest */
	uint32_t kind;	      /* an enum io_op, or a value of the caller's */
	uint64_t whole_bytes; /* of a request; row.bytes of these are not completed yet */
	uint64_t first_sector;
	bool merged;	/* bio: was reported as merged into a request */
	bool lower;	/* caused by a device above that is also in the trace */
	bool at_driver; /* request: issued and not handed back */
	bool emitted;	/* its row was emitted: later events are ignored */
	bool counted;	/* as in flight */
	struct block_io *bucket_prev, *bucket_next;
	struct block_io *age_prev, *age_next;
};

struct block_table;

struct block_table *block_table__new(void);    /* NULL: no memory */
void block_table__free(struct block_table *t); /* NULL is allowed */

/* Adds a copy of `io` as the youngest. NULL: no memory. */
struct block_io *block_table__add(struct block_table *t, const struct block_io *io);
void block_table__remove(struct block_table *t, struct block_io *io);
/* Changes its first sector; its age stays. */
void block_table__move(struct block_table *t, struct block_io *io, uint64_t sector);

/*
 * Finds the oldest IO that begins at the sector; one of exactly `bytes` is preferred. `wanted`,
 * when not NULL, must accept it. NULL: there is none (or too many others share its bucket).
 */
struct block_io *block_table__find(const struct block_table *t, uint32_t device, uint32_t kind,
				   uint64_t sector, uint64_t bytes,
				   bool (*wanted)(const struct block_io *io));
/* Finds one of the youngest IOs with the sector in its middle; searches a bounded number. */
struct block_io *block_table__find_around(const struct block_table *t, uint32_t device,
					  uint32_t kind, uint64_t sector);

struct block_io *block_table__oldest(const struct block_table *t); /* not emitted; NULL: none */
/* Marks it as emitted: it is still found, but forgotten first. */
void block_table__mark_emitted(struct block_table *t, struct block_io *io);
/* Removes the oldest that was emitted. False: there is none. */
bool block_table__forget(struct block_table *t);

/* The count of IOs in the table. */
uint32_t block_table__count(const struct block_table *t);

#endif
