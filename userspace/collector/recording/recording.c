// SPDX-License-Identifier: MIT
#include "collector/recording/recording.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/units.h"
#include "collector/kernel/capabilities.h"
#include "collector/privileges/privileges.h"
#include "collector/recording/internal.h"
#include "trace/file/trace_kind.h"

#define DRAIN_INTERVAL_MS 20
#define TICK_INTERVAL_NS  NSEC_PER_SEC

/* Samples and flushes once a second, and when a file or segment ends: a killed recorder loses no
 * more than that. */
static int run_round(struct recording *r)
{
	bool sampled = false;
	uint64_t now_ns;
	int err;

	err = recording_rows__drain(r, DRAIN_INTERVAL_MS);
	if (!err)
		err = watched_devices__notice_replaced(&r->watched);
	if (!err)
		err = recording_parts__advance(r, &sampled);
	now_ns = clock_ns(CLOCK_MONOTONIC);
	if (err || (!sampled && now_ns - r->last_tick_ns < TICK_INTERVAL_NS))
		return err;
	if (!sampled) {
		err = recording_rows__sample(r, &now_ns);
		if (!err)
			err = recording_rows__flush(r, now_ns, WAITS_UNTIL_TICK);
	}
	if (!r->watched.count)
		r->replaced_disks += registry__forget_replaced(r->registry);
	return err ? err : watched_devices__notice_vanished(&r->watched);
}

/* ", 12s left" */
static const char *time_left(const struct recording *r, char text[UNITS_TEXT_MAX])
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC), end_ns = r->start_ns + r->duration_ns;
	char left[UNITS_TEXT_MAX];

	text[0] = '\0';
	if (r->duration_ns && end_ns > now_ns)
		snprintf(text, UNITS_TEXT_MAX, ", %.20s left",
			 progress_left_text(end_ns - now_ns, left));
	return text;
}

static void show_progress(const struct recording *r)
{
	char bytes[UNITS_TEXT_MAX], count[UNITS_TEXT_MAX], left[UNITS_TEXT_MAX];

	if (r->flight)
		progress("recording: %s IOs in %s of memory%s",
			 units_count(flight_recorder__io_rows(r->flight), count),
			 units_bytes(flight_recorder__bytes(r->flight), bytes), time_left(r, left));
	else
		progress("recording: %s IOs, %s%s",
			 units_count(trace_writer__io_rows(r->writer), count),
			 units_bytes(trace_writer__bytes(r->writer), bytes), time_left(r, left));
}

static void *recording_thread(void *context)
{
	struct recording *r = context;
	uint64_t one = 1;
	int err = 0;

	while (!err && !atomic_load(&r->stop)) {
		err = run_round(r);
		show_progress(r);
	}
	progress_end();
	r->error = err;
	if (err) {
		/* Nobody reads the rings any more: stop filling them. */
		probes__detach(r->probes);
		if (write(r->failure_fd, &one, sizeof(one)) != sizeof(one))
			pr_err("cannot signal the end of the recording: %s", strerror(errno));
	}
	return NULL;
}

static int load_probes(struct recording *r, const struct recording_options *options,
		       char message[COLLECTOR_MESSAGE_MAX])
{
	struct device_choice choices[WATCHED_DEVICES_MAX];
	struct probes_options probes = {
		.devices = choices,
		.device_count = r->watched.count,
		.ops = options->ops,
		.parts = r->watched.parts,
		.watch_below = options->stack && r->watched.count,
		.pid = options->pid,
		.ring_bytes = options->ring_bytes,
	};
	int err = 0;

	for (unsigned int i = 0; i < r->watched.count; i++)
		choices[i] = r->watched.devices[i].choice;
	if (options->pid)
		err = recording_scope__process(options->pid, message);
	if (!err && options->cgroup_path)
		err = recording_scope__cgroup(options->cgroup_path, &probes.cgroup_id, message);
	if (!err)
		err = probes__load(&probes, &r->probes, message);
	return err;
}

static void release(struct recording *r)
{
	flight_recorder__free(r->flight);
	rotation__free(r->rotation);
	recording_head__free(r->head);
	probes__free(r->probes);
	registry__free(r->registry);
	cache_account__free(r->account);
	diskstats__free(r->diskstats);
	io_order__free(r->order);
	depth_meter__free(r->depth);
	kernel_count__free(r->kernel_count);
	bios__free(r->bios);
	accesses__free(r->accesses);
	watched_devices__release(&r->watched);
	wait_rows__free(r->waits);
	held_waits__free(&r->held_waits);
	cache_size__free(r->cache_size);
	if (r->failure_fd >= 0)
		close(r->failure_fd);
	free(r);
}

static int prepare(struct recording *r, const struct recording_options *options,
		   char message[COLLECTOR_MESSAGE_MAX])
{
	int err;

	err = watched_devices__choose(&r->watched, options, message);
	if (!err)
		err = load_probes(r, options, message);
	if (!err)
		err = recording_head__create(options, r->watched.parts, &r->head);
	if (!err)
		err = cache_account__create(&r->account);
	if (!err)
		err = diskstats__create(&r->diskstats);
	if (!err)
		err = io_order__create(&r->order);
	if (!err)
		err = depth_meter__create(&r->depth);
	if (!err && options->lean && !options->ops && !options->pid && !options->cgroup_path)
		err = kernel_count__create(&r->kernel_count);
	if (!err)
		err = bios__create(r->watched.parts & PROBE_LINKS, &r->bios);
	if (!err)
		err = accesses__create(&r->accesses);
	if (!err && r->watched.parts & PROBE_WAITS)
		err = wait_rows__create(r->probes, &r->waits);
	r->failure_fd = err ? -1 : eventfd(0, EFD_CLOEXEC);
	if (!err && r->failure_fd < 0)
		err = -errno;
	return err;
}

static int create_files(struct recording *r, const struct recording_options *options,
			struct trace_host *host, char message[COLLECTOR_MESSAGE_MAX])
{
	struct borrowed_files borrowed = {0};
	int err = options->owner ? privileges__borrow_files(options->owner, &borrowed) : 0;

	if (err) {
		snprintf(message, COLLECTOR_MESSAGE_MAX, "cannot create files as user %s: %s",
			 options->owner->user, strerror(-err));
		return err;
	}
	err = recording_parts__begin(r, options, host, message);
	privileges__return_files(&borrowed);
	return err;
}

/* The output is created last: a recording that cannot start must not replace an earlier trace. */
static int begin(struct recording *r, const struct recording_options *options,
		 char message[COLLECTOR_MESSAGE_MAX])
{
	struct trace_host host;
	int err;

	recording_head__host(r->head, &host);
	r->start_ns = r->part_start_ns = r->last_tick_ns = host.start_ns;
	err = probes__attach(r->probes, message);
	/* Before any thread is created, because capabilities belong to threads. */
	if (!err && options->privileges)
		err = privileges__give_up(options->privileges, r->path, probes__are_readable,
					  r->probes);
	if (!err)
		err = create_files(r, options, &host, message);
	if (!err && options->privileges)
		err = privileges__give_up_rest(options->privileges, probes__are_readable,
					       r->probes);
	if (!err && r->cache)
		err = cache_size__create(options->cgroup_path, options->pid, &r->cache_size);
	probes__resume(r->probes);
	/* A file of the flight recorder is written in one go. */
	if (!err && !r->flight)
		trace_writer__use_threads(r->writer);
	memcpy(r->first_path, r->path, sizeof(r->first_path));
	/* The first sample only stores the counters. */
	if (!err)
		err = recording_rows__sample(r, &r->active_ns);
	if (!err)
		err = -pthread_create(&r->thread, NULL, recording_thread, r);
	r->thread_runs = !err;
	return err;
}

int recording__start(const char *path, const struct recording_options *options,
		     struct recording **recording, char message[COLLECTOR_MESSAGE_MAX])
{
	struct recording *r = calloc(1, sizeof(*r));
	int err;

	message[0] = '\0';
	if (!r)
		return -ENOMEM;
	if (strlen(path) >= sizeof(r->path)) {
		free(r);
		snprintf(message, COLLECTOR_MESSAGE_MAX,
			 "the name of the output is too long: choose a shorter one");
		return -ENAMETOOLONG;
	}
	r->failure_fd = -1;
	r->cache = options->cache || options->accesses;
	r->stop_ns = UINT64_MAX;
	r->duration_ns = options->duration_ns;
	snprintf(r->path, sizeof(r->path), "%s", path);
	err = prepare(r, options, message);
	if (!err)
		err = begin(r, options, message);
	if (!err) {
		*recording = r;
		return 0;
	}
	if (!message[0])
		snprintf(message, COLLECTOR_MESSAGE_MAX, "cannot record: %s", strerror(-err));
	/* The ring owns the writer of a segment. */
	if (r->writer && !r->flight)
		trace_writer__discard(r->writer, r->path);
	release(r);
	return err;
}

int recording__failure_fd(const struct recording *r)
{
	return r->failure_fd;
}

const char *recording__first_path(const struct recording *r)
{
	return r->first_path;
}

void recording__ask_for_file(struct recording *r)
{
	if (r->flight)
		flight_recorder__ask(r->flight);
	if (r->rotation)
		rotation__ask(r->rotation);
}

static void describe_failure(const struct recording *r, int err, uint64_t rows, uint64_t bytes,
			     char message[COLLECTOR_MESSAGE_MAX])
{
	char count[UNITS_TEXT_MAX], size[UNITS_TEXT_MAX];

	if (err == -ENODEV)
		snprintf(
			message, COLLECTOR_MESSAGE_MAX,
			"the recording ended early: none of its devices is there any more; the part recorded before is complete and readable");
	else
		snprintf(
			message, COLLECTOR_MESSAGE_MAX,
			"the recording ended early: cannot write %s: %s; the part written before is complete and readable (up to %s IOs, %s)",
			r->path, strerror(-err), units_count(rows, count),
			units_bytes(bytes, size));
}

static void fill_totals(const struct recording *r, const struct trace_summary *summary,
			struct recording_totals *totals)
{
	*totals = (struct recording_totals){
		.io_rows = r->earlier_io_rows + trace_writer__io_rows(r->writer),
		.access_rows = r->access_rows,
		.wait_rows = r->waits ? wait_rows__rows(r->waits) : 0,
		.duration_ns = summary->stop_ns - r->start_ns,
		.in_flight_at_end = summary->in_flight_at_end,
		.file_bytes = trace_writer__bytes(r->writer),
		.unlinked = probes__bio_counts(r->probes).unlinked,
		.files = r->rotation ? rotation__files(r->rotation) : 0,
	};
	for (unsigned int i = 0; i < LOSS_CLASS_COUNT; i++)
		totals->lost += r->lost[i];
}

int recording__stop(struct recording *r, int command_status, struct recording_totals *totals,
		    char message[COLLECTOR_MESSAGE_MAX])
{
	struct trace_summary summary = {.command_status = command_status};
	bool was_logged = false;
	struct stat file;
	int err, close_err;

	message[0] = '\0';
	atomic_store(&r->stop, true);
	if (r->thread_runs)
		pthread_join(r->thread, NULL);
	err = recording_end__finish(r, &summary);
	fill_totals(r, &summary, totals);
	close_err = recording_parts__finish(r, &summary, err != 0);
	/* Closing the file added the summary and the index. */
	if (!close_err && !stat(r->path, &file))
		totals->file_bytes = (uint64_t)file.st_size;
	if (!err) {
		err = close_err;
		was_logged = close_err && (r->flight || r->rotation);
	}
	if (!err)
		err = r->error;
	if (err && !was_logged)
		describe_failure(r, err, totals->io_rows, totals->file_bytes, message);
	release(r);
	return err;
}
