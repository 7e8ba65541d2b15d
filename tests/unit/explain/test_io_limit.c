// SPDX-License-Identifier: MIT
/* The limit that holds an IO back: its cgroup, its value, its words. */
#include "explain/waits/io_limit.h"
#include "unit/explain/made_traces.h"

static struct trace_io_limit limits[3];
static struct trace_cgroup grouped = {.id = 1, .path = "/a/b/c", .io_limits = limits};

static const struct trace_cgroup *made_cgroup(const void *context, uint32_t id)
{
	return id == 1 ? &grouped : NULL;
}

static const struct explain_tables tables = {NULL,	test_device, test_task,
					     test_file, made_cgroup, NULL};

/* The words of the limit of a read, or write, of sda (8:0) by the cgroup. */
static const char *words_of(uint8_t op)
{
	static char text[IO_LIMIT_WORDS_MAX];
	const struct kept_io io = {.device = 1, .cgroup = 1, .op = op};
	struct explain_io_limit limit;

	if (io_limit__find(&tables, &io, &limit))
		abort();
	io_limit__words(&limit, text);
	free(limit.cgroup);
	return text;
}

static void the_strictest_limit_names_its_cgroup(void)
{
	test_devices[0].major = 8;
	limits[0] = (struct trace_io_limit){8, 0, 0, 20 << 20, 0, 0, 70};
	limits[1] = (struct trace_io_limit){8, 0, 2, 10 << 20, 0, 0, 0};
	limits[2] = (struct trace_io_limit){8, 1, 1, 4096, 4096, 1, 1}; /* of another device */
	grouped.io_limit_count = 3;
	CHECK_TEXT(words_of(IO_OP_READ), " /a (10.0 MiB a second)");
	CHECK_TEXT(words_of(IO_OP_WRITE), " /a/b/c (70 writes a second)");
	limits[1].read_ios_per_s = 1;
	CHECK_TEXT(words_of(IO_OP_READ), " /a (10.0 MiB a second, 1 read a second)");
	limits[0].read_bytes_per_s = 5 << 20;
	CHECK_TEXT(words_of(IO_OP_READ), " /a/b/c (5.0 MiB a second, 1 read a second)");
}

static void without_a_figure_the_cgroup_is_named(void)
{
	grouped.io_limit_count = 0;
	CHECK_TEXT(words_of(IO_OP_READ), " /a/b/c");
	grouped.path = "";
	CHECK_TEXT(words_of(IO_OP_READ), "");
}

static void a_path_that_is_too_short_is_cut_to_nothing(void)
{
	grouped.path = "/a";
	grouped.io_limit_count = 1;
	limits[0] = (struct trace_io_limit){8, 0, UINT32_MAX, 4096, 0, 0, 0};
	CHECK_TEXT(words_of(IO_OP_READ), " / (4.0 KiB a second)");
}

int main(void)
{
	RUN(the_strictest_limit_names_its_cgroup);
	RUN(without_a_figure_the_cgroup_is_named);
	RUN(a_path_that_is_too_short_is_cut_to_nothing);
	return TEST_RESULT;
}
