/* SPDX-License-Identifier: MIT */
/*
 * Plays the IOs of a source onto an open descriptor with io_uring. Knows no trace, no profile and
 * no safety rule: its caller has decided that these IOs may go to this descriptor.
 */
#ifndef BLKREEL_REPLAY_ENGINE_ENGINE_H
#define BLKREEL_REPLAY_ENGINE_ENGINE_H

#include "replay/engine/options.h"
#include "replay/engine/result.h"
#include "replay/source/source.h"

/*
 * Runs until the source (NULL: that of options->worker) ends or *stop is set. Every issued IO has
 * completed when it returns, unless io_uring itself failed. IOs that fail are counted in `result`
 * and do not end the replay. `result` is filled also after an error. 0; negative errno of the
 * source or of io_uring, with a sentence in `message`.
 */
int engine__run(const struct engine_options *options, struct replay_source *source,
		struct engine_result *result, char message[ENGINE_MESSAGE_MAX]);

#endif
