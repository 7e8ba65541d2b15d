// SPDX-License-Identifier: MIT
#include <string.h>

#include "trace/columns/work.h"

/*
 * Rows are converted to columns, and back, in tiles that fit into the L1 cache: each row is then
 * touched once, not once per field.
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
 * A row as an array of 64-bit words. One pass over a tile finds the bits that differ from the first
 * row anywhere; only the columns of these bits are then taken out of the rows.
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

/*
 * A column stays a single value until a tile has another. Most columns of most blocks stay so and
 * are never written out.
 */
static void gather_tile(struct columns *c, const struct column_table *table, unsigned int i,
			const char *tile, const uint64_t *differing, uint32_t first, uint32_t count)
{
	const struct column_definition *def = &table->columns[i];
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
			       const struct column_definition *def, uint32_t count)
{
	const uint64_t *since = c->column[column_at(table, def->since)], *otherwise;

	if (def->else_since == COLUMN_NONE)
		return since;
	otherwise = c->column[column_at(table, def->else_since)];
	for (uint32_t i = 0; i < count; i++)
		c->since[i] = since[i] ? since[i] : otherwise[i];
	return c->since;
}
