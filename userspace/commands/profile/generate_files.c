// SPDX-License-Identifier: MIT
#include "commands/profile/generate_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/units.h"
#include "base/version.h"
#include "commands/shared/command.h"
#include "commands/shared/output.h"
#include "profile/generate/file_generator.h"
#include "trace/file/writer.h"

/* The head of a trace that was never recorded: its times begin at one second. */
static const struct trace_host host = {.tool = "blkreel " BLKREEL_VERSION,
				       .command = "blkreel profile generate",
				       .start_ns = NSEC_PER_SEC,
				       .resolution_ns = 1};

static const struct trace_tier tier = {
	.figure = "access_rows",
	.how = "generated",
	.quality = "estimated",
	.note = "hits and misses as of a cache without end that was empty at first"};

static int add_tables(const struct profile *p, uint32_t files, struct trace_writer *writer)
{
	int err = trace_writer__add_tier(writer, &tier);

	for (uint32_t i = 0; i < p->stream_count && !err; i++) {
		struct trace_task task = {.id = i + 1};

		snprintf(task.comm, sizeof(task.comm), "stream %u",
			 (unsigned int)(uint16_t)(i + 1));
		err = trace_writer__add_task(writer, &task);
	}
	for (uint32_t i = 0; i < files && !err; i++) {
		struct trace_file file = {.id = i + 1, .inode = i + 1, .path = ""};

		err = trace_writer__add_file(writer, &file);
	}
	return err;
}

static int write_rows(struct file_generator *generator, uint64_t count, struct trace_writer *writer,
		      struct trace_summary *summary)
{
	struct access_row row;
	int err = 0;

	while (count-- && (err = file_generator__next(generator, &row)) > 0) {
		row.time_ns += NSEC_PER_SEC;
		summary->stop_ns = row.time_ns;
		err = cmd_interrupted ? -EINTR : trace_writer__append_access(writer, &row);
		if (err)
			return err;
	}
	return err < 0 ? err : 0;
}

static int write_all(const struct profile *p, struct file_generator *generator, uint64_t count,
		     struct trace_writer *writer)
{
	struct trace_summary summary = {.stop_ns = NSEC_PER_SEC, .command_status = -1};
	int err = add_tables(p, file_generator__files(generator), writer), closed;

	if (!err)
		err = write_rows(generator, count, writer, &summary);
	closed = trace_writer__close(writer, err ? NULL : &summary);
	return err ? err : closed;
}

static void print_row(enum generated_format format, const struct access_row *row)
{
	char flags[IO_FLAGS_TEXT_MAX];
	unsigned long long time_ns = row->time_ns, offset = row->offset, bytes = row->bytes;
	const char *op = access_op_name(row->op);

	access_flags_text(row->flags, flags);
	if (format == GENERATED_TEXT)
		printf("%4llu.%09llu %-12s %8u %14llu %10llu %6u%s%s\n", time_ns / NSEC_PER_SEC,
		       time_ns % NSEC_PER_SEC, op, row->file, offset, bytes, row->task,
		       *flags ? "  " : "", flags);
	else if (format == GENERATED_CSV)
		printf("%llu,%s,%u,%llu,%llu,%u,%s\n", time_ns, op, row->file, offset, bytes,
		       row->task, flags);
	else
		printf("{\"time_ns\":%llu,\"op\":\"%s\",\"file\":%u,\"offset\":%llu,"
		       "\"bytes\":%llu,\"stream\":%u,\"flags\":\"%s\"}\n",
		       time_ns, op, row->file, offset, bytes, row->task, flags);
}

static int print_rows(struct file_generator *generator, enum generated_format format,
		      uint64_t count)
{
	struct access_row row;
	int err = 0;

	if (format == GENERATED_TEXT)
		printf("%14s %-12s %8s %14s %10s %6s  %s\n", "time_s", "op", "file", "offset",
		       "bytes", "stream", "flags");
	else if (format == GENERATED_CSV)
		printf("time_ns,op,file,offset,bytes,stream,flags\n");
	while (count-- && !ferror(stdout) && (err = file_generator__next(generator, &row)) > 0)
		print_row(format, &row);
	return err < 0 ? err : 0;
}

static int start(const struct profile *p, const struct generate_files *options,
		 struct file_generator **generator)
{
	int err = file_generator__create(p, options->seed, generator);

	if (!err)
		file_generator__repeat(*generator, options->duration_ns);
	return err;
}

int cmd_profile_files_to_trace(const struct profile *p, const struct generate_files *options,
			       int fd)
{
	struct file_generator *generator = NULL;
	struct trace_writer *writer;
	int err = trace_writer__create_on(fd, &host, NULL, &writer);

	if (err)
		return err;
	err = start(p, options, &generator);
	if (err)
		trace_writer__close(writer, NULL);
	else
		err = write_all(p, generator, options->count, writer);
	file_generator__free(generator);
	return err;
}

int cmd_profile_generated(const char *output, const char *path, int err)
{
	if (!err)
		return cmd_flush_stdout();
	if (output && err == -EINTR)
		return cmd_output_interrupted(output);
	if (output)
		return cmd_output_error(output, err);
	pr_err("%s: %s", path, strerror(-err));
	return EXIT_FAILED;
}

int cmd_profile_generate_files(const struct profile *p, const struct generate_files *options,
			       const char *path)
{
	const struct trace_writer_options writer_options = {.when_whole = true};
	struct file_generator *generator = NULL;
	struct trace_writer *writer;
	int err = start(p, options, &generator);

	if (!err && options->output) {
		cmd_watch_signals();
		err = trace_writer__create(options->output, &host, &writer_options, &writer);
		if (!err)
			err = write_all(p, generator, options->count, writer);
	} else if (!err) {
		err = print_rows(generator, options->format, options->count);
	}
	file_generator__free(generator);
	return cmd_profile_generated(options->output, path, err);
}
