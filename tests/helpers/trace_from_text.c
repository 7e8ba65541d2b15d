// SPDX-License-Identifier: MIT
/*
 * trace_from_text FILE DEVICE_BYTES [MODE [generated]]: writes a trace of the IOs that standard input lists, one a line, in
 * order of completion:
 *     MICROSECONDS DEVICE OP OFFSET_BYTES BYTES [FLAG...]
 * DEVICE is a number from 1; the devices are called disk1, disk2 ... and have DEVICE_BYTES each.
 * FLAGs: fua, preflush, atomic, machinery, hint=2, ioprio=be/7, task=N, cgroup=N, took=MICROSECONDS (0: not completed).
 *     MICROSECONDS access OP FILE OFFSET_BYTES BYTES [took=MICROSECONDS] [miss=PAGES] [readahead=PAGES] [task=N]
 * is an access to a file: FILE is a number, and /file1 to /file8 are in the table. Pages are hits but for miss.
 *     MICROSECONDS loss CLASS COUNT
 * is a loss of one second; CLASS is io_ring, access_ring ...
 *     task ID PID COMMAND
 *     cgroup ID PATH
 * are entries of the tables, for task=ID (from 9) and cgroup=ID.
 * MODE: as a replay in that mode records itself, with "generated" one of a profile.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/ioprio.h"
#include "trace/file/writer.h"

#define DEVICES	 3u
#define TASKS	 8u
#define FILES	 8u
#define START_NS (1000 * NSEC_PER_SEC)

static int add_tables(struct trace_writer *w, uint64_t size_bytes)
{
	int err = 0;

	for (uint32_t id = 1; id <= DEVICES && !err; id++) {
		struct trace_device device = {.id = id,
					      .major = 259,
					      .minor = id,
					      .size_bytes = size_bytes,
					      .logical_block_bytes = 512,
					      .physical_block_bytes = 512};

		snprintf(device.name, sizeof(device.name), "disk%u", id);
		err = trace_writer__add_device(w, &device);
	}
	for (uint32_t id = 1; id <= TASKS && !err; id++) {
		struct trace_task task = {.id = id, .pid = 1000 + id, .tgid = 1000 + id};

		snprintf(task.comm, sizeof(task.comm), "task%u", id);
		err = trace_writer__add_task(w, &task);
	}
	return err;
}

static int parse_flag(const char *word, struct io_row *row)
{
	uint32_t *flags = &row->flags;
	uint64_t took_us;

	if (sscanf(word, "took=%" SCNu64, &took_us) == 1)
		row->completed_ns = took_us ? row->created_ns + took_us * NSEC_PER_USEC : 0;
	else if (!strncmp(word, "task=", 5))
		row->task = (uint32_t)strtoul(word + 5, NULL, 10);
	else if (!strncmp(word, "cgroup=", 7))
		row->cgroup = (uint32_t)strtoul(word + 7, NULL, 10);
	else if (!strncmp(word, "ioprio=", 7))
		return ioprio_from_text(word + 7, strlen(word + 7), &row->ioprio) ? 0 : -EINVAL;
	else if (!strcmp(word, "sync"))
		*flags |= IO_SYNC;
	else if (!strcmp(word, "fua"))
		*flags |= IO_FUA;
	else if (!strcmp(word, "preflush"))
		*flags |= IO_PREFLUSH;
	else if (!strcmp(word, "atomic"))
		*flags |= IO_ATOMIC;
	else if (!strncmp(word, "hint=", 5))
		*flags |= io_flags_of_hint((uint32_t)strtoul(word + 5, NULL, 10));
	else if (!strcmp(word, "machinery"))
		*flags |= IO_FLUSH_MACHINERY;
	else
		return -EINVAL;
	return 0;
}

static int parse_line(char *line, struct io_row *row)
{
	char op_name[32], *word;
	uint64_t time_us, offset_bytes;
	int used, op;

	if (sscanf(line, "%" SCNu64 " %" SCNu32 " %31s %" SCNu64 " %" SCNu64 "%n", &time_us,
		   &row->device, op_name, &offset_bytes, &row->bytes, &used) != 5)
		return -EINVAL;
	op = io_op_from_name(op_name);
	if (op < 0 || row->device < 1 || row->device > DEVICES || offset_bytes % SECTOR_BYTES)
		return -EINVAL;
	row->op = (uint8_t)op;
	row->sector = offset_bytes / SECTOR_BYTES;
	row->created_ns = START_NS + time_us * NSEC_PER_USEC;
	row->issued_ns = row->created_ns;
	row->completed_ns = row->created_ns + 50 * NSEC_PER_USEC;
	for (word = strtok(line + used, " \n"); word; word = strtok(NULL, " \n"))
		if (parse_flag(word, row))
			return -EINVAL;
	return 0;
}

static int add_files(struct trace_writer *w)
{
	int err = 0;

	for (uint32_t id = 1; id <= FILES && !err; id++) {
		char name[16];
		struct trace_file file = {
			.id = id, .major = 259, .minor = 1, .inode = 10 + id, .path = name};

		snprintf(name, sizeof(name), "/file%u", id);
		err = trace_writer__add_file(w, &file);
	}
	return err;
}

static int parse_access_word(const char *word, struct access_row *row)
{
	uint64_t took_us;

	if (sscanf(word, "took=%" SCNu64, &took_us) == 1)
		row->duration_ns = took_us * NSEC_PER_USEC;
	else if (sscanf(word, "miss=%" SCNu64, &row->miss_pages) != 1 &&
		 sscanf(word, "readahead=%" SCNu64, &row->readahead_pages) != 1 &&
		 sscanf(word, "task=%" SCNu32, &row->task) != 1)
		return -EINVAL;
	return 0;
}

static int parse_access(char *line, struct access_row *row)
{
	uint64_t time_us;
	char op_name[32], *word;
	uint8_t op = 0;
	int used;

	if (sscanf(line, "%" SCNu64 " access %31s %" SCNu32 " %" SCNu64 " %" SCNu64 "%n", &time_us,
		   op_name, &row->file, &row->offset, &row->bytes, &used) != 5)
		return -EINVAL;
	while (op < ACCESS_OP_COUNT && strcmp(op_name, access_op_name(op)) != 0)
		op++;
	if (op == ACCESS_OP_COUNT || row->file < 1)
		return -EINVAL;
	row->op = op;
	row->time_ns = START_NS + time_us * NSEC_PER_USEC;
	for (word = strtok(line + used, " \n"); word; word = strtok(NULL, " \n"))
		if (parse_access_word(word, row))
			return -EINVAL;
	if (access_row_is_cached(row))
		row->hit_pages = access_row_pages(row) - row->miss_pages;
	return 0;
}

static int append_access(struct trace_writer *w, char *line, bool is_first, uint64_t *end_ns)
{
	struct access_row row = {.task = 1};
	int err = is_first ? add_files(w) : 0;

	if (!err)
		err = parse_access(line, &row);
	if (!err)
		err = trace_writer__append_access(w, &row);
	*end_ns = row.time_ns + row.duration_ns;
	return err;
}

static int append_loss(struct trace_writer *w, const char *line, uint64_t *end_ns)
{
	struct loss_row row = {0};
	char class_name[32];
	uint64_t time_us;

	if (sscanf(line, "%" SCNu64 " loss %31s %" SCNu64, &time_us, class_name, &row.count) != 3)
		return -EINVAL;
	while (row.class < LOSS_CLASS_COUNT && strcmp(class_name, loss_class_name(row.class)) != 0)
		row.class ++;
	if (row.class == LOSS_CLASS_COUNT)
		return -EINVAL;
	row.from_ns = START_NS + time_us * NSEC_PER_USEC;
	row.to_ns = row.from_ns + NSEC_PER_SEC;
	*end_ns = row.to_ns;
	return trace_writer__append_loss(w, &row);
}

static int append_task(struct trace_writer *w, const char *line)
{
	struct trace_task task = {0};

	if (sscanf(line, "task %" SCNu32 " %" SCNu32 " %15s", &task.id, &task.tgid, task.comm) != 3)
		return -EINVAL;
	task.pid = task.tgid;
	return trace_writer__add_task(w, &task);
}

static int append_cgroup(struct trace_writer *w, const char *line)
{
	struct trace_cgroup cgroup = {0};
	char path[200];

	if (sscanf(line, "cgroup %" SCNu32 " %199s", &cgroup.id, path) != 2)
		return -EINVAL;
	cgroup.kernel_id = 100 + cgroup.id;
	cgroup.path = path;
	return trace_writer__add_cgroup(w, &cgroup);
}

static int append_io(struct trace_writer *w, char *line, uint64_t *end_ns)
{
	struct io_row row = {.depth = 1};
	int err = parse_line(line, &row);

	*end_ns = row.completed_ns;
	return err ? err : trace_writer__append_io(w, &row);
}

static int write_trace(const char *path, uint64_t size_bytes, const char *mode, bool generated)
{
	struct trace_host host = {.tool = "test",
				  .start_ns = START_NS,
				  .resolution_ns = 1,
				  .replay_generated = generated};
	struct trace_summary summary = {.stop_ns = START_NS, .command_status = -1};
	uint64_t accesses = 0, end_ns = 0;
	struct trace_writer *w;
	char line[256];
	int err;

	snprintf(host.replay_mode, sizeof(host.replay_mode), "%s", mode);
	err = trace_writer__create(path, &host, NULL, &w);
	if (err)
		return err;
	err = add_tables(w, size_bytes);
	while (!err && fgets(line, sizeof(line), stdin)) {
		if (!strncmp(line, "task ", 5))
			err = append_task(w, line);
		else if (!strncmp(line, "cgroup ", 7))
			err = append_cgroup(w, line);
		else if (strstr(line, " access "))
			err = append_access(w, line, !accesses++, &end_ns);
		else if (strstr(line, " loss "))
			err = append_loss(w, line, &end_ns);
		else
			err = append_io(w, line, &end_ns);
		if (end_ns > summary.stop_ns)
			summary.stop_ns = end_ns;
	}
	if (err) {
		trace_writer__close(w, NULL);
		return err;
	}
	return trace_writer__close(w, &summary);
}

int main(int argc, char **argv)
{
	uint64_t size_bytes;
	int err;

	if (argc < 3 || argc > 5 || units_parse_bytes(argv[2], &size_bytes) ||
	    (argc == 5 && strcmp(argv[4], "generated") != 0)) {
		fprintf(stderr,
			"Usage: trace_from_text TRACE DEVICE-SIZE [MODE [generated]] <LINES\n");
		return 2;
	}
	err = write_trace(argv[1], size_bytes, argc > 3 ? argv[3] : "", argc == 5);
	if (err)
		fprintf(stderr, "trace_from_text: %s: %s\n", argv[1], strerror(-err));
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
