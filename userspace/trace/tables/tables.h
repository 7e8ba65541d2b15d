/* SPDX-License-Identifier: MIT */
/* The content of all metadata blocks of a file, gathered while it is read. */
#ifndef BLKREEL_TRACE_TABLES_TABLES_H
#define BLKREEL_TRACE_TABLES_TABLES_H

#include <stddef.h>

#include "trace/tables/meta.h"
#include "trace/tables/id_table.h"

struct file_identity;

struct tables {
	struct trace_host host;
	struct trace_summary summary;
	bool has_summary;
	struct id_table tiers, devices, tasks, files, cgroups, stacks;
	struct file_identity *identities; /* of the files */
};

/*
 * Adds the JSON of a block of `kind` (block_kind_is_table()), which must hold `rows` entries.
 * 0; -EBADMSG with *reason (static storage); -ENOMEM.
 */
int tables__read(struct tables *t, enum block_kind kind, const uint8_t *payload, size_t bytes,
		 uint32_t rows, const char **reason);
void tables__clear(struct tables *t);

#endif
