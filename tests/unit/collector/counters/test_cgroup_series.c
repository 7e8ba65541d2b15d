// SPDX-License-Identifier: MIT
/* Rounds of sums by cgroup, with the standing of each cgroup set by the test. */
#include "collector/counters/cgroup_series.h"
#include "unit/shared/test.h"

#define CGROUPS 8
#define WORDS	2

struct cgroup_places {
	enum cgroup_standing standing[CGROUPS];
	unsigned int refreshed;
};

static struct cgroup_place places[CGROUPS];

void cgroup_places__refresh(struct cgroup_places *p, uint64_t now_ns)
{
	p->refreshed++;
}

enum cgroup_standing cgroup_places__find(struct cgroup_places *p, uint64_t id,
					 const struct cgroup_place **place)
{
	bool shown = p->standing[id] == CGROUP_SHOWN || p->standing[id] == CGROUP_PROMOTED;

	*place = shown ? &places[id] : NULL;
	return p->standing[id];
}

static struct cgroup_places state;
static struct cgroup_table *table;

static void start(void)
{
	memset(&state, 0, sizeof(state));
	if (cgroup_table__create(&state, WORDS, &table))
		abort();
}

static int add(uint64_t cgroup, uint32_t op, __u64 ios, __u64 bytes)
{
	const struct tally_cgroup_key key = {.cgroup = cgroup, .number = 7, .op = op};
	const __u64 sums[WORDS] = {ios, bytes};

	return cgroup_table__add(table, &key, sums);
}

/* -1: there is no such series. */
static long long ios_of(uint64_t cgroup, uint32_t op)
{
	size_t count;
	const struct cgroup_series *series = cgroup_table__series(table, &count);

	for (size_t i = 0; i < count; i++) {
		if (series[i].key.cgroup != cgroup || series[i].key.op != op)
			continue;
		CHECK(series[i].place == (cgroup == TALLY_OTHER ? NULL : &places[cgroup]));
		return (long long)series[i].sums[0];
	}
	return -1;
}

static void a_shown_cgroup_has_its_sums_and_other_has_the_rest(void)
{
	start();
	state.standing[2] = state.standing[3] = CGROUP_BEYOND;
	cgroup_table__begin(table, 1);
	CHECK_EQ(state.refreshed, 1);
	CHECK_EQ(add(TALLY_OTHER, TALLY_READ, 5, 50), 0);
	CHECK_EQ(add(1, TALLY_READ, 101, 1010), 0);
	CHECK_EQ(add(2, TALLY_READ, 11, 110), 0);
	CHECK_EQ(add(3, TALLY_READ, 13, 130), 0);
	CHECK_EQ(add(3, TALLY_WRITE, 17, 170), 0);
	CHECK_EQ(cgroup_table__end(table), 0);
	CHECK_EQ(ios_of(1, TALLY_READ), 101);
	CHECK_EQ(ios_of(2, TALLY_READ), -1);
	CHECK_EQ(ios_of(TALLY_OTHER, TALLY_READ), 29);
	CHECK_EQ(ios_of(TALLY_OTHER, TALLY_WRITE), 17);
	cgroup_table__free(table);
}

static void what_was_counted_before_it_was_shown_stays_in_other(void)
{
	start();
	state.standing[1] = CGROUP_BEYOND;
	cgroup_table__begin(table, 1);
	add(1, TALLY_READ, 10, 100);
	cgroup_table__end(table);
	CHECK_EQ(ios_of(TALLY_OTHER, TALLY_READ), 10);
	state.standing[1] = CGROUP_PROMOTED;
	cgroup_table__begin(table, 2);
	add(1, TALLY_READ, 12, 120);
	cgroup_table__end(table);
	CHECK_EQ(ios_of(1, TALLY_READ), 0);
	CHECK_EQ(ios_of(TALLY_OTHER, TALLY_READ), 12);
	state.standing[1] = CGROUP_SHOWN;
	cgroup_table__begin(table, 3);
	add(1, TALLY_READ, 19, 190);
	cgroup_table__end(table);
	CHECK_EQ(ios_of(1, TALLY_READ), 7);
	CHECK_EQ(ios_of(TALLY_OTHER, TALLY_READ), 12);
	cgroup_table__free(table);
}

static int round_of(enum cgroup_standing standing, __u64 ios)
{
	int result;

	state.standing[1] = standing;
	cgroup_table__begin(table, 1);
	result = add(1, TALLY_READ, ios, 0);
	cgroup_table__end(table);
	return result;
}

static void what_a_cgroup_did_after_the_last_answer_is_in_other(void)
{
	start();
	round_of(CGROUP_PROMOTED, 10);
	round_of(CGROUP_SHOWN, 30);
	CHECK_EQ(ios_of(1, TALLY_READ), 20);
	CHECK_EQ(ios_of(TALLY_OTHER, TALLY_READ), 10);
	CHECK_EQ(cgroup_table__answered(table), 0);
	/* A round without an answer. */
	round_of(CGROUP_SHOWN, 35);
	/* 10 before it was shown, 20 in the answer, 5 and 1 since. */
	CHECK_EQ(round_of(CGROUP_GONE, 36), 1);
	CHECK_EQ(ios_of(1, TALLY_READ), -1);
	CHECK_EQ(ios_of(TALLY_OTHER, TALLY_READ), 16);
	/* The same id again is another entry, and nobody read its series. */
	round_of(CGROUP_SHOWN, 7);
	CHECK_EQ(ios_of(TALLY_OTHER, TALLY_READ), 16);
	CHECK_EQ(round_of(CGROUP_GONE, 7), 1);
	CHECK_EQ(ios_of(TALLY_OTHER, TALLY_READ), 23);
	/* One that was never shown. */
	CHECK_EQ(round_of(CGROUP_GONE, 2), 1);
	CHECK_EQ(ios_of(TALLY_OTHER, TALLY_READ), 25);
	cgroup_table__free(table);
}

static void series_of_a_cgroup_are_side_by_side(void)
{
	const struct cgroup_series *series;
	size_t count;

	start();
	cgroup_table__begin(table, 1);
	for (uint64_t op = TALLY_OP_COUNT; op--;)
		for (uint64_t cgroup = 1; cgroup < CGROUPS; cgroup += 2)
			add(cgroup, (uint32_t)op, 10 * cgroup + op, 0);
	cgroup_table__end(table);
	series = cgroup_table__series(table, &count);
	CHECK_EQ(count, 4 * TALLY_OP_COUNT);
	for (size_t i = 0; i < count; i++) {
		CHECK_EQ(series[i].key.cgroup, 2 * (i / TALLY_OP_COUNT) + 1);
		CHECK_EQ(series[i].key.op, i % TALLY_OP_COUNT);
		CHECK_EQ(series[i].sums[0], 10 * series[i].key.cgroup + series[i].key.op);
	}
	cgroup_table__free(table);
}

/* Random standings and answers: no sum falls, and all sums together, with the last answers of series
 * that ended, are what the kernel counted. */
static void no_sum_falls_and_nothing_is_lost(void)
{
	__u64 kernel[CGROUPS] = {0}, whole = 0;
	long long other = 0, ended = 0, before[CGROUPS] = {0};
	bool was_shown[CGROUPS] = {false};

	start();
	srand(7);
	for (unsigned int round = 0; round < 2000; round++) {
		long long sum = 0;

		cgroup_table__begin(table, round);
		for (uint64_t id = 1; id < CGROUPS; id++) {
			int choice = rand() % 16;
			__u64 more = (__u64)(rand() % 100);
			bool gone = !choice;

			if (gone)
				state.standing[id] = CGROUP_GONE;
			else if (was_shown[id])
				state.standing[id] = CGROUP_SHOWN;
			else
				state.standing[id] = choice < 8	   ? CGROUP_PROMOTED
						     : choice < 12 ? CGROUP_YOUNG
								   : CGROUP_BEYOND;
			kernel[id] += more;
			whole += more;
			CHECK_EQ(add(id, TALLY_READ, kernel[id], 0), gone);
			was_shown[id] = state.standing[id] == CGROUP_SHOWN ||
					state.standing[id] == CGROUP_PROMOTED;
			if (gone) {
				kernel[id] = 0;
				ended += before[id];
				before[id] = 0;
			}
		}
		CHECK_EQ(cgroup_table__end(table), 0);
		if (rand() % 3)
			continue;
		CHECK_EQ(cgroup_table__answered(table), 0);
		for (uint64_t id = 1; id < CGROUPS; id++) {
			long long ios = ios_of(id, TALLY_READ);

			CHECK_EQ(ios >= 0, was_shown[id]);
			CHECK(ios < 0 || ios >= before[id]);
			before[id] = ios < 0 ? 0 : ios;
			sum += before[id];
		}
		CHECK(ios_of(TALLY_OTHER, TALLY_READ) >= other);
		other = ios_of(TALLY_OTHER, TALLY_READ);
		sum += other < 0 ? 0 : other;
		CHECK_EQ(sum + ended, whole);
		if (test_failures_in_case)
			break;
	}
	cgroup_table__free(table);
}

int main(void)
{
	RUN(a_shown_cgroup_has_its_sums_and_other_has_the_rest);
	RUN(what_was_counted_before_it_was_shown_stays_in_other);
	RUN(what_a_cgroup_did_after_the_last_answer_is_in_other);
	RUN(series_of_a_cgroup_are_side_by_side);
	RUN(no_sum_falls_and_nothing_is_lost);
	return TEST_RESULT;
}
