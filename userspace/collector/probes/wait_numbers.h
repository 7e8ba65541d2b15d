/* SPDX-License-Identifier: MIT */
/* Which system calls record --waits follows, as the probes want it: an entry for each number. */
#ifndef BLKREEL_COLLECTOR_PROBES_WAIT_NUMBERS_H
#define BLKREEL_COLLECTOR_PROBES_WAIT_NUMBERS_H

#include <stdint.h>

#include "bpf/waits.h"

void wait_numbers__fill(uint8_t numbers[WAIT_NUMBERS_MAX]);

#endif
