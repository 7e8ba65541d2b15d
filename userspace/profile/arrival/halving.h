/* SPDX-License-Identifier: MIT */
/*
 * How many IOs of an interval of time fall into its first half: drawn from the profile's tables, leaning towards the
 * busier neighbour, with no more at a seam of two intervals than any interval ever had.
 */
#ifndef BLKREEL_PROFILE_ARRIVAL_HALVING_H
#define BLKREEL_PROFILE_ARRIVAL_HALVING_H

#include "profile/arrival/burst_marks.h"
#include "profile/arrival/split.h"
#include "profile/prng.h"
#include "profile/profile.h"

/* Of fewer, what an interval had at most says little of one that begins elsewhere. */
#define SEAM_WINDOWS 60

/* The last so many halvings only say which of a few IOs lie close together, not where these are. */
#define HALVINGS_OF_ROOM 4

/* An interval of time and how many IOs fall into it. */
struct halving_node {
	uint64_t begin_ns, end_ns;
	/* It, or a longer one with no other IOs, in which they may lie. */
	uint64_t room_begin_ns, room_end_ns;
	uint64_t ios;
	uint64_t marks[BURST_MARKS];
	uint32_t level; /* halvings so far */
	uint64_t index; /* of the interval among all of its level */
	/* What comes after it, of an interval that was halved right_shift times less. */
	uint64_t right_ios[KINDS];
	unsigned int right_shift;
	int burst; /* index of the one that it holds; -1: none */
};

struct halving {
	const struct profile_arrival *model;
	struct halves_rows rows[KINDS];
	/* The last interval of each level that holds an IO. */
	struct {
		uint64_t index, ios[KINDS];
	} before[PROFILE_HALVINGS_MAX + 1];
};

/* The model stays the caller's, and must outlive it. */
void halving_init(struct halving *h, const struct profile_arrival *model);

/* Begins again with the first window. */
void halving_restart(struct halving *h);

/* IOs of a kind. */
static inline uint64_t halving_ios(const struct halving_node *node, enum io_kind kind)
{
	uint64_t reads = node->marks[MARK_READS];

	return kind == KIND_ALL ? node->ios : kind == KIND_READS ? reads : node->ios - reads;
}

static inline void halving_own_room(struct halving_node *node)
{
	node->room_begin_ns = node->begin_ns;
	node->room_end_ns = node->end_ns;
}

/* Whether a half may have the room of both, when all IOs fall into it. */
static inline bool halving_keeps_room(const struct profile_arrival *model,
				      const struct halving_node *half)
{
	return half->level + HALVINGS_OF_ROOM > model->halvings;
}

/* Comes for each interval that holds an IO, in order of time, before it is halved. */
void halving_enter(struct halving *h, const struct halving_node *node);

/* IOs of the first half; *reads of them, where the profile says how these fall, else it is left alone. */
uint64_t halving_draw(const struct halving *h, const struct halving_node *node, struct prng *random,
		      uint64_t *reads);

/*
 * IOs of the first half of an interval around one of the busiest moments (node->burst), which lies in the second half or
 * not; *reads of them.
 */
uint64_t halving_kept(const struct profile_arrival *model, const struct halving_node *node,
		      bool second_half, uint64_t *reads);

/* Turns an interval of one IO into its leaf: one of both halves is empty each time. */
void halving_follow_one(struct halving *h, struct halving_node *node, struct prng *random);

#endif
