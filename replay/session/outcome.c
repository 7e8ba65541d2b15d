// SPDX-License-Identifier: MIT
#include "replay/session/outcome.h"

const char *replay_mode_name(enum engine_mode mode)
{
	static const char *const names[] = {[ENGINE_TIMED] = "timed",
					    [ENGINE_ASAP] = "asap",
					    [ENGINE_DEPTH] = "depth",
					    [ENGINE_DEPENDENT] = "dependent"};

	return names[mode];
}
