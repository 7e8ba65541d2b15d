/* SPDX-License-Identifier: MIT */
/*
 * The rights of this process: which it has, which recording needs, and giving them up once the
 * probes are on. Rights belong to threads: this is for a process that has only one.
 */
#ifndef BLKREEL_COLLECTOR_PRIVILEGES_PRIVILEGES_H
#define BLKREEL_COLLECTOR_PRIVILEGES_PRIVILEGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PRIVILEGES_USER_MAX 64

/* Sets of capabilities are bit masks of these. */
#define PRIVILEGE(capability) (1ull << (capability))

/* What a recorder is when its probes are on. */
struct privileges_plan {
	bool change_user;
	uid_t uid; /* with change_user */
	gid_t gid;
	char user[PRIVILEGES_USER_MAX]; /* "" when the uid has no name */
	uint64_t keep;			/* capabilities without which its files cannot be created */
	uint64_t keep_after;		/* and those that are needed for more of them, later */
};

/* Who records and what will be written, from which a plan is made. */
struct privileges_request {
	const char *user;   /* become this one; NULL: who called sudo, if there is such a one */
	const char *output; /* the trace */
	bool more_files;    /* further files will be created beside it */
};

/* The effective capabilities of this thread. */
uint64_t privileges__effective(void);

/* Are there capabilities (or root) enough to load and attach the probes? */
bool privileges__can_record(void);

/*
 * Why the kernel refused with EPERM to load or attach, and what gives the right. At
 * most `bytes` into `text`.
 */
void privileges__explain_refusal(char *text, size_t bytes);

/* The command that lets this very binary record without root, "setcap ... /usr/sbin/blkreel". */
void privileges__setcap_command(char *text, size_t bytes);

/*
 * Makes the plan: the user that was asked for, or who called sudo if he may write the output
 * himself. On error `message` (COLLECTOR_MESSAGE_MAX bytes) says why: -ENOENT: no such user;
 * -EPERM: only root can become another; what output_file__check() says of the output.
 */
int privileges__plan(const struct privileges_request *request, struct privileges_plan *plan,
		     char *message);

/* Becomes the user of the plan, if it has one; capabilities stay permitted. 0 or negative errno. */
int privileges__become_user(const struct privileges_plan *plan);

/*
 * Gives up every capability but those in `keep`, for ever: permitted, effective, inheritable, ambient
 * and, where allowed, bounding; no program that is executed can get any back. `works` tells
 * whether the probes can still be read (0, or -EPERM: then CAP_BPF is kept, too). *kept receives
 * what is left. May be called again with less to keep. 0 or negative errno.
 */
int privileges__drop(uint64_t keep, int (*works)(void *context), void *context, uint64_t *kept);

/*
 * What a recorder does once its probes are on, before it makes a thread: becomes the user of the plan, keeps
 * what creating `path` needs, and says what it keeps. Then, when that is there, the rest. `works`
 * as for privileges__drop(). 0 or negative errno.
 */
int privileges__give_up(const struct privileges_plan *plan, const char *path,
			int (*works)(void *context), void *context);
int privileges__give_up_rest(const struct privileges_plan *plan, int (*works)(void *context),
			     void *context);

#endif
