/* SPDX-License-Identifier: MIT */
/*
 * The newest part of a recording, in memory: a row of segments, each a trace as the trace writer
 * makes it. The oldest goes when what follows it is enough, or when all together are too large.
 * What is asked for is kept whole, and up to a 32nd part more, of time or of size.
 */
#ifndef BLKREEL_COLLECTOR_RECORDING_FLIGHT_RING_H
#define BLKREEL_COLLECTOR_RECORDING_FLIGHT_RING_H

#include "trace/file/reader.h"
#include "trace/file/writer.h"

struct flight_ring;

/* `keep_ns` 0: as long as `keep_bytes` last, which is never 0. -ENOMEM. */
int flight_ring__create(uint64_t keep_ns, uint64_t keep_bytes, struct flight_ring **ring);
void flight_ring__free(struct flight_ring *ring); /* NULL is allowed; views of it stay */

/* Closes the segment that is written and begins one at host->start_ns, whose writer stays the
 * ring's. 0 or negative errno; then the segment before is closed all the same. */
int flight_ring__next(struct flight_ring *ring, const struct trace_host *host,
		      struct trace_writer **writer);
/* Whether the segment is as long or as large as it should become. */
bool flight_ring__is_due(const struct flight_ring *ring, uint64_t now_ns);
/* Lets go of what is too old or too much. */
void flight_ring__trim(struct flight_ring *ring, uint64_t now_ns);

uint64_t flight_ring__from_ns(const struct flight_ring *ring); /* the first segment's beginning */
uint64_t flight_ring__bytes(const struct flight_ring *ring);   /* of memory, for all segments */
uint64_t flight_ring__io_rows(const struct flight_ring *ring); /* in all segments */
/* Size has cost rows that were not too old yet. */
bool flight_ring__is_cut_by_size(const struct flight_ring *ring);

/* What the ring holds at a moment, to be read by another thread while the ring goes on. */
struct flight_view;

/* All blocks that were written so far. -ENOMEM. */
int flight_view__create(struct flight_ring *ring, struct flight_view **view);
void flight_view__free(struct flight_view *view); /* NULL is allowed */

/* When the first segment began. */
void flight_view__begin(const struct flight_view *view, uint64_t *start_ns,
			uint64_t *start_wall_ns);
/* Takes the oldest segment off the view: 1, and a reader of it, with which its memory goes as far as
 * the ring has let go of it; 0: there is none left; negative errno. */
int flight_view__take(struct flight_view *view, struct trace_reader **reader);

#endif
