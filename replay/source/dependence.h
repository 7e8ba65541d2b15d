/* SPDX-License-Identifier: MIT */
/* A source on top of another that adds to each IO what it waited for (workload/dependence/infer.h). */
#ifndef BLKREEL_REPLAY_SOURCE_DEPENDENCE_H
#define BLKREEL_REPLAY_SOURCE_DEPENDENCE_H

#include "replay/source/source.h"

/* `below` must outlive the source; it is not freed with it. 0 or -ENOMEM. */
int dependence_source__create(struct replay_source *below, struct replay_source **source);

#endif
