/* SPDX-License-Identifier: MIT */
/* A source on top of another that numbers the IOs that change data, from 1, in their order. */
#ifndef BLKREEL_REPLAY_SOURCE_WRITE_NUMBERS_H
#define BLKREEL_REPLAY_SOURCE_WRITE_NUMBERS_H

#include "replay/source/source.h"

/* `below` must outlive the source; it is not freed with it. 0 or -ENOMEM. */
int write_numbers__create(struct replay_source *below, struct replay_source **source);

#endif
