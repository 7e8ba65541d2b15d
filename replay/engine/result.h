/* SPDX-License-Identifier: MIT */
/* Filling a result; what it says is read with engine.h. */
#ifndef BLKREEL_REPLAY_ENGINE_RESULT_H
#define BLKREEL_REPLAY_ENGINE_RESULT_H

#include <sys/resource.h>

#include "replay/engine/engine.h"

/* Makes the distributions of an op from those of its sizes, once. */
void engine_result__finish(struct engine_result *result);

/* IOs that completed without error and whole, and do not differ. */
struct engine_completed {
	enum replay_op op;
	bool in_ramp; /* submitted before the ramp was over */
	bool has_due;
	uint64_t length_bytes;
	uint64_t intended_ns, submitted_ns; /* from then to the completion */
	uint32_t count;
};

void engine_result__add_completed(struct engine_result *result, const struct engine_completed *io);

/* Counts an IO that failed. `error`: positive errno, or 0 for fewer bytes than asked for. */
void engine_result__add_error(struct engine_result *result, enum replay_op op, int error);

/* What the calling thread has used since `before`, which is of RUSAGE_THREAD. */
void engine_result__add_cpu_time(struct engine_result *result, const struct rusage *before);

#endif
