/* SPDX-License-Identifier: MIT */
/* Trying the ways of attaching a program, each with an empty one. */
#ifndef BLKREEL_COLLECTOR_KERNEL_TRY_PROGRAM_H
#define BLKREEL_COLLECTOR_KERNEL_TRY_PROGRAM_H

/* Loads and attaches the program of that name of bpf/probe.bpf.c for a moment: 0, or the negative errno of why that could
 * not be done. Needs the rights that recording needs. */
int try_program(const char *name);

#endif
