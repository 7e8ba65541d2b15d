#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "trace/columns_work.h"

struct columns *columns__new(void)
{
	struct columns *c = malloc(sizeof(*c));

	if (c)
		c->places = NULL;
	return c;
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

	for (enum row_kind kind = 0; kind < STORED_ROW_KINDS; kind++)
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

#define GATHER(type)                                                 \
	do {                                                         \
		for (uint32_t i = 0; i < count; i++, at += stride) { \
			type field;                                  \
			memcpy(&field, at, sizeof(field));           \
			values[i] = field;                           \
		}                                                    \
	} while (0)

void columns_gather(const void *rows, size_t stride, unsigned int offset, unsigned int bytes,
		    uint64_t *values, uint32_t count)
{
	const char *at = (const char *)rows + offset;

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

void columns_scatter(void *rows, size_t stride, unsigned int offset, unsigned int bytes,
		     const uint64_t *values, uint32_t count)
{
	char *at = (char *)rows + offset;

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

void columns__gather_since(struct columns *c, const struct column_def *def, const void *rows,
			   size_t stride, uint32_t count)
{
	const char *other = (const char *)rows + def->else_since;

	columns_gather(rows, stride, def->since, sizeof(uint64_t), c->since, count);
	for (uint32_t i = 0; i < count && def->else_since != COLUMN_NONE; i++, other += stride)
		if (!c->since[i])
			memcpy(&c->since[i], other, sizeof(uint64_t));
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

	*first_ns = *last_ns = 0;
	for (unsigned int i = 0; i < table->count; i++) {
		const char *at = (const char *)rows + table->columns[i].offset;

		if (table->columns[i].role != ROLE_TIME && table->columns[i].role != ROLE_SINCE)
			continue;
		for (uint32_t row = 0; row < count; row++, at += table->row_bytes) {
			uint64_t time_ns;

			memcpy(&time_ns, at, sizeof(time_ns));
			widen(time_ns, first_ns, last_ns);
		}
	}
}
