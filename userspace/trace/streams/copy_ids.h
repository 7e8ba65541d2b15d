/* SPDX-License-Identifier: MIT */
/*
 * The tables of a trace that is made from rows of others: an entry is added, under a new id, at the
 * first row that refers to it.
 */
#ifndef BLKREEL_TRACE_STREAMS_COPY_IDS_H
#define BLKREEL_TRACE_STREAMS_COPY_IDS_H

#include "trace/streams/merge.h"
#include "trace/file/writer.h"

struct copy_ids;

/* For rows of `stream`, written to `writer`; both stay the caller's. NULL: no memory. */
struct copy_ids *copy_ids__new(struct trace_writer *writer, const struct trace_stream *stream);
void copy_ids__free(struct copy_ids *ids); /* NULL is allowed */

/*
 * Each replaces *id, of the source's table in `reader`, by the id in the copy. An id without an
 * entry still has none. Devices with equal names on equal hosts are the same device in the copy, and so
 * are equal tasks, files, cgroups and stacks. A device with the name of another device in an
 * earlier source becomes "HOST:NAME". 0; -E2BIG: more
 * entries than a trace may hold; other negative errno.
 */
int copy_ids__device(struct copy_ids *ids, unsigned int source, const struct trace_reader *reader,
		     uint32_t *id);
int copy_ids__task(struct copy_ids *ids, unsigned int source, const struct trace_reader *reader,
		   uint32_t *id);
int copy_ids__file(struct copy_ids *ids, unsigned int source, const struct trace_reader *reader,
		   uint32_t *id);
int copy_ids__cgroup(struct copy_ids *ids, unsigned int source, const struct trace_reader *reader,
		     uint32_t *id);
int copy_ids__stack(struct copy_ids *ids, unsigned int source, const struct trace_reader *reader,
		    uint32_t *id);

#endif
