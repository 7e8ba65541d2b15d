// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "trace/columns/columns.h"
#include "trace/columns/work.h"

/* Where each known column lies in a payload; 0 bytes: the column is missing. */
struct directory {
	struct {
		const uint8_t *at;
		uint32_t bytes;
		uint8_t transform, coding;
	} column[COLUMN_ID_MAX + 1];
};

static const char *read_directory(struct directory *directory, const uint8_t *payload, size_t bytes)
{
	const uint8_t *entry = payload + DIRECTORY_HEAD_BYTES, *at;
	unsigned int count;
	size_t left;

	memset(directory, 0, sizeof(*directory));
	if (bytes < DIRECTORY_HEAD_BYTES || get_le16(payload + 2))
		return "a row block has no column directory";
	count = get_le16(payload);
	left = bytes - DIRECTORY_HEAD_BYTES;
	if (left / DIRECTORY_ENTRY_BYTES < count)
		return "a column directory is longer than its block";
	at = entry + (size_t)count * DIRECTORY_ENTRY_BYTES;
	left -= (size_t)count * DIRECTORY_ENTRY_BYTES;
	for (; count; count--, entry += DIRECTORY_ENTRY_BYTES) {
		uint32_t length = get_le32(entry + 4);
		unsigned int id = entry[0];

		if (length > left || !length || entry[3])
			return "a column does not fit into its block";
		if (id <= COLUMN_ID_MAX) {
			if (directory->column[id].bytes)
				return "a column occurs twice";
			directory->column[id].at = at;
			directory->column[id].bytes = length;
			directory->column[id].transform = entry[1];
			directory->column[id].coding = entry[2];
		}
		at += length;
		left -= length;
	}
	return left ? "a block is longer than its columns" : NULL;
}

static uint32_t zeros_in(const uint64_t *values, uint32_t count)
{
	uint32_t zeros = 0;

	for (uint32_t i = 0; i < count; i++)
		zeros += !values[i];
	return zeros;
}

/* TRANSFORM_PLACES: how far back each row refers, then the addresses of the rows that do not. */
static int get_places(struct columns *c, unsigned int coding, const uint8_t *at, const uint8_t *end,
		      const struct io_row *rows, uint64_t *sectors, uint32_t count,
		      const struct transform_head *head)
{
	uint64_t *fresh = c->coded[0];
	uint64_t back_bytes;
	unsigned int used = get_varint(at, end, &back_bytes);

	if (!rows || !used || back_bytes > (size_t)(end - at) - used)
		return -EBADMSG;
	at += used;
	if (coding_unpack(coding, at, back_bytes, sectors, count))
		return -EBADMSG;
	at += back_bytes;
	c->fresh = zeros_in(sectors, count);
	if (c->fresh) {
		if (at == end ||
		    coding_unpack(*at, at + 1, (size_t)(end - at) - 1, fresh, c->fresh))
			return -EBADMSG;
		transform_unscale(fresh, c->fresh, head->scale);
	} else if (at != end) {
		return -EBADMSG;
	}
	return places_undo(rows, sectors, count, head->base, fresh, c->fresh);
}

static int get_column(struct columns *c, const struct directory *directory, unsigned int id,
		      const struct transform_inputs *in, uint64_t *values, uint32_t count)
{
	const uint8_t *at = directory->column[id].at, *end = at + directory->column[id].bytes;
	unsigned int transform = directory->column[id].transform, used;
	unsigned int coding = directory->column[id].coding;
	struct transform_head head = {0};

	used = get_varint(at, end, &head.scale);
	if (!used || !head.scale)
		return -EBADMSG;
	at += used;
	if (transform_has_base(transform)) {
		used = get_varint(at, end, &head.base);
		if (!used)
			return -EBADMSG;
		at += used;
	}
	if (transform == TRANSFORM_PLACES)
		return get_places(c, coding, at, end, in->rows, values, count, &head);
	if (coding_unpack(coding, at, (size_t)(end - at), values, count))
		return -EBADMSG;
	return transform_undo(transform, in, values, count, &head);
}

static bool within_range(const struct column_definition *def, const uint64_t *values,
			 uint32_t count)
{
	uint64_t limit = def->limit, bits = 0;

	for (uint32_t i = 0; i < count; i++)
		bits |= values[i];
	if (def->bytes < 8 && bits >> (8 * def->bytes))
		return false;
	for (uint32_t i = 0; i < count && limit; i++)
		if (values[i] >= limit)
			return false;
	return true;
}

static void numbers_to_errors(uint64_t *values, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		values[i] = (uint32_t)unzigzag(values[i]);
}

/* Decodes column i of the table into c->column[i]. NULL, or the reason why it is not valid. */
static const char *decode_column(struct columns *c, const struct column_table *table,
				 unsigned int i, const struct directory *directory,
				 const void *rows, uint32_t count)
{
	const struct column_definition *def = &table->columns[i];
	struct transform_inputs in = {0};

	if (def->role == ROLE_SINCE)
		in.since = columns__since(c, table, def, count);
	if (def->role == ROLE_SECTOR)
		in.rows = rows;
	if (get_column(c, directory, def->id, &in, c->column[i], count))
		return "a column cannot be decoded";
	if (!within_range(def, c->column[i], count))
		return "a column holds a value out of range";
	if (def->role == ROLE_ERROR)
		numbers_to_errors(c->column[i], count);
	return NULL;
}

/* True for most columns of most blocks. A constant column is decoded once for all rows. */
static bool is_constant(const struct column_definition *def, const struct directory *directory)
{
	return (def->role == ROLE_VALUE || def->role == ROLE_ERROR) &&
	       directory->column[def->id].coding == CODING_CONSTANT &&
	       directory->column[def->id].transform == TRANSFORM_PLAIN;
}

/* Makes all rows equal to the first. */
static void repeat_first(void *rows, size_t row_bytes, uint32_t count)
{
	size_t done = row_bytes, all = row_bytes * count;

	while (done < all) {
		size_t more = done < all - done ? done : all - done;

		memcpy((char *)rows + done, rows, more);
		done += more;
	}
}

/* Fills all rows with the constant columns, and the others with 0. */
static const char *decode_constants(struct columns *c, const struct column_table *table,
				    const struct directory *directory, void *rows, uint32_t count)
{
	const char *reason = NULL;

	memset(rows, 0, table->row_bytes);
	for (unsigned int i = 0; i < table->count && !reason; i++) {
		if (!directory->column[table->columns[i].id].bytes ||
		    !is_constant(&table->columns[i], directory))
			continue;
		reason = decode_column(c, table, i, directory, NULL, 1);
		columns__to_rows(c, table, 1u << i, rows, 1);
	}
	repeat_first(rows, table->row_bytes, count);
	return reason;
}

int columns__decode(struct columns *c, enum row_kind kind, const uint8_t *payload, size_t bytes,
		    void *rows, uint32_t count, const char **reason)
{
	const struct column_table *table = column_table(kind);
	struct directory directory;
	uint32_t decoded = 0;

	*reason = read_directory(&directory, payload, bytes);
	if (!*reason)
		*reason = decode_constants(c, table, &directory, rows, count);
	for (unsigned int i = 0; i < table->count && !*reason; i++) {
		const struct column_definition *def = &table->columns[i];

		if (!directory.column[def->id].bytes) {
			/* Another column may refer to this one. */
			if (def->role == ROLE_TIME || def->role == ROLE_SINCE)
				memset(c->column[i], 0, count * sizeof(c->column[i][0]));
			continue;
		}
		if (is_constant(def, &directory))
			continue;
		/*
		 * The prediction of a sector reads fields of the rows, which must be filled before.
		 */
		if (def->role == ROLE_SECTOR) {
			columns__to_rows(c, table, decoded, rows, count);
			decoded = 0;
		}
		*reason = decode_column(c, table, i, &directory, rows, count);
		decoded |= 1u << i;
	}
	if (*reason)
		return -EBADMSG;
	columns__to_rows(c, table, decoded, rows, count);
	return 0;
}
