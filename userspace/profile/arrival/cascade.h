/* SPDX-License-Identifier: MIT */
/*
 * The multiplicative cascade: how many IOs of an interval fall into its first half. The number is
 * drawn from the profile's split distributions, the side by the correlation with the neighbours,
 * and two intervals that meet never exceed the peak cap. docs/profile-model.md.
 */
#ifndef BLKREEL_PROFILE_ARRIVAL_CASCADE_H
#define BLKREEL_PROFILE_ARRIVAL_CASCADE_H

#include "profile/arrival/class_counts.h"
#include "profile/arrival/period.h"
#include "profile/arrival/split_rows.h"
#include "profile/prng.h"
#include "profile/profile.h"

/* With fewer windows the peak cap says little of intervals that begin elsewhere. */
#define SEAM_WINDOWS 60

/* The last levels say which of a few IOs lie close together, but not where: there is slack. */
#define SLACK_LEVELS 4

/* A node of the cascade: an interval of time and how many IOs fall into it. */
struct cascade_node {
	uint64_t begin_ns, end_ns;
	/* The interval in which the IOs may lie: this one, or a longer one without other IOs. */
	uint64_t slack_begin_ns, slack_end_ns;
	uint64_t ios;
	uint64_t counts[CLASS_COUNTS];
	uint32_t level; /* of the window so far */
	uint64_t index; /* of the interval among all intervals of its level */
	/* IOs of the interval after this one, which was split right_shift times less. */
	uint64_t right_ios[KINDS];
	unsigned int right_shift;
	int burst; /* index of the pinned burst that it holds; -1: none */
};

struct cascade {
	const struct profile_arrival *model;
	struct split_rows rows[KINDS];
	struct period periods[KINDS];
	bool gaps_known; /* otherwise bins are split, too */
	/* The last interval of each level that holds IOs. */
	struct {
		uint64_t index, ios[KINDS];
	} before[PROFILE_SPLIT_LEVELS_MAX + 1];
};

/* The profile is the caller's and must outlive the cascade. */
void cascade_init(struct cascade *h, const struct profile *p, bool gaps_known);

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

/* Whether a half that gets all IOs may keep the slack of the whole. */
static inline bool cascade_keeps_slack(const struct profile_arrival *model,
				       const struct cascade_node *half)
{
	return half->level + SLACK_LEVELS > model->split_levels;
}

/* Call this for each interval that holds an IO, in order of time, before it is split. */
void cascade_enter(struct cascade *h, const struct cascade_node *node);

/*
 * IOs of the first half, and *reads of them if the profile splits reads and others apart; otherwise
 * *reads stays as it is.
 */
uint64_t cascade_draw(const struct cascade *h, const struct cascade_node *node, struct prng *random,
		      uint64_t *reads);

/*
 * IOs of the first half of an interval around a pinned burst (node->burst), which lies in the
 * second half or not; *reads of them.
 */
uint64_t cascade_pinned(const struct profile_arrival *model, const struct cascade_node *node,
			bool second_half, uint64_t *reads);

/* Follows a single IO down to its bin: one of both halves is empty each time. */
void cascade_follow_one(struct cascade *h, struct cascade_node *node, struct prng *random);

#endif
