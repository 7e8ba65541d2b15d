/* SPDX-License-Identifier: MIT */
/* IOs of parties that are left out: "task=NAME", "cgroup=PATH" or "file=NAME". */
#ifndef BLKREEL_TRACE_STREAMS_LEFT_OUT_H
#define BLKREEL_TRACE_STREAMS_LEFT_OUT_H

#include "trace/file/reader.h"

/* Between the parties of a text, as in the tier TRACE_TIER_WITHOUT. */
#define LEFT_OUT_SEPARATOR ", "

struct left_out;

/*
 * `parties` are the caller's and must outlive it. -EINVAL and *wrong: the one that is none of these; -ENOMEM.
 * `*left` is NULL when there are none.
 */
int left_out__create(const char *const *parties, unsigned int count, struct left_out **left,
		     const char **wrong);
void left_out__free(struct left_out *left); /* NULL is allowed */

/* 1: the IO is of one of the parties, and was counted for its device; 0; -ENOMEM. NULL leaves nothing out. */
int left_out__has(struct left_out *left, const struct trace_reader *reader,
		  const struct io_row *row);

/*
 * After all IOs: the first party that none of them was of, and in `there` those of its kind that there are; NULL: each has
 * some.
 */
const char *left_out__not_found(const struct left_out *left, const struct trace_reader *reader,
				char *there, size_t bytes);

/* IOs of a device that were left out since the last call of left_out__restart(). */
uint64_t left_out__ios(const struct left_out *left, uint32_t device);
void left_out__restart(struct left_out *left); /* NULL is allowed */

/* "task=dd, file=/srv/a", cut to `bytes`; returns `text`. */
char *left_out_text(const char *const *parties, unsigned int count, char *text, size_t bytes);

/* Splits such a text in place. Returns the number of parties, at most `max`. */
unsigned int left_out_split(char *text, const char **parties, unsigned int max);

#endif
