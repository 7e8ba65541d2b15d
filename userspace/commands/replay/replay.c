// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "commands/replay/config.h"
#include "commands/replay/confirm.h"
#include "commands/replay/files.h"
#include "commands/replay/progress.h"
#include "commands/replay/record.h"
#include "commands/shared/command.h"
#include "commands/shared/output.h"
#include "commands/shared/target_options.h"
#include "render/json.h"
#include "render/replay/plan.h"
#include "render/replay/replay.h"
#include "render/replay/verify.h"
#include "replay/engine/steady_figure.h"
#include "replay/engine/workers.h"
#include "replay/session/play.h"
#include "replay/session/stamping.h"
#include "trace/streams/left_out.h"

static const char *const spins[] = {"auto", "always", "never", NULL};
static const char *const priorities[] = {"auto", "normal", NULL};
static const char *const unsupporteds[] = {"refuse", "skip", "emulate", NULL};
static const char *const caches[] = {"cold", "warm", "as-recorded", NULL};
static const char *const on_errors[] = {"continue", "stop", NULL};

#define REPLAY_OPTION(...) OPTION(struct replay_config, __VA_ARGS__)

static const struct option_def options[] = {
	REPLAY_OPTION(target, 't', "target", TEXT, "DEVICE|FILE",
		      "play onto this device or file (this or --map)"),
	REPLAY_OPTION(map, 0, "map", LIST, "SRC=DST",
		      "play the recorded device SRC onto DST; several run\n"
		      "at the same time, on one clock (repeatable)"),
	REPLAY_OPTION(options.mode, 'm', "mode", CHOICE, "MODE",
		      "choose when an IO is issued: timed, when it is\n"
		      "due, whatever has completed; asap, as soon as\n"
		      "--iodepth allows; depth, with as many in flight as\n"
		      "recorded; dependent, after the IOs that it waited\n"
		      "for, plus the think time of the application\n"
		      "(default: timed)",
		      .choices = engine_mode_names),
	REPLAY_OPTION(options.speed, 's', "speed", REAL, "X",
		      "replay X times as fast as recorded; mode\n"
		      "dependent: divide the think time by X (default: 1)"),
	REPLAY_OPTION(options.spin, 0, "spin", CHOICE, "WHEN",
		      "choose how to wait until an IO is due: auto, sleep,\n"
		      "and poll from before the timers of this machine are\n"
		      "late; always, poll (occupies a core); never, sleep\n"
		      "(default: auto)",
		      .choices = spins),
	REPLAY_OPTION(options.priority, 0, "priority", CHOICE, "WHICH",
		      "set the scheduling class of the submitting thread\n"
		      "in modes timed and dependent: auto (real-time if\n"
		      "permitted; nice -20 where it never sleeps) or\n"
		      "normal, which it always is in modes asap and depth\n"
		      "(default: auto)",
		      .choices = priorities),
	REPLAY_OPTION(options.sqpoll, 0, "sqpoll", FLAG, NULL,
		      "let a thread of the kernel submit; occupies a\n"
		      "core; its delay shows as sqpoll delay, not in\n"
		      "lateness"),
	REPLAY_OPTION(options.iopoll, 0, "iopoll", FLAG, NULL,
		      "poll the device for completions of reads and\n"
		      "writes instead of using interrupts; occupies a\n"
		      "core; needs a driver with polled queues\n"
		      "(nvme.poll_queues)"),
	REPLAY_OPTION(options.iodepth, 'q', "iodepth", COUNT, "N",
		      "limit the IOs in flight (default: 32 in mode asap,\n"
		      "4096 in mode timed with --sqpoll, otherwise 1024)",
		      .min = 1, .max = ENGINE_IODEPTH_MAX),
	REPLAY_OPTION(options.workers, 0, "workers", COUNT, "N",
		      "submit from N threads, each with its own io_uring;\n"
		      "they share the IOs and --iodepth, and keep the\n"
		      "order of IOs that overlap; modes timed and asap\n"
		      "(default: 1)",
		      .min = 1, .max = WORKERS_MAX),
	REPLAY_OPTION(options.batch, 0, "batch", COUNT, "N",
		      "mode asap: collect N completions per wait; 1\n"
		      "measures each latency, larger values reach more\n"
		      "IOPS (default: --iodepth / 4)",
		      .min = 1, .max = ENGINE_IODEPTH_MAX),
	TARGET_SOURCE_OPTIONS(struct replay_config, source, options.fit),
	REPLAY_OPTION(from, 0, "from", TEXT, "T",
		      "leave out what came before this time of the\n"
		      "recording, or of the clock (15:04:05,\n"
		      "2026-11-21T15:04)"),
	REPLAY_OPTION(to, 0, "to", TEXT, "T", "leave out what came from this time on"),
	REPLAY_OPTION(duration_ns, 0, "duration", TIME, "T",
		      "replay this much of the source's time, counted from\n"
		      "--from (see --runtime for a limit of the clock)"),
	REPLAY_OPTION(without, 0, "without", LIST, "PARTY",
		      "leave out the IOs of task=NAME, cgroup=PATH or\n"
		      "file=NAME (repeatable)"),
	REPLAY_OPTION(options.rounds, 0, "loop", COUNT, "N", "replay N times in a row (default: 1)",
		      .min = 1, .max = UINT32_MAX),
	REPLAY_OPTION(options.runtime_ns, 0, "runtime", TIME, "T",
		      "end when T of the clock is over, even if the source\n"
		      "is not (with --loop: run for T)",
		      .min = 1),
	REPLAY_OPTION(options.ramp_ns, 0, "ramp", TIME, "T",
		      "do not count what is submitted in the first T of\n"
		      "the replay"),
	REPLAY_OPTION(series, 0, "series", FILE, "FILE",
		      "write a CSV row per round to FILE, a new file:\n"
		      "rate, lateness, latency; with several --map, of\n"
		      "each"),
	REPLAY_OPTION(round_ns, 0, "round", TIME, "T",
		      "set the length of a round of --series and\n"
		      "--until-steady (default: 1s)"),
	REPLAY_OPTION(until_steady, 0, "until-steady", CHOICE, "FIGURE",
		      "end when FIGURE was steady for five rounds, within\n"
		      "20 % and with a slope below 10 %: iops,\n"
		      "throughput, p50, p90, p95, p99 or p99_9",
		      .choices = steady_figure_names),
	REPLAY_OPTION(options.start_epoch_s, 0, "sync-start", REAL, "TIME",
		      "start at this time, in seconds since 1970 (date\n"
		      "+%s), together with replays on other hosts"),
	REPLAY_OPTION(options.on_error, 0, "on-error", CHOICE, "HOW",
		      "continue or stop when an IO fails\n"
		      "(default: continue)",
		      .choices = on_errors),
	REPLAY_OPTION(options.reads_only, 0, "reads-only", FLAG, NULL,
		      "leave out everything but reads"),
	TARGET_WRITE_OPTIONS(struct replay_config, options.write, yes_destroy, options.force,
			     options.create_bytes),
	REPLAY_OPTION(options.dry_run, 0, "dry-run", FLAG, NULL,
		      "check everything and print what would be done; the\n"
		      "target is opened for reading only"),
	REPLAY_OPTION(options.unsupported, 0, "unsupported", CHOICE, "HOW",
		      "treat operations that the target cannot do: refuse\n"
		      "the replay, skip and count them, or emulate them\n"
		      "by the next of discard, write_zeroes and write\n"
		      "that it can do (default: refuse)",
		      .choices = unsupporteds),
	REPLAY_OPTION(options.seed, 0, "seed", COUNT, "N",
		      "set the seed of a profile's IOs and of the written\n"
		      "bytes"),
	REPLAY_OPTION(options.content.compressible_pct, 0, "compressibility", COUNT, "PCT",
		      "make PCT % of the written bytes zeroes\n"
		      "(default: 0)",
		      .max = 99),
	REPLAY_OPTION(options.content.dedup_pct, 0, "dedup", COUNT, "PCT",
		      "make PCT % of the written 4 KiB blocks duplicates\n"
		      "of others and the rest unique (default: one 16 MiB\n"
		      "buffer, reused)",
		      .max = 100),
	REPLAY_OPTION(options.stamp.stamp, 0, "stamp", FILE, "STATE",
		      "start each written block with a header (address,\n"
		      "number, checksum), and keep STATE, a new file, for\n"
		      "--verify"),
	REPLAY_OPTION(options.stamp.verify, 0, "verify", TEXT, "STATE",
		      "replay nothing: read what a replay with --stamp\n"
		      "STATE wrote, and count lost, torn and misdirected\n"
		      "writes"),
	REPLAY_OPTION(options.stamp.after_crash, 0, "after-crash", FLAG, NULL,
		      "with --verify: require only what was flushed"),
	REPLAY_OPTION(files, 0, "files", TEXT, "DIR",
		      "replay the operations on files (record --files)\n"
		      "instead of requests, on files that are first laid\n"
		      "out in DIR, a new or empty directory"),
	REPLAY_OPTION(options.buffered, 0, "buffered", FLAG, NULL,
		      "use the page cache instead of O_DIRECT. Dirty\n"
		      "pages are synced at the end; that time is reported\n"
		      "separately"),
	REPLAY_OPTION(options.cache, 0, "cache", CHOICE, "STATE",
		      "with --files or --buffered: prepare the page\n"
		      "cache: cold, drop it; warm, read what the replay\n"
		      "touches; as-recorded (--files only), read what was\n"
		      "in it when the recording began (default: cold)",
		      .choices = caches),
	REPLAY_OPTION(options.memory_bytes, 0, "memory", BYTES, "SIZE",
		      "with --files or --buffered: limit the memory, page\n"
		      "cache included, with a control group (root)"),
	REPLAY_OPTION(options.output, 'o', "output", FILE, "FILE",
		      "record the replay into a trace (root)"),
	REPLAY_OPTION(json, 0, "json", FLAG, NULL, "print JSON"),
	REPLAY_OPTION(histograms, 0, "histograms", FLAG, NULL,
		      "with --json: print the histogram of the latency, too"),
	{0},
};

static const struct command_usage usage = {
	.name = "replay",
	.synopsis = "TRACE|PROFILE --target DEVICE|FILE [OPTIONS]\n"
		    "TRACE --map SRC=DST... [OPTIONS]\n"
		    "TRACE|PROFILE --files DIR [OPTIONS]",
	.summary =
		"Replays the requests of a trace, a profile or a job file of fio (NAME.fio) onto a\n"
		"block device or a file with io_uring. Latency is reported from the time when an\n"
		"IO was due, and from the time when it was submitted; the difference is the\n"
		"lateness. A target is only read unless --write is given. A target that is to be\n"
		"written is refused if it is mounted, swap, in use, or carries a file system. It\n"
		"stops if another program begins to use its target.\n"
		"Ctrl-C ends the replay, prints what was done and exits with 130 (SIGTERM: 143,\n"
		"SIGHUP: 129).",
	.examples =
		"  blkreel replay prod.reel --target /dev/nvme1n1 --reads-only\n"
		"  blkreel replay prod.reel --target /dev/sdb --write --yes-destroy=/dev/sdb\n"
		"  blkreel replay prod.profile --target t.img --create-size 10G --write\n"
		"  blkreel replay job.fio --target /dev/sdb --mode asap --runtime 30s\n"
		"  blkreel replay prod.reel --target /dev/sdb --reads-only --speed 2 -o new.reel\n"
		"  blkreel replay prod.reel --map sda=/dev/nvme1n1 --map sdb=/dev/nvme2n1 \\\n"
		"      --write --yes-destroy=/dev/nvme1n1 --yes-destroy=/dev/nvme2n1\n",
	.options = options,
};

/* Callbacks ---------------------------------------------------------------------------------- */

/* The context of the callbacks. */
struct command {
	const struct replay_config *config;
	struct replay_progress progress;
	struct recording *recording;
};

static int confirm(void *context, struct target *const *targets, unsigned int count,
		   struct failure *failure)
{
	const struct command *c = context;
	const struct option_list *names = &c->config->yes_destroy;

	return c->config->options.dry_run ? replay_confirm_names(names, targets, count, failure)
					  : replay_confirm(names, targets, count, failure);
}

static int start_progress(void *context, const struct replay_playing *playing,
			  struct failure *failure)
{
	struct command *c = context;

	return replay_progress_start(&c->progress, playing, failure);
}

static int end_progress(void *context, struct failure *failure)
{
	struct command *c = context;

	return replay_progress_end(&c->progress, failure);
}

static int start_recording(void *context, struct target *const *targets, unsigned int count,
			   bool generated, struct failure *failure)
{
	struct command *c = context;
	const char *output = c->config->options.output;
	char without[TRACE_PATH_MAX];

	left_out_text(c->config->without.items, c->config->without.count, without, sizeof(without));
	return output ? replay_record_start(output, c->config->options.mode, generated, without,
					    targets, count, &c->recording, failure)
		      : 0;
}

static int end_recording(void *context, struct failure *failure)
{
	struct command *c = context;

	return replay_record_stop(c->recording, c->config->options.output, failure);
}

static int printed(int err, struct failure *failure)
{
	int code;

	if (err == -ENOMEM)
		return failure_add(failure, EXIT_FAILED, "cannot print the outcome: no memory");
	code = cmd_flush_stdout();
	return code ? failure_add_code(failure, code) : 0;
}

static int report(void *context, struct replay_outcome *outcomes, unsigned int count,
		  struct failure *failure)
{
	const struct command *c = context;
	const struct replay_progress *progress = &c->progress;
	struct replay_totals totals;
	int err;

	for (unsigned int i = 0; i < count; i++)
		outcomes[i].histograms = c->config->histograms;
	for (unsigned int i = 0; i < count && progress->figure; i++) {
		outcomes[i].steady = &progress->verdict;
		outcomes[i].steady_rounds = &progress->steady.rounds;
		outcomes[i].steady_figure = steady_figure_names[progress->figure];
	}
	err = replay_totals__create(outcomes, count, &totals);
	if (err)
		return printed(err, failure);
	err = c->config->json ? json_print(stdout, replay_totals_json(&totals))
			      : replay_totals_text(&totals, stdout);
	replay_totals__release(&totals);
	return printed(err, failure);
}

/* The replay --------------------------------------------------------------------------------- */

/* Where each source device goes. names[i] is the source of jobs->items[i], or NULL; to be freed. */
static int parse_maps(const struct replay_config *config, struct replay_jobs *jobs, char **names)
{
	jobs->count = config->target ? 1 : config->map.count;
	if (config->target) {
		jobs->items[0].target_path = config->target;
		names[0] = config->source ? strdup(config->source) : NULL;
	}
	for (unsigned int i = 0; i < config->map.count; i++) {
		const char *map = config->map.items[i], *equals = strchr(map, '=');

		if (!equals || equals == map || !equals[1])
			return options_usage_error(
				&usage, "--map '%s': not SRC=DST, such as sda=/dev/nvme1n1", map);
		names[i] = strndup(map, (size_t)(equals - map));
		jobs->items[i].target_path = equals + 1;
	}
	return EXIT_OK;
}

static int open_inputs(const struct replay_config *config, const char *path, char *const *names,
		       const struct replay_window *window, struct replay_jobs *jobs,
		       struct replay_input *inputs, struct failure *failure)
{
	const uint64_t *seed = &config->options.seed;

	for (unsigned int i = 0; i < jobs->count; i++)
		jobs->items[i].input = &inputs[i];
	if (config->map.count)
		return replay_inputs_open(inputs, jobs->count, path, (const char *const *)names,
					  window, failure);
	return replay_input_open(&inputs[0], path, names[0], *seed == REPLAY_NO_SEED ? NULL : seed,
				 window, failure);
}

static int verify(const struct replay_config *config, const struct replay_job *job,
		  struct failure *failure)
{
	struct verify_outcome outcome;
	bool faults;
	int err = 0;

	if (replay_stamp_verify(&config->options, job, &outcome, &faults, failure))
		return -1;
	if (config->json)
		err = json_print(stdout, verify_outcome_json(&outcome));
	else
		verify_outcome_text(&outcome, stdout);
	if (printed(err, failure))
		return -1;
	return faults ? failure_add_code(failure, EXIT_FAILED) : 0;
}

static int print_plans(const struct replay_config *config, const struct replay_jobs *jobs,
		       struct failure *failure)
{
	struct replay_plan plans[OPTION_LIST_MAX];
	int err = 0;

	for (unsigned int i = 0; i < jobs->count; i++)
		plans[i] =
			(struct replay_plan){.job = &jobs->items[i],
					     .rounds = config->options.rounds,
					     .needs_confirmation = replay_confirm_is_missing(
						     &config->yes_destroy, jobs->items[i].target)};
	if (config->json)
		err = json_print(stdout, replay_plans_json(plans, jobs->count));
	else
		replay_plans_text(plans, jobs->count, stdout);
	return printed(err, failure);
}

static int play(const struct replay_config *config, struct replay_jobs *jobs,
		struct failure *failure)
{
	struct command c = {.config = config,
			    .progress = {.round_ns = config->round_ns,
					 .series_path = config->series,
					 .figure = config->until_steady}};
	const struct replay_callbacks callbacks = {.context = &c,
						   .confirm = confirm,
						   .progress_start = start_progress,
						   .progress_end = end_progress,
						   .record_start = start_recording,
						   .record_end = end_recording,
						   .report = report};
	int err = replay_jobs_prepare(&config->options, jobs, &callbacks, failure);
	bool played = false;

	if (!err && config->options.dry_run)
		err = print_plans(config, jobs, failure);
	else if (!err && config->options.stamp.verify)
		err = verify(config, &jobs->items[0], failure);
	else if (!err)
		err = replay_jobs_play(&config->options, jobs, &callbacks, &played, failure);
	replay_jobs_close(jobs, played);
	return err;
}

static int replay(const struct replay_config *config, const char *path,
		  const struct replay_window *window, struct failure *failure)
{
	struct replay_input inputs[OPTION_LIST_MAX] = {{NULL}};
	struct replay_jobs jobs = {0};
	char *names[OPTION_LIST_MAX] = {NULL};
	int err = parse_maps(config, &jobs, names);

	if (err)
		failure_add_code(failure, err);
	else if (!open_inputs(config, path, names, window, &jobs, inputs, failure))
		play(config, &jobs, failure);
	for (unsigned int i = 0; i < OPTION_LIST_MAX; i++) {
		replay_input_close(&inputs[i]);
		free(names[i]);
	}
	return failure->exit_code;
}

/* Prints the messages of a failure. Its exit code. */
static int finish(struct failure *failure)
{
	char *rest = NULL;

	for (char *line = strtok_r(failure->text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		pr_err("%s", line);
	return failure->exit_code;
}

/* -o replaces a trace, which must not be the one that is replayed. */
static int check_output(const struct replay_config *config, char *const *source,
			struct failure *failure)
{
	const char *output = config->options.output;

	if (!output || !cmd_output_is_input(output, source, 1))
		return 0;
	return failure_add(failure, EXIT_REFUSED,
			   "refused: %s is the source itself: choose another name with -o", output);
}

int cmd_replay(int argc, char **argv)
{
	struct replay_config config = replay_config_default;
	struct failure failure = {0};
	struct replay_window window;
	int first, code;

	if (!cmd_options(&usage, argc, argv, &config, &first, NULL, &code))
		return code;
	if (argc - first != 1)
		return options_usage_error(&usage, argc == first
							   ? "a trace or a profile is needed"
							   : "one trace or profile at a time");
	code = replay_config_check(&config, &usage);
	if (!code)
		code = replay_config_window(&config, &usage, argv[first], &window);
	if (code)
		return code;
	if (check_output(&config, &argv[first], &failure))
		return finish(&failure);
	if (config.files)
		replay_files(&config, argv[first], &window, &failure);
	else
		replay(&config, argv[first], &window, &failure);
	return finish(&failure);
}
