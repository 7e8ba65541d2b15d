/* SPDX-License-Identifier: MIT */
/*
 * The tables of a trace that is put together from rows of others: an entry is added, under a new
 * id, when the first row that refers to it comes.
 */
#ifndef BLKREEL_TRACE_STREAMS_COPY_IDS_H
#define BLKREEL_TRACE_STREAMS_COPY_IDS_H

#include "trace/streams/merge.h"
#include "trace/file/writer.h"

struct copy_ids;

/* For rows of `stream`, written to `writer`. NULL: no memory. */
struct copy_ids *copy_ids__new(struct trace_writer *writer, const struct trace_stream *stream);
void copy_ids__free(struct copy_ids *ids); /* NULL is allowed */

/*
 * Each replaces *id of the source's table, read by `reader`, with that of the copy. An id without
 * an entry keeps having none. A device that another source has too, by its host's name and its
 * own, is the same; one that has the name of another in an earlier source becomes "HOST:NAME".
 * 0; -E2BIG: more entries than a trace may hold; other negative errno.
 */
int copy_ids__device(struct copy_ids *ids, unsigned int source, const struct trace_reader *reader,
		     uint32_t *id);
int copy_ids__task(struct copy_ids *ids, unsigned int source, const struct trace_reader *reader,
		   uint32_t *id);
int copy_ids__file(struct copy_ids *ids, unsigned int source, const struct trace_reader *reader,
		   uint32_t *id);
int copy_ids__cgroup(struct copy_ids *ids, unsigned int source, const struct trace_reader *reader,
		     uint32_t *id);

#endif
