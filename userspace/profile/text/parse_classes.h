/* SPDX-License-Identifier: MIT */
/* Parses the splits of IOs and what they are: the keys of reads and of size classes. */
#ifndef BLKREEL_PROFILE_TEXT_PARSE_CLASSES_H
#define BLKREEL_PROFILE_TEXT_PARSE_CLASSES_H

#include "profile/text/parser.h"

/* Keys of [arrival] that begin with "split.", "neighbour.", "reads", ...; 0 or -EINVAL. */
int parse_split_key(struct parser *r, const char *section, const char *name, const char *value);
int parse_neighbour_key(struct parser *r, const char *section, const char *name, const char *value);
int parse_reads_key(struct parser *r, const char *section, const char *name, const char *value);
int parse_size_class_key(struct parser *r, const char *section, const char *name,
			 const char *value);
int parse_class_cap_key(struct parser *r, const char *section, const char *name, const char *value);
int parse_class_split_key(struct parser *r, const char *section, const char *name,
			  const char *value);

/* After the last key: checks these keys as a whole. 0, or -EINVAL and *key, which is wrong. */
int parse_classes_finish(struct parser *r, const char **key);

#endif
