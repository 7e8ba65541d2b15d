// SPDX-License-Identifier: MIT
#include "commands/profile/generate_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/units.h"
#include "commands/shared/command.h"
#include "commands/shared/output.h"
#include "profile/generate/file_generator.h"
#include "profile/generate/file_trace.h"

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

static int write_trace(const struct profile *p, const struct generate_files *options)
{
	const struct trace_writer_options writer_options = {.replace_at_close = true};
	const struct file_trace_options trace_options = {.seed = options->seed,
							 .count = options->count,
							 .duration_ns = options->duration_ns,
							 .stop = &cmd_interrupted};
	struct trace_writer *writer;
	int err;

	cmd_watch_signals();
	err = trace_writer__create(options->output, &file_trace_host, &writer_options, &writer);
	return err ? err : file_trace__write(p, &trace_options, writer);
}

static int print(const struct profile *p, const struct generate_files *options)
{
	struct file_generator *generator = NULL;
	int err = start(p, options, &generator);

	if (!err)
		err = print_rows(generator, options->format, options->count);
	file_generator__free(generator);
	return err;
}

int cmd_profile_generate_files(const struct profile *p, const struct generate_files *options,
			       const char *path)
{
	int err = options->output ? write_trace(p, options) : print(p, options);

	return cmd_profile_generated(options->output, path, err);
}
