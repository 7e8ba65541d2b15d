/* SPDX-License-Identifier: MIT */
/* Counts what the closed loop of a profile needs while one is built. */
#ifndef BLKREEL_PROFILE_BUILD_CLOSED_H
#define BLKREEL_PROFILE_BUILD_CLOSED_H

#include "profile/profile.h"
#include "profile/io_wait.h"

struct closed_builder;

/* Phases and duration of the profile; kinds: how many of streams there can be. 0 or -ENOMEM. */
int closed_builder__create(uint64_t duration_ns, uint32_t phases, uint32_t stream_kinds,
			   struct closed_builder **builder);
void closed_builder__free(struct closed_builder *b); /* NULL is allowed */

/* The next IO, of the stream kind with that index. 0 or -ENOMEM. */
int closed_builder__add(struct closed_builder *b, const struct io_row *row, uint32_t stream_kind,
			const struct io_wait *waited);

/* stream_of[kind]: the stream that it became. *closed is empty if too little is known. */
void closed_builder__finish(struct closed_builder *b, const uint32_t *stream_of, uint64_t ios,
			    struct profile_closed *closed);

#endif
