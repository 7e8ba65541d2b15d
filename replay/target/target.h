/* SPDX-License-Identifier: MIT */
/* What a replay is played onto: examined, opened and held, so that it stays what was examined. */
#ifndef BLKREEL_REPLAY_TARGET_TARGET_H
#define BLKREEL_REPLAY_TARGET_TARGET_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "replay/source/atomic.h"
#include "replay/target/io_limits.h"
#include "replay/target/safety.h"
#include "replay/source/source.h"

struct target;

struct target_options {
	const char *path;
	bool writes;	       /* the replay will change what is stored */
	bool dry_run;	       /* all checks for it, but the target is only opened for reading */
	bool buffered;	       /* through the page cache, even where O_DIRECT is possible */
	bool zones;	       /* its source was recorded on a zoned device: it may write to one */
	uint64_t create_bytes; /* > 0: make a new regular file of this size */
	const char *const *forced_signatures;
	unsigned int forced_count;
};

struct target_info {
	char path[PATH_MAX]; /* as the user named it */
	char name[64];	     /* of the kernel for a block device, "" for a file */
	char model[128];     /* may be "" */
	char part_of[64];    /* of a partition: the disk that it is of; else "" */
	char contents[512];  /* signatures that were found, "ext4, gpt"; looked for before writes */
	bool block_device;
	bool direct;	/* O_DIRECT: past the page cache */
	bool buffered;	/* not direct because the page cache was asked for */
	bool exclusive; /* nobody else can mount or claim the device during the replay */
	bool created;	/* by target__open() */
	bool holds_data; /* a regular file with bytes that no replay wrote; looked for before writes */
	bool writes;	 /* the replay will change what is stored */
	bool polled;	 /* the device has queues that can be polled */
	uint64_t size_bytes;
	uint64_t zone_bytes; /* of a zoned device; else 0 */
	struct atomic_units atomic;
	struct io_limits limits; /* of the device; all 0: not known, or buffered */
	uint32_t
		block_bytes; /* offsets and lengths must be multiples of it; buffered: not of reads and writes */
	dev_t device; /* the device itself, or the one that the file lies on */
};

/*
 * Checks every safety rule for what `options` ask, then opens. Nothing has been written when it
 * fails. 0; -EPERM with a rule in `why`: refused; other negative errno with a sentence in `why`.
 */
int target__open(const struct target_options *options, struct target **target, struct refusal *why);
void target__free(struct target *t); /* NULL is allowed */
/* As target__free(), of a target that was not written to. Removes the file if target__open() created it. */
void target__abandon(struct target *t);

/*
 * While it is written to, a file or device is watched: *enough becomes true when another program begins to use it.
 * NULL ends that.
 */
void target__watch(struct target *t, volatile sig_atomic_t *enough);
/* NULL, or who uses the target now; valid until the target is freed. */
const char *target__taken(const struct target *t);

/* What is known of the target; valid until it is freed. */
const struct target_info *target__info(const struct target *t);
/* Its descriptor, which stays the target's. */
int target__fd(const struct target *t);

/* Gives all writes onto the target a write hint, as fcntl(2) numbers it, until it is freed. Nothing happens where
 * the kernel cannot. */
void target__give_hint(struct target *t, unsigned int hint);
/* The write hint that was given; 0: none. */
unsigned int target__hint(const struct target *t);

/* False: the block device has another disk behind it than when it was examined. */
bool target__is_same_disk(const struct target *t);

/* True when `path` is the path of the target, or another path to it. */
bool target__is_at(const struct target *t, const char *path);
/* The same, or its kernel name. */
bool target__is_named(const struct target *t, const char *name);

/* False with half a sentence in *reason: what the target lacks for this op. */
bool target__supports(const struct target *t, enum replay_op op, const char **reason);

#endif
