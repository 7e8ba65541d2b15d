// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/options.h"
#include "base/units.h"
#include "commands/shared/command.h"
#include "commands/replay/cache_state.h"
#include "commands/replay/config.h"
#include "commands/replay/files.h"
#include "commands/replay/input.h"
#include "commands/replay/lanes.h"
#include "commands/replay/play.h"
#include "replay/engine/steady_figure.h"
#include "replay/engine/workers.h"

#define IODEPTH_OPEN 1024
#define IODEPTH_ASAP 32
/* With --sqpoll in time: a burst that waits for the thread of the kernel must not hold up the next IO. */
#define IODEPTH_SQPOLL 4096

static const char *const modes[] = {"timed", "asap", "depth", "dependent", NULL};
static const char *const spins[] = {"auto", "always", "never", NULL};
static const char *const priorities[] = {"auto", "normal", NULL};
static const char *const fits[] = {"wrap", "scale", "compact", NULL};
static const char *const unsupporteds[] = {"refuse", "skip", "emulate", NULL};

static const char *const caches[] = {"cold", "warm", "as-recorded", NULL};
static const char *const on_errors[] = {"continue", "stop", NULL};

#undef OPTION /* of base/options.h */
#define OPTION(option_name, option_type, field, value, text, ...)                                \
	{                                                                                        \
		.name = option_name, .type = option_type,                                        \
		.offset = offsetof(struct replay_config, field), .metavar = value, .help = text, \
		__VA_ARGS__                                                                      \
	}

static const struct option_def options[] = {
	OPTION("target", OPT_TEXT, target, "DEVICE|FILE", "what to play onto (this or --map)",
	       .short_name = 't'),
	OPTION("map", OPT_LIST, map, "SRC=DST",
	       "play the recorded device SRC onto DST; with several,\n"
	       "all at the same time and on one clock (repeatable)"),
	OPTION("mode", OPT_CHOICE, mode, "MODE",
	       "timed (default): each IO when it is due, whatever\n"
	       "has completed; asap: as fast as --iodepth allows;\n"
	       "depth: with as many in flight as when recorded;\n"
	       "dependent: after what it waited for then, and the\n"
	       "time that the application thought",
	       .short_name = 'm', .choices = modes),
	OPTION("speed", OPT_REAL, speed, "X",
	       "timed: 2 is twice as fast as recorded (1);\n"
	       "dependent: the same for the time between IOs",
	       .short_name = 's'),
	OPTION("spin", OPT_CHOICE, spin, "WHEN",
	       "awake before an IO is due: auto (default) for the\n"
	       "last 50 us, always (a core is busy), or never",
	       .choices = spins),
	OPTION("priority", OPT_CHOICE, priority, "WHICH",
	       "of the thread that keeps the time: auto (default)\n"
	       "real-time where the user may (high, where it could\n"
	       "never sleep), or normal",
	       .choices = priorities),
	OPTION("sqpoll", OPT_FLAG, sqpoll, NULL,
	       "a thread of the kernel submits, and keeps a core busy;\n"
	       "its delay shows as sqpoll delay, not in lateness"),
	OPTION("iopoll", OPT_FLAG, iopoll, NULL,
	       "ask the device for completions of reads and writes\n"
	       "instead of waiting for its interrupts: keeps a core\n"
	       "busy; a driver with polled queues (nvme.poll_queues)"),
	OPTION("iodepth", OPT_COUNT, iodepth, "N",
	       "most IOs in flight (asap: 32, timed with --sqpoll: 4096,\n"
	       "else 1024)",
	       .short_name = 'q', .min = 1, .max = ENGINE_IODEPTH_MAX),
	OPTION("workers", OPT_COUNT, workers, "N",
	       "timed, asap: N threads submit, each by an io_uring of\n"
	       "its own, and share the IOs and --iodepth (1); what\n"
	       "overlaps keeps its order",
	       .min = 1, .max = WORKERS_MAX),
	OPTION("batch", OPT_COUNT, batch, "N",
	       "asap: completions to wait for at a time (a quarter of\n"
	       "--iodepth); 1: the latency of each, at fewer IOPS",
	       .min = 1, .max = ENGINE_IODEPTH_MAX),
	OPTION("fit", OPT_CHOICE, fit, "HOW",
	       "onto a smaller target: wrap addresses around, scale\n"
	       "them to its size, or compact (leave out what is\n"
	       "not touched)",
	       .choices = fits),
	OPTION("source", OPT_TEXT, source, "DEV", "which recorded device, when there are several",
	       .short_name = 'd'),
	OPTION("from", OPT_TIME, from_ns, "T", "leave out what was before T in the recording"),
	OPTION("to", OPT_TIME, to_ns, "T", "leave out what was at T or later"),
	OPTION("duration", OPT_TIME, duration_ns, "T", "as --to, counted from --from"),
	OPTION("loop", OPT_COUNT, rounds, "N", "play it N times, one after the other", .min = 1,
	       .max = UINT32_MAX),
	OPTION("ramp", OPT_TIME, ramp_ns, "T",
	       "play, but do not count, what is submitted in the\n"
	       "first T of the replay"),
	OPTION("series", OPT_FILE, series, "FILE",
	       "a new CSV file with a row per round: rate, lateness,\n"
	       "latency; with several --map, of each of them"),
	OPTION("round", OPT_TIME, round_ns, "T", "of --series and --until-steady (1s)"),
	OPTION("until-steady", OPT_CHOICE, until_steady, "FIGURE",
	       "end when iops, throughput, p50, p90, p95, p99 or\n"
	       "p99_9 was steady for five rounds: within 20 %, and\n"
	       "without a slope of 10 %",
	       .choices = steady_figure_names),
	OPTION("sync-start", OPT_REAL, start_epoch_s, "TIME",
	       "start at this time, in seconds since 1970 (date\n"
	       "+%s), as replays on other hosts do"),
	OPTION("on-error", OPT_CHOICE, on_error, "HOW",
	       "when an IO fails: continue (default), or stop", .choices = on_errors),
	OPTION("reads-only", OPT_FLAG, reads_only, NULL, "leave out everything but reads"),
	OPTION("write", OPT_FLAG, write, NULL, "let writes and discards change the target"),
	OPTION("yes-destroy", OPT_LIST, yes_destroy, "DEVICE",
	       "names the target again, instead of being asked\n(repeatable)"),
	OPTION("force", OPT_LIST, force, "TYPE",
	       "overwrite a target that carries this signature\n"
	       "(ext4, gpt, ...); overrides no other rule"),
	OPTION("create-size", OPT_BYTES, create_bytes, "SIZE",
	       "make the target, a new file of this size", .min = 1),
	OPTION("unsupported", OPT_CHOICE, unsupported, "HOW",
	       "what the target cannot do: refuse the replay\n"
	       "(default), skip and count it, or emulate it by the\n"
	       "next that it can: discard, write_zeroes, write",
	       .choices = unsupporteds),
	OPTION("seed", OPT_COUNT, seed, "N", "of a profile's IOs and of the bytes written"),
	OPTION("compressibility", OPT_COUNT, content.compressible_pct, "PCT",
	       "of the bytes written, so many are zeroes (0)", .max = 99),
	OPTION("dedup", OPT_COUNT, content.dedup_pct, "PCT",
	       "of the blocks of 4 KiB written, so many are copies\n"
	       "of others; the rest are each their own. Without\n"
	       "it the same 16 MiB are written again and again",
	       .max = 100),
	OPTION("stamp", OPT_FILE, stamp.stamp, "STATE",
	       "start each block written with a header (address,\n"
	       "number, checksum), and keep up STATE, a new file\n"
	       "for --verify"),
	OPTION("verify", OPT_TEXT, stamp.verify, "STATE",
	       "no replay: read what one with --stamp STATE wrote,\n"
	       "and tell lost, torn and misplaced writes"),
	OPTION("after-crash", OPT_FLAG, stamp.after_crash, NULL,
	       "--verify: only what was flushed has to be there"),
	OPTION("files", OPT_TEXT, files, "DIR",
	       "replay the operations on files (record --files)\n"
	       "instead of requests, on files that are first laid\n"
	       "out in DIR, a new or empty folder"),
	OPTION("buffered", OPT_FLAG, buffered, NULL,
	       "through the page cache, not O_DIRECT past it; what is\n"
	       "dirty at the end is synced, and timed apart"),
	OPTION("cache", OPT_CHOICE, cache, "STATE",
	       "--files, --buffered: when it starts, nothing of it is in\n"
	       "the page cache (cold, default), what it touches was\n"
	       "read (warm), or, of --files, what was there when the\n"
	       "recording began (as-recorded)",
	       .choices = caches),
	OPTION("memory", OPT_BYTES, memory_bytes, "SIZE",
	       "--files, --buffered: in a control group with so much\n"
	       "memory, page cache included (root)"),
	OPTION("output", OPT_FILE, output, "FILE", "record the replay into a trace (root)",
	       .short_name = 'o'),
	OPTION("json", OPT_FLAG, json, NULL, "print a document instead of text"),
	{.name = NULL},
};

static const struct command_usage usage = {
	.name = "replay",
	.synopsis = "TRACE|PROFILE --target DEVICE|FILE [OPTIONS]\n"
		    "TRACE --map SRC=DST... [OPTIONS]\n"
		    "TRACE --files DIR [OPTIONS]",
	.summary =
		"Plays the requests of a trace or a profile onto a block device or a file with\n"
		"io_uring. Latency is counted from when an IO was due and from when it was\n"
		"submitted; lateness is the difference. A target is only read unless --write is\n"
		"said. One that is to be written and is mounted, in use, swap, or carries a file\n"
		"system is refused.\n"
		"Ctrl-C ends the replay, prints what was done and exits with 130 (SIGTERM: 143,\n"
		"SIGHUP: 129).",
	.examples =
		"  blkreel replay prod.reel --target /dev/nvme1n1 --reads-only\n"
		"  blkreel replay prod.reel --target /dev/sdb --write --yes-destroy=/dev/sdb\n"
		"  blkreel replay prod.profile --target t.img --create-size 10G --write\n"
		"  blkreel replay prod.reel --target /dev/sdb --reads-only --speed 2 -o new.reel\n"
		"  blkreel replay prod.reel --map sda=/dev/nvme1n1 --map sdb=/dev/nvme2n1 \\\n"
		"      --write --yes-destroy=/dev/nvme1n1 --yes-destroy=/dev/nvme2n1\n",
	.options = options,
};

/* Options ------------------------------------------------------------------------------------ */

static int check_targets(const struct replay_config *config)
{
	const char *wrong = replay_files_usage(config);

	if (!wrong && !config->files)
		wrong = replay_cache_usage(config);
	if (wrong)
		return options_usage_error(&usage, "%s", wrong);
	if (config->files)
		return EXIT_OK;
	if (!config->target && !config->map.count)
		return options_usage_error(&usage,
					   "--target or --map is needed: what to play onto");
	if (config->target && config->map.count)
		return options_usage_error(&usage, "--target and --map exclude each other");
	if (config->source && config->map.count)
		return options_usage_error(&usage, "--source has no meaning with --map, which "
						   "names the recorded device itself");
	if (config->map.count > 1 && config->until_steady)
		return options_usage_error(&usage,
					   "--until-steady is of one target: leave it out, or all "
					   "but one --map");
	return EXIT_OK;
}

static int check_content(struct replay_config *config)
{
	const char *wrong =
		replay_stamp_usage(&config->stamp, config->write, config->mode == ENGINE_DEPENDENT,
				   config->content.dedup_pct);

	config->content.stamped = config->stamp.stamp;
	if ((config->stamp.stamp || config->stamp.verify) && config->map.count > 1)
		wrong = "--stamp and --verify are of one target: leave out all but one --map";
	return wrong ? options_usage_error(&usage, "%s", wrong) : EXIT_OK;
}

static uint64_t default_depth(const struct replay_config *config)
{
	if (config->mode == ENGINE_ASAP)
		return IODEPTH_ASAP;
	return config->sqpoll && config->mode == ENGINE_TIMED ? IODEPTH_SQPOLL : IODEPTH_OPEN;
}

static int check_depth(struct replay_config *config)
{
	config->content.iodepth_said = config->iodepth > 0;
	if (!config->iodepth)
		config->iodepth = default_depth(config);
	config->content.iodepth = config->iodepth;
	if (config->batch && config->mode != ENGINE_ASAP)
		return options_usage_error(&usage, "--batch has no meaning in mode %s",
					   modes[config->mode]);
	if (config->batch && config->iopoll)
		return options_usage_error(&usage, "--batch has no meaning with --iopoll");
	if (config->workers > config->iodepth)
		return options_usage_error(
			&usage, "--workers %llu: only %s %s in flight (--iodepth)",
			(unsigned long long)config->workers, COUNTED_TEXT(config->iodepth, "IO"),
			config->iodepth == 1 ? "is" : "are");
	if (config->batch > config->iodepth)
		return options_usage_error(&usage, "--batch %llu: only %s %s in flight (--iodepth)",
					   (unsigned long long)config->batch,
					   COUNTED_TEXT(config->iodepth, "IO"),
					   config->iodepth == 1 ? "is" : "are");
	return EXIT_OK;
}

/* What is wrong with the words beside --workers, or NULL. */
static const char *workers_usage(const struct replay_config *config)
{
	if (config->files)
		return "--workers has no meaning with --files, where each task has a thread";
	if (config->stamp.verify)
		return "--workers has no meaning with --verify, which replays nothing";
	if (config->map.count > 1)
		return "--workers is of one target, and several --map have one each: leave it out";
	if (config->mode == ENGINE_DEPTH || config->mode == ENGINE_DEPENDENT)
		return "--workers: in this mode each IO waits for others, whoever did them: say --mode "
		       "timed or asap";
	if (config->buffered || config->sqpoll || config->iopoll)
		return "--workers submit themselves, past the page cache: leave --buffered, --sqpoll "
		       "and --iopoll out";
	return NULL;
}

static int check_workers(const struct replay_config *config)
{
	const char *wrong = config->workers > 1 ? workers_usage(config) : NULL;

	return wrong ? options_usage_error(&usage, "%s", wrong) : EXIT_OK;
}

static int check_config(struct replay_config *config, struct replay_window *window)
{
	if (check_workers(config) || check_targets(config) || check_content(config))
		return EXIT_USAGE;
	if (config->write && config->reads_only)
		return options_usage_error(&usage, "--write and --reads-only exclude each other");
	if (config->iopoll && config->sqpoll)
		return options_usage_error(&usage, "--iopoll and --sqpoll exclude each other");
	if (config->yes_destroy.count && !config->write)
		return options_usage_error(&usage, "--yes-destroy needs --write");
	if (config->force.count && !config->write)
		return options_usage_error(&usage, "--force needs --write");
	if (config->speed > 0 && !engine_mode__has_due(config->mode))
		return options_usage_error(&usage, "--speed has no meaning in mode %s",
					   modes[config->mode]);
	window->from_ns = config->from_ns;
	window->to_ns = config->to_ns;
	if (config->duration_ns != UINT64_MAX) {
		uint64_t end_ns;

		if (__builtin_add_overflow(config->from_ns, config->duration_ns, &end_ns))
			end_ns = UINT64_MAX;
		if (end_ns < window->to_ns)
			window->to_ns = end_ns;
	}
	if (!config->round_ns)
		return options_usage_error(&usage, "--round must not be 0");
	if (config->start_epoch_s > 0 && config->start_epoch_s < (double)time(NULL))
		return options_usage_error(&usage, "--sync-start is past: it is %lld now",
					   (long long)time(NULL));
	/* The clocks count ns in 64 bits: what is beyond would be a time that is past. */
	if (config->start_epoch_s >= (double)INT64_MAX / NSEC_PER_SEC)
		return options_usage_error(&usage,
					   "--sync-start is beyond the year 2262: it is %lld now",
					   (long long)time(NULL));
	if (window->to_ns <= window->from_ns)
		return options_usage_error(&usage, "the time asked for is empty: see --from, --to "
						   "and --duration");
	if (!(config->speed > 0))
		config->speed = 1;
	return check_depth(config);
}

/*
 * Where each source device goes. words[i] names that of lanes->items[i], or is NULL; to be freed.
 */
static int parse_maps(const struct replay_config *config, struct replay_lanes *lanes, char **words)
{
	lanes->count = config->target ? 1 : config->map.count;
	if (config->target) {
		lanes->items[0].target_path = config->target;
		words[0] = config->source ? strdup(config->source) : NULL;
	}
	for (unsigned int i = 0; i < config->map.count; i++) {
		const char *map = config->map.items[i], *equals = strchr(map, '=');

		if (!equals || equals == map || !equals[1])
			return options_usage_error(
				&usage, "--map '%s': not SRC=DST, such as sda=/dev/nvme1n1", map);
		words[i] = strndup(map, (size_t)(equals - map));
		lanes->items[i].target_path = equals + 1;
	}
	return EXIT_OK;
}

static int open_inputs(const struct replay_config *config, const char *path, char *const *words,
		       const struct replay_window *window, struct replay_lanes *lanes,
		       struct replay_input *inputs)
{
	for (unsigned int i = 0; i < lanes->count; i++)
		lanes->items[i].input = &inputs[i];
	if (config->map.count)
		return replay_inputs_open(inputs, lanes->count, path, (const char *const *)words,
					  window);
	return replay_input_open(&inputs[0], path, words[0],
				 config->seed == UINT64_MAX ? NULL : &config->seed, window);
}

static int replay(const struct replay_config *config, const char *path,
		  const struct replay_window *window)
{
	struct replay_input inputs[OPTION_LIST_MAX] = {{NULL}};
	struct replay_lanes lanes = {0};
	char *words[OPTION_LIST_MAX] = {NULL};
	bool prepared = false;
	int code;

	code = parse_maps(config, &lanes, words);
	if (!code)
		code = open_inputs(config, path, words, window, &lanes, inputs);
	if (!code) {
		code = replay_lanes_prepare(config, &lanes);
		prepared = !code;
	}
	if (!code)
		code = config->stamp.verify
			       ? replay_stamp_verify(&config->stamp, &inputs[0],
						     &lanes.items[0].plan.mapping, config->rounds,
						     lanes.items[0].target, config->json)
			       : replay_lanes_play(config, &lanes);
	replay_lanes_close(&lanes, prepared);
	for (unsigned int i = 0; i < OPTION_LIST_MAX; i++) {
		replay_input_close(&inputs[i]);
		free(words[i]);
	}
	return code;
}

int cmd_replay(int argc, char **argv)
{
	struct replay_config config = {
		.fit = FIT_NOT_SAID,
		.cache = CACHE_NOT_SAID,
		.to_ns = UINT64_MAX,
		.duration_ns = UINT64_MAX,
		.seed = UINT64_MAX,
		.content.dedup_pct = REPLAY_CONTENT_NOT_SAID,
		.rounds = 1,
		.workers = 1,
		.round_ns = NSEC_PER_SEC,
	};
	struct replay_window window;
	int first, code;

	if (!cmd_options(&usage, argc, argv, &config, &first, NULL, &code))
		return code;
	if (argc - first != 1)
		return options_usage_error(&usage, argc == first
							   ? "a trace or a profile is needed"
							   : "one trace or profile at a time");
	code = check_config(&config, &window);
	if (code)
		return code;
	return config.files ? replay_files(&config, argv[first], &window)
			    : replay(&config, argv[first], &window);
}
