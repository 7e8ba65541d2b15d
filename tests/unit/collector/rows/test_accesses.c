// SPDX-License-Identifier: MIT
#include "unit/shared/test.h"

#include "collector/rows/accesses.h"

#define EVENTS_MAX 64

struct seen {
	struct access_event events[EVENTS_MAX];
	unsigned int count;
	unsigned int all; /* more than fit */
	int stop_at;	  /* the record that returns an error; 0: none */
};

static int note(const struct access_event *event, void *context)
{
	struct seen *seen = context;

	seen->all++;
	if (seen->count < EVENTS_MAX)
		seen->events[seen->count++] = *event;
	return seen->stop_at && (int)seen->count == seen->stop_at ? -5 : 0;
}

static struct access_event operation(uint8_t op, uint64_t time_ns, uint64_t duration_ns,
				     uint64_t offset, uint64_t bytes)
{
	return (struct access_event){.type = EVENT_ACCESS,
				     .op = op,
				     .device = 8 << 20,
				     .inode = 12,
				     .time_ns = time_ns,
				     .duration_ns = duration_ns,
				     .offset = offset,
				     .bytes = bytes};
}

static void add(struct accesses *a, uint8_t op, uint64_t time_ns, uint64_t duration_ns,
		uint64_t offset, uint64_t bytes)
{
	struct access_event event = operation(op, time_ns, duration_ns, offset, bytes);

	CHECK_EQ(accesses__add(a, &event), 0);
}

/* Two rings one after the other; records that ended after the time of the round wait for the next
 * round. */
static void records_of_several_rings_are_ordered_by_their_ends(void)
{
	struct accesses *a;
	struct seen seen = {0};

	REQUIRE(!accesses__create(&a));
	CHECK_EQ(accesses__release(a, UINT64_MAX, note, &seen), 0);
	add(a, ACCESS_EVENT_READ, 10, 90, 0, 1);
	add(a, ACCESS_EVENT_READ, 110, 20, 1, 1);
	add(a, ACCESS_EVENT_READ, 190, 50, 2, 1);
	add(a, ACCESS_EVENT_READ, 20, 10, 3, 1);
	add(a, ACCESS_EVENT_READ, 115, 5, 4, 1);
	CHECK_EQ(accesses__release(a, 200, note, &seen), 0);
	CHECK_EQ(seen.count, 4);
	CHECK_EQ(seen.events[0].offset, 3);
	CHECK_EQ(seen.events[1].offset, 0);
	CHECK_EQ(seen.events[2].offset, 4);
	CHECK_EQ(seen.events[3].offset, 1);
	add(a, ACCESS_EVENT_READ, 201, 2, 5, 1);
	CHECK_EQ(accesses__release(a, UINT64_MAX, note, &seen), 0);
	CHECK_EQ(seen.count, 6);
	CHECK_EQ(seen.events[4].offset, 5);
	CHECK_EQ(seen.events[5].offset, 2);
	accesses__free(a);
}

/* Consecutive folios are joined to a range, but not across a gap, or another file, device or
 * task. */
static void consecutive_removed_pages_are_one_row(void)
{
	struct access_event next = operation(ACCESS_EVENT_INVALIDATE, 6, 0, 28672, 4096);
	struct accesses *a;
	struct seen seen = {0};

	REQUIRE(!accesses__create(&a));
	add(a, ACCESS_EVENT_INVALIDATE, 1, 0, 0, 4096);
	add(a, ACCESS_EVENT_INVALIDATE, 2, 0, 4096, 8192);
	add(a, ACCESS_EVENT_INVALIDATE, 3, 0, 12288, 4096);
	add(a, ACCESS_EVENT_INVALIDATE, 5, 0, 24576, 4096);
	/* Each begins where the previous one ends, and differs from it in one field. */
	for (unsigned int i = 0; i < 4; i++, next.time_ns++, next.offset += next.bytes) {
		if (i < 1)
			next.inode = 13;
		else if (i < 2)
			next.device++;
		else if (i < 3)
			next.pid = 7;
		CHECK_EQ(accesses__add(a, &next), 0);
	}
	CHECK_EQ(accesses__release(a, 100, note, &seen), 0);
	REQUIRE(seen.count == 5);
	CHECK_EQ(seen.events[0].bytes, 16384);
	CHECK_EQ(seen.events[1].offset, 24576);
	CHECK_EQ(seen.events[1].bytes, 4096);
	CHECK_EQ(seen.events[2].inode, 13);
	CHECK_EQ(seen.events[2].bytes, 4096);
	CHECK_EQ(seen.events[3].bytes, 4096);
	CHECK_EQ(seen.events[4].pid, 7);
	CHECK_EQ(seen.events[4].bytes, 8192);
	accesses__free(a);
}

/* A system call and the operations that it caused, on a machine with a coarse clock. */
static void equal_ends_are_ordered_by_their_starts(void)
{
	struct accesses *a;
	struct seen seen = {0};

	REQUIRE(!accesses__create(&a));
	add(a, ACCESS_EVENT_READ, 50, 0, 1, 1);
	add(a, ACCESS_EVENT_READ, 90, 10, 3, 1);
	add(a, ACCESS_EVENT_READ, 10, 90, 2, 1);
	add(a, ACCESS_EVENT_READ, 40, 5, 0, 1);
	CHECK_EQ(accesses__release(a, 100, note, &seen), 0);
	REQUIRE(seen.count == 4);
	for (unsigned int i = 0; i < 4; i++)
		CHECK_EQ(seen.events[i].offset, i);
	accesses__free(a);
}

static void reads_are_not_joined(void)
{
	struct accesses *a;
	struct seen seen = {0};

	REQUIRE(!accesses__create(&a));
	add(a, ACCESS_EVENT_READ, 1, 0, 0, 4096);
	add(a, ACCESS_EVENT_READ, 2, 0, 4096, 4096);
	CHECK_EQ(accesses__release(a, 100, note, &seen), 0);
	CHECK_EQ(seen.count, 2);
	accesses__free(a);
}

static void an_error_of_the_receiver_is_returned(void)
{
	struct accesses *a;
	struct seen seen = {.stop_at = 2};

	REQUIRE(!accesses__create(&a));
	for (unsigned int i = 0; i < 5; i++)
		add(a, ACCESS_EVENT_READ, 1 + i, 0, i, 1);
	CHECK_EQ(accesses__release(a, 100, note, &seen), -5);
	CHECK_EQ(seen.count, 2);
	accesses__free(a);
}

/* Memory stays bounded while a ring is filled as fast as it is drained. */
static void full_is_reported(void)
{
	struct access_event event = operation(ACCESS_EVENT_READ, 1, 0, 0, 1);
	struct accesses *a;
	struct seen seen = {0};
	unsigned int added = 0;

	REQUIRE(!accesses__create(&a));
	while (added < 1u << 22 && !accesses__add(a, &event))
		added++;
	CHECK(added < 1u << 22);
	CHECK_EQ(accesses__release(a, UINT64_MAX, note, &seen), 0);
	CHECK_EQ(seen.all, added + 1);
	CHECK_EQ(accesses__add(a, &event), 0);
	accesses__free(a);
}

static void pages_hit_are_those_not_missed(void)
{
	struct access_event event = operation(ACCESS_EVENT_READ, 1, 5, 4000, 5000);
	struct access_row row;

	event.miss_pages = 2;
	event.flags = ACCESS_EVENT_IO_URING | ACCESS_EVENT_BOUNDED | ACCESS_EVENT_KTHREAD;
	accesses__to_row(&event, &row);
	CHECK_EQ(row.hit_pages, 1);
	CHECK_EQ(row.miss_pages, 2);
	CHECK_EQ(row.readahead_pages, 0);
	CHECK_EQ(row.flags, ACCESS_IO_URING | ACCESS_BOUNDED);
	/* More pages were fetched than the range has. */
	event.miss_pages = 7;
	accesses__to_row(&event, &row);
	CHECK_EQ(row.hit_pages, 0);
	CHECK_EQ(row.miss_pages, 3);
	CHECK_EQ(row.readahead_pages, 4);
	event.op = ACCESS_EVENT_DIRECT_READ;
	event.miss_pages = 0;
	accesses__to_row(&event, &row);
	CHECK_EQ(row.hit_pages + row.miss_pages, 0);
}

int main(void)
{
	RUN(records_of_several_rings_are_ordered_by_their_ends);
	RUN(consecutive_removed_pages_are_one_row);
	RUN(equal_ends_are_ordered_by_their_starts);
	RUN(reads_are_not_joined);
	RUN(an_error_of_the_receiver_is_returned);
	RUN(full_is_reported);
	RUN(pages_hit_are_those_not_missed);
	return TEST_RESULT;
}
