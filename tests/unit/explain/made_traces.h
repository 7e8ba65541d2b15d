/* SPDX-License-Identifier: MIT */
/* Hand-made rows and tables for the tests of explain. */
#ifndef BLKREEL_TESTS_UNIT_EXPLAIN_MADE_TRACES_H
#define BLKREEL_TESTS_UNIT_EXPLAIN_MADE_TRACES_H

#include "base/units.h"
#include "explain/explain.h"
#include "unit/shared/test.h"
#include "unit/shared/workload.h"

#define US	 NSEC_PER_USEC
#define MS	 NSEC_PER_MSEC
#define START_NS (1000 * NSEC_PER_SEC)

static struct trace_device test_devices[] = {
	{.id = 1,
	 .major = 8,
	 .name = "sda",
	 .nr_requests = 64,
	 .read_ahead_kb = 128,
	 .scheduler = "none"},
	{.id = 2, .name = "sdb", .nr_requests = 64, .read_ahead_kb = 4096, .scheduler = "none"},
	{.id = 3, .major = 253, .name = "dm-0", .read_ahead_kb = 128, .bio_based = true},
};

static const struct trace_task test_tasks[] = {
	{.id = 1, .pid = 100, .tgid = 100, .comm = "mysqld"},
	{.id = 2, .pid = 101, .tgid = 100, .comm = "mysqld"},
	{.id = 3, .pid = 200, .tgid = 200, .comm = "fio"},
	{.id = 4, .pid = 30, .tgid = 30, .comm = "jbd2/sda1-8", .kernel_thread = true},
	{.id = 5, .pid = 102, .tgid = 102, .comm = "mysqld"},
	{.id = 6, .pid = 31, .tgid = 31, .comm = "kworker/u8:3", .kernel_thread = true},
	{.id = 77, .pid = 77, .tgid = 77, .comm = "kdamond.0"},
};

static const struct trace_file test_files[] = {
	{.id = 1, .major = 8, .minor = 1, .inode = 11, .path = "/srv/a"},
	{.id = 2, .major = 8, .minor = 1, .inode = 12, .path = ""},
	{.id = 3, .major = 8, .minor = 1, .kind = FILE_BLOCKDEV, .path = ""},
	{.id = 4, .major = 253, .minor = 0, .inode = 11, .path = "/vol/a"},
	{.id = 5, .major = 253, .minor = 7, .inode = 11, .path = "/vol/b"},
	{.id = 6, .major = 0, .minor = 45, .inode = 11, .path = "/btrfs/a"},
};

static const struct trace_cgroup test_cgroups[] = {{.id = 1, .kernel_id = 41, .path = "/db"}};

#define FIND_BY_ID(table, wanted)                                               \
	do {                                                                    \
		for (size_t i = 0; i < sizeof(table) / sizeof((table)[0]); i++) \
			if ((table)[i].id == (wanted))                          \
				return &(table)[i];                             \
		return NULL;                                                    \
	} while (0)

static const struct trace_device *test_device(const void *context, uint32_t id)
{
	FIND_BY_ID(test_devices, id);
}

static const struct trace_task *test_task(const void *context, uint32_t id)
{
	FIND_BY_ID(test_tasks, id);
}

static const struct trace_file *test_file(const void *context, uint32_t id)
{
	FIND_BY_ID(test_files, id);
}

static const struct trace_cgroup *test_cgroup(const void *context, uint32_t id)
{
	FIND_BY_ID(test_cgroups, id);
}

static const struct explain_tables test_tables = {NULL,	     test_device, test_task,
						  test_file, test_cgroup, NULL};

static inline struct explainer *test_explainer(void)
{
	struct explainer *e = explainer__new(&test_tables, NULL, 0);

	if (!e)
		abort();
	return e;
}

/* A read of 4 KiB of file 1 by task 1 on sda, 10 us in the queue and 90 us in the device. */
static inline struct io_row test_read(uint64_t created_ns, uint64_t sector)
{
	return (struct io_row){
		.created_ns = created_ns,
		.issued_ns = created_ns + 10 * US,
		.completed_ns = created_ns + 100 * US,
		.sector = sector,
		.bytes = 4096,
		.device = 1,
		.task = 1,
		.cgroup = 1,
		.file = 1,
		.depth = 1,
		.op = IO_OP_READ,
		.origin = IO_ORIGIN_FILE,
	};
}

static inline void test_add(struct explainer *e, struct io_row row)
{
	if (explainer__add_io(e, &row))
		abort();
}

/* An IO of a made-up workload, with all else as in test_read(). */
static inline struct io_row test_row(const struct io_row *made)
{
	struct io_row row = test_read(START_NS + made->created_ns, made->sector);

	row.bytes = made->bytes;
	row.op = made->op;
	if (row.op == IO_OP_FLUSH)
		row.flags = IO_FLUSH_MACHINERY;
	return row;
}

/* The IOs of a sentence (unit/shared/workload.h). */
static inline void test_add_workload(struct explainer *e, const char *sentence)
{
	struct made_workload made = workload_of(sentence);

	for (uint64_t i = 0; i < made.ios; i++)
		test_add(e, test_row(&made.rows[i]));
	free(made.rows);
}

/* The recording lasts `duration_ns` from START_NS and ends well. */
static inline struct explanation *test_finish(struct explainer *e, uint64_t duration_ns)
{
	const struct trace_host host = {.start_ns = START_NS, .hostname = "h", .kernel = "6.18"};
	const struct trace_summary summary = {.stop_ns = START_NS + duration_ns};
	const struct explain_frame frame = {.host = &host, .summary = &summary};
	struct explanation *x = NULL;

	if (explain_finish(e, &frame, &x))
		abort();
	return x;
}

static inline const struct explain_finding *test_finding(const struct explanation *x,
							 const char *id)
{
	for (uint32_t i = 0; i < x->finding_count; i++)
		if (!strcmp(x->findings[i].id, id))
			return &x->findings[i];
	return NULL;
}

#endif
