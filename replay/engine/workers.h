/* SPDX-License-Identifier: MIT */
/* One replay by several engines, each with a thread and an io_uring of its own, that share the IOs of one source. */
#ifndef BLKREEL_REPLAY_ENGINE_WORKERS_H
#define BLKREEL_REPLAY_ENGINE_WORKERS_H

#include "replay/engine/engine.h"
#include "replay/engine/sharing.h"

#define WORKERS_MAX SHARING_WORKERS_MAX

/*
 * As engine__run(), of which `count` (2 to WORKERS_MAX) divide the iodepth and the completion batch among themselves; the
 * iodepth is at least `count`. Modes timed and asap, not buffered, without iopoll and sqpoll. What overlaps keeps its order whoever does it,
 * and a flush comes after whatever was submitted before it. *enough is options->enough, and is set when one of them
 * ends early.
 */
int workers__run(const struct engine_options *options, unsigned int count,
		 struct replay_source *source, volatile sig_atomic_t *enough,
		 struct engine_result *result, char message[ENGINE_MESSAGE_MAX]);

#endif
