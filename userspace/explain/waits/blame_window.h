/* SPDX-License-Identifier: MIT */
/*
 * Divides a time that was spent waiting for a device among the IOs that it served meanwhile.
 *
 * An instant belongs to the IO that completes next: the one in service. IOs of one kind that complete together share
 * the time before. Two corrections use the service time of
 * an IO, the median of its kind where it was alone at the driver. A device that serves several at once (it
 * completes IOs faster than one after the other) leaves an IO at least that time. What an IO took beyond it in
 * its own turn, while IOs that were issued before it were still in flight, is theirs in equal parts: they were
 * served beside it.
 */
#ifndef BLKREEL_EXPLAIN_WAITS_BLAME_WINDOW_H
#define BLKREEL_EXPLAIN_WAITS_BLAME_WINDOW_H

#include "explain/waits/kept_ios.h"

struct blame_share {
	const struct kept_io *io; /* valid until an IO is added */
	uint64_t ns;
};

#define BLAME_SHARES_MAX 16384u

struct blame_window;

struct blame_window *blame_window__new(const struct kept_ios *ios); /* NULL: no memory */
void blame_window__free(struct blame_window *w);		    /* NULL is allowed */

/* Learns service times from an IO. */
void blame_window__learn(struct blame_window *w, const struct io_row *row);

/*
 * Divides [from_ns, to_ns) on `device`. `place`: of the IO that is waited for, which completed at to_ns or later,
 * or KEPT_IOS_NONE: there is none; `in_service`: it was issued (else it waited for its turn only). What no share has
 * is nobody else's. Returns the number of shares, which are valid until the next call.
 */
uint32_t blame_window__divide(struct blame_window *w, uint32_t device, uint64_t from_ns,
			      uint64_t to_ns, uint64_t place, bool in_service,
			      const struct blame_share **shares);

/*
 * The same for a wait for what is written from the page cache or for the file system. While no such write exists, the
 * device is not what is waited for: this time, *no_write_ns, is in no share.
 */
uint32_t blame_window__divide_writes(struct blame_window *w, uint32_t device, uint64_t from_ns,
				     uint64_t to_ns, const struct blame_share **shares,
				     uint64_t *no_write_ns);

#endif
