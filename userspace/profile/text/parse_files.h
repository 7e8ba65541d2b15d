/* SPDX-License-Identifier: MIT */
/* Parses [files], and what a profile of files has instead of requests. */
#ifndef BLKREEL_PROFILE_TEXT_PARSE_FILES_H
#define BLKREEL_PROFILE_TEXT_PARSE_FILES_H

#include "profile/text/parser.h"

/*
 * `level` of [profile]; a key of [files]; op and flags of a stream of a profile of files. 0 or
 * -EINVAL.
 */
int parse_level_key(struct parser *r, const char *value);
int parse_files_key(struct parser *r, const char *section, const char *name, const char *value);
int parse_file_op(struct parser *r, struct profile_stream *s, const char *value);
int parse_file_flags(struct parser *r, struct profile_stream *s, bool op_known, const char *value);

/*
 * After the last key: checks that the files are there that the level needs. 0, or -EINVAL and *key.
 */
int parse_files_finish(struct parser *r, const char **key);

#endif
