// SPDX-License-Identifier: MIT
/*
 * Any bytes as a trace: the reader must neither crash nor loop, and must say how the file ended.
 * Each input is read as it is and once more with all checksums made right.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "checksums.h"
#include "trace/file/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ALL_KINDS ((1u << ROW_KIND_COUNT) - 1)

static void use_tables(const struct trace_reader *r)
{
	char flags[IO_FLAGS_TEXT_MAX];

	for (uint32_t id = 0; id <= trace_reader__files(r) && id < 1000; id++)
		if (trace_reader__file(r, id) && !trace_reader__file(r, id)->path)
			abort();
	for (uint32_t id = 0; id <= trace_reader__cgroups(r) && id < 1000; id++)
		if (trace_reader__cgroup(r, id) && !trace_reader__cgroup(r, id)->path)
			abort();
	io_flags_text(UINT32_MAX, flags);
}

static uint64_t read_through(struct trace_reader *r, unsigned int kinds)
{
	struct row_block block;
	uint64_t rows = 0;
	int err;

	while ((err = trace_reader__next(r, kinds, &block)) == 1) {
		rows += block.rows;
		for (uint32_t i = 0; block.kind == ROW_IO && i < block.rows; i++)
			if (block.io[i].op >= IO_OP_COUNT || block.io[i].origin >= IO_ORIGIN_COUNT)
				abort();
	}
	if (!err && trace_reader__end(r) == TRACE_END_UNKNOWN)
		abort();
	return rows;
}

/* A window omits rows and adds none, as long as it does not skip what ended the reading. */
static void read_windows(struct trace_reader *r, uint64_t rows)
{
	static const uint64_t windows[][2] = {{1, UINT64_MAX}, {0, 1000000}, {1000000, 2000000}};
	bool is_clean = trace_reader__end(r) == TRACE_END_CLEAN;

	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		if (trace_reader__rewind(r))
			abort();
		trace_reader__set_window(r, windows[i][0], windows[i][1]);
		if (read_through(r, ALL_KINDS) > rows && is_clean)
			abort();
		if (is_clean && trace_reader__end(r) == TRACE_END_TORN)
			abort();
	}
	if (trace_reader__rewind(r))
		abort();
	trace_reader__set_window(r, 0, UINT64_MAX);
}

static void read_bytes(const uint8_t *data, size_t size)
{
	struct trace_reader *r;
	char path[64];
	int fd = memfd_create("trace", MFD_CLOEXEC);

	if (fd < 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size && !trace_reader__open(path, &r, NULL)) {
		uint64_t rows = read_through(r, ALL_KINDS);

		use_tables(r);
		read_windows(r, rows);
		if (trace_reader__rewind(r) || read_through(r, ALL_KINDS) != rows)
			abort();
		trace_reader__free(r);
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *repaired;

	read_bytes(data, size);
	if (size < TRACE_HEAD_BYTES)
		return 0;
	repaired = malloc(size);
	if (!repaired)
		abort();
	memcpy(repaired, data, size);
	repair_checksums(repaired, size);
	read_bytes(repaired, size);
	free(repaired);
	return 0;
}
