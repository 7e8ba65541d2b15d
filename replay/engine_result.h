/* Filling a result; what it says is read with engine.h. */
#ifndef BLKREEL_REPLAY_ENGINE_RESULT_H
#define BLKREEL_REPLAY_ENGINE_RESULT_H

#include <sys/resource.h>

#include "replay/engine.h"

/* Makes the distributions of an op from those of its sizes, once. */
void engine_result__finish(struct engine_result *result);

/* `error`: positive errno, or 0 for fewer bytes than asked for. */
void engine_result__add_error(struct engine_result *result, enum replay_op op, int error);

/* What the calling thread has used since `before`, which is of RUSAGE_THREAD. */
void engine_result__add_cpu_time(struct engine_result *result, const struct rusage *before);

#endif
