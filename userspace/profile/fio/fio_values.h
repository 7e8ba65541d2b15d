/* SPDX-License-Identifier: MIT */
/* Values as fio's job files write them; private to fio_*.c. */
#ifndef BLKREEL_PROFILE_FIO_FIO_VALUES_H
#define BLKREEL_PROFILE_FIO_FIO_VALUES_H

#include <stdint.h>

/* A size above 0: "4k" or "4K"; of "4k,8k" and "4k-8k" the first. 0, or -EINVAL. */
int fio_size_value(const char *text, uint64_t *bytes);

#endif
