// SPDX-License-Identifier: MIT
#include "replay/source/source.h"

const char *replay_op_name(enum replay_op op)
{
	static const char *const names[REPLAY_OP_COUNT] = {
		[REPLAY_READ] = "read",
		[REPLAY_WRITE] = "write",
		[REPLAY_FLUSH] = "flush",
		[REPLAY_DISCARD] = "discard",
		[REPLAY_WRITE_ZEROES] = "write_zeroes",
		[REPLAY_SECURE_ERASE] = "secure_erase",
		[REPLAY_ZONE] = "zone",
		[REPLAY_OTHER] = "other",
	};

	return op < REPLAY_OP_COUNT ? names[op] : "unknown";
}
