// SPDX-License-Identifier: MIT
#include "commands/replay/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "base/units.h"
#include "commands/shared/command.h"

#define PROGRESS_INTERVAL_NS (200 * NSEC_PER_MSEC)

struct shown {
	uint64_t completed, elapsed_ns, due_ns, late_ns;
	double per_second;
};

static double per_second(uint64_t count, const struct engine_progress *p)
{
	return (double)count * 1e9 / (double)p->interval_ns;
}

static void show_progress(const struct replay_watch *watch, const struct shown *p)
{
	char done[UNITS_TEXT_MAX], ios[UNITS_TEXT_MAX], rate[UNITS_TEXT_MAX], late[UNITS_TEXT_MAX],
		left[UNITS_TEXT_MAX];
	double share = watch->ios ? (double)p->completed / (double)watch->ios : 1;
	uint64_t left_ns;

	if (share > 1)
		share = 1;
	if (watch->duration_ns > p->due_ns)
		left_ns = watch->duration_ns - p->due_ns;
	else
		left_ns = share > 0 ? (uint64_t)((double)p->elapsed_ns * (1 / share - 1)) : 0;
	progress("replay: %s of %s IOs (%.0f %%), %s IOs/s, late by %s, %s left",
		 units_count(p->completed, done), units_count(watch->ios, ios), 100 * share,
		 units_count((uint64_t)p->per_second, rate), units_time(p->late_ns, late),
		 units_time(left_ns, left));
}

static void write_row(struct replay_watch *watch, const struct engine_progress *p)
{
	fprintf(watch->series,
		"%.6f,%.6f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu64
		",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
		(double)p->elapsed_ns / 1e9, (double)p->interval_ns / 1e9, p->ios, p->errors,
		p->read_bytes, p->write_bytes, p->in_flight, p->late_ns,
		histogram_percentile(p->intended_ns, 50), histogram_percentile(p->intended_ns, 99),
		histogram_percentile(p->submitted_ns, 50),
		histogram_percentile(p->submitted_ns, 99));
}

/* A round that the end of the replay cut short says nothing of the device. */
static void judge(struct replay_watch *watch, const struct engine_progress *p)
{
	if (p->last)
		return;
	steady__add(&watch->steady, steady_figure_value(watch->figure, p));
	steady__judge(&watch->steady, &watch->verdict);
	watch->is_steady = watch->verdict.reached;
	if (watch->is_steady)
		*watch->stop = true;
}

static void observe(const struct engine_progress *p, void *context)
{
	struct replay_watch *watch = context;

	if (progress_enabled()) {
		struct shown shown = {p->completed, p->elapsed_ns, p->due_ns, p->late_ns,
				      per_second(p->ios, p)};

		show_progress(watch, &shown);
	}
	if (watch->series) {
		write_row(watch, p);
		fputc('\n', watch->series);
	}
	if (watch->figure)
		judge(watch, p);
}

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

static void write_lane_row(const struct replay_watch_lane *lane, const struct engine_progress *p)
{
	FILE *series = lane->watch->series;

	write_row(lane->watch, p);
	write_field(series, lane->source);
	write_field(series, lane->target);
	fputc('\n', series);
}

/* Called by the threads of all engines. What the whole waits for is the last of them. */
static void observe_lane(const struct engine_progress *p, void *context)
{
	struct replay_watch_lane *lane = context;
	struct replay_watch *watch = lane->watch;
	struct shown shown = {.elapsed_ns = p->elapsed_ns};

	pthread_mutex_lock(&watch->mutex);
	lane->completed = p->completed;
	lane->due_ns = p->due_ns;
	lane->late_ns = p->last ? 0 : p->late_ns;
	lane->per_second = p->last ? 0 : per_second(p->ios, p);
	for (unsigned int i = 0; i < watch->lane_count; i++) {
		const struct replay_watch_lane *other = &watch->lanes[i];

		shown.completed += other->completed;
		shown.per_second += other->per_second;
		if (other->due_ns > shown.due_ns)
			shown.due_ns = other->due_ns;
		if (other->late_ns > shown.late_ns)
			shown.late_ns = other->late_ns;
	}
	if (watch->series)
		write_lane_row(lane, p);
	if (progress_enabled())
		show_progress(watch, &shown);
	pthread_mutex_unlock(&watch->mutex);
}

void replay_watch_start_lane(struct replay_watch *watch, unsigned int lane,
			     struct engine_options *engine)
{
	if (!progress_enabled() && !watch->series)
		return;
	watch->lanes[lane].watch = watch;
	engine->progress = observe_lane;
	engine->progress_context = &watch->lanes[lane];
	engine->progress_interval_ns = watch->series ? watch->round_ns : PROGRESS_INTERVAL_NS;
}

static int open_series(struct replay_watch *watch, const char *more_columns)
{
	if (!watch->series_path)
		return EXIT_OK;
	watch->series = fopen(watch->series_path, "wxe");
	if (!watch->series) {
		pr_err("%s: cannot create it: %s", watch->series_path, strerror(errno));
		return EXIT_FAILED;
	}
	fprintf(watch->series,
		"end_s,interval_s,ios,errors,read_bytes,write_bytes,in_flight,late_mean_ns,"
		"intended_p50_ns,intended_p99_ns,submitted_p50_ns,submitted_p99_ns%s\n",
		more_columns);
	return EXIT_OK;
}

int replay_watch_start_lanes(struct replay_watch *watch)
{
	return open_series(watch, ",source,target");
}

int replay_watch_start(struct replay_watch *watch, struct engine_options *engine)
{
	bool rounds = watch->series_path || watch->figure;
	int code = open_series(watch, "");

	if (code)
		return code;
	if (!rounds && !progress_enabled())
		return EXIT_OK;
	engine->progress = observe;
	engine->progress_context = watch;
	engine->progress_interval_ns = rounds ? watch->round_ns : PROGRESS_INTERVAL_NS;
	return EXIT_OK;
}

int replay_watch_end(struct replay_watch *watch)
{
	bool failed;

	if (!watch->series)
		return EXIT_OK;
	failed = ferror(watch->series);
	failed |= fclose(watch->series) != 0;
	watch->series = NULL;
	if (!failed)
		return EXIT_OK;
	pr_err("%s: the series could not be written", watch->series_path);
	return EXIT_FAILED;
}
