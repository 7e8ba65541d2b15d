// SPDX-License-Identifier: MIT
#include "commands/replay/config.h"

#include <errno.h>
#include <time.h>

#include "base/exit_codes.h"
#include "base/units.h"
#include "commands/shared/command.h"
#include "commands/shared/explained_trace.h"
#include "commands/shared/wall_time.h"
#include "profile/profile.h"
#include "replay/engine/options.h"
#include "replay/files/tree.h"
#include "trace/streams/left_out.h"

#define IODEPTH_OPEN 1024
#define IODEPTH_ASAP 32
/* With --sqpoll in time: a burst that waits for the thread of the kernel must not hold up the next IO. */
#define IODEPTH_SQPOLL 4096

/* The buffers of a replay alone take some 30 MB of it. */
#define MEMORY_MIN_BYTES (64ull << 20)
/* A replay on files has no buffers to speak of. */
#define FILES_MEMORY_MIN_BYTES (16ull << 20)

const struct replay_config replay_config_default = {
	.options = {.fit = REPLAY_NOT_GIVEN,
		    .cache = REPLAY_NOT_GIVEN,
		    .seed = REPLAY_NO_SEED,
		    .content.dedup_pct = REPLAY_DEDUP_ABSENT,
		    .rounds = 1,
		    .workers = 1},
	.duration_ns = UINT64_MAX,
	.round_ns = NSEC_PER_SEC,
};

/* Each of these returns what is wrong, or NULL. */

static const char *check_workers(const struct replay_config *config)
{
	const struct replay_options *o = &config->options;

	if (o->workers == 1)
		return NULL;
	if (config->files)
		return "--workers has no meaning with --files, where each task has a thread";
	if (config->map.count > 1)
		return "--workers works with one target: leave it out, or use one --map";
	if (o->mode == ENGINE_DEPTH || o->mode == ENGINE_DEPENDENT)
		return "--workers does not work in this mode, in which IOs wait for completions: "
		       "use --mode timed or asap";
	if (o->buffered || o->sqpoll || o->iopoll)
		return "--workers does not work with --buffered, --sqpoll or --iopoll: leave them "
		       "out";
	return NULL;
}

/* An option that a replay of requests has and one of --files has not. */
static bool has_request_option(const struct replay_config *config)
{
	const struct replay_options *o = &config->options;

	return config->target || config->map.count || config->source || o->spin || o->priority ||
	       o->sqpoll || o->iopoll || o->iodepth || o->batch || o->fit != REPLAY_NOT_GIVEN ||
	       o->rounds > 1 || o->ramp_ns || config->series || config->until_steady ||
	       config->histograms || o->dry_run || o->start_epoch_s > 0 || o->reads_only ||
	       config->yes_destroy.count || o->force.count || o->create_bytes || o->unsupported ||
	       o->content.compressible_pct || o->content.dedup_pct != REPLAY_DEDUP_ABSENT ||
	       o->stamp.stamp || o->stamp.verify || o->stamp.after_crash;
}

static const char *check_files(const struct replay_config *config)
{
	const struct replay_options *o = &config->options;

	if (!config->files)
		return NULL;
	if (o->buffered)
		return "--files uses the page cache in any case: leave --buffered out";
	if (has_request_option(config))
		return "--files goes with --cache, --memory, --mode, --speed, --from, --to, "
		       "--duration, --runtime, --seed, --on-error, --write, --output and --json, and with "
		       "nothing else";
	if (o->mode != ENGINE_TIMED && o->mode != ENGINE_ASAP)
		return "--files works in the modes timed and asap only";
	if (o->memory_bytes && o->memory_bytes < FILES_MEMORY_MIN_BYTES)
		return "--memory must be at least 16M, of which the replay itself needs a part";
	return NULL;
}

static const char *check_buffered(const struct replay_config *config)
{
	const struct replay_options *o = &config->options;

	if (config->files)
		return NULL;
	if (!o->buffered)
		return o->memory_bytes || o->cache != REPLAY_NOT_GIVEN
			       ? "--cache and --memory need --files or --buffered"
			       : NULL;
	if (o->cache == FILE_CACHE_AS_RECORDED)
		return "--cache as-recorded needs --files: requests of a device are those that its "
		       "page cache missed, and do not show what was in it; use cold or warm";
	if (o->iopoll)
		return "--iopoll polls the device, and --buffered uses the page cache: leave one "
		       "of them out";
	if (o->stamp.stamp || o->stamp.verify)
		return "--stamp and --verify check what is on the target, not in the page cache: "
		       "leave --buffered out";
	if (o->memory_bytes && o->memory_bytes < MEMORY_MIN_BYTES)
		return "--memory must be at least 64M with --buffered: the replay itself needs a "
		       "part of it";
	if (o->memory_bytes && o->output)
		return "--memory would limit the recorder of --output, too: leave --output out and "
		       "record from outside, 'blkreel record -d DEVICE -o FILE -- blkreel replay "
		       "...'";
	return NULL;
}

static const char *check_targets(const struct replay_config *config)
{
	if (config->files)
		return NULL;
	if (!config->target && !config->map.count)
		return "--target or --map is needed: what to play onto";
	if (config->target && config->map.count)
		return "--target and --map exclude each other";
	if (config->source && config->map.count)
		return "--source has no meaning with --map, which names the recorded device itself";
	if (config->map.count > 1 && config->until_steady)
		return "--until-steady works with one target: leave it out, or use one --map";
	return NULL;
}

static const char *check_stamp(const struct replay_config *config)
{
	const struct replay_options *o = &config->options;
	const struct replay_stamp_options *stamp = &o->stamp;

	if ((stamp->stamp || stamp->verify) && config->map.count > 1)
		return "--stamp and --verify work with one target: use one --map";
	if (stamp->stamp && stamp->verify)
		return "--stamp and --verify exclude each other: the first writes, the second "
		       "reads";
	if (stamp->stamp && !o->write)
		return "--stamp needs --write";
	if (stamp->stamp && o->mode == ENGINE_DEPENDENT)
		return "--stamp needs writes in the order of the source, which mode dependent does "
		       "not keep";
	if (stamp->stamp && o->content.dedup_pct != REPLAY_DEDUP_ABSENT)
		return "--stamp and --dedup exclude each other: no two stamped blocks are the same";
	if (stamp->verify && o->write)
		return "--verify only reads: leave --write out";
	if (stamp->after_crash && !stamp->verify)
		return "--after-crash needs --verify";
	return NULL;
}

static const char *check_writes(const struct replay_config *config)
{
	const struct replay_options *o = &config->options;

	if (o->write && o->reads_only)
		return "--write and --reads-only exclude each other";
	if (o->iopoll && o->sqpoll)
		return "--iopoll and --sqpoll exclude each other";
	if (config->yes_destroy.count && !o->write)
		return "--yes-destroy needs --write";
	if (o->force.count && !o->write)
		return "--force needs --write";
	if (!config->round_ns)
		return "--round must not be 0";
	if (o->dry_run && o->create_bytes)
		return "--dry-run makes no file, so there is no target to check: a file of "
		       "--create-size is new, and no data can be lost";
	if (config->histograms && !config->json)
		return "--histograms needs --json";
	if (o->runtime_ns && o->ramp_ns >= o->runtime_ns)
		return "--ramp leaves nothing of --runtime to count: make --runtime longer";
	return NULL;
}

static const char *check_without(const struct replay_config *config)
{
	const struct replay_stamp_options *stamp = &config->options.stamp;

	if (config->without.count && config->files)
		return "--without has no meaning with --files";
	if (config->without.count && (stamp->stamp || stamp->verify))
		return "--without does not go with --stamp and --verify, which count all writes";
	return NULL;
}

/* These print, and return an exit code. */

static int check_verify(const struct replay_config *config, const struct command_usage *usage)
{
	const struct replay_options *o = &config->options;
	const struct {
		bool given;
		const char *name;
	} options[] = {
		{o->mode != ENGINE_TIMED, "mode"},
		{o->speed > 0, "speed"},
		{o->spin, "spin"},
		{o->priority, "priority"},
		{o->start_epoch_s > 0, "sync-start"},
		{o->iodepth, "iodepth"},
		{o->workers > 1, "workers"},
		{o->batch, "batch"},
		{o->sqpoll, "sqpoll"},
		{o->iopoll, "iopoll"},
		{o->content.compressible_pct, "compressibility"},
		{o->content.dedup_pct != REPLAY_DEDUP_ABSENT, "dedup"},
		{o->create_bytes, "create-size"},
		{o->on_error, "on-error"},
		{o->ramp_ns, "ramp"},
		{o->runtime_ns, "runtime"},
		{config->until_steady, "until-steady"},
		{config->series, "series"},
		{o->output, "output"},
		{config->histograms, "histograms"},
		{o->dry_run, "dry-run"},
	};

	for (unsigned int i = 0; i < sizeof(options) / sizeof(options[0]) && o->stamp.verify; i++)
		if (options[i].given)
			return options_usage_error(
				usage, "--%s has no meaning with --verify, which replays nothing",
				options[i].name);
	return EXIT_OK;
}

static int check_parties(const struct replay_config *config, const struct command_usage *usage)
{
	struct left_out *left_out = NULL;
	const char *wrong = "";
	int err = left_out__create(config->without.items, config->without.count, &left_out, &wrong);

	left_out__free(left_out);
	if (err == -EINVAL)
		return options_usage_error(
			usage,
			"--without '%s': not task=NAME, cgroup=PATH or file=NAME, such as task=dd",
			wrong);
	return EXIT_OK;
}

static int check_start(const struct replay_config *config, const struct command_usage *usage)
{
	double start_s = config->options.start_epoch_s;

	if (start_s > 0 && start_s < (double)time(NULL))
		return options_usage_error(usage, "--sync-start is in the past: it is %lld now",
					   (long long)time(NULL));
	/* The clocks count ns in 64 bits: a later time would wrap into the past. */
	if (start_s >= (double)INT64_MAX / NSEC_PER_SEC)
		return options_usage_error(usage,
					   "--sync-start is beyond the year 2262: it is %lld now",
					   (long long)time(NULL));
	return EXIT_OK;
}

/* When the time of a trace or of a profile begins, and how long it is. */
static int read_span(const char *path, struct wall_span *span)
{
	char profile_message[PROFILE_MESSAGE_MAX];
	const char *message = NULL;
	struct trace_reader *reader;
	struct profile *profile;
	int err = trace_reader__open(path, &reader, &message);

	*span = (struct wall_span){0};
	if (!err) {
		span->start_ns = trace_reader__host(reader)->start_wall_ns;
		trace_reader__free(reader);
		return cmd_trace_duration(path, &span->length_ns);
	}
	if ((err != -EINVAL && err != -ENOENT) || profile__load(path, &profile, profile_message))
		return cmd_open_error(path, err, message);
	*span = (struct wall_span){profile->start_wall_ns, profile->duration_ns};
	profile__free(profile);
	return EXIT_OK;
}

static int set_wall_times(const struct replay_config *config, const struct command_usage *usage,
			  const char *path, struct replay_window *window)
{
	struct wall_span span;
	int code;

	if (!wall_time_given(config->from) && !wall_time_given(config->to))
		return EXIT_OK;
	code = read_span(path, &span);
	if (code)
		return code;
	return wall_time_options_set(usage, path, &span, config->from, &window->from_ns, config->to,
				     &window->to_ns);
}

int replay_config_window(const struct replay_config *config, const struct command_usage *usage,
			 const char *path, struct replay_window *window)
{
	uint64_t end_ns;
	int code;

	*window = (struct replay_window){.to_ns = UINT64_MAX,
					 .without = config->without.items,
					 .without_count = config->without.count};
	if (wall_time_option_check(usage, "from", config->from, &window->from_ns) ||
	    wall_time_option_check(usage, "to", config->to, &window->to_ns))
		return EXIT_USAGE;
	code = set_wall_times(config, usage, path, window);
	if (code)
		return code;
	if (!__builtin_add_overflow(window->from_ns, config->duration_ns, &end_ns) &&
	    end_ns < window->to_ns)
		window->to_ns = end_ns;
	if (window->to_ns <= window->from_ns)
		return options_usage_error(usage, "the time asked for is empty: see --from, --to "
						  "and --duration");
	return EXIT_OK;
}

static uint64_t default_depth(const struct replay_options *o)
{
	if (o->mode == ENGINE_ASAP)
		return IODEPTH_ASAP;
	return o->sqpoll && o->mode == ENGINE_TIMED ? IODEPTH_SQPOLL : IODEPTH_OPEN;
}

static int check_depth(struct replay_options *o, const struct command_usage *usage)
{
	o->iodepth_given = o->iodepth > 0;
	if (!o->iodepth)
		o->iodepth = default_depth(o);
	if (o->batch && o->mode != ENGINE_ASAP)
		return options_usage_error(usage, "--batch has no meaning in mode %s",
					   engine_mode_names[o->mode]);
	if (o->batch && o->iopoll)
		return options_usage_error(usage, "--batch has no meaning with --iopoll");
	if (o->workers > o->iodepth)
		return options_usage_error(
			usage, "--workers %llu: only %s %s in flight (--iodepth)",
			(unsigned long long)o->workers, COUNTED_TEXT(o->iodepth, "IO"),
			o->iodepth == 1 ? "is" : "are");
	if (o->batch > o->iodepth)
		return options_usage_error(usage, "--batch %llu: only %s %s in flight (--iodepth)",
					   (unsigned long long)o->batch,
					   COUNTED_TEXT(o->iodepth, "IO"),
					   o->iodepth == 1 ? "is" : "are");
	return EXIT_OK;
}

static int check_speed(struct replay_options *o, const struct command_usage *usage)
{
	if (o->speed > 0 && !engine_mode__has_due(o->mode))
		return options_usage_error(usage, "--speed has no meaning in mode %s",
					   engine_mode_names[o->mode]);
	if (!(o->speed > 0))
		o->speed = 1;
	return EXIT_OK;
}

int replay_config_check(struct replay_config *config, const struct command_usage *usage)
{
	static const char *(*const checks[])(const struct replay_config *) = {
		check_workers, check_files,  check_buffered, check_targets,
		check_stamp,   check_writes, check_without};
	struct replay_options *o = &config->options;

	for (unsigned int i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		const char *wrong = checks[i](config);

		if (wrong)
			return options_usage_error(usage, "%s", wrong);
	}
	if (check_verify(config, usage) || check_speed(o, usage) || check_start(config, usage) ||
	    check_parties(config, usage))
		return EXIT_USAGE;
	return check_depth(o, usage);
}
