/* SPDX-License-Identifier: MIT */
/*
 * One replay by several engines that share the IOs of one source, each with a thread and an
 * io_uring of its own.
 */
#ifndef BLKREEL_REPLAY_ENGINE_WORKERS_H
#define BLKREEL_REPLAY_ENGINE_WORKERS_H

#include "replay/engine/options.h"
#include "replay/engine/result.h"
#include "replay/engine/sharing.h"

#define WORKERS_MAX SHARING_WORKERS_MAX

/*
 * As engine__run(), by `count` (2 to WORKERS_MAX) engines that divide the iodepth and the
 * completion batch; iodepth is at least `count`. Modes timed and asap, not buffered, without iopoll
 * and sqpoll. IOs that overlap keep their order, whichever worker does them, and a flush is
 * submitted after everything before it. *enough is options->enough, and is set when an engine ends
 * early.
 */
int workers__run(const struct engine_options *options, unsigned int count,
		 struct replay_source *source, volatile sig_atomic_t *enough,
		 struct engine_result *result, char message[ENGINE_MESSAGE_MAX]);

#endif
