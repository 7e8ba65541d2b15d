/* SPDX-License-Identifier: MIT */
/* This kernel's numbers of operations, flags and errors, which its BTF gives. */
#ifndef BLKREEL_COLLECTOR_KERNEL_NUMBERING_H
#define BLKREEL_COLLECTOR_KERNEL_NUMBERING_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the numbers. To be called before all others. 0; -ENOTSUP: the numbers make no sense; other negative errno. */
int numbering__init(void);

/* Sets a bit for the kernel's number of each of `ops` (a bit for each enum io_op). */
void numbering__kernel_ops(uint32_t ops, unsigned long long kernel_ops[4]);

/* The enum io_op of the low 8 bits of a request's or bio's flags. */
uint8_t numbering__op(uint32_t kernel);

/* The enum io_flags of a request's or bio's flags. */
uint32_t numbering__flags(uint32_t kernel);

/* The negative errno of how a request or a bio ended; 0: well. */
int32_t numbering__error(uint32_t status, bool is_of_bio);

/* Does the kernel say when a request is made (block_io_start, since 6.5)? */
bool numbering__announces_requests(void);

#endif
