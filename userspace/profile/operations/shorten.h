/* SPDX-License-Identifier: MIT */
/* Keeps the text of a profile within 16 KB. */
#ifndef BLKREEL_PROFILE_OPERATIONS_SHORTEN_H
#define BLKREEL_PROFILE_OPERATIONS_SHORTEN_H

#include <stddef.h>

#include "profile/profile.h"

/* *text (of *text_bytes) is to be freed, also after an error. 0 or a negative errno. */
int profile__to_text(const struct profile *p, char **text, size_t *text_bytes);

/*
 * Coarsens the profile in the steps of docs/profile-format.md while its text exceeds 15 KiB, as far
 * as that helps. *text (of *text_bytes) is to be freed, also after an error. 0 or a negative errno.
 */
int profile__shorten(struct profile *p, char **text, size_t *text_bytes);

#endif
