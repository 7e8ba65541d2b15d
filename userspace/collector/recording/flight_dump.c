// SPDX-License-Identifier: MIT
#include "collector/recording/flight_dump.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/units.h"
#include "collector/host/devices.h"
#include "trace/streams/joiner.h"

/* The recorder has priority: records that it does not drain in time are lost. */
#define DUMP_NICE 10

struct flight_dumper {
	const struct recording_head *head;
	struct output_files *files;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_busy, is_ending;
	int err; /* result of the last dump */
	struct flight_dump dump;
};

static int join_segments(struct trace_joiner *joiner, struct flight_view *view)
{
	struct trace_reader *reader;
	int got, err = 0;

	while (!err && (got = flight_view__take(view, &reader))) {
		if (got < 0)
			return got;
		err = trace_joiner__add(joiner, reader);
		trace_reader__free(reader);
	}
	return err;
}

static int write_rows(struct flight_dump *dump, struct trace_writer *writer, uint64_t start_ns,
		      struct trace_joined *joined)
{
	struct trace_joiner *joiner = trace_joiner__new(writer, start_ns);
	int err, closed;

	err = joiner ? join_segments(joiner, dump->view) : -ENOMEM;
	if (joiner)
		*joined = *trace_joiner__totals(joiner);
	trace_joiner__free(joiner);
	dump->summary.started_before = joined->started_before;
	closed = trace_writer__close(writer, err ? NULL : &dump->summary);
	return err ? err : closed;
}

static void log_written(const struct flight_dump *dump, const char *path, uint64_t start_ns,
			const struct trace_joined *joined)
{
	char duration[UNITS_TEXT_MAX], bytes[UNITS_TEXT_MAX];
	struct stat file = {0};

	stat(path, &file);
	pr_info("%s: %s in %s, %s, %s (%s)", path, COUNTED_TEXT(joined->io_rows, "IO"),
		units_time(dump->summary.stop_ns - start_ns, duration),
		units_bytes((uint64_t)file.st_size, bytes),
		joined->lost ? "with losses" : "nothing lost", dump->reason);
	if (joined->lost)
		pr_warn("%s %s lost: 'blkreel info %s' shows which, and the remedy",
			COUNTED_TEXT(joined->lost, "event"), joined->lost == 1 ? "was" : "were",
			path);
}

static void log_failure(const struct flight_dumper *d, const char *path, int err)
{
	if (!d->dump.is_last)
		pr_err("cannot write %s: %s; the recorder continues (%s)", path, strerror(-err),
		       d->dump.reason);
	else
		pr_err("cannot write %s: %s; the part written before is complete and readable",
		       path, strerror(-err));
}

static void set_trigger(struct trace_host *host, const struct flight_cause *cause)
{
	struct trace_device device = {0};

	if (!cause->latency_ns)
		return;
	devices__describe(cause->device >> 20, cause->device & 0xfffff, &device);
	if (!*device.name)
		return;
	snprintf(host->trigger_device, sizeof(host->trigger_device), "%s", device.name);
	snprintf(host->trigger_op, sizeof(host->trigger_op), "%s", tick_op_name(cause->op));
	host->trigger_latency_ns = cause->latency_ns;
	host->trigger_end_ns = cause->end_ns;
}

static int write_dump(struct flight_dumper *d)
{
	struct trace_joined joined = {0};
	char path[TRACE_PATH_MAX] = "";
	struct trace_writer *writer;
	struct trace_host host;
	struct stat made;
	bool was_made;
	uint64_t wall_ns;
	int err;

	/* The file name tells when it was written, its head when its rows begin. */
	recording_head__host(d->head, &host);
	wall_ns = host.start_wall_ns;
	flight_view__begin(d->dump.view, &host.start_ns, &host.start_wall_ns);
	snprintf(host.reason, sizeof(host.reason), "%s", d->dump.reason);
	set_trigger(&host, &d->dump.cause);
	err = output_files__next(d->files, &host, wall_ns, path, &writer);
	if (err) {
		pr_err("cannot write %s: %s%s (%s)", path, strerror(-err),
		       d->dump.is_last ? "" : "; the recorder continues", d->dump.reason);
		return err;
	}
	was_made = !trace_writer__stat(writer, &made);
	err = write_rows(&d->dump, writer, host.start_ns, &joined);
	if (!err) {
		log_written(&d->dump, path, host.start_ns, &joined);
		output_files__trim(d->files, 0);
		return 0;
	}
	/* The rows are still in memory, so the incomplete file is not needed. */
	if (!d->dump.is_last && was_made)
		output_files__remove(d->files, path, &made);
	log_failure(d, path, err);
	return err;
}

static void *dumper_thread(void *context)
{
	struct flight_dumper *d = context;

	setpriority(PRIO_PROCESS, (id_t)gettid(), DUMP_NICE);
	pthread_mutex_lock(&d->lock);
	for (;;) {
		int err;

		while (!d->is_busy && !d->is_ending)
			pthread_cond_wait(&d->changed, &d->lock);
		if (!d->is_busy)
			break;
		pthread_mutex_unlock(&d->lock);
		err = write_dump(d);
		flight_view__free(d->dump.view);
		pthread_mutex_lock(&d->lock);
		d->err = err;
		d->is_busy = false;
		pthread_cond_broadcast(&d->changed);
	}
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

int flight_dumper__create(const struct recording_head *head, struct output_files *files,
			  struct flight_dumper **dumper)
{
	struct flight_dumper *d = calloc(1, sizeof(*d));
	int err;

	if (!d)
		return -ENOMEM;
	d->head = head;
	d->files = files;
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->changed, NULL);
	err = -pthread_create(&d->thread, NULL, dumper_thread, d);
	if (err) {
		free(d);
		return err;
	}
	*dumper = d;
	return 0;
}

void flight_dumper__free(struct flight_dumper *d)
{
	if (!d)
		return;
	pthread_mutex_lock(&d->lock);
	d->is_ending = true;
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
	pthread_join(d->thread, NULL);
	pthread_cond_destroy(&d->changed);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

bool flight_dumper__is_busy(struct flight_dumper *d)
{
	bool is_busy;

	pthread_mutex_lock(&d->lock);
	is_busy = d->is_busy;
	pthread_mutex_unlock(&d->lock);
	return is_busy;
}

void flight_dumper__submit(struct flight_dumper *d, const struct flight_dump *dump)
{
	pthread_mutex_lock(&d->lock);
	d->dump = *dump;
	d->is_busy = true;
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
}

int flight_dumper__wait(struct flight_dumper *d)
{
	int err;

	pthread_mutex_lock(&d->lock);
	while (d->is_busy)
		pthread_cond_wait(&d->changed, &d->lock);
	err = d->err;
	pthread_mutex_unlock(&d->lock);
	return err;
}
