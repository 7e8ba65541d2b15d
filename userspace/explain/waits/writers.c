// SPDX-License-Identifier: MIT
#include "explain/waits/writers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/name_sums.h"
#include "explain/figures/device_account.h"

#define FILES_MAX      65536u
#define PROGRAMS       4u /* of a file: a new one takes the place of the one with least */
#define NEARLY_ALL_PCT 95.0

/* The numbers of sums of time. */
enum {
	IS_WRITTEN,
	IS_LIMITED,
};

struct program {
	uint32_t task; /* 0: none */
	uint64_t pages;
};

struct written {
	uint32_t file; /* its first table id */
	uint64_t pages;
	uint64_t io_ns; /* of the IOs with which threads of the kernel wrote them */
	struct program programs[PROGRAMS];
	UT_hash_handle hh;
};

struct writers {
	const struct explain_tables *tables;
	struct written *files;
	struct name_sum *limited; /* IOs that threads of the kernel sent on, by program */
};

struct writers *writers__new(const struct explain_tables *tables)
{
	struct writers *w = calloc(1, sizeof(*w));

	if (w)
		w->tables = tables;
	return w;
}

void writers__free(struct writers *w)
{
	struct written *file, *next;

	if (!w)
		return;
	HASH_ITER (hh, w->files, file, next) {
		HASH_DEL(w->files, file);
		free(file);
	}
	name_sums__free(&w->limited);
	free(w);
}

static uint32_t first_id(const struct explain_tables *tables, uint32_t id)
{
	const struct trace_file *file = tables->file(tables->context, id);

	return file && file->first_id ? file->first_id : id;
}

bool explain_is_same_file(const struct explain_tables *tables, uint32_t one, uint32_t other)
{
	return one == other || first_id(tables, one) == first_id(tables, other);
}

static bool is_same_program(const struct writers *w, uint32_t one, uint32_t other)
{
	const struct trace_task *a = w->tables->task(w->tables->context, one);
	const struct trace_task *b = w->tables->task(w->tables->context, other);

	return one == other || (a && b && !strcmp(a->comm, b->comm));
}

static bool is_process(const struct writers *w, uint32_t id)
{
	const struct trace_task *task = w->tables->task(w->tables->context, id);

	return task && !explain_is_kernel_thread(task);
}

/* A free place, or that of the program with least, is the new one's. */
static struct program *find_program(const struct writers *w, struct written *written, uint32_t task)
{
	struct program *least = &written->programs[0];

	for (uint32_t i = 0; i < PROGRAMS; i++) {
		struct program *program = &written->programs[i];

		if (program->task && is_same_program(w, program->task, task))
			return program;
		if (program->pages < least->pages)
			least = program;
	}
	*least = (struct program){.task = task};
	return least;
}

/* *found is NULL beyond the bound. */
static int written_of(struct writers *w, uint32_t file, struct written **found)
{
	uint32_t id = first_id(w->tables, file);
	struct written *written;

	HASH_FIND_INT(w->files, &id, written);
	if (!written && HASH_COUNT(w->files) < FILES_MAX) {
		written = calloc(1, sizeof(*written));
		if (!written)
			return -ENOMEM;
		written->file = id;
		HASH_ADD_INT(w->files, file, written);
	}
	*found = written;
	return 0;
}

int writers__add(struct writers *w, uint32_t task, uint32_t file, uint64_t pages)
{
	struct written *written;
	int err;

	pages = pages ? pages : 1;
	if (!file || !is_process(w, task))
		return 0;
	err = written_of(w, file, &written);
	if (err || !written)
		return err;
	find_program(w, written, task)->pages += pages;
	written->pages += pages;
	return 0;
}

int writers__add_io(struct writers *w, const struct io_row *row)
{
	struct written *written;
	uint64_t total_ns;
	int err;

	if (row->op == IO_OP_READ || row->origin != IO_ORIGIN_FILE || !row->file ||
	    !explain_is_kernel_thread(w->tables->task(w->tables->context, row->task)) ||
	    !explain_total_ns(row, &total_ns))
		return 0;
	err = written_of(w, row->file, &written);
	if (!err && written)
		written->io_ns += total_ns;
	return err;
}

int writers__add_limited(struct writers *w, uint32_t task, uint64_t io_ns)
{
	if (!is_process(w, task))
		return 0;
	return name_sums__add(&w->limited, IS_LIMITED,
			      w->tables->task(w->tables->context, task)->comm, io_ns, 1);
}

/* 0: none. */
static uint32_t writer_of(const struct written *written)
{
	for (uint32_t i = 0; i < PROGRAMS; i++)
		if (explain_pct(written->programs[i].pages, written->pages) >= NEARLY_ALL_PCT)
			return written->programs[i].task;
	return 0;
}

int writers__finish(const struct writers *w, struct explanation *x)
{
	struct name_sum *sums = NULL;
	int err = 0;

	for (const struct written *file = w->files; file && !err; file = file->hh.next)
		if (file->io_ns && writer_of(file))
			err = name_sums__add(
				&sums, IS_WRITTEN,
				w->tables->task(w->tables->context, writer_of(file))->comm,
				file->io_ns, 1);
	if (!err)
		err = name_sums__add_all(&sums, w->limited);
	name_sums__sort(&sums);
	for (const struct name_sum *sum = sums; sum && x->writer_count < EXPLAIN_WRITERS_MAX;
	     sum = sum->hh.next) {
		struct explain_writer *writer = &x->writers[x->writer_count++];

		snprintf(writer->comm, sizeof(writer->comm), "%s", sum->key.name);
		writer->io_ns = sum->ns;
		writer->is_limited = sum->key.number == IS_LIMITED;
	}
	name_sums__free(&sums);
	return err;
}

uint32_t writers__of(const struct writers *w, uint32_t file)
{
	uint32_t id = first_id(w->tables, file);
	struct written *written;

	HASH_FIND_INT(w->files, &id, written);
	return written ? writer_of(written) : 0;
}
