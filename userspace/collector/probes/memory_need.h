/* SPDX-License-Identifier: MIT */
/* Compares the memory that probes need with what the control group allows. */
#ifndef BLKREEL_COLLECTOR_PROBES_MEMORY_NEED_H
#define BLKREEL_COLLECTOR_PROBES_MEMORY_NEED_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/options.h"

struct bpf_object;

/*
 * The least that a process needs to load `object`: the description of the kernel (BTF), `more_bytes`
 * in the kernel and, unless `object` is NULL, its maps as they are sized now. Bytes.
 */
uint64_t memory_need(const struct bpf_object *object, uint64_t more_bytes);

/*
 * 0; -ENOMEM and a message that names the control group: it allows less than `need_bytes`. Without
 * this check the kernel may kill the process before it can tell. `what` begins a sentence:
 * "recording". With `warn`, prints a line when the limit may be too small nevertheless.
 */
int memory_need__check(uint64_t need_bytes, const char *what, bool warn,
		       char message[COLLECTOR_MESSAGE_MAX]);

/* After -ENOMEM of the kernel: names the control group with the least memory left, if there is one. */
void memory_need__explain(const char *what, char message[COLLECTOR_MESSAGE_MAX]);

#endif
