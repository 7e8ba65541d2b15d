/* SPDX-License-Identifier: MIT */
/*
 * The rules that keep a replay from destroying data that somebody needs. They look only at what the
 * target is; the user's permission is checked elsewhere.
 */
#ifndef BLKREEL_REPLAY_TARGET_SAFETY_H
#define BLKREEL_REPLAY_TARGET_SAFETY_H

#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "replay/target/view.h"

#define REFUSAL_TEXT_MAX 9216 /* two paths and a sentence */

enum safety_rule {
	SAFETY_NO_RULE = 0, /* no rule: the system refused */
	SAFETY_KIND,	    /* neither a block device nor a regular file */
	SAFETY_MISSING,
	SAFETY_EXISTS,
	SAFETY_MOUNTED,
	SAFETY_SWAP,
	SAFETY_HOLDERS,	     /* dm, md or the like sits on it */
	SAFETY_LOOP_BACKING, /* a loop device's data */
	SAFETY_BUSY,	     /* another program has opened it exclusively, or locked it */
	SAFETY_READ_ONLY,
	SAFETY_ZONED,
	SAFETY_SIGNATURE, /* the only rule that --force overrides */
	SAFETY_CHANGED,	  /* it became something else while it was examined */
	SAFETY_EMPTY,	  /* no size */
	SAFETY_SHARED,	  /* another target of the same replay */
	SAFETY_LINK,	  /* another user could have made a link on the way */
	SAFETY_UNKNOWN,	  /* who uses it cannot be known on this machine */
};

/* Why a target is not used: one sentence that names it and the remedy. */
struct refusal {
	enum safety_rule rule;
	char text[REFUSAL_TEXT_MAX];
};

/* Fills `why` and returns -EPERM. */
int refuse(struct refusal *why, enum safety_rule rule, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

struct storage;

/*
 * Checks a target that will be written to, before it is opened: mounted (it, its partitions, what
 * is stacked on them), swap, holders, backing a loop device, read-only. 0; -EPERM: refused by
 * why->rule; other negative errno with SAFETY_NO_RULE: could not find out.
 */
int safety__check_device(const struct safety_view *view, const char *path, dev_t device,
			 struct refusal *why);
/* The same for a zoned device and a source that was not recorded on one. */
int safety__check_zoned(const struct safety_view *view, const char *path, dev_t device,
			struct refusal *why);
/* The same for a regular file. */
int safety__check_file(const struct safety_view *view, const char *path,
		       const struct storage *storage, struct refusal *why);
/* Two targets of one replay: -EPERM when what is written to one changes the other. */
int safety__check_apart(const struct safety_view *view, const char *a, const char *b,
			struct refusal *why);
/* Only whether loop devices use a device or a file. */
int safety__check_loops(const struct safety_view *view, const char *path,
			const struct storage *storage, struct refusal *why);

/* 0; -EPERM with SAFETY_KIND for a directory, character device, FIFO, socket. */
int safety__check_kind(const char *path, mode_t mode, struct refusal *why);

/*
 * Looks for signatures of file systems, partition tables, LVM, RAID, swap and encryption on `fd`
 * (not O_DIRECT) with libblkid. `forced` names those that may be overwritten. `contents` receives
 * the names of all that were found, "" for none. Returns as above.
 */
int safety__check_signatures(const struct safety_view *view, const char *path, int fd,
			     const char *const *forced, unsigned int forced_count, char *contents,
			     size_t contents_bytes, struct refusal *why);

#endif
