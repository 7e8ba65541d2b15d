// SPDX-License-Identifier: MIT
#include "profile/build/file_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/units.h"
#include "profile/arithmetic.h"
#include "profile/file_ops.h"
#include "workload/row_order.h"

#define PERMILLE	1000u
#define AHEAD_PAGES_MAX (1u << 19)

static bool is_of_file(const struct trace_reader *reader, const struct access_row *row)
{
	const struct trace_file *file = trace_reader__file(reader, row->file);

	return row->file && row->time_ns && (!file || file->kind == FILE_REGULAR);
}

static int note(struct file_source *s, const struct access_row *row)
{
	uint64_t end = row->op == ACCESS_SYNC ? 1 : row->offset + row->bytes;
	uint64_t *ends;

	if (row->file > FILE_LAYOUT_FILES_MAX)
		return -ERANGE;
	ends = grow_zeroed(s->ends, &s->ids, row->file, sizeof(*ends));
	if (!ends)
		return -ENOMEM;
	s->ends = ends;
	if (row->offset > PROFILE_BYTES_MAX || row->bytes > PROFILE_BYTES_MAX)
		return -ERANGE;
	s->has_direct |= file_op_is_direct(row->op);
	s->ends[row->file] = larger_of(end, s->ends[row->file]);
	if (!s->ops || row->time_ns < s->first_ns)
		s->first_ns = row->time_ns;
	s->last_ns = larger_of(row->time_ns, s->last_ns);
	s->ops++;
	return 0;
}

static int scan_block(struct file_source *s, const struct trace_reader *reader,
		      const struct row_block *block)
{
	int err = 0;

	for (uint32_t i = 0; i < block->rows && !err; i++) {
		struct access_row row = block->access[i];

		row.file = trace_reader__first_id_of_file(reader, row.file);
		if (!file_op_is_kept(row.op))
			s->left_out[row.op]++;
		else if (!is_of_file(reader, &row))
			s->of_others++;
		else
			err = note(s, &row);
	}
	return err;
}

/* Rounded up to `bits` binary digits after the first. */
static uint64_t rounded(uint64_t pages, unsigned int bits)
{
	unsigned int length = bits_of(pages), shift = length > bits + 1 ? length - bits - 1 : 0;

	return (pages + (1ull << shift) - 1) >> shift << shift;
}

static int by_number(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/* The classes that `count` rising sizes make with so many digits; false: too many. */
static bool make_classes(struct profile_files *files, const uint64_t *pages, uint32_t count,
			 unsigned int bits)
{
	files->class_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t bytes = rounded(pages[i], bits) * PAGE_BYTES;
		uint32_t n = files->class_count;

		if (n && files->classes[n - 1].bytes == bytes) {
			files->classes[n - 1].files++;
			continue;
		}
		if (n == PROFILE_FILE_CLASSES_MAX)
			return false;
		files->classes[n].bytes = bytes;
		files->classes[n].files = 1;
		files->class_count++;
	}
	return true;
}

/* Gives each file a number of the layout: within a class in the order of the ids of the trace. */
static int number_files(struct file_source *s, unsigned int bits)
{
	uint64_t given[PROFILE_FILE_CLASSES_MAX] = {0};

	s->numbers = calloc(s->ids, sizeof(*s->numbers));
	if (!s->numbers)
		return -ENOMEM;
	for (uint32_t id = 1; id < s->ids; id++) {
		uint64_t bytes;
		uint32_t class = 0;

		if (!s->ends[id])
			continue;
		bytes = rounded((s->ends[id] - 1) / PAGE_BYTES + 1, bits) * PAGE_BYTES;
		while (s->files.classes[class].bytes != bytes)
			class ++;
		s->numbers[id] = (uint32_t)(s->layout.first_file[class] + ++given[class]);
	}
	return 0;
}

static void set_extent(struct file_source *s)
{
	struct profile_extent *e = &s->extent;

	e->files = &s->layout;
	e->ios = s->ops;
	e->duration_ns = s->last_ns - s->first_ns;
	e->end_sector = s->layout.total_bytes / SECTOR_BYTES;
	e->device_bytes = s->layout.total_bytes;
	for (uint32_t i = 0; i < s->layout.count; i++) {
		unsigned int group = file_layout_group(s->layout.bytes[i]);
		uint64_t first = s->layout.address[i] / SECTOR_BYTES;

		if (!i || group != file_layout_group(s->layout.bytes[i - 1])) {
			if (i)
				e->spaces[e->space_count - 1].end_sector = first;
			s->spaces[group] = e->space_count;
			e->spaces[e->space_count++].first_sector = first;
		}
	}
	e->spaces[e->space_count - 1].end_sector = e->end_sector;
	if (s->has_direct)
		e->spaces[e->space_count++].end_sector = e->end_sector;
}

static int lay_out(struct file_source *s)
{
	uint64_t *pages = calloc(s->ids, sizeof(*pages));
	unsigned int bits = 63;
	uint32_t count = 0;
	int err;

	if (!pages)
		return -ENOMEM;
	for (uint32_t id = 1; id < s->ids; id++)
		if (s->ends[id])
			pages[count++] = (s->ends[id] - 1) / PAGE_BYTES + 1;
	qsort(pages, count, sizeof(*pages), by_number);
	while (!make_classes(&s->files, pages, count, bits))
		bits = bits > 5 ? 5 : bits - 1;
	free(pages);
	err = file_layout_init(&s->layout, &s->files);
	if (!err)
		err = number_files(s, bits);
	if (!err)
		set_extent(s);
	return err;
}

int file_source__scan(struct file_source *s, struct trace_reader *reader)
{
	struct row_block block;
	int err, read_err;

	*s = (struct file_source){0};
	while ((err = trace_reader__next(reader, 1u << ROW_ACCESS, &block)) > 0) {
		err = scan_block(s, reader, &block);
		if (err)
			return err;
	}
	read_err = err;
	err = s->ops ? lay_out(s) : 0;
	return err ? err : read_err;
}

void file_source__release(struct file_source *s)
{
	free(s->numbers);
	free(s->ends);
	*s = (struct file_source){0};
}

void file_requests_make(struct file_requests *r, const struct file_layout *layout,
			const struct access_row *row, uint32_t file, struct io_row *request,
			bool *continues)
{
	uint64_t address = file_layout_address(layout, file) + row->offset;
	struct file_place place = file_layout_find(layout, address);
	unsigned int group =
		file_op_is_direct(row->op) ? FILE_GROUPS : file_layout_group(place.bytes);

	*continues = false;
	*request = (struct io_row){.created_ns = row->time_ns, .task = row->task, .file = file};
	request->op = (uint8_t)file_op_to_io(row->op, row->flags, &request->flags);
	if (row->op == ACCESS_SYNC)
		return;
	request->bytes = row->bytes;
	request->sector =
		file_runs_sector(&r->runs[group][request->op == IO_OP_WRITE], address, row->bytes,
				 (place.address + place.bytes) / SECTOR_BYTES, continues);
}

struct delivery {
	struct file_source *s;
	struct file_requests requests;
	file_request_handler handle;
	void *context;
};

static void note_readahead(struct file_source *s, const struct access_row *row, bool sequential)
{
	unsigned int kind = sequential ? 0 : 1;

	if (!access_row_is_cached(row) || row->op == ACCESS_WRITE || !row->miss_pages)
		return;
	s->missed[kind]++;
	s->ahead[kind] += row->readahead_pages > 0;
	s->ahead_pages[kind] +=
		row->readahead_pages < AHEAD_PAGES_MAX ? row->readahead_pages : AHEAD_PAGES_MAX;
}

static int deliver(struct delivery *d, struct access_row row)
{
	struct file_source *s = d->s;
	uint32_t file = s->numbers[row.file], space;
	struct io_row request;
	bool continues;

	row.time_ns -= s->first_ns;
	file_requests_make(&d->requests, &s->layout, &row, file, &request, &continues);
	space = file_op_is_direct(row.op)
			? s->extent.space_count - 1
			: s->spaces[file_layout_group(
				  file_layout_find(&s->layout,
						   file_layout_address(&s->layout, file))
					  .bytes)];
	note_readahead(s, &row, continues || !row.offset);
	return d->handle(&request, space, d->context);
}

static int push_block(struct delivery *d, struct row_order *order,
		      const struct trace_reader *reader, const struct row_block *block)
{
	struct access_row access, next;
	int err = 0;

	for (uint32_t i = 0; i < block->rows && !err; i++) {
		access = block->access[i];

		access.file = trace_reader__first_id_of_file(reader, access.file);
		if (!file_op_is_kept(access.op) || !is_of_file(reader, &access) ||
		    access.file >= d->s->ids || !d->s->numbers[access.file])
			continue;
		if (row_order__push(order, &access, &next))
			err = deliver(d, next);
	}
	return err;
}

static void finish_readahead(struct file_source *s)
{
	for (unsigned int kind = 0; kind < 2; kind++) {
		if (!s->ahead[kind])
			continue;
		s->files.ahead[kind].permille =
			(uint32_t)(s->ahead[kind] * PERMILLE / s->missed[kind]);
		s->files.ahead[kind].pages = (uint32_t)(s->ahead_pages[kind] / s->ahead[kind]);
	}
}

int file_source__each(struct file_source *s, struct trace_reader *reader,
		      file_request_handler handle, void *context, uint64_t *late_rows)
{
	struct delivery *d = calloc(1, sizeof(*d));
	struct row_order *order;
	struct row_block block;
	struct access_row row;
	int err, result = 0;

	if (!d)
		return -ENOMEM;
	*d = (struct delivery){.s = s, .handle = handle, .context = context};
	err = row_order__create(ROW_ACCESS, &order);
	if (err) {
		free(d);
		return err;
	}
	err = trace_reader__rewind(reader);
	while (!err && !result &&
	       (err = trace_reader__next(reader, 1u << ROW_ACCESS, &block)) > 0) {
		err = 0;
		result = push_block(d, order, reader, &block);
	}
	while (!result && row_order__drain(order, &row))
		result = deliver(d, row);
	*late_rows = row_order__late_rows(order);
	row_order__free(order);
	free(d);
	finish_readahead(s);
	return result ? result : err;
}
