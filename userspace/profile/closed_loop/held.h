/* SPDX-License-Identifier: MIT */
/*
 * IOs of a closed loop that are kept back until it is decided when they complete: numbered from 0
 * in the order of submission.
 */
#ifndef BLKREEL_PROFILE_CLOSED_LOOP_HELD_H
#define BLKREEL_PROFILE_CLOSED_LOOP_HELD_H

#include "profile/generate/generator.h"

#define CLOSED_HELD_MAX 16384u /* a power of two */

struct closed_held {
	uint64_t head, tail; /* numbers of the oldest, and of the next */
	struct closed_row *rows;
	/*
	 * 0: not decided. Asked many times for each IO, so it stays in the cache, apart from the
	 * rows.
	 */
	uint64_t *completed_ns;
};

int closed_held_init(struct closed_held *h); /* 0 or -ENOMEM */
void closed_held_release(struct closed_held *h);

/* There must be space for one more. */
void closed_held_add(struct closed_held *h, const struct closed_row *row);

/*
 * Decides that the IO completes so long after its submission, 1 ns at least; nothing if that is
 * decided, or the IO is given already.
 */
void closed_held_decide(struct closed_held *h, uint64_t number, uint64_t latency_ns);

/* Takes the oldest, which must be there and decided. */
void closed_held_take(struct closed_held *h, struct closed_row *row);

static inline bool closed_held_is_empty(const struct closed_held *h)
{
	return h->head == h->tail;
}

static inline bool closed_held_is_full(const struct closed_held *h)
{
	return h->tail - h->head == CLOSED_HELD_MAX;
}

static inline bool closed_held_is_decided(const struct closed_held *h, uint64_t number)
{
	return number < h->head || h->completed_ns[number % CLOSED_HELD_MAX];
}

/* Of one that is decided: 0 when that was too long ago to be known. */
static inline uint64_t closed_held_completed_ns(const struct closed_held *h, uint64_t number)
{
	return number + CLOSED_HELD_MAX >= h->tail ? h->completed_ns[number % CLOSED_HELD_MAX] : 0;
}

/* Of one that is not given yet. */
static inline const struct io_row *closed_held_row(const struct closed_held *h, uint64_t number)
{
	return &h->rows[number % CLOSED_HELD_MAX].row;
}

#endif
