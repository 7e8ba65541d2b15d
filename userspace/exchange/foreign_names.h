/* SPDX-License-Identifier: MIT */
/* The tables of a trace that is being written: each new name gets the next id. */
#ifndef BLKREEL_EXCHANGE_FOREIGN_NAMES_H
#define BLKREEL_EXCHANGE_FOREIGN_NAMES_H

#include "exchange/input/field.h"
#include "trace/file/writer.h"

struct foreign_names;

struct foreign_names *foreign_names__new(void);	   /* NULL: no memory */
void foreign_names__free(struct foreign_names *n); /* NULL is allowed */

/*
 * The id of the device of that name (a name that is too long becomes a hash and its end). 0: too
 * many devices or no memory, see foreign_names__error(). `major`, `minor`: 0 if unknown.
 */
uint32_t foreign_names__device(struct foreign_names *n, struct text name, uint32_t major,
			       uint32_t minor);
/* The same for a task. `comm` may be empty; the first one of a pid counts. */
uint32_t foreign_names__task(struct foreign_names *n, uint32_t pid, struct text comm);

/* The same for pids with several names: each name is a task. */
uint32_t foreign_names__task_of(struct foreign_names *n, uint32_t pid, struct text comm);
/*
 * Files and cgroups by their names in 'blkreel dump': a path, or 8:1:4711 (major, minor, inode) and
 * id:4711. 0 also for entries above the maximum of a trace.
 */
uint32_t foreign_names__file(struct foreign_names *n, struct text name);
uint32_t foreign_names__cgroup(struct foreign_names *n, struct text name);

int foreign_names__error(const struct foreign_names *n); /* 0, -ENOMEM, -E2BIG */
uint32_t foreign_names__devices(const struct foreign_names *n);
const char *foreign_names__device_name(const struct foreign_names *n, uint32_t id);

/* Writes the new entries. 0 or negative errno. */
int foreign_names__write(struct foreign_names *n, struct trace_writer *w);

#endif
