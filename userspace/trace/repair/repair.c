// SPDX-License-Identifier: MIT
#include "trace/repair/repair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/file/closing.h"
#include "trace/columns/columns.h"
#include "trace/repair/losses.h"

struct repair {
	struct input *in;
	struct salvage *salvage;
	struct output *out;
	struct columns *columns;
	struct loss_row *loss; /* up to TRACE_BLOCK_ROWS_MAX pending rows */
	uint32_t loss_count;
	uint8_t *payload;
	FILE *index; /* an entry for each row block that was written */
	struct end_mark written;
	struct losses losses;
	struct end_mark end; /* of the file, when result->end_lost is not set */
	uint64_t first_ns;   /* the smallest time of all rows */
	uint64_t started_before;
	uint64_t summary_at; /* 0: none so far */
	/* The index of the file; whether its blocks are consecutive and at the right offset: */
	uint64_t index_at;
	bool index_whole, index_follows_summary, summary_was_last;
	struct repair_result *result;
};

static int find_first(struct repair *r, const char **message)
{
	struct salvaged block;
	int got = salvage__next(r->salvage, &block);

	salvage__rewind(r->salvage);
	if (got == 1)
		return 0;
	if (got == -EPROTONOSUPPORT)
		*message = "was made by a newer blkreel: repair it with that version";
	if (got)
		return got;
	if (input__head_damaged(r->in))
		return -EINVAL;
	*message = "holds no whole block: there is nothing to repair";
	return -ENODATA;
}

int trace_repair__open(const char *path, struct repair **repair, const char **message)
{
	struct repair *r = calloc(1, sizeof(*r));
	int err;

	*message = NULL;
	if (!r)
		return -ENOMEM;
	err = input__open_damaged(path, &r->in, message);
	if (err)
		goto out;
	err = -ENOMEM;
	r->salvage = salvage__new(r->in);
	r->columns = columns__new();
	r->payload = malloc(columns_payload_max(ROW_LOSS));
	r->loss = calloc(TRACE_BLOCK_ROWS_MAX, sizeof(*r->loss));
	if (r->salvage && r->columns && r->payload && r->loss)
		err = find_first(r, message);
out:
	if (err) {
		trace_repair__free(r);
		return err;
	}
	*repair = r;
	return 0;
}

void trace_repair__free(struct repair *r)
{
	if (!r)
		return;
	salvage__free(r->salvage);
	input__free(r->in);
	columns__free(r->columns);
	free(r->loss);
	free(r->payload);
	free(r);
}

bool trace_repair__is_input(const struct repair *r, const char *path)
{
	return input__is(r->in, path);
}

/* Writes a host block of which only the start time is known. */
static int write_host(struct repair *r)
{
	struct trace_host host = {.resolution_ns = 1};
	struct salvaged block;
	int got;

	while ((got = salvage__next(r->salvage, &block)) == 1 && block.head.kind != BLOCK_END)
		if (block.first_ns && (!host.start_ns || block.first_ns < host.start_ns))
			host.start_ns = block.first_ns;
	salvage__rewind(r->salvage);
	if (got < 0)
		return got;
	return closing__append_json(r->out, BLOCK_HOST, 1, meta_from_host(&host));
}

static int remember_rows(struct repair *r, const struct index_entry *entry)
{
	r->written.blocks++;
	r->written.rows[block_row_kind(entry->kind)] += entry->rows;
	return fwrite(entry, sizeof(*entry), 1, r->index) == 1 ? 0 : -EIO;
}

static int keep(struct repair *r, const struct salvaged *block)
{
	struct index_entry entry = {.offset = output__bytes(r->out),
				    .first_ns = block->first_ns,
				    .last_ns = block->last_ns,
				    .rows = block->head.rows,
				    .kind = block->head.kind};
	int err = output__append_whole(r->out, input__block(r->in), block->bytes);

	if (err || !block_kind_is_rows(block->head.kind))
		return err;
	if (block->first_ns && (!r->first_ns || block->first_ns < r->first_ns))
		r->first_ns = block->first_ns;
	r->started_before += block->started_before;
	r->result->rows_kept += block->head.rows;
	err = losses__add_rows(&r->losses, block->first_ns, block->last_ns);
	return err ? err : remember_rows(r, &entry);
}

static void see_index(struct repair *r, const struct salvaged *block)
{
	if (r->index_at) {
		r->index_whole &= !block->before.bytes;
		return;
	}
	r->index_at = block->offset;
	r->index_whole = true;
	r->index_follows_summary = r->summary_was_last && !block->before.bytes;
}

static int see_gap(struct repair *r, const struct gap *gap)
{
	if (!gap->bytes)
		return 0;
	r->result->gaps++;
	r->result->bytes_lost += gap->bytes;
	r->result->tables_lost |= gap->tables;
	r->result->unknown_lost |= gap->unknown;
	return losses__add_gap(&r->losses, gap);
}

/* 0: go on; 1: the rest belongs to another recording; negative errno. */
static int take(struct repair *r, const struct salvaged *block, bool first)
{
	switch (block->head.kind) {
	case BLOCK_HOST:
		if (!first)
			return 1;
		break;
	case BLOCK_SUMMARY:
		r->summary_at = block->offset;
		r->summary_was_last = true;
		return 0;
	case BLOCK_INDEX:
		see_index(r, block);
		return 0;
	case BLOCK_END:
		r->end = block->end;
		r->result->end_lost = false;
		r->index_whole &= !block->before.bytes;
		return 1;
	default:
		break;
	}
	r->index_whole = r->summary_was_last = false;
	return keep(r, block);
}

/* Copies all blocks of this recording but the summary and loss rows, which close_trace() writes. */
static int copy_blocks(struct repair *r)
{
	struct repair_result *result = r->result;
	struct salvaged block;
	bool first = true;
	int got, err, over = 0;

	while (!over && (got = salvage__next(r->salvage, &block)) == 1) {
		err = see_gap(r, &block.before);
		if (!err)
			over = take(r, &block, first);
		if (err || over < 0)
			return err ? err : over;
		first = false;
	}
	if (!over) {
		if (got < 0)
			return got;
		r->index_whole &=
			block.before.bytes == TRACE_BLOCK_HEAD_BYTES + TRACE_END_PAYLOAD_BYTES;
		return see_gap(r, &block.before);
	}
	result->other_recording = block.head.kind == BLOCK_HOST;
	if (result->other_recording)
		input__seek(r->in, block.offset);
	result->bytes_behind = input__bytes(r->in) - input__offset(r->in);
	return 0;
}

static int write_loss_rows(struct repair *r)
{
	struct index_entry entry = {
		.offset = output__bytes(r->out), .rows = r->loss_count, .kind = BLOCK_LOSS};
	struct payload_cuts cuts;
	size_t bytes;
	int err;

	if (!r->loss_count)
		return 0;
	bytes = columns__encode(r->columns, ROW_LOSS, r->loss, r->loss_count, 1, r->payload, &cuts);
	columns_time_span(ROW_LOSS, r->loss, r->loss_count, &entry.first_ns, &entry.last_ns);
	err = output__append(r->out, BLOCK_LOSS, r->loss_count, r->payload, bytes, &cuts);
	r->loss_count = 0;
	return err ? err : remember_rows(r, &entry);
}

static int add_loss_row(const struct loss_row *row, void *context)
{
	struct repair *r = context;

	r->loss[r->loss_count++] = *row;
	r->result->rows_lost += row->count;
	return r->loss_count == TRACE_BLOCK_ROWS_MAX ? write_loss_rows(r) : 0;
}

static uint64_t sum(const uint64_t rows[ROW_KIND_COUNT])
{
	uint64_t total = 0;

	for (enum row_kind kind = 0; kind < ROW_KIND_COUNT; kind++)
		total += rows[kind];
	return total;
}

static int write_losses(struct repair *r)
{
	const struct tables *tables = salvage__tables(r->salvage);
	bool index_usable =
		r->index_whole &&
		(r->result->end_lost ? r->index_follows_summary : r->end.index_at == r->index_at);
	struct repair_totals totals = {
		.kept = r->result->rows_kept,
		.first_ns = tables->host.start_ns ? tables->host.start_ns : r->first_ns,
		.last_ns = tables->has_summary ? tables->summary.stop_ns : r->losses.last_ns,
		.index_at = index_usable ? r->index_at : 0,
		.has_end = !r->result->end_lost,
		.end_rows = sum(r->end.rows),
	};
	int err = losses__each(&r->losses, r->in, &totals, add_loss_row, r, &r->result->at_least);

	return err ? err : write_loss_rows(r);
}

static int write_summary(struct repair *r)
{
	struct trace_summary summary = {.stop_ns = r->losses.last_ns,
					.started_before = r->started_before,
					.repaired = true,
					.command_status = -1};
	struct block_head head;

	r->result->summary_lost = !r->summary_at;
	if (!r->summary_at)
		return closing__append_json(r->out, BLOCK_SUMMARY, 1, meta_from_summary(&summary));
	input__seek(r->in, r->summary_at);
	if (input__read(r->in, &head) != INPUT_BLOCK)
		return input__error(r->in) ? input__error(r->in) : -EIO;
	return output__append_whole(r->out, input__block(r->in),
				    TRACE_BLOCK_HEAD_BYTES + (size_t)head.stored_bytes);
}

static int write_index(struct repair *r)
{
	struct index_entry *entries = malloc(CLOSING_INDEX_ENTRIES * sizeof(*entries));
	size_t count;
	int err = entries ? 0 : -ENOMEM;

	rewind(r->index);
	while (!err && (count = fread(entries, sizeof(*entries), CLOSING_INDEX_ENTRIES, r->index)))
		err = closing__append_index(r->out, entries, (uint32_t)count);
	if (!err && ferror(r->index))
		err = -EIO;
	free(entries);
	return err;
}

static int close_trace(struct repair *r)
{
	int err = write_losses(r);

	if (!err)
		err = write_summary(r);
	r->written.index_at = r->written.blocks ? output__bytes(r->out) : 0;
	if (!err)
		err = write_index(r);
	return err ? err : closing__append_end(r->out, &r->written);
}

static int write_repaired(struct repair *r)
{
	struct salvaged block;
	int err = losses__start(&r->losses);

	if (err)
		return err;
	r->index = tmpfile();
	if (!r->index)
		return -errno;
	err = salvage__next(r->salvage, &block);
	salvage__rewind(r->salvage);
	if (err < 0)
		return err;
	r->result->host_lost = block.head.kind != BLOCK_HOST;
	err = r->result->host_lost ? write_host(r) : 0;
	if (!err)
		err = copy_blocks(r);
	return err ? err : close_trace(r);
}

static bool end_agrees(const struct repair *r)
{
	for (enum row_kind kind = 0; kind < ROW_KIND_COUNT; kind++)
		if (r->end.rows[kind] != r->written.rows[kind])
			return false;
	return r->end.blocks == r->written.blocks;
}

int trace_repair__run(struct repair *r, const char *path, struct repair_result *result)
{
	int err, close_err;

	*result = (struct repair_result){.bytes_in = input__bytes(r->in), .end_lost = true};
	r->result = result;
	result->head_lost = input__head_damaged(r->in);
	err = output__create_beside(path, ZSTD_LEVEL_DEFAULT, &r->out);
	if (err)
		return err;
	err = write_repaired(r);
	losses__stop(&r->losses);
	if (r->index)
		fclose(r->index);
	result->bytes_out = output__bytes(r->out);
	result->clean = !result->head_lost && !result->host_lost && !result->gaps &&
			!result->summary_lost && !result->end_lost && !result->bytes_behind &&
			end_agrees(r);
	if (!err)
		output__keep(r->out);
	close_err = output__close(r->out, !err);
	return err ? err : close_err;
}
