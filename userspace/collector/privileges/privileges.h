/* SPDX-License-Identifier: MIT */
/*
 * The capabilities of this process: which it has, which recording needs, and how to drop them once
 * the probes are attached. Capabilities belong to threads: these functions are for a process with a
 * single thread.
 */
#ifndef BLKREEL_COLLECTOR_PRIVILEGES_PRIVILEGES_H
#define BLKREEL_COLLECTOR_PRIVILEGES_PRIVILEGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PRIVILEGES_USER_MAX   64
#define PRIVILEGES_GROUPS_MAX 64

/* Capability sets are bit masks of these. */
#define PRIVILEGE(capability) (1ull << (capability))

/* The user and capabilities of a recorder once its probes are attached. */
struct privileges_plan {
	bool change_user;
	uid_t uid; /* valid with change_user */
	gid_t gid;
	char user[PRIVILEGES_USER_MAX]; /* "": the uid has no name */
	uint64_t keep;			/* capabilities needed to create the first file */
	uint64_t keep_after;		/* and to create more files later */
};

/* Who records and what is written: the input of a plan. */
struct privileges_request {
	const char *user;   /* user to become; NULL: the one who called sudo, if any */
	const char *output; /* path of the trace */
	bool more_files;    /* more files will be created next to it */
};

/* The effective capabilities of this thread. */
uint64_t privileges__effective(void);

/* Whether the capabilities suffice to load and attach the probes. */
bool privileges__can_record(void);

/*
 * Writes a sentence into `text` (at most `bytes`): why the kernel refused with EPERM to load or
 * attach, and the remedy.
 */
void privileges__explain_refusal(char *text, size_t bytes);

/* Writes the command that lets this binary record without root: "setcap ... /usr/sbin/blkreel". */
void privileges__setcap_command(char *text, size_t bytes);

/*
 * Makes the plan: the requested user, or the one who called sudo if that user may write the output.
 * On error `message` (COLLECTOR_MESSAGE_MAX bytes) says why: -ENOENT: no such user; -EPERM: only
 * root can become another user; or the error of output_file__check().
 */
int privileges__plan(const struct privileges_request *request, struct privileges_plan *plan,
		     char *message);

/* Becomes the user of the plan, if it has one; capabilities stay permitted. 0 or negative errno. */
int privileges__become_user(const struct privileges_plan *plan);

/*
 * From here on this thread opens and creates files as the user of the plan, if it has one: with the
 * rights of that user, who owns what is new. All else stays as it is, until
 * privileges__return_files(). 0 or negative errno.
 */
struct borrowed_files {
	bool is_borrowed;
	uid_t uid;
	gid_t gid, groups[PRIVILEGES_GROUPS_MAX];
	int group_count;
};
int privileges__borrow_files(const struct privileges_plan *plan, struct borrowed_files *borrowed);
void privileges__return_files(const struct borrowed_files *borrowed);

/*
 * Drops every capability but those in `keep`, for good: permitted, effective, inheritable, ambient
 * and, where allowed, bounding; no executed program can regain one. `works` tests whether the
 * probes can still be read (0, or -EPERM: then CAP_BPF is kept, too). *kept receives the remaining
 * set. May be called again with a smaller set. 0 or negative errno.
 */
int privileges__drop(uint64_t keep, int (*works)(void *context), void *context, uint64_t *kept);

/*
 * Called once the probes are attached and before any thread is created: becomes the user of the
 * plan, keeps what creating `path` needs, and logs what is kept. privileges__give_up_rest() drops
 * the rest after `path` was created. `works` as for privileges__drop(). 0 or negative errno.
 */
int privileges__give_up(const struct privileges_plan *plan, const char *path,
			int (*works)(void *context), void *context);
int privileges__give_up_rest(const struct privileges_plan *plan, int (*works)(void *context),
			     void *context);

#endif
