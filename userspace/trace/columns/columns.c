// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "trace/columns/columns.h"
#include "trace/columns/work.h"

struct columns *columns__new(void)
{
	struct columns *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	c->places = NULL;
	c->reuses_choices = false;
	return c;
}

void columns__reuse_choices(struct columns *c)
{
	memset(c->choices, 0, sizeof(c->choices));
	c->reuses_choices = true;
}

void columns__free(struct columns *c)
{
	if (c)
		places__free(c->places);
	free(c);
}

size_t columns_row_size(enum row_kind kind)
{
	return column_table(kind)->row_bytes;
}

size_t columns_row_size_max(void)
{
	size_t largest = 0;

	for (enum row_kind kind = 0; kind < ROW_KIND_COUNT; kind++)
		if (columns_row_size(kind) > largest)
			largest = columns_row_size(kind);
	return largest;
}

size_t columns_payload_max(enum row_kind kind)
{
	size_t numbers = CODING_BYTES_MAX((size_t)TRACE_BLOCK_ROWS_MAX);
	size_t per_column = DIRECTORY_ENTRY_BYTES + 3 * VARINT_MAX_BYTES + numbers;

	/* Sectors may need two codings (TRANSFORM_PLACES). */
	return DIRECTORY_HEAD_BYTES + column_table(kind)->count * per_column + 1 + numbers;
}

void columns__span(const struct columns *c, enum row_kind kind, uint32_t count, uint64_t *first_ns,
		   uint64_t *last_ns)
{
	const struct column_table *table = column_table(kind);
	/*
	 * One less than each time: a time that was not seen (0) wraps around and is never the
	 * smallest.
	 */
	uint64_t first = UINT64_MAX, last = 0;

	for (unsigned int column = 0; column < table->count; column++) {
		const uint64_t *times_ns = c->column[column];
		uint32_t values = c->constant >> column & 1 ? 1 : count;

		if (!column_is_time(&table->columns[column]))
			continue;
		for (uint32_t i = 0; i < values; i++) {
			first = times_ns[i] - 1 < first ? times_ns[i] - 1 : first;
			last = times_ns[i] > last ? times_ns[i] : last;
		}
	}
	*first_ns = first + 1;
	*last_ns = last;
}

static void widen(uint64_t time_ns, uint64_t *first_ns, uint64_t *last_ns)
{
	if (!time_ns)
		return;
	*first_ns = !*first_ns || time_ns < *first_ns ? time_ns : *first_ns;
	*last_ns = time_ns > *last_ns ? time_ns : *last_ns;
}

void columns_time_span(enum row_kind kind, const void *rows, uint32_t count, uint64_t *first_ns,
		       uint64_t *last_ns)
{
	const struct column_table *table = column_table(kind);
	unsigned int offsets[COLUMNS_MAX], times = 0;
	const char *row = rows;

	for (unsigned int i = 0; i < table->count; i++)
		if (column_is_time(&table->columns[i]))
			offsets[times++] = table->columns[i].offset;
	*first_ns = *last_ns = 0;
	for (uint32_t i = 0; i < count; i++, row += table->row_bytes)
		for (unsigned int time = 0; time < times; time++) {
			uint64_t time_ns;

			memcpy(&time_ns, row + offsets[time], sizeof(time_ns));
			widen(time_ns, first_ns, last_ns);
		}
}
