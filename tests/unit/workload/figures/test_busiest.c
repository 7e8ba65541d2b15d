// SPDX-License-Identifier: MIT
/* The busiest windows of small workloads. */
#include "unit/shared/test.h"

#include <math.h>

#include "base/units.h"
#include "workload/figures/busiest.h"

#define WINDOW_NS (10 * NSEC_PER_MSEC)

/* `count` windows from *window on, of `ios` IOs each. */
static void add_windows(struct busiest *b, uint64_t *window, unsigned int count, unsigned int ios,
			bool reads)
{
	for (; count--; ++*window)
		for (unsigned int i = 0; i < ios; i++)
			busiest_add(b, *window * WINDOW_NS + i * WINDOW_NS / ios, reads, 4096);
}

static void the_busiest_tenth_is_counted(void)
{
	struct busiest b = {0};
	uint64_t window = 0;

	/* The busiest tenth of 1,000 IOs: the 50 writes and as many reads. */
	add_windows(&b, &window, 40, 10, true);
	add_windows(&b, &window, 1, 50, false);
	add_windows(&b, &window, 55, 10, true);
	CHECK(fabs(busiest_reads_pct(&b) - 50) < 1e-9);
	/* All of one operation, one IO per window. */
	b = (struct busiest){0};
	window = 0;
	add_windows(&b, &window, 30, 1, true);
	CHECK(fabs(busiest_reads_pct(&b) - 100) < 1e-9);
	b = (struct busiest){0};
	window = 0;
	add_windows(&b, &window, 3, 1, true);
	CHECK(fabs(busiest_reads_pct(&b) - 100) < 1e-9);
	b = (struct busiest){0};
	CHECK(isnan(busiest_reads_pct(&b)));
}

/*
 * Windows with about equal counts contribute in proportion; those with a quarter more come first.
 */
static void windows_are_as_busy_within_a_quarter_of_an_octave(void)
{
	struct busiest b = {0};
	uint64_t window = 0;

	add_windows(&b, &window, 10, 8, true);
	add_windows(&b, &window, 10, 9, false);
	CHECK(fabs(busiest_reads_pct(&b) - 100 * 8.0 / 17) < 1e-9);
	for (unsigned int ios = 1; ios < 5; ios++) {
		b = (struct busiest){0};
		window = 0;
		add_windows(&b, &window, 20, ios, false);
		add_windows(&b, &window, 20, ios + 1, true);
		CHECK(fabs(busiest_reads_pct(&b) - 100) < 1e-9);
	}
	b = (struct busiest){0};
	window = 0;
	add_windows(&b, &window, 10, 64, true);
	add_windows(&b, &window, 10, 63, false);
	add_windows(&b, &window, 2, 80, false);
	/* 143 of 1,430: all but the last window are less busy than the two of 80. */
	CHECK(fabs(busiest_reads_pct(&b) - 0) < 1e-9);
}

static void dispersion_of_bytes_counts_whole_seconds(void)
{
	static const uint64_t bytes[] = {1000, 3000, 2000};
	struct busiest b = {0};

	for (unsigned int s = 0; s < 3; s++)
		for (unsigned int i = 0; i < 10; i++)
			busiest_add(&b, s * NSEC_PER_SEC + i * 90 * NSEC_PER_MSEC, true,
				    bytes[s] / 10);
	CHECK(isnan(busiest_bytes_idc(&b, 1)));
	/* Of 30 IOs the mean size, weighed by bytes, is (100^2 + 300^2 + 200^2) / 600. */
	CHECK(fabs(busiest_io_bytes(&b) - 140000.0 / 600) < 1e-9);
	CHECK(fabs(busiest_bytes_idc(&b, 3) - 2e6 / 3 / 2000 / (140000.0 / 600)) < 1e-9);
	/* A second that is not whole does not count. */
	busiest_add(&b, 3 * NSEC_PER_SEC, true, 77777);
	CHECK(fabs(busiest_bytes_idc(&b, 3) * busiest_io_bytes(&b) - 2e6 / 3 / 2000) < 1e-9);
	/* A second without IOs does. */
	b = (struct busiest){0};
	busiest_add(&b, 0, true, 3000);
	busiest_add(&b, 2 * NSEC_PER_SEC, false, 3000);
	CHECK(fabs(busiest_bytes_idc(&b, 3) - 2e6 / 2000 / 3000) < 1e-9);
	b = (struct busiest){0};
	busiest_add(&b, 0, false, 0);
	CHECK(isnan(busiest_bytes_idc(&b, 3)));
}

/* Random arrivals, of one size and of a small and a large one: bursts have 1 either way. */
static void random_bytes_have_1(void)
{
	static const uint64_t large[] = {4096, 131072};

	for (unsigned int size = 0; size < 2; size++) {
		struct busiest b = {0};
		uint64_t random = 1;
		double time_s = 0;

		while (time_s < 2000) {
			random = random * 6364136223846793005 + 1442695040888963407;
			busiest_add(&b, (uint64_t)(time_s * 1e9), true,
				    random >> 63 ? large[size] : 4096);
			random = random * 6364136223846793005 + 1442695040888963407;
			time_s -= log(((double)(random >> 11) + 1) / 0x1p53) / 50;
		}
		CHECK(fabs(busiest_bytes_idc(&b, 2000) - 1) < 0.1);
	}
}

int main(void)
{
	RUN(random_bytes_have_1);
	RUN(the_busiest_tenth_is_counted);
	RUN(windows_are_as_busy_within_a_quarter_of_an_octave);
	RUN(dispersion_of_bytes_counts_whole_seconds);
	return TEST_RESULT;
}
