// SPDX-License-Identifier: MIT
#include "replay/plan/plan.h"

#include <errno.h>
#include <stdio.h>

#include "base/units.h"

#define OP_BIT(op) (1u << (op))

static uint32_t ops_to_play(const struct replay_survey *survey, const struct plan_options *options)
{
	uint32_t ops = 0;

	for (unsigned int op = 0; op < REPLAY_OP_COUNT; op++)
		if (survey->ops[op] && (op == REPLAY_READ || !options->reads_only))
			ops |= OP_BIT(op);
	return ops;
}

int plan__request(const struct replay_survey *survey, const struct plan_options *options,
		  struct plan_request *request, char message[PLAN_MESSAGE_MAX])
{
	char changes[UNITS_TEXT_MAX];

	*request = (struct plan_request){.ops = ops_to_play(survey, options)};
	for (unsigned int op = 0; op < REPLAY_OP_COUNT; op++) {
		if (!(request->ops & OP_BIT(op)))
			continue;
		request->ios += survey->ops[op];
		request->writes |= replay_op_changes_data(op);
	}
	if (!request->ios) {
		snprintf(message, PLAN_MESSAGE_MAX,
			 survey->ios ? "it holds no reads: leave --reads-only out"
				     : "it holds no requests to replay (in the time asked for)");
		return -ENODATA;
	}
	if (request->writes && !options->write) {
		snprintf(
			message, PLAN_MESSAGE_MAX,
			"%s of its %s change%s data: add --write to allow that, or --reads-only to "
			"leave them out",
			units_count(replay_survey__changes(survey), changes),
			COUNTED_TEXT(survey->ios, "IO"),
			replay_survey__changes(survey) == 1 ? "s" : "");
		return -EPERM;
	}
	return 0;
}

/* The nearest op that has at least the effect of `op`; 0 when there is none. */
static unsigned int substitute(enum replay_op op, const char *const reasons[REPLAY_OP_COUNT])
{
	static const enum replay_op stronger[] = {REPLAY_SECURE_ERASE, REPLAY_DISCARD,
						  REPLAY_WRITE_ZEROES, REPLAY_WRITE};
	const unsigned int count = sizeof(stronger) / sizeof(stronger[0]);
	unsigned int i = 0;

	while (i < count && stronger[i] != op)
		i++;
	for (i++; i < count; i++)
		if (!reasons[stronger[i]])
			return stronger[i];
	return 0;
}

static int check_ops(const struct replay_survey *survey, const struct plan_options *options,
		     const struct target_info *target, const char *const reasons[REPLAY_OP_COUNT],
		     struct plan *plan, char *message)
{
	uint32_t ops = ops_to_play(survey, options);
	bool emulates = options->unsupported == PLAN_EMULATE;
	char ios[UNITS_TEXT_MAX];

	plan->mapping.skipped_ops = ~ops;
	for (unsigned int op = 0; op < REPLAY_OP_COUNT; op++) {
		if (!(ops & OP_BIT(op)) || !reasons[op])
			continue;
		if (options->unsupported == PLAN_SKIP) {
			plan->mapping.skipped_ops |= OP_BIT(op);
			continue;
		}
		if (emulates) {
			plan->mapping.instead[op] = (uint8_t)substitute(op, reasons);
			if (plan->mapping.instead[op])
				continue;
		}
		snprintf(message, PLAN_MESSAGE_MAX,
			 "%s cannot do the %s %s IOs of the source (%s)%s: add --unsupported skip "
			 "to leave them out%s",
			 target->path, units_count(survey->ops[op], ios), replay_op_name(op),
			 reasons[op], emulates ? ", nor an op that stands for them" : "",
			 emulates ? "" : ", or --unsupported emulate");
		return -EPERM;
	}
	return 0;
}

/*
 * Atomic writes that the target does not take are skipped, or written as plain ones: see mapping.h.
 */
static int check_atomic(const struct replay_survey *survey, const struct plan_options *options,
			const struct target_info *target, struct plan *plan, char *message)
{
	char why[128];

	plan->mapping.atomic = target->atomic;
	plan->mapping.skips_atomic = options->unsupported == PLAN_SKIP;
	if (options->reads_only || options->unsupported != PLAN_REFUSE)
		return 0;
	if (survey->atomic.ios && options->fit != REPLAY_FIT_NONE)
		snprintf(why, sizeof(why), "--fit moves them off the multiples of their length");
	else if (atomic_survey__fits(&survey->atomic, &target->atomic, why, sizeof(why)))
		return 0;
	snprintf(
		message, PLAN_MESSAGE_MAX,
		"%s cannot do the %s of the source (%s): add --unsupported skip to leave them out, "
		"or --unsupported emulate to issue plain writes",
		target->path, COUNTED_TEXT(survey->atomic.ios, "atomic write"), why);
	return -EPERM;
}

/* If zones begin elsewhere, writes would not be at the write pointers. */
static int check_zones(const struct replay_survey *survey, const struct plan_options *options,
		       const struct target_info *target, char *message)
{
	char source[UNITS_TEXT_MAX], zone[UNITS_TEXT_MAX];

	if (options->reads_only || !replay_survey__changes(survey) || !options->source_zone_bytes ||
	    !target->zone_bytes || options->source_zone_bytes == target->zone_bytes)
		return 0;
	snprintf(message, PLAN_MESSAGE_MAX,
		 "%s has zones of %s, the recorded device of %s: choose a target with zones of "
		 "that size, or replay with --reads-only",
		 target->path, units_bytes(target->zone_bytes, zone),
		 units_bytes(options->source_zone_bytes, source));
	return -EPERM;
}

/* The longest IO of all ops that become `op`. */
static uint64_t longest_of(const struct replay_survey *survey, const struct plan *plan,
			   enum replay_op op)
{
	uint64_t longest_bytes = 0;

	for (unsigned int i = 0; i < REPLAY_OP_COUNT; i++) {
		unsigned int instead = plan->mapping.instead[i];
		uint64_t bytes = survey->longest_bytes[i];

		if (instead == REPLAY_WRITE && bytes > MAPPING_PIECE_BYTES)
			bytes = MAPPING_PIECE_BYTES;
		if (!(plan->mapping.skipped_ops & OP_BIT(i)) && (instead ? instead : i) == op &&
		    bytes > longest_bytes)
			longest_bytes = bytes;
	}
	return longest_bytes;
}

static uint64_t round_up(uint64_t bytes, uint64_t block_bytes)
{
	uint64_t rest = bytes % block_bytes;

	return rest ? bytes + (block_bytes - rest) : bytes;
}

/* An IO that starts inside a block grows at both ends. */
static uint64_t longest_aligned(uint64_t bytes, uint32_t block_bytes)
{
	return bytes ? round_up(bytes, block_bytes) + (block_bytes > 1 ? block_bytes : 0) : 0;
}

static int check_lengths(const struct replay_survey *survey, const struct target_info *target,
			 struct plan *plan, char *message)
{
	uint32_t block_bytes = target->buffered ? 1 : target->block_bytes;
	uint64_t longest_bytes;
	char bytes[UNITS_TEXT_MAX], limit[UNITS_TEXT_MAX];

	plan->longest_read_bytes =
		longest_aligned(longest_of(survey, plan, REPLAY_READ), block_bytes);
	plan->longest_write_bytes =
		longest_aligned(longest_of(survey, plan, REPLAY_WRITE), block_bytes);
	longest_bytes = plan->longest_read_bytes > plan->longest_write_bytes
				? plan->longest_read_bytes
				: plan->longest_write_bytes;
	if (longest_bytes <= REPLAY_LONGEST_BYTES)
		return 0;
	snprintf(message, PLAN_MESSAGE_MAX,
		 "an IO of the source is %s long, more than the %s that one IO can have: choose a "
		 "part of the source without it (--from, --to)",
		 units_bytes(longest_bytes, bytes), units_bytes(REPLAY_LONGEST_BYTES, limit));
	return -EPERM;
}

static int check_footprint(const struct plan_options *options, const struct target_info *target,
			   uint64_t usable_bytes, char *message)
{
	uint64_t footprint_bytes = footprint__bytes(options->footprint);
	char need[UNITS_TEXT_MAX], have[UNITS_TEXT_MAX];

	if (footprint_bytes <= usable_bytes && target->block_bytes <= FOOTPRINT_GRANULE_BYTES)
		return 0;
	snprintf(message, PLAN_MESSAGE_MAX,
		 "%s is too small: the source touches %s, the target has %s; use --fit wrap or "
		 "scale, or choose a larger target",
		 target->path, units_bytes(footprint_bytes, need), units_bytes(usable_bytes, have));
	return -EPERM;
}

static int check_size(const struct replay_survey *survey, const struct plan_options *options,
		      const struct target_info *target, struct plan *plan, char *message)
{
	uint64_t usable_bytes = target->size_bytes - target->size_bytes % target->block_bytes;
	uint64_t longest_bytes, end_bytes = 0;
	char need[UNITS_TEXT_MAX], have[UNITS_TEXT_MAX];

	for (unsigned int op = 0; op < REPLAY_OP_COUNT; op++)
		if (!(plan->mapping.skipped_ops & OP_BIT(op)) && survey->end_bytes[op] > end_bytes)
			end_bytes = survey->end_bytes[op];
	end_bytes = round_up(end_bytes, target->block_bytes);
	plan->mapping.source_bytes =
		options->source_bytes > end_bytes ? options->source_bytes : end_bytes;
	longest_bytes = plan->longest_read_bytes > plan->longest_write_bytes
				? plan->longest_read_bytes
				: plan->longest_write_bytes;
	if (options->fit == REPLAY_FIT_COMPACT) {
		plan->mapping.footprint = options->footprint;
		return check_footprint(options, target, usable_bytes, message);
	}
	if (options->fit == REPLAY_FIT_NONE && end_bytes > usable_bytes) {
		snprintf(message, PLAN_MESSAGE_MAX,
			 "%s is too small: the source reaches to %s, the target has %s; use --fit "
			 "wrap, scale or compact, or choose a larger target",
			 target->path, units_bytes(end_bytes, need),
			 units_bytes(usable_bytes, have));
		return -EPERM;
	}
	if (options->fit != REPLAY_FIT_NONE && longest_bytes > usable_bytes) {
		snprintf(message, PLAN_MESSAGE_MAX,
			 "%s is too small: one IO of the source is %s long, the target has %s",
			 target->path, units_bytes(longest_bytes, need),
			 units_bytes(usable_bytes, have));
		return -EPERM;
	}
	return 0;
}

int plan__create(const struct replay_survey *survey, const struct plan_options *options,
		 const struct target_info *target, const char *const reasons[REPLAY_OP_COUNT],
		 struct plan *plan, char message[PLAN_MESSAGE_MAX])
{
	int err;

	*plan = (struct plan){.mapping = {.fit = options->fit,
					  .target_bytes = target->size_bytes,
					  .zone_bytes = target->zone_bytes,
					  .unaligned_data = target->buffered,
					  .block_bytes = target->block_bytes}};
	err = check_ops(survey, options, target, reasons, plan, message);
	if (!err)
		err = check_zones(survey, options, target, message);
	if (!err)
		err = check_atomic(survey, options, target, plan, message);
	if (!err)
		err = check_lengths(survey, target, plan, message);
	if (!err)
		err = check_size(survey, options, target, plan, message);
	return err;
}
