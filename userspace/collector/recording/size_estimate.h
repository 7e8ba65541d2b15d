/* SPDX-License-Identifier: MIT */
/*
 * How large a file will be if it ends now. Rows are written in blocks of up to 8,192, compressed, so the file does not
 * tell: its rows count with the bytes that a row took in the file before.
 */
#ifndef BLKREEL_COLLECTOR_RECORDING_SIZE_ESTIMATE_H
#define BLKREEL_COLLECTOR_RECORDING_SIZE_ESTIMATE_H

#include <stdint.h>

struct size_estimate {
	double row_bytes;   /* 0: no file has ended yet */
	uint64_t last_rows; /* of the current file at the last look */
};

/*
 * The bytes that a file of `rows` rows has if it ends at the next look, when as many are added as
 * since the last one. Too many rather than too few.
 */
uint64_t size_estimate__look(struct size_estimate *e, uint64_t rows);

/* A file of `rows` rows has ended with `bytes`. */
void size_estimate__learn(struct size_estimate *e, uint64_t rows, uint64_t bytes);

#endif
