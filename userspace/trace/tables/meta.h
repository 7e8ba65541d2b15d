/* SPDX-License-Identifier: MIT */
/* The metadata blocks: converts table entries to JSON and back. Keys are the fields' names. */
#ifndef BLKREEL_TRACE_TABLES_META_H
#define BLKREEL_TRACE_TABLES_META_H

#include <jansson.h>

#include "trace/format.h"

/* Each returns a new reference; NULL: no memory. */
json_t *meta_from_host(const struct trace_host *host);
json_t *meta_from_device(const struct trace_device *device);
json_t *meta_from_task(const struct trace_task *task);
json_t *meta_from_file(const struct trace_file *file);
json_t *meta_from_cgroup(const struct trace_cgroup *cgroup);
json_t *meta_from_stack(const struct trace_stack *stack);
json_t *meta_from_tier(const struct trace_tier *tier);
json_t *meta_from_summary(const struct trace_summary *summary);

/* One entry of the index: a block of rows. */
struct index_entry {
	uint64_t offset;
	uint64_t first_ns, last_ns;
	uint32_t rows;
	uint8_t kind; /* enum block_kind */
};

json_t *meta_from_index(const struct index_entry *entry);

/* The content of the end block. */
struct end_mark {
	uint64_t index_at; /* offset of the first index block; 0: there is none */
	uint64_t blocks;   /* of rows */
	uint64_t rows[ROW_KIND_COUNT];
};

json_t *meta_from_end(const struct end_mark *end);

/*
 * The reverse. Unknown keys are ignored, missing keys are 0 or "". 0; -EBADMSG: a value of a wrong
 * type, out of range or too long; -ENOMEM.
 */
int meta_to_host(const json_t *object, struct trace_host *host);
int meta_to_summary(const json_t *object, struct trace_summary *summary);
int meta_to_end(const json_t *object, struct end_mark *end);
int meta_to_index(const json_t *array, struct index_entry *entry);

/* The same for entries: *entry is one allocation, to be freed with free(). */
int meta_to_device(const json_t *object, struct trace_device **entry);
int meta_to_task(const json_t *object, struct trace_task **entry);
int meta_to_file(const json_t *object, struct trace_file **entry);
int meta_to_cgroup(const json_t *object, struct trace_cgroup **entry);
int meta_to_stack(const json_t *object, struct trace_stack **entry);
int meta_to_tier(const json_t *object, struct trace_tier **entry);

#endif
