/* SPDX-License-Identifier: MIT */
/* An IO of a profile with what it waited for. */
#ifndef BLKREEL_PROFILE_CLOSED_LOOP_CLOSED_ROW_H
#define BLKREEL_PROFILE_CLOSED_LOOP_CLOSED_ROW_H

#include "profile/io_wait.h"
#include "trace/rows.h"

struct closed_row {
	struct io_row row;     /* as of generator.h; with a closed loop completed_ns is set, too */
	uint32_t stream;       /* index */
	uint32_t kind;	       /* index, of tasks */
	struct io_wait waited; /* task 0: the profile says no closed loop */
};

#endif
