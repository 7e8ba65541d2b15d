// SPDX-License-Identifier: MIT
#include "trace/file/write_behind.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/queue.h"

#define WAITING_BYTES_MAX (8u << 20)

struct block {
	struct queue_entry entry;
	size_t bytes;
	uint8_t at[];
};

struct write_behind {
	int fd;
	struct queue *queue;
	pthread_t thread;
	atomic_int err; /* the first; later blocks are dropped */
	atomic_uint_fast64_t written;
};

static int write_all(int fd, const uint8_t *at, size_t bytes)
{
	while (bytes) {
		ssize_t written = write(fd, at, bytes);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		if (!written)
			return -EIO;
		at += written;
		bytes -= (size_t)written;
	}
	return 0;
}

int write_whole(int fd, uint64_t offset, const uint8_t *at, size_t bytes)
{
	int err = write_all(fd, at, bytes);

	/* If this fails, a torn block stays; readers handle it. */
	if (err && !ftruncate(fd, (off_t)offset))
		lseek(fd, (off_t)offset, SEEK_SET);
	return err;
}

static void *writing_thread(void *context)
{
	struct write_behind *b = context;
	struct queue_entry *entry;

	while ((entry = queue__pop(b->queue))) {
		struct block *block = (struct block *)entry;
		uint64_t offset = atomic_load(&b->written);

		if (!atomic_load(&b->err)) {
			atomic_store(&b->err, write_whole(b->fd, offset, block->at, block->bytes));
			if (!atomic_load(&b->err))
				atomic_store(&b->written, offset + block->bytes);
		}
		free(block);
	}
	return NULL;
}

int write_behind__start(int fd, uint64_t offset, struct write_behind **behind)
{
	struct write_behind *b = calloc(1, sizeof(*b));
	int err = -ENOMEM;

	if (!b)
		return -ENOMEM;
	b->fd = fd;
	b->written = offset;
	b->queue = queue__new(WAITING_BYTES_MAX);
	if (b->queue)
		err = -pthread_create(&b->thread, NULL, writing_thread, b);
	if (err) {
		queue__free(b->queue);
		free(b);
		return err;
	}
	*behind = b;
	return 0;
}

int write_behind__append(struct write_behind *b, const uint8_t *at, size_t bytes)
{
	struct block *block;

	if (atomic_load(&b->err))
		return atomic_load(&b->err);
	block = malloc(sizeof(*block) + bytes);
	if (!block)
		return -ENOMEM;
	block->bytes = bytes;
	memcpy(block->at, at, bytes);
	queue__push(b->queue, &block->entry, bytes);
	return 0;
}

uint64_t write_behind__written(const struct write_behind *b)
{
	return atomic_load(&b->written);
}

int write_behind__finish(struct write_behind *b)
{
	int err;

	queue__close(b->queue);
	pthread_join(b->thread, NULL);
	err = atomic_load(&b->err);
	queue__free(b->queue);
	free(b);
	return err;
}
