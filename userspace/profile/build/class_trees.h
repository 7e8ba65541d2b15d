/* SPDX-License-Identifier: MIT */
/*
 * Counts reads and size classes of intervals while a profile is built: docs/profile-format.md,
 * "reads".
 */
#ifndef BLKREEL_PROFILE_BUILD_CLASS_TREES_H
#define BLKREEL_PROFILE_BUILD_CLASS_TREES_H

#include "profile/arrival/class_counts.h"
#include "profile/arrival/filled_parts.h"

struct class_trees;

/*
 * `above_bytes`: lower limits of the size classes, as in struct profile_size_class. 0 or -ENOMEM.
 */
int class_trees__create(uint32_t split_levels, const uint64_t above_bytes[PROFILE_SIZE_CLASSES],
			struct class_trees **trees);
void class_trees__free(struct class_trees *t); /* NULL is allowed */

/* Before the first IO: sets fewer levels. */
void class_trees__set_split_levels(struct class_trees *t, uint32_t split_levels);

/* Adds an IO to a bin of the window that is being filled. */
void class_trees__add(struct class_trees *t, uint64_t bin, bool is_read, unsigned int class);

/* Counts the splits of a window's intervals. */
void class_trees__split(struct class_trees *t, const struct filled_parts *filled);

/* Fills reads and size classes of a burst; only between splitting and closing its window. */
void class_trees__note_burst(const struct class_trees *t, struct profile_pinned_burst *burst);

/* Takes back the splits around a burst whose window has so many IOs and is closed. */
void class_trees__forget_burst(struct class_trees *t, const struct profile_pinned_burst *burst,
			       uint64_t window_ios);

/* Closes a window after all of its IOs. */
void class_trees__close(struct class_trees *t, uint32_t window, const struct filled_parts *filled);

/* Fills the reads, their tables and the size classes; windows and their IOs are filled already. */
void class_trees__finish(struct class_trees *t, uint32_t phases, struct profile_arrival *arrival);

#endif
