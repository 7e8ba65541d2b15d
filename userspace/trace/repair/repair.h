/* SPDX-License-Identifier: MIT */
/*
 * Makes a clean trace out of one that was cut or damaged. Copies good blocks unchanged, writes loss
 * rows for the rest, and writes summary, index and end mark where they are missing. Memory is
 * bounded for any size of the file.
 */
#ifndef BLKREEL_TRACE_REPAIR_REPAIR_H
#define BLKREEL_TRACE_REPAIR_REPAIR_H

#include <stdbool.h>
#include <stdint.h>

struct repair_result {
	uint64_t bytes_in, bytes_out;
	uint64_t bytes_lost;   /* in gaps, including the index and the end mark */
	uint64_t bytes_behind; /* behind the end mark, or of another recording: left out */
	uint64_t gaps;
	uint64_t rows_kept, rows_lost;
	bool at_least;		   /* rows_lost may be more */
	unsigned int tables_lost;  /* bits 1 << enum block_kind: metadata that is certainly lost */
	bool unknown_lost;	   /* the content of a gap is not known: maybe names */
	bool head_lost, host_lost; /* written anew */
	bool summary_lost;	   /* written anew */
	bool end_lost;		   /* there was no end mark */
	bool other_recording;	   /* bytes_behind begin with another host block */
	bool clean;		   /* the file was not damaged */
};

struct repair;

/*
 * Opens the file to repair. Returns and fills *message as trace_reader__open() does, but accepts a
 * damaged head when a good block follows. -ENODATA: there is no good block.
 */
int trace_repair__open(const char *path, struct repair **repair, const char **message);
void trace_repair__free(struct repair *repair); /* NULL is allowed */

/* Whether `path` is the file that is open. */
bool trace_repair__is_input(const struct repair *repair, const char *path);

/*
 * Writes the repaired trace; creates `path` as trace_writer__create() does with `replace_at_close`.
 * 0; an error of trace_writer__create(); -EPROTONOSUPPORT: a block of a newer version; other
 * negative errno. To be called once.
 */
int trace_repair__run(struct repair *repair, const char *path, struct repair_result *result);

#endif
