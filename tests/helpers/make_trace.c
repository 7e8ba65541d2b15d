// SPDX-License-Identifier: MIT
/*
 * Writes a made-up trace that depends only on its options. Golden files and the input of many tests
 * come from it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "base/units.h"
#include "trace/file/writer.h"

#define START_NS      (1000 * NSEC_PER_SEC)
#define START_WALL_NS (1700000000 * NSEC_PER_SEC)
#define TASKS	      5u
#define CGROUPS	      2u
#define FILES	      4u
#define PLACES	      50u

struct config {
	uint64_t rows, cache_rows, tick_rows, hist_rows, access_rows, wait_rows, loss_rows, seed,
		devices, read_pct, gap_ns, latency_ns, resolution_ns, batch, return_pct,
		inserted_pct;
	uint64_t start_ns, wall_ns, stop_wall_ns;
	const char *host;
	bool no_end, odd, stack, priorities, atomic, knows_cache, old_kernel;
};

struct random {
	uint64_t state;
};

/* splitmix64: the same numbers on every machine. */
static uint64_t next_random(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static uint64_t below(struct random *random, uint64_t limit)
{
	return next_random(random) % limit;
}

static int add_devices(struct trace_writer *w, const struct config *config)
{
	int err = 0;

	for (uint32_t id = 1; id <= config->devices && !err; id++) {
		struct trace_device device = {
			.id = id,
			.major = 259,
			.minor = id - 1,
			.size_bytes = 64ull << 30,
			.logical_block_bytes = 512,
			.physical_block_bytes = 4096,
			.nr_requests = 1023,
			.read_ahead_kb = 128,
			.max_discard_bytes = 2ull << 30,
			.scheduler = "none",
			.model = "Example SSD",
			.write_cache = true,
		};

		snprintf(device.name, sizeof(device.name), "nvme%un1", id - 1);
		err = trace_writer__add_device(w, &device);
	}
	return err;
}

static int add_tasks(struct trace_writer *w, const struct config *config)
{
	static const char *const names[TASKS] = {"mysqld", "kworker/u8:1", "fio", "sh", "jbd2"};
	int err = 0;

	for (uint32_t id = 1; id <= TASKS && !err; id++) {
		struct trace_task task = {.id = id, .pid = 100 + id, .tgid = 100 + id};

		task.kernel_thread = id == 2 || id == 5;
		snprintf(task.comm, sizeof(task.comm), "%s",
			 config->odd && id == 4 ? "a,\"b\"\n\xff\\" : names[id - 1]);
		err = trace_writer__add_task(w, &task);
	}
	return err;
}

static int add_files(struct trace_writer *w, const struct config *config)
{
	static const char *const paths[FILES] = {"/srv/db/ibdata1", "/srv/db/redo.log", "",
						 "/srv/\xc3\xa4rger"};
	int err = 0;

	for (uint32_t id = 1; id <= FILES && !err; id++) {
		struct trace_file file = {.id = id, .major = 259, .minor = 1, .inode = 1000 + id};

		file.path = config->odd && id == 2 ? "/srv/a,b\\\"\xfe\n" : paths[id - 1];
		if (config->odd && id == 3)
			file.inode = UINT64_MAX;
		err = trace_writer__add_file(w, &file);
	}
	for (uint32_t id = 1; id <= CGROUPS && !err; id++) {
		struct trace_cgroup cgroup = {
			.id = id, .kernel_id = 40 + id, .path = id == 1 ? "/" : "/system.slice"};

		err = trace_writer__add_cgroup(w, &cgroup);
	}
	return err;
}

static int add_tables(struct trace_writer *w, const struct config *config)
{
	static const struct trace_tier tier = {"block", "tp_btf", "exact", ""},
				       cache = {"cache_reads", "tp_btf", "exact", ""};
	static const char *const not_in_5_10[] = {"cache_reads", "cache_demand_misses",
						  "cache_readahead", "cache_overwritten"};
	int err = trace_writer__add_tier(w, &tier);

	if (!err && config->knows_cache)
		err = trace_writer__add_tier(w, &cache);
	for (unsigned int i = 0; !err && config->old_kernel && i < 4; i++) {
		const struct trace_tier none = {not_in_5_10[i], "none", "unavailable", ""};

		err = trace_writer__add_tier(w, &none);
	}
	if (!err)
		err = add_devices(w, config);
	if (!err)
		err = add_tasks(w, config);
	return err ? err : add_files(w, config);
}

static uint8_t pick_op(struct random *random, const struct config *config)
{
	if (below(random, 100) < config->read_pct)
		return IO_OP_READ;
	if (!config->odd)
		return IO_OP_WRITE;
	return (uint8_t)below(random, IO_OP_COUNT);
}

/* Unknown times, errors and the largest numbers, which a reader must survive. */
static void make_odd(struct random *random, struct io_row *row)
{
	switch (below(random, 12)) {
	case 0:
		row->created_ns = 0;
		break;
	case 1:
		row->issued_ns = 0;
		break;
	case 2:
		row->completed_ns = 0;
		break;
	case 3:
		row->created_ns = row->issued_ns = 0;
		row->flags |= IO_STARTED_BEFORE;
		break;
	case 4:
		row->error = -EIO;
		break;
	case 5:
		row->sector = UINT64_MAX;
		row->bytes = 0;
		break;
	case 6:
		row->task = row->file = row->cgroup = 0;
		break;
	case 7:
		row->device = 77;
		break;
	}
}

/* With --return-pct an IO begins where one of the last few began or ended. */
struct past {
	uint64_t sectors[2 * PLACES];
	uint64_t count;
};

static void visit(struct random *random, const struct config *config, struct past *past,
		  struct io_row *row)
{
	uint64_t known = past->count < PLACES ? past->count : PLACES;

	if (config->return_pct && known && below(random, 100) < config->return_pct)
		row->sector = past->sectors[below(random, 2 * known)];
	past->sectors[2 * (past->count % PLACES)] = row->sector;
	past->sectors[2 * (past->count % PLACES) + 1] = row->sector + row->bytes / SECTOR_BYTES;
	past->count++;
}

/* Each second IO is the lower part of the one that ends after it. */
static void stack(struct io_row *row, uint64_t i)
{
	if (i % 2)
		row->id = i + 1;
	else
		row->parent_id = i + 2;
}

static int append_ios(struct trace_writer *w, const struct config *config, struct random *random)
{
	uint64_t time_ns = config->start_ns, end_sector = 2048;
	struct past past = {0};
	int err = 0;

	for (uint64_t i = 0; i < config->rows && !err; i++) {
		struct io_row row = {.op = pick_op(random, config)};
		bool has_data = row.op == IO_OP_READ || row.op == IO_OP_WRITE;

		time_ns += config->gap_ns / 2 + below(random, config->gap_ns + 1);
		row.created_ns = time_ns;
		row.issued_ns = time_ns + 1000 + below(random, 2000);
		row.completed_ns = row.issued_ns + config->latency_ns / 2 +
				   below(random, config->latency_ns + 1);
		row.sector = below(random, 4) ? end_sector : 8 * below(random, 16u << 20);
		row.bytes = has_data ? 4096 << below(random, 4) : 0;
		visit(random, config, &past, &row);
		end_sector = row.sector + row.bytes / SECTOR_BYTES;
		row.device = 1 + (uint32_t)below(random, config->devices);
		row.task = 1 + (uint32_t)below(random, TASKS);
		row.cgroup = 1 + row.task % CGROUPS;
		row.origin = has_data ? IO_ORIGIN_FILE : IO_ORIGIN_NONE;
		row.file = has_data ? 1 + (uint32_t)below(random, FILES) : 0;
		row.flags = row.op == IO_OP_READ ? 0 : IO_SYNC;
		row.flags |= row.op == IO_OP_READ && !below(random, 3) ? IO_RAHEAD : 0;
		row.merges = (uint32_t)below(random, 3);
		row.depth = 1 + (uint32_t)below(random, 8);
		row.cpu = (uint16_t)below(random, 4);
		if (config->inserted_pct && below(random, 100) < config->inserted_pct)
			row.inserted_ns = row.created_ns + below(random, 1000);
		if (config->stack)
			stack(&row, i);
		if (config->priorities && below(random, 3))
			row.ioprio = (uint16_t)below(random, below(random, 8) ? 4 << 13 : 1 << 16);
		if (config->atomic && row.op == IO_OP_WRITE && below(random, 3))
			row.flags |= IO_ATOMIC;
		if (config->odd)
			make_odd(random, &row);
		err = trace_writer__append_io(w, &row);
		if (!err && config->batch && i % config->batch == config->batch - 1)
			err = trace_writer__flush(w);
	}
	return err;
}

static int append_caches(struct trace_writer *w, const struct config *config, struct random *random)
{
	int err = 0;

	for (uint64_t i = 0; i < config->cache_rows && !err; i++) {
		struct cache_row row = {.time_ns = config->start_ns + (i + 1) * NSEC_PER_SEC,
					.interval_ns = NSEC_PER_SEC};

		row.cgroup = 1 + (uint32_t)below(random, CGROUPS);
		row.file = 1 + (uint32_t)below(random, FILES);
		row.task = 1 + (uint32_t)below(random, TASKS);
		row.reads = 100 + below(random, 1000);
		row.read_pages = 2 * row.reads;
		row.demand_miss_pages = below(random, 100);
		row.fault_pages = below(random, 10);
		row.readahead_added_pages = 60 + below(random, 60);
		row.readahead_used_pages = below(random, 50);
		row.readahead_wasted_pages = below(random, 10);
		row.readahead_untracked_pages = below(random, 3);
		row.write_added_pages = below(random, 7);
		row.other_added_pages = below(random, 2);
		row.dirtied_pages = below(random, 20);
		row.written_back_pages = below(random, 20);
		row.deleted_pages = below(random, 30);
		row.waits = below(random, 5);
		row.wait_ns = row.waits * below(random, 1000000);
		row.written_pages = below(random, 50);
		row.overwritten_pages = below(random, 20);
		row.evicted_pages = below(random, 10);
		row.direct_reads = below(random, 9);
		row.direct_read_bytes = 512 * row.direct_reads;
		row.direct_writes = below(random, 4);
		row.direct_write_bytes = 4096 * row.direct_writes;
		row.throttles = below(random, 3);
		row.throttle_ns = row.throttles * below(random, 200000000);
		err = trace_writer__append_cache(w, &row);
	}
	return err;
}

static int append_ticks(struct trace_writer *w, const struct config *config, struct random *random)
{
	int err = 0;

	for (uint64_t i = 0; i < config->tick_rows && !err; i++) {
		struct tick_row row = {.time_ns = config->start_ns + (i + 1) * NSEC_PER_SEC,
				       .interval_ns = NSEC_PER_SEC,
				       .device = 1 + (uint32_t)(i % config->devices)};

		row.in_flight = (uint32_t)below(random, 9);
		for (unsigned int op = 0; op < TICK_OP_COUNT; op++) {
			row.ios[op] = below(random, 1000);
			row.merges[op] = below(random, 10);
			row.sectors[op] = 8 * row.ios[op];
			row.ticks_ms[op] = below(random, 900);
		}
		row.io_ticks_ms = below(random, 1001);
		row.in_queue_ms = below(random, 5000);
		/* With histograms: a recording may have both. */
		if (config->hist_rows && i % 3) {
			row.measured = TICK_MEASURED_BUSY;
			row.busy_ns = below(random, NSEC_PER_SEC);
			row.depth_ns = row.busy_ns * below(random, 40);
			row.depth_max = (uint32_t)below(random, 64);
		}
		err = trace_writer__append_tick(w, &row);
	}
	return err;
}

static int append_hists(struct trace_writer *w, const struct config *config, struct random *random)
{
	static const uint8_t ops[] = {IO_OP_READ, IO_OP_WRITE, IO_OP_DISCARD, IO_OP_FLUSH};
	int err = 0;

	for (uint64_t i = 0; i < config->hist_rows && !err; i++) {
		struct hist_row row = {.time_ns = config->start_ns + (i / 40 + 1) * NSEC_PER_SEC,
				       .interval_ns = NSEC_PER_SEC,
				       .device = 1 + (uint32_t)(i % config->devices),
				       .op = ops[i / 10 % 4],
				       .figure = (uint8_t)(i / 3 % HIST_FIGURE_COUNT)};

		row.low = below(random, 30) << below(random, 30);
		row.high = i % 19 ? row.low + 1 + below(random, 1000) : 0;
		row.count = 1 + below(random, 100000);
		err = trace_writer__append_hist(w, &row);
	}
	return err;
}

static int append_accesses(struct trace_writer *w, const struct config *config,
			   struct random *random)
{
	uint64_t time_ns = config->start_ns, end = 0;
	int err = 0;

	for (uint64_t i = 0; i < config->access_rows && !err; i++) {
		struct access_row row = {.op = (uint8_t)below(random, ACCESS_OP_COUNT)};

		time_ns += config->gap_ns / 2 + below(random, config->gap_ns + 1);
		row.time_ns = time_ns;
		row.duration_ns = below(random, 4) ? 200 + below(random, config->latency_ns) : 0;
		row.offset = below(random, 3) ? end : 512 * below(random, 1u << 20);
		row.bytes = below(random, 9) ? 512 << below(random, 8) : 0;
		end = row.offset + row.bytes;
		row.miss_pages = below(random, access_row_pages(&row) + 1);
		row.hit_pages = access_row_pages(&row) - row.miss_pages;
		row.readahead_pages = row.miss_pages ? below(random, 32) : 0;
		row.waits = below(random, 8) ? 0 : 1 + (uint32_t)below(random, 3);
		row.wait_ns = row.waits * below(random, 1000000);
		row.task = 1 + (uint32_t)below(random, TASKS);
		row.cgroup = 1 + row.task % CGROUPS;
		row.file = 1 + (uint32_t)below(random, FILES);
		row.flags = below(random, 5) ? 0 : 1u << below(random, 5);
		if (config->odd && i % 50 == 49) {
			row.offset = row.bytes = UINT64_MAX;
			row.flags = UINT32_MAX;
			row.task = row.file = row.cgroup = 0;
		}
		err = trace_writer__append_access(w, &row);
	}
	return err;
}

static const char *const stacks[] = {
	"schedule io_schedule folio_wait_bit_common filemap_update_page filemap_read vfs_read",
	"schedule jbd2_log_wait_commit ext4_sync_file do_fsync",
	"schedule io_schedule_timeout __iomap_dio_rw iomap_dio_rw vfs_read",
	"schedule rwsem_down_write_slowpath down_write ext4_buffered_write_iter",
};

#define STACKS (sizeof(stacks) / sizeof(stacks[0]))

static void fill_wait(const struct config *config, struct random *random, struct wait_row *row)
{
	row->duration_ns = 1000 + below(random, config->latency_ns);
	row->run_queue_ns = below(random, 9000);
	if (row->what == WAIT_SLEEP) {
		row->stack = 1 + (uint32_t)below(random, STACKS);
		row->waker = 1 + (uint32_t)below(random, TASKS);
		row->call_ns = below(random, 5) ? row->time_ns - below(random, 5000) : 0;
		row->flags = (uint32_t)below(random, 8);
	}
	if (row->what != WAIT_SLEEP)
		row->cpu_ns = below(random, row->duration_ns);
	if (row->what == WAIT_CALL || row->what == WAIT_TASK)
		row->sleep_ns = row->duration_ns - row->cpu_ns;
	if (row->what == WAIT_CALL || row->what == WAIT_CALLS)
		row->count = row->what == WAIT_CALL ? 1 : 1 + below(random, 1000);
	if (row->what == WAIT_CALLS) {
		row->low = 64ull << below(random, 20);
		row->high = row->low / 8 * 9;
	}
}

static int append_waits(struct trace_writer *w, const struct config *config, struct random *random)
{
	struct wait_row slept = {.call_ns = config->start_ns, .task = 1};
	uint64_t time_ns = config->start_ns;
	int err = 0;

	for (uint32_t id = 1; config->wait_rows && id <= STACKS && !err; id++) {
		struct trace_stack stack = {.id = id, .functions = stacks[id - 1]};

		err = trace_writer__add_stack(w, &stack);
	}
	for (uint64_t i = 0; i < config->wait_rows && !err; i++) {
		struct wait_row row = {.what = (uint8_t)below(random, WAIT_WHAT_COUNT),
				       .call = (uint8_t)below(random, WAIT_CALL_COUNT),
				       .task = 1 + (uint32_t)below(random, TASKS),
				       .file = (uint32_t)below(random, FILES + 1)};

		time_ns += config->gap_ns / 2 + below(random, config->gap_ns + 1);
		row.time_ns = time_ns;
		fill_wait(config, random, &row);
		if (row.what == WAIT_SLEEP && row.call_ns)
			slept = row;
		if (row.what == WAIT_CALL) {
			/* The call of the sleep before. */
			row.time_ns = row.call_ns = slept.call_ns;
			row.task = slept.task;
			row.call = WAIT_CALL_FSYNC;
		}
		if (config->odd && i % 50 == 49) {
			row.duration_ns = row.sleep_ns = row.high = UINT64_MAX;
			row.flags = UINT32_MAX;
			row.task = row.file = row.stack = 0;
		}
		err = trace_writer__append_wait(w, &row);
	}
	return err;
}

static int append_losses(struct trace_writer *w, const struct config *config)
{
	int err = 0;

	for (uint64_t i = 0; i < config->loss_rows && !err; i++) {
		struct loss_row row = {.from_ns = config->start_ns + i * NSEC_PER_SEC,
				       .to_ns = config->start_ns + (i + 1) * NSEC_PER_SEC,
				       .count = 1 + i,
				       .class = (uint32_t)(i % LOSS_CLASS_COUNT)};

		err = trace_writer__append_loss(w, &row);
	}
	return err;
}

static int write_trace(const char *path, const struct config *config)
{
	struct trace_host host = {.tool = "make_trace 1",
				  .kernel = "6.1.0",
				  .machine = "x86_64",
				  .command = "make_trace",
				  .start_ns = config->start_ns,
				  .start_wall_ns = config->wall_ns};
	struct trace_writer_options options = {.resolution_ns = config->resolution_ns};
	struct trace_summary summary = {.stop_wall_ns = config->stop_wall_ns};
	struct random random = {config->seed};
	struct trace_writer *w;
	int err, close_err;

	snprintf(host.hostname, sizeof(host.hostname), "%s", config->host);
	err = trace_writer__create(path, &host, &options, &w);
	if (err)
		return err;
	err = add_tables(w, config);
	if (!err)
		err = append_ios(w, config, &random);
	if (!err)
		err = append_caches(w, config, &random);
	if (!err)
		err = append_ticks(w, config, &random);
	if (!err)
		err = append_hists(w, config, &random);
	if (!err)
		err = append_accesses(w, config, &random);
	if (!err)
		err = append_waits(w, config, &random);
	if (!err)
		err = append_losses(w, config);
	summary.stop_ns = config->start_ns + (config->rows * config->gap_ns) + NSEC_PER_SEC;
	summary.in_flight_at_end = config->odd ? 3 : 0;
	close_err = trace_writer__close(w, config->no_end || err ? NULL : &summary);
	return err ? err : close_err;
}

#define NUMBER(field, long_name, text) \
	OPTION(struct config, field, 0, long_name, COUNT, "N", text, .max = UINT64_MAX / 2)
#define PERCENT(field, long_name, text) \
	OPTION(struct config, field, 0, long_name, COUNT, "N", text, .max = 100)
#define SWITCH(field, long_name, text) OPTION(struct config, field, 0, long_name, FLAG, NULL, text)

static const struct option_def option_defs[] = {
	NUMBER(rows, "rows", "write N io rows (100)"),
	NUMBER(cache_rows, "cache", "write N cache rows (0)"),
	NUMBER(tick_rows, "ticks", "write N tick rows (0)"),
	NUMBER(hist_rows, "hists", "write N hist rows (0), and measured busy time in ticks"),
	NUMBER(access_rows, "accesses", "write N access rows (0)"),
	NUMBER(wait_rows, "waits", "write N wait rows (0)"),
	NUMBER(loss_rows, "losses", "write N loss rows (0)"),
	NUMBER(seed, "seed", "seed the random numbers with N (1)"),
	OPTION(struct config, devices, 0, "devices", COUNT, "N", "name N devices (1)", .min = 1,
	       .max = 64),
	PERCENT(read_pct, "read-pct", "make N % of the IOs reads (70)"),
	PERCENT(return_pct, "return-pct", "let N % of the IOs return to an earlier place (0)"),
	PERCENT(inserted_pct, "inserted-pct", "let a scheduler hold N % of the IOs (0)"),
	NUMBER(gap_ns, "gap-ns", "set the mean time between IOs (100000)"),
	NUMBER(latency_ns, "latency-ns", "set the mean time at the device (80000)"),
	NUMBER(resolution_ns, "resolution-ns", "set the resolution of all times (1)"),
	NUMBER(start_ns, "start-ns", "start at this monotonic time (1000 s)"),
	NUMBER(wall_ns, "wall-ns", "start at this wall time, 0: not known (1.7e18)"),
	NUMBER(stop_wall_ns, "stop-wall-ns", "end at this wall time, 0: not known (0)"),
	OPTION(struct config, host, 0, "host", TEXT, "NAME", "name the host (example)"),
	NUMBER(batch, "batch", "close the blocks after each N io rows (0: never)"),
	SWITCH(priorities, "priorities", "give IOs priorities, any of them"),
	SWITCH(atomic, "atomic", "make two writes of three atomic"),
	SWITCH(odd, "odd", "write rows and names that are hard to store"),
	SWITCH(knows_cache, "knows-cache", "say that the page cache was recorded"),
	SWITCH(old_kernel, "old-kernel", "say that reads of the page cache are not known"),
	SWITCH(stack, "stack", "make every other IO the work of the one after it"),
	SWITCH(no_end, "no-end", "stop without an end mark"),
	{0},
};

static const struct command_usage usage = {
	.name = "make_trace",
	.synopsis = "[OPTIONS] FILE",
	.summary = "Writes a trace that depends on nothing but its options.",
	.options = option_defs,
};

int main(int argc, char **argv)
{
	struct config config = {.rows = 100,
				.seed = 1,
				.devices = 1,
				.read_pct = 70,
				.gap_ns = 100000,
				.latency_ns = 80000,
				.start_ns = START_NS,
				.wall_ns = START_WALL_NS,
				.host = "example"};
	int operand, err;

	switch (options_parse(&usage, argc, argv, &config, &operand, NULL)) {
	case OPTIONS_OK:
		break;
	case OPTIONS_HELP:
		return EXIT_SUCCESS;
	case OPTIONS_USAGE:
		return 2;
	}
	if (operand != argc - 1)
		return options_usage_error(&usage, "takes one file");
	err = write_trace(argv[operand], &config);
	if (err)
		fprintf(stderr, "make_trace: %s: %s\n", argv[operand], strerror(-err));
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
