/* SPDX-License-Identifier: MIT */
/*
 * The process that a replay on files takes place in. A process of its own, since a recording leaves
 * out what the recorder itself does, and since only it is to have less memory.
 */
#ifndef BLKREEL_COMMANDS_REPLAY_CHILD_H
#define BLKREEL_COMMANDS_REPLAY_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "replay/files/player.h"
#include "replay/target/memory_group.h"

struct replay_child {
	const struct file_player_options *options; /* its `stop` is set by replay_child_start() */
	const struct memory_group *group;	   /* it goes there; "" as the path: it stays */
	enum file_cache cache;			   /* is brought into this state before */
	struct file_result *result; /* shared with it; released by replay_child_end() */
	pid_t pid;
	int socket;
};

/*
 * Starts it, before the process has any other thread; returns when the cache is as it should be.
 * Prints one line and returns an exit code when that fails. SIGINT, SIGTERM and SIGHUP stop the
 * replay until replay_child_run() returns; a second one ends all at once.
 */
int replay_child_start(struct replay_child *c, struct file_player_options *options);
/* Lets it play, or (!play) end without; waits for its end. The same. */
int replay_child_run(struct replay_child *c, bool play);
void replay_child_end(struct replay_child *c);

#endif
