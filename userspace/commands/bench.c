// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/options.h"
#include "base/units.h"
#include "bench/store.h"
#include "commands/shared/command.h"
#include "commands/shared/output.h"
#include "commands/shared/text_output.h"
#include "render/bench/bench.h"
#include "render/json.h"

struct bench_config {
	const char *target, *output, *create_size, *fit, *source;
	struct option_list grid, yes_destroy, force;
	uint64_t runtime_ns, repeats;
	bool write, json;
};

#define BENCH_OPTION(...) OPTION(struct bench_config, __VA_ARGS__)

static const struct option_def options[] = {
	BENCH_OPTION(target, 't', "target", TEXT, "DEVICE|FILE", "measure this device or file"),
	BENCH_OPTION(grid, 0, "grid", LIST, "NAME=V,V...",
		     "vary bs, mix (per cent of reads), depth or jobs;\n"
		     "more of them may follow as words of their own\n"
		     "(repeatable)"),
	BENCH_OPTION(runtime_ns, 0, "runtime", TIME, "T", "measure each point for T (default: 30s)",
		     .min = 1),
	BENCH_OPTION(repeats, 0, "repeat", COUNT, "N", "measure each point N times (default: 1)",
		     .min = 1, .max = 1000),
	BENCH_OPTION(output, 'o', "output", FILE, "DIR",
		     "write results.csv and results.json into DIR, and\n"
		     "go on there after an interruption"),
	BENCH_OPTION(source, 'd', "source", TEXT, "DEV",
		     "replay this recorded device, if there are several"),
	BENCH_OPTION(fit, 0, "fit", TEXT, "HOW",
		     "fit the addresses of a trace or profile to a\n"
		     "smaller target, as replay does"),
	BENCH_OPTION(write, 0, "write", FLAG, NULL, "let writes and discards change the target"),
	BENCH_OPTION(yes_destroy, 0, "yes-destroy", LIST, "NAME",
		     "confirm that this device, or file that holds data,\n"
		     "may be overwritten (repeatable)"),
	BENCH_OPTION(force, 0, "force", LIST, "TYPE",
		     "overwrite a target that carries this signature\n"
		     "(repeatable)"),
	BENCH_OPTION(create_size, 0, "create-size", TEXT, "SIZE",
		     "create the target, a new file of this size"),
	BENCH_OPTION(json, 0, "json", FLAG, NULL, "print JSON"),
	{0},
};

static const struct command_usage usage = {
	.name = "bench",
	.synopsis = "SUITE|TRACE|PROFILE|JOB.fio --target DEVICE|FILE [OPTIONS]",
	.summary =
		"Measures how fast a target is: replays each point of a plan for --runtime, as fast\n"
		"as --grid depth allows, and prints a table. A suite is a plan with points of its\n"
		"own: six-job, oltp-50, peak, random or sequential.\n"
		"The target is checked as 'blkreel replay' does, before each point.",
	.examples = "  blkreel bench random --target /dev/nvme1n1 --grid bs=4k,64k depth=1,8,32\n"
		    "  blkreel bench six-job --target t.img --create-size 10G --write -o results\n"
		    "  blkreel bench prod.profile --target /dev/sdb --fit wrap --runtime 1m\n",
	.options = options,
};

struct bench {
	const struct bench_config *config;
	struct bench_options options;
	struct bench_points points;
	struct bench_figures *figures;
	unsigned int done;
	char settings[BENCH_KEY_MAX + 4096];
};

/* Checks -------------------------------------------------------------------------------------- */

static int parse_plan(struct bench *b, int argc, char **argv, int first)
{
	struct bench_grid grid = {0};
	char message[BENCH_MESSAGE_MAX];
	int err = 0;

	if (first >= argc)
		return options_usage_error(&usage,
					   "a suite, a trace, a profile or a job file is needed");
	for (unsigned int i = 0; i < b->config->grid.count && !err; i++)
		err = bench_grid__add(&grid, b->config->grid.items[i], message);
	for (int i = first + 1; i < argc && !err; i++) {
		if (!b->config->grid.count || !strchr(argv[i], '='))
			return options_usage_error(&usage, "one plan at a time");
		err = bench_grid__add(&grid, argv[i], message);
	}
	if (!err)
		err = bench_points__create(argv[first], &grid, (unsigned int)b->config->repeats,
					   &b->points, message);
	if (err == -EINVAL)
		return options_usage_error(&usage, "%s", message);
	if (!err)
		b->figures = calloc(b->points.count, sizeof(*b->figures));
	if (b->figures)
		return EXIT_OK;
	pr_err("no memory for the points");
	return EXIT_FAILED;
}

static uint64_t size_of_target(const struct bench_config *config)
{
	int fd = open(config->target, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	uint64_t bytes = 0;
	struct stat st;

	if (fd < 0) {
		if (errno == ENOENT && config->create_size)
			units_parse_bytes(config->create_size, &bytes);
		return bytes;
	}
	if (!fstat(fd, &st) && S_ISBLK(st.st_mode))
		bytes = ioctl(fd, BLKGETSIZE64, &bytes) ? 0 : bytes;
	else
		bytes = (uint64_t)st.st_size;
	close(fd);
	return bytes;
}

static bool is_too_small(const struct bench *b, const struct bench_point *p)
{
	return !p->source && b->options.target_bytes < p->bs_bytes;
}

static int check_points(const struct bench *b)
{
	for (unsigned int i = 0; i < b->points.count; i++) {
		const struct bench_point *p = &b->points.items[i];

		if (bench_point__writes(p) && !b->config->write) {
			pr_err("refused: %s writes: give --write, or --grid mix=100", p->name);
			return EXIT_REFUSED;
		}
		if (is_too_small(b, p)) {
			pr_err("refused: %s is smaller than an IO of %s, or cannot be read",
			       b->config->target, p->name);
			return EXIT_REFUSED;
		}
	}
	return EXIT_OK;
}

/* Measuring ----------------------------------------------------------------------------------- */

static int cannot_store(const char *folder, int err)
{
	if (err == -EEXIST)
		pr_err("%s: holds results of another bench, or damaged ones: name another -o",
		       folder);
	else
		pr_err("%s: cannot hold the results: %s", folder, strerror(-err));
	return err == -EEXIST ? EXIT_USAGE : EXIT_FAILED;
}

static void show_progress(const struct bench *b)
{
	uint64_t left_ns = (b->points.count - b->done) * b->config->runtime_ns;
	const struct bench_point *p = &b->points.items[b->done];

	pr_info("point %u of %u, %s left: %s, %s at depth %u", b->done + 1, b->points.count,
		TIME_TEXT(left_ns), p->name, COUNTED_TEXT(p->jobs, "job"), p->depth);
}

static int measure_point(struct bench *b)
{
	const struct bench_point *point = &b->points.items[b->done];
	struct bench_figures *figures = &b->figures[b->done];
	const char *folder = b->config->output;
	int code, err = 0;

	if (folder)
		err = bench_store__load(folder, b->done, b->settings, point, figures);
	if (err < 0)
		return cannot_store(folder, err);
	if (!err) {
		show_progress(b);
		code = bench_measure(&b->options, point, figures);
		if (code)
			return code;
		if (cmd_interrupted)
			return 128 + cmd_interrupted;
		err = folder ? bench_store__save(folder, b->done, b->settings, point, figures) : 0;
		if (err)
			return cannot_store(folder, err);
	}
	b->done++;
	return EXIT_OK;
}

/* Results ------------------------------------------------------------------------------------- */

static bool is_csv(const char *head, size_t bytes)
{
	(void)bytes;
	return !strncmp(head, "point,bs_bytes,", 15);
}

static bool is_document(const char *head, size_t bytes)
{
	(void)bytes;
	return strstr(head, "\"blkreel.bench/") != NULL;
}

static const struct output_kind csv_kind = {.name = "table", .is_one = is_csv};
static const struct output_kind json_kind = {.name = "document", .is_one = is_document};

static int write_file(const struct bench_results *r, const char *folder, bool csv)
{
	const struct output_kind *kind = csv ? &csv_kind : &json_kind;
	char path[BENCH_PATH_MAX], message[BENCH_PATH_MAX + 256];
	struct text_output out;
	int err;

	bench_store__path(folder, csv ? "results.csv" : "results.json", path);
	err = text_output__begin(&out, path, kind);
	if (!err)
		err = text_output__end(&out, csv ? bench_csv(r, out.file)
						 : json_print(out.file, bench_json(r)));
	if (!err)
		return EXIT_OK;
	output_file__explain(path, kind, err, message, sizeof(message));
	pr_err("%s", message);
	return EXIT_FAILED;
}

static int print_results(const struct bench *b, const char *plan)
{
	const struct bench_results r = {.plan = plan,
					.options = &b->options,
					.points = &b->points,
					.figures = b->figures,
					.done = b->done};
	int err = b->config->json ? json_print(stdout, bench_json(&r)) : bench_text(&r, stdout);
	int code = cmd_flush_stdout();

	if (err && !code) {
		pr_err("cannot print: %s", strerror(-err));
		code = EXIT_FAILED;
	}
	if (!code && b->config->output)
		code = write_file(&r, b->config->output, true);
	if (!code && b->config->output)
		code = write_file(&r, b->config->output, false);
	return code;
}

static int run(struct bench *b, const char *plan)
{
	int code = EXIT_OK, printed;

	cmd_watch_signals();
	while (!code && b->done < b->points.count)
		code = measure_point(b);
	if (!b->done && code)
		return code;
	printed = print_results(b, plan);
	if (cmd_interrupted && b->config->output)
		pr_info("the same command goes on where this one was interrupted");
	return code ? code : printed;
}

int cmd_bench(int argc, char **argv)
{
	struct bench_config config = {.runtime_ns = 30 * NSEC_PER_SEC, .repeats = 1};
	struct bench b = {.config = &config};
	int first, code, err;

	if (!cmd_options(&usage, argc, argv, &config, &first, NULL, &code))
		return code;
	if (!config.target)
		return options_usage_error(&usage, "--target is needed: what to measure");
	code = parse_plan(&b, argc, argv, first);
	b.options = (struct bench_options){.target = config.target,
					   .target_bytes = size_of_target(&config),
					   .runtime_ns = config.runtime_ns,
					   .create_size = config.create_size,
					   .fit = config.fit,
					   .source = config.source,
					   .write = config.write,
					   .yes_destroy = &config.yes_destroy,
					   .force = &config.force,
					   .interrupted = &cmd_interrupted};
	if (!code)
		code = check_points(&b);
	if (!code && config.output) {
		snprintf(b.settings, sizeof(b.settings),
			 "%s on %s, %" PRIu64 " bytes, %" PRIu64 " ns, fit %s, source %s",
			 argv[first], config.target, b.options.target_bytes, config.runtime_ns,
			 config.fit ? config.fit : "none", config.source ? config.source : "none");
		err = bench_store__open(config.output);
		code = err ? cannot_store(config.output, err) : EXIT_OK;
	}
	if (!code)
		code = run(&b, argv[first]);
	bench_points__free(&b.points);
	free(b.figures);
	return code;
}
