// SPDX-License-Identifier: MIT
/* The order and the place of IOs before they are submitted: mapping, rows to IOs. */
#include "unit/shared/test.h"

#include <errno.h>
#include <unistd.h>

#include "base/units.h"
#include "replay/source/mapping.h"
#include "replay/engine/order.h"
#include "replay/source/trace.h"
#include "replay/source/window.h"
#include "replay/source/zones.h"
#include "trace/file/writer.h"

static void through_the_cache_everything_that_overlaps_waits(void)
{
	struct replay_io write = {.op = REPLAY_WRITE, .offset_bytes = 4096, .length_bytes = 512};
	struct replay_io read = {.op = REPLAY_READ, .offset_bytes = 4000, .length_bytes = 512};
	struct mapping_options mapping = {
		.target_bytes = 1 << 20, .block_bytes = 4096, .unaligned_data = true};
	struct replay_io discard = {.op = REPLAY_DISCARD, .offset_bytes = 512, .length_bytes = 512};
	struct mapping_counts counts = {0};
	struct order order;

	REQUIRE(!order__init(&order, 4, 0));
	CHECK(!order__is_deferred(&order, &write));
	order.all = true;
	CHECK(order__is_deferred(&order, &write));
	CHECK(order__is_deferred(&order, &read));
	CHECK(!order__is_deferred(&order, &(struct replay_io){.op = REPLAY_FLUSH}));
	order__add(&order, &write, 2);
	CHECK(order__overlaps(&order, &read));
	order__remove(&order, 2);
	order__add(&order, &read, 2);
	CHECK(order__overlaps(&order, &write));
	CHECK(!order__overlaps(&order, &read));
	order__free(&order);

	CHECK_EQ(mapping__apply(&mapping, &write, &counts), 0);
	CHECK_EQ(write.length_bytes, 512);
	CHECK_EQ(mapping__apply(&mapping, &discard, &counts), 0);
	CHECK_EQ(discard.length_bytes, 4096);
	CHECK_EQ(counts.aligned, 1);
}

static void wrap_moves_what_lies_behind_the_end(void)
{
	struct mapping_options options = {
		.fit = REPLAY_FIT_WRAP, .target_bytes = 10240, .block_bytes = 512};
	struct mapping_counts counts = {0};
	struct replay_io io = {
		.op = REPLAY_READ, .offset_bytes = 10240 + 1024, .length_bytes = 512};

	CHECK_EQ(mapping__apply(&options, &io, &counts), 0);
	CHECK_EQ(io.offset_bytes, 1024);
	io.offset_bytes = 9728; /* half inside: it is moved, not cut */
	io.length_bytes = 1024;
	CHECK_EQ(mapping__apply(&options, &io, &counts), 0);
	CHECK_EQ(io.offset_bytes, 9216);
	CHECK_EQ(io.length_bytes, 1024);
	CHECK_EQ(counts.wrapped, 2);
	io.offset_bytes = 0;
	CHECK_EQ(mapping__apply(&options, &io, &counts), 0);
	CHECK_EQ(counts.wrapped, 2);
	io.length_bytes = 10752;
	CHECK_EQ(mapping__apply(&options, &io, &counts), -ERANGE);
	io.op = REPLAY_DISCARD;
	CHECK_EQ(mapping__apply(&options, &io, &counts), 0);
	CHECK_EQ(io.length_bytes, 10240);
	CHECK_EQ(counts.clipped, 1);
}

static void scale_keeps_proportions(void)
{
	struct mapping_options options = {.fit = REPLAY_FIT_SCALE,
					  .source_bytes = 1ull << 50,
					  .target_bytes = 1ull << 30,
					  .block_bytes = 4096};
	struct mapping_counts counts = {0};
	struct replay_io io = {.op = REPLAY_READ, .offset_bytes = 1ull << 49, .length_bytes = 4096};

	CHECK_EQ(mapping__apply(&options, &io, &counts), 0);
	CHECK_EQ(io.offset_bytes, 1ll << 29);
	io.offset_bytes = (1ull << 50) - 4096; /* the last block stays in the last block */
	CHECK_EQ(mapping__apply(&options, &io, &counts), 0);
	CHECK_EQ(io.offset_bytes, (1ll << 30) - 4096);
	CHECK_EQ(counts.aligned, 0);
}

static void nothing_leaves_the_target_without_fit(void)
{
	struct mapping_options options = {.target_bytes = 8192 + 100, .block_bytes = 512};
	struct mapping_counts counts = {0};
	struct replay_io inside = {.op = REPLAY_WRITE, .offset_bytes = 7680, .length_bytes = 512};
	struct replay_io outside = {.op = REPLAY_WRITE, .offset_bytes = 8192, .length_bytes = 512};
	struct replay_io huge = {
		.op = REPLAY_DISCARD, .offset_bytes = 512, .length_bytes = INT64_MAX - 1023};
	struct replay_io flush = {.op = REPLAY_FLUSH};

	CHECK_EQ(mapping__apply(&options, &inside, &counts), 0);
	CHECK_EQ(mapping__apply(&options, &outside, &counts), -ERANGE);
	CHECK_EQ(mapping__apply(&options, &huge, &counts), -ERANGE);
	CHECK_EQ(mapping__apply(&options, &flush, &counts), 0);
}

static void ios_are_widened_to_whole_blocks(void)
{
	struct mapping_options options = {.target_bytes = 1 << 20, .block_bytes = 4096};
	struct mapping_counts counts = {0};
	struct replay_io io = {.op = REPLAY_READ, .offset_bytes = 4608, .length_bytes = 4096};

	CHECK_EQ(mapping__apply(&options, &io, &counts), 0);
	CHECK_EQ(io.offset_bytes, 4096);
	CHECK_EQ(io.length_bytes, 8192);
	CHECK_EQ(counts.aligned, 1);
	CHECK_EQ(mapping__apply(&options, &io, &counts), 0);
	CHECK_EQ(counts.aligned, 1);
}

static void rows_become_the_op_that_they_were(void)
{
	struct io_row row = {.op = IO_OP_WRITE, .flags = IO_PREFLUSH};
	struct replay_io io;

	CHECK_EQ(replay_io_from_row(&row, &io), 0);
	CHECK_EQ(io.op, REPLAY_FLUSH);
	row.bytes = 4096;
	row.sector = 8;
	row.flags = IO_PREFLUSH | IO_FUA | IO_SYNC;
	CHECK_EQ(replay_io_from_row(&row, &io), 0);
	CHECK_EQ(io.op, REPLAY_WRITE);
	CHECK_EQ(io.flags, REPLAY_PREFLUSH | REPLAY_FUA);
	CHECK_EQ(io.offset_bytes, 4096);
	row.op = IO_OP_ZONE_APPEND;
	CHECK_EQ(replay_io_from_row(&row, &io), 0);
	CHECK_EQ(io.op, REPLAY_WRITE);
	CHECK_EQ(io.flags, REPLAY_APPENDED | REPLAY_PREFLUSH | REPLAY_FUA);
	CHECK_EQ(io.offset_bytes, 4096);
	row.op = IO_OP_ZONE_FINISH;
	CHECK_EQ(replay_io_from_row(&row, &io), 0);
	CHECK_EQ(io.op, REPLAY_ZONE);
	CHECK_EQ(io.zone, REPLAY_ZONE_FINISH);
	CHECK_EQ(io.offset_bytes, 4096);
	row.op = IO_OP_READ;
	row.sector = UINT64_MAX / 512 + 1;
	CHECK_EQ(replay_io_from_row(&row, &io), -ERANGE);
	row.sector = 1;
	row.bytes = UINT64_MAX;
	CHECK_EQ(replay_io_from_row(&row, &io), -ERANGE);
	row.op = 200;
	CHECK_EQ(replay_io_from_row(&row, &io), 0);
	CHECK_EQ(io.op, REPLAY_OTHER);
}

#define TRACE_START_NS 5000000000ull

static int write_trace(const char *path)
{
	struct trace_host host = {.tool = "test", .start_ns = TRACE_START_NS};
	struct trace_summary summary = {.stop_ns = TRACE_START_NS, .command_status = -1};
	struct trace_device device = {.id = 1, .name = "one", .size_bytes = 1 << 20};
	struct trace_writer *w;
	int err = trace_writer__create(path, &host, NULL, &w);

	if (err)
		return err;
	err = trace_writer__add_device(w, &device);
	device.id = 2;
	if (!err)
		err = trace_writer__add_device(w, &device);
	/* In the order of completion: the longer an IO took, the later it lies in the file. */
	for (uint64_t i = 0; i < 101 && !err; i++) {
		uint64_t created_ns = TRACE_START_NS + (i ^ 7) * 1000;
		struct io_row row = {.created_ns = created_ns,
				     .issued_ns = created_ns,
				     .completed_ns = TRACE_START_NS + 8000 + i * 1000,
				     .sector = (i ^ 7) * 8,
				     .bytes = 4096,
				     .device = i % 10 == 9 ? 2 : 1};

		err = trace_writer__append_io(w, &row);
	}
	return err ? trace_writer__close(w, NULL), err : trace_writer__close(w, &summary);
}

static uint64_t read_source(struct trace_reader *reader, unsigned int reorder_rows, uint64_t *out)
{
	struct trace_source_options options = {
		.window = {0, UINT64_MAX}, .device = 1, .reorder_rows = reorder_rows};
	struct replay_source *source;
	struct replay_io io;
	uint64_t count = 0, last_ns = 0;

	if (trace_reader__rewind(reader) || trace_source__create(reader, &options, &source))
		return 0;
	*out = 0;
	while (replay_source__next(source, &io) > 0) {
		CHECK_EQ(io.offset_bytes / 4096, io.due_ns / 1000);
		if (io.due_ns < last_ns)
			++*out;
		else
			last_ns = io.due_ns;
		count++;
	}
	CHECK_EQ(trace_source__out_of_order(source), *out);
	replay_source__free(source);
	return count;
}

static void trace_source_gives_one_device_in_order_of_creation(void)
{
	struct replay_window window = {0, UINT64_MAX};
	struct trace_source_devices devices;
	char path[] = "/tmp/blkreel-test-XXXXXX";
	struct trace_reader *reader;
	uint64_t out_of_order;
	int fd = mkstemp(path);

	REQUIRE(fd >= 0);
	close(fd);
	REQUIRE(!write_trace(path));
	REQUIRE(!trace_reader__open(path, &reader, NULL));
	CHECK_EQ(trace_source__survey(reader, &window, &devices), 0);
	CHECK_EQ(devices.count, 2);
	CHECK_EQ(devices.items[0].survey.ops[REPLAY_READ], 91);
	CHECK_EQ(devices.items[1].survey.ios, 10);
	CHECK_EQ(devices.items[0].first_ns, 0);
	CHECK(trace_source_devices__find(&devices, reader, "two") == NULL);
	trace_source_devices__free(&devices);
	CHECK_EQ(read_source(reader, 0, &out_of_order), 91);
	CHECK_EQ(out_of_order, 0);
	CHECK_EQ(read_source(reader, 8, &out_of_order), 91);
	CHECK_EQ(out_of_order, 0);
	CHECK_EQ(read_source(reader, 1, &out_of_order), 91);
	CHECK(out_of_order > 0);
	trace_reader__free(reader);
	unlink(path);
}

static void ios_of_one_zone_wait_for_each_other(void)
{
	struct replay_io write = {.op = REPLAY_WRITE, .offset_bytes = 4096, .length_bytes = 512};
	struct replay_io read = {.op = REPLAY_READ, .offset_bytes = 8192, .length_bytes = 512};
	struct replay_io reset = {.op = REPLAY_ZONE, .zone = REPLAY_ZONE_RESET};
	struct order order;

	REQUIRE(!order__init(&order, 4, 65536));
	CHECK_EQ(zones__place(&reset, 65536, 100000), 0);
	CHECK_EQ(reset.length_bytes, 65536);
	CHECK(order__is_deferred(&order, &write));
	CHECK(order__is_deferred(&order, &read));
	order__add(&order, &write, 0);
	CHECK(order__overlaps(&order, &read));
	CHECK(order__overlaps(&order, &reset));
	write.offset_bytes = 65536;
	CHECK(!order__overlaps(&order, &write));
	order__remove(&order, 0);
	order__add(&order, &read, 1);
	CHECK(!order__overlaps(&order, &read));
	CHECK(order__overlaps(&order, &reset));
	reset.offset_bytes = 65536;
	CHECK_EQ(zones__place(&reset, 65536, 100000), 0);
	CHECK_EQ(reset.length_bytes, 100000 - 65536);
	CHECK(!order__overlaps(&order, &reset));
	reset.zone = REPLAY_ZONE_RESET_ALL;
	CHECK_EQ(zones__place(&reset, 65536, 100000), 0);
	CHECK_EQ(reset.length_bytes, 100000);
	CHECK(order__overlaps(&order, &reset));
	reset.zone = REPLAY_ZONE_OPEN;
	reset.offset_bytes = 131072;
	CHECK_EQ(zones__place(&reset, 65536, 100000), -ERANGE);
	order__free(&order);
}

static void what_overlaps_a_deferred_io_is_found(void)
{
	struct replay_io zeroes = {
		.op = REPLAY_WRITE_ZEROES, .offset_bytes = 8192, .length_bytes = 8192};
	struct replay_io write = {.op = REPLAY_WRITE, .length_bytes = 512};
	struct replay_io flush = {.op = REPLAY_FLUSH};
	struct order order;

	REQUIRE(!order__init(&order, 4, 0));
	CHECK(order__is_deferred(&order, &zeroes));
	CHECK(order__is_deferred(&order, &(struct replay_io){.op = REPLAY_DISCARD}));
	CHECK(!order__is_deferred(&order, &write));
	write.flags = REPLAY_PREFLUSH;
	CHECK(order__is_deferred(&order, &write));
	order__add(&order, &zeroes, 3);
	order__add(&order, &(struct replay_io){.offset_bytes = 1 << 20, .length_bytes = 512}, 1);
	for (uint64_t offset = 0; offset < 32768; offset += 512) {
		write.offset_bytes = offset;
		CHECK_EQ(order__overlaps(&order, &write), offset >= 8192 && offset < 16384);
	}
	CHECK(!order__overlaps(&order, &flush));
	order__remove(&order, 3);
	write.offset_bytes = 8192;
	CHECK(!order__overlaps(&order, &write));
	write.offset_bytes = 1 << 20;
	CHECK(order__overlaps(&order, &write));
	order__remove(&order, 3);
	CHECK_EQ(order.count, 1);
	order__free(&order);
}

int main(void)
{
	RUN(wrap_moves_what_lies_behind_the_end);
	RUN(scale_keeps_proportions);
	RUN(nothing_leaves_the_target_without_fit);
	RUN(ios_are_widened_to_whole_blocks);
	RUN(rows_become_the_op_that_they_were);
	RUN(trace_source_gives_one_device_in_order_of_creation);
	RUN(what_overlaps_a_deferred_io_is_found);
	RUN(ios_of_one_zone_wait_for_each_other);
	RUN(through_the_cache_everything_that_overlaps_waits);
	return TEST_RESULT;
}
