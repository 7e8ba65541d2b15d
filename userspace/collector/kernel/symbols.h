/* SPDX-License-Identifier: MIT */
/* The names of the kernel's functions, from /proc/kallsyms. */
#ifndef BLKREEL_COLLECTOR_KERNEL_SYMBOLS_H
#define BLKREEL_COLLECTOR_KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

struct kernel_symbols;

/* Reads them all: needs the right to see addresses (CAP_SYSLOG). 0; -EPERM: they are hidden; other
 * negative errno. */
int kernel_symbols__load(struct kernel_symbols **symbols);
void kernel_symbols__free(struct kernel_symbols *s); /* NULL is allowed */

/* The function that holds the address; NULL: none. */
const char *kernel_symbols__name(const struct kernel_symbols *s, uint64_t address);

/* Whether this process may see the addresses now. */
bool kernel_symbols_visible(void);

#endif
