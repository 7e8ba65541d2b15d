// SPDX-License-Identifier: MIT
#include "replay/engine/workers.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/engine/engine.h"
#include "replay/engine/worker.h"

struct one {
	pthread_t thread;
	struct engine_options options;
	struct worker worker;
	struct engine_result result;
	volatile sig_atomic_t *enough;
	int err;
	char message[ENGINE_MESSAGE_MAX];
};

struct workers {
	struct worker_common common;
	unsigned int count;
	struct one *ones;
	struct start_gate *gate;
};

static uint32_t part_of(uint32_t all, unsigned int count, unsigned int index)
{
	return all / count + (index < all % count);
}

static int set_up_one(struct workers *w, unsigned int index, const struct engine_options *options,
		      volatile sig_atomic_t *enough)
{
	struct one *one = &w->ones[index];

	one->enough = enough;
	one->options = *options;
	one->options.worker = &one->worker;
	one->options.gate = w->gate;
	if (index)
		one->options.waiting = NULL;
	one->options.iodepth = part_of(options->iodepth, w->count, index);
	if (options->completion_batch)
		one->options.completion_batch =
			(options->completion_batch + w->count - 1) / w->count;
	engine_result__init(&one->result);
	return worker__init(&one->worker, &w->common, index, one->options.iodepth);
}

/* Makes the bytes that writes are taken from, which all workers share. */
static int create_pattern(struct workers *w, const struct engine_options *options)
{
	const struct buffers_options pattern = {
		.seed = options->seed,
		.longest_write_bytes = options->longest_write_bytes,
		.in_flight = 1,
		.content.compressible_pct = options->content.compressible_pct,
	};

	return buffers__create(&pattern, &w->common.pattern);
}

static int set_up(struct workers *w, const struct engine_options *options,
		  struct replay_source *source, volatile sig_atomic_t *enough)
{
	struct worker_common *common = &w->common;
	const struct sharing_options sharing = {.workers = w->count,
						.window = READER_THREAD_IOS,
						.zone_bytes = options->zone_bytes};
	int err = 0;

	pthread_mutex_init(&common->lock, NULL);
	common->workers = w->count;
	common->durable.progress = options->written;
	common->durable.lock = common->progress.lock = &common->lock;
	common->progress.running = w->count;
	w->ones = calloc(w->count, sizeof(*w->ones));
	if (!w->ones)
		return -ENOMEM;
	err = start_gate__create(w->count, &w->gate);
	for (unsigned int i = 0; i < w->count && !err; i++)
		err = set_up_one(w, i, options, enough);
	if (!err)
		err = create_pattern(w, options);
	if (!err)
		err = sharing__create(&sharing, &common->sharing);
	return err ? err
		   : reader_thread__start_shared(source, common->sharing, w->count,
						 &common->reader_thread);
}

static void tear_down(struct workers *w)
{
	reader_thread__free(w->common.reader_thread);
	sharing__free(w->common.sharing);
	buffers__free(w->common.pattern);
	start_gate__free(w->gate);
	for (unsigned int i = 0; w->ones && i < w->count; i++)
		worker__free(&w->ones[i].worker);
	pthread_mutex_destroy(&w->common.lock);
	free(w->ones);
	free(w);
}

static void *run(void *context)
{
	struct one *one = context;

	one->err = engine__run(&one->options, NULL, &one->result, one->message);
	start_gate__leave(one->options.gate);
	/* The failed IO may be the last one of this worker, but not of the others. */
	one->result.stopped_at_error |=
		one->options.stop_at_error && engine_result__errors(&one->result);
	if (one->err || one->result.stopped_at_error)
		*one->enough = true;
	return NULL;
}

/* 0, or the negative errno of the first that failed, with its message. */
static int merge(const struct workers *w, struct engine_result *result, char *message)
{
	int err = 0;

	engine_result__init(result);
	result->registered = result->source_over = true;
	result->priority = PRIORITY_REALTIME;
	for (unsigned int i = 0; i < w->count; i++) {
		const struct one *one = &w->ones[i];

		engine_result__merge(result, &one->result);
		if (one->err && !err) {
			err = one->err;
			snprintf(message, ENGINE_MESSAGE_MAX, "%s", one->message);
		}
	}
	result->highest_depth = atomic_load(&w->common.highest_depth);
	return err;
}

static void run_all(struct workers *w)
{
	unsigned int started = 0;

	for (; started < w->count; started++) {
		struct one *one = &w->ones[started];
		int err = pthread_create(&one->thread, NULL, run, one);

		if (!err)
			continue;
		one->err = -err;
		snprintf(one->message, ENGINE_MESSAGE_MAX, "cannot start a thread: %s",
			 strerror(err));
		*one->enough = true;
		break;
	}
	for (unsigned int i = started; i < w->count; i++)
		start_gate__leave(w->gate);
	for (unsigned int i = 0; i < started; i++)
		pthread_join(w->ones[i].thread, NULL);
}

int workers__run(const struct engine_options *options, unsigned int count,
		 struct replay_source *source, volatile sig_atomic_t *enough,
		 struct engine_result *result, char message[ENGINE_MESSAGE_MAX])
{
	struct workers *w = calloc(1, sizeof(*w));
	int err = w ? 0 : -ENOMEM;

	message[0] = '\0';
	if (w) {
		w->count = count;
		err = set_up(w, options, source, enough);
	}
	if (err) {
		engine_result__init(result);
		snprintf(message, ENGINE_MESSAGE_MAX, "the workers cannot be set up: %s",
			 strerror(-err));
	} else {
		run_all(w);
		err = merge(w, result, message);
	}
	if (w)
		tear_down(w);
	return err;
}
