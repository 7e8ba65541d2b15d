// SPDX-License-Identifier: MIT
/* What a trace says is missing from it, as counts, as a share and as a sentence. */
#include "unit/shared/test.h"

#include <math.h>
#include <string.h>

#include "workload/missing_rows.h"

/* 300 of 1,000 IOs and 5 accesses are lost; other losses are of no row. */
static struct missing_rows made(void)
{
	struct missing_rows m = {0};

	m.lost[LOSS_IO_RING] = 200;
	m.lost[LOSS_IO_STATE] = 100;
	m.lost[LOSS_ACCESS_RING] = 5;
	m.lost[LOSS_CACHE_TABLE] = 7;
	m.lost[LOSS_RECURSION] = 11;
	m.lost[LOSS_NAMES] = 13;
	m.lost[LOSS_IO_EVENT] = 17;
	m.rows[ROW_IO] = 700;
	m.rows[ROW_ACCESS] = 15;
	return m;
}

static void each_class_counts_for_its_rows(void)
{
	struct missing_rows m = made();

	CHECK_EQ(missing_rows__lost(&m, ROW_IO), 300);
	CHECK_EQ(missing_rows__lost(&m, ROW_ACCESS), 5);
	/* It is not known what stood in a damaged block, or did not fit on a full disk. */
	m.lost[LOSS_OUTPUT] = 1;
	m.lost[LOSS_FILE_DAMAGE] = 2;
	CHECK_EQ(missing_rows__lost(&m, ROW_IO), 303);
	CHECK_EQ(missing_rows__lost(&m, ROW_ACCESS), 8);
}

static void the_share_is_of_lost_and_present_rows(void)
{
	struct missing_rows m = made(), none = {.rows[ROW_IO] = 5}, few = {.lost[LOSS_IO_RING] = 1};

	CHECK(fabs(missing_rows__lost_pct(&m, ROW_IO) - 30) < 1e-9);
	CHECK(fabs(missing_rows__lost_pct(&m, ROW_ACCESS) - 25) < 1e-9);
	CHECK_EQ(missing_rows__lost_ppm(&m, ROW_IO), 300000);
	CHECK_EQ(missing_rows__lost_ppm(&none, ROW_IO), 0);
	/* One of many is not none. */
	few.rows[ROW_IO] = 100000000;
	CHECK_EQ(missing_rows__lost_ppm(&few, ROW_IO), 1);
	/* The rows of a part of the time are not counted. */
	m.part = true;
	CHECK(isnan(missing_rows__lost_pct(&m, ROW_IO)));
}

static void what_two_traces_lack_is_added(void)
{
	struct missing_rows all = made(), other = made();

	other.torn = true;
	missing_rows__merge(&all, &other);
	CHECK_EQ(missing_rows__lost(&all, ROW_IO), 600);
	CHECK_EQ(all.rows[ROW_IO], 1400);
	CHECK(all.torn);
	CHECK(fabs(missing_rows__lost_pct(&all, ROW_IO) - 30) < 1e-9);
}

static void the_sentence_names_counts_and_classes(void)
{
	struct missing_rows m = made(), none = {.rows[ROW_IO] = 5};
	struct missing_rows profile = {.profile_lost_ppm = 519000};
	char text[MISSING_TEXT_MAX];

	CHECK(missing_rows__text(&m, ROW_IO, text));
	CHECK(!strcmp(text, "300 of 1,000 IOs are missing (30.0 %; io_ring: 200; io_state: 100)"));
	CHECK(missing_rows__text(&m, ROW_ACCESS, text));
	CHECK(!strcmp(text, "5 of 20 accesses are missing (25.0 %; access_ring: 5)"));
	m.part = true;
	CHECK(missing_rows__text(&m, ROW_IO, text));
	CHECK(!strcmp(text, "300 IOs are missing (io_ring: 200; io_state: 100)"));
	CHECK(missing_rows__text(&profile, ROW_IO, text));
	CHECK(!strcmp(text, "52 % of the IOs are missing"));
	CHECK(!missing_rows__text(&none, ROW_IO, text));
	CHECK(!*text);
}

int main(void)
{
	RUN(each_class_counts_for_its_rows);
	RUN(the_share_is_of_lost_and_present_rows);
	RUN(what_two_traces_lack_is_added);
	RUN(the_sentence_names_counts_and_classes);
	return TEST_RESULT;
}
