// SPDX-License-Identifier: MIT
/* The collector's side of the shared rings; this file plays the probes. */
#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/probes/cpu_rings.h"
#include "unit/shared/test.h"

#define CPUS  3u
#define SLOTS 32u

static int rings_fd, events_fd;
static struct cpu_ring *rings;
static struct io_event *events;

static void *share(int *fd, size_t bytes)
{
	void *at;

	*fd = memfd_create("rings", MFD_CLOEXEC);
	if (*fd < 0 || ftruncate(*fd, (off_t)bytes))
		return NULL;
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	return at == MAP_FAILED ? NULL : at;
}

/* Writes a record as a probe does; false: the ring is full. */
static bool produce(unsigned int cpu, uint64_t sector)
{
	struct cpu_ring *ring = &rings[cpu];

	if (ring->produced - ring->consumed >= SLOTS)
		return false;
	events[cpu * SLOTS + ring->produced % SLOTS] =
		(struct io_event){.type = EVENT_IO, .cpu = (__u16)cpu, .sector = sector};
	ring->produced++;
	return true;
}

static uint64_t next_sector[CPUS], handed_out;
static int refuse_after = -1;

static int check(void *context, const struct io_event *event)
{
	CHECK(context == &handed_out);
	CHECK_EQ(event->type, EVENT_IO);
	CHECK_EQ(event->sector, next_sector[event->cpu]++);
	handed_out++;
	return refuse_after-- == 0 ? -EIO : 0;
}

static uint64_t until_ns;

static int take(struct cpu_rings *r, uint64_t most,
		int (*each)(void *context, const struct io_event *event))
{
	until_ns = cpu_rings__moment(r, most);
	return cpu_rings__take(r, until_ns, each, &handed_out);
}

static int drain(struct cpu_rings *r)
{
	int err;

	cpu_rings__refresh(r);
	err = take(r, 100, check);
	CHECK_EQ(until_ns, UINT64_MAX);
	cpu_rings__release(r);
	return err;
}

/* Each CPU's records come in order and once, however often the ring wraps. */
static void records_of_a_cpu_stay_in_order(void)
{
	uint64_t produced[CPUS] = {0}, total = 0;
	struct cpu_rings *r;

	REQUIRE(!cpu_rings__map(rings_fd, events_fd, CPUS, SLOTS, &r));
	CHECK_EQ(drain(r), 0);
	CHECK_EQ(handed_out, 0);
	for (unsigned int round = 0; round < 1000; round++) {
		for (unsigned int cpu = 0; cpu < CPUS; cpu++)
			for (unsigned int i = 0; i < (round * 7 + cpu * 5) % 13; i++, total++)
				CHECK(produce(cpu, produced[cpu]++));
		CHECK_EQ(drain(r), 0);
		CHECK_EQ(handed_out, total);
	}
	cpu_rings__free(r);
}

/* Records written after a refresh wait for the next one: names that they refer to may still be on
 * their way. */
static void later_records_wait_for_the_next_refresh(void)
{
	struct cpu_rings *r;

	handed_out = 0;
	REQUIRE(!cpu_rings__map(rings_fd, events_fd, CPUS, SLOTS, &r));
	CHECK(produce(1, next_sector[1]));
	cpu_rings__refresh(r);
	CHECK(produce(1, next_sector[1] + 1));
	CHECK(produce(2, next_sector[2]));
	CHECK_EQ(take(r, 100, check), 0);
	CHECK_EQ(handed_out, 1);
	CHECK_EQ(drain(r), 0);
	CHECK_EQ(handed_out, 3);
	cpu_rings__free(r);
}

static void a_full_ring_takes_no_record_until_released(void)
{
	uint64_t first = next_sector[0];
	struct cpu_rings *r;

	handed_out = 0;
	REQUIRE(!cpu_rings__map(rings_fd, events_fd, CPUS, SLOTS, &r));
	for (unsigned int i = 0; i < SLOTS; i++)
		CHECK(produce(0, first + i));
	CHECK(!produce(0, 0));
	cpu_rings__refresh(r);
	CHECK_EQ(take(r, 100, check), 0);
	CHECK_EQ(handed_out, SLOTS);
	/* Until released, records stay in place and do not come again. */
	CHECK(!produce(0, 0));
	CHECK_EQ(take(r, 100, check), 0);
	CHECK_EQ(handed_out, SLOTS);
	cpu_rings__release(r);
	CHECK(produce(0, first + SLOTS));
	CHECK_EQ(drain(r), 0);
	cpu_rings__free(r);
}

/* An error ends the hand-out, and no record comes twice. */
static void an_error_ends_the_hand_out(void)
{
	struct cpu_rings *r;

	handed_out = 0;
	REQUIRE(!cpu_rings__map(rings_fd, events_fd, CPUS, SLOTS, &r));
	for (unsigned int i = 0; i < 5; i++)
		CHECK(produce(0, next_sector[0] + i));
	refuse_after = 2;
	CHECK_EQ(drain(r), -EIO);
	CHECK_EQ(handed_out, 3);
	refuse_after = -1;
	CHECK_EQ(drain(r), 0);
	CHECK_EQ(handed_out, 5);
	cpu_rings__free(r);
}

static uint64_t latest_ns, highest_ns;

static int check_moment(void *context, const struct io_event *event)
{
	(void)context;
	CHECK(!event->completed_ns || event->completed_ns > latest_ns);
	if (event->completed_ns > highest_ns)
		highest_ns = event->completed_ns;
	handed_out++;
	return 0;
}

static void produce_at(unsigned int cpu, uint64_t completed_ns)
{
	uint64_t place = cpu * SLOTS + rings[cpu].produced % SLOTS;

	REQUIRE(produce(cpu, next_sector[cpu]++));
	events[place].completed_ns = completed_ns;
}

/* Records handed out later completed later, on any CPU; a record without an end stays with the one
 * before it. */
static void many_records_are_handed_out_from_the_earliest_on(void)
{
	unsigned int parts = 0;
	struct cpu_rings *r;

	handed_out = latest_ns = highest_ns = 0;
	REQUIRE(!cpu_rings__map(rings_fd, events_fd, CPUS, SLOTS, &r));
	for (unsigned int i = 1; i <= SLOTS; i++) {
		produce_at(0, i % 5 ? 1000 + i : 0);
		produce_at(1, 100 * i);
	}
	produce_at(2, 5000);
	cpu_rings__refresh(r);
	do {
		uint64_t before = handed_out;

		REQUIRE(!take(r, 12, check_moment));
		CHECK(handed_out > before);
		CHECK(handed_out - before <= 12 + SLOTS / 5);
		CHECK(highest_ns <= until_ns);
		latest_ns = until_ns;
		cpu_rings__release(r);
		parts++;
	} while (until_ns != UINT64_MAX && parts < 100);
	CHECK(parts > 3);
	CHECK_EQ(handed_out, 2 * SLOTS + 1);
	cpu_rings__free(r);
}

/* In any order, all records come. */
static void many_unordered_records_are_all_handed_out(void)
{
	unsigned int parts = 0;
	struct cpu_rings *r;

	handed_out = latest_ns = highest_ns = 0;
	REQUIRE(!cpu_rings__map(rings_fd, events_fd, CPUS, SLOTS, &r));
	for (unsigned int i = 0; i < SLOTS; i++)
		produce_at(0, 1000 - i);
	cpu_rings__refresh(r);
	do {
		latest_ns = 0;
		REQUIRE(!take(r, 12, check_moment));
		cpu_rings__release(r);
	} while (until_ns != UINT64_MAX && parts++ < 100);
	CHECK_EQ(handed_out, SLOTS);
	cpu_rings__free(r);
}

/* 0 where shared rings are not possible; otherwise as many as the memory holds. */
static void slots_fit_the_memory(void)
{
	uint32_t slots = cpu_rings__slots(4, 1 << 20);

	CHECK(slots == 0 || slots == (1 << 20) / sizeof(struct io_event));
	if (!slots)
		return;
	CHECK_EQ(cpu_rings__slots(1, 4096), 32);
	CHECK((uint64_t)cpu_rings__slots(8192, 1 << 30) * 8192 <= UINT32_MAX);
}

int main(void)
{
	rings = share(&rings_fd, CPUS * sizeof(*rings));
	events = share(&events_fd, CPUS * SLOTS * sizeof(*events));
	if (!rings || !events)
		return 1;
	RUN(records_of_a_cpu_stay_in_order);
	RUN(later_records_wait_for_the_next_refresh);
	RUN(a_full_ring_takes_no_record_until_released);
	RUN(an_error_ends_the_hand_out);
	RUN(many_records_are_handed_out_from_the_earliest_on);
	RUN(many_unordered_records_are_all_handed_out);
	RUN(slots_fit_the_memory);
	return TEST_RESULT;
}
