/* SPDX-License-Identifier: MIT */
/* Profiles as job files of fio, and job files as profiles: what the two have in common. */
#ifndef BLKREEL_PROFILE_FIO_FIO_H
#define BLKREEL_PROFILE_FIO_FIO_H

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

#endif
