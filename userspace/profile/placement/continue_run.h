/* SPDX-License-Identifier: MIT */
/* Which of the recent runs a request continues. */
#ifndef BLKREEL_PROFILE_PLACEMENT_CONTINUE_RUN_H
#define BLKREEL_PROFILE_PLACEMENT_CONTINUE_RUN_H

#include "profile/placement/state.h"

/*
 * Sets row->sector for row->bytes to the end of the run that suits best what the stream does: how
 * new the block, how recent the run. *unfit: too many new blocks came and the run goes
 * to more of them, or new ones are wanted and it goes to old ones. False: there is no run that it
 * can continue.
 */
bool continue_run(const struct placement *s, unsigned int stream, const struct wanted *wanted,
		  struct prng *random, struct io_row *row, const struct recent_ends *ends,
		  bool *unfit);

#endif
