/* SPDX-License-Identifier: MIT */
/*
 * Replaces the names in a trace by keyed hashes (HMAC-SHA256, truncated). Under one key a name has
 * the same hash in any trace. Without the key a name can neither be recovered nor guessed, and
 * traces of different keys cannot be joined.
 */
#ifndef BLKREEL_TRACE_TABLES_ANONYMIZE_H
#define BLKREEL_TRACE_TABLES_ANONYMIZE_H

#include <stddef.h>

#include "trace/rows.h"

struct anonymizer;

#define ANONYMIZER_KEY_BYTES_MIN 16

/*
 * Copies `key` of `key_bytes` (at least ANONYMIZER_KEY_BYTES_MIN) bytes; NULL: a random key, which
 * is never stored. 0; -EINVAL: too short; other negative errno.
 */
int anonymizer__create(const void *key, size_t key_bytes, struct anonymizer **anonymizer);
void anonymizer__free(struct anonymizer *a); /* erases the key; NULL is allowed */

/* Hash the names in place. 0 or negative errno; after an error the names must not be used. */
int anonymizer__host(const struct anonymizer *a, struct trace_host *host);
int anonymizer__device(const struct anonymizer *a, struct trace_device *device);
int anonymizer__task(const struct anonymizer *a, struct trace_task *task);

/*
 * Fill `text`, which holds TRACE_PATH_MAX bytes: with a path, hashed component by component, or
 * with the filter tier's text about what was recorded. The tier's other texts, and other tiers,
 * hold no names. 0 or negative errno.
 */
int anonymizer__file_path(const struct anonymizer *a, const struct trace_file *file, char *text);
int anonymizer__cgroup_path(const struct anonymizer *a, const char *path, char *text);
int anonymizer__filter(const struct anonymizer *a, const char *how, char *text);

#endif
