/* SPDX-License-Identifier: MIT */
/*
 * Replaces the names that a trace would hold by keyed hashes (HMAC-SHA256, truncated). One name
 * has one hash under one key, in any trace; without the key neither can a name be got back nor a
 * guess be tried, and traces of different keys cannot be joined.
 */
#ifndef BLKREEL_TRACE_TABLES_ANONYMIZE_H
#define BLKREEL_TRACE_TABLES_ANONYMIZE_H

#include <stddef.h>

#include "trace/rows.h"

struct anonymizer;

#define ANONYMIZER_KEY_BYTES_MIN 16

/*
 * With a copy of `key` (NULL: a random one that nobody will know), whose length is at least
 * ANONYMIZER_KEY_BYTES_MIN. 0; -EINVAL: too short; other negative errno.
 */
int anonymizer__create(const void *key, size_t key_bytes, struct anonymizer **anonymizer);
void anonymizer__free(struct anonymizer *a); /* forgets the key; NULL is allowed */

/* In place. Each: 0 or negative errno, and then the names are not to be used. */
int anonymizer__host(const struct anonymizer *a, struct trace_host *host);
int anonymizer__device(const struct anonymizer *a, struct trace_device *device);
int anonymizer__task(const struct anonymizer *a, struct trace_task *task);

/*
 * Into `text`, which holds TRACE_PATH_MAX bytes: a path component by component, and who was
 * recorded, as the filter tier tells it. The tier's other texts, and other tiers, hold no names.
 */
int anonymizer__file_path(const struct anonymizer *a, const struct trace_file *file, char *text);
int anonymizer__cgroup_path(const struct anonymizer *a, const char *path, char *text);
int anonymizer__filter(const struct anonymizer *a, const char *how, char *text);

#endif
