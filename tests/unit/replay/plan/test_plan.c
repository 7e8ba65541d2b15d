// SPDX-License-Identifier: MIT
#include "unit/shared/test.h"

#include <errno.h>

#include "replay/plan/plan.h"

static void writing_needs_permission(void)
{
	struct replay_survey survey = {.ios = 3};
	struct plan_options options = {0};
	struct plan_request request;
	char message[PLAN_MESSAGE_MAX];

	survey.ops[REPLAY_READ] = 2;
	survey.ops[REPLAY_FLUSH] = 1;
	CHECK_EQ(plan__request(&survey, &options, &request, message), 0);
	CHECK(!request.writes);
	for (unsigned int op = 0; op < REPLAY_OP_COUNT; op++) {
		if (op == REPLAY_READ || op == REPLAY_FLUSH)
			continue;
		survey.ops[op] = 1;
		CHECK_EQ(plan__request(&survey, &options, &request, message), -EPERM);
		options.reads_only = true;
		CHECK_EQ(plan__request(&survey, &options, &request, message), 0);
		CHECK_EQ(request.ios, 2);
		CHECK(!request.writes);
		options.reads_only = false;
		survey.ops[op] = 0;
	}
	survey.ops[REPLAY_READ] = 0;
	options.reads_only = true;
	CHECK_EQ(plan__request(&survey, &options, &request, message), -ENODATA);
}

static void what_does_not_fit_is_refused(void)
{
	const char *reasons[REPLAY_OP_COUNT] = {NULL};
	struct target_info target = {.path = "/dev/it", .size_bytes = 1 << 20, .block_bytes = 512};
	struct replay_survey survey = {.ios = 1};
	struct plan_options options = {0};
	char message[PLAN_MESSAGE_MAX];
	struct plan plan;

	survey.ops[REPLAY_READ] = 1;
	survey.end_bytes[REPLAY_READ] = 1 << 20;
	survey.longest_bytes[REPLAY_READ] = 4096;
	CHECK_EQ(plan__create(&survey, &options, &target, reasons, &plan, message), 0);
	survey.end_bytes[REPLAY_READ]++;
	CHECK_EQ(plan__create(&survey, &options, &target, reasons, &plan, message), -EPERM);
	options.fit = REPLAY_FIT_WRAP;
	CHECK_EQ(plan__create(&survey, &options, &target, reasons, &plan, message), 0);
	survey.longest_bytes[REPLAY_READ] = 2 << 20;
	CHECK_EQ(plan__create(&survey, &options, &target, reasons, &plan, message), -EPERM);
	survey.longest_bytes[REPLAY_READ] = INT64_MAX;
	CHECK_EQ(plan__create(&survey, &options, &target, reasons, &plan, message), -EPERM);
	survey.longest_bytes[REPLAY_READ] = 4096;
	reasons[REPLAY_READ] = "because";
	CHECK_EQ(plan__create(&survey, &options, &target, reasons, &plan, message), -EPERM);
	options.unsupported = PLAN_SKIP;
	CHECK_EQ(plan__create(&survey, &options, &target, reasons, &plan, message), 0);
	CHECK(plan.mapping.skipped_ops & 1u << REPLAY_READ);
}

static void zones_of_another_size_are_refused(void)
{
	const char *reasons[REPLAY_OP_COUNT] = {NULL};
	struct target_info target = {
		.path = "/dev/it", .size_bytes = 1 << 30, .block_bytes = 512, .zone_bytes = 8192};
	struct replay_survey survey = {.ios = 1, .ops[REPLAY_WRITE] = 1};
	struct plan_options options = {.source_zone_bytes = 8192};
	char message[PLAN_MESSAGE_MAX];
	struct plan plan;

	CHECK_EQ(plan__create(&survey, &options, &target, reasons, &plan, message), 0);
	options.source_zone_bytes = 4096;
	CHECK_EQ(plan__create(&survey, &options, &target, reasons, &plan, message), -EPERM);
	options.reads_only = true;
	CHECK_EQ(plan__create(&survey, &options, &target, reasons, &plan, message), 0);
	options.reads_only = false;
	target.zone_bytes = 0; /* the zone operations decide */
	CHECK_EQ(plan__create(&survey, &options, &target, reasons, &plan, message), 0);
	target.zone_bytes = 8192;
	options.source_zone_bytes = 0; /* an old trace */
	CHECK_EQ(plan__create(&survey, &options, &target, reasons, &plan, message), 0);
}

static void an_op_is_emulated_by_the_nearest_one(void)
{
	const char *reasons[REPLAY_OP_COUNT] = {NULL};
	struct target_info target = {.path = "/dev/it", .size_bytes = 1 << 20, .block_bytes = 512};
	struct replay_survey survey = {.ios = 2};
	struct plan_options options = {.write = true, .unsupported = PLAN_EMULATE};
	char message[PLAN_MESSAGE_MAX];
	struct plan plan;

	survey.ops[REPLAY_READ] = survey.ops[REPLAY_DISCARD] = 1;
	survey.longest_bytes[REPLAY_DISCARD] = survey.end_bytes[REPLAY_DISCARD] = 65536;
	CHECK_EQ(plan__create(&survey, &options, &target, reasons, &plan, message), 0);
	CHECK_EQ(plan.mapping.instead[REPLAY_DISCARD], 0);
	CHECK_EQ(plan.longest_write_bytes, 0);
	reasons[REPLAY_DISCARD] = "because";
	CHECK_EQ(plan__create(&survey, &options, &target, reasons, &plan, message), 0);
	CHECK_EQ(plan.mapping.instead[REPLAY_DISCARD], REPLAY_WRITE_ZEROES);
	CHECK_EQ(plan.mapping.instead[REPLAY_READ], 0);
	CHECK_EQ(plan.longest_write_bytes, 0);
	reasons[REPLAY_WRITE_ZEROES] = "because";
	CHECK_EQ(plan__create(&survey, &options, &target, reasons, &plan, message), 0);
	CHECK_EQ(plan.mapping.instead[REPLAY_DISCARD], REPLAY_WRITE);
	CHECK(plan.longest_write_bytes >= 65536); /* there is a buffer for it */
	/* What nothing stands for is refused all the same, with the other remedy. */
	survey.ops[REPLAY_ZONE] = 1;
	reasons[REPLAY_ZONE] = "because";
	CHECK_EQ(plan__create(&survey, &options, &target, reasons, &plan, message), -EPERM);
	CHECK(strstr(message, "add --unsupported skip") && !strstr(message, "emulate"));
}

static void long_discards_are_emulated_in_pieces(void)
{
	const char *reasons[REPLAY_OP_COUNT] = {
		[REPLAY_DISCARD] = "because", [REPLAY_WRITE_ZEROES] = "because"};
	struct target_info target = {
		.path = "/dev/it", .size_bytes = 8ull << 30, .block_bytes = 512};
	struct replay_survey survey = {.ios = 1, .ops[REPLAY_DISCARD] = 1};
	struct plan_options options = {.write = true, .unsupported = PLAN_EMULATE};
	char message[PLAN_MESSAGE_MAX];
	struct plan plan;

	survey.longest_bytes[REPLAY_DISCARD] = survey.end_bytes[REPLAY_DISCARD] = 2ull << 30;
	CHECK_EQ(plan__create(&survey, &options, &target, reasons, &plan, message), 0);
	CHECK(plan.longest_write_bytes >= MAPPING_PIECE_BYTES);
	CHECK(plan.longest_write_bytes <= 2 * MAPPING_PIECE_BYTES);
	/* A write of that length is one IO. */
	survey.ops[REPLAY_WRITE] = 1;
	survey.longest_bytes[REPLAY_WRITE] = 2ull << 30;
	CHECK_EQ(plan__create(&survey, &options, &target, reasons, &plan, message), -EPERM);
	CHECK(strstr(message, "(--from, --to)") != NULL);
}

int main(void)
{
	RUN(writing_needs_permission);
	RUN(what_does_not_fit_is_refused);
	RUN(zones_of_another_size_are_refused);
	RUN(an_op_is_emulated_by_the_nearest_one);
	RUN(long_discards_are_emulated_in_pieces);
	return TEST_RESULT;
}
