// SPDX-License-Identifier: MIT
#include "collector/recording/flight_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define SEGMENTS_PER_RING 32
/* What the kernel needs for a file in memory besides its pages. */
#define SEGMENT_OVERHEAD_BYTES 4096u

struct segment {
	struct segment *next;
	atomic_uint users; /* number of users: the ring and the views */
	int fd;
	uint64_t start_ns, start_wall_ns;
	uint64_t bytes, io_rows; /* known once it is closed */
};

struct flight_ring {
	uint64_t keep_ns, keep_bytes;
	struct segment *oldest, *newest;
	unsigned int count;
	uint64_t closed_bytes, closed_rows;
	struct trace_writer *writer; /* writer of the newest segment */
	bool is_cut_by_size;
};

struct part {
	struct segment *segment;
	uint64_t bytes;
};

struct flight_view {
	unsigned int count, next;
	struct part parts[];
};

int flight_ring__create(uint64_t keep_ns, uint64_t keep_bytes, struct flight_ring **ring)
{
	*ring = calloc(1, sizeof(**ring));
	if (!*ring)
		return -ENOMEM;
	(*ring)->keep_ns = keep_ns;
	(*ring)->keep_bytes = keep_bytes;
	return 0;
}

static void release_segment(struct segment *segment)
{
	if (atomic_fetch_sub(&segment->users, 1) != 1)
		return;
	close(segment->fd);
	free(segment);
}

static uint64_t memory_of(uint64_t file_bytes)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (file_bytes + page - 1) / page * page + SEGMENT_OVERHEAD_BYTES;
}

static void drop_oldest(struct flight_ring *ring)
{
	struct segment *segment = ring->oldest;

	ring->oldest = segment->next;
	ring->count--;
	ring->closed_bytes -= memory_of(segment->bytes);
	ring->closed_rows -= segment->io_rows;
	release_segment(segment);
}

/* Closes without an end mark: no reader of a segment uses its index. */
static int close_newest(struct flight_ring *ring)
{
	int err;

	if (!ring->writer)
		return 0;
	err = trace_writer__flush(ring->writer);
	ring->newest->bytes = trace_writer__bytes(ring->writer);
	ring->newest->io_rows = trace_writer__io_rows(ring->writer);
	ring->closed_bytes += memory_of(ring->newest->bytes);
	ring->closed_rows += ring->newest->io_rows;
	trace_writer__close(ring->writer, NULL);
	ring->writer = NULL;
	return err;
}

void flight_ring__free(struct flight_ring *ring)
{
	if (!ring)
		return;
	close_newest(ring);
	while (ring->oldest)
		drop_oldest(ring);
	free(ring);
}

static int create_segment(const struct trace_host *host, struct segment **segment,
			  struct trace_writer **writer)
{
	static const struct trace_writer_options options = {.fast = true};
	struct segment *s = calloc(1, sizeof(*s));
	int fd, err;

	if (!s)
		return -ENOMEM;
	s->start_ns = host->start_ns;
	s->start_wall_ns = host->start_wall_ns;
	atomic_init(&s->users, 1);
	s->fd = memfd_create("blkreel-segment", MFD_CLOEXEC);
	fd = s->fd < 0 ? -1 : fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
	err = fd < 0 ? -errno : trace_writer__create_on(fd, host, &options, writer);
	if (err) {
		if (s->fd >= 0)
			close(s->fd);
		free(s);
		return err;
	}
	*segment = s;
	return 0;
}

int flight_ring__next(struct flight_ring *ring, const struct trace_host *host,
		      struct trace_writer **writer)
{
	struct segment *segment;
	int err;

	err = close_newest(ring);
	if (!err)
		err = create_segment(host, &segment, &ring->writer);
	if (err)
		return err;
	if (ring->count++)
		ring->newest->next = segment;
	else
		ring->oldest = segment;
	ring->newest = segment;
	*writer = ring->writer;
	return 0;
}

uint64_t flight_ring__bytes(const struct flight_ring *ring)
{
	return ring->closed_bytes +
	       (ring->writer ? memory_of(trace_writer__bytes(ring->writer)) : 0);
}

bool flight_ring__is_due(const struct flight_ring *ring, uint64_t now_ns)
{
	if (ring->keep_ns && now_ns - ring->newest->start_ns >= ring->keep_ns / SEGMENTS_PER_RING)
		return true;
	return memory_of(trace_writer__bytes(ring->writer)) >= ring->keep_bytes / SEGMENTS_PER_RING;
}

void flight_ring__trim(struct flight_ring *ring, uint64_t now_ns)
{
	while (ring->count > 1 && ring->keep_ns &&
	       ring->oldest->next->start_ns + ring->keep_ns <= now_ns)
		drop_oldest(ring);
	while (ring->count > 1 &&
	       flight_ring__bytes(ring) > ring->keep_bytes + ring->keep_bytes / SEGMENTS_PER_RING) {
		ring->is_cut_by_size |= ring->keep_ns != 0;
		drop_oldest(ring);
	}
}

uint64_t flight_ring__from_ns(const struct flight_ring *ring)
{
	return ring->oldest->start_ns;
}

uint64_t flight_ring__io_rows(const struct flight_ring *ring)
{
	return ring->closed_rows + (ring->writer ? trace_writer__io_rows(ring->writer) : 0);
}

bool flight_ring__is_cut_by_size(const struct flight_ring *ring)
{
	return ring->is_cut_by_size;
}

int flight_view__create(struct flight_ring *ring, struct flight_view **view)
{
	struct flight_view *v = malloc(sizeof(*v) + ring->count * sizeof(v->parts[0]));

	if (!v)
		return -ENOMEM;
	v->count = v->next = 0;
	for (struct segment *s = ring->oldest; s; s = s->next) {
		atomic_fetch_add(&s->users, 1);
		v->parts[v->count++] = (struct part){s, s->bytes};
	}
	/* Rows written later are not part of the view. */
	if (ring->writer)
		v->parts[v->count - 1].bytes = trace_writer__bytes(ring->writer);
	*view = v;
	return 0;
}

void flight_view__free(struct flight_view *view)
{
	if (!view)
		return;
	while (view->next < view->count)
		release_segment(view->parts[view->next++].segment);
	free(view);
}

void flight_view__begin(const struct flight_view *view, uint64_t *start_ns, uint64_t *start_wall_ns)
{
	*start_ns = view->parts[0].segment->start_ns;
	*start_wall_ns = view->parts[0].segment->start_wall_ns;
}

int flight_view__take(struct flight_view *view, struct trace_reader **reader)
{
	struct part *part = &view->parts[view->next];
	char path[64];
	int err;

	if (view->next == view->count)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", part->segment->fd);
	err = trace_reader__open(path, reader, NULL);
	if (err)
		return err;
	trace_reader__limit(*reader, part->bytes);
	release_segment(part->segment);
	view->next++;
	return 1;
}
