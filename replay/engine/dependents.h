/* SPDX-License-Identifier: MIT */
/*
 * IOs that wait for others: which is next, and when. Knows no clock and no io_uring; times are
 * those that its caller gives it.
 */
#ifndef BLKREEL_REPLAY_ENGINE_DEPENDENTS_H
#define BLKREEL_REPLAY_ENGINE_DEPENDENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/source/source.h"

/* IOs looked at ahead: so far one task gets when another waits. */
#define WAITING_IOS 16384u

struct waiting;

enum waiting_state {
	WAITING_READY = 0, /* *io may go at *due_ns */
	WAITING_BLOCKED,   /* every IO waits for a completion */
	WAITING_EMPTY,
};

/* `start_ns`: when the replay starts; think times are divided by `speed`. 0 or -ENOMEM. */
int waiting__create(uint64_t start_ns, double speed, struct waiting **waiting);
void waiting__free(struct waiting *w); /* NULL is allowed */

bool waiting__full(const struct waiting *w);
/* In the order of the source; not when full. 0 or -ENOMEM. */
int waiting__add(struct waiting *w, const struct replay_io *io);

/* The IO that is due first of those that wait for nothing, valid until the next call. */
enum waiting_state waiting__peek(const struct waiting *w, const struct replay_io **io,
				 uint64_t *due_ns);
/* The IO of waiting__peek() was submitted. */
void waiting__submitted(struct waiting *w, uint64_t now_ns);
/* An IO of this stream completed (not one that is `uncounted`). */
void waiting__completed(struct waiting *w, uint32_t stream, uint64_t now_ns);

#endif
