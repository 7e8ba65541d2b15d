/* SPDX-License-Identifier: MIT */
/* Parties, and what they wait for, for tests of who made whom wait. */
#ifndef BLKREEL_TESTS_UNIT_EXPLAIN_MADE_BLAME_H
#define BLKREEL_TESTS_UNIT_EXPLAIN_MADE_BLAME_H

#include "unit/explain/made_traces.h"

enum {
	READS_DIRECT = 1,
	SYNCS,
};

#define PARTIES 5u

static const struct trace_task parties[] = {
	{.id = 1, .pid = 100, .tgid = 100, .comm = "a"},
	{.id = 2, .pid = 200, .tgid = 200, .comm = "b"},
	{.id = 3, .pid = 300, .tgid = 300, .comm = "c"},
	{.id = 4, .pid = 400, .tgid = 400, .comm = "d"},
	{.id = 5, .pid = 500, .tgid = 500, .comm = "e"},
	{.id = 6, .pid = 30, .tgid = 30, .comm = "kworker/u4:1", .kernel_thread = true},
	{.id = 7, .pid = 31, .tgid = 31, .comm = "jbd2/sda1-8", .kernel_thread = true},
	{.id = 8, .pid = 101, .tgid = 100, .comm = "log_of_a"},
};

static const struct trace_stack stacks[] = {
	{READS_DIRECT, "schedule io_schedule __iomap_dio_rw iomap_dio_rw vfs_read"},
	{SYNCS, "schedule jbd2_log_wait_commit ext4_sync_file do_fsync"},
};

static const struct trace_task *party(const void *context, uint32_t id)
{
	FIND_BY_ID(parties, id);
}

static const struct trace_stack *stack_of(const void *context, uint32_t id)
{
	FIND_BY_ID(stacks, id);
}

static const struct trace_file files[] = {
	{.id = 1, .first_id = 1, .major = 8, .minor = 1, .inode = 11, .path = "/srv/a"},
	{.id = 2, .first_id = 2, .inode = 12, .path = "/srv/b"},
	{.id = 3, .first_id = 3, .kind = FILE_BLOCKDEV, .path = "/dev/sda"},
};

static const struct trace_file *file_of(const void *context, uint32_t id)
{
	FIND_BY_ID(files, id);
}

static const struct explain_tables tables = {NULL,    test_device, party,
					     file_of, test_cgroup, stack_of};

static inline struct explainer *new_explainer(void)
{
	struct explainer *e = explainer__new(&tables, NULL, 0);

	if (!e)
		abort();
	return e;
}

/* Times in us after START_NS. A direct read, issued as the last of `depth` requests at the driver. */
static inline struct io_row read_of(uint32_t task, uint64_t created, uint64_t completed,
				    uint32_t depth)
{
	return (struct io_row){
		.created_ns = START_NS + created * US,
		.issued_ns = START_NS + created * US,
		.completed_ns = START_NS + completed * US,
		.bytes = 4096,
		.device = 1,
		.task = task,
		.cgroup = 1,
		.depth = depth,
		.op = IO_OP_READ,
		.origin = IO_ORIGIN_DIRECT,
	};
}

/* A call in which the task slept all the time. */
static inline void add_sleep(struct explainer *e, uint32_t task, enum wait_call call,
			     uint32_t stack, uint64_t from, uint64_t to)
{
	struct wait_row row = {.what = WAIT_SLEEP,
			       .call = call,
			       .time_ns = START_NS + from * US,
			       .duration_ns = (to - from) * US,
			       .call_ns = START_NS + from * US,
			       .task = task,
			       .stack = stack};

	CHECK(!explainer__add_wait(e, &row));
	row.what = WAIT_CALL;
	row.sleep_ns = row.duration_ns;
	row.count = 1;
	row.file = task == 1 ? 1 : 2;
	CHECK(!explainer__add_wait(e, &row));
}

/* The read and the call that waits for it. */
static inline void add_read(struct explainer *e, uint32_t task, uint64_t created,
			    uint64_t completed, uint32_t depth)
{
	test_add(e, read_of(task, created, completed, depth));
	add_sleep(e, task, WAIT_CALL_READ, READS_DIRECT, created, completed);
}

static inline uint64_t blamed_ns(const struct explanation *x, enum explain_blame_by by,
				 const char *victim, const char *culprit)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < x->waits.blame_count; i++) {
		const struct explain_blame *pair = &x->waits.blame[i];

		if (pair->by == by && !strcmp(pair->victim, victim) &&
		    (!culprit || !strcmp(pair->culprit, culprit)))
			ns += pair->ns;
	}
	return ns;
}

static inline uint64_t blamed_us(const struct explanation *x, const char *victim,
				 const char *culprit)
{
	return blamed_ns(x, BLAME_BY_TASK, victim, culprit) / US;
}

#endif
