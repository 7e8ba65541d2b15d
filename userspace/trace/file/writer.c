// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/file/block_stage.h"
#include "trace/columns/columns.h"
#include "trace/tables/meta.h"
#include "trace/file/output.h"
#include "trace/file/trace_kind.h"
#include "trace/file/writer.h"

/* A block of entries is closed when its JSON may be this long. */
#define ENTRIES_BYTES_MAX (1u << 20)
#define ENTRY_BYTES_FIXED 1024
/* JSON writes a control character as six bytes; a byte outside UTF-8 takes five. */
#define ENTRY_BYTES_PER_CHARACTER 6

/* Pending rows of one kind. */
struct gathered {
	void *rows; /* TRACE_BLOCK_ROWS_MAX of them, allocated with the first */
	uint32_t count;
};

/* Pending table entries of one kind. */
struct entries {
	json_t *array;
	size_t bytes; /* an upper bound of their JSON */
	uint32_t highest_id;
};

enum entry_table {
	ENTRIES_TIERS,
	ENTRIES_DEVICES,
	ENTRIES_TASKS,
	ENTRIES_FILES,
	ENTRIES_CGROUPS,
	ENTRIES_STACKS,
	ENTRIES_COUNT
};

/*
 * Converts *source to JSON, with hashes instead of names unless `a` is NULL. *text_bytes: the total
 * length of its variable texts. 0 or negative errno; *json NULL: no memory.
 */
typedef int encode_entry(const struct anonymizer *a, const void *source, json_t **json,
			 size_t *text_bytes);

static int encode_tier(const struct anonymizer *a, const void *source, json_t **json,
		       size_t *text_bytes)
{
	struct trace_tier tier = *(const struct trace_tier *)source;
	char how[TRACE_PATH_MAX];
	int err = 0;

	if (a && !strcmp(tier.figure, TRACE_TIER_FILTER)) {
		err = anonymizer__filter(a, tier.how, how);
		tier.how = how;
	}
	if (err)
		return err;
	*json = meta_from_tier(&tier);
	*text_bytes =
		strlen(tier.figure) + strlen(tier.how) + strlen(tier.quality) + strlen(tier.note);
	return 0;
}

static int encode_device(const struct anonymizer *a, const void *source, json_t **json,
			 size_t *text_bytes)
{
	struct trace_device device = *(const struct trace_device *)source;
	int err = a ? anonymizer__device(a, &device) : 0;

	if (err)
		return err;
	*json = meta_from_device(&device);
	*text_bytes = sizeof(device);
	return 0;
}

static int encode_task(const struct anonymizer *a, const void *source, json_t **json,
		       size_t *text_bytes)
{
	struct trace_task task = *(const struct trace_task *)source;
	int err = a ? anonymizer__task(a, &task) : 0;

	if (err)
		return err;
	*json = meta_from_task(&task);
	*text_bytes = 0;
	return 0;
}

static int encode_file(const struct anonymizer *a, const void *source, json_t **json,
		       size_t *text_bytes)
{
	struct trace_file file = *(const struct trace_file *)source;
	char path[TRACE_PATH_MAX];
	int err = a ? anonymizer__file_path(a, &file, path) : 0;

	if (err)
		return err;
	if (a)
		file.path = path;
	*json = meta_from_file(&file);
	*text_bytes = strlen(file.path);
	return 0;
}

static size_t length_of(const char *text)
{
	return text ? strlen(text) : 0;
}

static int encode_cgroup(const struct anonymizer *a, const void *source, json_t **json,
			 size_t *text_bytes)
{
	struct trace_cgroup cgroup = *(const struct trace_cgroup *)source;
	char path[TRACE_PATH_MAX];
	int err = a ? anonymizer__cgroup_path(a, cgroup.path, path) : 0;

	if (err)
		return err;
	if (a) {
		cgroup.path = path;
		cgroup.container = cgroup.pod = cgroup.pod_namespace = NULL;
	}
	*json = meta_from_cgroup(&cgroup);
	*text_bytes = strlen(cgroup.path) + length_of(cgroup.container) + length_of(cgroup.pod) +
		      length_of(cgroup.pod_namespace);
	return 0;
}

static int encode_stack(const struct anonymizer *a, const void *source, json_t **json,
			size_t *text_bytes)
{
	const struct trace_stack *stack = source;

	*json = meta_from_stack(stack);
	*text_bytes = strlen(stack->functions);
	return 0;
}

static const struct {
	enum block_kind block;
	uint32_t max;
	encode_entry *encode;
} entry_tables[ENTRIES_COUNT] = {
	[ENTRIES_TIERS] = {BLOCK_TIERS, TRACE_TIERS_MAX, encode_tier},
	[ENTRIES_DEVICES] = {BLOCK_DEVICES, TRACE_DEVICES_MAX, encode_device},
	[ENTRIES_TASKS] = {BLOCK_TASKS, TRACE_TASKS_MAX, encode_task},
	[ENTRIES_FILES] = {BLOCK_FILES, TRACE_FILES_MAX, encode_file},
	[ENTRIES_CGROUPS] = {BLOCK_CGROUPS, TRACE_CGROUPS_MAX, encode_cgroup},
	[ENTRIES_STACKS] = {BLOCK_STACKS, TRACE_STACKS_MAX, encode_stack},
};

struct trace_writer {
	int err; /* the first; no more is written */
	struct block_stage *stage;
	uint64_t resolution_ns;
	const struct anonymizer *anonymizer; /* NULL: names are written as they are */
	struct gathered gathered[ROW_KIND_COUNT];
	struct entries entries[ENTRIES_COUNT];
	uint64_t rows[ROW_KIND_COUNT]; /* appended */
};

static int fail(struct trace_writer *w, int err)
{
	if (!w->err)
		w->err = err;
	return w->err;
}

/* Takes the reference. */
static int write_json(struct trace_writer *w, enum block_kind kind, uint32_t rows, json_t *json)
{
	int err = block_stage__append_json(w->stage, kind, rows, json);

	return err ? fail(w, err) : 0;
}

static int write_entries(struct trace_writer *w, enum entry_table table)
{
	struct entries *entries = &w->entries[table];
	json_t *array = entries->array;
	uint32_t count = (uint32_t)json_array_size(array);

	if (w->err || !count)
		return w->err;
	entries->array = NULL;
	entries->bytes = 0;
	return write_json(w, entry_tables[table].block, count, array);
}

static int write_all_entries(struct trace_writer *w)
{
	for (unsigned int i = 0; i < ENTRIES_COUNT && !w->err; i++)
		write_entries(w, i);
	return w->err;
}

static int write_rows(struct trace_writer *w, enum row_kind kind)
{
	struct gathered *gathered = &w->gathered[kind];
	int err;

	if (w->err || !gathered->count || write_all_entries(w))
		return w->err;
	err = block_stage__append_rows(w->stage, kind, &gathered->rows, gathered->count);
	if (err)
		return fail(w, err);
	gathered->count = 0;
	return 0;
}

/* The memory of the next row of `kind`; NULL: w->err is set. */
static void *next_row(struct trace_writer *w, enum row_kind kind)
{
	struct gathered *gathered = &w->gathered[kind];

	if (w->err || (block_stage__error(w->stage) && fail(w, block_stage__error(w->stage))))
		return NULL;
	if (!gathered->rows) {
		gathered->rows = malloc(TRACE_BLOCK_ROWS_MAX * columns_row_size(kind));
		if (!gathered->rows) {
			fail(w, -ENOMEM);
			return NULL;
		}
	}
	return (char *)gathered->rows + gathered->count * columns_row_size(kind);
}

static int row_added(struct trace_writer *w, enum row_kind kind)
{
	w->rows[kind]++;
	if (++w->gathered[kind].count == TRACE_BLOCK_ROWS_MAX)
		return write_rows(w, kind);
	return 0;
}

static void round_down(const struct trace_writer *w, uint64_t *time_ns)
{
	if (w->resolution_ns <= 1 || !*time_ns)
		return;
	/* 0 means "not seen": a time that was seen must not be rounded down to 0. */
	*time_ns -= *time_ns % w->resolution_ns;
	if (!*time_ns)
		*time_ns = w->resolution_ns;
}

int trace_writer__append_io(struct trace_writer *w, const struct io_row *row)
{
	struct io_row *at = next_row(w, ROW_IO);

	if (!at)
		return w->err;
	*at = *row;
	if (w->resolution_ns > 1) {
		round_down(w, &at->created_ns);
		round_down(w, &at->inserted_ns);
		round_down(w, &at->issued_ns);
		round_down(w, &at->completed_ns);
	}
	return row_added(w, ROW_IO);
}

int trace_writer__append_cache(struct trace_writer *w, const struct cache_row *row)
{
	struct cache_row *at = next_row(w, ROW_CACHE);

	if (!at)
		return w->err;
	*at = *row;
	round_down(w, &at->time_ns);
	return row_added(w, ROW_CACHE);
}

int trace_writer__append_tick(struct trace_writer *w, const struct tick_row *row)
{
	struct tick_row *at = next_row(w, ROW_TICK);

	if (!at)
		return w->err;
	*at = *row;
	round_down(w, &at->time_ns);
	return row_added(w, ROW_TICK);
}

int trace_writer__append_hist(struct trace_writer *w, const struct hist_row *row)
{
	struct hist_row *at = next_row(w, ROW_HIST);

	if (!at)
		return w->err;
	*at = *row;
	round_down(w, &at->time_ns);
	return row_added(w, ROW_HIST);
}

int trace_writer__append_access(struct trace_writer *w, const struct access_row *row)
{
	struct access_row *at = next_row(w, ROW_ACCESS);

	if (!at)
		return w->err;
	*at = *row;
	round_down(w, &at->time_ns);
	round_down(w, &at->duration_ns);
	return row_added(w, ROW_ACCESS);
}

int trace_writer__append_wait(struct trace_writer *w, const struct wait_row *row)
{
	struct wait_row *at = next_row(w, ROW_WAIT);

	if (!at)
		return w->err;
	*at = *row;
	round_down(w, &at->time_ns);
	round_down(w, &at->call_ns);
	return row_added(w, ROW_WAIT);
}

int trace_writer__append_loss(struct trace_writer *w, const struct loss_row *row)
{
	struct loss_row *at = next_row(w, ROW_LOSS);

	if (!at)
		return w->err;
	*at = *row;
	round_down(w, &at->from_ns);
	round_down(w, &at->to_ns);
	return row_added(w, ROW_LOSS);
}

/* An entry that is refused because of its id or its path does not stop the writer. */
static int add_entry(struct trace_writer *w, enum entry_table table, uint32_t id,
		     const void *source, const char *path)
{
	struct entries *entries = &w->entries[table];
	size_t text_bytes = 0;
	json_t *json = NULL;
	int err;

	if (w->err)
		return w->err;
	if (id <= entries->highest_id)
		return -EINVAL;
	if (id > entry_tables[table].max)
		return -E2BIG;
	if (strlen(path) >= TRACE_PATH_MAX)
		return -ENAMETOOLONG;
	err = entry_tables[table].encode(w->anonymizer, source, &json, &text_bytes);
	if (err)
		return fail(w, err);
	if (!entries->array)
		entries->array = json_array();
	if (!json || json_array_append_new(entries->array, json))
		return fail(w, -ENOMEM);
	entries->highest_id = id;
	entries->bytes += ENTRY_BYTES_FIXED + ENTRY_BYTES_PER_CHARACTER * text_bytes;
	if (entries->bytes >= ENTRIES_BYTES_MAX ||
	    json_array_size(entries->array) == TRACE_BLOCK_ROWS_MAX)
		return write_entries(w, table);
	return 0;
}

int trace_writer__add_device(struct trace_writer *w, const struct trace_device *device)
{
	return add_entry(w, ENTRIES_DEVICES, device->id, device, "");
}

int trace_writer__add_task(struct trace_writer *w, const struct trace_task *task)
{
	return add_entry(w, ENTRIES_TASKS, task->id, task, "");
}

int trace_writer__add_file(struct trace_writer *w, const struct trace_file *file)
{
	struct trace_file entry = *file;

	if (!entry.path)
		entry.path = "";
	return add_entry(w, ENTRIES_FILES, file->id, &entry, entry.path);
}

int trace_writer__add_cgroup(struct trace_writer *w, const struct trace_cgroup *cgroup)
{
	struct trace_cgroup entry = *cgroup;

	if (!entry.path)
		entry.path = "";
	return add_entry(w, ENTRIES_CGROUPS, cgroup->id, &entry, entry.path);
}

int trace_writer__add_stack(struct trace_writer *w, const struct trace_stack *stack)
{
	return add_entry(w, ENTRIES_STACKS, stack->id, stack, stack->functions);
}

int trace_writer__add_tier(struct trace_writer *w, const struct trace_tier *tier)
{
	return add_entry(w, ENTRIES_TIERS, w->entries[ENTRIES_TIERS].highest_id + 1, tier, "");
}

/* Takes `output` over, also on failure. */
static int new_writer(struct output *output, const struct trace_writer_options *options,
		      struct trace_writer **writer)
{
	struct trace_writer *w = calloc(1, sizeof(*w));
	int err;

	if (!w) {
		output__close(output, false);
		return -ENOMEM;
	}
	w->resolution_ns = options && options->resolution_ns ? options->resolution_ns : 1;
	w->anonymizer = options ? options->anonymizer : NULL;
	err = block_stage__create(output, w->resolution_ns, &w->stage);
	if (err) {
		free(w);
		return err;
	}
	if (options && options->fast)
		block_stage__reuse_choices(w->stage);
	*writer = w;
	return 0;
}

static int write_host(struct trace_writer *w, const struct trace_host *host)
{
	struct trace_host written = *host;
	int err = 0;

	written.resolution_ns = w->resolution_ns;
	written.trigger_latency_ns -= written.trigger_latency_ns % w->resolution_ns;
	written.trigger_end_ns -= written.trigger_end_ns % w->resolution_ns;
	if (w->anonymizer)
		err = anonymizer__host(w->anonymizer, &written);
	return err ? err : write_json(w, BLOCK_HOST, 1, meta_from_host(&written));
}

static int level_of(const struct trace_writer_options *options)
{
	return options && options->zstd_level ? options->zstd_level : ZSTD_LEVEL_DEFAULT;
}

/* Creates the writer and writes the host. */
static int begin(struct output *output, const struct trace_host *host,
		 const struct trace_writer_options *options, struct trace_writer **writer)
{
	struct trace_writer *w;
	int err;

	err = new_writer(output, options, &w);
	if (err)
		return err;
	err = write_host(w, host);
	if (err)
		trace_writer__close(w, NULL);
	else
		*writer = w;
	return err;
}

int trace_writer__create(const char *path, const struct trace_host *host,
			 const struct trace_writer_options *options, struct trace_writer **writer)
{
	bool replace_at_close = options && options->replace_at_close;
	struct output *output;
	struct stat made;
	int err;

	if (replace_at_close)
		err = output__create_beside(path, level_of(options), &output);
	else
		err = output__create(path, level_of(options), options && options->must_be_new,
				     &output);
	if (err)
		return err;
	err = output__stat(output, &made);
	if (err) {
		output__close(output, false);
		return err;
	}
	err = begin(output, host, options, writer);
	/* A file without a host is of no use. */
	if (err && !replace_at_close)
		output_file__remove(path, &trace_kind, &made);
	return err;
}

int trace_writer__create_on(int fd, const struct trace_host *host,
			    const struct trace_writer_options *options,
			    struct trace_writer **writer)
{
	struct output *output;
	int err;

	err = output__create_on(fd, level_of(options), &output);
	return err ? err : begin(output, host, options, writer);
}

void trace_writer__use_threads(struct trace_writer *w)
{
	block_stage__use_threads(w->stage);
}

int trace_writer__flush(struct trace_writer *w)
{
	if (block_stage__error(w->stage))
		return fail(w, block_stage__error(w->stage));
	write_all_entries(w);
	for (enum row_kind kind = 0; kind < ROW_KIND_COUNT && !w->err; kind++)
		write_rows(w, kind);
	return w->err;
}

uint64_t trace_writer__bytes(const struct trace_writer *w)
{
	return block_stage__bytes(w->stage);
}

uint64_t trace_writer__rows(const struct trace_writer *w)
{
	uint64_t rows = 0;

	for (unsigned int kind = 0; kind < ROW_KIND_COUNT; kind++)
		rows += w->rows[kind];
	return rows;
}

uint64_t trace_writer__io_rows(const struct trace_writer *w)
{
	return w->rows[ROW_IO];
}

int trace_writer__close(struct trace_writer *w, const struct trace_summary *summary)
{
	json_t *json = NULL;
	int err;

	if (!w)
		return 0;
	if (!trace_writer__flush(w) && summary) {
		json = meta_from_summary(summary);
		if (!json)
			fail(w, -ENOMEM);
	}
	err = block_stage__close(w->stage, w->rows, json);
	if (err)
		fail(w, err);
	err = w->err;
	for (unsigned int i = 0; i < ROW_KIND_COUNT; i++)
		free(w->gathered[i].rows);
	for (unsigned int i = 0; i < ENTRIES_COUNT; i++)
		json_decref(w->entries[i].array);
	free(w);
	return err;
}

int trace_writer__stat(const struct trace_writer *w, struct stat *file)
{
	return block_stage__stat(w->stage, file);
}

void trace_writer__discard(struct trace_writer *w, const char *path)
{
	struct stat made;
	bool found = w && !trace_writer__stat(w, &made);

	trace_writer__close(w, NULL);
	if (found)
		output_file__remove(path, &trace_kind, &made);
}
