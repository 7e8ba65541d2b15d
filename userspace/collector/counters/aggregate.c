// SPDX-License-Identifier: MIT
#include "collector/counters/aggregate.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/units.h"
#include "collector/counters/aggregate_rows.h"
#include "collector/rows/cache_account.h"
#include "collector/kernel/capabilities.h"
#include "collector/counters/live.h"
#include "collector/counters/live_total.h"
#include "collector/privileges/privileges.h"
#include "collector/probes/probes.h"
#include "collector/recording/head.h"
#include "collector/recording/scope.h"
#include "trace/file/trace_kind.h"

#define LOOK_NS (50 * NSEC_PER_MSEC) /* how often to look whether a disk was replaced */

struct aggregate {
	char path[TRACE_PATH_MAX];
	uint64_t interval_ns, sample_ns, start_ns;
	unsigned int samples_per_interval;
	struct live *live;
	struct live_sample part, total;
	/* NULL without --cache. */
	struct probes *cache_probes;
	struct cache_account *account;
	uint64_t lost_names, lost_pages;
	uint64_t lost;
	struct trace_writer *writer;
	struct registry *registry;
	pthread_t thread;
	bool thread_runs;
	int error; /* of the thread; read after it was joined */
	int stop_fd, failure_fd;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

static int on_record(void *context, void *data, size_t bytes)
{
	struct aggregate *a = context;
	const uint8_t *type = data;

	if (bytes != sizeof(struct file_event) || *type != EVENT_FILE)
		return -EPROTO;
	registry__name_file(a->registry, data);
	return 0;
}

static const struct probes_receiver receiver = {.record = on_record};

static int append_loss(struct aggregate *a, enum loss_class class, uint64_t count)
{
	struct loss_row row = {.from_ns = a->part.time_ns - a->part.interval_ns,
			       .to_ns = a->part.time_ns,
			       .count = count,
			       .class = class};

	a->lost += count;
	return count ? trace_writer__append_loss(a->writer, &row) : 0;
}

static int append_losses(struct aggregate *a)
{
	uint64_t losses[LOSS_CLASS_COUNT] = {0};
	int err;

	if (a->cache_probes)
		probes__losses(a->cache_probes, losses);
	err = append_loss(a, LOSS_RECURSION, a->part.lost.probe_calls + a->part.lost.unreported);
	if (!err)
		err = append_loss(a, LOSS_NAMES, losses[LOSS_NAMES] - a->lost_names);
	if (!err)
		err = append_loss(a, LOSS_CACHE_TABLE, losses[LOSS_CACHE_TABLE] - a->lost_pages);
	a->lost_names = losses[LOSS_NAMES];
	a->lost_pages = losses[LOSS_CACHE_TABLE];
	return err;
}

static int append_cache(struct aggregate *a)
{
	/* The file and process are unknown: finding them would need a probe that examines every
	 * request. */
	struct cache_row written = {.time_ns = a->part.time_ns,
				    .interval_ns = a->part.interval_ns,
				    .written_back_pages = a->part.cache.written_back_pages};
	int err;

	err = cache_account__read(a->account, a->cache_probes);
	if (!err)
		err = probes__drain(a->cache_probes, &receiver, a);
	if (!err)
		err = cache_account__write(a->account, a->cache_probes, a->registry, a->writer,
					   a->part.time_ns, a->part.interval_ns);
	if (!err && written.written_back_pages)
		err = trace_writer__append_cache(a->writer, &written);
	return err;
}

/* Ends an interval: appends its rows and flushes the file. */
static int write_interval(struct aggregate *a)
{
	int err;

	err = aggregate_rows__append(a->writer, a->registry, &a->part);
	if (!err && a->account)
		err = append_cache(a);
	if (!err)
		err = append_losses(a);
	if (!err)
		err = trace_writer__flush(a->writer);
	live_total__release(&a->part);
	return err;
}

/* -ENODEV: devices were named, and none of them is there any more. */
static int notice_changes(const struct live_sample *sample)
{
	unsigned int named = 0, there = 0;

	for (unsigned int i = 0; i < sample->device_count; i++) {
		const struct live_device *device = &sample->devices[i];

		named += device->named;
		there += device->named && device->there;
		if (device->named && device->change >= LIVE_VANISHED)
			pr_warn("%s %s: it is not recorded any more", device->name,
				device->change == LIVE_REPLACED ? "is another disk now"
								: "has disappeared");
	}
	return named && !there ? -ENODEV : 0;
}

static int take_sample(struct aggregate *a)
{
	struct live_sample sample;
	int err;

	err = live__sample(a->live, &sample);
	if (!err)
		err = live_total__add(&a->part, &sample);
	if (!err)
		err = live_total__add(&a->total, &sample);
	if (!err && a->cache_probes)
		err = probes__drain(a->cache_probes, &receiver, a);
	return err ? err : notice_changes(&sample);
}

/* 1: the recording is to end. A sample is taken at once when a disk is replaced. */
static int wait_until(struct aggregate *a, uint64_t due_ns)
{
	struct pollfd fd = {.fd = a->stop_fd, .events = POLLIN};
	uint64_t at_ns;
	int err = 0;

	while (!err) {
		uint64_t wait_ns;
		struct timespec wait;

		at_ns = now_ns();
		wait_ns = due_ns > at_ns ? due_ns - at_ns : 0;
		if (wait_ns > LOOK_NS)
			wait_ns = LOOK_NS;
		wait = (struct timespec){0, (long)wait_ns};
		if (ppoll(&fd, 1, &wait, NULL) > 0)
			return 1;
		if (now_ns() >= due_ns)
			return 0;
		if (!live__disks_hold(a->live))
			err = take_sample(a);
	}
	return err;
}

/* Samples on an absolute schedule: a late sample does not delay later ones. */
static void *aggregate_thread(void *context)
{
	struct aggregate *a = context;
	uint64_t one = 1;
	int err = 0;

	for (uint64_t samples = 1; !err; samples++) {
		err = wait_until(a, a->start_ns + samples * a->sample_ns);
		if (err == 1)
			return NULL;
		if (!err)
			err = take_sample(a);
		if (!err && samples % a->samples_per_interval == 0)
			err = write_interval(a);
	}
	a->error = err;
	if (err && write(a->failure_fd, &one, sizeof(one)) != sizeof(one))
		pr_err("cannot signal the end of the recording: %s", strerror(errno));
	return NULL;
}

static int load_cache_probes(struct aggregate *a, const struct recording_options *options,
			     char message[COLLECTOR_MESSAGE_MAX])
{
	struct recording_scope scope;
	struct probes_options probes = {
		.devices = scope.devices, .parts = PROBE_CACHE, .ring_bytes = options->ring_bytes};
	int err = recording_scope__choose(options, &scope, message);

	probes.device_count = scope.device_count;
	if (!err)
		err = probes__load(&probes, &a->cache_probes, message);
	if (!err)
		err = cache_account__create(&a->account);
	return err ? err : probes__attach(a->cache_probes, message);
}

static int write_head(struct aggregate *a, const struct recording_head *head)
{
	const struct row_tables tables = registry__tables_of(a->writer);
	int err = recording_head__add_tiers(head, a->writer);

	if (!err)
		err = aggregate_rows__add_tiers(a->writer, live__quality(a->live));
	if (!err)
		err = registry__create(&tables, &a->registry);
	return err ? err : trace_writer__flush(a->writer);
}

static int create_output(struct aggregate *a, const struct recording_options *options,
			 char message[COLLECTOR_MESSAGE_MAX])
{
	unsigned int parts = PROBE_REQUESTS | PROBE_LIFE | (options->cache ? PROBE_CACHE : 0);
	struct trace_writer_options writer = {.zstd_level = options->zstd_level,
					      .resolution_ns = options->resolution_ns,
					      .anonymizer = options->anonymizer};
	struct recording_head *head;
	struct trace_host host;
	int err;

	err = recording_head__create(options, parts, &head);
	if (err)
		return err;
	recording_head__host(head, &host);
	a->start_ns = host.start_ns;
	err = trace_writer__create(a->path, &host, &writer, &a->writer);
	if (err)
		output_file__explain(a->path, &trace_kind, err, message, COLLECTOR_MESSAGE_MAX);
	else
		err = write_head(a, head);
	recording_head__free(head);
	return err;
}

static int is_readable(void *context)
{
	struct aggregate *a = context;
	int err = live__is_readable(a->live);

	return err || !a->cache_probes ? err : probes__are_readable(a->cache_probes);
}

/* The output is created last: a recording that cannot start must not replace an earlier trace. */
static int begin(struct aggregate *a, const struct recording_options *options,
		 char message[COLLECTOR_MESSAGE_MAX])
{
	struct live_options live = {.devices = options->devices,
				    .device_count = options->device_count,
				    .only_these_disks = true,
				    .written_back = options->cache,
				    .sizes = true};
	const struct live_missing *missing;
	unsigned int count;
	int err;

	a->stop_fd = eventfd(0, EFD_CLOEXEC);
	a->failure_fd = eventfd(0, EFD_CLOEXEC);
	if (a->stop_fd < 0 || a->failure_fd < 0)
		return -errno;
	err = live__create(&live, &a->live, message);
	if (!err && live__probes_error(a->live)) {
		missing = live__missing(a->live, &count);
		snprintf(message, COLLECTOR_MESSAGE_MAX, "%s",
			 count ? missing[0].why : "no probes");
		err = live__probes_error(a->live);
	}
	if (!err && options->cache)
		err = load_cache_probes(a, options, message);
	/* Before any thread is created, because capabilities belong to threads. */
	if (!err && options->privileges)
		err = privileges__give_up(options->privileges, a->path, is_readable, a);
	if (!err)
		err = create_output(a, options, message);
	if (!err && options->privileges)
		err = privileges__give_up_rest(options->privileges, is_readable, a);
	if (!err && a->cache_probes)
		probes__resume(a->cache_probes);
	if (!err)
		err = -pthread_create(&a->thread, NULL, aggregate_thread, a);
	a->thread_runs = !err;
	return err;
}

static void release(struct aggregate *a)
{
	live__free(a->live);
	live_total__release(&a->part);
	live_total__release(&a->total);
	probes__free(a->cache_probes);
	cache_account__free(a->account);
	registry__free(a->registry);
	if (a->stop_fd >= 0)
		close(a->stop_fd);
	if (a->failure_fd >= 0)
		close(a->failure_fd);
	free(a);
}

int aggregate__start(const char *path, const struct recording_options *options,
		     uint64_t interval_ns, struct aggregate **aggregate,
		     char message[COLLECTOR_MESSAGE_MAX])
{
	struct aggregate *a = calloc(1, sizeof(*a));
	int err;

	message[0] = '\0';
	if (!a)
		return -ENOMEM;
	a->stop_fd = a->failure_fd = -1;
	snprintf(a->path, sizeof(a->path), "%s", path);
	a->interval_ns = interval_ns;
	a->samples_per_interval =
		(unsigned int)((interval_ns + LIVE_INTERVAL_MAX_NS - 1) / LIVE_INTERVAL_MAX_NS);
	a->sample_ns = interval_ns / a->samples_per_interval;
	err = begin(a, options, message);
	if (!err) {
		*aggregate = a;
		return 0;
	}
	if (!message[0])
		snprintf(message, COLLECTOR_MESSAGE_MAX, "cannot record: %s", strerror(-err));
	if (a->writer)
		trace_writer__discard(a->writer, path);
	release(a);
	return err;
}

int aggregate__failure_fd(const struct aggregate *a)
{
	return a->failure_fd;
}

static void fill_totals(const struct aggregate *a, struct recording_totals *totals)
{
	memset(totals, 0, sizeof(*totals));
	for (unsigned int i = 0; i < a->total.device_count; i++) {
		const struct live_device *device = &a->total.devices[i];

		for (int op = 0; op < TICK_OP_COUNT; op++)
			totals->io_rows += device->kernel.ios[op];
		totals->in_flight_at_end += device->probes.in_flight;
	}
	totals->lost = a->lost;
	totals->file_bytes = trace_writer__bytes(a->writer);
}

int aggregate__stop(struct aggregate *a, int command_status, struct recording_totals *totals,
		    char message[COLLECTOR_MESSAGE_MAX])
{
	struct trace_summary summary = {.command_status = command_status};
	uint64_t one = 1, bytes;
	struct stat file;
	int err, close_err;
	bool gone;

	message[0] = '\0';
	if (a->thread_runs && write(a->stop_fd, &one, sizeof(one)) == sizeof(one))
		pthread_join(a->thread, NULL);
	err = a->error;
	if (!err)
		err = take_sample(a);
	summary.stop_ns = now_ns();
	summary.stop_wall_ns = clock_wall_ns(summary.stop_ns);
	gone = err == -ENODEV;
	if (!err || gone)
		err = write_interval(a);
	fill_totals(a, totals);
	totals->duration_ns = summary.stop_ns - a->start_ns;
	summary.in_flight_at_end = totals->in_flight_at_end;
	if (a->cache_probes)
		summary.readahead_unknown_pages = probes__unread_pages(a->cache_probes) *
						  (uint64_t)sysconf(_SC_PAGESIZE) / PAGE_BYTES;
	bytes = totals->file_bytes;
	close_err = trace_writer__close(a->writer, err ? NULL : &summary);
	if (!close_err && !stat(a->path, &file))
		totals->file_bytes = (uint64_t)file.st_size;
	err = err ? err : close_err;
	if (!err && gone) {
		err = -ENODEV;
		snprintf(message, COLLECTOR_MESSAGE_MAX, RECORDING_NO_DEVICE_LEFT);
	} else if (err)
		snprintf(
			message, COLLECTOR_MESSAGE_MAX,
			"the recording ended early: cannot write %s: %s; the part written before is complete and readable (up to %llu bytes)",
			a->path, strerror(-err), (unsigned long long)bytes);
	release(a);
	return err;
}
