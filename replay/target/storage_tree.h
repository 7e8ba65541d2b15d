/* SPDX-License-Identifier: MIT */
/* All that a storage lies on, and whether two storages lie on the same sectors. */
#ifndef BLKREEL_REPLAY_TARGET_STORAGE_TREE_H
#define BLKREEL_REPLAY_TARGET_STORAGE_TREE_H

#include <stdint.h>

#include "replay/target/storage.h"

enum storage_overlap {
	STORAGE_APART = 0,
	STORAGE_SHARED, /* what is written to one changes the other */
	STORAGE_UNKNOWN,
};

enum storage_step {
	STEP_ITSELF = 0,
	STEP_LOOP,   /* the file or the device of a loop device */
	STEP_MAPPED, /* what a device of the device mapper, md, bcache ... is made of */
};

/* The sectors of a disk, or a file. */
struct storage_level {
	struct storage at;
	uint64_t start, end; /* sectors of at.disk (or of the thin device) */
	int64_t thin;	     /* number of a thin device of the pool `at`; or DM_NO_THIN */
	short parent;	     /* the level that lies on this one; the first has -1 */
	enum storage_step step;
	bool placed;	 /* false: a partition, and where it begins is not known */
	bool reads_only; /* what is written to the parent does not change it */
};

#define STORAGE_LEVELS_MAX 256

/* Itself first, each level behind its parent. */
struct storage_tree {
	unsigned int count;
	bool cut;     /* there are more levels */
	bool guessed; /* a table could not be read: all of the devices below are taken */
	struct storage_level levels[STORAGE_LEVELS_MAX];
};

/* Where two storages meet. */
struct storage_meeting {
	const struct storage_level *level;
	uint64_t start, end; /* sectors of level->at.disk */
	bool pool;	     /* one is a thin device, the other all of its pool */
};

/* Follows loop devices, the device mapper and all that has "slaves" in sysfs downwards. */
void storage_tree__follow(const struct safety_view *view, const struct storage *s,
			  struct storage_tree *tree);

/* Whether writing to `a` changes `b`. `meeting`: where, of STORAGE_SHARED; or NULL. */
enum storage_overlap storage_tree__overlap(const struct storage_tree *a,
					   const struct storage_tree *b,
					   struct storage_meeting *meeting);

/* True when a level is below the device mapper, md, bcache ... */
bool storage_tree__is_mapped(const struct storage_tree *tree);

/* True when one of the levels is this disk, or a partition of it. */
bool storage_tree__has_disk(const struct storage_tree *tree, dev_t disk);

#endif
