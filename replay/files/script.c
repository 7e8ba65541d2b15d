// SPDX-License-Identifier: MIT
#include "replay/files/script.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "replay/files/resident.h"

#define IDS_MAX		(1u << 22) /* of tasks and of files: docs/trace-format.md */
#define FILE_END_MAX	(1ull << 60)
#define MISSES_TO_JUDGE 4u
#define KEPT_FLAGS	0xffu

struct task_life {
	uint64_t end_ns;
	uint16_t thread; /* + 1; 0: none yet */
};

struct loading {
	struct file_script *script;
	struct trace_reader *reader;
	const struct replay_window *window;
	struct task_life *tasks; /* by id */
	uint64_t start_ns, first_ns;
	uint32_t task_ids;
	bool write;
	char *message;
};

static bool changes_file(const struct access_row *row)
{
	switch (row->op) {
	case ACCESS_WRITE:
	case ACCESS_DIRECT_WRITE:
	case ACCESS_TRUNCATE:
	case ACCESS_SYNC:
		return true;
	case ACCESS_FAULT:
		return row->flags & ACCESS_DIRTIED;
	default:
		return false;
	}
}

/* True for operations that act on what is cached, whatever range they name. */
static bool is_about_cache(uint8_t op)
{
	return op == ACCESS_ADVICE || op == ACCESS_INVALIDATE || op == ACCESS_SYNC;
}

static bool in_window(const struct loading *l, const struct access_row *row)
{
	uint64_t at_ns = row->time_ns > l->start_ns ? row->time_ns - l->start_ns : 0;

	return row->time_ns && at_ns >= l->window->from_ns && at_ns < l->window->to_ns;
}

static bool is_playable(const struct loading *l, const struct access_row *row)
{
	const struct trace_file *file = trace_reader__file(l->reader, row->file);

	return row->file && (!file || file->kind == FILE_REGULAR);
}

static int refuse(const struct loading *l, const char *what, uint64_t value)
{
	snprintf(l->message, FILE_SCRIPT_MESSAGE_MAX,
		 "an operation on a file names %s %" PRIu64 ", which no recording has", what,
		 value);
	return -EINVAL;
}

static int check_row(struct loading *l, const struct access_row *row)
{
	struct file_script *s = l->script;

	if (row->file > IDS_MAX)
		return refuse(l, "file", row->file);
	if (row->task > IDS_MAX)
		return refuse(l, "task", row->task);
	if (!is_about_cache(row->op)) {
		if (row->offset > FILE_END_MAX)
			return refuse(l, "offset", row->offset);
		if (row->bytes > FILE_END_MAX)
			return refuse(l, "a length of", row->bytes);
	}
	if (s->count == FILE_SCRIPT_OPS_MAX) {
		snprintf(l->message, FILE_SCRIPT_MESSAGE_MAX,
			 "more than %u operations on files; choose a part with --from and --to",
			 FILE_SCRIPT_OPS_MAX);
		return -E2BIG;
	}
	if (row->file >= s->file_ids)
		s->file_ids = row->file + 1;
	if (row->task >= l->task_ids)
		l->task_ids = row->task + 1;
	if (!s->count || row->time_ns < l->first_ns)
		l->first_ns = row->time_ns;
	s->count++;
	return 0;
}

static uint32_t at_most_32(uint64_t count)
{
	return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

static void add_row(struct loading *l, const struct access_row *row)
{
	struct file_script *s = l->script;
	struct file_need *need = &s->files[row->file];
	uint64_t end_ns = row->time_ns + row->duration_ns;

	s->ops[s->count] = (struct file_op){
		.due_ns = row->time_ns - l->first_ns,
		.offset = row->offset,
		.bytes = row->bytes,
		.file = row->file,
		.task = row->task,
		.number = (uint32_t)s->count,
		.op = row->op,
		.flags = (uint8_t)(row->flags & KEPT_FLAGS),
	};
	if (s->touches)
		s->touches[s->count] = (struct file_touch){at_most_32(row->miss_pages),
							   at_most_32(row->readahead_pages)};
	s->count++;
	s->file_count += !need->used;
	need->used = true;
	need->misses += row->miss_pages > 0;
	need->was_read_ahead |= row->readahead_pages > 0;
	if (access_row_is_cached(row)) {
		s->hit_pages += row->hit_pages;
		s->miss_pages += row->miss_pages;
	}
	if (end_ns < row->time_ns)
		end_ns = row->time_ns;
	if (end_ns - l->first_ns > l->tasks[row->task].end_ns)
		l->tasks[row->task].end_ns = end_ns - l->first_ns;
}

typedef int (*row_fn)(struct loading *l, const struct access_row *row);

static int add_checked(struct loading *l, const struct access_row *row)
{
	struct file_script *s = l->script;

	if (!is_playable(l, row))
		s->left_out_others++;
	else if (!l->write && changes_file(row))
		s->left_out_writes++;
	else
		add_row(l, row);
	return 0;
}

static int each_row(struct loading *l, row_fn fn)
{
	struct row_block block;
	int err;

	while ((err = trace_reader__next(l->reader, 1u << ROW_ACCESS, &block)) > 0)
		for (uint32_t i = 0; i < block.rows; i++) {
			struct access_row row = block.access[i];

			if (!in_window(l, &row))
				continue;
			row.file = trace_reader__first_id_of_file(l->reader, row.file);
			err = fn(l, &row);
			if (err)
				return err;
		}
	return err;
}

static int by_time(const void *a, const void *b)
{
	const struct file_op *x = a, *y = b;

	if (x->due_ns != y->due_ns)
		return x->due_ns < y->due_ns ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int by_thread(const void *a, const void *b)
{
	const struct file_op *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Follows the size of the file: data behind the end that is read must have been there before. */
static void follow_size(struct file_need *need, const struct file_op *op)
{
	uint64_t end = op->offset + op->bytes, there = end;

	if (is_about_cache(op->op))
		return;
	if (op->op == ACCESS_TRUNCATE) {
		need->now_bytes = op->offset;
	} else {
		if (op->op == ACCESS_WRITE || op->op == ACCESS_DIRECT_WRITE)
			there = op->offset;
		if (there > need->now_bytes && there > need->initial_bytes)
			need->initial_bytes = there;
		if (end > need->now_bytes)
			need->now_bytes = end;
	}
	if (need->now_bytes > need->peak_bytes)
		need->peak_bytes = need->now_bytes;
}

static void add_up(uint64_t *sum, uint64_t bytes)
{
	if (__builtin_add_overflow(*sum, bytes, sum))
		*sum = UINT64_MAX;
}

static void find_sizes(struct file_script *s)
{
	for (uint64_t i = 0; i < s->count; i++)
		follow_size(&s->files[s->ops[i].file], &s->ops[i]);
	for (uint32_t id = 0; id < s->file_ids; id++) {
		struct file_need *need = &s->files[id];

		if (need->peak_bytes < need->initial_bytes)
			need->peak_bytes = need->initial_bytes;
		add_up(&s->initial_bytes, need->initial_bytes);
		add_up(&s->peak_bytes, need->peak_bytes);
	}
}

/* Chooses a thread whose tasks have all ended, or a new one, or the one that is free first. */
static unsigned int choose_thread(struct file_script *s, uint64_t *busy_until, uint64_t due_ns)
{
	unsigned int best = 0;

	for (unsigned int i = 0; i < s->threads; i++) {
		if (busy_until[i] < due_ns)
			return i;
		if (busy_until[i] < busy_until[best])
			best = i;
	}
	return s->threads < FILE_SCRIPT_THREADS_MAX ? s->threads++ : best;
}

static void divide(struct loading *l)
{
	uint64_t busy_until[FILE_SCRIPT_THREADS_MAX] = {0};
	struct file_script *s = l->script;
	unsigned int thread = 0;

	for (uint64_t i = 0; i < s->count; i++) {
		struct file_op *op = &s->ops[i];
		struct task_life *task = &l->tasks[op->task];

		op->number = (uint32_t)i;
		if (!task->thread) {
			thread = choose_thread(s, busy_until, op->due_ns);
			task->thread = (uint16_t)(thread + 1);
			if (task->end_ns > busy_until[thread])
				busy_until[thread] = task->end_ns;
			s->tasks++;
		}
		op->thread = (uint16_t)(task->thread - 1);
	}
	qsort(s->ops, s->count, sizeof(*s->ops), by_thread);
	thread = 0;
	for (uint64_t i = 0; i < s->count; i++)
		while (thread < s->ops[i].thread)
			s->first[++thread] = (uint32_t)i;
	s->first[s->threads] = (uint32_t)s->count;
}

static int no_memory(const struct loading *l)
{
	snprintf(l->message, FILE_SCRIPT_MESSAGE_MAX, "no memory for its operations on files");
	return -ENOMEM;
}

/* Before the operations are divided among threads, which numbers them anew. */
static int find_resident(struct loading *l)
{
	int err = l->script->find_resident ? file_resident__find(l->script) : 0;

	free(l->script->touches);
	l->script->touches = NULL;
	if (err == -ENOMEM)
		return no_memory(l);
	if (err)
		snprintf(l->message, FILE_SCRIPT_MESSAGE_MAX,
			 "--cache as-recorded works with files of up to 4 TiB in all; use cold or "
			 "warm");
	return err;
}

static int fill(struct loading *l)
{
	struct file_script *s = l->script;
	int err;

	s->ops = calloc(s->count, sizeof(*s->ops));
	s->files = calloc(s->file_ids, sizeof(*s->files));
	l->tasks = calloc(l->task_ids, sizeof(*l->tasks));
	if (s->find_resident)
		s->touches = calloc(s->count, sizeof(*s->touches));
	if (!s->ops || !s->files || !l->tasks || (s->find_resident && !s->touches))
		return no_memory(l);
	s->count = 0;
	err = trace_reader__rewind(l->reader);
	if (!err)
		err = each_row(l, add_checked);
	if (err)
		return err;
	qsort(s->ops, s->count, sizeof(*s->ops), by_time);
	find_sizes(s);
	err = find_resident(l);
	if (!err)
		divide(l);
	return err;
}

static int finish(struct loading *l)
{
	const struct file_script *s = l->script;

	if (s->count)
		return 0;
	snprintf(l->message, FILE_SCRIPT_MESSAGE_MAX,
		 s->left_out_writes
			 ? "all operations on files are writes: add --write to replay them"
			 : "no operations on regular files to replay");
	return -ENODATA;
}

int file_script__load(struct file_script *s, struct trace_reader *reader,
		      const struct replay_window *window, bool write,
		      char message[FILE_SCRIPT_MESSAGE_MAX])
{
	struct loading l = {.script = s,
			    .reader = reader,
			    .window = window,
			    .start_ns = trace_reader__host(reader)->start_ns,
			    .write = write,
			    .message = message};
	int err;

	*message = '\0';
	trace_reader__set_window(reader, window->from_ns, window->to_ns);
	err = each_row(&l, check_row);
	if (!err && !s->count) {
		snprintf(message, FILE_SCRIPT_MESSAGE_MAX,
			 "no operations on files%s: they are recorded with 'record --files'",
			 window->from_ns || window->to_ns != UINT64_MAX ? " in the time asked for"
									: "");
		return -ENODATA;
	}
	/* A trace that is cut is used as far as it goes: both passes end there. */
	if (!err)
		err = fill(&l);
	if (!err)
		err = finish(&l);
	free(l.tasks);
	return err;
}

void file_script__enlarge(struct file_script *s, const struct profile_files *files)
{
	uint32_t id = 1;

	s->is_generated |= files->class_count > 0;
	for (uint32_t class = 0; class < files->class_count; class ++) {
		uint64_t bytes = files->classes[class].bytes;

		for (uint64_t i = 0; i < files->classes[class].files && id < s->file_ids;
		     i++, id++) {
			struct file_need *need = &s->files[id];

			if (!need->used)
				continue;
			if (need->initial_bytes < bytes) {
				add_up(&s->initial_bytes, bytes - need->initial_bytes);
				need->initial_bytes = bytes;
			}
			if (need->peak_bytes < bytes) {
				add_up(&s->peak_bytes, bytes - need->peak_bytes);
				need->peak_bytes = bytes;
			}
		}
	}
}

void file_script__release(struct file_script *s)
{
	for (uint32_t id = 0; s->files && id < s->file_ids; id++)
		free(s->files[id].resident);
	free(s->ops);
	free(s->files);
	free(s->touches);
	s->touches = NULL;
	s->ops = NULL;
	s->files = NULL;
}

bool file_need_is_random(const struct file_need *need)
{
	return need->misses >= MISSES_TO_JUDGE && !need->was_read_ahead;
}
