/* The io rows of a trace as records of a foreign format. */
#ifndef BLKREEL_EXCHANGE_EXPORT_H
#define BLKREEL_EXCHANGE_EXPORT_H

#include "exchange/foreign.h"

/*
 * Prints to `out`. *left_out counts the rows that the format cannot hold; *err receives what the
 * last read returned (0 or negative errno). 0; -EIO: `out` failed; -ENOMEM.
 */
int export_rows(FILE *out, struct trace_reader *reader, const struct foreign_format *format,
		uint64_t *left_out, int *err);

#endif
