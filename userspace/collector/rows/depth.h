/* SPDX-License-Identifier: MIT */
/*
 * The queue depth at which a request was issued: the issue number, given by the probes, less the
 * requests completed by then, counted here.
 */
#ifndef BLKREEL_COLLECTOR_ROWS_DEPTH_H
#define BLKREEL_COLLECTOR_ROWS_DEPTH_H

#include <stdint.h>

struct depth_meter;

/* 0 or -ENOMEM. */
int depth_meter__create(struct depth_meter **meter);
void depth_meter__free(struct depth_meter *meter); /* NULL is allowed */

/*
 * Takes the next request of a device (encoded as in bpf/event.h) in the order of completion.
 * Returns the depth when it was issued, itself included. 0: not known, because it has no number,
 * was issued more than 32768 completions ago, or was issued while records were lost.
 */
uint32_t depth_meter__next(struct depth_meter *meter, uint32_t device, uint64_t issue_number,
			   uint64_t issued_ns, uint64_t completed_ns);

/*
 * Tells how many numbered requests of a device lost their records since the start; they completed
 * before now_ns. The depth is then unknown for requests issued between the last request that
 * depth_meter__next() was given and now_ns.
 */
void depth_meter__lost(struct depth_meter *meter, uint32_t device, uint64_t count, uint64_t now_ns);

#endif
