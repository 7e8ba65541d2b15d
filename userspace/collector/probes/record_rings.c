// SPDX-License-Identifier: MIT
#include "collector/probes/record_rings.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/bpf.h>

#define RECORD_BYTES_MIN 48u /* with its header; the smallest record that is sent in numbers */

/* The kernel's layout: a page that the reader writes, a page that the kernel writes, the data
 * mapped twice. */
struct ring {
	int fd;
	uint64_t *consumer; /* bytes read so far */
	const uint64_t *producer;
	uint8_t *data;
	uint64_t produced; /* as last noted */
};

struct record_rings {
	struct ring *rings;
	unsigned int count;
	uint64_t ring_bytes;
	size_t page_bytes;
	record_time time_of;
	int epoll_fd;
};

struct record {
	void *data;
	size_t bytes;
	uint64_t next; /* where the next record begins */
	bool discarded;
};

int record_rings__create(unsigned int count, uint64_t ring_bytes, record_time time_of,
			 struct record_rings **rings)
{
	struct record_rings *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->ring_bytes = ring_bytes;
	r->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	r->time_of = time_of;
	r->rings = calloc(count, sizeof(*r->rings));
	r->epoll_fd = r->rings ? epoll_create1(EPOLL_CLOEXEC) : -1;
	if (r->epoll_fd < 0) {
		int err = r->rings ? -errno : -ENOMEM;

		free(r->rings);
		free(r);
		return err;
	}
	*rings = r;
	return 0;
}

static size_t shared_bytes(const struct record_rings *r)
{
	return r->page_bytes + 2 * r->ring_bytes;
}

int record_rings__add(struct record_rings *r, int fd)
{
	struct ring *ring = &r->rings[r->count++];
	struct epoll_event wanted = {.events = EPOLLIN};
	void *at;

	ring->fd = fd;
	at = mmap(NULL, r->page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	ring->consumer = at;
	at = mmap(NULL, shared_bytes(r), PROT_READ, MAP_SHARED, fd, (off_t)r->page_bytes);
	if (at == MAP_FAILED)
		return -errno;
	ring->producer = at;
	ring->data = (uint8_t *)at + r->page_bytes;
	ring->produced = *ring->consumer;
	return epoll_ctl(r->epoll_fd, EPOLL_CTL_ADD, fd, &wanted) ? -errno : 0;
}

void record_rings__free(struct record_rings *r)
{
	if (!r)
		return;
	for (unsigned int i = 0; i < r->count; i++) {
		struct ring *ring = &r->rings[i];

		if (ring->producer)
			munmap((void *)ring->producer, shared_bytes(r));
		if (ring->consumer)
			munmap(ring->consumer, r->page_bytes);
		close(ring->fd);
	}
	close(r->epoll_fd);
	free(r->rings);
	free(r);
}

int record_rings__wait(struct record_rings *r, int timeout_ms)
{
	struct epoll_event ready;

	return epoll_wait(r->epoll_fd, &ready, 1, timeout_ms) < 0 ? -errno : 0;
}

void record_rings__refresh(struct record_rings *r)
{
	for (unsigned int i = 0; i < r->count; i++)
		r->rings[i].produced = __atomic_load_n(r->rings[i].producer, __ATOMIC_ACQUIRE);
}

/* False: there is no further record, or the record is not complete yet. */
static bool read_record(const struct record_rings *r, const struct ring *ring, uint64_t at,
			struct record *record)
{
	uint32_t *head = (uint32_t *)(ring->data + (at & (r->ring_bytes - 1)));
	uint32_t length;

	if (at >= ring->produced)
		return false;
	length = __atomic_load_n(head, __ATOMIC_ACQUIRE);
	if (length & BPF_RINGBUF_BUSY_BIT)
		return false;
	record->discarded = length & BPF_RINGBUF_DISCARD_BIT;
	record->bytes = length & ~(uint32_t)BPF_RINGBUF_DISCARD_BIT;
	record->data = (uint8_t *)head + BPF_RINGBUF_HDR_SZ;
	record->next = at + (record->bytes + BPF_RINGBUF_HDR_SZ + 7) / 8 * 8;
	return true;
}

static uint64_t time_of(const struct record_rings *r, const struct record *record)
{
	return record->discarded ? 0 : r->time_of(record->data, record->bytes);
}

/* The latest end time among the first `share` records; UINT64_MAX: there are no more records. */
static uint64_t moment_of(const struct record_rings *r, const struct ring *ring, uint64_t share)
{
	uint64_t at = *ring->consumer, latest_ns = 0;
	struct record record;

	if ((ring->produced - at) / RECORD_BYTES_MIN <= share)
		return UINT64_MAX;
	for (uint64_t i = 0; i < share; i++, at = record.next) {
		uint64_t time_ns;

		if (!read_record(r, ring, at, &record))
			return UINT64_MAX;
		time_ns = time_of(r, &record);
		latest_ns = time_ns > latest_ns ? time_ns : latest_ns;
	}
	return read_record(r, ring, at, &record) ? latest_ns : UINT64_MAX;
}

uint64_t record_rings__moment(const struct record_rings *r, uint64_t most)
{
	uint64_t share = most / r->count ? most / r->count : 1, until_ns = UINT64_MAX;

	for (unsigned int i = 0; i < r->count; i++) {
		uint64_t moment_ns = moment_of(r, &r->rings[i], share);

		until_ns = moment_ns < until_ns ? moment_ns : until_ns;
	}
	return until_ns;
}

int record_rings__take(struct record_rings *r, uint64_t until_ns,
		       int (*each)(void *context, void *data, size_t bytes), void *context)
{
	int err = 0;

	for (unsigned int i = 0; i < r->count && err >= 0; i++) {
		const struct ring *ring = &r->rings[i];
		uint64_t at = *ring->consumer;
		struct record record;

		while (err >= 0 && read_record(r, ring, at, &record) &&
		       time_of(r, &record) <= until_ns) {
			if (!record.discarded)
				err = each(context, record.data, record.bytes);
			at = record.next;
			__atomic_store_n(ring->consumer, at, __ATOMIC_RELEASE);
		}
	}
	return err < 0 ? err : 0;
}
