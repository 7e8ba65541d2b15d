// SPDX-License-Identifier: MIT
#include "collector/recording/rotation.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/units.h"
#include "collector/recording/size_estimate.h"

#define RETRY_NS (10 * NSEC_PER_SEC)

struct closing {
	struct closing *next;
	struct rotated_file file;
};

struct rotation {
	struct rotation_options options;
	struct output_files *files;
	char path[TRACE_PATH_MAX];
	dev_t device; /* device and inode of the file of that name when it was created */
	ino_t inode;
	uint64_t start_ns;
	unsigned int count;
	atomic_bool asked;
	uint64_t not_before_ns;
	/* Files are closed on a thread of their own: syncing a large file can take longer than the
	 * rings last. */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_closing, is_ending;
	struct closing *first, **end;
	struct size_estimate estimate; /* guarded by `lock` */
	int err;
};

static void log_closed(const struct rotated_file *file, uint64_t io_rows)
{
	char duration[UNITS_TEXT_MAX], bytes[UNITS_TEXT_MAX];
	struct stat st = {0};

	/* The file was moved away: its size is unknown. */
	if (stat(file->path, &st))
		bytes[0] = '\0';
	else
		units_bytes((uint64_t)st.st_size, bytes);
	pr_info("%s: %s in %s%s%s, %s", file->path, COUNTED_TEXT(io_rows, "IO"),
		units_time(file->summary.stop_ns - file->start_ns, duration), *bytes ? ", " : "",
		bytes, file->lost ? "with losses" : "nothing lost");
}

static void learn_size(struct rotation *r, const char *path, uint64_t rows)
{
	struct stat st;

	if (stat(path, &st))
		return;
	pthread_mutex_lock(&r->lock);
	size_estimate__learn(&r->estimate, rows, (uint64_t)st.st_size);
	pthread_mutex_unlock(&r->lock);
}

static int close_file(struct rotation *r, const struct rotated_file *file)
{
	uint64_t io_rows = trace_writer__io_rows(file->writer);
	uint64_t rows = trace_writer__rows(file->writer);
	int err;

	err = trace_writer__close(file->writer, &file->summary);
	if (err)
		pr_err("cannot write the end of %s: %s; the part written before is complete and readable",
		       file->path, strerror(-err));
	else
		log_closed(file, io_rows);
	learn_size(r, file->path, rows);
	output_files__trim(r->files, 1);
	return err;
}

static void *closing_thread(void *context)
{
	struct rotation *r = context;

	pthread_mutex_lock(&r->lock);
	for (;;) {
		struct closing *closing;
		int err;

		while (!r->first && !r->is_ending)
			pthread_cond_wait(&r->changed, &r->lock);
		closing = r->first;
		if (!closing)
			break;
		r->first = closing->next;
		if (!r->first)
			r->end = &r->first;
		r->is_closing = true;
		pthread_mutex_unlock(&r->lock);
		err = close_file(r, &closing->file);
		free(closing);
		pthread_mutex_lock(&r->lock);
		r->is_closing = false;
		if (!r->err)
			r->err = err;
		pthread_cond_broadcast(&r->changed);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

int rotation__create(const char *path, const struct rotation_options *options,
		     const struct recording_head *head, const struct trace_writer_options *writer,
		     struct rotation **rotation, char message[COLLECTOR_MESSAGE_MAX])
{
	struct rotation *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	r->options = *options;
	r->end = &r->first;
	err = output_files__create(path, options->keep_files, head, writer, &r->files, message);
	if (err) {
		free(r);
		return err;
	}
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->changed, NULL);
	err = -pthread_create(&r->thread, NULL, closing_thread, r);
	if (err) {
		output_files__free(r->files);
		free(r);
		return err;
	}
	*rotation = r;
	return 0;
}

void rotation__free(struct rotation *r)
{
	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->is_ending = true;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	output_files__free(r->files);
	free(r);
}

static bool was_moved_away(const struct rotation *r)
{
	struct stat st;

	return lstat(r->path, &st) ? errno == ENOENT
				   : st.st_dev != r->device || st.st_ino != r->inode;
}

int rotation__next(struct rotation *r, const struct trace_host *host, struct trace_writer **writer)
{
	char path[TRACE_PATH_MAX] = "";
	bool asked = atomic_exchange(&r->asked, false);
	struct stat st = {0};
	int err;

	/* logrotate(8) expects a new file under the name that it has moved. */
	if (asked && r->count && was_moved_away(r))
		snprintf(path, sizeof(path), "%s", r->path);
	err = output_files__next(r->files, host, host->start_wall_ns, path, writer);
	if (err) {
		if (asked)
			rotation__ask(r);
		return err;
	}
	snprintf(r->path, sizeof(r->path), "%s", path);
	lstat(path, &st);
	r->device = st.st_dev;
	r->inode = st.st_ino;
	r->start_ns = host->start_ns;
	r->not_before_ns = 0;
	r->count++;
	return 0;
}

const char *rotation__path(const struct rotation *r)
{
	return r->path;
}

uint64_t rotation__start_ns(const struct rotation *r)
{
	return r->start_ns;
}

unsigned int rotation__files(const struct rotation *r)
{
	return r->count;
}

void rotation__ask(struct rotation *r)
{
	atomic_store(&r->asked, true);
}

static bool is_full(struct rotation *r, uint64_t rows, uint64_t file_bytes)
{
	uint64_t expected_bytes;

	if (!r->options.every_bytes)
		return false;
	pthread_mutex_lock(&r->lock);
	expected_bytes = size_estimate__look(&r->estimate, rows);
	pthread_mutex_unlock(&r->lock);
	return file_bytes >= r->options.every_bytes || expected_bytes > r->options.every_bytes;
}

bool rotation__is_due(struct rotation *r, uint64_t now_ns, uint64_t rows, uint64_t file_bytes)
{
	bool full = is_full(r, rows, file_bytes);

	if (now_ns < r->not_before_ns)
		return false;
	return atomic_load(&r->asked) || full ||
	       (r->options.every_ns && now_ns - r->start_ns >= r->options.every_ns);
}

void rotation__postpone(struct rotation *r, uint64_t now_ns, int err)
{
	if (!r->not_before_ns)
		pr_warn("cannot begin the next file: %s; continuing in %s and retrying",
			strerror(-err), r->path);
	r->not_before_ns = now_ns + RETRY_NS;
}

int rotation__close(struct rotation *r, const struct rotated_file *file)
{
	struct closing *closing = malloc(sizeof(*closing));

	if (!closing) {
		close_file(r, file);
		return -ENOMEM;
	}
	closing->next = NULL;
	closing->file = *file;
	pthread_mutex_lock(&r->lock);
	*r->end = closing;
	r->end = &closing->next;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	return 0;
}

int rotation__finish(struct rotation *r)
{
	int err;

	pthread_mutex_lock(&r->lock);
	while (r->first || r->is_closing)
		pthread_cond_wait(&r->changed, &r->lock);
	err = r->err;
	pthread_mutex_unlock(&r->lock);
	return err;
}
