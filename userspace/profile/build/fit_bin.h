/* SPDX-License-Identifier: MIT */
/* How short the smallest interval must be whose IOs a profile counts. */
#ifndef BLKREEL_PROFILE_BUILD_FIT_BIN_H
#define BLKREEL_PROFILE_BUILD_FIT_BIN_H

#include <stdbool.h>
#include <stdint.h>

/* So many IOs of a trace decide, the first ones. */
#define FIT_IOS 16384u

/*
 * Tries several lengths on rising times of IOs and returns the one, in ns, with which what is
 * generated again is most like them; BIN_NS when memory is short, and where they are bursty and
 * not all that there are.
 */
uint64_t fit_bin_ns(const uint64_t *times_ns, uint32_t count, bool all);

#endif
