/* SPDX-License-Identifier: MIT */
/* Counts what the IOs of intervals are while a profile is built: docs/profile-format.md, "reads". */
#ifndef BLKREEL_PROFILE_BUILD_MARKS_H
#define BLKREEL_PROFILE_BUILD_MARKS_H

#include "profile/arrival/burst_marks.h"
#include "profile/arrival/filled_parts.h"

struct mark_trees;

/* `above_bytes`: the sizes that are told apart, as in struct profile_larger. 0 or -ENOMEM. */
int mark_trees__create(uint32_t halvings, const uint64_t above_bytes[PROFILE_LARGER],
		       struct mark_trees **trees);
void mark_trees__free(struct mark_trees *t); /* NULL is allowed */

/* Before the first IO: windows are halved less often. */
void mark_trees__set_halvings(struct mark_trees *t, uint32_t halvings);

/* An IO in a leaf of the window that is being filled. */
void mark_trees__add(struct mark_trees *t, uint64_t leaf, bool is_read, unsigned int class);

/* Counts how the parts of a window fall into their halves. */
void mark_trees__halve(struct mark_trees *t, const struct filled_parts *filled);

/* The reads of a burst whose place is known; only between halving and closing its window. */
void mark_trees__note_burst(const struct mark_trees *t, struct profile_burst *burst);

/* Takes back how reads and others fell into halves around a burst, whose window has so many IOs and is closed. */
void mark_trees__forget_burst(struct mark_trees *t, const struct profile_burst *burst,
			      uint64_t window_ios);

/* Ends a window after all of its parts. */
void mark_trees__close(struct mark_trees *t, uint32_t window, const struct filled_parts *filled);

/* Fills `reads`, its tables and `larger`; the windows and their IOs are there. */
void mark_trees__finish(struct mark_trees *t, uint32_t phases, struct profile_arrival *arrival);

#endif
