// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
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

	/* Sectors may take two codings (TRANSFORM_PLACES). */
	return DIRECTORY_HEAD_BYTES + column_table(kind)->count * per_column + 1 + numbers;
}

/*
 * Rows and columns are turned into each other in tiles of so many rows that these stay in the
 * first cache: each row is then touched once, and not once per field.
 */
#define TILE_ROWS 64u

#define GATHER(type)                                                 \
	do {                                                         \
		for (uint32_t i = 0; i < count; i++, at += stride) { \
			type field;                                  \
			memcpy(&field, at, sizeof(field));           \
			values[i] = field;                           \
		}                                                    \
	} while (0)

static void gather(const char *at, size_t stride, unsigned int bytes, uint64_t *values,
		   uint32_t count)
{
	switch (bytes) {
	case 1:
		GATHER(uint8_t);
		break;
	case 2:
		GATHER(uint16_t);
		break;
	case 4:
		GATHER(uint32_t);
		break;
	default:
		GATHER(uint64_t);
	}
}

#define SCATTER(type)                                                \
	do {                                                         \
		for (uint32_t i = 0; i < count; i++, at += stride) { \
			type field = (type)values[i];                \
			memcpy(at, &field, sizeof(field));           \
		}                                                    \
	} while (0)

static void scatter(char *at, size_t stride, unsigned int bytes, const uint64_t *values,
		    uint32_t count)
{
	switch (bytes) {
	case 1:
		SCATTER(uint8_t);
		break;
	case 2:
		SCATTER(uint16_t);
		break;
	case 4:
		SCATTER(uint32_t);
		break;
	default:
		SCATTER(uint64_t);
	}
}

/*
 * A row as words: which bits of each of them differ from the first row's anywhere in a tile tells which columns
 * have to be taken out of it, in one pass.
 */
#define ROW_WORDS_MAX 32u

_Static_assert(sizeof(struct cache_row) <= ROW_WORDS_MAX * sizeof(uint64_t) &&
		       sizeof(struct tick_row) <= ROW_WORDS_MAX * sizeof(uint64_t),
	       "the largest rows");

static void find_differing(uint64_t *differing, const char *tile, const uint64_t *first_row,
			   size_t row_bytes, uint32_t count)
{
	size_t words = row_bytes / sizeof(uint64_t);

	memset(differing, 0, words * sizeof(*differing));
	for (uint32_t i = 0; i < count; i++, tile += row_bytes)
		for (size_t w = 0; w < words; w++) {
			uint64_t word;

			memcpy(&word, tile + w * sizeof(word), sizeof(word));
			differing[w] |= word ^ first_row[w];
		}
}

static void fill(uint64_t *values, uint64_t value, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		values[i] = value;
}

static uint32_t tile_rows(uint32_t first, uint32_t count)
{
	return count - first < TILE_ROWS ? count - first : TILE_ROWS;
}

/* A column stays a single value until a tile has another: most of them do so in most blocks, and then
 * are never written out. */
static void gather_tile(struct columns *c, const struct column_table *table, unsigned int i,
			const char *tile, const uint64_t *differing, uint32_t first, uint32_t count)
{
	const struct column_def *def = &table->columns[i];
	uint64_t *values = c->column[i], differs = 0;

	if (c->constant >> i & 1) {
		memcpy(&differs, (const char *)differing + def->offset, def->bytes);
		if (!differs)
			return;
		c->constant &= ~(1u << i);
		fill(values, values[0], first);
	}
	gather(tile + def->offset, table->row_bytes, def->bytes, values + first, count);
}

void columns__from_rows(struct columns *c, const struct column_table *table, const void *rows,
			uint32_t count)
{
	uint64_t first_row[ROW_WORDS_MAX], differing[ROW_WORDS_MAX];

	memcpy(first_row, rows, table->row_bytes);
	c->constant = (1u << table->count) - 1;
	for (unsigned int i = 0; i < table->count; i++)
		gather((const char *)rows + table->columns[i].offset, table->row_bytes,
		       table->columns[i].bytes, c->column[i], 1);
	for (uint32_t first = 0; first < count; first += TILE_ROWS) {
		const char *tile = (const char *)rows + first * table->row_bytes;

		find_differing(differing, tile, first_row, table->row_bytes,
			       tile_rows(first, count));
		for (unsigned int i = 0; i < table->count; i++)
			gather_tile(c, table, i, tile, differing, first, tile_rows(first, count));
	}
	for (unsigned int i = 0; i < table->count; i++)
		if ((c->constant >> i & 1) && column_is_time(&table->columns[i]))
			fill(c->column[i], c->column[i][0], count);
}

void columns__span(const struct columns *c, enum row_kind kind, uint32_t count, uint64_t *first_ns,
		   uint64_t *last_ns)
{
	const struct column_table *table = column_table(kind);
	/* One less than a time, so that one that was not seen is none of the smallest. */
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

void columns__to_rows(const struct columns *c, const struct column_table *table, uint32_t which,
		      void *rows, uint32_t count)
{
	for (uint32_t first = 0; first < count; first += TILE_ROWS) {
		char *tile = (char *)rows + first * table->row_bytes;

		for (unsigned int i = 0; i < table->count; i++)
			if (which >> i & 1)
				scatter(tile + table->columns[i].offset, table->row_bytes,
					table->columns[i].bytes, c->column[i] + first,
					tile_rows(first, count));
	}
}

static unsigned int column_at(const struct column_table *table, size_t offset)
{
	unsigned int i = 0;

	while (table->columns[i].offset != offset)
		i++;
	return i;
}

bool columns__is_constant(const struct columns *c, const struct column_table *table, size_t offset)
{
	return c->constant >> column_at(table, offset) & 1;
}

const uint64_t *columns__since(struct columns *c, const struct column_table *table,
			       const struct column_def *def, uint32_t count)
{
	const uint64_t *since = c->column[column_at(table, def->since)], *otherwise;

	if (def->else_since == COLUMN_NONE)
		return since;
	otherwise = c->column[column_at(table, def->else_since)];
	for (uint32_t i = 0; i < count; i++)
		c->since[i] = since[i] ? since[i] : otherwise[i];
	return c->since;
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
