/* SPDX-License-Identifier: MIT */
/* The key "pinned_bursts" of a profile's text. */
#ifndef BLKREEL_PROFILE_TEXT_PINNED_BURSTS_H
#define BLKREEL_PROFILE_TEXT_PINNED_BURSTS_H

#include "profile/text/words.h"

WORD_READER(pinned_bursts);
WORD_WRITER(pinned_bursts);

/* After the last key: checks the bursts as a whole. 0 or -EINVAL. */
int pinned_bursts_check(struct parser *r);

#endif
