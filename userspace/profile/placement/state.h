/* SPDX-License-Identifier: MIT */
/* What the parts of the placement share; only placement/ includes it. */
#ifndef BLKREEL_PROFILE_PLACEMENT_STATE_H
#define BLKREEL_PROFILE_PLACEMENT_STATE_H

#include "base/units.h"
#include "profile/arithmetic.h"
#include "profile/placement/address_space.h"
#include "profile/placement/feedback.h"
#include "profile/placement/place_rules.h"
#include "profile/placement/run_starts.h"
#include "workload/figures/recent_ends.h"
#include "workload/lru/lru_stack.h"

/* Exact sizes up to so many blocks are kept apart, larger ones by power of two. */
#define EXACT_CLASSES 32u
#define START_CLASSES (EXACT_CLASSES + 16)

/* What is drawn from again and again, of a stream and a size. */
struct reuse_weights {
	uint32_t at; /* factors_at of the factors that it was made with */
	unsigned int end;
	uint64_t sum, weights[PROFILE_REUSE_OCTAVES];
};

struct placement {
	const struct profile *p;
	struct address_space space;
	struct lru_stack *stack;
	struct run_starts starts[2][START_CLASSES]; /* first blocks of reads, of writes, by size */
	struct feedback feedback;
	uint32_t requests; /* so far */
	/*
	 * Backlog: requests of reads and of writes that should have continued a run; and its limit.
	 */
	unsigned int backlog[2], backlog_max[2];
	struct recent_ends ends[2]; /* of reads, of writes */
	/* Blocks of the last request, not touched yet: what that needs is fetched meanwhile. */
	uint64_t first, count;
	bool writes;
	unsigned int start_class;
	uint32_t factors_at; /* how often the factors were set */
	struct reuse_weights reuse[PROFILE_STREAMS_MAX][PROFILE_REUSE_SIZES];
	struct place_rules rules;
};

/* Row of placement.starts for requests of so many bytes (more than 0). */
static inline unsigned int start_class(uint64_t bytes)
{
	uint64_t blocks = (bytes + PAGE_BYTES - 1) / PAGE_BYTES;

	return blocks <= EXACT_CLASSES
		       ? (unsigned int)blocks - 1
		       : at_most(EXACT_CLASSES + bits_of(blocks - 1) - 6, START_CLASSES - 1);
}

/*
 * What a request should touch: a block of this age (0: new) and, if known, which op touched it
 * last.
 */
struct wanted {
	unsigned int octave;
	bool last_op_known, after_write;
};

/* Cost of a block of this age: 0 if such blocks lack, up to 6 if too many came. */
static inline unsigned int surplus(const struct placement *s, unsigned int octave, bool is_write)
{
	uint32_t factor = feedback_factor(&s->feedback, octave, is_write);

	return factor >= 2 * FACTOR_EVEN  ? 0
	       : factor >= FACTOR_EVEN	  ? 1
	       : factor > FACTOR_EVEN / 2 ? 3
					  : 6;
}

/*
 * Sets row->sector for row->bytes to a start of the same size near the wanted age, else to a block
 * of that age. False: neither is a place for it; row->sector may have changed.
 */
bool place_again(const struct placement *s, const struct wanted *wanted, struct prng *random,
		 struct io_row *row, const struct recent_ends *ends);

/*
 * Sets row->sector for row->bytes to the end of the run that suits best what the stream does: how
 * new the block, how recent the run. *unfit: too many new blocks came and the run goes
 * to more of them, or new ones are wanted and it goes to old ones. False: there is no run that it
 * can continue.
 */
bool continue_run(const struct placement *s, unsigned int stream, const struct wanted *wanted,
		  struct prng *random, struct io_row *row, const struct recent_ends *ends,
		  bool *unfit);

#endif
