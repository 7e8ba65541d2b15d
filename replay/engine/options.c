// SPDX-License-Identifier: MIT
#include "replay/engine/options.h"

#include <stddef.h>

const char *const engine_mode_names[] = {[ENGINE_TIMED] = "timed",
					 [ENGINE_ASAP] = "asap",
					 [ENGINE_DEPTH] = "depth",
					 [ENGINE_DEPENDENT] = "dependent",
					 NULL};
