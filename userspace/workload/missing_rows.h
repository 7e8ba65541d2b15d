/* SPDX-License-Identifier: MIT */
/* What a trace says is missing from it: rows that were lost, and its end. */
#ifndef BLKREEL_WORKLOAD_MISSING_ROWS_H
#define BLKREEL_WORKLOAD_MISSING_ROWS_H

#include <stdbool.h>

#include "trace/file/reader.h"

struct missing_rows {
	uint64_t lost[LOSS_CLASS_COUNT]; /* as in the loss rows */
	uint64_t rows[ROW_KIND_COUNT];	 /* that are there */
	uint64_t profile_lost_ppm;	 /* of a profile: of the IOs of its trace, per million */
	bool torn;			 /* the end of the file is missing */
	bool part;			 /* `lost` is of a part of the time, `rows` of all */
};

/*
 * Reads the loss rows of a whole trace, from its start; the reader is then at its end. Those that
 * overlap `from_ns` to before `to_ns` after the start of the recording count (0 and UINT64_MAX:
 * all). 0; -EBADMSG: damaged, and what comes before counts; other negative errno.
 */
int missing_rows__scan(struct trace_reader *r, uint64_t from_ns, uint64_t to_ns,
		       struct missing_rows *m);

/*
 * Lost rows of a kind, ROW_IO or ROW_ACCESS. Rows of a damaged file or a full output count whole,
 * because their kind is not known. IOs whose rows are there without a time do not count.
 */
uint64_t missing_rows__lost(const struct missing_rows *m, enum row_kind kind);

/* The same in percent of all rows of this kind, lost or there; NaN: of a part. */
double missing_rows__lost_pct(const struct missing_rows *m, enum row_kind kind);

/* The same per million, at least 1 if one is missing. */
uint64_t missing_rows__lost_ppm(const struct missing_rows *m, enum row_kind kind);

/* Adds what is missing of another trace. */
void missing_rows__merge(struct missing_rows *m, const struct missing_rows *from);

#define MISSING_TEXT_MAX 512

/*
 * "832,436 of 1,604,355 IOs are missing (51.9 %; io_ring: 832,436)", or of a profile "51.9 % of the
 * IOs are missing", or of a part "832,436 IOs are missing (io_ring: 832,436)". False, and "", if no row of the kind is.
 */
bool missing_rows__text(const struct missing_rows *m, enum row_kind kind,
			char text[MISSING_TEXT_MAX]);

#endif
