/* SPDX-License-Identifier: MIT */
/* Small traces with the rows of a test, and a stream of their rows. */
#ifndef BLKREEL_TESTS_UNIT_TRACE_MADE_H
#define BLKREEL_TESTS_UNIT_TRACE_MADE_H

#include <stdio.h>
#include <unistd.h>

#include "trace/streams/merge.h"
#include "trace/file/writer.h"
#include "unit/shared/test.h"

#define ALL_KINDS ((1u << ROW_KIND_COUNT) - 1)
#define IO	  (1u << ROW_IO)
#define FILES	  3

static char directory[] = "/dev/shm/blkreel-unit-XXXXXX";
static char paths[FILES][64];
static struct trace_reader *readers[FILES];
static struct trace_stream *stream;

/* A trace with exactly the rows of a test. */
struct made {
	struct trace_writer *w;
	struct trace_host host;
};

static inline struct made begin(unsigned int i, const char *name, uint64_t start_ns,
				uint64_t wall_ns)
{
	struct made made = {.host = {.start_ns = start_ns, .start_wall_ns = wall_ns}};

	snprintf(made.host.hostname, sizeof(made.host.hostname), "%s", name);
	if (trace_writer__create(paths[i], &made.host, NULL, &made.w))
		exit(EXIT_FAILURE);
	return made;
}

static inline void add_device(struct made *made, uint32_t id, const char *name)
{
	struct trace_device device = {.id = id};

	snprintf(device.name, sizeof(device.name), "%s", name);
	CHECK_EQ(trace_writer__add_device(made->w, &device), 0);
}

static inline void add_task(struct made *made, uint32_t id, const char *comm, uint32_t pid,
			    uint32_t tgid)
{
	struct trace_task task = {.id = id, .pid = pid, .tgid = tgid};

	snprintf(task.comm, sizeof(task.comm), "%s", comm);
	CHECK_EQ(trace_writer__add_task(made->w, &task), 0);
}

static inline void add_io(struct made *made, uint64_t completed_ns, uint64_t sector)
{
	struct io_row row = {.completed_ns = completed_ns, .sector = sector, .device = 1};

	CHECK_EQ(trace_writer__append_io(made->w, &row), 0);
}

static inline void end(struct made *made, uint64_t stop_ns)
{
	struct trace_summary summary = {.stop_ns = stop_ns,
					.stop_wall_ns = stop_ns + 7777,
					.in_flight_at_end = 2,
					.readahead_unknown_pages = 3,
					.page_cache_bytes = stop_ns,
					.page_cache_of_cgroup = true,
					.page_cache_mglru = true,
					.command_status = 256};

	CHECK_EQ(trace_writer__close(made->w, stop_ns ? &summary : NULL), 0);
}

static inline bool open_stream(unsigned int count, unsigned int kinds,
			       const struct trace_filter *filter)
{
	for (unsigned int i = 0; i < count; i++)
		if (trace_reader__open(paths[i], &readers[i], NULL))
			return false;
	return !trace_stream__new(readers, count, kinds, filter, &stream);
}

static inline void close_stream(void)
{
	trace_stream__free(stream);
	stream = NULL;
	for (unsigned int i = 0; i < FILES; i++) {
		trace_reader__free(readers[i]);
		readers[i] = NULL;
	}
}

/* The folder, and the files at `paths` in it. */
static inline void make_folder(void)
{
	if (!mkdtemp(directory))
		exit(EXIT_FAILURE);
	for (int i = 0; i < FILES; i++)
		snprintf(paths[i], sizeof(paths[i]), "%s/%d.reel", directory, i);
}

static inline void remove_folder(void)
{
	for (int i = 0; i < FILES; i++)
		unlink(paths[i]);
	rmdir(directory);
}

#endif
