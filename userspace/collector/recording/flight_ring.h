/* SPDX-License-Identifier: MIT */
/*
 * The newest part of a recording, in memory: a sequence of segments, each a trace made by the trace
 * writer. The oldest segment is dropped when the later ones cover the time to keep, or when all
 * together are too large. The requested time or size is kept in full, and up to 1/32 more.
 */
#ifndef BLKREEL_COLLECTOR_RECORDING_FLIGHT_RING_H
#define BLKREEL_COLLECTOR_RECORDING_FLIGHT_RING_H

#include "trace/file/reader.h"
#include "trace/file/writer.h"

struct flight_ring;

/* `keep_ns` 0: limited by `keep_bytes` alone, which is never 0. 0 or -ENOMEM. */
int flight_ring__create(uint64_t keep_ns, uint64_t keep_bytes, struct flight_ring **ring);
void flight_ring__free(struct flight_ring *ring); /* NULL is allowed; its views stay valid */

/* Closes the current segment and begins one at host->start_ns. The ring owns the writer. 0 or
 * negative errno; on error the current segment is closed, too. */
int flight_ring__next(struct flight_ring *ring, const struct trace_host *host,
		      struct trace_writer **writer);
/* Whether the current segment has reached its length or its size. */
bool flight_ring__is_due(const struct flight_ring *ring, uint64_t now_ns);
/* Drops segments that are too old or exceed the size. */
void flight_ring__trim(struct flight_ring *ring, uint64_t now_ns);

uint64_t flight_ring__from_ns(const struct flight_ring *ring); /* start of the oldest segment */
uint64_t flight_ring__bytes(const struct flight_ring *ring);   /* memory of all segments */
uint64_t flight_ring__io_rows(const struct flight_ring *ring); /* IO rows in all segments */
/* Whether the size limit has dropped rows that were young enough to keep. */
bool flight_ring__is_cut_by_size(const struct flight_ring *ring);

/* The contents of the ring at a moment, for a reader in another thread while the ring goes on. */
struct flight_view;

/* A view of all blocks written so far. 0 or -ENOMEM. */
int flight_view__create(struct flight_ring *ring, struct flight_view **view);
void flight_view__free(struct flight_view *view); /* NULL is allowed */

/* The start of the first segment. */
void flight_view__begin(const struct flight_view *view, uint64_t *start_ns,
			uint64_t *start_wall_ns);
/* Takes the oldest segment off the view. 1: *reader reads it; freeing the reader releases its
 * memory, unless the ring still holds it. 0: none is left; negative errno. */
int flight_view__take(struct flight_view *view, struct trace_reader **reader);

#endif
