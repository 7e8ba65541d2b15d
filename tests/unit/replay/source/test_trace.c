// SPDX-License-Identifier: MIT
#include "unit/shared/test.h"

#include <stdlib.h>
#include <unistd.h>

#include "replay/source/trace.h"
#include "trace/file/writer.h"

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
	struct replay_window window = {.to_ns = UINT64_MAX};
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

int main(void)
{
	RUN(trace_source_gives_one_device_in_order_of_creation);
	return TEST_RESULT;
}
