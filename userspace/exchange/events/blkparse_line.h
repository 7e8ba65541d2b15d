/* SPDX-License-Identifier: MIT */
/* Parses and prints the lines of blkparse's default text. */
#ifndef BLKREEL_EXCHANGE_EVENTS_BLKPARSE_LINE_H
#define BLKREEL_EXCHANGE_EVENTS_BLKPARSE_LINE_H

#include "exchange/events/block_event.h"
#include "exchange/input/field.h"

/* The start of each event: "  8,0    1      12     0.000123456  4711  Q  WS ". */
struct blkparse_head {
	uint64_t time_ns;
	uint32_t device, pid;
	uint32_t cpu;
	struct text action, operation;
};

/* Parses the start and moves *at behind it. False: the line is no event. */
bool blkparse_head(const char **at, const char *end, struct blkparse_head *head);

/*
 * Parses the rest of the event. NULL, or the error (static storage). `comm` is empty when the line
 * names no process. Times are as in the text.
 */
const char *blkparse_event(const char *at, const char *end, const struct blkparse_head *head,
			   struct block_event *event, struct text *comm);

#define BLKPARSE_LINE_MAX 256
/* Prints the event as blkparse does, with a line feed. Returns the bytes. */
size_t blkparse_format(const struct block_event *event, uint64_t time_ns, const char *comm,
		       char line[BLKPARSE_LINE_MAX]);

#endif
