// SPDX-License-Identifier: MIT
#include "commands/profile/operations.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/options.h"
#include "base/units.h"
#include "commands/shared/command.h"
#include "commands/profile/load.h"
#include "commands/shared/profile_files.h"
#include "commands/shared/wall_time.h"
#include "profile/operations/operations.h"
#include "workload/figures/measure.h"

#define FACTOR_MAX    1e6
#define FOOTPRINT_OFF 0.05	   /* a scaled footprint is at most so far off */
#define ALIGN_BYTES   (1ull << 20) /* where the next part of a mix begins */

struct scale_config {
	const char *output;
	struct profile_scale scale; /* 0: not given */
};

static const struct option_def scale_options[] = {
	OPTION(struct scale_config, scale.load, 0, "load", REAL, "X",
	       "generate X times as many IOs in the same time\n(default: 1)"),
	OPTION(struct scale_config, scale.time, 0, "time", REAL, "X",
	       "spread the same IOs over X times the time\n(default: 1)"),
	OPTION(struct scale_config, scale.footprint, 0, "footprint", REAL, "X",
	       "use X times as many blocks, on X times the space\n(default: 1)"),
	OPTION(struct scale_config, output, 'o', "output", TEXT, "PROFILE",
	       "write the profile to this file (default: standard\noutput)"),
	{0},
};

static const struct command_usage scale_usage = {
	.name = "profile scale",
	.synopsis = "PROFILE [--load X] [--time X] [--footprint X] [-o PROFILE]",
	.summary =
		"Makes a workload larger or smaller. --load keeps the mix of sizes, the share of new\n"
		"blocks and the shape of bursts. --footprint scales the distances between uses of a\n"
		"block, too; the IOs are generated, and the footprint is counted: it is within 5 %\n"
		"of X, or refused. Caches of up to half of the footprint miss about as before.",
	.examples = "  blkreel profile scale prod.profile --load 2 -o twice.profile\n",
	.options = scale_options,
};

/* What came out must be within what a profile can say. */
static int write_checked(const struct profile *p, const char *what, const char *output)
{
	char message[PROFILE_MESSAGE_MAX];
	int err;

	if (p->ios > PROFILE_IOS_MAX || p->duration_ns > PROFILE_DURATION_MAX ||
	    p->end_sector > PROFILE_BYTES_MAX / SECTOR_BYTES) {
		pr_err("%s: the result exceeds what a profile can hold (2^40 IOs, 2^56 ns, 2^60 "
		       "bytes)",
		       what);
		return EXIT_USAGE;
	}
	err = profile__check(p, message);
	if (err == -EINVAL) {
		pr_err("%s: the result is not a valid profile: %s", what, message);
		return EXIT_USAGE;
	}
	if (err) {
		pr_err("%s: %s", what, strerror(-err));
		return EXIT_FAILED;
	}
	if (!p->ios)
		pr_warn("%s: no IOs are left: the profile is empty", what);
	return cmd_profile_write(p, output);
}

/* What was not given stays as it is. False: nothing was given. */
static bool take_factors(struct profile_scale *scale)
{
	double *factors[] = {&scale->load, &scale->time, &scale->footprint};
	bool given = false;

	for (unsigned int i = 0; i < sizeof(factors) / sizeof(factors[0]); i++) {
		given |= *factors[i] > 0;
		if (!(*factors[i] > 0))
			*factors[i] = 1;
	}
	return given;
}

/* IOs that mostly touch what is new cannot touch twice as much. */
static int refuse_footprint(const struct profile_touched *touched, double factor, double reached,
			    const char *path)
{
	char blocks[UNITS_TEXT_MAX], different[UNITS_TEXT_MAX];

	if (factor > 1 && touched->different &&
	    (double)touched->different * factor > (double)touched->blocks)
		pr_err("%s: its IOs touch %s blocks of 4 KiB in all, of which %s are different "
		       "already: the footprint can grow to about x%.2f",
		       path, units_count(touched->blocks, blocks),
		       units_count(touched->different, different),
		       (double)touched->blocks / (double)touched->different);
	else
		pr_err("%s: the footprint cannot be scaled to x%g: of several tries the nearest "
		       "came to x%.3f",
		       path, factor, reached);
	return EXIT_USAGE;
}

/* The footprint is counted, and kept within FOOTPRINT_OFF of what was asked. */
static int scale_footprint(struct profile *p, const struct profile_scale *scale, const char *path)
{
	struct profile_touched touched = profile__touched(p);
	struct profile_fit fit;
	int err = profile__fit_footprint(p, scale, &fit);

	if (err == -ERANGE) {
		pr_warn("%s: has more than %llu million IOs, so its footprint was not counted: it "
			"may be a quarter off",
			path, PROFILE_FIT_IOS_MAX / 1000000);
		return EXIT_OK;
	}
	if (err == -ENODATA) {
		pr_err("%s: its IOs touch no blocks", path);
		return EXIT_USAGE;
	}
	if (err) {
		pr_err("%s: %s", path, strerror(-err));
		return EXIT_FAILED;
	}
	if (fabs(fit.footprint / scale->footprint - 1) > FOOTPRINT_OFF)
		return refuse_footprint(&touched, scale->footprint, fit.footprint, path);
	pr_info("footprint x%.3f (asked: x%g). Miss ratios of caches of 1/64 to 1/2 of the footprint "
		"are at most %.2f off; larger caches miss %s often",
		fit.footprint, scale->footprint, fit.misses_apart,
		scale->footprint < 1 ? "less" : "more");
	return EXIT_OK;
}

int cmd_profile_scale(int argc, char **argv)
{
	struct scale_config config = {0};
	struct profile_scale *scale = &config.scale;
	struct profile *profile;
	int first, code;

	if (!cmd_options(&scale_usage, argc, argv, &config, &first, NULL, &code))
		return code;
	if (argc - first != 1)
		return options_usage_error(&scale_usage, "takes one profile, not %d", argc - first);
	if (!take_factors(scale))
		return options_usage_error(&scale_usage,
					   "takes --load, --time or --footprint, or several of "
					   "them");
	if (scale->load > FACTOR_MAX || scale->time > FACTOR_MAX || scale->footprint > FACTOR_MAX)
		return options_usage_error(&scale_usage, "factors go to %.0f", FACTOR_MAX);
	code = cmd_profile_load(argv[first], &profile);
	if (code)
		return code;
	if (scale->footprint < 1 || scale->footprint > 1)
		code = cmd_profile_need_device(profile, argv[first], "--footprint");
	if (!code) {
		if (scale->footprint < 1 || scale->footprint > 1)
			code = scale_footprint(profile, scale, argv[first]);
		else
			profile__scale(profile, scale);
	}
	if (!code)
		code = write_checked(profile, argv[first], config.output);
	profile__free(profile);
	return code;
}

struct mix_config {
	const char *output;
	bool same_addresses;
};

static const struct option_def mix_options[] = {
	OPTION(struct mix_config, same_addresses, 0, "same-addresses", FLAG, NULL,
	       "keep all parts at their addresses, one over the\nother (default: one after the other)"),
	OPTION(struct mix_config, output, 'o', "output", TEXT, "PROFILE",
	       "write the profile to this file (default: standard\noutput)"),
	{0},
};

static const struct command_usage mix_usage = {
	.name = "profile mix",
	.synopsis = "PROFILE[=LOAD]... [OPTIONS]",
	.summary =
		"Mixes several workloads that share a device. Each has its own part of the device,\n"
		"one after the other, and its own rate, times LOAD. Shorter workloads are repeated\n"
		"until the longest ends.",
	.examples = "  blkreel profile mix web.profile mail.profile=0.5 oltp -o shared.profile\n",
	.options = mix_options,
};

/* "PROFILE=LOAD": loads and scales it. */
static int load_part(const char *word, struct profile **profile)
{
	struct profile_scale scale = {1, 1, 1};
	char path[4096];
	const char *equals = strrchr(word, '=');
	size_t length = equals ? (size_t)(equals - word) : strlen(word);
	int code;

	if (length >= sizeof(path))
		return options_usage_error(&mix_usage, "'%.40s...' is too long", word);
	memcpy(path, word, length);
	path[length] = 0;
	if (equals && units_parse_real(equals + 1, 1e-6, FACTOR_MAX, &scale.load))
		return options_usage_error(&mix_usage, "'%s': LOAD is a number above 0", word);
	code = cmd_profile_load(path, profile);
	if (!code)
		code = cmd_profile_need_device(*profile, path, "mix");
	if (!code)
		profile__scale(*profile, &scale);
	return code;
}

static int combine_failed(const char *what, int err)
{
	if (err == -ERANGE)
		pr_err("%s: more than %llu million IOs, or beyond what a profile can hold: scale "
		       "it down",
		       what, PROFILE_COMBINE_MAX / 1000000);
	else if (err == -E2BIG)
		pr_err("%s: the parts have more than %d ranges of addresses ([addresses N]) in sum: a "
		       "part that is a mix has several",
		       what, PROFILE_SPACES_MAX);
	else if (err == -ENODATA)
		pr_err("%s: there are no IOs in that time", what);
	else
		pr_err("%s: %s", what, strerror(-err));
	return err == -ENODATA || err == -ERANGE || err == -E2BIG ? EXIT_USAGE : EXIT_FAILED;
}

static void warn_of_lost_loop(const struct profile_part *parts, unsigned int count,
			      const struct profile *result, const char *what)
{
	unsigned int closed = 0;

	for (unsigned int i = 0; i < count; i++)
		closed += parts[i].p->closed.kind_count > 0;
	if (closed && !result->closed.kind_count)
		pr_warn("%s: the result has no closed loop ([closed]): %s", what,
			closed < count
				? "too many of the IOs come from profiles without one; modes "
				  "dependent and depth of replay refuse the result"
				: "it could not be told of these IOs");
}

static int write_combination(const struct profile_part *parts, unsigned int count, uint64_t from_ns,
			     uint64_t to_ns, const char *what, const char *output)
{
	struct profile *result;
	int err = profile__combine(parts, count, from_ns, to_ns, &result), code;

	if (err)
		return combine_failed(what, err);
	warn_of_lost_loop(parts, count, result, what);
	code = write_checked(result, what, output);
	profile__free(result);
	return code;
}

/* One after the other, so that blocks of 4 KiB of one are blocks of all. */
static void place_parts(struct profile_part *parts, unsigned int count)
{
	uint64_t offset = 0;

	for (unsigned int i = 0; i < count; i++) {
		const struct profile *p = parts[i].p;

		parts[i].offset_sectors = offset + (parts[0].p->block_offset_sectors +
						    BLOCK_SECTORS - p->block_offset_sectors) %
							   BLOCK_SECTORS;
		offset = parts[i].offset_sectors +
			 (p->device_bytes ? p->device_bytes : p->end_sector * SECTOR_BYTES) /
				 SECTOR_BYTES;
		offset = (offset + ALIGN_BYTES / SECTOR_BYTES - 1) / (ALIGN_BYTES / SECTOR_BYTES) *
			 (ALIGN_BYTES / SECTOR_BYTES);
	}
}

int cmd_profile_mix(int argc, char **argv)
{
	struct mix_config config = {0};
	struct profile_part parts[PROFILE_PARTS_MAX];
	struct profile *profiles[PROFILE_PARTS_MAX] = {NULL};
	unsigned int count;
	int first, code;

	if (!cmd_options(&mix_usage, argc, argv, &config, &first, NULL, &code))
		return code;
	count = (unsigned int)(argc - first);
	if (count < 1 || count > PROFILE_PARTS_MAX)
		return options_usage_error(&mix_usage, "takes 1 to %d profiles, not %u",
					   PROFILE_PARTS_MAX, count);
	for (unsigned int i = 0; i < count && !code; i++) {
		code = load_part(argv[first + (int)i], &profiles[i]);
		parts[i] = (struct profile_part){profiles[i], 0};
	}
	if (!code && !config.same_addresses)
		place_parts(parts, count);
	if (!code)
		code = write_combination(parts, count, 0, UINT64_MAX, "mix", config.output);
	for (unsigned int i = 0; i < count; i++)
		profile__free(profiles[i]);
	return code;
}

struct slice_config {
	const char *output;
	const char *from, *to; /* NULL: the start, the end */
	uint64_t busiest_ns, from_ns, to_ns, phase;
};

static const struct option_def slice_options[] = {
	OPTION(struct slice_config, busiest_ns, 0, "busiest", TIME, "TIME",
	       "keep the TIME with the most IOs"),
	OPTION(struct slice_config, phase, 0, "phase", COUNT, "N", "keep this phase, from 1",
	       .min = 1, .max = PROFILE_PHASES_MAX),
	OPTION(struct slice_config, from, 0, "from", TEXT, "TIME",
	       "drop what comes before TIME, counted from the first\n"
	       "IO, or of the clock: 15:04:05, 2026-11-21T15:04\n(default: 0)"),
	OPTION(struct slice_config, to, 0, "to", TEXT, "TIME",
	       "drop what comes from TIME on (default: the end)"),
	OPTION(struct slice_config, output, 'o', "output", TEXT, "PROFILE",
	       "write the profile to this file (default: standard\noutput)"),
	{0},
};

static const struct command_usage slice_usage = {
	.name = "profile slice",
	.synopsis = "PROFILE (--busiest TIME | --phase N | [--from TIME] [--to TIME]) [-o PROFILE]",
	.summary = "Makes a profile of a part of the time of a profile.",
	.examples = "  blkreel profile slice prod.profile --busiest 5m -o peak.profile\n",
	.options = slice_options,
};

/* Sets the range that the options name; negative errno. The phase exists. */
static int choose_time(struct slice_config *config, const struct profile *p)
{
	int err = 0;

	if (config->phase) {
		config->from_ns = p->duration_ns / p->phase_count * (config->phase - 1);
		config->to_ns = config->phase == p->phase_count
					? UINT64_MAX
					: p->duration_ns / p->phase_count * config->phase;
	} else if (config->busiest_ns) {
		err = profile__busiest(p, config->busiest_ns, &config->from_ns);
		config->to_ns = config->busiest_ns < UINT64_MAX - config->from_ns
					? config->from_ns + config->busiest_ns
					: UINT64_MAX;
	}
	return err;
}

static int write_slice(struct slice_config *config, const struct profile_part *part,
		       const char *path)
{
	int err = choose_time(config, part->p);

	if (err)
		return combine_failed(path, err);
	return write_combination(part, 1, config->from_ns, config->to_ns, path, config->output);
}

static int set_wall_times(struct slice_config *config, const struct profile *p, const char *path)
{
	const struct wall_span span = {p->start_wall_ns, p->duration_ns};
	int code = wall_time_options_set(&slice_usage, path, &span, config->from, &config->from_ns,
					 config->to, &config->to_ns);

	if (!code && config->from_ns >= config->to_ns)
		code = options_usage_error(&slice_usage, "--from is not before --to");
	return code;
}

int cmd_profile_slice(int argc, char **argv)
{
	struct slice_config config = {.to_ns = UINT64_MAX};
	struct profile_part part = {0};
	struct profile *profile;
	int first, code;

	if (!cmd_options(&slice_usage, argc, argv, &config, &first, NULL, &code))
		return code;
	if (argc - first != 1)
		return options_usage_error(&slice_usage, "takes one profile, not %d", argc - first);
	if (!!config.busiest_ns + !!config.phase + (config.from || config.to) != 1)
		return options_usage_error(&slice_usage,
					   "takes --busiest, --phase, or --from and --to");
	if (wall_time_option_check(&slice_usage, "from", config.from, &config.from_ns) ||
	    wall_time_option_check(&slice_usage, "to", config.to, &config.to_ns))
		return EXIT_USAGE;
	if (config.from_ns >= config.to_ns)
		return options_usage_error(&slice_usage, "--from is not before --to");
	code = cmd_profile_load(argv[first], &profile);
	if (code)
		return code;
	part.p = profile;
	code = cmd_profile_need_device(profile, argv[first], "slice");
	if (!code)
		code = set_wall_times(&config, profile, argv[first]);
	if (!code && config.phase > profile->phase_count)
		code = options_usage_error(&slice_usage, "--phase %llu: there are only %u",
					   (unsigned long long)config.phase, profile->phase_count);
	else if (!code)
		code = write_slice(&config, &part, argv[first]);
	profile__free(profile);
	return code;
}
