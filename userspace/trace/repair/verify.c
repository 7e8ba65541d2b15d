// SPDX-License-Identifier: MIT
#include "trace/repair/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "trace/file/closing.h"
#include "trace/columns/columns.h"
#include "trace/tables/tables.h"

struct verifier {
	struct trace_verification *v;
	struct input *in;
	struct input *index_in; /* the same file: the index is read beside the blocks */
	struct index_walk cursor;
	bool has_index, index_over;
	uint64_t index_at; /* of the first index block */
	struct end_mark end;
	bool has_end;
	struct columns *columns;
	struct tables tables;
	void *rows;
	uint64_t counts[ROW_KIND_COUNT];
};

static void problem(struct verifier *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void problem(struct verifier *f, const char *fmt, ...)
{
	uint64_t at = f->v->problem_count++;
	va_list args;

	if (at >= VERIFY_PROBLEMS_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(f->v->problems[at], VERIFY_PROBLEM_TEXT, fmt, args);
	va_end(args);
}

static void check_id(struct verifier *f, const struct id_table *table, uint32_t id)
{
	if (id && !id_table__get(table, id))
		f->v->ids_without_entry++;
}

static bool times_fall(const struct io_row *row)
{
	const uint64_t times_ns[] = {row->created_ns, row->inserted_ns, row->issued_ns,
				     row->completed_ns};
	uint64_t last_ns = 0;

	for (unsigned int i = 0; i < sizeof(times_ns) / sizeof(times_ns[0]); i++) {
		if (times_ns[i] && times_ns[i] < last_ns)
			return true;
		last_ns = times_ns[i] ? times_ns[i] : last_ns;
	}
	return false;
}

static void check_io(struct verifier *f, const struct io_row *rows, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct io_row *row = &rows[i];

		check_id(f, &f->tables.devices, row->device);
		check_id(f, &f->tables.tasks, row->task);
		check_id(f, &f->tables.cgroups, row->cgroup);
		check_id(f, &f->tables.files, row->file);
		f->v->times_out_of_order += times_fall(row);
	}
}

static void check_cache(struct verifier *f, const struct cache_row *rows, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		check_id(f, &f->tables.cgroups, rows[i].cgroup);
		check_id(f, &f->tables.files, rows[i].file);
		check_id(f, &f->tables.tasks, rows[i].task);
	}
}

static void check_tick(struct verifier *f, const struct tick_row *rows, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		check_id(f, &f->tables.devices, rows[i].device);
}

static void check_hist(struct verifier *f, const struct hist_row *rows, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		check_id(f, &f->tables.devices, rows[i].device);
}

static void check_access(struct verifier *f, const struct access_row *rows, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		check_id(f, &f->tables.cgroups, rows[i].cgroup);
		check_id(f, &f->tables.files, rows[i].file);
		check_id(f, &f->tables.tasks, rows[i].task);
	}
}

static void check_wait(struct verifier *f, const struct wait_row *rows, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		check_id(f, &f->tables.files, rows[i].file);
		check_id(f, &f->tables.tasks, rows[i].task);
		check_id(f, &f->tables.tasks, rows[i].waker);
		check_id(f, &f->tables.stacks, rows[i].stack);
	}
}

static void check_contents(struct verifier *f, enum row_kind kind, uint32_t count)
{
	if (kind == ROW_IO)
		check_io(f, f->rows, count);
	else if (kind == ROW_CACHE)
		check_cache(f, f->rows, count);
	else if (kind == ROW_TICK)
		check_tick(f, f->rows, count);
	else if (kind == ROW_HIST)
		check_hist(f, f->rows, count);
	else if (kind == ROW_ACCESS)
		check_access(f, f->rows, count);
	else if (kind == ROW_WAIT)
		check_wait(f, f->rows, count);
}

/* Checks the index entry of the row block that was decoded last. */
static int check_index_entry(struct verifier *f, const struct index_entry *block)
{
	struct index_entry entry;
	int got;

	if (!f->has_index || f->index_over)
		return 0;
	got = index_walk__next(&f->cursor, &entry);
	if (got < 0 && got != -EBADMSG)
		return got;
	if (got != 1) {
		f->index_over = true;
		problem(f, got ? "the index cannot be read"
			       : "the index has fewer entries than "
				 "there are row blocks");
		return 0;
	}
	if (entry.offset != block->offset || entry.kind != block->kind || entry.rows != block->rows)
		problem(f, "the index is wrong about the row block at byte %" PRIu64,
			block->offset);
	else if (entry.first_ns != block->first_ns || entry.last_ns != block->last_ns)
		problem(f, "the index has wrong times of the row block at byte %" PRIu64,
			block->offset);
	return 0;
}

static int check_rows(struct verifier *f, const struct block_head *head, const uint8_t *payload,
		      const char **reason)
{
	enum row_kind kind = block_row_kind(head->kind);
	struct index_entry block = {
		.offset = input__offset(f->in), .rows = head->rows, .kind = head->kind};
	int err;

	*reason = "a row block holds no rows";
	if (!head->rows)
		return -EBADMSG;
	err = columns__decode(f->columns, kind, payload, head->raw_bytes, f->rows, head->rows,
			      reason);
	if (err)
		return err;
	columns_time_span(kind, f->rows, head->rows, &block.first_ns, &block.last_ns);
	check_contents(f, kind, head->rows);
	f->v->rows += head->rows;
	f->v->row_blocks++;
	f->counts[kind] += head->rows;
	return check_index_entry(f, &block);
}

/* Checks the offset of the index, and that it has no more entries than there are row blocks. */
static int check_index_place(struct verifier *f)
{
	struct index_entry entry;
	int got;

	if (f->end.index_at != f->index_at)
		problem(f,
			"the end mark says that the index is at byte %" PRIu64
			", it is at %" PRIu64,
			f->end.index_at, f->index_at);
	if (!f->has_index || f->index_over)
		return 0;
	got = index_walk__next(&f->cursor, &entry);
	if (got < 0 && got != -EBADMSG)
		return got;
	if (got)
		problem(f, got == 1 ? "the index has more entries than there are row blocks"
				    : "the index cannot be read");
	return 0;
}

static int check_end(struct verifier *f, const uint8_t *payload, const struct block_head *head,
		     const char **reason)
{
	bool agrees;
	int err;

	*reason = "the end mark cannot be read";
	err = closing__parse_end(payload, head->raw_bytes, &f->end);
	if (err)
		return err;
	agrees = f->end.blocks == f->v->row_blocks;
	for (enum row_kind kind = 0; kind < ROW_KIND_COUNT; kind++)
		agrees &= f->end.rows[kind] == f->counts[kind];
	if (!agrees)
		problem(f, "the end mark counts other rows than the file holds");
	for (uint32_t i = 0; i < head->raw_bytes; i++)
		if (payload[i] == '}') {
			while (++i < head->raw_bytes)
				f->v->unused_bytes += payload[i] != ' ';
		}
	return check_index_place(f);
}

static bool is_known(uint8_t kind)
{
	return block_kind_is_rows(kind) || (kind >= BLOCK_HOST && kind <= BLOCK_STACKS);
}

/* 0; -EBADMSG and *reason; other negative errno. */
static int check_payload(struct verifier *f, const struct block_head *head, const char **reason)
{
	const uint8_t *payload;

	*reason = "a block of a newer blkreel cannot be skipped";
	if (head->kind >= BLOCK_KIND_MANDATORY)
		return -EBADMSG;
	if (!is_known(head->kind)) {
		f->v->unknown_blocks++;
		return 0;
	}
	payload = input__payload(f->in, head);
	if (!payload) {
		*reason = input__reason(f->in);
		return input__error(f->in) ? input__error(f->in) : -EBADMSG;
	}
	if (block_kind_is_rows(head->kind))
		return check_rows(f, head, payload, reason);
	if (head->kind == BLOCK_END)
		return check_end(f, payload, head, reason);
	if (head->kind != BLOCK_INDEX)
		return tables__read(&f->tables, head->kind, payload, head->raw_bytes, head->rows,
				    reason);
	if (!f->index_at)
		f->index_at = input__offset(f->in);
	return 0;
}

static int check_block(struct verifier *f, const struct block_head *head)
{
	const char *reason;
	int err;

	if (!f->v->blocks && head->kind != BLOCK_HOST)
		problem(f, "the first block is no host block");
	f->v->unused_bytes += block_head_unused(input__block(f->in));
	err = check_payload(f, head, &reason);
	if (err == -EBADMSG)
		problem(f, "damaged at byte %" PRIu64 ": %s", input__offset(f->in), reason);
	if (!err) {
		f->v->blocks++;
		input__skip(f->in, head);
	}
	f->has_end = !err && head->kind == BLOCK_END;
	return err;
}

static int check_blocks(struct verifier *f)
{
	struct block_head head;
	int err = 0;

	while (!err && !f->has_end) {
		switch (input__read(f->in, &head)) {
		case INPUT_BLOCK:
			err = check_block(f, &head);
			break;
		case INPUT_NO_MORE:
			problem(f, "there is no end mark");
			return 0;
		case INPUT_CUT:
			problem(f, "cut in the middle of a block at byte %" PRIu64,
				input__offset(f->in));
			return 0;
		case INPUT_DAMAGED:
			problem(f, "damaged at byte %" PRIu64 ": %s", input__offset(f->in),
				input__reason(f->in));
			return 0;
		case INPUT_FAILED:
			return input__error(f->in);
		}
	}
	if (!err && input__offset(f->in) < input__bytes(f->in))
		problem(f, "the end mark is followed by %s",
			COUNTED_TEXT(input__bytes(f->in) - input__offset(f->in), "byte"));
	return err == -EBADMSG ? 0 : err;
}

/* Finds the index at the offset in the end mark. Without an end mark it is not checked. */
static int find_index(struct verifier *f)
{
	int err = closing__read_end(f->index_in, &f->end);

	if (err)
		return err == -EBADMSG ? 0 : err;
	f->has_index = f->end.index_at != 0;
	if (f->has_index)
		index_walk__start(&f->cursor, f->index_in, f->end.index_at);
	else if (f->end.blocks)
		problem(f, "there is no index");
	return 0;
}

static int count_unused_in_head(struct verifier *f)
{
	uint8_t head[TRACE_HEAD_BYTES];
	int err = input__head(f->in, head);

	if (!err)
		f->v->unused_bytes += trace_head_unused(head);
	return err;
}

int trace_verify(const char *path, struct trace_verification *v, const char **message)
{
	struct verifier f = {.v = v};
	int err;

	*message = NULL;
	memset(v, 0, sizeof(*v));
	err = input__open(path, &f.in, message);
	if (!err)
		err = input__open(path, &f.index_in, message);
	if (err)
		goto out;
	err = -ENOMEM;
	f.columns = columns__new();
	f.rows = malloc(TRACE_BLOCK_ROWS_MAX * columns_row_size_max());
	if (!f.columns || !f.rows)
		goto out;
	err = count_unused_in_head(&f);
	if (!err)
		err = find_index(&f);
	if (!err)
		err = check_blocks(&f);
	v->bytes = input__offset(f.in);
out:
	index_walk__stop(&f.cursor);
	input__free(f.in);
	input__free(f.index_in);
	columns__free(f.columns);
	tables__clear(&f.tables);
	free(f.rows);
	return err;
}
