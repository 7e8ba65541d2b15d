#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/options.h"
#include "base/units.h"
#include "cmd.h"
#include "cmd_replay_chain.h"
#include "cmd_replay_confirm.h"
#include "cmd_replay_input.h"
#include "cmd_replay_record.h"
#include "cmd_replay_watch.h"
#include "render/json.h"
#include "render/replay_output.h"
#include "replay/plan.h"
#include "replay/repeat.h"
#include "replay/schedule.h"

#define IODEPTH_OPEN 1024
#define IODEPTH_ASAP 32

enum {
	FIT_NOT_SAID = UINT32_MAX
};

struct replay_config {
	const char *target;
	unsigned int mode;     /* enum engine_mode */
	unsigned int spin;     /* enum engine_spin */
	unsigned int priority; /* index into priorities */
	bool sqpoll;
	double speed;	       /* 0: not said */
	uint64_t iodepth;      /* 0: the mode's default */
	unsigned int fit;      /* index into fits, or FIT_NOT_SAID */
	uint64_t from_ns, to_ns, duration_ns;
	bool write;
	const char *yes_destroy;
	bool reads_only;
	struct option_list force;
	uint64_t create_bytes;
	const char *output;
	bool json;
	uint64_t seed;
	unsigned int unsupported; /* enum plan_unsupported */
	const char *source;
	unsigned int on_error; /* index into on_errors */
	uint64_t rounds;
	uint64_t ramp_ns, round_ns;
	const char *series;
	unsigned int until_steady; /* enum steady_figure */
	double start_epoch_s;	   /* 0: not said */
};

static const char *const modes[] = {"timed", "asap", "depth", "dependent", NULL};
static const char *const spins[] = {"auto", "always", "never", NULL};
static const char *const priorities[] = {"auto", "normal", NULL};
static const char *const fits[] = {"wrap", "scale", "compact", NULL};
static const char *const unsupporteds[] = {"refuse", "skip", "emulate", NULL};

static const char *const steady_figures[] = {"no", "iops", "throughput", "p99", NULL};
static const char *const on_errors[] = {"continue", "stop", NULL};

#define OPTION(option_name, option_type, field, value, text, ...)                                \
	{                                                                                        \
		.name = option_name, .type = option_type,                                        \
		.offset = offsetof(struct replay_config, field), .metavar = value, .help = text, \
		__VA_ARGS__                                                                      \
	}

static const struct option_def options[] = {
	OPTION("target", OPT_TEXT, target, "DEVICE|FILE", "what to play onto (required)",
	       .short_name = 't'),
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
	       "real-time where the user may, or normal",
	       .choices = priorities),
	OPTION("sqpoll", OPT_FLAG, sqpoll, NULL,
	       "a thread of the kernel submits, and keeps a core busy;\n"
	       "how late it is does not show in lateness"),
	OPTION("iodepth", OPT_COUNT, iodepth, "N", "most IOs in flight (asap: 32, else 1024)",
	       .short_name = 'q', .min = 1, .max = ENGINE_IODEPTH_MAX),
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
	OPTION("series", OPT_TEXT, series, "FILE",
	       "a new CSV file with a row per round: rate, lateness,\n"
	       "latency"),
	OPTION("round", OPT_TIME, round_ns, "T", "of --series and --until-steady (1s)"),
	OPTION("until-steady", OPT_CHOICE, until_steady, "FIGURE",
	       "end when iops, throughput or p99 was steady for five\n"
	       "rounds: within 20 %, and without a slope of 10 %",
	       .choices = steady_figures),
	OPTION("sync-start", OPT_REAL, start_epoch_s, "TIME",
	       "start at this time, in seconds since 1970 (date\n"
	       "+%s), as replays on other hosts do"),
	OPTION("on-error", OPT_CHOICE, on_error, "HOW",
	       "when an IO fails: continue (default), or stop", .choices = on_errors),
	OPTION("reads-only", OPT_FLAG, reads_only, NULL, "leave out everything but reads"),
	OPTION("write", OPT_FLAG, write, NULL, "let writes and discards change the target"),
	OPTION("yes-destroy", OPT_TEXT, yes_destroy, "DEVICE",
	       "names the target again, instead of being asked"),
	OPTION("force", OPT_LIST, force, "TYPE",
	       "overwrite a target that carries this signature\n"
	       "(ext4, gpt, ...); overrides no other rule"),
	OPTION("create-size", OPT_BYTES, create_bytes, "SIZE",
	       "make the target, a new file of this size"),
	OPTION("unsupported", OPT_CHOICE, unsupported, "HOW",
	       "what the target cannot do: refuse the replay\n"
	       "(default), skip and count it, or emulate it by the\n"
	       "next that it can: discard, write_zeroes, write",
	       .choices = unsupporteds),
	OPTION("seed", OPT_COUNT, seed, "N", "of a profile's IOs and of the bytes written"),
	OPTION("output", OPT_TEXT, output, "FILE", "record the replay into a trace (root)",
	       .short_name = 'o'),
	OPTION("json", OPT_FLAG, json, NULL, "print a document instead of text"),
	{.name = NULL},
};

static const struct command_usage usage = {
	.name = "replay",
	.synopsis = "TRACE|PROFILE --target DEVICE|FILE [OPTIONS]",
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
		"  blkreel replay prod.reel --target /dev/sdb --reads-only --speed 2 -o new.reel\n",
	.options = options,
};

static volatile sig_atomic_t interrupted;
static volatile sig_atomic_t steady;

static void interrupt(int signal_number)
{
	interrupted = signal_number;
}

/* Options ------------------------------------------------------------------------------------ */

static int check_config(struct replay_config *config, struct replay_window *window)
{
	if (!config->target)
		return options_usage_error(&usage, "--target is needed: what to play onto");
	if (config->write && config->reads_only)
		return options_usage_error(&usage, "--write and --reads-only exclude each other");
	if (config->yes_destroy && !config->write)
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
	if (window->to_ns <= window->from_ns)
		return options_usage_error(&usage, "the time asked for is empty: see --from, --to "
						   "and --duration");
	if (!config->iodepth)
		config->iodepth = config->mode == ENGINE_ASAP ? IODEPTH_ASAP : IODEPTH_OPEN;
	if (!(config->speed > 0))
		config->speed = 1;
	return EXIT_OK;
}

static void plan_options_from(const struct replay_config *config, const struct replay_input *input,
			      struct plan_options *plan_options)
{
	*plan_options = (struct plan_options){
		.write = config->write,
		.reads_only = config->reads_only,
		.unsupported = config->unsupported,
		.source_bytes = input->device_bytes,
	};
	if (config->fit != FIT_NOT_SAID)
		plan_options->fit = REPLAY_FIT_WRAP + config->fit;
}

/* The target --------------------------------------------------------------------------------- */

static bool same_file(const char *a, const char *b)
{
	struct stat first, second;

	return !stat(a, &first) && !stat(b, &second) && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

static int open_target(const struct replay_config *config, const char *source, bool writes,
		       struct target **target)
{
	struct target_options target_options = {
		.path = config->target,
		.writes = writes,
		.create_bytes = config->create_bytes,
		.forced_signatures = config->force.items,
		.forced_count = config->force.count,
	};
	struct refusal why;
	int err;

	if (same_file(config->target, source)) {
		pr_err("refused: %s is the source itself: choose another target", config->target);
		return EXIT_REFUSED;
	}
	err = target__open(&target_options, target, &why);
	if (!err)
		return EXIT_OK;
	pr_err("%s%s", why.rule == SAFETY_NO_RULE ? "" : "refused: ", why.text);
	if (why.rule != SAFETY_NO_RULE)
		return EXIT_REFUSED;
	return err == -EACCES || err == -EPERM ? EXIT_PRIVILEGE : EXIT_FAILED;
}

/* -o replaces a trace, which must not be one that this replay needs. */
static int check_output(const struct replay_config *config, const struct replay_input *input,
			const struct target *target)
{
	const char *what = NULL;

	if (config->output && same_file(config->output, input->path))
		what = "source";
	else if (config->output && target__is_named(target, config->output))
		what = "target";
	if (!what)
		return EXIT_OK;
	pr_err("refused: %s is the %s itself: choose another name with -o", config->output, what);
	return EXIT_REFUSED;
}

static int make_plan(const struct replay_input *input, const struct plan_options *plan_options,
		     const struct plan_request *request, const struct target *target,
		     struct plan *plan)
{
	const char *reasons[REPLAY_OP_COUNT] = {NULL};
	char message[PLAN_MESSAGE_MAX];

	for (unsigned int op = 0; op < REPLAY_OP_COUNT; op++)
		target__supports(target, op, &reasons[op]);
	if (!plan__create(&input->survey, plan_options, target__info(target), reasons, plan,
			  message))
		return EXIT_OK;
	pr_err("refused: %s", message);
	return EXIT_REFUSED;
}

/* The replay --------------------------------------------------------------------------------- */

static int print_outcome(const struct replay_config *config, const struct replay_outcome *outcome)
{
	int err = config->json ? json_print(stdout, replay_outcome_json(outcome))
			       : replay_outcome_text(outcome, stdout);

	if (err == -ENOMEM)
		pr_err("cannot print the outcome: no memory");
	return err == -ENOMEM ? EXIT_FAILED : cmd_flush_stdout();
}

static int play(const struct engine_options *engine, struct replay_source *source,
		struct engine_result *result)
{
	struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
	struct sigaction before_int, before_term, before_hup;
	char message[ENGINE_MESSAGE_MAX];
	int err;

	sigaction(SIGINT, &action, &before_int);
	sigaction(SIGTERM, &action, &before_term);
	sigaction(SIGHUP, &action, &before_hup);
	if (before_hup.sa_handler == SIG_IGN) /* by nohup(1) */
		sigaction(SIGHUP, &before_hup, NULL);
	err = engine__run(engine, source, result, message);
	sigaction(SIGINT, &before_int, NULL);
	sigaction(SIGTERM, &before_term, NULL);
	sigaction(SIGHUP, &before_hup, NULL);
	progress_end();
	if (err)
		pr_err("the replay ended early: %s", message);
	return err ? EXIT_FAILED : EXIT_OK;
}

static int outcome_code(const struct replay_input *input, const struct engine_result *result)
{
	if (result->stopped)
		return 128 + interrupted;
	if (engine_result__errors(result)) {
		pr_warn("%llu IOs failed; the rest was %sreplayed",
			(unsigned long long)engine_result__errors(result),
			result->stopped_at_error ? "not " : "");
		return EXIT_FAILED;
	}
	return input->torn;
}

/* Plays, while what was asked for records and watches it. *played: there is a result. */
static int play_watched(const struct replay_config *config, struct engine_options *engine,
			const struct target *target, struct replay_watch *watch,
			struct replay_source *source, struct engine_result *result, bool *played)
{
	struct recording *recording = NULL;
	int code, stop_code, watch_code;

	code = replay_watch_start(watch, engine);
	if (code)
		return code;
	if (config->output)
		code = replay_record_start(config->output, target__info(target), &recording);
	*played = !code;
	if (!code)
		code = play(engine, source, result);
	stop_code = replay_record_stop(recording, config->output);
	watch_code = replay_watch_end(watch);
	code = code ? code : stop_code;
	return code ? code : watch_code;
}

static int play_and_report(const struct replay_config *config, struct replay_input *input,
			   const struct target *target, const struct plan *plan,
			   const struct plan_request *request)
{
	struct replay_watch watch = {
		.ios = request->ios * config->rounds,
		.round_ns = config->round_ns,
		.series_path = config->series,
		.figure = config->until_steady,
		.stop = &steady,
	};
	struct engine_options engine = {
		.fd = target__fd(target),
		.block_device = target__info(target)->block_device,
		.mode = config->mode,
		.spin = config->spin,
		.realtime = config->priority == 0,
		.sqpoll = config->sqpoll,
		.target_bytes = target__info(target)->size_bytes,
		.speed = config->speed,
		.iodepth = (uint32_t)config->iodepth,
		.seed = config->seed == UINT64_MAX ? input->seed : config->seed,
		.longest_read_bytes = plan->longest_read_bytes,
		.longest_write_bytes = plan->longest_write_bytes,
		.stop = &interrupted,
		.stop_at_error = config->on_error == 1,
		.ramp_ns = config->ramp_ns,
		.start_wall_ns = (uint64_t)(config->start_epoch_s * 1e9),
		.enough = &steady,
	};
	struct replay_chain chain;
	struct replay_outcome outcome = {
		.source_path = input->path,
		.source_device = input->device_name,
		.source_ios = input->survey.ios,
		.rounds = config->rounds,
		.target = target__info(target),
		.engine = &engine,
		.mapping = &chain.mapping,
		.dependence = config->mode == ENGINE_DEPENDENT ? &chain.dependence : NULL,
		.fit = plan->mapping.fit,
		.unsupported_ops = plan->unsupported_ops,
		.reads_only = config->reads_only,
		.steady = config->until_steady ? &watch.verdict : NULL,
		.steady_rounds = &watch.steady.rounds,
		.steady_figure = steady_figures[config->until_steady],
		.trace_path = config->output,
	};
	struct engine_result *result = malloc(sizeof(*result));
	bool played = false;
	int code, print_code;

	if (engine_mode__has_due(config->mode))
		watch.duration_ns = schedule_scaled_ns(
			repeat__period_ns(input->survey.ios, input->survey.last_due_ns) *
				config->rounds,
			config->speed);
	code = replay_chain_create(&chain, input, &plan->mapping, config->mode, config->rounds);
	if (!result) {
		pr_err("no memory for the replay");
		code = EXIT_FAILED;
	}
	if (code)
		goto out;
	code = play_watched(config, &engine, target, &watch, chain.top, result, &played);
	if (!played)
		goto out;
	outcome.result = result;
	outcome.out_of_order = replay_chain_out_of_order(&chain);
	print_code = print_outcome(config, &outcome);
	code = code ? code : print_code;
	code = code ? code : outcome_code(input, result);
out:
	replay_chain_free(&chain);
	free(result);
	return code;
}

static int replay(const struct replay_config *config, struct replay_input *input)
{
	struct footprint *footprint = NULL;
	struct plan_options plan_options;
	struct plan_request request;
	struct target *target;
	struct plan plan;
	char message[PLAN_MESSAGE_MAX];
	int err, code;

	plan_options_from(config, input, &plan_options);
	err = plan__request(&input->survey, &plan_options, &request, message);
	if (err) {
		pr_err("%s%s: %s", err == -EPERM ? "refused: " : "", input->path, message);
		return err == -EPERM ? EXIT_REFUSED : EXIT_BAD_INPUT;
	}
	code = replay_chain_check(input, config->mode);
	if (!code)
		code = open_target(config, input->path, request.writes, &target);
	if (code)
		return code;
	code = check_output(config, input, target);
	if (!code && plan_options.fit == REPLAY_FIT_COMPACT) {
		code = replay_chain_footprint(input, request.ops, &footprint);
		plan_options.footprint = footprint;
	}
	if (!code)
		code = make_plan(input, &plan_options, &request, target, &plan);
	if (!code && request.writes)
		code = replay_confirm(config->yes_destroy, target);
	if (code) {
		target__abandon(target);
		footprint__free(footprint);
		return code;
	}
	if (!target__info(target)->direct)
		pr_warn("%s: no O_DIRECT here, the page cache takes part in what is measured",
			config->target);
	code = play_and_report(config, input, target, &plan, &request);
	target__free(target);
	footprint__free(footprint);
	return code;
}

int cmd_replay(int argc, char **argv)
{
	struct replay_config config = {
		.fit = FIT_NOT_SAID,
		.to_ns = UINT64_MAX,
		.duration_ns = UINT64_MAX,
		.seed = UINT64_MAX,
		.rounds = 1,
		.round_ns = NSEC_PER_SEC,
	};
	struct replay_window window;
	struct replay_input input;
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
	code = replay_input_open(&input, argv[first], config.source,
				 config.seed == UINT64_MAX ? NULL : &config.seed, &window);
	if (!code)
		code = replay(&config, &input);
	replay_input_close(&input);
	return code;
}
