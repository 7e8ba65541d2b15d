/* SPDX-License-Identifier: MIT */
/*
 * When a flight recorder writes out what it holds: a condition on the rows that pass.
 *
 *   [OP] lat > TIME                        one request took longer, from creation to completion
 *   [OP] stuck > TIME                      one has been in flight for longer, and is not done
 *   [OP] pNN[.N] > TIME [over WINDOW]      more than 100 - NN per cent of those in the window did
 *   [OP] depth > N                         so many were at the driver when one was issued
 *   [OP] iops > N | < N [over WINDOW]      requests a second, over the whole window
 *   [OP] error                             one failed
 *
 * Times are those of the rows, not of the clock: the same rows give the same answer.
 */
#ifndef BLKREEL_COLLECTOR_RECORDING_TRIGGER_H
#define BLKREEL_COLLECTOR_RECORDING_TRIGGER_H

#include "trace/rows.h"

#define TRIGGER_MESSAGE_MAX   256
#define TRIGGER_WINDOW_NS     1000000000ull /* unless `over` says otherwise */
#define TRIGGER_WINDOW_MAX_NS (3600 * 1000000000ull)

struct trigger;

/* -EINVAL: `message` is a sentence that says what is wrong with `text`; -ENOMEM. */
int trigger__parse(const char *text, struct trigger **trigger, char message[TRIGGER_MESSAGE_MAX]);
void trigger__free(struct trigger *t); /* NULL is allowed */

/* A row, in about the order of completion. True when the condition holds with it; `why`, which
 * has TRIGGER_MESSAGE_MAX bytes or is NULL, then says in one sentence what was seen. */
bool trigger__add(struct trigger *t, const struct io_row *row, char *why);

/* No row that completed before `now_ns` comes any more: what holds because there are few rows shows
 * here. The first call begins the window. As trigger__add(). */
bool trigger__advance(struct trigger *t, uint64_t now_ns, char *why);

/* Whether the condition is asked of requests in flight, which are no rows yet. */
bool trigger__asks_in_flight(const struct trigger *t);
/* Of one of these at `now_ns`. As trigger__add(). */
bool trigger__in_flight(struct trigger *t, const struct io_row *row, uint64_t now_ns, char *why);

#endif
