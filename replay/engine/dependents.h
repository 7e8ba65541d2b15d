/* SPDX-License-Identifier: MIT */
/*
 * IOs that depend on others (mode dependent): which goes next, and when. Knows no clock and no
 * io_uring; its caller passes the times.
 */
#ifndef BLKREEL_REPLAY_ENGINE_DEPENDENTS_H
#define BLKREEL_REPLAY_ENGINE_DEPENDENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/source/source.h"

/* How many IOs are read ahead. One task can go on by so many while another waits. */
#define DEPENDENTS_IOS 16384u

struct dependents;

enum dependents_state {
	DEPENDENTS_READY = 0, /* *io may go at *due_ns */
	DEPENDENTS_BLOCKED,   /* every IO waits for a completion */
	DEPENDENTS_EMPTY,
};

/* `start_ns`: when the replay starts; think times are divided by `speed`. 0 or -ENOMEM. */
int dependents__create(uint64_t start_ns, double speed, struct dependents **dependents);
void dependents__free(struct dependents *w); /* NULL is allowed */

/* True when no IO can be added now. */
bool dependents__full(const struct dependents *w);
/* Adds the next IO of the source; not when full. 0 or -ENOMEM. */
int dependents__add(struct dependents *w, const struct replay_io *io);

/* The IO that is due first among those that wait for nothing; valid until the next call. */
enum dependents_state dependents__peek(const struct dependents *w, const struct replay_io **io,
				       uint64_t *due_ns);
/* The IO of dependents__peek() was submitted. */
void dependents__submitted(struct dependents *w, uint64_t now_ns);
/* An IO of this stream completed; not called for one that is `uncounted`. */
void dependents__completed(struct dependents *w, uint32_t stream, uint64_t now_ns);

#endif
