/* SPDX-License-Identifier: MIT */
/* Translates this kernel's numbers of operations, flags and errors, read from its BTF. */
#ifndef BLKREEL_COLLECTOR_KERNEL_NUMBERING_H
#define BLKREEL_COLLECTOR_KERNEL_NUMBERING_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the numbers; call it before all others. 0; -ENOTSUP: the numbers are not plausible; other
 * negative errno. */
int numbering__init(void);

/* Sets one bit of the 256 in `kernel_ops` for each kernel operation that `ops` (a bit for each enum
 * io_op) selects. */
void numbering__kernel_ops(uint32_t ops, unsigned long long kernel_ops[4]);

/* The enum io_op for the low 8 bits of a request's or bio's flags. */
uint8_t numbering__op(uint32_t kernel);

/* The enum io_flags for a request's or bio's flags. */
uint32_t numbering__flags(uint32_t kernel);

/* The negative errno for the completion status of a request or a bio; 0: success. */
int32_t numbering__error(uint32_t status, bool is_of_bio);

/* Whether the kernel reports the creation of requests (block_io_start, since Linux 6.5). */
bool numbering__announces_requests(void);

#endif
