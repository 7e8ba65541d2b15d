/* SPDX-License-Identifier: MIT */
/* How long an IO of a closed loop takes. */
#ifndef BLKREEL_PROFILE_CLOSED_LOOP_SERVICE_H
#define BLKREEL_PROFILE_CLOSED_LOOP_SERVICE_H

#include "profile/closed_values.h"
#include "trace/rows.h"

/*
 * Of an op and size as closed_op() and closed_size(), else of the nearest that is known. Never
 * NULL.
 */
const struct closed_values *closed_service(const struct profile_closed *c, unsigned int op,
					   unsigned int size);

uint64_t closed_service_draw(const struct profile_closed *c, const struct io_row *row,
			     struct prng *random);

/*
 * The part of `cycle_ns`, from the submission of `row` to that of the IO that waited for it, which
 * the IO took, 1 to cycle_ns: as likely as both distributions make it, of latency and of thinking.
 */
uint64_t closed_service_divide(const struct profile_closed *c, const struct io_row *row,
			       const struct closed_values *think_ns, uint64_t cycle_ns,
			       struct prng *random);

#endif
