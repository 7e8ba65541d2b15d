/* SPDX-License-Identifier: MIT */
/*
 * Makes a clean trace out of one that was cut or damaged: whole good blocks are copied as they
 * are, what was lost becomes loss rows, and summary, index and end mark are written where they are
 * missing. Memory is bounded, whatever the size of the file.
 */
#ifndef BLKREEL_TRACE_REPAIR_REPAIR_H
#define BLKREEL_TRACE_REPAIR_REPAIR_H

#include <stdbool.h>
#include <stdint.h>

struct repair_result {
	uint64_t bytes_in, bytes_out;
	uint64_t bytes_lost;   /* in gaps, those of index and end mark included */
	uint64_t bytes_behind; /* behind the end mark, or those of another recording: left out */
	uint64_t gaps;
	uint64_t rows_kept, rows_lost;
	bool at_least;		   /* rows_lost may be more */
	unsigned int tables_lost;  /* bits 1 << enum block_kind: metadata that is surely lost */
	bool unknown_lost;	   /* what a gap held is not known: maybe names */
	bool head_lost, host_lost; /* made anew */
	bool summary_lost;	   /* made anew */
	bool end_lost;		   /* there was no end mark */
	bool other_recording;	   /* bytes_behind begin with another host block */
	bool clean;		   /* nothing was wrong */
};

struct repair;

/*
 * Opens what is to be repaired. 0 or what trace_reader__open() returns, with its *message; a
 * damaged head is accepted when a good block follows. -ENODATA: there is no good block at all.
 */
int trace_repair__open(const char *path, struct repair **repair, const char **message);
void trace_repair__free(struct repair *repair); /* NULL is allowed */

/* Whether `path` is the very file that was opened. */
bool trace_repair__is_input(const struct repair *repair, const char *path);

/*
 * Writes the repaired trace; `path` is created as trace_writer__create() does it with `when_whole`.
 * 0; what trace_writer__create() returns; -EPROTONOSUPPORT: a block of a newer
 * version; other negative errno. Call it once.
 */
int trace_repair__run(struct repair *repair, const char *path, struct repair_result *result);

#endif
