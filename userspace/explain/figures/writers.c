// SPDX-License-Identifier: MIT
#include "explain/figures/writers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#define FILES_MAX      65536u
#define NEARLY_ALL_PCT 95.0

struct written {
	uint32_t file; /* its first table id */
	uint32_t task; /* who wrote most */
	uint64_t pages, of_others;
	UT_hash_handle hh;
};

struct writers {
	const struct explain_tables *tables;
	struct written *files;
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

int writers__add(struct writers *w, uint32_t task, uint32_t file, uint64_t pages)
{
	uint32_t id = first_id(w->tables, file);
	struct written *written;

	pages = pages ? pages : 1;
	if (!file || !is_process(w, task))
		return 0;
	HASH_FIND_INT(w->files, &id, written);
	if (!written && HASH_COUNT(w->files) >= FILES_MAX)
		return 0;
	if (!written) {
		written = calloc(1, sizeof(*written));
		if (!written)
			return -ENOMEM;
		written->file = id;
		written->task = task;
		HASH_ADD_INT(w->files, file, written);
	}
	if (is_same_program(w, written->task, task))
		written->pages += pages;
	else
		written->of_others += pages;
	return 0;
}

uint32_t writers__of(const struct writers *w, uint32_t file)
{
	uint32_t id = first_id(w->tables, file);
	struct written *written;

	HASH_FIND_INT(w->files, &id, written);
	if (!written ||
	    explain_pct(written->pages, written->pages + written->of_others) < NEARLY_ALL_PCT)
		return 0;
	return written->task;
}
