// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/file/closing.h"
#include "trace/columns/columns.h"
#include "trace/file/index.h"
#include "trace/file/input.h"
#include "trace/file/reader.h"
#include "trace/row_time.h"
#include "trace/tables/tables.h"

#define MESSAGE_MAX 256

struct trace_reader {
	struct input *input;
	struct columns *columns;
	struct tables tables;
	uint64_t tables_until; /* metadata before this offset has been read already */
	void *rows_memory;     /* of the last row block */
	uint64_t rows[ROW_KIND_COUNT];
	uint64_t row_blocks;
	struct time_window window;
	struct index_cursor *index; /* NULL: everything is read */
	struct index_entry indexed; /* with `index`: its entry of the block that is read next */
	uint64_t blocks_skipped;
	uint64_t blocks_given;
	enum trace_end end;
	int err; /* result of next() after the end */
	char end_message[MESSAGE_MAX];
};

static int finish(struct trace_reader *r, enum trace_end end, int err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static int finish(struct trace_reader *r, enum trace_end end, int err, const char *fmt, ...)
{
	va_list args;

	r->end = end;
	r->err = err;
	va_start(args, fmt);
	vsnprintf(r->end_message, sizeof(r->end_message), fmt, args);
	va_end(args);
	return err;
}

static int finish_damaged(struct trace_reader *r, const char *reason)
{
	return finish(r, TRACE_END_DAMAGED, -EBADMSG,
		      "is damaged at byte %llu: %s; only the rows before that can be trusted",
		      (unsigned long long)input__offset(r->input), reason);
}

static int finish_cut(struct trace_reader *r)
{
	return finish(r, TRACE_END_TORN, 0,
		      "ends in the middle of a block at byte %llu of %llu: the recorder was killed "
		      "or the file was cut; the rows before that are whole",
		      (unsigned long long)input__offset(r->input),
		      (unsigned long long)input__bytes(r->input));
}

static int finish_without_end(struct trace_reader *r)
{
	return finish(r, TRACE_END_TORN, 0,
		      "has no end mark: the recorder was killed or the file was cut after byte "
		      "%llu; the rows before that are whole",
		      (unsigned long long)input__offset(r->input));
}

/* Ends reading after an error of the input or a decoder: damage, unless the system failed. */
static int finish_refused(struct trace_reader *r, int err, const char *reason)
{
	if (err == -EBADMSG)
		return finish_damaged(r, reason);
	r->err = err;
	return err;
}

static bool end_agrees(const struct trace_reader *r, const struct end_mark *end)
{
	for (unsigned int kind = 0; kind < ROW_KIND_COUNT; kind++)
		if (end->rows[kind] != r->rows[kind])
			return false;
	return end->blocks == r->row_blocks;
}

static int read_end(struct trace_reader *r, const struct block_head *head, const uint8_t *payload)
{
	struct end_mark end;
	int err = closing__parse_end(payload, head->raw_bytes, &end);

	if (err)
		return finish_refused(r, err, "the end mark cannot be read");
	if (!end_agrees(r, &end))
		return finish_damaged(r, "the end mark counts other rows than the file holds");
	input__skip(r->input, head);
	if (input__offset(r->input) < input__bytes(r->input))
		return finish_damaged(r, "more bytes follow the end mark");
	return finish(r, TRACE_END_CLEAN, 0, "%s", "");
}

static int read_tables(struct trace_reader *r, const struct block_head *head,
		       const uint8_t *payload, const char **reason)
{
	uint64_t offset = input__offset(r->input);
	int err;

	if (offset < r->tables_until)
		return 0;
	err = tables__read(&r->tables, head->kind, payload, head->raw_bytes, head->rows, reason);
	if (!err)
		r->tables_until = offset + 1;
	return err;
}

/*
 * Reads the tables before the first rows at once, so that a caller knows devices and tiers right
 * after opening. Errors in them are left to the first trace_reader__next().
 */
static int read_leading_tables(struct trace_reader *r)
{
	struct block_head head;
	int err = 0;

	while (!err && input__read(r->input, &head) == INPUT_BLOCK &&
	       block_kind_is_table(head.kind)) {
		const uint8_t *payload = input__payload(r->input, &head);
		const char *reason;

		err = payload ? read_tables(r, &head, payload, &reason) : input__error(r->input);
		if (!payload)
			break;
		input__skip(r->input, &head);
	}
	input__rewind(r->input);
	return err == -EBADMSG ? 0 : err;
}

int trace_reader__open(const char *path, struct trace_reader **reader, const char **message)
{
	struct trace_reader *r = calloc(1, sizeof(*r));
	const char *unused;
	int err;

	if (!message)
		message = &unused;
	*message = NULL;
	if (!r)
		return -ENOMEM;
	r->tables.summary.command_status = -1;
	r->window.to_ns = UINT64_MAX;
	err = input__open(path, &r->input, message);
	if (err)
		goto out;
	err = -ENOMEM;
	r->columns = columns__new();
	r->rows_memory = malloc(TRACE_BLOCK_ROWS_MAX * columns_row_size_max());
	if (r->columns && r->rows_memory)
		err = read_leading_tables(r);
out:
	if (err) {
		trace_reader__free(r);
		return err;
	}
	*reader = r;
	return 0;
}

int trace_reader__read_host(const char *path, struct trace_host *host)
{
	struct tables tables = {0};
	struct block_head head;
	struct input *input;
	const uint8_t *payload;
	const char *unused;
	int err = input__open(path, &input, &unused);

	if (err)
		return err;
	err = -EBADMSG;
	if (input__read(input, &head) == INPUT_BLOCK && head.kind == BLOCK_HOST) {
		payload = input__payload(input, &head);
		err = payload ? tables__read(&tables, head.kind, payload, head.raw_bytes, head.rows,
					     &unused)
			      : input__error(input);
	}
	*host = tables.host;
	tables__clear(&tables);
	input__free(input);
	return err;
}

void trace_reader__limit(struct trace_reader *r, uint64_t bytes)
{
	input__limit(r->input, bytes);
}

void trace_reader__free(struct trace_reader *r)
{
	if (!r)
		return;
	index_cursor__free(r->index);
	input__free(r->input);
	columns__free(r->columns);
	tables__clear(&r->tables);
	free(r->rows_memory);
	free(r);
}

static void restart(struct trace_reader *r)
{
	input__rewind(r->input);
	memset(r->rows, 0, sizeof(r->rows));
	r->row_blocks = 0;
	r->blocks_skipped = 0;
	r->blocks_given = 0;
	r->end = TRACE_END_UNKNOWN;
	r->err = 0;
	r->end_message[0] = '\0';
}

/*
 * The index contradicts a block, so skipped blocks may hold rows of the window: starts again
 * without the index. That is too late once rows were given out.
 */
static int distrust_index(struct trace_reader *r)
{
	index_cursor__free(r->index);
	r->index = NULL;
	r->window.to_ns = UINT64_MAX;
	r->window.from_ns = 0;
	if (!r->blocks_skipped)
		return 0;
	if (r->blocks_given)
		return finish_damaged(r, "the index contradicts a block: read the whole file");
	restart(r);
	return 0;
}

/* Skips row blocks without a row in the window. 0 or negative errno. */
static int skip_blocks(struct trace_reader *r)
{
	const struct index_entry *entry;
	struct block_head head;

	while (input__peek(r->input, &head) == INPUT_BLOCK && block_kind_is_rows(head.kind) &&
	       head.rows) {
		entry = index_cursor__next(r->index, &head);
		if (!entry)
			return distrust_index(r);
		r->indexed = *entry;
		if (time_window_has(&r->window, entry->first_ns, entry->last_ns))
			return 0;
		r->rows[block_row_kind(head.kind)] += head.rows;
		r->row_blocks++;
		r->blocks_skipped++;
		input__skip(r->input, &head);
	}
	return 0;
}

static bool index_agrees(const struct trace_reader *r, enum row_kind kind, uint32_t rows)
{
	uint64_t first_ns, last_ns;

	if (!r->index)
		return true;
	columns_time_span(kind, r->rows_memory, rows, &first_ns, &last_ns);
	return first_ns == r->indexed.first_ns && last_ns == r->indexed.last_ns;
}

/* 1: *block is filled; 0: the caller does not want these rows; negative errno. */
static int read_rows(struct trace_reader *r, const struct block_head *head, unsigned int kinds,
		     struct row_block *block)
{
	enum row_kind kind = block_row_kind(head->kind);
	bool wanted = kinds & (1u << kind);
	const uint8_t *payload;
	const char *reason;
	int err;

	if (!head->rows)
		return finish_damaged(r, "a row block holds no rows");
	if (wanted) {
		payload = input__payload(r->input, head);
		if (!payload)
			return finish_refused(
				r, input__error(r->input) ? input__error(r->input) : -EBADMSG,
				input__reason(r->input));
		err = columns__decode(r->columns, kind, payload, head->raw_bytes, r->rows_memory,
				      head->rows, &reason);
		if (err)
			return finish_refused(r, err, reason);
		/* Reading starts again: this block is not the next one. */
		if (!index_agrees(r, kind, head->rows) && (distrust_index(r) || !r->row_blocks))
			return r->err;
		block->kind = kind;
		block->rows = head->rows;
		block->io = r->rows_memory;
	}
	r->rows[kind] += head->rows;
	r->row_blocks++;
	input__skip(r->input, head);
	r->blocks_given += wanted;
	return wanted;
}

/* Reads a block without rows. 0: go on; 1: the file is over, see r->err; negative errno. */
static int read_other(struct trace_reader *r, const struct block_head *head)
{
	bool known = block_kind_is_table(head->kind) || head->kind == BLOCK_END;
	const uint8_t *payload;
	const char *reason;
	int err;

	if (head->kind >= BLOCK_KIND_MANDATORY)
		return finish_damaged(r, "a block of a newer blkreel cannot be skipped");
	if (known) {
		payload = input__payload(r->input, head);
		if (!payload)
			return finish_refused(
				r, input__error(r->input) ? input__error(r->input) : -EBADMSG,
				input__reason(r->input));
		if (head->kind == BLOCK_END)
			return read_end(r, head, payload) ? r->err : 1;
		err = read_tables(r, head, payload, &reason);
		if (err)
			return finish_refused(r, err, reason);
	}
	input__skip(r->input, head);
	return 0;
}

int trace_reader__next(struct trace_reader *r, unsigned int kinds, struct row_block *block)
{
	struct block_head head;
	int done = 0;

	if (r->end != TRACE_END_UNKNOWN || r->err)
		return r->err;
	while (!done) {
		if (r->index && skip_blocks(r))
			return r->err;
		switch (input__read(r->input, &head)) {
		case INPUT_BLOCK:
			break;
		case INPUT_NO_MORE:
			return finish_without_end(r);
		case INPUT_CUT:
			return finish_cut(r);
		case INPUT_DAMAGED:
			return finish_damaged(r, input__reason(r->input));
		case INPUT_FAILED:
			r->err = input__error(r->input);
			return r->err;
		}
		if (!block_kind_is_rows(head.kind)) {
			done = read_other(r, &head);
			if (done)
				return r->err;
			continue;
		}
		done = read_rows(r, &head, kinds, block);
	}
	return done;
}

void trace_reader__set_window(struct trace_reader *r, uint64_t from_ns, uint64_t to_ns)
{
	r->window = (struct time_window){r->tables.host.start_ns, from_ns, to_ns};
	index_cursor__free(r->index);
	r->index = time_window_is_whole(&r->window) ? NULL : index_cursor__open(r->input);
}

int trace_reader__rewind(struct trace_reader *r)
{
	restart(r);
	trace_reader__set_window(r, r->window.from_ns, r->window.to_ns);
	return 0;
}

enum trace_end trace_reader__end(const struct trace_reader *r)
{
	return r->end;
}

const char *trace_reader__end_message(const struct trace_reader *r)
{
	return r->end_message;
}

uint64_t trace_reader__file_bytes(const struct trace_reader *r)
{
	return input__bytes(r->input);
}

uint64_t trace_reader__rows(const struct trace_reader *r, enum row_kind kind)
{
	return r->rows[kind];
}

uint32_t trace_reader__version(const struct trace_reader *r)
{
	return input__version(r->input);
}

const struct trace_host *trace_reader__host(const struct trace_reader *r)
{
	return &r->tables.host;
}

const struct trace_summary *trace_reader__summary(const struct trace_reader *r)
{
	return r->tables.has_summary ? &r->tables.summary : NULL;
}

const struct trace_device *trace_reader__device(const struct trace_reader *r, uint32_t id)
{
	return id_table__get(&r->tables.devices, id);
}

const struct trace_task *trace_reader__task(const struct trace_reader *r, uint32_t id)
{
	return id_table__get(&r->tables.tasks, id);
}

const struct trace_file *trace_reader__file(const struct trace_reader *r, uint32_t id)
{
	return id_table__get(&r->tables.files, id);
}

uint32_t trace_reader__first_id_of_file(const struct trace_reader *r, uint32_t id)
{
	const struct trace_file *file = trace_reader__file(r, id);

	return file ? file->first_id : id;
}

const struct trace_cgroup *trace_reader__cgroup(const struct trace_reader *r, uint32_t id)
{
	return id_table__get(&r->tables.cgroups, id);
}

const struct trace_stack *trace_reader__stack(const struct trace_reader *r, uint32_t id)
{
	return id_table__get(&r->tables.stacks, id);
}

uint32_t trace_reader__devices(const struct trace_reader *r)
{
	return r->tables.devices.highest;
}

uint32_t trace_reader__tasks(const struct trace_reader *r)
{
	return r->tables.tasks.highest;
}

uint32_t trace_reader__files(const struct trace_reader *r)
{
	return r->tables.files.highest;
}

uint32_t trace_reader__cgroups(const struct trace_reader *r)
{
	return r->tables.cgroups.highest;
}

const struct trace_tier *trace_reader__tier(const struct trace_reader *r, uint32_t i)
{
	return i < r->tables.tiers.highest ? id_table__get(&r->tables.tiers, i + 1) : NULL;
}
