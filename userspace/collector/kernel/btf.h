/* SPDX-License-Identifier: MIT */
/* Looks up in the running kernel's BTF what exists and how it is numbered. */
#ifndef BLKREEL_COLLECTOR_KERNEL_BTF_H
#define BLKREEL_COLLECTOR_KERNEL_BTF_H

#include <stdbool.h>

struct btf;

/* The running kernel's BTF, loaded once and cached. NULL (errno set) when there is none. */
const struct btf *kernel_btf(void);

/* The number of arguments that a BPF program gets at a tracepoint; -ENOENT: no such tracepoint. */
int kernel_btf_tracepoint_arguments(const char *tracepoint);
/* Whether something of that name exists. */
bool kernel_btf_has_tracepoint(const char *tracepoint);
/* The type name of one argument (the first is 0); "" when it has none. */
const char *kernel_btf_argument_type(const char *tracepoint, unsigned int argument);

/* The value of one enumerator, or -ENOENT. The enum's name differs between kernels: `enums` lists
 * the candidates, "" for an enum without a name, and ends with NULL. */
int kernel_btf_enum_value(const char *const *enums, const char *enumerator);

/* The mask of a request flag (RQF_*). `bit`: its number before the flags became an enum. */
unsigned int kernel_btf_request_flag(const char *flag, int bit);

/* Whether something of that name exists. */
bool kernel_btf_has_function(const char *function);
bool kernel_btf_has_variable(const char *variable); /* per-CPU variables only */
bool kernel_btf_has_structure(const char *structure);
/* Whether a structure has a member, at its first level. */
bool kernel_btf_has_member(const char *structure, const char *member);

#endif
