/* Whether the data on a target may be destroyed: said on the command line, or asked for. */
#ifndef BLKREEL_CMD_REPLAY_CONFIRM_H
#define BLKREEL_CMD_REPLAY_CONFIRM_H

#include "replay/target.h"

/* `word`: the name that --yes-destroy gave, or NULL. EXIT_OK, or prints one line and returns
 * EXIT_REFUSED. On a terminal it shows what the device is, and asks. */
int replay_confirm(const char *word, const struct target *target);

#endif
