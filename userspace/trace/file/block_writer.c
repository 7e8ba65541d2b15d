// SPDX-License-Identifier: MIT
#include "trace/file/block_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/file/closing.h"
#include "trace/columns/columns.h"

struct block_writer {
	struct output *output;
	struct columns *columns;
	uint8_t *payload;
	uint64_t resolution_ns;
	struct index_entry *index;
	size_t index_count, index_size;
};

int block_writer__create(struct output *output, uint64_t resolution_ns,
			 struct block_writer **writer)
{
	struct block_writer *b = calloc(1, sizeof(*b));
	size_t payload_bytes = 0;

	if (!b) {
		output__close(output, false);
		return -ENOMEM;
	}
	b->output = output;
	b->resolution_ns = resolution_ns;
	for (enum row_kind kind = 0; kind < ROW_KIND_COUNT; kind++)
		if (columns_payload_max(kind) > payload_bytes)
			payload_bytes = columns_payload_max(kind);
	b->payload = malloc(payload_bytes);
	b->columns = columns__new();
	if (!b->payload || !b->columns) {
		block_writer__close(b, false);
		return -ENOMEM;
	}
	*writer = b;
	return 0;
}

void block_writer__reuse_choices(struct block_writer *b)
{
	columns__reuse_choices(b->columns);
}

struct output *block_writer__output(struct block_writer *b)
{
	return b->output;
}

/* Adds the rows that were encoded last to the index. */
static int remember_block(struct block_writer *b, enum row_kind kind, uint32_t count)
{
	struct index_entry *entry;

	if (b->index_count == b->index_size) {
		size_t size = b->index_size ? 2 * b->index_size : 64;
		struct index_entry *index = realloc(b->index, size * sizeof(*index));

		if (!index)
			return -ENOMEM;
		b->index = index;
		b->index_size = size;
	}
	entry = &b->index[b->index_count];
	entry->offset = output__bytes(b->output);
	entry->kind = row_block_kind(kind);
	entry->rows = count;
	columns__span(b->columns, kind, count, &entry->first_ns, &entry->last_ns);
	return 0;
}

int block_writer__rows(struct block_writer *b, enum row_kind kind, const void *rows, uint32_t count)
{
	struct payload_cuts cuts;
	size_t bytes;
	int err;

	bytes = columns__encode(b->columns, kind, rows, count, b->resolution_ns, b->payload, &cuts);
	err = remember_block(b, kind, count);
	if (err)
		return err;
	err = output__append(b->output, row_block_kind(kind), count, b->payload, bytes, &cuts);
	if (!err)
		b->index_count++;
	return err;
}

int block_writer__json(struct block_writer *b, enum block_kind kind, uint32_t rows, json_t *json)
{
	return closing__append_json(b->output, kind, rows, json);
}

static int write_index(struct block_writer *b)
{
	int err = 0;

	for (size_t at = 0; at < b->index_count && !err;) {
		size_t count = b->index_count - at;

		if (count > CLOSING_INDEX_ENTRIES)
			count = CLOSING_INDEX_ENTRIES;
		err = closing__append_index(b->output, b->index + at, (uint32_t)count);
		at += count;
	}
	return err;
}

int block_writer__end(struct block_writer *b, const uint64_t rows[ROW_KIND_COUNT])
{
	struct end_mark end = {.index_at = b->index_count ? output__bytes(b->output) : 0,
			       .blocks = b->index_count};
	int err = write_index(b);

	memcpy(end.rows, rows, sizeof(end.rows));
	if (!err)
		err = closing__append_end(b->output, &end);
	if (!err)
		output__keep(b->output);
	return err;
}

int block_writer__close(struct block_writer *b, bool sync)
{
	int err;

	if (!b)
		return 0;
	err = output__close(b->output, sync);
	columns__free(b->columns);
	free(b->payload);
	free(b->index);
	free(b);
	return err;
}
