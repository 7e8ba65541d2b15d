// SPDX-License-Identifier: MIT
#include "commands/replay/play.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/units.h"
#include "commands/shared/command.h"
#include "commands/replay/cache_state.h"
#include "commands/replay/record.h"
#include "commands/replay/progress.h"
#include "render/json.h"
#include "render/replay/replay.h"
#include "replay/source/repeat.h"
#include "replay/engine/schedule.h"
#include "replay/engine/workers.h"

static volatile sig_atomic_t interrupted;
static volatile sig_atomic_t enough; /* steady, or another engine has failed */

/* A lane while it is played. */
struct run {
	const struct replay_lane *lane;
	unsigned int workers;
	struct replay_chain chain;
	struct engine_options engine;
	struct engine_result result;
	int err;
	char message[ENGINE_MESSAGE_MAX];
	pthread_t thread;
};

struct player {
	const struct replay_config *config;
	const struct replay_lanes *lanes;
	struct run *runs; /* one per lane */
	struct gate *gate;
	struct replay_watch watch;
	struct replay_stamp stamp;
	struct replay_cache cache;
};

/* What comes within a second of the first is the same wish: of a terminal and of timeout(1), which tell
 * a process and its group. Later ones kill, as a device may never answer. */
static void interrupt(int signal_number)
{
	static uint64_t first_ns;
	uint64_t time_ns = clock_ns(CLOCK_MONOTONIC);

	if (interrupted && time_ns - first_ns > NSEC_PER_SEC) {
		signal(signal_number, SIG_DFL);
		raise(signal_number);
		return;
	}
	if (!interrupted)
		first_ns = time_ns;
	interrupted = signal_number;
}

static const int stopping[] = {SIGINT, SIGTERM, SIGXCPU, SIGHUP};
#define STOPPING (sizeof(stopping) / sizeof(stopping[0]))

static void watch_signals(struct sigaction before[STOPPING])
{
	struct sigaction action = {.sa_handler = interrupt};

	for (unsigned int i = 0; i < STOPPING; i++) {
		sigaction(stopping[i], &action, &before[i]);
		if (stopping[i] == SIGHUP && before[i].sa_handler == SIG_IGN) /* by nohup(1) */
			sigaction(stopping[i], &before[i], NULL);
	}
}

/* What was done is still to be said and a recording to be ended: an interruption goes on being one. */
static void forget_signals(const struct sigaction before[STOPPING])
{
	for (unsigned int i = 0; i < STOPPING && !interrupted; i++)
		sigaction(stopping[i], &before[i], NULL);
}

/* Setting up --------------------------------------------------------------------------------- */

/* From one round to the next, the same for all lanes. */
static uint64_t period_ns(const struct replay_lanes *lanes)
{
	uint64_t ios = 0, last_due_ns = 0;

	for (unsigned int i = 0; i < lanes->count; i++) {
		const struct replay_survey *survey = &lanes->items[i].input->survey;

		ios += survey->ios;
		if (survey->last_due_ns > last_due_ns)
			last_due_ns = survey->last_due_ns;
	}
	return repeat__period_ns(ios, last_due_ns);
}

static void set_engine(const struct player *p, struct run *run)
{
	const struct replay_config *config = p->config;
	const struct replay_lane *lane = run->lane;
	const struct target_info *info = target__info(lane->target);

	run->engine = (struct engine_options){
		.fd = target__fd(lane->target),
		.block_device = info->block_device,
		.buffered = info->buffered,
		.mode = config->mode,
		.spin = config->spin,
		.raise_priority = config->priority == 0,
		.iopoll = config->iopoll,
		.sqpoll = config->sqpoll,
		.completion_batch = (uint32_t)config->batch,
		.zone_bytes = info->zone_bytes,
		.target_bytes = info->size_bytes,
		.speed = config->speed,
		.seed = config->seed == UINT64_MAX ? lane->input->seed : config->seed,
		.longest_read_bytes = lane->plan.longest_read_bytes,
		.longest_write_bytes = lane->plan.longest_write_bytes,
		.stop = &interrupted,
		.stop_at_error = config->on_error == 1,
		.ramp_ns = config->ramp_ns,
		.start_wall_ns = (uint64_t)(config->start_epoch_s * 1e9),
		.gate = p->gate,
		.enough = &enough,
	};
}

static int no_memory(void)
{
	pr_err("no memory for the replay");
	return EXIT_FAILED;
}

/* Long writes with content of their own leave memory for few. */
static int check_workers(const struct run *run)
{
	if (run->workers <= run->engine.iodepth)
		return EXIT_OK;
	pr_err("--workers %u: there is memory for only %u IOs in flight with content of their own: "
	       "say fewer",
	       run->workers, run->engine.iodepth);
	return EXIT_USAGE;
}

static int set_up(struct player *p)
{
	const struct replay_config *config = p->config;
	uint64_t ios = 0, round_ns = period_ns(p->lanes);
	int code = EXIT_OK;

	p->runs = calloc(p->lanes->count, sizeof(*p->runs));
	if (!p->runs || (p->lanes->count > 1 && gate__create(p->lanes->count, &p->gate)))
		return no_memory();
	for (unsigned int i = 0; i < p->lanes->count && !code; i++) {
		struct run *run = &p->runs[i];

		run->lane = &p->lanes->items[i];
		run->workers = (unsigned int)config->workers;
		set_engine(p, run);
		engine_result__init(&run->result);
		ios += run->lane->request.ios;
		code = replay_content_plan(&config->content, run->engine.longest_write_bytes,
					   &run->engine.content, &run->engine.iodepth);
		if (!code)
			code = check_workers(run);
		if (code)
			break;
		code = replay_chain_create(&run->chain, run->lane->input, &run->lane->plan.mapping,
					   config->mode, config->rounds, round_ns);
	}
	p->watch = (struct replay_watch){
		.ios = ios * config->rounds,
		.round_ns = config->round_ns,
		.series_path = config->series,
		.figure = config->until_steady,
		.stop = &enough,
		.mutex = PTHREAD_MUTEX_INITIALIZER,
		.lane_count = p->lanes->count,
		.lanes = calloc(p->lanes->count, sizeof(*p->watch.lanes)),
	};
	if (engine_mode__has_due(config->mode))
		p->watch.duration_ns = schedule_scaled_ns(round_ns * config->rounds, config->speed);
	return !p->watch.lanes && !code ? no_memory() : code;
}

static void tear_down(struct player *p)
{
	for (unsigned int i = 0; p->runs && i < p->lanes->count; i++)
		replay_chain_free(&p->runs[i].chain);
	gate__free(p->gate);
	free(p->watch.lanes);
	free(p->runs);
}

/* Playing ------------------------------------------------------------------------------------ */

static void *run_lane(void *context)
{
	struct run *run = context;

	if (run->workers > 1)
		run->err = workers__run(&run->engine, run->workers, run->chain.top, &enough,
					&run->result, run->message);
	else
		run->err = engine__run(&run->engine, run->chain.top, &run->result, run->message);
	if (run->engine.gate) {
		gate__leave(run->engine.gate);
		/* It may have been its own last IO, but not that of the others. */
		run->result.stopped_at_error |=
			run->engine.stop_at_error && engine_result__errors(&run->result);
	}
	if (run->err || run->result.stopped_at_error)
		enough = true;
	return NULL;
}

static void run_lanes(struct player *p)
{
	unsigned int started = 0;

	if (p->lanes->count == 1) {
		run_lane(&p->runs[0]);
		return;
	}
	for (; started < p->lanes->count; started++) {
		int err =
			pthread_create(&p->runs[started].thread, NULL, run_lane, &p->runs[started]);

		if (err) {
			p->runs[started].err = -err;
			snprintf(p->runs[started].message, ENGINE_MESSAGE_MAX,
				 "cannot start a thread: %s", strerror(err));
			enough = true;
			break;
		}
	}
	for (unsigned int i = started; i < p->lanes->count; i++)
		gate__leave(p->gate);
	for (unsigned int i = 0; i < started; i++)
		pthread_join(p->runs[i].thread, NULL);
}

static int play(struct player *p)
{
	struct sigaction before[STOPPING];
	int code = EXIT_OK;

	watch_signals(before);
	run_lanes(p);
	forget_signals(before);
	progress_end();
	for (unsigned int i = 0; i < p->lanes->count; i++) {
		if (!p->runs[i].err)
			continue;
		pr_err("the replay ended early: %s", p->runs[i].message);
		code = EXIT_FAILED;
	}
	return code;
}

/* Plays, while what was asked for records and watches it. *played: there is a result. */
static int play_watched(struct player *p, bool *played)
{
	const struct replay_config *config = p->config;
	struct recording *recording = NULL;
	int code = EXIT_OK, sync_code = EXIT_OK, stamp_code, stop_code, watch_code;

	if (p->lanes->count == 1)
		code = replay_watch_start(&p->watch, &p->runs[0].engine);
	else
		code = replay_watch_start_lanes(&p->watch);
	for (unsigned int i = 0; i < p->lanes->count && p->lanes->count > 1 && !code; i++) {
		p->watch.lanes[i].source = p->runs[i].lane->input->device_name;
		p->watch.lanes[i].target = p->runs[i].lane->target_path;
		replay_watch_start_lane(&p->watch, i, &p->runs[i].engine);
	}
	if (code)
		return code;
	if (config->output)
		code = replay_record_start(config->output, p->lanes->targets,
					   p->lanes->target_count, &recording);
	if (!code)
		code = replay_stamp_start(&config->stamp, p->lanes->items[0].input,
					  &p->lanes->items[0].plan.mapping, config->rounds,
					  &p->stamp, &p->runs[0].engine);
	*played = !code;
	if (!code) {
		code = play(p);
		sync_code = replay_cache_end(&p->cache, p->lanes);
	}
	code = code ? code : sync_code;
	stamp_code = replay_stamp_end(&p->stamp);
	stop_code = replay_record_stop(recording, config->output);
	watch_code = replay_watch_end(&p->watch);
	code = code ? code : stamp_code;
	code = code ? code : stop_code;
	return code ? code : watch_code;
}

/* The outcome -------------------------------------------------------------------------------- */

static struct replay_outcome outcome_of(const struct player *p, const struct run *run)
{
	const struct replay_config *config = p->config;
	const struct replay_lane *lane = run->lane;

	return (struct replay_outcome){
		.source_path = lane->input->path,
		.source_device = lane->input->device_name,
		.source_ios = lane->input->survey.ios,
		.rounds = config->rounds,
		.workers = run->workers,
		.target = target__info(lane->target),
		.engine = &run->engine,
		.result = &run->result,
		.mapping = &run->chain.mapping,
		.dependence = config->mode == ENGINE_DEPENDENT ? &run->chain.dependence : NULL,
		.fit = lane->plan.mapping.fit,
		.unsupported_ops = lane->plan.unsupported_ops,
		.reads_only = config->reads_only,
		.out_of_order = replay_chain_out_of_order(&run->chain),
		.steady = config->until_steady ? &p->watch.verdict : NULL,
		.steady_rounds = &p->watch.steady.rounds,
		.steady_figure = steady_figure_names[config->until_steady],
		.trace_path = config->output,
		.buffered = replay_cache_of(&p->cache, p->lanes, lane),
	};
}

static int print_outcomes(const struct player *p)
{
	struct replay_outcome outcomes[OPTION_LIST_MAX];
	struct replay_totals totals;
	int err;

	for (unsigned int i = 0; i < p->lanes->count; i++)
		outcomes[i] = outcome_of(p, &p->runs[i]);
	if (replay_totals__create(outcomes, p->lanes->count, &totals))
		return no_memory();
	err = p->config->json ? json_print(stdout, replay_totals_json(&totals))
			      : replay_totals_text(&totals, stdout);
	replay_totals__release(&totals);
	if (err == -ENOMEM)
		pr_err("cannot print the outcome: no memory");
	return err == -ENOMEM ? EXIT_FAILED : cmd_flush_stdout();
}

static int outcome_code(const struct player *p)
{
	bool stopped = false, stopped_at_error = false;
	char count[UNITS_TEXT_MAX];
	uint64_t errors = 0;

	for (unsigned int i = 0; i < p->lanes->count; i++) {
		stopped |= p->runs[i].result.stopped;
		stopped_at_error |= p->runs[i].result.stopped_at_error;
		errors += engine_result__errors(&p->runs[i].result);
	}
	if (stopped)
		return 128 + interrupted;
	if (errors) {
		pr_warn("%s IO%s failed; the rest was %sreplayed", units_count(errors, count),
			errors == 1 ? "" : "s", stopped_at_error ? "not " : "");
		return EXIT_FAILED;
	}
	return p->lanes->items[0].input->torn;
}

int replay_lanes_play(const struct replay_config *config, const struct replay_lanes *lanes)
{
	struct player p = {.config = config, .lanes = lanes};
	bool played = false;
	int code, print_code;

	code = set_up(&p);
	if (!code)
		code = replay_cache_start(config, lanes, &p.cache);
	if (!code)
		code = play_watched(&p, &played);
	if (played) {
		print_code = print_outcomes(&p);
		code = code ? code : print_code;
		code = code ? code : outcome_code(&p);
	}
	tear_down(&p);
	return code;
}
