/* SPDX-License-Identifier: MIT */
/* Profiles as job files of fio, and job files as profiles: what the two have in common. */
#ifndef BLKREEL_JOBS_FIO_H
#define BLKREEL_JOBS_FIO_H

#include "profile/profile.h"

/*
 * The nearest job file, with comments on what it cannot express. 0, -EIO, or -ENODATA: fio has no
 * job for any stream.
 */
int profile__to_fio(const struct profile *p, FILE *out);

/* Says what of a job file was not understood or had to be assumed: one sentence. */
typedef void (*fio_note)(const char *text, void *context);

/*
 * A profile of what the jobs of a file ask for; `path` is where it lies, for its include lines, or
 * NULL. 0 and *profile to be freed; -EINVAL and a sentence
 * with the line in `message`; -ENOMEM or what reading failed with, and an empty message.
 */
int profile__from_fio(FILE *in, const char *path, fio_note note, void *context,
		      struct profile **profile, char message[PROFILE_MESSAGE_MAX]);

/* Jobs of a file that run together: those from one that waits to the next. */
struct fio_group {
	char name[64];	     /* of the jobs, with + between them */
	bool rated;	     /* each job says how fast its IOs come */
	bool buffered;	     /* each job goes through the page cache, as without direct=1 */
	bool is_timed;	     /* a job goes on until its runtime is over */
	bool writes;	     /* or trims */
	uint64_t runtime_ns; /* of the longest, without ramp; 0: none has one */
	uint64_t ramp_ns;
	uint64_t depth; /* of all jobs */
};

#define FIO_GROUPS_MAX 64

/*
 * What would run of a job file, one group after the other, on a target of this size (0: not known,
 * a size that the file does not say is assumed). As profile__from_fio().
 */
int profile__fio_groups(FILE *in, const char *path, uint64_t target_bytes, fio_note note,
			void *context, struct fio_group groups[FIO_GROUPS_MAX], unsigned int *count,
			char message[PROFILE_MESSAGE_MAX]);

/*
 * A profile of one group, to be run as fio does: a synchronous engine has one IO in flight, and the
 * size says how many IOs there are. As profile__from_fio().
 */
int profile__from_fio_group(FILE *in, const char *path, uint64_t target_bytes, unsigned int group,
			    struct profile **profile, char message[PROFILE_MESSAGE_MAX]);

#endif
