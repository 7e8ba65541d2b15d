// SPDX-License-Identifier: MIT
#include "trace/repair/salvage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/file/closing.h"
#include "trace/columns/columns.h"

struct salvage {
	struct input *in;
	struct columns *columns;
	struct tables tables;
	void *rows;
};

struct salvage *salvage__new(struct input *in)
{
	struct salvage *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->in = in;
	s->columns = columns__new();
	s->rows = malloc(TRACE_BLOCK_ROWS_MAX * columns_row_size_max());
	if (!s->columns || !s->rows) {
		salvage__free(s);
		return NULL;
	}
	return s;
}

void salvage__free(struct salvage *s)
{
	if (!s)
		return;
	columns__free(s->columns);
	tables__clear(&s->tables);
	free(s->rows);
	free(s);
}

void salvage__rewind(struct salvage *s)
{
	tables__clear(&s->tables);
	s->tables = (struct tables){0};
	input__rewind(s->in);
}

const struct tables *salvage__tables(const struct salvage *s)
{
	return &s->tables;
}

static uint32_t count_started_before(const struct io_row *rows, uint32_t count)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < count; i++)
		found += (rows[i].flags & IO_STARTED_BEFORE) != 0;
	return found;
}

static int decode_rows(struct salvage *s, struct salvaged *block, const uint8_t *payload)
{
	enum row_kind kind = block_row_kind(block->head.kind);
	uint32_t count = block->head.rows;
	const char *reason;
	int err;

	if (!count)
		return -EBADMSG;
	err = columns__decode(s->columns, kind, payload, block->head.raw_bytes, s->rows, count,
			      &reason);
	if (err)
		return err;
	columns_time_span(kind, s->rows, count, &block->first_ns, &block->last_ns);
	if (kind == ROW_IO)
		block->started_before = count_started_before(s->rows, count);
	return 0;
}

/* Whether a reader could use the block. 0; -EBADMSG: no; other negative errno. */
static int decode(struct salvage *s, struct salvaged *block)
{
	const struct block_head *head = &block->head;
	const uint8_t *payload;
	const char *reason;

	if (!block_kind_is_rows(head->kind) &&
	    (head->kind < BLOCK_HOST || head->kind > BLOCK_STACKS))
		return 0;
	payload = input__payload(s->in, head);
	if (!payload)
		return input__error(s->in) ? input__error(s->in) : -EBADMSG;
	if (block_kind_is_rows(head->kind))
		return decode_rows(s, block, payload);
	if (head->kind == BLOCK_END)
		return closing__parse_end(payload, head->raw_bytes, &block->end);
	if (head->kind == BLOCK_INDEX)
		return 0;
	return tables__read(&s->tables, head->kind, payload, head->raw_bytes, head->rows, &reason);
}

/* 1: there is a good block at the current offset; 0: there is not; negative errno. */
static int try_block(struct salvage *s, struct salvaged *block)
{
	uint64_t left = input__bytes(s->in) - input__offset(s->in);
	enum input_state state = input__read(s->in, &block->head);
	int err;

	if (state == INPUT_FAILED)
		return input__error(s->in);
	if (left >= TRACE_BLOCK_HEAD_BYTES && block_head_is_newer(input__block(s->in)))
		return -EPROTONOSUPPORT;
	if (state != INPUT_BLOCK)
		return 0;
	err = decode(s, block);
	if (err)
		return err == -EBADMSG ? 0 : err;
	return 1;
}

static void note_header(struct gap *gap, const struct block_head *head)
{
	if (block_kind_is_rows(head->kind))
		gap->rows += head->rows;
	else if (head->kind <= BLOCK_CGROUPS || head->kind == BLOCK_STACKS)
		gap->tables |= 1u << head->kind;
}

/* Whether the header at the current offset is right; its payload may be incomplete. */
static bool header_is_right(struct input *in, struct block_head *head)
{
	bool whole = input__bytes(in) - input__offset(in) >= TRACE_BLOCK_HEAD_BYTES;
	enum input_state state = input__peek(in, head);

	return state == INPUT_BLOCK || (state == INPUT_CUT && whole);
}

/*
 * Moves from a bad block to the next place where a block may start: to its end by its header, if a
 * block or the end of the file follows there, else to the next bytes that look like a block.
 */
static int step_over(struct salvage *s, struct gap *gap)
{
	uint64_t offset = input__offset(s->in), bytes = input__bytes(s->in), end;
	struct block_head head, next;
	bool cut = false;
	int found;

	if (header_is_right(s->in, &head)) {
		note_header(gap, &head);
		end = offset + TRACE_BLOCK_HEAD_BYTES + head.stored_bytes;
		cut = end > bytes;
		if (!cut) {
			input__seek(s->in, end);
			if (end == bytes || header_is_right(s->in, &next))
				return 0;
			input__seek(s->in, offset);
		}
	}
	found = input__find(s->in);
	if (found || !cut)
		gap->unknown = true;
	return found < 0 ? found : 0;
}

int salvage__next(struct salvage *s, struct salvaged *block)
{
	uint64_t start = input__offset(s->in);
	int got = 0, err = 0;

	*block = (struct salvaged){.before = {.offset = start}};
	while (!got && !err && input__offset(s->in) < input__bytes(s->in)) {
		got = try_block(s, block);
		if (!got)
			err = step_over(s, &block->before);
	}
	if (got < 0 || err)
		return got < 0 ? got : err;
	block->offset = input__offset(s->in);
	block->before.bytes = block->offset - start;
	if (!got)
		return 0;
	block->bytes = TRACE_BLOCK_HEAD_BYTES + (uint64_t)block->head.stored_bytes;
	input__skip(s->in, &block->head);
	return 1;
}
