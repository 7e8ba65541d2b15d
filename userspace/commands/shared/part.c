// SPDX-License-Identifier: MIT
#include "commands/shared/part.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "commands/shared/command.h"
#include "trace/streams/copier.h"

#define ALL_KINDS ((1u << ROW_KIND_COUNT) - 1)

static int copy_rows(struct cmd_stream *s, struct trace_copier *copier)
{
	struct trace_stream_row row;
	int err;

	while ((err = trace_stream__next(s->stream, &row)) == 1) {
		err = trace_copier__add(copier, &row);
		if (err)
			return err;
	}
	return err;
}

static int fill(const struct command_usage *usage, struct cmd_stream *s, int fd, int *code)
{
	/* The writer closes what it is given. */
	const struct trace_writer_options options = {.zstd_level = 1};
	struct trace_copier *copier;
	int copy_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0), err;

	if (copy_fd < 0)
		return -errno;
	err = trace_copier__create_on(copy_fd, s->stream, &s->filter, &options, &copier);
	if (err)
		return err;
	err = copy_rows(s, copier);
	*code = err ? EXIT_FAILED : cmd_stream_finish(usage, s);
	if (!err && *code != EXIT_USAGE)
		return trace_copier__finish(copier, NULL);
	trace_copier__abandon(copier);
	return err;
}

static int make(const struct command_usage *usage, struct cmd_stream *s, struct part *part)
{
	int code = cmd_stream_open(usage, s, ALL_KINDS), err;

	if (code)
		return code;
	part->fd = memfd_create("blkreel-part", MFD_CLOEXEC);
	err = part->fd < 0 ? -errno : fill(usage, s, part->fd, &code);
	if (err) {
		pr_err("cannot take a part of %s: %s", s->paths[0], strerror(-err));
		return EXIT_FAILED;
	}
	snprintf(part->fd_path, sizeof(part->fd_path), "/proc/self/fd/%d", part->fd);
	part->path = part->fd_path;
	part->from_ns = s->filter.from_ns;
	return code;
}

int part__make(const struct command_usage *usage, struct stream_options *options, char **paths,
	       unsigned int count, struct part *part)
{
	struct cmd_stream s = {.paths = paths, .count = count, .options = options};
	int code;

	*part = (struct part){.fd = -1, .path = paths[0]};
	if (count == 1 && !options->from && !options->to)
		return EXIT_OK;
	if (count > TRACE_STREAM_MAX)
		return options_usage_error(usage, "takes at most %d traces", TRACE_STREAM_MAX);
	part->path = NULL;
	code = cmd_stream_filter(usage, options, &s.filter);
	s.filter.by_span = s.filter.in_flight = true;
	if (!code)
		code = make(usage, &s, part);
	cmd_stream_close(&s);
	return code;
}

void part__release(struct part *part)
{
	if (part->fd >= 0)
		close(part->fd);
}
