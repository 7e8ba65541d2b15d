/* SPDX-License-Identifier: MIT */
/* Tries whether this kernel allows a way of attaching, with an empty program. */
#ifndef BLKREEL_COLLECTOR_KERNEL_TRY_PROGRAM_H
#define BLKREEL_COLLECTOR_KERNEL_TRY_PROGRAM_H

/* Loads and attaches the named program of bpf/probe.bpf.c, then detaches it. 0, or the negative
 * errno of the refusal. Needs the privileges that recording needs. */
int try_program(const char *name);

#endif
