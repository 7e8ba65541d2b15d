// SPDX-License-Identifier: MIT
/*
 * Speed and memory of the trace library on the io rows of a real trace. The rows are in memory
 * before the clock starts; the clock is this process's CPU time, so other processes on the same
 * core do not count.
 *
 *     bench_trace write IN OUT RESOLUTION_NS   prints rows cpu_ns peak_bytes bytes
 *     bench_trace read IN                      prints rows cpu_ns peak_bytes checksum
 *     bench_trace csv IN                       prints every field of every row, once
 *
 * peak_bytes is what the library needed on top of the rows.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/units.h"
#include "trace/file/reader.h"
#include "trace/file/writer.h"

struct rows {
	struct io_row *io;
	uint64_t count, allocated;
	struct trace_reader *reader; /* holds the tables */
};

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

/* A line of /proc/self/status in bytes. */
static uint64_t status_bytes(const char *name)
{
	FILE *file = fopen("/proc/self/status", "re");
	uint64_t kib = 0;
	char line[256];

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			kib = strtoull(line + strlen(name), NULL, 10);
	fclose(file);
	return kib * 1024;
}

/* Makes the kernel forget the peak so far. */
static int reset_peak(void)
{
	FILE *file = fopen("/proc/self/clear_refs", "we");
	int err = 0;

	if (!file)
		return -errno;
	if (fputs("5", file) < 0)
		err = -errno;
	if (fclose(file) && !err)
		err = -errno;
	return err;
}

static int keep(struct rows *rows, const struct row_block *block)
{
	struct io_row *grown;

	if (rows->count + block->rows > rows->allocated) {
		rows->allocated = 2 * (rows->count + block->rows);
		grown = realloc(rows->io, rows->allocated * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		rows->io = grown;
	}
	memcpy(rows->io + rows->count, block->io, block->rows * sizeof(*block->io));
	rows->count += block->rows;
	return 0;
}

static int load(const char *path, struct rows *rows)
{
	struct row_block block;
	int err;

	err = trace_reader__open(path, &rows->reader, NULL);
	while (!err && (err = trace_reader__next(rows->reader, 1u << ROW_IO, &block)) > 0)
		err = keep(rows, &block);
	return err;
}

static int add_tables(struct trace_writer *w, const struct trace_reader *r)
{
	int err = 0;

	for (uint32_t id = 1; id <= trace_reader__devices(r) && !err; id++)
		if (trace_reader__device(r, id))
			err = trace_writer__add_device(w, trace_reader__device(r, id));
	for (uint32_t id = 1; id <= trace_reader__tasks(r) && !err; id++)
		if (trace_reader__task(r, id))
			err = trace_writer__add_task(w, trace_reader__task(r, id));
	for (uint32_t id = 1; id <= trace_reader__files(r) && !err; id++)
		if (trace_reader__file(r, id))
			err = trace_writer__add_file(w, trace_reader__file(r, id));
	for (uint32_t id = 1; id <= trace_reader__cgroups(r) && !err; id++)
		if (trace_reader__cgroup(r, id))
			err = trace_writer__add_cgroup(w, trace_reader__cgroup(r, id));
	return err;
}

/* One file with all rows; *bytes is its size. */
static int write_once(const char *path, const struct rows *rows, uint64_t resolution_ns,
		      uint64_t *bytes)
{
	struct trace_writer_options options = {.resolution_ns = resolution_ns};
	struct trace_summary summary = {.command_status = -1};
	struct trace_writer *w;
	int err, close_err;

	err = trace_writer__create(path, trace_reader__host(rows->reader), &options, &w);
	if (err)
		return err;
	err = add_tables(w, rows->reader);
	for (uint64_t i = 0; i < rows->count && !err; i++)
		err = trace_writer__append_io(w, &rows->io[i]);
	if (!err)
		err = trace_writer__flush(w);
	*bytes = trace_writer__bytes(w);
	close_err = trace_writer__close(w, err ? NULL : &summary);
	return err ? err : close_err;
}

static int bench_write(char **arguments)
{
	uint64_t resolution_ns, bytes = 0, before_ns, spent_ns, memory_bytes;
	struct rows rows = {0};
	int err;

	err = units_parse_count(arguments[2], 0, NSEC_PER_SEC, &resolution_ns);
	if (!err)
		err = load(arguments[0], &rows);
	if (!err)
		err = reset_peak();
	memory_bytes = status_bytes("VmRSS:");
	before_ns = cpu_ns();
	if (!err)
		err = write_once(arguments[1], &rows, resolution_ns, &bytes);
	spent_ns = cpu_ns() - before_ns;
	if (!err)
		printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", rows.count, spent_ns,
		       status_bytes("VmHWM:") - memory_bytes, bytes);
	trace_reader__free(rows.reader);
	free(rows.io);
	return err;
}

/* Reads every row, so that the compiler cannot omit work. */
static int read_once(const char *path, uint64_t *count, uint64_t *sum)
{
	struct trace_reader *reader;
	struct row_block block;
	int err;

	*count = 0;
	err = trace_reader__open(path, &reader, NULL);
	if (err)
		return err;
	while ((err = trace_reader__next(reader, 1u << ROW_IO, &block)) > 0) {
		*count += block.rows;
		for (uint32_t i = 0; i < block.rows; i++)
			*sum += block.io[i].bytes + block.io[i].completed_ns;
	}
	trace_reader__free(reader);
	return err;
}

static int bench_read(char **arguments)
{
	uint64_t count, sum = 0, before_ns, spent_ns, memory_bytes;
	int err = reset_peak();

	memory_bytes = status_bytes("VmRSS:");
	before_ns = cpu_ns();
	if (!err)
		err = read_once(arguments[0], &count, &sum);
	spent_ns = cpu_ns() - before_ns;
	if (!err)
		printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", count, spent_ns,
		       status_bytes("VmHWM:") - memory_bytes, sum);
	return err;
}

static int print_csv(char **arguments)
{
	struct rows rows = {0};
	int err = load(arguments[0], &rows);

	for (uint64_t i = 0; !err && i < rows.count; i++) {
		const struct io_row *row = &rows.io[i];

		printf("%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		       ",%u,%u,%u,%u,%u,%u,%u,%d,%u,%u,%u\n",
		       row->created_ns, row->issued_ns, row->completed_ns, row->sector, row->bytes,
		       row->device, row->task, row->cgroup, row->file, row->flags, row->merges,
		       row->depth, row->error, row->cpu, row->op, row->origin);
	}
	if (!err && fflush(stdout))
		err = -errno;
	trace_reader__free(rows.reader);
	free(rows.io);
	return err;
}

static const struct {
	const char *name;
	int operands;
	int (*function)(char **arguments);
} commands[] = {
	{"write", 3, bench_write},
	{"read", 1, bench_read},
	{"csv", 1, print_csv},
};

int main(int argc, char **argv)
{
	int err;

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (argc < 2 || strcmp(argv[1], commands[i].name) ||
		    argc != 2 + commands[i].operands)
			continue;
		err = commands[i].function(argv + 2);
		if (err)
			fprintf(stderr, "bench_trace: %s: %s\n", argv[2], strerror(-err));
		return err ? EXIT_FAILURE : EXIT_SUCCESS;
	}
	fprintf(stderr, "Usage: bench_trace write IN OUT RESOLUTION_NS | read IN | csv IN\n");
	return 2;
}
