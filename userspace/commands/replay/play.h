/* SPDX-License-Identifier: MIT */
/* Plays the lanes of a replay, each by an engine of its own, and prints what came of it. */
#ifndef BLKREEL_COMMANDS_REPLAY_PLAY_H
#define BLKREEL_COMMANDS_REPLAY_PLAY_H

#include "commands/replay/lanes.h"

/* `lanes` were prepared. Prints the outcome; returns an exit code. */
int replay_lanes_play(const struct replay_config *config, const struct replay_lanes *lanes);

#endif
