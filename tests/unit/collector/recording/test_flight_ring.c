// SPDX-License-Identifier: MIT
/* Which segments a ring keeps and drops, and that a reader is not disturbed. */
#include <dirent.h>

#include "base/units.h"
#include "collector/recording/flight_ring.h"
#include "unit/shared/random.h"
#include "unit/shared/test.h"

#define ALL_KINDS ((1u << ROW_KIND_COUNT) - 1)

/* A recorder: rows at made-up moments, a segment whenever one is due. */
struct recorder {
	struct flight_ring *ring;
	struct trace_writer *writer;
	uint64_t now_ns;
	uint64_t most_bytes;
};

static void next_segment(struct recorder *r)
{
	struct trace_host host = {.start_ns = r->now_ns, .start_wall_ns = 7 * r->now_ns};

	CHECK_EQ(flight_ring__next(r->ring, &host, &r->writer), 0);
}

static struct recorder start(uint64_t keep_ns, uint64_t keep_bytes)
{
	struct recorder r = {.now_ns = 1000 * NSEC_PER_SEC};

	if (flight_ring__create(keep_ns, keep_bytes, &r.ring))
		exit(EXIT_FAILURE);
	next_segment(&r);
	return r;
}

/* Appends one row, whose sector is its number and whose size compresses badly; then time passes. */
static void record(struct recorder *r, uint64_t number, uint64_t step_ns)
{
	struct io_row row = {.created_ns = r->now_ns, .completed_ns = r->now_ns + 1};

	row.sector = number;
	row.bytes = random_of(number) >> 16;
	CHECK_EQ(trace_writer__append_io(r->writer, &row), 0);
	r->now_ns += step_ns;
	flight_ring__trim(r->ring, r->now_ns);
	if (flight_ring__is_due(r->ring, r->now_ns))
		next_segment(r);
	if (flight_ring__bytes(r->ring) > r->most_bytes)
		r->most_bytes = flight_ring__bytes(r->ring);
}

static unsigned int segments; /* segments in the last read */

/* Reads consecutive rows: the numbers of the first and the last. */
static uint64_t read_view(struct flight_view *view, uint64_t *first, uint64_t *last)
{
	struct trace_reader *reader;
	struct row_block block;
	uint64_t rows = 0;

	segments = 0;
	while (flight_view__take(view, &reader) == 1) {
		segments++;
		while (trace_reader__next(reader, ALL_KINDS, &block) == 1)
			for (uint32_t i = 0; i < block.rows; i++) {
				if (!rows++)
					*first = block.io[i].sector;
				else
					CHECK_EQ(block.io[i].sector, *last + 1);
				*last = block.io[i].sector;
			}
		trace_reader__free(reader);
	}
	return rows;
}

static unsigned int open_files(void)
{
	DIR *directory = opendir("/proc/self/fd");
	unsigned int count = 0;

	while (directory && readdir(directory))
		count++;
	if (directory)
		closedir(directory);
	return count;
}

static void the_full_time_is_kept_and_at_most_a_32nd_more(void)
{
	struct recorder r = start(32 * NSEC_PER_SEC, 1u << 30);
	uint64_t first = 0, last = 0, rows, start_ns, wall_ns;
	struct flight_view *view;

	for (uint64_t i = 0; i < 10007; i++)
		record(&r, i, 10 * NSEC_PER_MSEC);
	CHECK(!flight_ring__is_cut_by_size(r.ring));
	CHECK(r.now_ns - flight_ring__from_ns(r.ring) >= 32 * NSEC_PER_SEC);
	CHECK(r.now_ns - flight_ring__from_ns(r.ring) <= 33 * NSEC_PER_SEC);
	CHECK_EQ(trace_writer__flush(r.writer), 0);
	REQUIRE(!flight_view__create(r.ring, &view));
	flight_view__begin(view, &start_ns, &wall_ns);
	CHECK_EQ(start_ns, flight_ring__from_ns(r.ring));
	CHECK_EQ(wall_ns, 7 * start_ns);
	rows = read_view(view, &first, &last);
	CHECK_EQ(rows, flight_ring__io_rows(r.ring));
	CHECK_EQ(last, 10006);
	CHECK(rows >= 3200 && rows <= 3300);
	CHECK(segments >= 32 && segments <= 34);
	flight_view__free(view);
	flight_ring__free(r.ring);
}

static void the_size_bounds_the_memory(void)
{
	const uint64_t keep_bytes = 1u << 20;
	struct recorder r = start(0, keep_bytes);
	uint64_t first = 0, last = 0, rows;
	unsigned int before = open_files();
	struct flight_view *view;

	/* Many times the size of the ring. */
	for (uint64_t i = 0; i < 1000003; i++)
		record(&r, i, NSEC_PER_USEC);
	CHECK(r.most_bytes <= keep_bytes + keep_bytes / 32 + (128u << 10));
	CHECK(flight_ring__bytes(r.ring) >= keep_bytes - keep_bytes / 8);
	CHECK(open_files() <= before + 40);
	CHECK_EQ(trace_writer__flush(r.writer), 0);
	REQUIRE(!flight_view__create(r.ring, &view));
	rows = read_view(view, &first, &last);
	CHECK_EQ(last, 1000002);
	CHECK_EQ(rows, last - first + 1);
	CHECK(rows < 1000003);
	CHECK(segments >= 10 && segments <= 40);
	flight_view__free(view);
	flight_ring__free(r.ring);
}

static void a_time_that_does_not_fit_is_cut_by_the_size(void)
{
	struct recorder r = start(3600 * NSEC_PER_SEC, 1u << 20);

	for (uint64_t i = 0; i < 500009; i++)
		record(&r, i, NSEC_PER_USEC);
	CHECK(flight_ring__is_cut_by_size(r.ring));
	CHECK(r.most_bytes <= (1u << 20) + (1u << 15) + (128u << 10));
	flight_ring__free(r.ring);
}

static void a_view_does_not_change(void)
{
	struct recorder r = start(1 * NSEC_PER_SEC, 1u << 30);
	uint64_t first = 0, last = 0;
	struct flight_view *view;

	for (uint64_t i = 0; i < 101; i++)
		record(&r, i, NSEC_PER_MSEC);
	CHECK_EQ(trace_writer__flush(r.writer), 0);
	REQUIRE(!flight_view__create(r.ring, &view));
	/* The ring has dropped these segments long ago, and is freed, too. */
	for (uint64_t i = 101; i < 5003; i++)
		record(&r, i, NSEC_PER_MSEC);
	CHECK_EQ(trace_writer__flush(r.writer), 0);
	CHECK(flight_ring__from_ns(r.ring) > 1001 * NSEC_PER_SEC);
	flight_ring__free(r.ring);
	CHECK_EQ(read_view(view, &first, &last), 101);
	CHECK_EQ(first, 0);
	CHECK_EQ(last, 100);
	flight_view__free(view);
}

int main(void)
{
	RUN(the_full_time_is_kept_and_at_most_a_32nd_more);
	RUN(the_size_bounds_the_memory);
	RUN(a_time_that_does_not_fit_is_cut_by_the_size);
	RUN(a_view_does_not_change);
	return TEST_RESULT;
}
