// SPDX-License-Identifier: MIT
#include "collector/doctor/self_check.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "collector/kernel/capabilities.h"
#include "collector/probes/probes.h"
#include "collector/doctor/self_load.h"

struct self_check {
	struct self_load *load;
	struct probes *probes;
	struct account sum; /* of the file, over all processes, at the last read */
	bool seen;
	void (*each)(const struct self_check_result *result, void *context);
	void *context;
};

/* What a figure must equal. */
enum expectation {
	EXPECT_PAGES = 0,
	EXPECT_ABSENT,
	EXPECT_ADDED_BEYOND, /* pages added beyond those that were absent */
	EXPECT_FOUND,	     /* pages read that were not absent */
	EXPECT_FAULTS,
	EXPECT_DIRTY,
	EXPECT_NONE,
};

static const struct check {
	enum self_load_step step;
	const char *tier, *figure;
	size_t offset; /* in struct account */
	enum expectation expectation;
} checks[] = {
#define CHECK(step, tier, figure, expectation)                                     \
	{                                                                          \
		SELF_LOAD_##step, tier, #figure, offsetof(struct account, figure), \
			EXPECT_##expectation                                       \
	}
	CHECK(COLD, "cache_reads", read_pages, PAGES),
	CHECK(COLD, "cache_demand_misses", demand_miss_pages, ABSENT),
	CHECK(COLD, "cache_readahead", readahead_added_pages, NONE),
	CHECK(WARM, "cache_reads", read_pages, PAGES),
	CHECK(WARM, "cache_demand_misses", demand_miss_pages, NONE),
	CHECK(MAPPED, "cache_faults", fault_pages, FAULTS),
	CHECK(MAPPED, "cache_demand_misses", demand_miss_pages, ABSENT),
	CHECK(SEQUENTIAL, "cache_reads", read_pages, PAGES),
	CHECK(SEQUENTIAL, "cache_demand_misses", demand_miss_pages, ABSENT),
	CHECK(SEQUENTIAL, "cache_readahead", readahead_added_pages, ADDED_BEYOND),
	CHECK(SEQUENTIAL, "cache_readahead", readahead_used_pages, FOUND),
	CHECK(WRITTEN, "cache_dirtied", dirtied_pages, DIRTY),
#undef CHECK
};

static uint64_t expected(enum expectation expectation, const struct self_load_truth *truth)
{
	switch (expectation) {
	case EXPECT_PAGES:
		return truth->pages;
	case EXPECT_ABSENT:
		return truth->absent;
	case EXPECT_ADDED_BEYOND:
		return truth->added - truth->absent;
	case EXPECT_FOUND:
		return truth->pages - truth->absent;
	case EXPECT_FAULTS:
		return truth->faults;
	case EXPECT_DIRTY:
		return truth->dirty;
	case EXPECT_NONE:
		break;
	}
	return 0;
}

static bool needs_cachestat(enum expectation expectation)
{
	return expectation != EXPECT_PAGES && expectation != EXPECT_NONE &&
	       expectation != EXPECT_FAULTS;
}

struct tier_wanted {
	const char *figure;
	bool available;
};

static void find_tier(const struct trace_tier *tier, void *context)
{
	struct tier_wanted *wanted = context;

	if (!strcmp(tier->figure, wanted->figure))
		wanted->available = strcmp(tier->quality, "unavailable") != 0;
}

static bool is_available(const char *figure)
{
	struct tier_wanted wanted = {.figure = figure};

	capabilities__each_tier(PROBE_CACHE, find_tier, &wanted);
	return wanted.available;
}

static int add_account(const struct account_key *key, const struct account *account, void *context)
{
	struct self_check *test = context;
	const uint64_t *from = (const uint64_t *)account;
	uint64_t *to = (uint64_t *)&test->sum;

	if (key->inode != self_load__inode(test->load))
		return 0;
	test->seen = true;
	for (size_t i = 0; i < offsetof(struct account, cgroup) / sizeof(*to); i++)
		to[i] += from[i];
	return 0;
}

static uint64_t figure_of(const struct account *account, size_t offset)
{
	uint64_t figure;

	memcpy(&figure, (const char *)account + offset, sizeof(figure));
	return figure;
}

static int run_step(struct self_check *test, enum self_load_step step)
{
	struct account before = test->sum;
	struct self_load_truth truth;
	int err = self_load__step(test->load, step, &truth);

	memset(&test->sum, 0, sizeof(test->sum));
	if (!err)
		err = probes__each_account(test->probes, add_account, test);
	for (size_t i = 0; !err && i < sizeof(checks) / sizeof(checks[0]); i++) {
		const struct check *check = &checks[i];
		struct self_check_result result = {.load = self_load__describe(step),
						   .tier = check->tier,
						   .figure = check->figure,
						   .verdict = SELF_CHECK_NOT_CHECKED};

		if (check->step != step)
			continue;
		if (is_available(check->tier) &&
		    (truth.has_cachestat || !needs_cachestat(check->expectation))) {
			result.expected = expected(check->expectation, &truth);
			result.counted = figure_of(&test->sum, check->offset) -
					 figure_of(&before, check->offset);
			result.verdict = result.counted == result.expected ? SELF_CHECK_RIGHT
									   : SELF_CHECK_WRONG;
		}
		test->each(&result, test->context);
	}
	return err;
}

static int start_load(const char *directory, struct self_check *test,
		      char message[COLLECTOR_MESSAGE_MAX])
{
	int err = self_load__start(directory, &test->load);

	if (err == -EBUSY)
		snprintf(
			message, COLLECTOR_MESSAGE_MAX,
			"pages of a file in '%s' cannot be dropped from the page cache: name a directory on a disk, not on tmpfs",
			directory);
	else if (err == -EOPNOTSUPP || err == -EISDIR)
		snprintf(
			message, COLLECTOR_MESSAGE_MAX,
			"the file system of '%s' does not support unnamed files (O_TMPFILE): name another directory",
			directory);
	else if (err)
		snprintf(message, COLLECTOR_MESSAGE_MAX, "cannot create a test file in '%s': %s",
			 directory, strerror(-err));
	return err;
}

int self_check__run(const char *directory,
		    void (*each)(const struct self_check_result *result, void *context),
		    void *context, char message[COLLECTOR_MESSAGE_MAX])
{
	struct self_check test = {.each = each, .context = context};
	struct probes_options options = {.parts = PROBE_CACHE};
	int err = start_load(directory, &test, message);

	if (err)
		return err;
	options.pid = (uint32_t)self_load__pid(test.load);
	err = probes__load(&options, &test.probes, message);
	if (!err)
		err = probes__attach(test.probes, message);
	if (err)
		goto out;
	probes__resume(test.probes);
	for (int step = 0; !err && step < SELF_LOAD_STEPS; step++) {
		err = run_step(&test, (enum self_load_step)step);
		if (err)
			snprintf(message, COLLECTOR_MESSAGE_MAX, "the test load failed: %s",
				 strerror(-err));
		if (!err && !test.seen) {
			err = -ENOTBLK;
			snprintf(
				message, COLLECTOR_MESSAGE_MAX,
				"files in '%s' are not on a block device: name a directory on a disk",
				directory);
		}
	}
out:
	probes__free(test.probes);
	self_load__free(test.load);
	return err;
}
