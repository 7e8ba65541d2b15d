// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "collector/probes/in_flight_snapshot.h"
#include "collector/recording/internal.h"
#include "collector/rows/translate.h"
#include "trace/file/trace_kind.h"

#define IN_FLIGHT_CHECK_NS   (NSEC_PER_SEC / 4)
#define IN_FLIGHT_CHECKS_MAX 16384u

/* Named devices are in the tables even when nothing happens on them. */
static int list_devices(struct recording *r)
{
	for (unsigned int i = 0; i < r->watched.count; i++) {
		const struct device_choice *choice = &r->watched.devices[i].choice;

		if (!registry__device(r->registry, choice->major << 20 | choice->minor))
			return -ENOMEM;
	}
	return 0;
}

static int create_only_file(struct recording *r, const struct trace_host *host,
			    const struct trace_writer_options *options,
			    char message[COLLECTOR_MESSAGE_MAX])
{
	int err = trace_writer__create(r->path, host, options, &r->writer);

	if (err)
		output_file__explain(r->path, &trace_kind, err, message, COLLECTOR_MESSAGE_MAX);
	return err ? err : recording_head__add_tiers(r->head, r->writer);
}

static int create_first_of_several(struct recording *r, const struct recording_options *options,
				   const struct trace_host *host,
				   const struct trace_writer_options *writer,
				   char message[COLLECTOR_MESSAGE_MAX])
{
	int err;

	err = rotation__create(r->path, options->rotation, r->head, writer, &r->rotation, message);
	if (err)
		return err;
	err = rotation__next(r->rotation, host, &r->writer);
	if (err)
		snprintf(message, COLLECTOR_MESSAGE_MAX, "cannot create the first file of %s: %s",
			 r->path, strerror(-err));
	else
		snprintf(r->path, sizeof(r->path), "%s", rotation__path(r->rotation));
	return err;
}

int recording_parts__begin(struct recording *r, const struct recording_options *options,
			   struct trace_host *host, char message[COLLECTOR_MESSAGE_MAX])
{
	struct trace_writer_options writer = {.fast = true,
					      .zstd_level = options->zstd_level,
					      .resolution_ns = host->resolution_ns,
					      .anonymizer = options->anonymizer};
	struct row_tables tables;
	int err;

	if (options->rotation) {
		err = create_first_of_several(r, options, host, &writer, message);
	} else if (options->flight) {
		err = flight_recorder__create(r->path, options->flight, r->head, &writer,
					      &r->flight, message);
		if (!err)
			err = flight_recorder__next_segment(r->flight, host, &r->writer);
	} else {
		err = create_only_file(r, host, &writer, message);
	}
	tables = registry__tables_of(r->writer);
	if (!err)
		err = registry__create(&tables, &r->registry);
	if (!err)
		err = list_devices(r);
	return err ? err : trace_writer__flush(r->writer);
}

/* Directs rows to another trace. */
static int change_writer(struct recording *r, struct trace_writer *writer)
{
	const struct row_tables tables = registry__tables_of(writer);

	r->writer = writer;
	if (!r->flight)
		trace_writer__use_threads(writer);
	registry__begin_trace(r->registry, &tables);
	if (r->waits)
		wait_rows__begin_trace(r->waits);
	return list_devices(r);
}

static int note_request(struct io_event *event, void *context)
{
	return in_flight_snapshot__note(event, context);
}

/* Samples the counters and appends every row up to that time: the state at which a part can end.
 * `requests` receives those in flight at that time; NULL: no file ends here. */
static int catch_up(struct recording *r, struct in_flight_snapshot *requests)
{
	uint64_t now_ns = 0;
	int err = recording_rows__sample(r, &now_ns);

	if (!err && requests) {
		requests->at_ns = now_ns;
		err = probes__each_request(r->probes, note_request, requests);
	}
	if (!err || err == -ELOOP)
		err = recording_rows__drain_until(r, now_ns);
	if (!err && requests)
		io_order__each_held(r->order, in_flight_snapshot__note, requests);
	if (err)
		return err;
	return recording_rows__flush(r, now_ns, requests ? WAITS_UNTIL_SEAM : WAITS_UNTIL_TICK);
}

/* The same, and fills the summary for that time. */
static int summarize(struct recording *r, struct trace_summary *summary)
{
	struct in_flight_snapshot requests = {0};
	int err = catch_up(r, &requests);

	*summary = (struct trace_summary){
		.stop_ns = requests.at_ns,
		.stop_wall_ns = clock_wall_ns(requests.at_ns),
		.in_flight_at_end = in_flight_snapshot__count(&requests),
		.started_before = r->started_before,
		.readahead_unknown_pages = cache_account__unread_pages(r->account),
		.command_status = -1,
	};
	recording_rows__cache_size(r, summary);
	in_flight_snapshot__release(&requests);
	return err;
}

static void fill_rotated(const struct recording *r, struct rotated_file *file)
{
	file->writer = r->writer;
	file->lost = r->part_lost;
	snprintf(file->path, sizeof(file->path), "%s", r->path);
}

static int begin_next_file(struct recording *r, struct trace_writer *next)
{
	struct rotated_file file = {.start_ns = r->part_start_ns};
	int err;

	err = summarize(r, &file.summary);
	if (err) {
		trace_writer__discard(next, rotation__path(r->rotation));
		return err;
	}
	fill_rotated(r, &file);
	r->earlier_io_rows += trace_writer__io_rows(r->writer);
	r->part_from_ns = file.summary.stop_ns;
	r->part_start_ns = rotation__start_ns(r->rotation);
	r->started_before = r->part_lost = 0;
	snprintf(r->path, sizeof(r->path), "%s", rotation__path(r->rotation));
	err = change_writer(r, next);
	return rotation__close(r->rotation, &file) ? -ENOMEM : err;
}

static int rotate(struct recording *r, uint64_t now_ns, bool *sampled)
{
	struct trace_writer *next;
	struct trace_host host;
	int err;

	if (!rotation__is_due(r->rotation, now_ns, trace_writer__rows(r->writer),
			      trace_writer__bytes(r->writer)))
		return 0;
	recording_head__host(r->head, &host);
	err = rotation__next(r->rotation, &host, &next);
	if (err) {
		rotation__postpone(r->rotation, now_ns, err);
		return 0;
	}
	*sampled = true;
	return begin_next_file(r, next);
}

static int begin_next_segment(struct recording *r, uint64_t from_ns)
{
	struct trace_writer *next;
	struct trace_host host;
	int err;

	recording_head__host(r->head, &host);
	host.start_wall_ns -= host.start_ns - from_ns;
	host.start_ns = from_ns;
	err = flight_recorder__next_segment(r->flight, &host, &next);
	return err ? err : change_writer(r, next);
}

struct in_flight_check {
	struct recording *recording;
	uint64_t now_ns;
	unsigned int left; /* checks that may still be made */
	/* Whether the kernel has any request in flight on the device that was checked last. */
	uint32_t device;
	bool is_busy;
};

static int check_in_flight(struct io_event *event, void *context)
{
	struct in_flight_check *check = context;
	struct io_row row;

	/* A request whose end the kernel did not report would seem to be in flight for ever. */
	if (event->device != check->device) {
		check->device = event->device;
		check->is_busy = devices__in_flight(event->device >> 20, event->device & 0xfffff);
	}
	if (check->is_busy) {
		translate__io(event, check->recording->active_ns, &row);
		flight_recorder__in_flight(check->recording->flight, &row, check->now_ns);
	}
	return check->left-- ? 0 : -ELOOP;
}

/* The table changes while it is walked, so a request can occur twice; the check tolerates that. */
static int check_stuck(struct recording *r, uint64_t now_ns)
{
	struct in_flight_check check = {
		.recording = r, .now_ns = now_ns, .left = IN_FLIGHT_CHECKS_MAX};
	int err = 0;

	if (flight_recorder__asks_in_flight(r->flight) && now_ns >= r->next_in_flight_check_ns) {
		r->next_in_flight_check_ns = now_ns + IN_FLIGHT_CHECK_NS;
		err = probes__each_request(r->probes, check_in_flight, &check);
	}
	return err == -ELOOP ? 0 : err;
}

static int run_flight_recorder(struct recording *r, uint64_t now_ns, bool *sampled)
{
	struct trace_summary summary;
	int err = check_stuck(r, now_ns);

	if (err)
		return err;
	if (flight_recorder__dump_is_due(r->flight, now_ns)) {
		*sampled = true;
		err = summarize(r, &summary);
		if (!err)
			err = flight_recorder__dump(r->flight, &summary);
	}
	if (err || !flight_recorder__segment_is_due(r->flight, now_ns))
		return err;
	if (!*sampled)
		err = catch_up(r, NULL);
	*sampled = true;
	return err ? err : begin_next_segment(r, r->last_tick_ns);
}

int recording_parts__advance(struct recording *r, bool *sampled)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	*sampled = false;
	if (r->rotation)
		return rotate(r, now_ns, sampled);
	return r->flight ? run_flight_recorder(r, now_ns, sampled) : 0;
}

int recording_parts__finish(struct recording *r, const struct trace_summary *summary, bool failed)
{
	struct rotated_file file = {.start_ns = r->part_start_ns, .summary = *summary};
	int err;

	if (r->flight)
		return flight_recorder__finish(r->flight, summary);
	if (!r->rotation || failed)
		return trace_writer__close(r->writer, failed ? NULL : summary);
	fill_rotated(r, &file);
	err = rotation__close(r->rotation, &file);
	return err ? err : rotation__finish(r->rotation);
}
