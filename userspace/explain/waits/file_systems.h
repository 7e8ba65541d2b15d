/* SPDX-License-Identifier: MIT */
/* Which devices the IOs for the files of each file system used. */
#ifndef BLKREEL_EXPLAIN_WAITS_FILE_SYSTEMS_H
#define BLKREEL_EXPLAIN_WAITS_FILE_SYSTEMS_H

#include "explain/figures/labels.h"

struct file_systems;

struct file_systems *file_systems__new(const struct explain_tables *tables); /* NULL: no memory */
void file_systems__free(struct file_systems *f);			     /* NULL is allowed */

/* An IO of `device` was for this file. 0 or -ENOMEM. */
int file_systems__learn(struct file_systems *f, uint32_t file, uint32_t device);

/* Whether any device is known that the file system of `file` uses; whether it uses this one. */
bool file_systems__is_known(const struct file_systems *f, uint32_t file);
bool file_systems__uses(const struct file_systems *f, uint32_t file, uint32_t device);
bool file_systems__uses_any(const struct file_systems *f, uint32_t file, explain_takes_fn *takes,
			    const void *context);

#endif
