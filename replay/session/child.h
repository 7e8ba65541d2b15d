/* SPDX-License-Identifier: MIT */
/*
 * The process in which a replay on files takes place. It is a process of its own because a recording
 * omits what the recorder itself does, and because a memory limit is for the replay alone.
 */
#ifndef BLKREEL_REPLAY_SESSION_CHILD_H
#define BLKREEL_REPLAY_SESSION_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "replay/files/player.h"
#include "replay/files/tree.h"
#include "replay/session/failure.h"
#include "replay/target/memory_group.h"

struct replay_child_shared;

struct replay_child {
	const struct file_player_options *options; /* its `stop` is set by replay_child_start() */
	const struct memory_group *group; /* the process enters it, unless its path is "" */
	enum file_cache cache;		  /* the state of the page cache before the replay */
	struct file_result *result;	  /* valid until replay_child_end() */
	struct replay_child_shared *shared;
	pid_t pid;
	int socket;
};

/*
 * Starts the process, before this one has a second thread, and returns when the cache is in the state asked for. SIGINT,
 * SIGTERM, SIGXCPU and SIGHUP stop the replay until replay_child_run() returns; one that comes more than a
 * second after the first ends both processes at once. 0, or -1 with *failure; then the process has ended.
 */
int replay_child_start(struct replay_child *c, struct file_player_options *options,
		       struct failure *failure);
/* Lets the process play, or (!play) end without, and waits for its end. 0, or -1 with *failure. */
int replay_child_run(struct replay_child *c, bool play, struct failure *failure);
/* Releases the result. */
void replay_child_end(struct replay_child *c);

#endif
