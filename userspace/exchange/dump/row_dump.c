// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "exchange/dump/row_dump.h"
#include "trace/format.h"
#include "base/ioprio.h"
#include "trace/row_time.h"

#define NAME_BYTES 96

/* A row and the tables of its ids; `row` is NULL for the header. */
struct source {
	const struct trace_reader *reader;
	uint64_t start_ns;
	const char *host; /* NULL: not printed */
	bool layers; /* rows can be linked: then text shows their ids; other formats always do */
};

/* An empty name is unknown, unlike empty flags. */
static void emit_name(struct emitter *e, const char *name, unsigned int width, const char *text)
{
	if (*text || emitter__format(e) != FORMAT_JSON)
		emit_text(e, name, width, text);
	else
		emit_unknown(e, name, width);
}

/* Devices and files without a name get their number. */
static void emit_device(struct emitter *e, const struct source *s, uint32_t id)
{
	const struct trace_device *device = trace_reader__device(s->reader, id);
	char text[NAME_BYTES];

	if (device) {
		emit_name(e, "device", 10, device->name);
		return;
	}
	*text = '\0';
	if (id)
		snprintf(text, sizeof(text), "#%u", id);
	emit_name(e, "device", 10, text);
}

static void emit_task(struct emitter *e, const struct source *s, uint32_t id)
{
	const struct trace_task *task = trace_reader__task(s->reader, id);

	emit_name(e, "comm", 15, task ? task->comm : "");
	if (task)
		emit_number(e, "pid", 7, task->pid);
	else
		emit_unknown(e, "pid", 7);
}

static void emit_waker(struct emitter *e, const struct source *s, uint32_t id)
{
	const struct trace_task *task = trace_reader__task(s->reader, id);

	emit_name(e, "waker", 15, task ? task->comm : "");
	if (task)
		emit_number(e, "waker_pid", 9, task->pid);
	else
		emit_unknown(e, "waker_pid", 9);
}

static void emit_file(struct emitter *e, const struct source *s, uint32_t id)
{
	const struct trace_file *file = trace_reader__file(s->reader, id);
	char text[NAME_BYTES];

	if (file && *file->path) {
		emit_name(e, "file", 24, file->path);
		return;
	}
	*text = '\0';
	if (file)
		snprintf(text, sizeof(text), "%u:%u:%llu", file->major, file->minor,
			 (unsigned long long)file->inode);
	else if (id)
		snprintf(text, sizeof(text), "#%u", id);
	emit_name(e, "file", 24, text);
}

static void emit_cgroup(struct emitter *e, const struct source *s, uint32_t id)
{
	const struct trace_cgroup *cgroup = trace_reader__cgroup(s->reader, id);
	char text[NAME_BYTES];

	if (cgroup && *cgroup->path) {
		emit_name(e, "cgroup", 16, cgroup->path);
		return;
	}
	*text = '\0';
	if (cgroup)
		snprintf(text, sizeof(text), "id:%llu", (unsigned long long)cgroup->kernel_id);
	else if (id)
		snprintf(text, sizeof(text), "#%u", id);
	emit_name(e, "cgroup", 16, text);
}

/* `to` - `from`; unknown unless both were seen. */
static void emit_span(struct emitter *e, const char *name, uint64_t from_ns, uint64_t to_ns)
{
	if (from_ns && to_ns)
		emit_signed(e, name, 11, (int64_t)(to_ns - from_ns));
	else
		emit_unknown(e, name, 11);
}

static void emit_seen(struct emitter *e, const char *name, uint64_t time_ns)
{
	if (time_ns)
		emit_number(e, name, 16, time_ns);
	else
		emit_unknown(e, name, 16);
}

static void emit_ids(struct emitter *e, const struct io_row *row)
{
	if (row->id)
		emit_number(e, "id", 9, row->id);
	else
		emit_unknown(e, "id", 9);
	if (row->parent_id)
		emit_number(e, "parent_id", 9, row->parent_id);
	else
		emit_unknown(e, "parent_id", 9);
}

static void emit_time(struct emitter *e, const struct source *s, const char *name, uint64_t time_ns)
{
	if (time_ns)
		emit_seconds(e, name, 14, (int64_t)(time_ns - s->start_ns));
	else
		emit_unknown(e, name, 14);
}

static void emit_io(struct emitter *e, const struct source *s, const struct io_row *row)
{
	char flags[IO_FLAGS_TEXT_MAX], priority[IOPRIO_TEXT_MAX];

	emit_time(e, s, "time_s", io_row_time_ns(row));
	emit_device(e, s, row->device);
	emit_text(e, "op", 8, io_op_name(row->op));
	emit_number(e, "sector", 12, row->sector);
	emit_number(e, "bytes", 9, row->bytes);
	emit_text(e, "flags", 14, io_flags_text(row->flags, flags));
	emit_text(e, "origin", 8, io_origin_name(row->origin));
	emit_task(e, s, row->task);
	emit_file(e, s, row->file);
	emit_cgroup(e, s, row->cgroup);
	emit_number(e, "cpu", 4, row->cpu);
	emit_number(e, "depth", 5, row->depth);
	emit_number(e, "merges", 6, row->merges);
	emit_signed(e, "error", 5, row->error);
	emit_span(e, "queue_ns", row->created_ns, row->issued_ns);
	emit_span(e, "device_ns", row->issued_ns, row->completed_ns);
	emit_span(e, "latency_ns", row->created_ns, row->completed_ns);
	if (emitter__format(e) == FORMAT_TEXT) {
		if (s->layers)
			emit_ids(e, row);
		return;
	}
	emit_seen(e, "created_ns", row->created_ns);
	emit_seen(e, "issued_ns", row->issued_ns);
	emit_seen(e, "completed_ns", row->completed_ns);
	emit_seen(e, "inserted_ns", row->inserted_ns);
	emit_ids(e, row);
	emit_name(e, "ioprio", 8, ioprio_text(row->ioprio, priority));
}

static void emit_cache(struct emitter *e, const struct source *s, const struct cache_row *row)
{
	emit_time(e, s, "time_s", row->time_ns);
	emit_number(e, "interval_ns", 12, row->interval_ns);
	emit_task(e, s, row->task);
	emit_file(e, s, row->file);
	emit_cgroup(e, s, row->cgroup);
	emit_number(e, "reads", 8, row->reads);
	emit_number(e, "read_pages", 10, row->read_pages);
	emit_number(e, "demand_miss_pages", 17, row->demand_miss_pages);
	emit_number(e, "fault_pages", 11, row->fault_pages);
	emit_number(e, "readahead_added_pages", 21, row->readahead_added_pages);
	emit_number(e, "readahead_used_pages", 20, row->readahead_used_pages);
	emit_number(e, "readahead_wasted_pages", 22, row->readahead_wasted_pages);
	emit_number(e, "readahead_untracked_pages", 25, row->readahead_untracked_pages);
	emit_number(e, "write_added_pages", 17, row->write_added_pages);
	emit_number(e, "other_added_pages", 17, row->other_added_pages);
	emit_number(e, "dirtied_pages", 13, row->dirtied_pages);
	emit_number(e, "written_back_pages", 18, row->written_back_pages);
	emit_number(e, "deleted_pages", 13, row->deleted_pages);
	emit_number(e, "waits", 8, row->waits);
	emit_number(e, "wait_ns", 12, row->wait_ns);
	emit_number(e, "written_pages", 13, row->written_pages);
	emit_number(e, "overwritten_pages", 17, row->overwritten_pages);
	emit_number(e, "evicted_pages", 13, row->evicted_pages);
	emit_number(e, "direct_reads", 12, row->direct_reads);
	emit_number(e, "direct_read_bytes", 17, row->direct_read_bytes);
	emit_number(e, "direct_writes", 13, row->direct_writes);
	emit_number(e, "direct_write_bytes", 18, row->direct_write_bytes);
	emit_number(e, "throttles", 9, row->throttles);
	emit_number(e, "throttle_ns", 12, row->throttle_ns);
}

static void emit_measured(struct emitter *e, const struct tick_row *row, const char *name,
			  uint64_t value)
{
	if (row->measured & TICK_MEASURED_BUSY)
		emit_number(e, name, 12, value);
	else
		emit_unknown(e, name, 12);
}

static void emit_tick(struct emitter *e, const struct source *s, const struct tick_row *row)
{
	static const char *const names[TICK_OP_COUNT][4] = {
		[TICK_READ] = {"read_ios", "read_merges", "read_sectors", "read_ticks_ms"},
		[TICK_WRITE] = {"write_ios", "write_merges", "write_sectors", "write_ticks_ms"},
		[TICK_DISCARD] = {"discard_ios", "discard_merges", "discard_sectors",
				  "discard_ticks_ms"},
		[TICK_FLUSH] = {"flush_ios", "flush_merges", "flush_sectors", "flush_ticks_ms"},
	};

	emit_time(e, s, "time_s", row->time_ns);
	emit_number(e, "interval_ns", 12, row->interval_ns);
	emit_device(e, s, row->device);
	emit_number(e, "in_flight", 9, row->in_flight);
	for (unsigned int op = 0; op < TICK_OP_COUNT; op++) {
		emit_number(e, names[op][0], 11, row->ios[op]);
		emit_number(e, names[op][1], 14, row->merges[op]);
		emit_number(e, names[op][2], 15, row->sectors[op]);
		emit_number(e, names[op][3], 16, row->ticks_ms[op]);
	}
	emit_number(e, "io_ticks_ms", 11, row->io_ticks_ms);
	emit_number(e, "in_queue_ms", 11, row->in_queue_ms);
	emit_measured(e, row, "busy_ns", row->busy_ns);
	emit_measured(e, row, "depth_ns", row->depth_ns);
	emit_measured(e, row, "depth_max", row->depth_max);
	if (row->snapshot_ns)
		emit_number(e, "snapshot_ns", 10, row->snapshot_ns);
	else
		emit_unknown(e, "snapshot_ns", 10);
}

static void emit_hist(struct emitter *e, const struct source *s, const struct hist_row *row)
{
	emit_time(e, s, "time_s", row->time_ns);
	emit_number(e, "interval_ns", 12, row->interval_ns);
	emit_device(e, s, row->device);
	emit_text(e, "op", 8, io_op_name(row->op));
	emit_text(e, "figure", 9, hist_figure_name(row->figure));
	emit_number(e, "low", 12, row->low);
	if (row->high)
		emit_number(e, "high", 12, row->high);
	else
		emit_unknown(e, "high", 12);
	emit_number(e, "count", 10, row->count);
}

static void emit_access(struct emitter *e, const struct source *s, const struct access_row *row)
{
	char flags[IO_FLAGS_TEXT_MAX];

	emit_time(e, s, "time_s", row->time_ns);
	emit_text(e, "op", 12, access_op_name(row->op));
	emit_task(e, s, row->task);
	emit_file(e, s, row->file);
	emit_number(e, "offset", 14, row->offset);
	emit_number(e, "bytes", 10, row->bytes);
	emit_number(e, "hit_pages", 9, row->hit_pages);
	emit_number(e, "miss_pages", 10, row->miss_pages);
	emit_number(e, "readahead_pages", 15, row->readahead_pages);
	emit_number(e, "waits", 5, row->waits);
	emit_number(e, "wait_ns", 11, row->wait_ns);
	if (row->duration_ns)
		emit_number(e, "duration_ns", 11, row->duration_ns);
	else
		emit_unknown(e, "duration_ns", 11);
	emit_text(e, "flags", 14, access_flags_text(row->flags, flags));
	emit_cgroup(e, s, row->cgroup);
	if (emitter__format(e) != FORMAT_TEXT)
		emit_seen(e, "begun_ns", row->time_ns);
}

/* The functions of a stack, the innermost first. */
static void emit_stack(struct emitter *e, const struct source *s, uint32_t id)
{
	const struct trace_stack *stack = trace_reader__stack(s->reader, id);

	emit_name(e, "stack", 24, stack ? stack->functions : "");
}

static void emit_wait(struct emitter *e, const struct source *s, const struct wait_row *row)
{
	char flags[IO_FLAGS_TEXT_MAX];

	emit_time(e, s, "time_s", row->time_ns);
	emit_text(e, "what", 5, wait_what_name(row->what));
	emit_name(e, "call", 10, wait_call_name(row->call));
	emit_task(e, s, row->task);
	emit_number(e, "duration_ns", 11, row->duration_ns);
	emit_number(e, "run_queue_ns", 12, row->run_queue_ns);
	emit_number(e, "cpu_ns", 11, row->cpu_ns);
	emit_number(e, "sleep_ns", 11, row->sleep_ns);
	emit_number(e, "count", 7, row->count);
	emit_file(e, s, row->file);
	emit_text(e, "flags", 9, wait_flags_text(row->flags, flags));
	emit_waker(e, s, row->waker);
	emit_stack(e, s, row->stack);
	if (emitter__format(e) == FORMAT_TEXT)
		return;
	emit_number(e, "low", 12, row->low);
	emit_number(e, "high", 12, row->high);
	emit_seen(e, "begun_ns", row->time_ns);
	emit_seen(e, "call_ns", row->call_ns);
}

static void emit_loss(struct emitter *e, const struct source *s, const struct loss_row *row)
{
	emit_time(e, s, "from_s", row->from_ns);
	emit_time(e, s, "to_s", row->to_ns);
	emit_text(e, "class", 12, loss_class_name(row->class));
	emit_number(e, "count", 10, row->count);
}

static void emit_header(struct emitter *e, const struct source *s, enum row_kind kind)
{
	emitter__begin(e, true);
	if (s->host)
		emit_name(e, "host", 12, s->host);
	switch (kind) {
	case ROW_IO:
		emit_io(e, s, &(struct io_row){0});
		break;
	case ROW_CACHE:
		emit_cache(e, s, &(struct cache_row){0});
		break;
	case ROW_TICK:
		emit_tick(e, s, &(struct tick_row){0});
		break;
	case ROW_HIST:
		emit_hist(e, s, &(struct hist_row){0});
		break;
	case ROW_LOSS:
		emit_loss(e, s, &(struct loss_row){0});
		break;
	case ROW_ACCESS:
		emit_access(e, s, &(struct access_row){0});
		break;
	case ROW_WAIT:
		emit_wait(e, s, &(struct wait_row){0});
		break;
	case ROW_KIND_COUNT:
		break;
	}
	emitter__end(e);
}

static void emit_row(struct emitter *e, const struct source *s, enum row_kind kind, const void *row)
{
	emitter__begin(e, false);
	if (s->host)
		emit_name(e, "host", 12, s->host);
	switch (kind) {
	case ROW_IO:
		emit_io(e, s, row);
		break;
	case ROW_CACHE:
		emit_cache(e, s, row);
		break;
	case ROW_TICK:
		emit_tick(e, s, row);
		break;
	case ROW_HIST:
		emit_hist(e, s, row);
		break;
	case ROW_LOSS:
		emit_loss(e, s, row);
		break;
	case ROW_ACCESS:
		emit_access(e, s, row);
		break;
	case ROW_WAIT:
		emit_wait(e, s, row);
		break;
	case ROW_KIND_COUNT:
		break;
	}
	emitter__end(e);
}

static bool has_layers(const struct trace_stream *stream)
{
	const struct trace_tier *tier;

	for (unsigned int i = 0; i < trace_stream__sources(stream); i++)
		for (uint32_t at = 0;
		     (tier = trace_reader__tier(trace_stream__reader(stream, i), at)); at++)
			if (!strcmp(tier->figure, TRACE_TIER_LINKS))
				return true;
	return false;
}

int row_dump(FILE *out, struct trace_stream *stream, enum row_kind kind, enum row_format format)
{
	struct source source = {trace_stream__reader(stream, 0), trace_stream__start_ns(stream),
				trace_stream__sources(stream) > 1 ? "" : NULL, has_layers(stream)};
	struct emitter *e = emitter__new(out, format);
	struct trace_stream_row row;
	union trace_row shifted;
	uint32_t unflushed = 0;
	int failed = 0, more = 0;

	if (!e)
		return -ENOMEM;
	emit_header(e, &source, kind);
	while (!failed && (more = trace_stream__next(stream, &row)) == 1) {
		source.reader = row.reader;
		if (source.host)
			source.host = trace_reader__host(row.reader)->hostname;
		emit_row(e, &source, kind, trace_stream__shifted(stream, &row, &shifted));
		if (++unflushed == TRACE_BLOCK_ROWS_MAX) {
			failed = emitter__flush(e);
			unflushed = 0;
		}
	}
	if (!failed)
		failed = emitter__flush(e);
	emitter__free(e);
	return failed ? failed : more;
}
