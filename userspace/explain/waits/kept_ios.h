/* SPDX-License-Identifier: MIT */
/* The latest IOs of a trace in the order of their completion. */
#ifndef BLKREEL_EXPLAIN_WAITS_KEPT_IOS_H
#define BLKREEL_EXPLAIN_WAITS_KEPT_IOS_H

#include <stdbool.h>

#include "trace/rows.h"

#define KEPT_IOS_NONE UINT64_MAX /* a place that no IO has */

struct kept_io {
	uint64_t created_ns, issued_ns, completed_ns, bytes;
	uint64_t id, parent_id; /* as in the row */
	uint32_t task, file, device, cgroup;
	bool inserted;
	bool is_data_of_file; /* or of a block device */
	bool is_file_page;    /* of a file of a file system */
	bool is_page;	      /* data of a file, or swapped memory */
	bool is_direct;	      /* memory of a process */
	bool is_alone;	      /* no other request was at the driver when it was issued */
	bool is_claimed;      /* a sleep was the first to wait for it */
	uint8_t op;
};

struct kept_ios;

struct kept_ios *kept_ios__new(void);	 /* NULL: no memory */
void kept_ios__free(struct kept_ios *k); /* NULL is allowed */

/* Keeps the IO unless a time of it is missing. False: it is not kept. */
bool kept_ios__add(struct kept_ios *k, const struct io_row *row);

/* IOs are at the places from first to below end, which no addition changes but by a little disorder of the rows. */
uint64_t kept_ios__first(const struct kept_ios *k);
uint64_t kept_ios__end(const struct kept_ios *k);
const struct kept_io *kept_ios__at(const struct kept_ios *k, uint64_t place);

/* The file of an IO past the page cache, which the call that waited for it tells. */
void kept_ios__set_file(struct kept_ios *k, uint64_t place, uint32_t file);

/* True once for each IO. */
bool kept_ios__claim(struct kept_ios *k, uint64_t place);

/* The place after the last IO that completed up to `until_ns`. */
uint64_t kept_ios__end_at(const struct kept_ios *k, uint64_t until_ns);

#endif
