// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/options.h"
#include "base/units.h"
#include "bench/merge.h"
#include "bench/plan.h"
#include "bench/store.h"
#include "commands/bench/results.h"
#include "commands/shared/command.h"
#include "commands/shared/output.h"
#include "commands/shared/target_options.h"
#include "replay/engine/steady_figure.h"
#include "replay/session/options.h"

#define STEADY_ROUNDS_MAX 25
/* Between the end of a point and the start of the next: --sync-start. */
#define SYNC_PAUSE_S 5

struct bench_config {
	const char *target, *output, *source;
	unsigned int fit;
	uint64_t create_bytes;
	struct option_list grid, yes_destroy, force;
	uint64_t runtime_ns, repeats, round_ns;
	unsigned int until_steady;
	double start_epoch_s;
	bool write, json, merge;
};

#define BENCH_OPTION(...) OPTION(struct bench_config, __VA_ARGS__)

static const struct option_def options[] = {
	BENCH_OPTION(target, 't', "target", TEXT, "DEVICE|FILE", "measure this device or file"),
	BENCH_OPTION(grid, 0, "grid", LIST, "NAME=V,V...",
		     "vary bs, mix (per cent of reads), depth or jobs;\n"
		     "more of them may follow as further arguments\n"
		     "(repeatable)"),
	BENCH_OPTION(runtime_ns, 0, "runtime", TIME, "T",
		     "measure each point for T (default: 30s; 1m in tests\n"
		     "of the SNIA; of a job file, what its jobs say)",
		     .min = 1),
	BENCH_OPTION(until_steady, 0, "until-steady", CHOICE, "FIGURE",
		     "end a point when FIGURE was steady for five rounds,\n"
		     "after 25 rounds or --runtime at the latest: iops,\n"
		     "throughput, or a percentile of the latency",
		     .choices = steady_figure_names),
	BENCH_OPTION(round_ns, 0, "round", TIME, "T",
		     "set the length of a round of --until-steady\n(default: 1s)", .min = 1),
	BENCH_OPTION(repeats, 0, "repeat", COUNT, "N", "measure each point N times (default: 1)",
		     .min = 1, .max = 1000),
	BENCH_OPTION(output, 'o', "output", FILE, "DIR",
		     "write results.csv, results.json and index.html into\n"
		     "DIR, and go on there after an interruption"),
	BENCH_OPTION(merge, 0, "merge", FLAG, NULL, "print the results of several hosts as one"),
	BENCH_OPTION(start_epoch_s, 0, "sync-start", REAL, "TIME",
		     "start the first point at this Unix time, and each\n"
		     "other at a time that follows from it"),
	TARGET_SOURCE_OPTIONS(struct bench_config, source, fit),
	TARGET_WRITE_OPTIONS(struct bench_config, write, yes_destroy, force, create_bytes),
	BENCH_OPTION(json, 0, "json", FLAG, NULL, "print JSON"),
	{0},
};

static const struct command_usage usage = {
	.name = "bench",
	.synopsis = "SUITE|TRACE|PROFILE|JOB.fio --target DEVICE|FILE [OPTIONS]\n"
		    "--merge RESULT...",
	.summary =
		"Measures how fast a target is: replays each point of a plan for --runtime, as fast\n"
		"as --grid depth allows, and prints a table. The jobs of a job file run as fio runs\n"
		"them. A suite is a plan with points of its own: six-job, oltp-50, peak, random or\n"
		"sequential; and the tests of the SNIA, which purge and fill the target first:\n"
		"pts-iops, pts-throughput, pts-latency and pts-saturation.\n"
		"The target is checked as 'blkreel replay' does, before each point.",
	.examples = "  blkreel bench random --target /dev/nvme1n1 --grid bs=4k,64k depth=1,8,32\n"
		    "  blkreel bench six-job --target t.img --create-size 10G --write -o results\n"
		    "  blkreel bench jobs.fio --target /dev/sdb\n"
		    "  blkreel bench --merge host1/results host2/results\n",
	.options = options,
};

struct bench {
	const struct bench_config *config;
	const char *plan;
	struct bench_options options;
	uint32_t block_bytes;
	struct bench_points points;
	struct bench_figures *figures;
	unsigned int done;
	bool is_whole;
	char settings[BENCH_KEY_MAX + 4096];
};

/* The target ---------------------------------------------------------------------------------- */

static void measure_device(struct bench *b, int fd)
{
	int block_bytes;

	if (ioctl(fd, BLKGETSIZE64, &b->options.target_bytes))
		b->options.target_bytes = 0;
	if (!ioctl(fd, BLKSSZGET, &block_bytes) && block_bytes > 0)
		b->block_bytes = (uint32_t)block_bytes;
}

/* A file takes what its file system takes of direct IO. */
static void measure_file(struct bench *b, int fd, const struct stat *st)
{
#ifdef STATX_DIOALIGN
	struct statx x;

	if (!statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &x) && x.stx_dio_offset_align)
		b->block_bytes = x.stx_dio_offset_align;
#else
	(void)fd;
#endif
	b->options.target_bytes = (uint64_t)st->st_size;
}

static void find_size(struct bench *b)
{
	const struct bench_config *config = b->config;
	int fd = open(config->target, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	b->block_bytes = SECTOR_BYTES;
	if (fd < 0) {
		if (errno == ENOENT)
			b->options.target_bytes = config->create_bytes;
		return;
	}
	if (!fstat(fd, &st) && S_ISBLK(st.st_mode))
		measure_device(b, fd);
	else
		measure_file(b, fd, &st);
	close(fd);
}

/* Checks -------------------------------------------------------------------------------------- */

static void print_note(const char *text, void *context)
{
	const struct bench *b = context;

	pr_warn("%s: %s", b->plan, text);
}

static int parse_grid(const struct bench *b, int argc, char **argv, int first,
		      struct bench_grid *grid)
{
	char message[BENCH_MESSAGE_MAX];
	int err = 0;

	for (unsigned int i = 0; i < b->config->grid.count && !err; i++)
		err = bench_grid__add(grid, b->config->grid.items[i], message);
	for (int i = first + 1; i < argc && !err; i++) {
		if (!b->config->grid.count || !strchr(argv[i], '='))
			return options_usage_error(&usage, "one plan at a time");
		err = bench_grid__add(grid, argv[i], message);
	}
	return err ? options_usage_error(&usage, "%s", message) : EXIT_OK;
}

static int parse_plan(struct bench *b, const struct bench_grid *grid)
{
	const struct bench_config *config = b->config;
	char message[BENCH_MESSAGE_MAX] = "";
	struct bench_request request = {.plan = b->plan,
					.grid = grid,
					.repeats = (unsigned int)config->repeats,
					.runtime_ns = config->runtime_ns,
					.target_bytes = b->options.target_bytes,
					.target_block_bytes = b->block_bytes,
					.note = print_note,
					.context = b};
	int err;

	if (config->until_steady && !config->runtime_ns)
		request.runtime_ns = STEADY_ROUNDS_MAX * config->round_ns;
	err = bench_plan(&request, &b->points, message);
	if (err == -EINVAL)
		return options_usage_error(&usage, "%s", message);
	if (err == -EBADMSG) {
		pr_err("%s: %s", b->plan, message);
		return EXIT_BAD_INPUT;
	}
	if (err && err != -ENOMEM) {
		pr_err("%s: cannot read: %s", b->plan, strerror(-err));
		return EXIT_FAILED;
	}
	if (!err)
		b->figures = calloc(b->points.count, sizeof(*b->figures));
	if (b->figures)
		return EXIT_OK;
	pr_err("no memory for the points");
	return EXIT_FAILED;
}

static int check_options(const struct bench *b)
{
	const struct bench_config *config = b->config;

	if (!config->target)
		return options_usage_error(&usage, "--target is needed: what to measure");
	if (config->until_steady && bench_pts__find(b->plan))
		return options_usage_error(
			&usage, "--until-steady: %s has a steady state of its own", b->plan);
	if (config->start_epoch_s > 0 && (config->until_steady || bench_pts__find(b->plan)))
		return options_usage_error(&usage,
					   "--sync-start needs points of a known length: not "
					   "with --until-steady, nor with tests of the SNIA");
	if (config->start_epoch_s > 0 && config->start_epoch_s < (double)time(NULL))
		return options_usage_error(&usage, "--sync-start is in the past: it is %lld now",
					   (long long)time(NULL));
	return EXIT_OK;
}

static bool is_too_small(const struct bench *b, const struct bench_point *p)
{
	uint64_t bytes = p->bs_bytes ? p->bs_bytes : SECTOR_BYTES;

	return p->kind != BENCH_SOURCE && p->kind != BENCH_JOBS && b->options.target_bytes < bytes;
}

static int check_points(const struct bench *b)
{
	for (unsigned int i = 0; i < b->points.count; i++) {
		const struct bench_point *p = &b->points.items[i];

		if (bench_point__writes(p) && !b->config->write) {
			pr_err("refused: %s writes: give --write%s", p->name,
			       p->kind == BENCH_SUITE && !b->points.pts ? ", or --grid mix=100"
									: "");
			return EXIT_REFUSED;
		}
		if (is_too_small(b, p)) {
			pr_err("refused: %s is smaller than an IO of %s, or cannot be read",
			       b->config->target, p->name);
			return EXIT_REFUSED;
		}
		if (b->config->start_epoch_s > 0 && !p->runtime_ns)
			return options_usage_error(
				&usage,
				"--sync-start: how long %s takes is not known: give --runtime",
				p->name);
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
	const struct bench_point *p = &b->points.items[b->done];
	char left[UNITS_TEXT_MAX + 32] = "";
	uint64_t left_ns = 0;
	bool is_known = true;

	for (unsigned int i = b->done; i < b->points.count; i++) {
		left_ns += b->points.items[i].runtime_ns;
		is_known &= b->points.items[i].runtime_ns > 0;
	}
	if (is_known)
		snprintf(left, sizeof(left), ", %s%s left",
			 b->points.pts || b->config->until_steady ? "at most " : "",
			 TIME_TEXT(left_ns));
	pr_info("point %u of %u%s: %s, %s at depth %u", b->done + 1, b->points.count, left, p->name,
		COUNTED_TEXT(p->jobs, "job"), p->depth);
}

/* When the point starts on all hosts. */
static double start_of(const struct bench *b)
{
	double start_s = b->config->start_epoch_s;

	for (unsigned int i = 0; i < b->done; i++)
		start_s += ceil((double)b->points.items[i].runtime_ns / 1e9) + SYNC_PAUSE_S;
	return start_s;
}

static int measure(struct bench *b)
{
	int code;

	show_progress(b);
	if (b->config->start_epoch_s > 0) {
		b->options.start_epoch_s = start_of(b);
		if (b->options.start_epoch_s < (double)time(NULL)) {
			pr_err("point %u should have started at %.0f: too late to run together with "
			       "other hosts",
			       b->done + 1, b->options.start_epoch_s);
			return EXIT_FAILED;
		}
	}
	code = bench_measure(&b->options, &b->points.items[b->done], &b->figures[b->done]);
	return !code && cmd_interrupted ? 128 + cmd_interrupted : code;
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
		code = measure(b);
		if (code)
			return code;
		err = folder ? bench_store__save(folder, b->done, b->settings, point, figures) : 0;
		if (err)
			return cannot_store(folder, err);
	}
	b->done++;
	b->is_whole = b->points.pts ? bench_pts__is_over(&b->points, b->figures, b->done,
							 b->options.target_bytes)
				    : b->done == b->points.count;
	return EXIT_OK;
}

/* The runtime that all points have; 0: they differ. */
static uint64_t common_runtime(const struct bench_points *points)
{
	uint64_t runtime_ns = points->items[points->count - 1].runtime_ns;

	for (unsigned int i = 0; i < points->count; i++)
		if (points->items[i].runtime_ns != runtime_ns &&
		    points->items[i].kind != BENCH_PURGE && points->items[i].kind != BENCH_FILL)
			return 0;
	return runtime_ns;
}

static int print_results(const struct bench *b)
{
	const struct bench_config *config = b->config;
	struct bench_results r = {.plan = b->plan,
				  .target = config->target,
				  .target_bytes = b->options.target_bytes,
				  .runtime_ns = common_runtime(&b->points),
				  .steady_figure = b->options.until_steady,
				  .points = &b->points,
				  .figures = b->figures,
				  .done = b->done,
				  .is_whole = b->is_whole};

	cmd_bench_describe(&r);
	if (b->points.pts)
		bench_pts__judge(&b->points, b->figures, b->done, &r.steady);
	return cmd_bench_results(&r, config->json, config->output);
}

/* EXIT_FAILED if IOs failed, after a message for each point. */
static int tell_errors(const struct bench *b)
{
	int code = EXIT_OK;

	for (unsigned int i = 0; i < b->done; i++) {
		const struct bench_figures *f = &b->figures[i];

		if (!f->errors)
			continue;
		pr_err("%s: %s of %s failed; the figures are of the others",
		       b->points.items[i].name, COUNT_TEXT(f->errors),
		       COUNTED_TEXT(f->ios + f->errors, "IO"));
		code = EXIT_FAILED;
	}
	return code;
}

static int run(struct bench *b)
{
	int code = EXIT_OK, printed;

	cmd_watch_signals();
	while (!code && !b->is_whole)
		code = measure_point(b);
	if (!b->done && code)
		return code;
	printed = print_results(b);
	if (!printed)
		printed = tell_errors(b);
	if (cmd_interrupted && b->config->output)
		pr_info("the same command goes on where this one was interrupted");
	return code ? code : printed;
}

static int open_folder(struct bench *b)
{
	const struct bench_config *config = b->config;
	struct stat plan = {0};
	int err;

	if (!config->output)
		return EXIT_OK;
	/* An edited plan is another one. */
	if (b->points.items[0].source && stat(b->plan, &plan))
		plan.st_size = 0;
	snprintf(b->settings, sizeof(b->settings),
		 "%s (%lld, %lld.%09ld) on %s, %" PRIu64 " bytes, %" PRIu64
		 " ns, fit %s, source %s, steady %s, %" PRIu64 " ns",
		 b->plan, (long long)plan.st_size, (long long)plan.st_mtim.tv_sec,
		 plan.st_mtim.tv_nsec, config->target, b->options.target_bytes, config->runtime_ns,
		 b->options.fit ? b->options.fit : "none", config->source ? config->source : "none",
		 b->options.until_steady ? b->options.until_steady : "none", config->round_ns);
	err = bench_store__open(config->output);
	return err ? cannot_store(config->output, err) : EXIT_OK;
}

/* NULL: none is given. */
static const char *fit_name(const struct bench_config *config)
{
	return config->fit == REPLAY_NOT_GIVEN ? NULL : target_fit_names[config->fit];
}

static int bench(struct bench *b, int argc, char **argv, int first)
{
	const struct bench_config *config = b->config;
	struct bench_grid grid = {0};
	int code = check_options(b);

	if (!code)
		code = parse_grid(b, argc, argv, first, &grid);
	if (code)
		return code;
	b->options = (struct bench_options){
		.target = config->target,
		.create_bytes = config->create_bytes,
		.fit = fit_name(config),
		.source = config->source,
		.until_steady =
			config->until_steady ? steady_figure_names[config->until_steady] : NULL,
		.round_ns = config->round_ns,
		.write = config->write,
		.yes_destroy = &config->yes_destroy,
		.force = &config->force,
		.interrupted = &cmd_interrupted};
	find_size(b);
	code = parse_plan(b, &grid);
	if (!code)
		code = check_points(b);
	if (!code)
		code = open_folder(b);
	return code ? code : run(b);
}

/* --merge ------------------------------------------------------------------------------------- */

static int merge(const struct bench_config *config, char **paths, unsigned int count)
{
	char message[BENCH_MESSAGE_MAX] = "";
	struct bench_merged merged = {0};
	struct bench_results r;
	int err = 0, code = EXIT_OK;

	for (unsigned int i = 0; i < count && !err; i++) {
		err = bench_merged__add(&merged, paths[i], message);
		if (err)
			pr_err("%s: %s", paths[i],
			       err == -EINVAL && *message ? message : strerror(-err));
	}
	if (err)
		code = err == -EINVAL ? EXIT_BAD_INPUT : EXIT_FAILED;
	if (!code && config->output) {
		err = bench_store__open(config->output);
		code = err ? cannot_store(config->output, err) : EXIT_OK;
	}
	if (!code) {
		r = (struct bench_results){.plan = merged.plan,
					   .target = "several targets",
					   .runtime_ns = common_runtime(&merged.points),
					   .merged = merged.results,
					   .points = &merged.points,
					   .figures = merged.figures,
					   .done = merged.points.count,
					   .is_whole = true};
		code = cmd_bench_results(&r, config->json, config->output);
	}
	bench_merged__free(&merged);
	return code;
}

int cmd_bench(int argc, char **argv)
{
	struct bench_config config = {
		.fit = REPLAY_NOT_GIVEN, .repeats = 1, .round_ns = NSEC_PER_SEC};
	struct bench b = {.config = &config};
	int first, code;

	if (!cmd_options(&usage, argc, argv, &config, &first, NULL, &code))
		return code;
	if (first >= argc)
		return options_usage_error(&usage, config.merge
							   ? "results are needed, as -o made them"
							   : "a suite, a trace, a profile or a job "
							     "file is needed");
	if (config.merge && (config.target || config.grid.count))
		return options_usage_error(&usage,
					   "--merge measures nothing: it takes results, and "
					   "--json or -o");
	if (config.merge)
		return merge(&config, argv + first, (unsigned int)(argc - first));
	b.plan = argv[first];
	code = bench(&b, argc, argv, first);
	for (unsigned int i = 0; b.figures && i < b.points.count; i++)
		free(b.figures[i].latencies);
	bench_points__free(&b.points);
	free(b.figures);
	return code;
}
