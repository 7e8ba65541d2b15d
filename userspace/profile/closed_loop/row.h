/* SPDX-License-Identifier: MIT */
#ifndef BLKREEL_PROFILE_CLOSED_LOOP_ROW_H
#define BLKREEL_PROFILE_CLOSED_LOOP_ROW_H

#include "trace/rows.h"

/* An IO of a profile. */
struct closed_row {
	struct io_row row; /* as of generator.h; with a closed loop completed_ns is set, too */
	uint32_t stream;   /* index */
	uint32_t kind;	   /* index, of tasks */
	uint32_t task;	   /* 0: the profile says no closed loop */
	bool kernel;	   /* a thread of the kernel submitted it */
};

#endif
