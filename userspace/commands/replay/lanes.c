// SPDX-License-Identifier: MIT
#include "commands/replay/lanes.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "commands/shared/command.h"
#include "commands/replay/confirm.h"

static void plan_options_from(const struct replay_config *config, const struct replay_input *input,
			      struct plan_options *plan_options)
{
	*plan_options = (struct plan_options){
		.write = config->write || config->stamp.verify,
		.reads_only = config->reads_only,
		.unsupported = config->unsupported,
		.source_bytes = input->device_bytes,
		.source_zone_bytes = input->zone_bytes,
	};
	if (config->fit != FIT_NOT_SAID)
		plan_options->fit = REPLAY_FIT_WRAP + config->fit;
}

static int check_request(const struct replay_config *config, struct replay_lane *lane, bool several)
{
	const struct replay_input *input = lane->input;
	char message[PLAN_MESSAGE_MAX];
	int err;

	plan_options_from(config, input, &lane->plan_options);
	err = plan__request(&input->survey, &lane->plan_options, &lane->request, message);
	lane->request.writes &= !config->stamp.verify;
	if (!err)
		return replay_chain_check(input, config->mode);
	pr_err("%s%s%s%s: %s", err == -EPERM ? "refused: " : "", input->path, several ? ", " : "",
	       several ? input->device_name : "", message);
	return err == -EPERM ? EXIT_REFUSED : EXIT_BAD_INPUT;
}

/* Targets ------------------------------------------------------------------------------------ */

static bool same_file(const char *a, const char *b)
{
	struct stat first, second;

	return !stat(a, &first) && !stat(b, &second) && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

static bool same_target(const char *a, const char *b)
{
	return !strcmp(a, b) || same_file(a, b);
}

/* True when a lane that shares this one's target changes what is stored. */
static bool is_written(const struct replay_lanes *lanes, const struct replay_lane *lane)
{
	bool writes = lane->request.writes;

	for (unsigned int i = 0; i < lanes->count; i++)
		writes |= lanes->items[i].request.writes &&
			  same_target(lanes->items[i].target_path, lane->target_path);
	return writes;
}

/* The same for operations on zones. */
static bool has_zones(const struct replay_lanes *lanes, const struct replay_lane *lane)
{
	bool zones = false;

	for (unsigned int i = 0; i < lanes->count; i++)
		zones |= (lanes->items[i].input->survey.ops[REPLAY_ZONE] ||
			  lanes->items[i].input->zone_bytes) &&
			 same_target(lanes->items[i].target_path, lane->target_path);
	return zones;
}

static int open_target(const struct replay_config *config, const struct replay_lanes *lanes,
		       struct replay_lane *lane)
{
	struct target_options target_options = {
		.path = lane->target_path,
		.writes = is_written(lanes, lane),
		.buffered = config->buffered,
		.zones = has_zones(lanes, lane),
		.create_bytes = config->create_bytes,
		.forced_signatures = config->force.items,
		.forced_count = config->force.count,
	};
	struct refusal why;
	int err;

	if (same_file(lane->target_path, lane->input->path)) {
		pr_err("refused: %s is the source itself: choose another target",
		       lane->target_path);
		return EXIT_REFUSED;
	}
	err = target__open(&target_options, &lane->target, &why);
	if (!err)
		return EXIT_OK;
	pr_err("%s%s", why.rule == SAFETY_NO_RULE ? "" : "refused: ", why.text);
	if (why.rule != SAFETY_NO_RULE)
		return EXIT_REFUSED;
	return err == -EACCES || err == -EPERM ? EXIT_PRIVILEGE : EXIT_FAILED;
}

/* -o replaces a trace, which must not be one that this replay needs. */
static int check_output(const struct replay_config *config, const struct replay_lane *lane)
{
	const char *what = NULL;

	if (config->output && same_file(config->output, lane->input->path))
		what = "source";
	else if (config->output && target__is_named(lane->target, config->output))
		what = "target";
	if (!what)
		return EXIT_OK;
	pr_err("refused: %s is the %s itself: choose another name with -o", config->output, what);
	return EXIT_REFUSED;
}

/* A target that a lane before has is the same one. */
static int take_target(const struct replay_config *config, struct replay_lanes *lanes,
		       struct replay_lane *lane)
{
	int code;

	for (unsigned int i = 0; i < lanes->target_count; i++) {
		if (!same_target(target__info(lanes->targets[i])->path, lane->target_path))
			continue;
		lane->target = lanes->targets[i];
		return check_output(config, lane);
	}
	code = open_target(config, lanes, lane);
	if (code)
		return code;
	lanes->targets[lanes->target_count++] = lane->target;
	return check_output(config, lane);
}

/* Plans -------------------------------------------------------------------------------------- */

static int make_plan(const struct replay_config *config, struct replay_lane *lane)
{
	struct target_info info = *target__info(lane->target);
	const char *reasons[REPLAY_OP_COUNT] = {NULL};
	char message[PLAN_MESSAGE_MAX];
	int code;

	if (lane->plan_options.fit == REPLAY_FIT_COMPACT) {
		code = replay_chain_footprint(lane->input, lane->request.ops, &lane->footprint);
		if (code)
			return code;
		lane->plan_options.footprint = lane->footprint;
	}
	for (unsigned int op = 0; op < REPLAY_OP_COUNT; op++)
		target__supports(lane->target, op, &reasons[op]);
	if (lane->plan_options.fit != REPLAY_FIT_NONE)
		reasons[REPLAY_ZONE] = "--fit does not keep zones";
	if (config->stamp.stamp || config->stamp.verify)
		reasons[REPLAY_ZONE] = "--stamp and --verify know no zones";
	if (info.zone_bytes && info.buffered && info.writes) {
		pr_err("refused: %s has zones, which have to be written in order, and the page "
		       "cache writes as it likes: leave --buffered out",
		       info.path);
		return EXIT_REFUSED;
	}
	replay_stamp_target(&config->stamp, &info);
	if (!plan__create(&lane->input->survey, &lane->plan_options, &info, reasons, &lane->plan,
			  message))
		return EXIT_OK;
	pr_err("refused: %s", message);
	return EXIT_REFUSED;
}

static int check_polled(const struct replay_config *config, const struct replay_lane *lane)
{
	const struct target_info *info = target__info(lane->target);

	if (!config->iopoll || info->polled)
		return EXIT_OK;
	pr_err("refused: %s has no queues that can be polled: load its driver with some "
	       "(nvme.poll_queues=2 on the kernel's command line; virtio_blk and null_blk have the "
	       "same parameter), or leave out --iopoll",
	       info->path);
	return EXIT_REFUSED;
}

int replay_lanes_prepare(const struct replay_config *config, struct replay_lanes *lanes)
{
	bool writes = false;
	int code = EXIT_OK;

	for (unsigned int i = 0; i < lanes->count && !code; i++) {
		code = check_request(config, &lanes->items[i], lanes->count > 1);
		writes |= lanes->items[i].request.writes;
	}
	for (unsigned int i = 0; i < lanes->count && !code; i++)
		code = take_target(config, lanes, &lanes->items[i]);
	for (unsigned int i = 0; i < lanes->count && !code; i++)
		code = check_polled(config, &lanes->items[i]);
	for (unsigned int i = 0; i < lanes->count && !code; i++)
		code = make_plan(config, &lanes->items[i]);
	if (!code && writes)
		code = replay_confirm(&config->yes_destroy, lanes->targets, lanes->target_count);
	for (unsigned int i = 0; i < lanes->target_count && !code; i++)
		if (!target__info(lanes->targets[i])->direct && !config->buffered &&
		    !config->stamp.verify)
			pr_warn("%s: no O_DIRECT here, the page cache takes part in what is "
				"measured",
				target__info(lanes->targets[i])->path);
	return code;
}

void replay_lanes_close(struct replay_lanes *lanes, bool played)
{
	for (unsigned int i = 0; i < lanes->target_count; i++) {
		if (played)
			target__free(lanes->targets[i]);
		else
			target__abandon(lanes->targets[i]);
	}
	for (unsigned int i = 0; i < lanes->count; i++)
		footprint__free(lanes->items[i].footprint);
}
