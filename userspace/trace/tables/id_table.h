/* SPDX-License-Identifier: MIT */
/* Entries by id, rising from 1; entries stay where they are while the table grows. */
#ifndef BLKREEL_TRACE_TABLES_ID_TABLE_H
#define BLKREEL_TRACE_TABLES_ID_TABLE_H

#include <stdint.h>

struct id_table {
	void **entries; /* each owned, from malloc() */
	uint32_t highest;
	uint32_t size;
};

/*
 * Takes `entry` over, except on failure. 0; -EINVAL: the id does not rise; -E2BIG: it exceeds
 * `max`; -ENOMEM.
 */
int id_table__add(struct id_table *t, uint32_t id, uint32_t max, void *entry);
void *id_table__get(const struct id_table *t, uint32_t id); /* NULL: none */
void id_table__clear(struct id_table *t);

#endif
