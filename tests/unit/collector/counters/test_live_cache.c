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

void probes__losses(struct probes *p, uint64_t losses[LOSS_CLASS_COUNT])
{
	memset(losses, 0, LOSS_CLASS_COUNT * sizeof(*losses));
}

/* What the probes have counted. */
#define ACCOUNTS 3
static struct account_key keys[ACCOUNTS];
static struct account accounts[ACCOUNTS];

int probes__each_account(struct probes *p,
			 int (*each)(const struct account_key *key, const struct account *account,
				     void *context),
			 void *context)
{
	int err = 0;

	for (unsigned int i = 0; i < ACCOUNTS && !err; i++)
		if (keys[i].tgid)
			err = each(&keys[i], &accounts[i], context);
	return err;
}

/* Each cgroup stands where the test puts it. */
static enum cgroup_standing standing;
static const struct cgroup_place place;

void cgroup_places__refresh(struct cgroup_places *p, uint64_t now_ns)
{
}

enum cgroup_standing cgroup_places__find(struct cgroup_places *p, uint64_t id,
					 const struct cgroup_place **found)
{
	*found = standing == CGROUP_SHOWN || standing == CGROUP_PROMOTED ? &place : NULL;
	return standing;
}

static struct live_cache_account *account;

static void start(struct cgroup_table *table)
{
	char message[COLLECTOR_MESSAGE_MAX];

	fake_kernel.version = 618;
	memset(keys, 0, sizeof(keys));
	memset(accounts, 0, sizeof(accounts));
	if (live_cache__create(NULL, 0, table, &account, message))
		abort();
}

/* What is missing on Linux 6.12 or another version. */
static unsigned int missing_on(unsigned int version, enum function_probe_type type,
			       struct live_missing missing[LIVE_MISSING_MAX],
			       struct live_cache *cache)
{
	char message[COLLECTOR_MESSAGE_MAX];
	unsigned int count = 0;

	fake_kernel.version = version;
	fake_kernel.type = type;
	if (live_cache__create(NULL, 0, NULL, &account, message))
		abort();
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

/* The pages that the next interval of stat has. */
static uint64_t pages_read(void)
{
	struct live_cache cache;

	CHECK(!live_cache__read(account, &cache));
	return cache.read_pages;
}

static void pages_that_are_taken_back_are_taken_off_later_ones(void)
{
	struct live_cache cache;

	start(NULL);
	keys[0].tgid = 1;
	accounts[0] = (struct account){
		.reads = 2, .read_pages = 300, .demand_miss_pages = 50, .readahead_used_pages = 9};
	CHECK_EQ(pages_read(), 300);
	/* On another CPU. */
	keys[1].tgid = 2;
	accounts[1] = (struct account){.reads = -1ull,
				       .read_pages = -256ull,
				       .demand_miss_pages = -50ull,
				       .readahead_used_pages = -9ull};
	CHECK(!live_cache__read(account, &cache));
	CHECK_EQ(cache.reads, 0);
	CHECK_EQ(cache.read_pages, 0);
	CHECK_EQ(cache.demand_miss_pages, 0);
	CHECK_EQ(cache.readahead_used_pages, 0);
	accounts[0].read_pages += 200;
	CHECK_EQ(pages_read(), 0);
	accounts[0].read_pages += 100;
	CHECK_EQ(pages_read(), 44);
	live_cache__free(account);
}

/* The sum of the only series. */
static uint64_t series_after(struct cgroup_table *table, enum cgroup_standing now,
			     uint64_t read_pages)
{
	const struct cgroup_series *series;
	size_t count;

	standing = now;
	accounts[0].read_pages = read_pages;
	pages_read();
	series = cgroup_table__series(table, &count);
	return count == 1 ? series->sums[LIVE_CACHE_READ] : UINT64_MAX;
}

static struct cgroup_table *start_table(void)
{
	struct cgroup_table *table;

	if (cgroup_table__create(NULL, LIVE_CACHE_SUMS, &table))
		abort();
	start(table);
	keys[0].tgid = 7;
	return table;
}

static void the_series_of_a_cgroup_never_falls(void)
{
	struct cgroup_table *table = start_table();

	CHECK_EQ(series_after(table, CGROUP_SHOWN, 300), 300);
	CHECK_EQ(series_after(table, CGROUP_SHOWN, 44), 300);
	CHECK_EQ(series_after(table, CGROUP_SHOWN, 310), 310);
	CHECK_EQ(series_after(table, CGROUP_SHOWN, 54), 310);
	CHECK_EQ(cgroup_table__answered(table), 0);
	/* It showed all: nothing is left for "other". */
	CHECK_EQ(series_after(table, CGROUP_GONE, 54), 0);
	live_cache__free(account);
	cgroup_table__free(table);
}

/* What it counted before is in "other", which makes two series. */
static void a_cgroup_that_gets_a_series_begins_at_0(void)
{
	struct cgroup_table *table = start_table();
	const struct cgroup_series *series;
	size_t count;

	CHECK_EQ(series_after(table, CGROUP_BEYOND, 300), 300);
	series_after(table, CGROUP_PROMOTED, 44);
	for (unsigned int i = 0; i < 2; i++) {
		series = cgroup_table__series(table, &count);
		REQUIRE(count == 2);
		for (size_t j = 0; j < count; j++)
			CHECK_EQ(series[j].sums[LIVE_CACHE_READ], series[j].place ? 0 : 300);
		series_after(table, CGROUP_SHOWN, 10);
	}
	live_cache__free(account);
	cgroup_table__free(table);
}

int main(void)
{
	RUN(pages_that_are_taken_back_are_taken_off_later_ones);
	RUN(the_series_of_a_cgroup_never_falls);
	RUN(a_cgroup_that_gets_a_series_begins_at_0);
	RUN(functions_stand_in_for_tracepoints);
	RUN(without_them_the_reason_is_theirs);
	return TEST_RESULT;
}
