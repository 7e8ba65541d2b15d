/* SPDX-License-Identifier: MIT */
/* The profiles that are part of the program: the files of profiles/ by their names. */
#ifndef BLKREEL_PROFILE_TEXT_BUILTIN_H
#define BLKREEL_PROFILE_TEXT_BUILTIN_H

/* The text of a profile, NULL when there is none of this name. */
const char *profile_builtin(const char *name);

/* All names, one blank between two. */
const char *profile_builtin_names(void);

#endif
