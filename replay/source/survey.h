/* SPDX-License-Identifier: MIT */
/*
 * The first pass over a source: what it needs of a target, so that a replay is refused before its
 * first IO.
 */
#ifndef BLKREEL_REPLAY_SOURCE_SURVEY_H
#define BLKREEL_REPLAY_SOURCE_SURVEY_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/source/atomic.h"
#include "replay/source/source.h"

struct replay_survey {
	uint64_t ios;
	uint64_t ops[REPLAY_OP_COUNT];
	uint64_t bytes[REPLAY_OP_COUNT];
	uint64_t preflushes;		     /* writes that flush first */
	uint64_t end_bytes[REPLAY_OP_COUNT]; /* highest end of an IO */
	uint64_t longest_bytes[REPLAY_OP_COUNT];
	struct atomic_survey atomic;
	uint32_t hints; /* bits: the write hints of the writes, bit 0 of those without one */
	uint64_t last_due_ns;
	uint64_t submitters;	      /* IOs whose submitter is known */
	uint64_t completions;	      /* IOs whose time of completion is known */
	uint64_t flush_machinery_ios; /* left out: the kernel sends them for writes that flush */
};

/* Counts an IO. */
void replay_survey__add(struct replay_survey *s, const struct replay_io *io);

/* The number of IOs that change data. */
uint64_t replay_survey__changes(const struct replay_survey *s);

#endif
