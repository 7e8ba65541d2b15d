// SPDX-License-Identifier: MIT
#include "report/heat_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/timeline.h"

void heat_map_release(struct heat_map *h)
{
	for (int op = 0; op < TICK_OP_COUNT; op++) {
		free(h->cells[op]);
		h->cells[op] = NULL;
	}
}

int heat_map_add(struct heat_map *h, enum tick_op op, uint32_t bin, uint32_t row, uint64_t count)
{
	uint32_t *cell;

	if (!h->cells[op]) {
		h->cells[op] = calloc((size_t)TIMELINE_BINS * h->rows, sizeof(uint32_t));
		if (!h->cells[op])
			return -ENOMEM;
	}
	cell = &h->cells[op][(size_t)bin * h->rows + row];
	*cell = count > UINT32_MAX - *cell ? UINT32_MAX : *cell + (uint32_t)count;
	return 0;
}

void heat_map_double_bins(struct heat_map *h)
{
	size_t rows = h->rows, half = TIMELINE_BINS / 2;

	for (int op = 0; op < TICK_OP_COUNT; op++) {
		uint32_t *cells = h->cells[op];

		if (!cells)
			continue;
		for (size_t bin = 0; bin < half; bin++)
			for (size_t row = 0; row < rows; row++)
				cells[bin * rows + row] = cells[2 * bin * rows + row] +
							  cells[(2 * bin + 1) * rows + row];
		memset(cells + half * rows, 0, half * rows * sizeof(*cells));
	}
}

static void double_column(uint32_t *column, uint32_t rows, bool to_upper_half)
{
	uint32_t sums[LATENCY_ROWS] = {0}, half = rows / 2;

	for (uint32_t i = 0; i < half; i++)
		sums[i + (to_upper_half ? half : 0)] = column[2 * i] + column[2 * i + 1];
	memcpy(column, sums, rows * sizeof(*column));
}

void heat_map_double_rows(struct heat_map *h, bool to_upper_half)
{
	for (int op = 0; op < TICK_OP_COUNT; op++)
		for (uint32_t bin = 0; h->cells[op] && bin < TIMELINE_BINS; bin++)
			double_column(h->cells[op] + (size_t)bin * h->rows, h->rows, to_upper_half);
}

bool heat_map_range(const struct heat_map *h, uint32_t *lowest, uint32_t *highest)
{
	*lowest = UINT32_MAX;
	*highest = 0;
	for (int op = 0; op < TICK_OP_COUNT; op++) {
		for (size_t i = 0; h->cells[op] && i < (size_t)TIMELINE_BINS * h->rows; i++) {
			uint32_t row = (uint32_t)(i % h->rows);

			if (!h->cells[op][i])
				continue;
			*lowest = row < *lowest ? row : *lowest;
			*highest = row > *highest ? row : *highest;
		}
	}
	return *lowest != UINT32_MAX;
}

uint32_t latency_row(uint64_t latency_ns)
{
	/* 2^(n / 8) for n from 1 to 7, in units of 2^-31 */
	static const uint32_t steps[] = {2341847524u, 2553802834u, 2784941738u, 3037000500u,
					 3311872529u, 3611622603u, 3938502376u};
	uint32_t octave, mantissa, step = 0;

	if (!latency_ns)
		return 0;
	octave = 63u - (uint32_t)__builtin_clzll(latency_ns);
	mantissa = (uint32_t)(latency_ns << (63 - octave) >> 32);
	while (step < LATENCY_OCTAVE_ROWS - 1 && mantissa >= steps[step])
		step++;
	return octave * LATENCY_OCTAVE_ROWS + step;
}
