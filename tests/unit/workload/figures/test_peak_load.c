// SPDX-License-Identifier: MIT
/* The busiest windows and what limits hold back, against values made by hand and a plain simulation. */
#include "unit/shared/random.h"
#include "unit/shared/test.h"

#include "base/units.h"
#include "workload/figures/peak_load.h"

#define MS NSEC_PER_MSEC

struct came {
	uint64_t time_ns, bytes;
};

static struct peak_figures figures_of(const struct came *ios, size_t count)
{
	struct peak_load *p = peak_load__new();
	struct peak_figures f;

	for (size_t i = 0; i < count; i++)
		CHECK_EQ(peak_load__add(p, ios[i].time_ns, ios[i].bytes), 0);
	peak_load__finish(p, &f);
	peak_load__free(p);
	return f;
}

static const struct peak_limit *limit_of(const struct peak_figures *f, uint64_t ios_per_s,
					 uint64_t bytes_per_s)
{
	for (unsigned int i = 0; i < PEAK_LIMITS; i++)
		if (f->limits[i].ios_per_s == ios_per_s && f->limits[i].bytes_per_s == bytes_per_s)
			return &f->limits[i];
	abort();
}

static void nothing_has_no_peak(void)
{
	struct peak_figures f = figures_of(NULL, 0);

	CHECK_EQ(f.ios, 0);
	CHECK_EQ(f.windows[0].ios, 0);
	CHECK_EQ(limit_of(&f, 100, 0)->held_ios, 0);
}

/* Three of 4 KiB within 10 ms, which a second boundary divides, and one of 1 MiB a minute later. */
static void a_window_moves(void)
{
	static const struct came ios[] = {
		{1996 * MS, 4096}, {1999 * MS, 4096}, {2003 * MS, 4096}, {62004 * MS, 1 << 20}};
	struct peak_figures f = figures_of(ios, 4);

	CHECK_EQ(f.ios, 4);
	CHECK_EQ(f.bytes, 3 * 4096 + (1 << 20));
	CHECK_EQ(f.windows[0].ios, 3);
	CHECK_EQ(f.windows[0].bytes, 1 << 20);
	CHECK_EQ(f.windows[0].ios_at_ns, 1994 * MS);
	CHECK_EQ(f.windows[0].bytes_at_ns, 61995 * MS);
	CHECK_EQ(f.windows[4].ios, 3);
	CHECK_EQ(f.windows[4].bytes, 1 << 20);
}

/* At 1,000 a second: the second waits 1 ms, the third 2 ms, the fourth 0.5 ms. */
static void a_limit_lets_one_after_the_other_through(void)
{
	static const struct came ios[] = {
		{5 * MS, 1}, {5 * MS, 1}, {5 * MS, 1}, {7 * MS + MS / 2, 1}, {9 * MS, 1}};
	struct peak_figures f = figures_of(ios, 5);
	const struct peak_limit *limit = limit_of(&f, 1000, 0);

	CHECK_EQ(limit->held_ios, 3);
	CHECK_EQ(limit->longest_ns, 2 * MS);
	CHECK_EQ(limit->p99_ns, 2 * MS);
	CHECK_EQ(limit_of(&f, 256000, 0)->held_ios, 2);
}

/* 1 MiB takes 100 ms at 10 MiB a second. */
static void a_limit_of_bytes_follows_sizes(void)
{
	static const struct came ios[] = {{0, 1 << 20}, {MS, 4096}, {MS * 100, 4096}};
	struct peak_figures f = figures_of(ios, 3);
	const struct peak_limit *limit = limit_of(&f, 0, 10u << 20);

	CHECK_EQ(limit->held_ios, 2);
	CHECK_EQ(limit->longest_ns, 99 * MS);
}

static void late_rows_count_with_the_one_before(void)
{
	static const struct came ios[] = {{50 * MS, 1}, {10 * MS, 1}};
	struct peak_figures f = figures_of(ios, 2);

	CHECK_EQ(f.windows[0].ios, 2);
	CHECK_EQ(limit_of(&f, 100, 0)->longest_ns, 10 * MS);
}

#define RANDOM_IOS 3000u

static uint64_t most_within(const struct came *ios, uint64_t window_ns)
{
	uint64_t step_ns = window_ns / 10, most = 0;

	for (unsigned int i = 0, first = 0; i < RANDOM_IOS; i++) {
		while (ios[first].time_ns / step_ns + 10 <= ios[i].time_ns / step_ns)
			first++;
		if (i - first + 1 > most)
			most = i - first + 1;
	}
	return most;
}

static void simulate(const struct came *ios, const struct peak_limit *limit)
{
	uint64_t open_ns = 0, held = 0, longest_ns = 0;

	for (unsigned int i = 0; i < RANDOM_IOS; i++) {
		uint64_t now_ns = ios[i].time_ns;

		if (open_ns > now_ns) {
			held++;
			longest_ns = open_ns - now_ns > longest_ns ? open_ns - now_ns : longest_ns;
			now_ns = open_ns;
		}
		open_ns = now_ns + (limit->ios_per_s ? NSEC_PER_SEC / limit->ios_per_s
						     : (uint64_t)((double)ios[i].bytes * 1e9 /
								  (double)limit->bytes_per_s));
	}
	CHECK_EQ(limit->held_ios, held);
	CHECK_EQ(limit->longest_ns, longest_ns);
}

static void all_limits_equal_a_plain_simulation(void)
{
	static struct came ios[RANDOM_IOS];
	struct peak_figures f;
	uint64_t time_ns = NSEC_PER_SEC;

	for (unsigned int i = 0; i < RANDOM_IOS; i++) {
		uint64_t kind = next_random() % 10;

		time_ns += kind < 6 ? 0 : next_random() % (kind < 9 ? MS : 50 * MS);
		ios[i] = (struct came){time_ns, 512 * (1 + next_random() % 2048)};
	}
	f = figures_of(ios, RANDOM_IOS);
	for (unsigned int i = 0; i < PEAK_WINDOWS; i++)
		CHECK_EQ(f.windows[i].ios, most_within(ios, peak_windows_ns[i]));
	for (unsigned int i = 0; i < PEAK_LIMITS; i++)
		simulate(ios, &f.limits[i]);
}

int main(void)
{
	RUN(nothing_has_no_peak);
	RUN(a_window_moves);
	RUN(a_limit_lets_one_after_the_other_through);
	RUN(a_limit_of_bytes_follows_sizes);
	RUN(late_rows_count_with_the_one_before);
	RUN(all_limits_equal_a_plain_simulation);
	return TEST_RESULT;
}
