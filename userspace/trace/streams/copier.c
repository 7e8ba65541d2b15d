// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "trace/streams/copier.h"
#include "trace/streams/copy_ids.h"

struct trace_copier {
	const struct trace_stream *stream;
	const struct trace_filter *filter;
	struct trace_writer *writer;
	struct copy_ids *ids;
	uint64_t start_ns, end_ns; /* UINT64_MAX: to the end */
	uint64_t last_ns;	   /* the last time seen in a row */
	uint64_t started_before;
	bool has_filter_tier;
	uint64_t rows[ROW_KIND_COUNT];
};

static uint64_t add_or_most(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Whether `name` is one of the names in `list`, separated by commas. */
static bool is_listed(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = list; *at; at += *at == ',') {
		size_t word = strcspn(at, ",");

		if (word == length && !memcmp(at, name, length))
			return true;
		at += word;
	}
	return false;
}

/* Names each host once, as long as the text has space. */
static void join_hostnames(const struct trace_stream *stream, char *text)
{
	for (unsigned int i = 1; i < trace_stream__sources(stream); i++) {
		const char *name = trace_reader__host(trace_stream__reader(stream, i))->hostname;
		size_t used = strlen(text);

		if (!*name || is_listed(text, name) || used + 1 + strlen(name) >= TRACE_TEXT_MAX)
			continue;
		snprintf(text + used, TRACE_TEXT_MAX - used, "%s%s", used ? "," : "", name);
	}
}

static const char *command_of(const struct trace_stream *stream, unsigned int source)
{
	return trace_reader__host(trace_stream__reader(stream, source))->command;
}

/* Whether a trace before `source` has the same command, or this one has none. */
static bool is_command_known(const struct trace_stream *stream, unsigned int source)
{
	const char *command = command_of(stream, source);

	for (unsigned int i = 0; i < source; i++)
		if (!strcmp(command, command_of(stream, i)))
			return true;
	return !*command;
}

/* Names each command once, and says how many do not fit. */
static void join_commands(const struct trace_stream *stream, char *text)
{
	size_t used = 0, left_out = 0;
	char more[32];

	*text = '\0';
	for (unsigned int i = 0; i < trace_stream__sources(stream); i++) {
		const char *command = command_of(stream, i);
		size_t bytes = strlen(command) + (used ? strlen("; ") : 0);

		if (is_command_known(stream, i))
			continue;
		if (used && (left_out || used + bytes >= TRACE_TEXT_MAX))
			left_out++;
		else
			used += (size_t)snprintf(text + used, TRACE_TEXT_MAX - used, "%s%s",
						 used ? "; " : "", command);
	}
	if (!left_out)
		return;
	snprintf(more, sizeof(more), " ... and %zu more", left_out);
	if (used + strlen(more) >= TRACE_TEXT_MAX)
		used = TRACE_TEXT_MAX - 1 - strlen(more);
	snprintf(text + used, TRACE_TEXT_MAX - used, "%s", more);
}

/* The mode of the replay that recorded all of them; "" for those of different origin. */
static void join_replay_modes(const struct trace_stream *stream, char *text)
{
	for (unsigned int i = 1; i < trace_stream__sources(stream); i++)
		if (strcmp(text, trace_reader__host(trace_stream__reader(stream, i))->replay_mode))
			*text = '\0';
}

static void make_host(const struct trace_stream *stream, const struct trace_filter *filter,
		      struct trace_host *host)
{
	*host = *trace_reader__host(trace_stream__reader(stream, 0));
	join_hostnames(stream, host->hostname);
	join_commands(stream, host->command);
	join_replay_modes(stream, host->replay_mode);
	for (unsigned int i = 0; i < trace_stream__sources(stream); i++) {
		const struct trace_host *of = trace_reader__host(trace_stream__reader(stream, i));

		host->anonymized &= of->anonymized;
		host->replay_generated &= of->replay_generated;
	}
	host->start_ns = add_or_most(trace_stream__start_ns(stream), filter->from_ns);
	host->start_wall_ns = trace_stream__start_wall_ns(stream);
	if (host->start_wall_ns)
		host->start_wall_ns = add_or_most(host->start_wall_ns, filter->from_ns);
}

/* The resolution of the coarsest trace. No recorder's resolution is above a second. */
static uint64_t resolution_of(const struct trace_stream *stream, uint64_t asked_ns)
{
	uint64_t resolution_ns = asked_ns;

	for (unsigned int i = 0; i < trace_stream__sources(stream); i++) {
		uint64_t own = trace_reader__host(trace_stream__reader(stream, i))->resolution_ns;

		if (own > resolution_ns && own <= NSEC_PER_SEC)
			resolution_ns = own;
	}
	return resolution_ns;
}

/* Tiers -------------------------------------------------------------------------------------- */

static unsigned int doubt_of(const struct trace_tier *tier)
{
	static const char *const qualities[] = {"exact", "bounded", "estimated"};
	unsigned int doubt = 0;

	while (doubt < sizeof(qualities) / sizeof(qualities[0]) &&
	       strcmp(qualities[doubt], tier->quality))
		doubt++;
	return doubt;
}

/* The tier of lowest quality of a figure that several traces have. */
static const struct trace_tier *worst_tier(const struct trace_stream *stream,
					   const struct trace_tier *of, bool *is_first)
{
	const struct trace_tier *worst = of, *tier;

	*is_first = true;
	for (unsigned int i = 0, after = 0; i < trace_stream__sources(stream); i++) {
		const struct trace_reader *reader = trace_stream__reader(stream, i);

		for (uint32_t at = 0; (tier = trace_reader__tier(reader, at)); at++) {
			after |= tier == of;
			if (strcmp(tier->figure, of->figure))
				continue;
			if (!after)
				*is_first = false;
			if (doubt_of(tier) > doubt_of(worst))
				worst = tier;
		}
	}
	return worst;
}

static void add_filter_text(char *how, size_t size, const char *host, const char *text)
{
	size_t used = strlen(how);

	snprintf(how + used, size - used, "%s%s%s%s", used ? "; " : "", host, *host ? ": " : "",
		 text);
}

static int add_filter_tier(struct trace_copier *c, const char *how)
{
	struct trace_tier tier = {
		.figure = TRACE_TIER_FILTER,
		.how = how,
		.quality = "exact",
		.note = "IOs that the recording or this copy left out are missing; the "
			"kernel's counters include them",
	};

	c->has_filter_tier = true;
	return trace_writer__add_tier(c->writer, &tier);
}

static bool is_tier_of(const struct trace_tier *tier, enum row_kind kind)
{
	const char *name = trace_row_name(kind);

	return !strncmp(tier->figure, name, strlen(name));
}

/* Without cache and access rows the cache is unknown, which is not the same as empty. */
static bool is_dropped(const struct trace_copier *c, const struct trace_tier *tier)
{
	return trace_filter_drops_cache(c->filter) &&
	       (is_tier_of(tier, ROW_CACHE) || is_tier_of(tier, ROW_ACCESS) ||
		is_tier_of(tier, ROW_WAIT));
}

static bool has_tier_of(const struct trace_stream *stream, enum row_kind kind)
{
	const struct trace_tier *tier;

	for (unsigned int i = 0; i < trace_stream__sources(stream); i++) {
		const struct trace_reader *reader = trace_stream__reader(stream, i);

		for (uint32_t at = 0; (tier = trace_reader__tier(reader, at)); at++)
			if (is_tier_of(tier, kind))
				return true;
	}
	return false;
}

/* What was recorded and is missing in the copy. */
static int add_left_out(struct trace_copier *c)
{
	static const enum row_kind kinds[] = {ROW_CACHE, ROW_ACCESS, ROW_WAIT};
	int err = 0;

	if (!trace_filter_drops_cache(c->filter))
		return 0;
	for (size_t i = 0; !err && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		char figure[TRACE_NAME_MAX];

		if (!has_tier_of(c->stream, kinds[i]))
			continue;
		snprintf(figure, sizeof(figure), "%s" TRACE_TIER_LEFT_OUT,
			 trace_row_name(kinds[i]));
		err = trace_writer__add_tier(
			c->writer,
			&(struct trace_tier){.figure = figure,
					     .how = "copy",
					     .quality = "unavailable",
					     .note = "these rows have no device and no operation: "
						     "the copy by device or operation lacks them"});
	}
	return err;
}

static int add_tiers(struct trace_copier *c)
{
	bool several = trace_stream__sources(c->stream) > 1, is_first;
	char how[TRACE_PATH_MAX] = "", text[TRACE_PATH_MAX];
	const struct trace_tier *tier;
	int err = 0;

	for (unsigned int i = 0; i < trace_stream__sources(c->stream); i++) {
		const struct trace_reader *reader = trace_stream__reader(c->stream, i);
		const char *host = several ? trace_reader__host(reader)->hostname : "";

		for (uint32_t at = 0; !err && (tier = trace_reader__tier(reader, at)); at++) {
			const struct trace_tier *worst = worst_tier(c->stream, tier, &is_first);

			if (!strcmp(tier->figure, TRACE_TIER_FILTER))
				add_filter_text(how, sizeof(how), host, tier->how);
			else if (is_first && !is_dropped(c, tier))
				err = trace_writer__add_tier(c->writer, worst);
		}
	}
	if (!err)
		err = add_left_out(c);
	if (trace_filter_parts_devices(c->filter))
		add_filter_text(how, sizeof(how), "",
				trace_filter_text(c->filter, text, sizeof(text)));
	return err || !*how ? err : add_filter_tier(c, how);
}

/* Rows --------------------------------------------------------------------------------------- */

/* `path`, or NULL: the file is open as `fd`, which is taken over. */
static int create(const char *path, int fd, const struct trace_stream *stream,
		  const struct trace_filter *filter, const struct trace_writer_options *options,
		  struct trace_copier **copier)
{
	struct trace_copier *c = calloc(1, sizeof(*c));
	struct trace_writer_options writer_options = *options;
	struct trace_host host;
	int err;

	if (!c)
		return -ENOMEM;
	c->stream = stream;
	c->filter = filter;
	make_host(stream, filter, &host);
	c->start_ns = host.start_ns;
	c->end_ns = add_or_most(trace_stream__start_ns(stream), filter->to_ns);
	writer_options.resolution_ns = resolution_of(stream, options->resolution_ns);
	err = path ? trace_writer__create(path, &host, &writer_options, &c->writer)
		   : trace_writer__create_on(fd, &host, &writer_options, &c->writer);
	if (err)
		goto out;
	c->ids = copy_ids__new(c->writer, stream);
	err = c->ids ? add_tiers(c) : -ENOMEM;
out:
	if (err) {
		trace_copier__abandon(c);
		return err;
	}
	*copier = c;
	return 0;
}

int trace_copier__create(const char *path, const struct trace_stream *stream,
			 const struct trace_filter *filter,
			 const struct trace_writer_options *options, struct trace_copier **copier)
{
	return create(path, -1, stream, filter, options, copier);
}

int trace_copier__create_on(int fd, const struct trace_stream *stream,
			    const struct trace_filter *filter,
			    const struct trace_writer_options *options,
			    struct trace_copier **copier)
{
	return create(NULL, fd, stream, filter, options, copier);
}

static int add_io(struct trace_copier *c, const struct trace_stream_row *from, struct io_row *row)
{
	int err = copy_ids__device(c->ids, from->source, from->reader, &row->device);

	if (!err)
		err = copy_ids__task(c->ids, from->source, from->reader, &row->task);
	if (!err)
		err = copy_ids__cgroup(c->ids, from->source, from->reader, &row->cgroup);
	if (!err)
		err = copy_ids__file(c->ids, from->source, from->reader, &row->file);
	if (c->filter->from_ns && row->created_ns && row->created_ns < c->start_ns)
		row->flags |= IO_STARTED_BEFORE;
	c->started_before += (row->flags & IO_STARTED_BEFORE) != 0;
	/* The IO above belongs to another device. */
	if (c->filter->device_count == 1)
		row->id = row->parent_id = 0;
	return err ? err : trace_writer__append_io(c->writer, row);
}

static int add_cache(struct trace_copier *c, const struct trace_stream_row *from,
		     struct cache_row *row)
{
	int err = copy_ids__cgroup(c->ids, from->source, from->reader, &row->cgroup);

	if (!err)
		err = copy_ids__file(c->ids, from->source, from->reader, &row->file);
	if (!err)
		err = copy_ids__task(c->ids, from->source, from->reader, &row->task);
	return err ? err : trace_writer__append_cache(c->writer, row);
}

static int add_tick(struct trace_copier *c, const struct trace_stream_row *from,
		    struct tick_row *row)
{
	int err = copy_ids__device(c->ids, from->source, from->reader, &row->device);

	return err ? err : trace_writer__append_tick(c->writer, row);
}

static int add_hist(struct trace_copier *c, const struct trace_stream_row *from,
		    struct hist_row *row)
{
	int err = copy_ids__device(c->ids, from->source, from->reader, &row->device);

	return err ? err : trace_writer__append_hist(c->writer, row);
}

static int add_access(struct trace_copier *c, const struct trace_stream_row *from,
		      struct access_row *row)
{
	int err = copy_ids__cgroup(c->ids, from->source, from->reader, &row->cgroup);

	if (!err)
		err = copy_ids__file(c->ids, from->source, from->reader, &row->file);
	if (!err)
		err = copy_ids__task(c->ids, from->source, from->reader, &row->task);
	return err ? err : trace_writer__append_access(c->writer, row);
}

/* Cuts an interval of a task to the time of the copy: its parts are taken to be even over it. */
static void clip_task(const struct trace_copier *c, struct wait_row *row)
{
	uint64_t from_ns = row->duration_ns < row->time_ns ? row->time_ns - row->duration_ns : 0;
	double share;

	if (from_ns < c->start_ns)
		from_ns = c->start_ns;
	if (row->time_ns > c->end_ns)
		row->time_ns = c->end_ns;
	if (from_ns > row->time_ns)
		from_ns = row->time_ns;
	if (row->time_ns - from_ns >= row->duration_ns)
		return;
	share = (double)(row->time_ns - from_ns) / (double)row->duration_ns;
	row->duration_ns = row->time_ns - from_ns;
	row->cpu_ns = (uint64_t)((double)row->cpu_ns * share);
	row->run_queue_ns = (uint64_t)((double)row->run_queue_ns * share);
	row->sleep_ns = (uint64_t)((double)row->sleep_ns * share);
}

static int add_wait(struct trace_copier *c, const struct trace_stream_row *from,
		    struct wait_row *row)
{
	int err = copy_ids__file(c->ids, from->source, from->reader, &row->file);

	if (!err)
		err = copy_ids__task(c->ids, from->source, from->reader, &row->task);
	if (!err)
		err = copy_ids__task(c->ids, from->source, from->reader, &row->waker);
	if (!err)
		err = copy_ids__stack(c->ids, from->source, from->reader, &row->stack);
	if (row->what == WAIT_TASK)
		clip_task(c, row);
	return err ? err : trace_writer__append_wait(c->writer, row);
}

int trace_copier__add(struct trace_copier *c, const struct trace_stream_row *from)
{
	union trace_row row;
	const void *shifted = trace_stream__shifted(c->stream, from, &row);
	uint64_t end_ns = row_end_ns(from->kind, shifted);

	if (from->kind >= ROW_KIND_COUNT)
		return -EINVAL;
	if (end_ns > c->last_ns)
		c->last_ns = end_ns;
	c->rows[from->kind]++;
	switch (from->kind) {
	case ROW_IO:
		row.io = *(const struct io_row *)shifted;
		return add_io(c, from, &row.io);
	case ROW_CACHE:
		row.cache = *(const struct cache_row *)shifted;
		return add_cache(c, from, &row.cache);
	case ROW_TICK:
		row.tick = *(const struct tick_row *)shifted;
		return add_tick(c, from, &row.tick);
	case ROW_HIST:
		row.hist = *(const struct hist_row *)shifted;
		return add_hist(c, from, &row.hist);
	case ROW_LOSS:
		return trace_writer__append_loss(c->writer, shifted);
	case ROW_ACCESS:
		row.access = *(const struct access_row *)shifted;
		return add_access(c, from, &row.access);
	case ROW_WAIT:
		row.wait = *(const struct wait_row *)shifted;
		return add_wait(c, from, &row.wait);
	case ROW_KIND_COUNT:
		break;
	}
	return -EINVAL;
}

/* The end ------------------------------------------------------------------------------------ */

/* The summaries count all rows: where the copy skips rows, these counts are unknown. */
static void add_summary(const struct trace_copier *c, unsigned int source,
			struct trace_summary *summary)
{
	const struct trace_reader *reader = trace_stream__reader(c->stream, source);
	const struct trace_summary *own = trace_reader__summary(reader);
	uint64_t stop_ns =
		own ? trace_stream__time_ns(c->stream, source, own->stop_ns) : c->last_ns;

	if (stop_ns > summary->stop_ns)
		summary->stop_ns = stop_ns;
	if (own && own->page_cache_bytes > summary->page_cache_bytes) {
		summary->page_cache_bytes = own->page_cache_bytes;
		summary->page_cache_free_bytes = own->page_cache_free_bytes;
		summary->page_cache_of_cgroup = own->page_cache_of_cgroup;
		summary->page_cache_mglru = own->page_cache_mglru;
	}
	if (!own || !trace_filter_is_empty(c->filter))
		return;
	summary->in_flight_at_end = add_or_most(summary->in_flight_at_end, own->in_flight_at_end);
	summary->readahead_unknown_pages =
		add_or_most(summary->readahead_unknown_pages, own->readahead_unknown_pages);
}

/* Of a whole trace: where another ends, and how the clock went up to there, is not known. */
static uint64_t stop_wall_ns(const struct trace_copier *c, const struct trace_summary *only)
{
	return c->filter->from_ns || c->filter->to_ns != UINT64_MAX ? 0 : only->stop_wall_ns;
}

static void make_summary(const struct trace_copier *c, struct trace_summary *summary)
{
	const struct trace_summary *first =
		trace_reader__summary(trace_stream__reader(c->stream, 0));
	unsigned int sources = trace_stream__sources(c->stream);

	*summary =
		(struct trace_summary){.started_before = c->started_before, .command_status = -1};
	if (sources == 1 && first) {
		summary->command_status = first->command_status;
		summary->stop_wall_ns = stop_wall_ns(c, first);
	}
	for (unsigned int i = 0; i < sources; i++)
		add_summary(c, i, summary);
	if (summary->stop_ns > c->end_ns)
		summary->stop_ns = c->end_ns;
	if (summary->stop_ns < c->start_ns)
		summary->stop_ns = c->start_ns;
}

static bool all_ended_well(const struct trace_stream *stream)
{
	for (unsigned int i = 0; i < trace_stream__sources(stream); i++)
		if (trace_reader__end(trace_stream__reader(stream, i)) != TRACE_END_CLEAN)
			return false;
	return true;
}

int trace_copier__finish(struct trace_copier *c, struct trace_copier_totals *totals)
{
	struct trace_summary summary;
	int err = 0, closed;

	/*
	 * The kernel's counters may be kept where the rows beside them were lost, or the reverse.
	 */
	if (!c->has_filter_tier && !all_ended_well(c->stream))
		err = add_filter_tier(c, "the whole blocks of a trace that was cut or damaged");
	make_summary(c, &summary);
	if (totals) {
		memcpy(totals->rows, c->rows, sizeof(totals->rows));
		totals->duration_ns = summary.stop_ns - c->start_ns;
	}
	closed = trace_writer__close(c->writer, err ? NULL : &summary);
	c->writer = NULL;
	trace_copier__abandon(c);
	return err ? err : closed;
}

void trace_copier__abandon(struct trace_copier *c)
{
	if (!c)
		return;
	trace_writer__close(c->writer, NULL);
	copy_ids__free(c->ids);
	free(c);
}
