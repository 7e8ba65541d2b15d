// SPDX-License-Identifier: MIT
/*
 * Gives the same IOs to all players: reads a blkreplay log ("seconds ; sector ; sectors ; R|W ; ...")
 * from standard input and writes it as a trace, as a fio iolog (version 3, times divided by SPEED)
 * and as a schedule ("due_ns op sector bytes", divided as well), the reference for both.
 *
 *     load_to_reel TRACE IOLOG SCHEDULE DEVICE DEVICE-BYTES SPEED SECONDS
 *
 * IOLOG and SCHEDULE may be "-" for none; DEVICE-BYTES 0 keeps the addresses, otherwise they are
 * wrapped at the end of the device; SECONDS 0 takes all. A repetition of the same IO within
 * 200 us comes from a stacked device that was traced at both layers; it is left out.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "trace/file/writer.h"

#define START_NS	  (1000 * NSEC_PER_SEC)
#define REPEAT_WINDOW_NS  (200 * NSEC_PER_USEC)
#define REPEAT_CANDIDATES 256
#define SIZE_OF_ALL_BYTES (2ull << 40)

struct io {
	uint64_t due_ns, sector, sectors;
	bool write;
};

struct conversion {
	const char *device;
	uint64_t device_bytes, speed, limit_ns;
	struct trace_writer *trace;
	FILE *iolog, *schedule; /* NULL: none */
	struct io recent[REPEAT_CANDIDATES];
	uint64_t read, written, repeated, last_ns;
};

/* "12.345678901" to ns without a detour through floating point. */
static int parse_seconds(const char *text, uint64_t *time_ns)
{
	uint64_t seconds, fraction_ns = 0, unit_ns = NSEC_PER_SEC / 10;
	char *end;

	errno = 0;
	seconds = strtoull(text, &end, 10);
	if (errno || end == text || seconds > UINT32_MAX)
		return -EINVAL;
	if (*end == '.')
		for (end++; *end >= '0' && *end <= '9'; end++, unit_ns /= 10)
			fraction_ns += (uint64_t)(*end - '0') * unit_ns;
	if (*end)
		return -EINVAL;
	*time_ns = seconds * NSEC_PER_SEC + fraction_ns;
	return 0;
}

/* 0; -ENOENT: a line of the text around the records. */
static int parse_line(const char *line, struct io *io)
{
	char seconds[32], op;

	if (sscanf(line, " %31[0-9.] ; %" SCNu64 " ; %" SCNu64 " ; %c", seconds, &io->sector,
		   &io->sectors, &op) != 4)
		return -ENOENT;
	if ((op != 'R' && op != 'W') || !io->sectors || io->sectors > UINT32_MAX / SECTOR_BYTES)
		return -EINVAL;
	io->write = op == 'W';
	return parse_seconds(seconds, &io->due_ns);
}

static bool is_repeated(const struct conversion *c, const struct io *io)
{
	for (uint64_t i = 0; i < REPEAT_CANDIDATES && i < c->written; i++) {
		const struct io *old = &c->recent[(c->written - 1 - i) % REPEAT_CANDIDATES];

		if (io->due_ns - old->due_ns > REPEAT_WINDOW_NS)
			return false;
		if (old->sector == io->sector && old->sectors == io->sectors &&
		    old->write == io->write)
			return true;
	}
	return false;
}

static void wrap(const struct conversion *c, struct io *io)
{
	uint64_t device_sectors = c->device_bytes / SECTOR_BYTES;

	if (!device_sectors)
		return;
	io->sector %= device_sectors;
	if (io->sector + io->sectors > device_sectors)
		io->sector = device_sectors - io->sectors;
}

static int put(struct conversion *c, const struct io *io)
{
	const char *op = io->write ? "write" : "read";
	struct io_row row = {
		.created_ns = START_NS + io->due_ns,
		.sector = io->sector,
		.bytes = io->sectors * SECTOR_BYTES,
		.device = 1,
		.op = io->write ? IO_OP_WRITE : IO_OP_READ,
	};
	uint64_t due_ns = io->due_ns / c->speed;

	if (c->iolog)
		fprintf(c->iolog, "%" PRIu64 " %s %s %" PRIu64 " %" PRIu64 "\n", due_ns / 1000,
			c->device, op, (uint64_t)(io->sector * SECTOR_BYTES), row.bytes);
	if (c->schedule)
		fprintf(c->schedule, "%" PRIu64 " %s %" PRIu64 " %" PRIu64 "\n", due_ns, op,
			io->sector, row.bytes);
	return trace_writer__append_io(c->trace, &row);
}

static int convert_lines(struct conversion *c)
{
	struct io io, wrapped;
	char line[256];
	int err = 0;

	while (!err && fgets(line, sizeof(line), stdin)) {
		err = parse_line(line, &io);
		if (err == -ENOENT) {
			err = 0;
			continue;
		}
		if (err || (c->limit_ns && io.due_ns >= c->limit_ns))
			break;
		if (io.due_ns < c->last_ns)
			return -ERANGE;
		c->last_ns = io.due_ns;
		c->read++;
		if (is_repeated(c, &io)) {
			c->repeated++;
			continue;
		}
		c->recent[c->written++ % REPEAT_CANDIDATES] = io;
		wrapped = io;
		wrap(c, &wrapped);
		err = put(c, &wrapped);
	}
	return err;
}

static int open_output(const char *path, FILE **file)
{
	if (!strcmp(path, "-"))
		return 0;
	*file = fopen(path, "we");
	return *file ? 0 : -errno;
}

static int close_output(FILE *file)
{
	bool failed;

	if (!file)
		return 0;
	failed = ferror(file);
	return fclose(file) || failed ? -EIO : 0;
}

static int convert(struct conversion *c, const char *trace_path)
{
	struct trace_host host = {.tool = "load_to_reel", .start_ns = START_NS, .resolution_ns = 1};
	struct trace_summary summary = {.command_status = -1};
	struct trace_device device = {.id = 1,
				      .major = 259,
				      .name = "disk1",
				      .size_bytes =
					      c->device_bytes ? c->device_bytes : SIZE_OF_ALL_BYTES,
				      .logical_block_bytes = 512,
				      .physical_block_bytes = 512};
	int err, close_err;

	err = trace_writer__create(trace_path, &host, NULL, &c->trace);
	if (err)
		return err;
	err = trace_writer__add_device(c->trace, &device);
	if (c->iolog)
		fprintf(c->iolog, "fio version 3 iolog\n0 %s add\n0 %s open\n", c->device,
			c->device);
	if (!err)
		err = convert_lines(c);
	if (!err && c->iolog)
		fprintf(c->iolog, "%" PRIu64 " %s close\n", c->last_ns / c->speed / 1000,
			c->device);
	summary.stop_ns = START_NS + c->last_ns;
	close_err = trace_writer__close(c->trace, err ? NULL : &summary);
	return err ? err : close_err;
}

int main(int argc, char **argv)
{
	struct conversion c = {0};
	uint64_t seconds;
	int err, close_err;

	if (argc != 8 || units_parse_bytes(argv[5], &c.device_bytes) ||
	    units_parse_count(argv[6], 1, 1000, &c.speed) ||
	    units_parse_count(argv[7], 0, UINT32_MAX, &seconds)) {
		fprintf(stderr, "Usage: load_to_reel TRACE IOLOG SCHEDULE DEVICE DEVICE-BYTES "
				"SPEED SECONDS <LOG\n");
		return 2;
	}
	c.device = argv[4];
	c.limit_ns = seconds * NSEC_PER_SEC;
	err = open_output(argv[2], &c.iolog);
	if (!err)
		err = open_output(argv[3], &c.schedule);
	if (!err)
		err = convert(&c, argv[1]);
	close_err = close_output(c.iolog);
	err = err ? err : close_err;
	close_err = close_output(c.schedule);
	err = err ? err : close_err;
	if (err)
		fprintf(stderr, "load_to_reel: %s\n", strerror(-err));
	else
		printf("%" PRIu64 " %" PRIu64 "\n", c.written, c.repeated);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
