/* SPDX-License-Identifier: MIT */
/* How long the bin of a profile should be. */
#ifndef BLKREEL_PROFILE_BUILD_FIT_BIN_H
#define BLKREEL_PROFILE_BUILD_FIT_BIN_H

#include <stdbool.h>
#include <stdint.h>

/* The first so many IOs of a trace decide. */
#define FIT_IOS 16384u

/*
 * Tries several lengths of a bin on rising times of IOs and returns, in ns, the length with which
 * the generated times are most like them. BIN_NS if memory is short, or if the IOs are bursty and
 * not `all` of the trace.
 */
uint64_t fit_bin_ns(const uint64_t *times_ns, uint32_t count, bool all);

#endif
