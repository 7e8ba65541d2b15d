// SPDX-License-Identifier: MIT
/* Which atomic writes a target takes, and what becomes of the others. */
#include <errno.h>

#include "replay/source/atomic.h"
#include "replay/source/mapping.h"
#include "replay/plan/plan.h"
#include "unit/shared/test.h"

static const struct atomic_units units = {.min_bytes = 4096, .max_bytes = 65536};

static void atomic_writes_are_aligned_powers_of_two(void)
{
	CHECK(atomic_units__take(&units, 0, 4096));
	CHECK(atomic_units__take(&units, 131072, 65536));
	CHECK(!atomic_units__take(&units, 0, 2048));
	CHECK(!atomic_units__take(&units, 0, 131072));
	CHECK(!atomic_units__take(&units, 0, 12288));
	CHECK(!atomic_units__take(&units, 4096, 8192));
	CHECK(!atomic_units__take(&units, 0, 0));
	CHECK(!atomic_units__take(&(struct atomic_units){0}, 0, 0));
}

static bool fits(uint64_t offset_bytes, uint64_t length_bytes)
{
	struct atomic_survey s = {0};
	char why[128];

	atomic_survey__add(&s, 0, 16384);
	atomic_survey__add(&s, offset_bytes, length_bytes);
	return atomic_survey__fits(&s, &units, why, sizeof(why));
}

static void a_source_fits_when_all_of_its_writes_do(void)
{
	const struct atomic_units none = {0};
	struct atomic_survey empty = {0};
	char why[128];

	CHECK(fits(65536, 65536));
	CHECK(fits(4096, 4096));
	CHECK(!fits(131072, 131072));
	CHECK(!fits(2048, 2048));
	CHECK(!fits(0, 12288));
	CHECK(!fits(8192, 16384));
	CHECK(atomic_survey__fits(&empty, &none, why, sizeof(why)));
	atomic_survey__add(&empty, 0, 4096);
	CHECK(!atomic_survey__fits(&empty, &none, why, sizeof(why)));
}

static int plan(const struct plan_options *options, const struct atomic_units *target_units,
		struct plan *plan)
{
	const char *reasons[REPLAY_OP_COUNT] = {NULL};
	const struct replay_io io = {
		.op = REPLAY_WRITE, .flags = REPLAY_ATOMIC, .length_bytes = 8192};
	struct target_info target = {.path = "/dev/it",
				     .size_bytes = 1 << 20,
				     .block_bytes = 512,
				     .atomic = *target_units};
	struct replay_survey survey = {0};
	char message[PLAN_MESSAGE_MAX];

	replay_survey__add(&survey, &io);
	return plan__create(&survey, options, &target, reasons, plan, message);
}

static void a_plan_refuses_atomic_writes_by_default(void)
{
	const struct atomic_units none = {0};
	struct plan p;

	CHECK_EQ(plan(&(struct plan_options){.write = true}, &units, &p), 0);
	CHECK_EQ(plan(&(struct plan_options){.write = true}, &none, &p), -EPERM);
	CHECK_EQ(plan(&(struct plan_options){.write = true, .fit = REPLAY_FIT_WRAP}, &units, &p),
		 -EPERM);
	CHECK_EQ(plan(&(struct plan_options){.reads_only = true}, &none, &p), 0);
	CHECK_EQ(plan(&(struct plan_options){.unsupported = PLAN_EMULATE}, &none, &p), 0);
	CHECK(!p.mapping.skips_atomic);
	CHECK_EQ(plan(&(struct plan_options){.unsupported = PLAN_SKIP}, &none, &p), 0);
	CHECK(p.mapping.skips_atomic);
}

struct two {
	struct replay_source base;
	unsigned int given;
};

/* An atomic write that fits and one that does not. */
static int next_of_two(struct replay_source *base, struct replay_io *io)
{
	struct two *two = (struct two *)base;

	if (two->given == 2)
		return 0;
	*io = (struct replay_io){.op = REPLAY_WRITE,
				 .flags = REPLAY_ATOMIC | REPLAY_FUA,
				 .length_bytes = two->given++ ? 2048 : 4096};
	return 1;
}

static void unfit_atomic_writes_are_left_out_or_written_plainly(void)
{
	static const struct replay_source_ops ops = {.next = next_of_two};

	for (unsigned int skips = 0; skips < 2; skips++) {
		struct two two = {.base = {.ops = &ops}};
		struct mapping_options options = {.target_bytes = 1 << 20,
						  .block_bytes = 512,
						  .atomic = units,
						  .skips_atomic = skips};
		struct replay_source *mapped;
		struct replay_io io;

		REQUIRE(!mapping__create(&two.base, &options, &mapped));
		CHECK_EQ(replay_source__next(mapped, &io), 1);
		CHECK_EQ(io.flags, REPLAY_ATOMIC | REPLAY_FUA);
		CHECK_EQ(replay_source__next(mapped, &io), skips ? 0 : 1);
		if (!skips)
			CHECK_EQ(io.flags, REPLAY_FUA | REPLAY_EMULATED);
		CHECK_EQ(mapping__left_out(mapped), skips);
		replay_source__free(mapped);
	}
}

int main(void)
{
	RUN(atomic_writes_are_aligned_powers_of_two);
	RUN(a_source_fits_when_all_of_its_writes_do);
	RUN(a_plan_refuses_atomic_writes_by_default);
	RUN(unfit_atomic_writes_are_left_out_or_written_plainly);
	return TEST_RESULT;
}
