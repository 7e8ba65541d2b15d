// SPDX-License-Identifier: MIT
/* What bursts are of: writes come together and reads between them, large ones with large ones. */
#include <string.h>

#include "profile/arrival/class_counts.h"
#include "profile/generate/generator.h"
#include "profile/prng.h"
#include "unit/profile/profiles.h"
#include "workload/figures/measure.h"

#define CLOSE_NS    300000ull
#define ROW_OF_MANY ((PROFILE_SHARE_IOS - 1) * PROFILE_SHARE_SHARES)

/* Reads, and now and then a burst of writes, all large or all small. */
static const char bursts_among_reads[] =
	"20000 times: 1 read 2ms to 10ms apart at random in 4G, "
	"30 writes of 4k or 64k 100us apart at random in 4G in 1 of 30; seed 7";

/* Writes as large as the write shortly before, per cent; and the figures of what is generated. */
static unsigned int generate(struct profile *p, struct workload_measure *measure)
{
	struct profile_generator *generator;
	struct io_row row, last = {0};
	uint64_t close = 0, same = 0;

	if (profile_generator__create(p, 5, &generator))
		abort();
	while (profile_generator__next(generator, &row) > 0) {
		CHECK_EQ(workload_measure__add(measure, &row), 0);
		if (row.op != IO_OP_WRITE)
			continue;
		if (last.bytes && row.created_ns - last.created_ns < CLOSE_NS) {
			close++;
			same += row.bytes == last.bytes;
		}
		last = row;
	}
	profile_generator__free(generator);
	return close ? (unsigned int)(same * 100 / close) : 0;
}

static struct workload_measure *new_measure(void)
{
	struct workload_measure *measure;

	if (workload_measure__create(0, &measure))
		abort();
	return measure;
}

static void bursts_are_of_what_they_were(void)
{
	struct made_workload workload = workload_of(bursts_among_reads);
	struct profile *p = profile_of_workload(&workload, 0);
	struct workload_measure *trace = new_measure(), *made = new_measure();

	for (unsigned int i = 0; i < workload.ios; i++)
		CHECK_EQ(workload_measure__add(trace, &workload.rows[i]), 0);
	CHECK(workload_measure__finish(trace)->busy_reads_pct < 10);
	CHECK(p->arrival.kinds_known);
	/* The two sizes are told apart; reads have but one. */
	CHECK(!size_classes_known(&p->arrival, true));
	CHECK(size_class(&p->arrival, false, 65536) > size_class(&p->arrival, false, 4096));
	CHECK(generate(p, made) >= 85);
	CHECK(workload_measure__finish(made)->busy_reads_pct < 20);
	workload_measure__free(made);
	/* A profile that does not say mixes sizes. */
	made = new_measure();
	memset(p->arrival.size_classes, 0, sizeof(p->arrival.size_classes));
	CHECK(generate(p, made) < 70);
	workload_measure__free(made);
	workload_measure__free(trace);
	profile__free(p);
	free(workload.rows);
}

/* 400 writes, half of them in the first half of an interval; 20 are large, 40 larger still. */
static void the_largest_are_divided_by_themselves(void)
{
	static const uint64_t counts[CLASS_COUNTS] = {0, 0, 0, 60, 40};
	struct profile_arrival *a = calloc(1, sizeof(*a));
	unsigned int first_halves = 0;
	struct prng random;

	if (!a)
		abort();
	/*
	 * The largest come together, all in either half; the others have the same share everywhere.
	 */
	for (unsigned int row = 0; row < PROFILE_SHARE_ROWS; row++) {
		a->class_shares[1][row][0] = a->class_shares[1][row][PROFILE_SHARE_COLUMNS - 1] = 1;
		a->class_shares[0][row][PROFILE_SHARE_COLUMNS / 2] = 1;
	}
	prng_seed(&random, 1);
	for (unsigned int i = 0; i < 100; i++) {
		uint64_t firsts[CLASS_COUNTS] = {0}, of, large;

		class_counts_split(a, counts, 400, 200, false, &random, firsts);
		CHECK(firsts[4] == 0 || firsts[4] == 40);
		first_halves += firsts[4] == 40;
		large = class_count_alone(firsts, 200, 3, &of);
		CHECK_EQ(of, 200 - firsts[4]);
		CHECK(large >= 6 && large <= 14);
	}
	CHECK(first_halves > 20 && first_halves < 80);
	free(a);
}

/*
 * Windows that hold a burst of the largest, and others: the table says so though they are
 * never split.
 */
static void windows_tell_how_they_are_divided(void)
{
	/* One of 240 windows has 166 IOs; every 16th begins with 40 of the largest. */
	struct profile *p = profile_of_sentence(
		"15 times: 40 writes of 128k 10ms apart 128k further each, 2616 writes 10ms apart 128k further each");
	uint64_t divided = 0;

	/* No window has 256 IOs, but a phase has, and fewer than one in eight of them are large. */
	for (unsigned int bin = 0; bin < PROFILE_SHARE_COLUMNS; bin++)
		divided += p->arrival.class_shares[1][ROW_OF_MANY][bin];
	CHECK(divided > 0);
	profile__free(p);
}

int main(void)
{
	RUN(bursts_are_of_what_they_were);
	RUN(the_largest_are_divided_by_themselves);
	RUN(windows_tell_how_they_are_divided);
	return TEST_RESULT;
}
