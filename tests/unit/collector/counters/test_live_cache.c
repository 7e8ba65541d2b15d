// SPDX-License-Identifier: MIT
/* The sums of the page-cache account, of probes that the test stands in for. */
#include "collector/counters/live_cache.h"

#include "collector/probes/probes.h"
#include "unit/collector/kernel/fake_kernel.h"
#include "unit/shared/test.h"

int probes__load(const struct probes_options *options, struct probes **probes,
		 char message[COLLECTOR_MESSAGE_MAX])
{
	*probes = NULL;
	return 0;
}

int probes__attach(struct probes *p, char message[COLLECTOR_MESSAGE_MAX])
{
	return 0;
}

void probes__resume(struct probes *p)
{
}

void probes__free(struct probes *p)
{
}

int probes__forget_account(struct probes *p, const struct account_key *key)
{
	return 0;
}

void probes__losses(const struct probes *p, uint64_t losses[LOSS_CLASS_COUNT])
{
	memset(losses, 0, LOSS_CLASS_COUNT * sizeof(*losses));
}

int probes__each_account(struct probes *p,
			 int (*each)(const struct account_key *key, const struct account *account,
				     void *context),
			 void *context)
{
	return 0;
}

static struct live_cache_account *account;

static void start(struct cgroup_table *table)
{
	char message[COLLECTOR_MESSAGE_MAX];

	if (live_cache__create(NULL, 0, table, &account, message))
		abort();
}

/* What is missing on Linux 6.12 or another version. */
static unsigned int missing_on(unsigned int version, enum function_probe_type type,
			       struct live_missing missing[LIVE_MISSING_MAX],
			       struct live_cache *cache)
{
	unsigned int count = 0;

	fake_kernel.version = version;
	fake_kernel.type = type;
	start(NULL);
	CHECK(!live_cache__read(account, cache));
	live_cache__missing(&count, missing);
	live_cache__free(account);
	return count;
}

static void functions_stand_in_for_tracepoints(void)
{
	static const unsigned int versions[] = {601, 605, 612, 617, 618};
	struct live_missing missing[LIVE_MISSING_MAX];
	struct live_cache cache;

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		CHECK_EQ(missing_on(versions[i], FUNCTION_PROBES_FENTRY, missing, &cache), 0);
		CHECK(cache.has_account && cache.has_reads && cache.has_misses);
		CHECK_EQ(missing_on(versions[i], FUNCTION_PROBES_KPROBE, missing, &cache), 0);
		CHECK(cache.has_account && cache.has_reads && cache.has_misses);
	}
}

static void without_them_the_reason_is_theirs(void)
{
	struct live_missing missing[LIVE_MISSING_MAX];
	struct live_cache cache;

	CHECK_EQ(missing_on(601, FUNCTION_PROBES_NONE, missing, &cache), 2);
	CHECK(cache.has_account && !cache.has_reads && !cache.has_misses);
	CHECK_TEXT(missing[0].figures, "page-cache hits");
	CHECK(strstr(missing[0].why, "no fentry or kprobe can take its place"));
	CHECK_EQ(missing_on(612, FUNCTION_PROBES_NONE, missing, &cache), 1);
	CHECK(cache.has_account && cache.has_reads && !cache.has_misses);
	CHECK_TEXT(missing[0].figures, "demand misses and readahead");
	CHECK(strstr(missing[0].why, "no page_cache_sync_ra"));
	CHECK_EQ(missing_on(618, FUNCTION_PROBES_NONE, missing, &cache), 0);
}

int main(void)
{
	RUN(functions_stand_in_for_tracepoints);
	RUN(without_them_the_reason_is_theirs);
	return TEST_RESULT;
}
