// SPDX-License-Identifier: MIT
#include "commands/profile/generate.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/options.h"
#include "base/progress.h"
#include "base/units.h"
#include "commands/shared/command.h"
#include "commands/shared/output.h"
#include "commands/profile/load.h"
#include "commands/profile/generate_files.h"
#include "profile/closed_loop/closed_loop.h"
#include "profile/generate/file_trace.h"
#include "render/profile/text.h"
#include "render/profile/error.h"
#include "trace/file/writer.h"

struct show_config {
	bool json;
};

static const struct option_def show_options[] = {
	OPTION(struct show_config, json, 0, "json", FLAG, NULL, "print JSON"),
	{0},
};

static const struct command_usage show_usage = {
	.name = "profile show",
	.synopsis = "PROFILE [--json]",
	.summary =
		"Draws what a profile holds: its streams, mix, sizes, arrivals, the heat of its\n"
		"addresses, the misses of a cache, and how far the profile is from its trace.",
	.options = show_options,
};

#define COUNTED_TOGETHER 4096u /* IOs, for progress */

struct generate_config {
	uint64_t seed, count, duration_ns;
	bool seed_given;
	unsigned int format;
	const char *seed_text, *output;
};

static const char *const formats[] = {"text", "csv", "json", NULL};

static const struct option_def generate_options[] = {
	OPTION(struct generate_config, seed_text, 's', "seed", TEXT, "N",
	       "seed the random numbers with N (default: that of\nthe profile)"),
	OPTION(struct generate_config, count, 'n', "count", COUNT, "N",
	       "stop after N IOs (default: all)", .min = 1, .max = PROFILE_IOS_MAX),
	OPTION(struct generate_config, duration_ns, 't', "duration", TIME, "TIME",
	       "go on for TIME: repeat the profile, or stop early\n(default: the duration of the profile)",
	       .min = 1),
	OPTION(struct generate_config, format, 'f', "format", CHOICE, "FORMAT",
	       "print text, csv or json, an object a line\n(default: text)", .choices = formats),
	OPTION(struct generate_config, output, 'o', "output", FILE, "FILE.reel",
	       "write a trace instead of printing"),
	{0},
};

static const struct command_usage generate_usage = {
	.name = "profile generate",
	.synopsis = "PROFILE [OPTIONS]",
	.summary =
		"Generates the IOs, or operations on files, of a profile in order of time. The same\n"
		"seed gives the same IOs.",
	.options = generate_options,
};

static void show_text(const struct profile *p, const char *path)
{
	render_profile_text(p, path, stdout);
	render_profile_drawing(p, stdout);
	if (!p->error.seeds)
		return;
	printf("\nHow far it was from its trace, generated with %s:\n\n",
	       COUNTED_TEXT(p->error.seeds, "seed"));
	render_profile_error(&p->error, NULL, stdout);
}

int cmd_profile_show(int argc, char **argv)
{
	struct show_config config = {0};
	struct profile *profile;
	int first, code;

	if (!cmd_options(&show_usage, argc, argv, &config, &first, NULL, &code))
		return code;
	if (argc - first != 1)
		return options_usage_error(&show_usage, "takes one profile, not %d", argc - first);
	code = cmd_profile_load(argv[first], &profile);
	if (code)
		return code;
	if (config.json)
		render_profile_json(profile, argv[first], stdout);
	else
		show_text(profile, argv[first]);
	profile__free(profile);
	return cmd_flush_stdout();
}

static int open_trace(const struct profile *p, const char *path, struct trace_writer **writer)
{
	struct trace_device device = {.id = 1,
				      .name = "profile",
				      .size_bytes = p->device_bytes,
				      .logical_block_bytes = 512};
	/* A part of it would pass for all of it. */
	const struct trace_writer_options options = {.replace_at_close = true};
	int err = trace_writer__create(path, &file_trace_host, &options, writer);

	if (err)
		return err;
	err = trace_writer__add_device(*writer, &device);
	if (!err && !p->closed.kind_count)
		err = file_trace__add_streams(p, *writer);
	if (err) {
		trace_writer__close(*writer, NULL);
		*writer = NULL;
	}
	return err;
}

/* Tasks of the trace, by number of the closed loop. */
struct named_tasks {
	uint32_t count;
	uint32_t ids[CLOSED_TASK_NUMBERS + 1]; /* 0: not named yet */
};

/* A task gets an entry the first time that it submits something. */
static int name_task(struct trace_writer *writer, struct closed_row *row, struct named_tasks *tasks)
{
	uint32_t *id = &tasks->ids[row->task];
	struct trace_task task = {.kernel_thread = row->kernel};
	int err = 0;

	if (!row->task)
		return 0;
	if (!*id) {
		*id = task.id = task.pid = task.tgid = ++tasks->count;
		snprintf(task.comm, sizeof(task.comm), "kind%c", (char)('A' + row->kind));
		err = trace_writer__add_task(writer, &task);
	}
	row->row.task = *id;
	return err;
}

static int write_trace(const struct profile *p, struct closed_loop *loop, const char *path,
		       uint64_t count)
{
	struct trace_summary summary = {.stop_ns = NSEC_PER_SEC, .command_status = -1};
	struct named_tasks *tasks = calloc(1, sizeof(*tasks));
	struct trace_writer *writer = NULL;
	struct closed_row row;
	uint64_t made = 0;
	int err = tasks ? open_trace(p, path, &writer) : -ENOMEM, closed;

	while (!err && count-- && (err = closed_loop__next(loop, &row)) > 0) {
		if (cmd_interrupted) {
			err = -EINTR;
			break;
		}
		if (++made % COUNTED_TOGETHER == 0)
			progress_add(COUNTED_TOGETHER);
		row.row.created_ns += NSEC_PER_SEC;
		if (row.row.completed_ns)
			row.row.completed_ns += NSEC_PER_SEC;
		summary.stop_ns = row.row.created_ns;
		err = name_task(writer, &row, tasks);
		if (!err)
			err = trace_writer__append_io(writer, &row.row);
	}
	free(tasks);
	if (!writer)
		return err;
	closed = trace_writer__close(writer, err < 0 ? NULL : &summary);
	return err < 0 ? err : closed;
}

static void print_row(enum generated_format format, const struct closed_row *row)
{
	struct io_row plain = row->row;

	plain.task = row->stream + 1;
	render_generated_row(format, &plain, stdout);
}

static int print_rows(struct closed_loop *loop, enum generated_format format, uint64_t count)
{
	struct closed_row row;
	int err = 0;

	render_generated_head(format, stdout);
	while (count-- && !ferror(stdout) && (err = closed_loop__next(loop, &row)) > 0)
		print_row(format, &row);
	return err < 0 ? err : 0;
}

/* About how many IOs there will be. */
static double ios_to_make(const struct profile *p, const struct generate_config *config)
{
	if (config->count)
		return (double)config->count;
	if (config->duration_ns && p->duration_ns)
		return (double)p->ios * (double)config->duration_ns / (double)p->duration_ns;
	return (double)p->ios;
}

static int generate(const struct profile *p, const struct generate_config *config, const char *path)
{
	struct closed_loop *loop = NULL;
	uint64_t count = config->count ? config->count : UINT64_MAX;
	int err = closed_loop__create(p, config->seed_given ? config->seed : p->seed,
				      config->duration_ns, &loop);

	if (config->output) {
		cmd_watch_signals();
		progress_start("profile generate", ios_to_make(p, config));
	}
	if (!err && config->output)
		err = write_trace(p, loop, config->output, count);
	else if (!err)
		err = print_rows(loop, (enum generated_format)config->format, count);
	progress_stop();
	closed_loop__free(loop);
	return cmd_profile_generated(config->output, path, err);
}

int cmd_profile_generate(int argc, char **argv)
{
	struct generate_config config = {0};
	struct profile *profile;
	int first, code;

	if (!cmd_options(&generate_usage, argc, argv, &config, &first, NULL, &code))
		return code;
	if (argc - first != 1)
		return options_usage_error(&generate_usage, "takes one profile, not %d",
					   argc - first);
	if (config.seed_text && units_parse_count(config.seed_text, 0, UINT64_MAX, &config.seed))
		return options_usage_error(&generate_usage, "--seed takes a whole number, not '%s'",
					   config.seed_text);
	config.seed_given = config.seed_text;
	code = cmd_profile_load(argv[first], &profile);
	if (code)
		return code;
	if (profile->level == PROFILE_OF_FILES)
		code = cmd_profile_generate_files(
			profile,
			&(struct generate_files){.seed = config.seed_given ? config.seed
									   : profile->seed,
						 .count = config.count ? config.count : UINT64_MAX,
						 .duration_ns = config.duration_ns,
						 .format = (enum generated_format)config.format,
						 .output = config.output},
			argv[first]);
	else
		code = generate(profile, &config, argv[first]);
	profile__free(profile);
	return code;
}
