// SPDX-License-Identifier: MIT
#include "trace/file/block_stage.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/queue.h"
#include "trace/file/block_writer.h"
#include "trace/columns/columns.h"

/* Rows that fill less than 1 / COPIED_PART of a block are copied to memory of their own size. */
#define COPIED_PART 4

struct job {
	struct queue_entry entry;
	json_t *json; /* or rows */
	enum block_kind block;
	enum row_kind kind;
	uint32_t count;
	void *rows;
	bool is_full_size;
};

struct block_stage {
	struct block_writer *writer;
	struct queue *queue; /* NULL: there is no thread */
	pthread_t thread;
	void *_Atomic spare[ROW_KIND_COUNT]; /* full-size memory for rows, for reuse */
	atomic_int err;
};

int block_stage__create(struct output *output, uint64_t resolution_ns, struct block_stage **stage)
{
	struct block_stage *s = calloc(1, sizeof(*s));
	int err;

	if (!s) {
		output__close(output, false);
		return -ENOMEM;
	}
	err = block_writer__create(output, resolution_ns, &s->writer);
	if (err) {
		free(s);
		return err;
	}
	*stage = s;
	return 0;
}

void block_stage__reuse_choices(struct block_stage *s)
{
	block_writer__reuse_choices(s->writer);
}

static int note_error(struct block_stage *s, int err)
{
	int none = 0;

	if (err)
		atomic_compare_exchange_strong(&s->err, &none, err);
	return block_stage__error(s);
}

int block_stage__error(const struct block_stage *s)
{
	return atomic_load_explicit(&s->err, memory_order_relaxed);
}

static void release_rows(struct block_stage *s, struct job *job)
{
	free(job->is_full_size ? atomic_exchange(&s->spare[job->kind], job->rows) : job->rows);
}

static void do_job(struct block_stage *s, struct job *job)
{
	if (block_stage__error(s))
		json_decref(job->json);
	else if (job->json)
		note_error(s, block_writer__json(s->writer, job->block, job->count, job->json));
	else
		note_error(s, block_writer__rows(s->writer, job->kind, job->rows, job->count));
	if (job->rows)
		release_rows(s, job);
	free(job);
}

static void *encoding_thread(void *context)
{
	struct block_stage *s = context;
	struct queue_entry *entry;

	while ((entry = queue__pop(s->queue)))
		do_job(s, (struct job *)entry);
	return NULL;
}

void block_stage__use_threads(struct block_stage *s)
{
	if (s->queue || !output__write_behind(block_writer__output(s->writer)))
		return;
	s->queue = queue__new(2 * TRACE_BLOCK_ROWS_MAX * columns_row_size(ROW_IO));
	if (s->queue && pthread_create(&s->thread, NULL, encoding_thread, s)) {
		queue__free(s->queue);
		s->queue = NULL;
	}
}

/* Takes *rows over, or a copy of a few rows. False: no memory. */
static bool take_rows(struct block_stage *s, struct job *job, void **rows)
{
	size_t bytes = job->count * columns_row_size(job->kind);

	if (job->count > TRACE_BLOCK_ROWS_MAX / COPIED_PART) {
		job->rows = *rows;
		job->is_full_size = true;
		*rows = atomic_exchange(&s->spare[job->kind], NULL);
		return true;
	}
	job->rows = malloc(bytes);
	if (job->rows)
		memcpy(job->rows, *rows, bytes);
	return job->rows;
}

int block_stage__append_rows(struct block_stage *s, enum row_kind kind, void **rows, uint32_t count)
{
	struct job *job;

	if (block_stage__error(s))
		return block_stage__error(s);
	if (!s->queue)
		return note_error(s, block_writer__rows(s->writer, kind, *rows, count));
	job = calloc(1, sizeof(*job));
	if (job) {
		job->kind = kind;
		job->count = count;
	}
	if (!job || !take_rows(s, job, rows)) {
		free(job);
		return note_error(s, -ENOMEM);
	}
	queue__push(s->queue, &job->entry,
		    (job->is_full_size ? TRACE_BLOCK_ROWS_MAX : count) * columns_row_size(kind));
	return 0;
}

int block_stage__append_json(struct block_stage *s, enum block_kind kind, uint32_t rows,
			     json_t *json)
{
	struct job *job = s->queue && json ? calloc(1, sizeof(*job)) : NULL;

	if (block_stage__error(s) || (s->queue && !job)) {
		json_decref(json);
		free(job);
		return note_error(s, -ENOMEM);
	}
	if (!job)
		return note_error(s, block_writer__json(s->writer, kind, rows, json));
	job->json = json;
	job->block = kind;
	job->count = rows;
	queue__push(s->queue, &job->entry, sizeof(*job));
	return 0;
}

int block_stage__stat(const struct block_stage *s, struct stat *file)
{
	return output__stat(block_writer__output(s->writer), file);
}

uint64_t block_stage__bytes(const struct block_stage *s)
{
	return output__written(block_writer__output(s->writer));
}

static void stop_thread(struct block_stage *s)
{
	if (!s->queue)
		return;
	queue__close(s->queue);
	pthread_join(s->thread, NULL);
	queue__free(s->queue);
	s->queue = NULL;
}

int block_stage__close(struct block_stage *s, const uint64_t rows[ROW_KIND_COUNT], json_t *summary)
{
	int err;

	stop_thread(s);
	if (summary && !block_stage__append_json(s, BLOCK_SUMMARY, 1, summary))
		note_error(s, block_writer__end(s->writer, rows));
	err = note_error(s, block_writer__close(s->writer, !block_stage__error(s)));
	for (unsigned int i = 0; i < ROW_KIND_COUNT; i++)
		free(s->spare[i]);
	free(s);
	return err;
}
