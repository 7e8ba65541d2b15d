/* SPDX-License-Identifier: MIT */
/* Memory that is physically contiguous in long runs, so that a device takes it in few pieces. */
#ifndef BLKREEL_REPLAY_ENGINE_HUGE_PAGES_H
#define BLKREEL_REPLAY_ENGINE_HUGE_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#define HUGE_PAGE_BYTES (2ull << 20)

/*
 * Maps memory that begins at a multiple of a huge page; munmap() frees it. *bytes is rounded up to
 * whole huge pages. *huge: all of it is in huge pages, else some of it is in small ones. NULL: no
 * memory, see errno.
 */
void *huge_pages__map(uint64_t *bytes, bool *huge);

#endif
