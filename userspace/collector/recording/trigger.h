/* SPDX-License-Identifier: MIT */
/*
 * The condition on rows at which a flight recorder writes a file.
 *
 *   [OP] lat > TIME                        a request took longer, from creation to completion
 *   [OP] stuck > TIME                      a request has been in flight for longer
 *   [OP] pNN[.N] > TIME [over WINDOW]      more than 100 - NN % in the window took longer
 *   [OP] depth > N                         a request was issued at a higher queue depth
 *   [OP] iops > N | < N [over WINDOW]      requests a second, over the whole window
 *   [OP] error                             a request failed
 *
 * Times are taken from the rows, not from the clock: the same rows give the same result.
 */
#ifndef BLKREEL_COLLECTOR_RECORDING_TRIGGER_H
#define BLKREEL_COLLECTOR_RECORDING_TRIGGER_H

#include "trace/rows.h"

#define TRIGGER_MESSAGE_MAX   256
#define TRIGGER_WINDOW_NS     1000000000ull /* without `over` */
#define TRIGGER_WINDOW_MAX_NS (3600 * 1000000000ull)

struct trigger;

/* Parses a condition. The caller frees *trigger. 0; -EINVAL: `message` says what is wrong with
 * `text`; -ENOMEM. */
int trigger__parse(const char *text, struct trigger **trigger, char message[TRIGGER_MESSAGE_MAX]);
void trigger__free(struct trigger *t); /* NULL is allowed */

/* Adds a row, roughly in the order of completion. True when the condition holds with it; `why`
 * (TRIGGER_MESSAGE_MAX bytes, or NULL) then receives a sentence with the evidence. */
bool trigger__add(struct trigger *t, const struct io_row *row, char *why);

/* Whether a row for which trigger__add() returned true is of the requests that the condition is
 * about: one that took longer, not one with which a window without it ended. */
bool trigger__is_met_by(const struct trigger *t, const struct io_row *row);

/* Tells that no more rows complete before `now_ns`, so that conditions on too few rows can hold.
 * The first call begins the window. Returns as trigger__add(). */
bool trigger__advance(struct trigger *t, uint64_t now_ns, char *why);

/* Whether the condition is on requests in flight, which have no rows yet. */
bool trigger__asks_in_flight(const struct trigger *t);
/* Adds a request that is in flight at `now_ns`. Returns as trigger__add(). */
bool trigger__in_flight(struct trigger *t, const struct io_row *row, uint64_t now_ns, char *why);

#endif
