// SPDX-License-Identifier: MIT
/* The collector's side of the probes' ring buffers; this file plays the kernel and the probes. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/bpf.h>

#include "collector/probes/record_rings.h"
#include "unit/shared/test.h"

#define RINGS	   3u
#define RING_BYTES 4096u

/* As large as the smallest record, with its header. */
struct item {
	uint64_t time_ns, ring, number, padding[2];
};
_Static_assert(sizeof(struct item) + BPF_RINGBUF_HDR_SZ == 48, "the smallest record in numbers");

static struct played {
	uint8_t *consumer_page, *producer_page, *data;
} played[RINGS];

static uint64_t given[RINGS], handed_out[RINGS], total, latest_ns, highest_ns;
static int refuse_after;

static uint64_t time_of(const void *data, size_t bytes)
{
	CHECK_EQ(bytes, sizeof(struct item));
	return ((const struct item *)data)->time_ns;
}

static int make_ring(struct played *ring)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = memfd_create("ring", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, (off_t)(2 * page + 2 * RING_BYTES)))
		return -1;
	ring->consumer_page =
		mmap(NULL, 2 * page + 2 * RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ring->producer_page = ring->consumer_page + page;
	ring->data = ring->producer_page + page;
	return ring->consumer_page == MAP_FAILED ? -1 : fd;
}

static uint64_t *position(uint8_t *page)
{
	return (uint64_t *)page;
}

/* The data is mapped twice, so that a record never ends at the edge. */
static void write_twice(struct played *ring, uint64_t at, const void *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		uint64_t place = (at + i) & (RING_BYTES - 1);

		ring->data[place] = ring->data[place + RING_BYTES] = ((const uint8_t *)from)[i];
	}
}

/* Writes a record as a probe does; false: the ring is full. `bits` are those of the kernel's
 * header. */
static bool produce(unsigned int index, uint64_t time_ns, uint32_t bits)
{
	struct played *ring = &played[index];
	uint64_t *produced = position(ring->producer_page);
	struct item item = {.time_ns = time_ns, .ring = index, .number = given[index]};
	uint32_t head[2] = {sizeof(item) | bits, 0};

	if (*produced + sizeof(head) + sizeof(item) - *position(ring->consumer_page) > RING_BYTES)
		return false;
	write_twice(ring, *produced, head, sizeof(head));
	write_twice(ring, *produced + sizeof(head), &item, sizeof(item));
	*produced += sizeof(head) + sizeof(item);
	given[index] += !(bits & BPF_RINGBUF_DISCARD_BIT);
	return true;
}

static int check(void *context, void *data, size_t bytes)
{
	const struct item *item = data;

	CHECK(context == &total);
	CHECK_EQ(bytes, sizeof(*item));
	CHECK_EQ(item->number, handed_out[item->ring]++);
	CHECK(!item->time_ns || item->time_ns > latest_ns);
	highest_ns = item->time_ns > highest_ns ? item->time_ns : highest_ns;
	total++;
	return refuse_after-- == 0 ? -EIO : 1;
}

static struct record_rings *r;

static void create(void)
{
	r = NULL;
	memset(given, 0, sizeof(given));
	memset(handed_out, 0, sizeof(handed_out));
	total = latest_ns = highest_ns = 0;
	refuse_after = -1;
	REQUIRE(!record_rings__create(RINGS, RING_BYTES, time_of, &r));
	for (unsigned int i = 0; i < RINGS; i++) {
		int fd = make_ring(&played[i]);

		REQUIRE(fd >= 0);
		/* Here the ring is an ordinary file, which epoll refuses. */
		CHECK_EQ(record_rings__add(r, fd), -EPERM);
	}
}

static void destroy(void)
{
	record_rings__free(r);
	for (unsigned int i = 0; i < RINGS; i++)
		munmap(played[i].consumer_page, 2 * (size_t)sysconf(_SC_PAGESIZE) + 2 * RING_BYTES);
}

static int take_all(void)
{
	record_rings__refresh(r);
	CHECK_EQ(record_rings__moment(r, 1000), UINT64_MAX);
	return record_rings__take(r, UINT64_MAX, check, &total);
}

/* Each ring's records come in order and once, however often the ring wraps; discarded records do
 * not come. */
static void records_come_in_order_and_once(void)
{
	uint64_t sum = 0;

	create();
	for (unsigned int round = 0; round < 1000; round++) {
		for (unsigned int i = 0; i < RINGS; i++) {
			for (unsigned int n = 0; n < (round * 7 + i * 5) % 13; n++, sum++)
				CHECK(produce(i, 0, 0));
			CHECK(produce(i, 5, BPF_RINGBUF_DISCARD_BIT));
		}
		CHECK_EQ(take_all(), 0);
		CHECK_EQ(total, sum);
	}
	destroy();
}

static void a_drained_ring_takes_records_again(void)
{
	uint64_t count = 0;

	create();
	while (produce(1, 7, 0))
		count++;
	CHECK_EQ(count, RING_BYTES / 48);
	CHECK_EQ(take_all(), 0);
	CHECK_EQ(total, count);
	CHECK(produce(1, 8, 0));
	destroy();
}

/* Incomplete records, and records written after a refresh, wait. */
static void incomplete_and_later_records_wait(void)
{
	uint32_t head = sizeof(struct item);

	create();
	CHECK(produce(0, 1, 0));
	CHECK(produce(0, 2, BPF_RINGBUF_BUSY_BIT));
	CHECK(produce(0, 3, 0));
	record_rings__refresh(r);
	CHECK(produce(1, 4, 0));
	CHECK_EQ(record_rings__take(r, UINT64_MAX, check, &total), 0);
	CHECK_EQ(total, 1);
	write_twice(&played[0], 48, &head, sizeof(head));
	CHECK_EQ(take_all(), 0);
	CHECK_EQ(total, 4);
	destroy();
}

static void an_error_ends_the_hand_out(void)
{
	create();
	for (unsigned int i = 0; i < 5; i++)
		CHECK(produce(2, i, 0));
	refuse_after = 2;
	CHECK_EQ(take_all(), -EIO);
	CHECK_EQ(total, 3);
	CHECK_EQ(take_all(), 0);
	CHECK_EQ(total, 5);
	destroy();
}

/* Records taken later ended later, in any ring; a record without a time stays with the one before
 * it. */
static void many_records_are_taken_from_the_earliest_on(void)
{
	unsigned int parts = 0;
	uint64_t until_ns, before;

	create();
	for (unsigned int i = 1; i <= 80; i++) {
		CHECK(produce(0, i % 5 ? 1000 + i : 0, 0));
		CHECK(produce(1, 100 * i, 0));
	}
	CHECK(produce(2, 5000, 0));
	record_rings__refresh(r);
	do {
		before = total;
		until_ns = record_rings__moment(r, 12);
		CHECK_EQ(record_rings__take(r, until_ns, check, &total), 0);
		CHECK(total > before);
		CHECK(total - before <= 20 || until_ns == UINT64_MAX);
		CHECK(highest_ns <= until_ns);
		latest_ns = until_ns;
		parts++;
	} while (until_ns != UINT64_MAX && parts < 100);
	CHECK(parts > 10 && parts < 100);
	CHECK_EQ(total, 161);
	destroy();
}

/* In any order, all records of a ring come. */
static void many_unordered_records_are_all_taken(void)
{
	unsigned int parts = 0;
	uint64_t until_ns;

	create();
	for (unsigned int i = 0; i < 80; i++)
		CHECK(produce(0, 1 + i * 37 % 80, 0));
	record_rings__refresh(r);
	do {
		until_ns = record_rings__moment(r, 12);
		CHECK_EQ(record_rings__take(r, until_ns, check, &total), 0);
	} while (until_ns != UINT64_MAX && parts++ < 100);
	CHECK_EQ(total, 80);
	destroy();
}

int main(void)
{
	RUN(records_come_in_order_and_once);
	RUN(a_drained_ring_takes_records_again);
	RUN(incomplete_and_later_records_wait);
	RUN(an_error_ends_the_hand_out);
	RUN(many_records_are_taken_from_the_earliest_on);
	RUN(many_unordered_records_are_all_taken);
	return TEST_RESULT;
}
