/* SPDX-License-Identifier: MIT */
/*
 * Sorts a stream of elements that come nearly in order of time, within a window of a fixed number
 * of elements. Of equal times the lower turn is first; equal turns keep the order in which they were
 * pushed. Keys move; elements stay in their places.
 */
#ifndef BLKREEL_BASE_REORDER_WINDOW_H
#define BLKREEL_BASE_REORDER_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reorder_window;

/* For `capacity` > 0 elements of `element_bytes` each. 0 or -ENOMEM. */
int reorder_window__create(uint32_t capacity, size_t element_bytes, struct reorder_window **window);
void reorder_window__free(struct reorder_window *w); /* NULL is allowed */

bool reorder_window__full(const struct reorder_window *w);

/* The place of a new element, which the caller fills. The window must not be full. */
void *reorder_window__push(struct reorder_window *w, uint64_t time_ns, uint64_t turn);

/* The earliest element and, in *time_ns, its time; NULL: the window is empty. */
const void *reorder_window__first(const struct reorder_window *w, uint64_t *time_ns);

/* Removes the earliest element, which stays readable until the next push. NULL: it was empty. */
const void *reorder_window__pop(struct reorder_window *w);

#endif
