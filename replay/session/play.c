// SPDX-License-Identifier: MIT
#include "replay/session/play.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/exit_codes.h"
#include "base/log.h"
#include "base/units.h"
#include "replay/engine/engine.h"
#include "replay/engine/schedule.h"
#include "replay/engine/workers.h"
#include "replay/session/cache_state.h"
#include "replay/session/content.h"
#include "replay/session/cpu_sleep.h"
#include "replay/session/signals.h"
#include "replay/session/stamping.h"
#include "replay/source/repeat.h"

static volatile sig_atomic_t interrupted;
static volatile sig_atomic_t
	enough; /* the callbacks have seen enough, or another engine has failed */

/* A job while it is played. */
struct run {
	const struct replay_job *job;
	unsigned int workers;
	struct replay_chain chain;
	struct engine_options engine;
	struct engine_result result;
	struct failure failure; /* of the chain, whose reader is a thread */
	int err;
	char message[ENGINE_MESSAGE_MAX];
	pthread_t thread;
};

struct player {
	const struct replay_options *options;
	const struct replay_jobs *jobs;
	const struct replay_callbacks *callbacks;
	struct run *runs; /* one per job */
	struct start_gate *gate;
	struct replay_stamp stamp;
	struct replay_cache cache;
	enum cpu_sleep cpu_sleep;
	int cpu_sleep_fd;	      /* or -1 */
	struct cpu_counters counters; /* when the replay starts */
	struct replay_disturbance disturbance;
};

static void interrupt(int signal_number)
{
	if (!replay_signals_note(&interrupted, signal_number))
		return;
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

/* Setting up --------------------------------------------------------------------------------- */

/* The time from one round to the next, the same for all jobs. */
static uint64_t period_ns(const struct replay_jobs *jobs)
{
	uint64_t ios = 0, last_due_ns = 0;

	for (unsigned int i = 0; i < jobs->count; i++) {
		const struct replay_survey *survey = &jobs->items[i].input->survey;

		ios += survey->ios;
		if (survey->last_due_ns > last_due_ns)
			last_due_ns = survey->last_due_ns;
	}
	return repeat__period_ns(ios, last_due_ns);
}

static uint64_t sync_start_ns(const struct replay_options *options)
{
	return (uint64_t)(options->start_epoch_s * 1e9);
}

/* At the start itself, reading the counters would delay the first IOs. */
static void still_waiting(void *context)
{
	struct player *p = context;

	cpu_counters__read(&p->counters);
}

static void set_engine(struct player *p, struct run *run)
{
	const struct replay_options *options = p->options;
	const struct replay_job *job = run->job;
	const struct target_info *info = target__info(job->target);

	run->engine = (struct engine_options){
		.fd = target__fd(job->target),
		.block_device = info->block_device,
		.buffered = info->buffered,
		.mode = options->mode,
		.spin = options->spin,
		.raise_priority = options->priority == REPLAY_PRIORITY_AUTO,
		.iopoll = options->iopoll,
		.sqpoll = options->sqpoll,
		.completion_batch = (uint32_t)options->batch,
		.zone_bytes = info->zone_bytes,
		.limits = info->limits,
		.hint = (uint8_t)target__hint(job->target),
		.target_bytes = info->size_bytes,
		.speed = options->speed,
		.seed = options->seed == REPLAY_NO_SEED ? job->input->seed : options->seed,
		.longest_read_bytes = job->plan.longest_read_bytes,
		.longest_write_bytes = job->plan.longest_write_bytes,
		.stop = &interrupted,
		.stop_at_error = options->on_error == REPLAY_ON_ERROR_STOP,
		.ramp_ns = options->ramp_ns,
		.runtime_ns = options->runtime_ns,
		.start_wall_ns = sync_start_ns(options),
		.gate = p->gate,
		.enough = &enough,
		.waiting = run == p->runs ? still_waiting : NULL,
		.waiting_context = p,
	};
}

static int no_memory(struct failure *failure)
{
	return failure_add(failure, EXIT_FAILED, "no memory for the replay");
}

static int set_up_run(struct player *p, struct run *run, uint64_t round_ns, struct failure *failure)
{
	const struct replay_options *options = p->options;

	run->workers = (unsigned int)options->workers;
	set_engine(p, run);
	if (replay_content_plan(options, run->engine.longest_write_bytes, &run->engine.content,
				&run->engine.iodepth, failure))
		return -1;
	/* Long writes with content of their own leave memory for few. */
	if (run->workers > run->engine.iodepth)
		return failure_add(
			failure, EXIT_USAGE,
			"--workers %u: there is memory for only %s in flight with content of "
			"their own: use fewer",
			run->workers, COUNTED_TEXT(run->engine.iodepth, "IO"));
	if (replay_chain_create(&run->chain, run->job->input, &run->job->plan.mapping,
				options->mode, options->rounds, round_ns, &run->failure)) {
		failure_merge(failure, &run->failure);
		return -1;
	}
	return 0;
}

/* A write hint belongs to a file, not to an IO: it can be given if all writes onto a target have the same. */
static void give_hint(const struct replay_jobs *jobs, struct target *target)
{
	uint32_t hints = 0;

	for (unsigned int i = 0; i < jobs->count; i++)
		if (jobs->items[i].target == target &&
		    jobs->items[i].request.ops & 1u << REPLAY_WRITE)
			hints |= jobs->items[i].input->survey.hints;
	if (hints > 1 && !(hints & (hints - 1)))
		target__give_hint(target, (unsigned int)__builtin_ctz(hints));
}

static int set_up(struct player *p, struct failure *failure)
{
	uint64_t round_ns = period_ns(p->jobs);

	p->runs = calloc(p->jobs->count, sizeof(*p->runs));
	if (!p->runs || (p->jobs->count > 1 && start_gate__create(p->jobs->count, &p->gate)))
		return no_memory(failure);
	for (unsigned int i = 0; i < p->jobs->target_count; i++)
		give_hint(p->jobs, p->jobs->targets[i]);
	for (unsigned int i = 0; i < p->jobs->count; i++) {
		struct run *run = &p->runs[i];

		run->job = &p->jobs->items[i];
		engine_result__init(&run->result);
		if (set_up_run(p, run, round_ns, failure))
			return -1;
	}
	return 0;
}

static void tear_down(struct player *p)
{
	for (unsigned int i = 0; p->runs && i < p->jobs->count; i++)
		replay_chain_free(&p->runs[i].chain);
	start_gate__free(p->gate);
	cpu_sleep__release(p->cpu_sleep_fd);
	free(p->runs);
}

/* Playing ------------------------------------------------------------------------------------ */

static void *run_job(void *context)
{
	struct run *run = context;

	if (run->workers > 1)
		run->err = workers__run(&run->engine, run->workers, run->chain.top, &enough,
					&run->result, run->message);
	else
		run->err = engine__run(&run->engine, run->chain.top, &run->result, run->message);
	if (run->result.source_over)
		run->result.left_out += mapping__left_out(run->chain.mapped);
	if (run->engine.gate) {
		start_gate__leave(run->engine.gate);
		/* The failed IO may be the last one of this job, but not of the others. */
		run->result.stopped_at_error |=
			run->engine.stop_at_error && engine_result__errors(&run->result);
	}
	if (run->err || run->result.stopped_at_error)
		enough = true;
	return NULL;
}

static void run_jobs(struct player *p)
{
	unsigned int started = 0;

	if (p->jobs->count == 1) {
		run_job(&p->runs[0]);
		return;
	}
	for (; started < p->jobs->count; started++) {
		int err =
			pthread_create(&p->runs[started].thread, NULL, run_job, &p->runs[started]);

		if (err) {
			p->runs[started].err = -err;
			snprintf(p->runs[started].message, ENGINE_MESSAGE_MAX,
				 "cannot start a thread: %s", strerror(err));
			enough = true;
			break;
		}
	}
	for (unsigned int i = started; i < p->jobs->count; i++)
		start_gate__leave(p->gate);
	for (unsigned int i = 0; i < started; i++)
		pthread_join(p->runs[i].thread, NULL);
}

static int play(struct player *p, struct failure *failure)
{
	struct cpu_counters counters;
	struct replay_signals before;
	int err = 0;

	replay_signals_watch(&before, interrupt);
	for (unsigned int i = 0; i < p->jobs->target_count; i++)
		target__watch(p->jobs->targets[i], &enough);
	cpu_counters__read(&p->counters);
	run_jobs(p);
	cpu_counters__read(&counters);
	disturbance__between(&p->counters, &counters, &p->disturbance);
	for (unsigned int i = 0; i < p->jobs->target_count; i++)
		target__watch(p->jobs->targets[i], NULL);
	/* After a signal, what follows (the report, the end of a recording) is not to be killed by another. */
	if (!interrupted)
		replay_signals_restore(&before);
	progress_end();
	for (unsigned int i = 0; i < p->jobs->count; i++) {
		const struct run *run = &p->runs[i];

		failure_merge(failure, &run->failure);
		if (run->err)
			err = failure_add(failure, EXIT_FAILED, "the replay ended early: %s",
					  run->message);
	}
	for (unsigned int i = 0; i < p->jobs->target_count; i++) {
		const char *taken = target__taken(p->jobs->targets[i]);

		if (taken)
			err = failure_add(failure, EXIT_FAILED,
					  "the replay stopped, because its target is used by "
					  "others now: %s",
					  taken);
	}
	return err;
}

static int start_progress(struct player *p, struct failure *failure)
{
	struct replay_playing_job jobs[OPTION_LIST_MAX];
	struct replay_playing playing = {.enough = &enough,
					 .jobs = jobs,
					 .job_count = p->jobs->count,
					 .runtime_ns = p->options->runtime_ns};
	uint64_t rounds = p->options->rounds;

	for (unsigned int i = 0; i < p->jobs->count; i++) {
		struct run *run = &p->runs[i];

		jobs[i] = (struct replay_playing_job){.source = run->job->input->device_name,
						      .target = run->job->target_path,
						      .engine = &run->engine};
		playing.ios += run->job->request.ios * rounds;
	}
	if (engine_mode__has_due(p->options->mode))
		playing.duration_ns =
			schedule_scaled_ns(period_ns(p->jobs) * rounds, p->options->speed);
	return p->callbacks->progress_start(p->callbacks->context, &playing, failure);
}

/* An open device can only change what is behind it: a read-only loop device its file, say. */
static int check_disks(const struct replay_jobs *jobs, struct failure *failure)
{
	for (unsigned int i = 0; i < jobs->target_count; i++)
		if (!target__is_same_disk(jobs->targets[i]))
			return failure_add(failure, EXIT_FAILED,
					   "%s became another disk during the replay: its figures "
					   "are of both",
					   target__info(jobs->targets[i])->path);
	return 0;
}

/* Before a recording gives up the right to do it. */
static void hold_off_cpu_sleep(struct player *p)
{
	if (engine_mode__has_due(p->options->mode) && p->options->spin != ENGINE_SPIN_NEVER)
		p->cpu_sleep = cpu_sleep__hold_off(CPU_SLEEP_PATH, &p->cpu_sleep_fd);
}

/* Before files are made; the engines check once more when they are ready. */
static int check_start(const struct replay_options *options, struct failure *failure)
{
	uint64_t start_ns = sync_start_ns(options), now_ns = clock_ns(CLOCK_REALTIME);
	char late[UNITS_TEXT_MAX];

	if (!start_ns || now_ns <= start_ns)
		return 0;
	return failure_add(failure, EXIT_FAILED,
			   "--sync-start was missed by %s, which preparing took: choose a later "
			   "time",
			   units_time(now_ns - start_ns, late));
}

/* Plays, while the callbacks record and watch. *has_result: it came to that. */
static int play_watched(struct player *p, bool *has_result, struct failure *failure)
{
	const struct replay_callbacks *c = p->callbacks;
	int err;

	hold_off_cpu_sleep(p);
	err = start_progress(p, failure);
	if (!err)
		err = c->record_start(c->context, p->jobs->targets, p->jobs->target_count,
				      p->jobs->items[0].input->profile, failure);
	if (!err)
		err = replay_stamp_start(&p->options->stamp, p->jobs->items[0].input,
					 &p->jobs->items[0].plan.mapping, p->options->rounds,
					 &p->stamp, &p->runs[0].engine, failure);
	*has_result = !err;
	if (!err) {
		err = play(p, failure);
		cpu_sleep__release(p->cpu_sleep_fd);
		p->cpu_sleep_fd = -1;
		err |= check_disks(p->jobs, failure);
		err |= replay_cache_end(&p->cache, p->jobs, failure);
	}
	err |= replay_stamp_end(&p->stamp, failure);
	err |= c->record_end(c->context, failure);
	err |= c->progress_end(c->context, failure);
	return err;
}

/* The outcome -------------------------------------------------------------------------------- */

static struct replay_outcome outcome_of(const struct player *p, const struct run *run)
{
	const struct replay_options *options = p->options;
	const struct replay_job *job = run->job;

	return (struct replay_outcome){
		.source_path = job->input->path,
		.source_device = job->input->device_name,
		.source_ios = job->input->survey.ios,
		.without = job->input->window.without,
		.without_count = job->input->window.without_count,
		.left_out_ios = job->input->left_out_ios,
		.flush_machinery_ios = job->input->survey.flush_machinery_ios,
		.source_depth_max = replay_chain_depth_max(&run->chain),
		.rounds = options->rounds,
		.workers = run->workers,
		.target = target__info(job->target),
		.engine = &run->engine,
		.result = &run->result,
		.fit = job->plan.mapping.fit,
		.reads_only = options->reads_only,
		.out_of_order = replay_chain_out_of_order(&run->chain),
		.missing = &job->input->missing,
		.trace_path = options->output,
		.cpu_sleep = p->cpu_sleep,
		.disturbance = p->disturbance,
		.buffered = replay_cache_of(&p->cache, p->jobs, job),
	};
}

static int report(const struct player *p, struct failure *failure)
{
	struct replay_outcome outcomes[OPTION_LIST_MAX];

	for (unsigned int i = 0; i < p->jobs->count; i++)
		outcomes[i] = outcome_of(p, &p->runs[i]);
	return p->callbacks->report(p->callbacks->context, outcomes, p->jobs->count, failure);
}

/* What a replay that came to its end says by its exit code. */
static int judge(const struct player *p, struct failure *failure)
{
	bool stopped = false, stopped_at_error = false;
	uint64_t errors = 0;

	for (unsigned int i = 0; i < p->jobs->count; i++) {
		stopped |= p->runs[i].result.stopped;
		stopped_at_error |= p->runs[i].result.stopped_at_error;
		errors += engine_result__errors(&p->runs[i].result);
	}
	if (stopped)
		return failure_add_code(failure, 128 + interrupted);
	if (errors) {
		pr_warn("%s failed; the rest was %sreplayed", COUNTED_TEXT(errors, "IO"),
			stopped_at_error ? "not " : "");
		return failure_add_code(failure, EXIT_FAILED);
	}
	return p->jobs->items[0].input->torn ? failure_add_code(failure, EXIT_INCOMPLETE) : 0;
}

static bool has_issued(const struct player *p)
{
	uint64_t issued = 0;

	for (unsigned int i = 0; i < p->jobs->count; i++)
		issued += engine_result__issued(&p->runs[i].result);
	return issued > 0;
}

int replay_jobs_play(const struct replay_options *options, const struct replay_jobs *jobs,
		     const struct replay_callbacks *callbacks, bool *played,
		     struct failure *failure)
{
	struct player p = {
		.options = options, .jobs = jobs, .callbacks = callbacks, .cpu_sleep_fd = -1};
	bool has_result = false;
	int err = set_up(&p, failure);

	if (!err)
		err = replay_cache_start(options, jobs, &p.cache, failure);
	if (!err)
		err = check_start(options, failure);
	if (!err)
		err = play_watched(&p, &has_result, failure);
	*played = has_result && (!err || has_issued(&p));
	if (has_result)
		err |= report(&p, failure);
	if (!err)
		err = judge(&p, failure);
	tear_down(&p);
	return err;
}
