// SPDX-License-Identifier: MIT
#include "commands/replay/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/exit_codes.h"
#include "base/log.h"
#include "base/output_file.h"
#include "base/units.h"

#define PROGRESS_INTERVAL_NS (200 * NSEC_PER_MSEC)

struct progress_job {
	struct replay_progress *replay;
	const char *source, *target; /* as the series names them */
	uint64_t completed, due_ns, late_ns;
	double per_second;
};

struct shown {
	uint64_t completed, elapsed_ns, due_ns, late_ns;
	double per_second;
};

static double per_second(uint64_t count, const struct engine_progress *now)
{
	return (double)count * 1e9 / (double)now->interval_ns;
}

static uint64_t source_left_ns(const struct replay_progress *p, const struct shown *shown,
			       double share)
{
	if (p->duration_ns > shown->due_ns)
		return p->duration_ns - shown->due_ns;
	return share > 0 ? (uint64_t)((double)shown->elapsed_ns * (1 / share - 1)) : 0;
}

static uint64_t time_left_ns(const struct replay_progress *p, const struct shown *shown,
			     double share)
{
	uint64_t left_ns = source_left_ns(p, shown, share), runtime_left_ns;

	if (!p->runtime_ns)
		return left_ns;
	runtime_left_ns = p->runtime_ns > shown->elapsed_ns ? p->runtime_ns - shown->elapsed_ns : 0;
	return runtime_left_ns < left_ns || !(share > 0) ? runtime_left_ns : left_ns;
}

static void show(const struct replay_progress *p, const struct shown *shown)
{
	char done[UNITS_TEXT_MAX], ios[UNITS_TEXT_MAX], rate[UNITS_TEXT_MAX], late[UNITS_TEXT_MAX],
		left[UNITS_TEXT_MAX];
	double share = p->ios ? (double)shown->completed / (double)p->ios : 1;

	if (share > 1)
		share = 1;
	progress("replay: %s of %s IOs (%.0f %%), %s IOs/s, late by %s, %s left",
		 units_count(shown->completed, done), units_count(p->ios, ios), 100 * share,
		 units_count((uint64_t)shown->per_second, rate), units_time(shown->late_ns, late),
		 units_time(time_left_ns(p, shown, share), left));
}

static void write_row(FILE *series, const struct engine_progress *now)
{
	fprintf(series,
		"%.6f,%.6f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu64
		",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
		(double)now->elapsed_ns / 1e9, (double)now->interval_ns / 1e9, now->ios,
		now->errors, now->read_bytes, now->write_bytes, now->in_flight, now->late_ns,
		histogram_percentile(now->intended_ns, 50),
		histogram_percentile(now->intended_ns, 99),
		histogram_percentile(now->submitted_ns, 50),
		histogram_percentile(now->submitted_ns, 99));
}

/*
 * A round that began in the ramp is not counted; one that the end of the replay cut short says
 * nothing about the device.
 */
static void judge(struct replay_progress *p, const struct engine_progress *now)
{
	if (now->last || now->elapsed_ns - now->interval_ns < p->ramp_ns)
		return;
	steady__add(&p->steady, steady_figure_value(p->figure, now));
	steady__judge(&p->steady, &p->verdict);
	if (p->verdict.reached)
		*p->enough = true;
}

static void observe(const struct engine_progress *now, void *context)
{
	struct replay_progress *p = context;

	if (progress_enabled()) {
		const struct shown shown = {now->completed, now->elapsed_ns, now->due_ns,
					    now->late_ns, per_second(now->ios, now)};

		show(p, &shown);
	}
	if (p->series) {
		write_row(p->series, now);
		fputc('\n', p->series);
	}
	if (p->figure)
		judge(p, now);
}

/* Several jobs ---------------------------------------------------------------------------------- */

static void write_field(FILE *out, const char *text)
{
	fputs(",\"", out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void write_job_row(FILE *series, const struct progress_job *job,
			  const struct engine_progress *now)
{
	write_row(series, now);
	write_field(series, job->source);
	write_field(series, job->target);
	fputc('\n', series);
}

/* All jobs together: the replay has come as far as the job that is farthest. */
static void show_all(const struct replay_progress *p, uint64_t elapsed_ns)
{
	struct shown shown = {.elapsed_ns = elapsed_ns};

	for (unsigned int i = 0; i < p->job_count; i++) {
		const struct progress_job *job = &p->jobs[i];

		shown.completed += job->completed;
		shown.per_second += job->per_second;
		if (job->due_ns > shown.due_ns)
			shown.due_ns = job->due_ns;
		if (job->late_ns > shown.late_ns)
			shown.late_ns = job->late_ns;
	}
	show(p, &shown);
}

/* Called by the threads of all engines. */
static void observe_job(const struct engine_progress *now, void *context)
{
	struct progress_job *job = context;
	struct replay_progress *p = job->replay;

	pthread_mutex_lock(&p->mutex);
	job->completed = now->completed;
	job->due_ns = now->due_ns;
	job->late_ns = now->last ? 0 : now->late_ns;
	job->per_second = now->last ? 0 : per_second(now->ios, now);
	if (p->series)
		write_job_row(p->series, job, now);
	if (progress_enabled())
		show_all(p, now->elapsed_ns);
	pthread_mutex_unlock(&p->mutex);
}

/* Start and end --------------------------------------------------------------------------------- */

/* It is written while the replay runs, and stays when the replay is killed. */
static const struct output_kind series_kind = {.name = "series", .streams = true};

static int create_series(struct replay_progress *p, struct failure *failure)
{
	char message[PATH_MAX + 256];
	int fd, err;

	if (!p->series_path)
		return 0;
	err = output_file__open(p->series_path, &series_kind, true, &fd);
	if (!err) {
		p->series = fdopen(fd, "w");
		if (!p->series)
			close(fd);
	}
	if (!p->series) {
		output_file__explain(p->series_path, &series_kind, err ?: -ENOMEM, message,
				     sizeof(message));
		return failure_add(failure, EXIT_FAILED, "%s", message);
	}
	fprintf(p->series,
		"end_s,interval_s,ios,errors,read_bytes,write_bytes,in_flight,late_mean_ns,"
		"intended_p50_ns,intended_p99_ns,submitted_p50_ns,submitted_p99_ns%s\n",
		p->job_count > 1 ? ",source,target" : "");
	return 0;
}

static void watch(struct replay_progress *p, struct engine_options *engine)
{
	bool rounds = p->series_path || p->figure;

	if (!rounds && !progress_enabled())
		return;
	p->ramp_ns = engine->ramp_ns;
	engine->progress = observe;
	engine->progress_context = p;
	engine->progress_interval_ns = rounds ? p->round_ns : PROGRESS_INTERVAL_NS;
}

static void watch_job(struct replay_progress *p, unsigned int i,
		      const struct replay_playing_job *playing)
{
	p->jobs[i] = (struct progress_job){
		.replay = p, .source = playing->source, .target = playing->target};
	if (!p->series_path && !progress_enabled())
		return;
	playing->engine->progress = observe_job;
	playing->engine->progress_context = &p->jobs[i];
	playing->engine->progress_interval_ns = p->series_path ? p->round_ns : PROGRESS_INTERVAL_NS;
}

int replay_progress_start(struct replay_progress *p, const struct replay_playing *playing,
			  struct failure *failure)
{
	p->ios = playing->ios;
	p->duration_ns = playing->duration_ns;
	p->runtime_ns = playing->runtime_ns;
	p->enough = playing->enough;
	p->job_count = playing->job_count;
	if (create_series(p, failure))
		return -1;
	if (p->job_count == 1) {
		watch(p, playing->jobs[0].engine);
		return 0;
	}
	p->jobs = calloc(p->job_count, sizeof(*p->jobs));
	if (!p->jobs)
		return failure_add(failure, EXIT_FAILED, "no memory for the replay");
	pthread_mutex_init(&p->mutex, NULL);
	for (unsigned int i = 0; i < p->job_count; i++)
		watch_job(p, i, &playing->jobs[i]);
	return 0;
}

int replay_progress_end(struct replay_progress *p, struct failure *failure)
{
	bool failed;

	free(p->jobs);
	p->jobs = NULL;
	if (!p->series)
		return 0;
	failed = ferror(p->series);
	failed |= fclose(p->series) != 0;
	p->series = NULL;
	if (!failed)
		return 0;
	return failure_add(failure, EXIT_FAILED, "%s: the series could not be written",
			   p->series_path);
}
