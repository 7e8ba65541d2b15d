/* SPDX-License-Identifier: MIT */
/* Questions to the running kernel's BTF: what exists here, and how it is numbered. */
#ifndef BLKREEL_COLLECTOR_KERNEL_BTF_H
#define BLKREEL_COLLECTOR_KERNEL_BTF_H

#include <stdbool.h>

struct btf;

/* The running kernel's BTF, loaded once and kept; NULL (errno set) when there is none. */
const struct btf *kernel_btf(void);

/* Arguments of a tracepoint as a BPF program gets them, or -ENOENT when there is no such. */
int kernel_btf_tracepoint_arguments(const char *tracepoint);
bool kernel_btf_has_tracepoint(const char *tracepoint);
/* The name of the type of one argument, "" when it has none. */
const char *kernel_btf_argument_type(const char *tracepoint, unsigned int argument);

/* The value of one enumerator, or -ENOENT. The enum's name changed between kernels: several may
 * be given, "" for those without a name, NULL at the end. */
int kernel_btf_enum_value(const char *const *enums, const char *enumerator);

/* The mask of a flag of requests; `bit`: its number before the flags became an enum. */
unsigned int kernel_btf_request_flag(const char *flag, int bit);

bool kernel_btf_has_function(const char *function);
bool kernel_btf_has_variable(const char *variable); /* of those that each CPU has for itself */
bool kernel_btf_has_structure(const char *structure);
/* Is there a member in a struct, at its first level? */
bool kernel_btf_has_member(const char *structure, const char *member);

#endif
