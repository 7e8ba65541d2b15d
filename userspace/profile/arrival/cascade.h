/* SPDX-License-Identifier: MIT */
/*
 * How many IOs of an interval of time fall into its first half: drawn from the profile's tables, leaning towards the
 * busier neighbour, with no more at a seam of two intervals than any interval ever had.
 */
#ifndef BLKREEL_PROFILE_ARRIVAL_CASCADE_H
#define BLKREEL_PROFILE_ARRIVAL_CASCADE_H

#include "profile/arrival/class_counts.h"
#include "profile/arrival/split_rows.h"
#include "profile/prng.h"
#include "profile/profile.h"

/* Of fewer, what an interval had at most says little of one that begins elsewhere. */
#define SEAM_WINDOWS 60

/* The last so many splits only say which of a few IOs lie close together, not where these are. */
#define SLACK_LEVELS 4

/* An interval of time and how many IOs fall into it. */
struct cascade_node {
	uint64_t begin_ns, end_ns;
	/* It, or a longer one with no other IOs, in which they may lie. */
	uint64_t slack_begin_ns, slack_end_ns;
	uint64_t ios;
	uint64_t counts[CLASS_COUNTS];
	uint32_t level; /* splits so far */
	uint64_t index; /* of the interval among all of its level */
	/* What comes after it, of an interval that was halved right_shift times less. */
	uint64_t right_ios[KINDS];
	unsigned int right_shift;
	int burst; /* index of the one that it holds; -1: none */
};

struct cascade {
	const struct profile_arrival *model;
	struct split_rows rows[KINDS];
	/* The last interval of each level that holds an IO. */
	struct {
		uint64_t index, ios[KINDS];
	} before[PROFILE_SPLIT_LEVELS_MAX + 1];
};

/* The model stays the caller's, and must outlive it. */
void cascade_init(struct cascade *h, const struct profile_arrival *model);

/* Begins again with the first window. */
void cascade_restart(struct cascade *h);

/* IOs of a kind. */
static inline uint64_t cascade_ios(const struct cascade_node *node, enum io_kind kind)
{
	uint64_t reads = node->counts[COUNT_READS];

	return kind == KIND_ALL ? node->ios : kind == KIND_READS ? reads : node->ios - reads;
}

static inline void cascade_own_slack(struct cascade_node *node)
{
	node->slack_begin_ns = node->begin_ns;
	node->slack_end_ns = node->end_ns;
}

/* Whether a half may have the room of both, when all IOs fall into it. */
static inline bool cascade_keeps_slack(const struct profile_arrival *model,
				       const struct cascade_node *half)
{
	return half->level + SLACK_LEVELS > model->split_levels;
}

/* Comes for each interval that holds an IO, in order of time, before it is halved. */
void cascade_enter(struct cascade *h, const struct cascade_node *node);

/* IOs of the first half; *reads of them, where the profile says how these fall, else it is left alone. */
uint64_t cascade_draw(const struct cascade *h, const struct cascade_node *node, struct prng *random,
		      uint64_t *reads);

/*
 * IOs of the first half of an interval around one of the busiest moments (node->burst), which lies in the second half or
 * not; *reads of them.
 */
uint64_t cascade_pinned(const struct profile_arrival *model, const struct cascade_node *node,
			bool second_half, uint64_t *reads);

/* Turns an interval of one IO into its bin: one of both halves is empty each time. */
void cascade_follow_one(struct cascade *h, struct cascade_node *node, struct prng *random);

#endif
