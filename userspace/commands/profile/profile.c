// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/options.h"
#include "base/progress.h"
#include "base/units.h"
#include "commands/shared/command.h"
#include "commands/shared/long_work.h"
#include "commands/profile/load.h"
#include "commands/shared/profile_files.h"
#include "commands/profile/fio.h"
#include "commands/profile/generate.h"
#include "commands/profile/operations.h"
#include "commands/shared/twice.h"
#include "commands/shared/workload_input.h"
#include "compare/profile_error.h"
#include "profile/build/build.h"
#include "profile/operations/operations.h"
#include "render/profile/error.h"

#define FILES_MAX     64
#define DEFAULT_SEEDS 5
/* Work of a byte of a trace for each seed: see progress_start(). */
#define GENERATE_WORK (4 * WORKLOAD_READ_WORK)

struct profile_config {
	const char *output, *device;
	uint64_t seeds;
	bool to_fio, from_fio;
	unsigned int level; /* enum profile_level */
};

static const char *const levels[] = {"device", "files", NULL};

static const struct option_def options[] = {
	OPTION(struct profile_config, output, 'o', "output", TEXT, "PROFILE",
	       "write to this file (default: standard output)"),
	OPTION(struct profile_config, device, 'd', "device", TEXT, "NAME",
	       "profile this device (default: that with the most\nIOs)"),
	OPTION(struct profile_config, level, 'l', "level", CHOICE, "LEVEL",
	       "profile the IOs of a device, or with files the\n"
	       "operations on files of a trace of 'record --files'\n(default: device)",
	       .choices = levels),
	OPTION(struct profile_config, to_fio, 0, "to-fio", FLAG, NULL,
	       "write the nearest job file of fio"),
	OPTION(struct profile_config, from_fio, 0, "from-fio", FLAG, NULL,
	       "read a job file of fio"),
	OPTION(struct profile_config, seeds, 0, "seeds", COUNT, "N",
	       "generate with N seeds and report the distance from\nthe trace; 0: do not (default: 5)",
	       .max = PROFILE_SEEDS_MAX),
	{0},
};

static const char *const subcommands[] = {"show",  "generate", "scale", "mix",
					  "slice", "diff",     NULL};

static const struct command_usage usage = {
	.name = "profile",
	.subcommands = subcommands,
	.synopsis = "FILE... [-o PROFILE]\n--to-fio PROFILE [-o JOB]\n"
		    "--from-fio JOB [-o PROFILE]\nshow PROFILE [--json]\n"
		    "generate PROFILE [OPTIONS]\nscale PROFILE [OPTIONS]\n"
		    "mix PROFILE[=LOAD]... [OPTIONS]\nslice PROFILE [OPTIONS]\n"
		    "diff A B [--json]",
	.summary =
		"Turns traces into a profile: a small text of how many IOs of which kind came when,\n"
		"with which sizes and where. It holds no data and no names. Several traces follow\n"
		"each other in time. Then the IOs are generated with five seeds and compared with\n"
		"the traces; a table, and the profile, tell how far each figure is off.",
	.examples = "  blkreel profile prod.reel -o prod.profile\n"
		    "  blkreel profile show prod.profile\n"
		    "  blkreel profile generate prod.profile --count 20\n",
	.options = options,
};

/* All traces as one: each follows the one before by its own mean gap. */
struct building {
	struct workload_input inputs[FILES_MAX];
	unsigned int count;
	struct profile_extent extent;
	struct profile_builder *builder;
	struct profile_files_input files; /* instead of inputs: with --level files */
	bool of_files;
	struct workload_measure *measure; /* NULL: the error is not asked for */
	struct waits *waits;		  /* of the current trace */
	struct closed_measure *closed;	  /* NULL as `measure` */
	struct local_measure *local;	  /* the same; also NULL of files */
	struct workload_input *current;
	uint64_t offset_ns;
	struct missing_rows missing;
	uint64_t atomic, with_priority, with_hint; /* IOs of which the profile will not say it */
	bool torn;
};

static uint64_t mean_gap_ns(const struct device_extent *e)
{
	return e->ios > 1 ? (e->last_ns - e->first_ns) / (e->ios - 1) : 0;
}

static void add_extent(struct building *b, const struct workload_input *input)
{
	const struct device_extent *e = &input->extent;
	struct profile_extent *all = &b->extent;

	if (!e->ios)
		return;
	if (all->ios)
		all->duration_ns += mean_gap_ns(e);
	else
		all->block_offset_sectors = input->block_offset_sectors;
	all->duration_ns += e->last_ns - e->first_ns;
	all->ios += e->ios;
	size_octaves_merge(&all->sizes, &e->sizes);
	if (input->device_bytes > all->device_bytes)
		all->device_bytes = input->device_bytes;
	if (e->end_sector && (!all->end_sector || e->first_sector < all->first_sector))
		all->first_sector = e->first_sector;
	if (e->end_sector > all->end_sector)
		all->end_sector = e->end_sector;
}

static int open_files(struct building *b, char **files, int count, const char *device)
{
	int code;

	if (count != 1 || device)
		return options_usage_error(&usage,
					   "--level files takes one trace, and no --device");
	b->of_files = true;
	b->inputs[0].path = files[0];
	code = cmd_profile_files_open(&b->files, files[0]);
	if (!code)
		cmd_warn_missing(files[0], &b->files.missing, ROW_ACCESS);
	b->torn = b->files.torn;
	b->missing = b->files.missing;
	b->extent = b->files.source.extent;
	return code;
}

static void warn_twice(const struct building *b, const struct workload_input *input)
{
	for (const struct workload_input *earlier = b->inputs; earlier < input; earlier++)
		if (cmd_warn_twice(earlier->path, earlier->reader, input->path, input->reader))
			return;
}

static int open_all(struct building *b, char **files, int count, const char *device)
{
	if (count > FILES_MAX)
		return options_usage_error(&usage, "takes at most %d files", FILES_MAX);
	for (int i = 0; i < count; i++) {
		struct workload_input *input = &b->inputs[b->count++];
		int code = workload_input_open(input, files[i], device, "-d", false);

		if (code)
			return code;
		b->torn |= input->torn;
		missing_rows__merge(&b->missing, &input->missing);
		cmd_warn_missing(files[i], &input->missing, ROW_IO);
		warn_twice(b, input);
		add_extent(b, input);
	}
	/* A trace may name a smaller device than its rows reach; the rows are what was seen. */
	if (b->extent.device_bytes / SECTOR_BYTES < b->extent.end_sector)
		b->extent.device_bytes = 0;
	return EXIT_OK;
}

/* When the first IO of a single trace was created; 0: not known. */
static uint64_t start_wall_ns(const struct building *b)
{
	const struct trace_host *host;

	if (b->of_files || b->count != 1 || !b->inputs[0].extent.ios)
		return 0;
	host = trace_reader__host(b->inputs[0].reader);
	return host->start_wall_ns && b->inputs[0].extent.first_ns >= host->start_ns
		       ? host->start_wall_ns + b->inputs[0].extent.first_ns - host->start_ns
		       : 0;
}

static int add_row(const struct io_row *row, void *context)
{
	const struct trace_task *task;
	struct building *b = context;
	struct io_row moved = *row;
	struct io_wait waited;
	int known, err;

	b->atomic += (row->flags & IO_ATOMIC) != 0;
	b->with_priority += row->ioprio != 0;
	b->with_hint += io_hint_of_flags(row->flags) != 0;
	moved.created_ns += b->offset_ns;
	if (moved.completed_ns)
		moved.completed_ns += b->offset_ns;
	task = trace_reader__task(b->current->reader, row->task);
	known = waits__add(b->waits, row, task, &waited);
	if (known < 0)
		return known;
	err = profile_builder__add(b->builder, &moved, task, known ? &waited : NULL);
	if (!err && known && b->closed)
		closed_measure__add(b->closed, &moved, waited.dependent,
				    waited.has_think ? waited.think_ns : UINT64_MAX);
	if (!err && b->local)
		err = local_measure__add(b->local, &moved);
	return err || !b->measure ? err : workload_measure__add(b->measure, &moved);
}

static int add_file_request(const struct io_row *request, uint32_t space, void *context)
{
	struct building *b = context;
	int err = profile_builder__add_as(b->builder, request, cmd_profile_files_submitter(request),
					  space, NULL);

	return err || !b->measure ? err : profile_error_add_access(b->measure, request);
}

/* Tasks of another trace are others, and wait for nothing in the one before. */
static int begin_waits(struct building *b)
{
	uint32_t tasks = b->waits ? waits__tasks(b->waits) : 0;

	waits__free(b->waits);
	b->waits = NULL;
	return waits__create(tasks, &b->waits);
}

static int failed(const char *what, int err)
{
	pr_err("%s: %s", what, strerror(-err));
	return EXIT_FAILED;
}

static int read_all(struct building *b)
{
	bool first = true;

	if (b->of_files)
		return cmd_profile_files_each(&b->files, add_file_request, b);

	for (unsigned int i = 0; i < b->count; i++) {
		const struct device_extent *e = &b->inputs[i].extent;
		int code;

		if (!e->ios)
			continue;
		if (!first)
			b->offset_ns += mean_gap_ns(e);
		first = false;
		b->current = &b->inputs[i];
		if (begin_waits(b))
			return failed("profile", -ENOMEM);
		code = workload_input_each(b->current, add_row, b);
		if (code)
			return code;
		b->offset_ns += e->last_ns - e->first_ns;
	}
	return EXIT_OK;
}

static void say_not_kept(const struct building *b)
{
	if (b->atomic)
		pr_info("not kept: the atomicity of %s, which the profile counts as other writes",
			COUNTED_TEXT(b->atomic, "write"));
	if (b->with_priority)
		pr_info("not kept: the IO priority of %s", COUNTED_TEXT(b->with_priority, "IO"));
	if (b->with_hint)
		pr_info("not kept: the write hint of %s", COUNTED_TEXT(b->with_hint, "IO"));
}

static int build(struct building *b, uint64_t seeds, struct profile **profile)
{
	int err = profile_builder__create(&b->extent, &b->builder), code;

	if (err == -ERANGE) {
		pr_err("%s: its times or addresses exceed what a profile can hold",
		       b->inputs[0].path);
		return EXIT_BAD_INPUT;
	}
	if (!err && seeds)
		err = workload_measure__create_sampled(b->extent.block_offset_sectors,
						       PROFILE_MEASURE_BLOCKS, &b->measure);
	if (!err && seeds)
		err = closed_measure__create(&b->closed);
	if (!err && seeds && !b->of_files)
		err = profile_error_create_local(&b->extent, &b->local);
	if (err)
		return failed("profile", err);
	code = read_all(b);
	if (code)
		return code;
	say_not_kept(b);
	err = profile_builder__finish(b->builder, profile);
	if (err)
		return failed("profile", err);
	(*profile)->lost_ppm =
		missing_rows__lost_ppm(&b->missing, b->of_files ? ROW_ACCESS : ROW_IO);
	(*profile)->start_wall_ns = start_wall_ns(b);
	if (b->of_files) {
		(*profile)->level = PROFILE_OF_FILES;
		(*profile)->files = b->files.source.files;
	}
	return EXIT_OK;
}

/*
 * The text is what counts, so the check generates from what a reader of it will see. It is read
 * before it is written to a file, which then holds a profile or what it held.
 */
static int reload(const struct building *b, struct profile *p, struct profile **again)
{
	char message[PROFILE_MESSAGE_MAX], *text = NULL;
	size_t text_bytes = 0;
	int err = profile__shorten(p, &text, &text_bytes);

	if (!err)
		err = profile__parse(text, text_bytes, again, message);
	free(text);
	if (err == -EINVAL) {
		pr_err("%s: its sizes or addresses exceed what a profile can hold: %s",
		       b->inputs[0].path, message);
		return EXIT_BAD_INPUT;
	}
	return err ? failed("profile", err) : EXIT_OK;
}

/* Measures what a reader of the text will generate, and notes the error in the profile. */
static int measure_error(struct building *b, struct profile *p, const struct profile *again,
			 unsigned int seeds)
{
	struct profile_error_trace trace = {workload_measure__finish(b->measure), b->closed,
					    b->local};
	int err = profile_error_measure(again, &trace, seeds, &p->error);

	return err ? failed("profile", err) : EXIT_OK;
}

static int print_error(struct building *b, const struct profile *p, FILE *out)
{
	fprintf(out, "Generated again from the profile with %s:\n\n",
		COUNTED_TEXT(p->error.seeds, "seed"));
	render_profile_error(&p->error, workload_measure__finish(b->measure), out);
	if (p->lost_ppm)
		fprintf(out,
			"The table is of the IOs that are there: %.4g %% of the IOs of the trace were "
			"lost.\n",
			(double)p->lost_ppm / 1e4);
	return out == stdout ? cmd_flush_stdout() : EXIT_OK;
}

static void release(struct building *b)
{
	for (unsigned int i = 0; i < b->count; i++)
		workload_input_close(&b->inputs[i]);
	cmd_profile_files_close(&b->files);
	profile_builder__free(b->builder);
	workload_measure__free(b->measure);
	waits__free(b->waits);
	closed_measure__free(b->closed);
	local_measure__free(b->local);
}

static int profile_files(const struct profile_config *config, char **files, int count)
{
	struct building building = {0};
	struct profile *profile = NULL, *again = NULL;
	bool to_stdout = !config->output || !strcmp(config->output, "-");
	double bytes = cmd_bytes_of(files, (unsigned int)count);
	bool is_measured;
	int code;

	cmd_end_at_signal("%s was not made", to_stdout ? "the profile" : config->output);
	progress_start("profile", bytes * (WORKLOAD_OPEN_WORK + WORKLOAD_READ_WORK +
					   (double)config->seeds * GENERATE_WORK));
	progress_weigh(WORKLOAD_OPEN_WORK);
	code = config->level == PROFILE_OF_FILES
		       ? open_files(&building, files, count, config->device)
		       : open_all(&building, files, count, config->device);
	progress_weigh(WORKLOAD_READ_WORK);
	if (!code)
		code = build(&building, config->seeds, &profile);
	if (!code)
		code = reload(&building, profile, &again);
	if (!code && profile->ios) /* generated IOs are counted */
		progress_weigh(GENERATE_WORK * bytes / (double)profile->ios);
	is_measured = !code && config->seeds && profile->ios;
	if (!code && !profile->ios)
		pr_warn("%s: no IOs: the profile is empty", files[0]);
	if (is_measured)
		code = measure_error(&building, profile, again, (unsigned int)config->seeds);
	progress_stop();
	if (!code)
		code = cmd_profile_write(profile, config->output);
	if (!code && is_measured && (!to_stdout || log_level() > LOG_QUIET))
		code = print_error(&building, profile, to_stdout ? stderr : stdout);
	profile__free(again);
	profile__free(profile);
	if (!code && building.torn)
		code = EXIT_INCOMPLETE;
	release(&building);
	return code;
}

int cmd_profile(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} commands[] = {
		{"show", cmd_profile_show},   {"generate", cmd_profile_generate},
		{"scale", cmd_profile_scale}, {"mix", cmd_profile_mix},
		{"slice", cmd_profile_slice}, {"diff", cmd_profile_diff},
	};
	struct profile_config config = {.seeds = DEFAULT_SEEDS};
	int first, code;

	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	if (!cmd_options(&usage, argc, argv, &config, &first, NULL, &code))
		return code;
	if (first == argc)
		return options_usage_error(&usage, "takes at least one trace");
	if ((config.to_fio || config.from_fio) &&
	    (argc - first != 1 || config.device || config.level ||
	     config.to_fio == config.from_fio))
		return options_usage_error(
			&usage,
			"--to-fio takes one profile, --from-fio one job file; of other options only -o");
	if (config.to_fio)
		return cmd_profile_to_fio(argv[first], config.output);
	if (config.from_fio)
		return cmd_profile_from_fio(argv[first], config.output);
	return profile_files(&config, argv + first, argc - first);
}
