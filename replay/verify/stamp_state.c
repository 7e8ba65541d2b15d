// SPDX-License-Identifier: MIT
#include "replay/verify/stamp_state.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/output_file.h"

/* One sector: it is replaced as a whole, or not at all. */
#define STATE_BYTES 512

#define UPDATE_NS 20000000l

struct stamp_writer {
	int fd;
	struct stamp_state state;
	const struct durable_progress *progress;
	pthread_t thread;
	atomic_bool stop;
	int error;
};

static int write_state(struct stamp_writer *w)
{
	const struct stamp_state *s = &w->state;
	char text[STATE_BYTES + 1];
	int length =
		snprintf(text, sizeof(text),
			 "blkreel stamps 1\nrun %016" PRIx64 "\nplan %016" PRIx64
			 "\ntarget_bytes %" PRIu64 "\nblock_bytes %" PRIu32 "\ncompleted %" PRIu64
			 "\ndurable %" PRIu64 "\nfailed %" PRIu64 "\nended %d\n",
			 s->run, s->plan, s->target_bytes, s->block_bytes, s->completed, s->durable,
			 s->failed, s->ended);

	memset(text + length, '\n', STATE_BYTES - (size_t)length);
	if (pwrite(w->fd, text, STATE_BYTES, 0) != STATE_BYTES || fdatasync(w->fd))
		return errno ? -errno : -EIO;
	return 0;
}

/* Takes over the progress. True when there is something new. */
static bool take_progress(struct stamp_writer *w)
{
	uint64_t durable = atomic_load_explicit(&w->progress->durable, memory_order_acquire);
	uint64_t completed = atomic_load_explicit(&w->progress->completed, memory_order_acquire);
	bool changed = completed != w->state.completed || durable != w->state.durable;

	w->state.completed = completed;
	w->state.durable = durable;
	w->state.failed = atomic_load_explicit(&w->progress->failed, memory_order_relaxed);
	return changed;
}

static void *keep_up(void *argument)
{
	struct stamp_writer *w = argument;
	struct timespec moment = {.tv_nsec = UPDATE_NS};

	while (!w->error && !atomic_load_explicit(&w->stop, memory_order_acquire)) {
		if (take_progress(w))
			w->error = write_state(w);
		nanosleep(&moment, NULL);
	}
	return NULL;
}

static const struct output_kind state_kind = {.name = "state", .is_private = true};

int stamp_state__create(const char *path, const struct stamp_state *state,
			const struct durable_progress *progress, struct stamp_writer **writer)
{
	struct stamp_writer *w = calloc(1, sizeof(*w));
	struct stat made = {0};
	int err;

	if (!w)
		return -ENOMEM;
	w->state = *state;
	w->progress = progress;
	atomic_init(&w->stop, false);
	err = output_file__open(path, &state_kind, true, &w->fd);
	if (err) {
		free(w);
		return err;
	}
	if (fstat(w->fd, &made))
		err = -errno;
	if (!err)
		err = write_state(w);
	if (!err)
		err = folder_sync_of(path);
	if (!err)
		err = -pthread_create(&w->thread, NULL, keep_up, w);
	if (!err) {
		*writer = w;
		return 0;
	}
	output_file__remove(path, &state_kind, &made);
	close(w->fd);
	free(w);
	return err;
}

int stamp_state__close(struct stamp_writer *w)
{
	int err;

	atomic_store_explicit(&w->stop, true, memory_order_release);
	pthread_join(w->thread, NULL);
	take_progress(w);
	w->state.ended = true;
	err = w->error ? w->error : write_state(w);
	close(w->fd);
	free(w);
	return err;
}

int stamp_state__load(const char *path, struct stamp_state *s)
{
	FILE *file = fopen(path, "re");
	int ended = 0, fields;

	*s = (struct stamp_state){0};
	if (!file)
		return -errno;
	fields = fscanf(file,
			"blkreel stamps 1 run %" SCNx64 " plan %" SCNx64 " target_bytes %" SCNu64
			" block_bytes %" SCNu32 " completed %" SCNu64 " durable %" SCNu64
			" failed %" SCNu64 " ended %d",
			&s->run, &s->plan, &s->target_bytes, &s->block_bytes, &s->completed,
			&s->durable, &s->failed, &ended);
	fclose(file);
	s->ended = ended == 1;
	return fields == 8 && s->block_bytes ? 0 : -EINVAL;
}
