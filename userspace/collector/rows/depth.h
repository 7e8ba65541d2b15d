/* SPDX-License-Identifier: MIT */
/*
 * How many requests a device had when one was issued to it: those issued so far, which the probes
 * number, less those completed by then, which is counted here.
 */
#ifndef BLKREEL_COLLECTOR_ROWS_DEPTH_H
#define BLKREEL_COLLECTOR_ROWS_DEPTH_H

#include <stdint.h>

struct depth_meter;

/* 0 or -ENOMEM. */
int depth_meter__create(struct depth_meter **meter);
void depth_meter__free(struct depth_meter *meter);

/*
 * Takes the next request of a device (as in bpf/event.h) in the order of completion; returns the depth when it
 * was issued, itself included. 0: not known, because it has no number, because it was issued more
 * than 32768 completions ago, or while records were lost.
 */
uint32_t depth_meter__next(struct depth_meter *meter, uint32_t device, uint64_t issue_number,
			   uint64_t issued_ns, uint64_t completed_ns);

/*
 * Numbered requests of a device whose records were lost, since the start: they have completed as well, and before now_ns.
 * Not known is the depth of what was issued between the last request that depth_meter__next() was given and now_ns.
 */
void depth_meter__lost(struct depth_meter *meter, uint32_t device, uint64_t count, uint64_t now_ns);

#endif
