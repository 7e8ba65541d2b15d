/* SPDX-License-Identifier: MIT */
/* The limit of a control group that holds an IO back. */
#ifndef BLKREEL_EXPLAIN_WAITS_IO_LIMIT_H
#define BLKREEL_EXPLAIN_WAITS_IO_LIMIT_H

#include "explain/waits/kept_ios.h"
#include "explain/figures/labels.h"

#define IO_LIMIT_WORDS_MAX 320

/* The strictest limits on the IO by its cgroup and by those above it. 0 or -ENOMEM; the caller frees limit->cgroup. */
int io_limit__find(const struct explain_tables *tables, const struct kept_io *io,
		   struct explain_io_limit *limit);

/* " /db (50 reads a second)", "" where nothing is known. */
const char *io_limit__words(const struct explain_io_limit *limit, char text[IO_LIMIT_WORDS_MAX]);

#endif
