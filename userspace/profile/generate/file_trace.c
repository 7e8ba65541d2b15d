// SPDX-License-Identifier: MIT
#include "profile/generate/file_trace.h"

#include <errno.h>
#include <stdio.h>

#include "base/units.h"
#include "base/version.h"
#include "profile/generate/file_generator.h"

/* Such a trace was never recorded: its times begin at one second. */
const struct trace_host file_trace_host = {.tool = "blkreel " BLKREEL_VERSION,
					   .command = "blkreel profile generate",
					   .start_ns = NSEC_PER_SEC,
					   .resolution_ns = 1};

static const struct trace_tier tier = {
	.figure = "access_rows",
	.how = "generated",
	.quality = "estimated",
	.note = "hits and misses as of a cache without end that was empty at first"};

int file_trace__add_streams(const struct profile *p, struct trace_writer *writer)
{
	int err = 0;

	for (uint32_t i = 0; i < p->stream_count && !err; i++) {
		struct trace_task task = {.id = i + 1};

		snprintf(task.comm, sizeof(task.comm), "stream %u",
			 (unsigned int)(uint16_t)(i + 1));
		err = trace_writer__add_task(writer, &task);
	}
	return err;
}

static int add_tables(const struct profile *p, uint32_t files, struct trace_writer *writer)
{
	int err = trace_writer__add_tier(writer, &tier) ?: file_trace__add_streams(p, writer);

	for (uint32_t i = 0; i < files && !err; i++) {
		struct trace_file file = {.id = i + 1, .inode = i + 1, .path = ""};

		err = trace_writer__add_file(writer, &file);
	}
	return err;
}

static int write_rows(struct file_generator *generator, const struct file_trace_options *options,
		      struct trace_writer *writer, struct trace_summary *summary)
{
	uint64_t count = options->count;
	struct access_row row;
	int err = 0;

	while (count-- && (err = file_generator__next(generator, &row)) > 0) {
		row.time_ns += NSEC_PER_SEC;
		summary->stop_ns = row.time_ns;
		err = options->stop && *options->stop ? -EINTR
						      : trace_writer__append_access(writer, &row);
		if (err)
			return err;
	}
	return err < 0 ? err : 0;
}

int file_trace__write(const struct profile *p, const struct file_trace_options *options,
		      struct trace_writer *writer)
{
	struct trace_summary summary = {.stop_ns = NSEC_PER_SEC, .command_status = -1};
	struct file_generator *generator = NULL;
	int err = file_generator__create(p, options->seed, &generator), closed;

	if (!err) {
		file_generator__repeat(generator, options->duration_ns);
		err = add_tables(p, file_generator__files(generator), writer);
	}
	if (!err)
		err = write_rows(generator, options, writer, &summary);
	closed = trace_writer__close(writer, err ? NULL : &summary);
	file_generator__free(generator);
	return err ? err : closed;
}
