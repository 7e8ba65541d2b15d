// SPDX-License-Identifier: MIT
/* Profiles that a person wrote or changed: what is left out, and what contradicts itself. */
#include <string.h>

#include "profile/generate/generator.h"
#include "unit/profile/profiles.h"

#define HEAD "[profile]\nversion = 1\nios = 900\nduration = 9s\nend = 1GiB\n"

static uint64_t generated_of_stream(const struct profile *p, uint32_t stream)
{
	struct profile_generator *generator;
	struct io_row row;
	uint64_t ios = 0;

	if (profile_generator__create(p, 1, &generator))
		abort();
	while (profile_generator__next(generator, &row) > 0)
		ios += row.task == stream;
	profile_generator__free(generator);
	return ios;
}

static void a_stream_without_phases_comes_when_others_do(void)
{
	struct profile *p = profile_of_text(
		HEAD "phases = 3\n[arrival]\nwindows = 400 300 200\n"
		     "[stream 1]\nop = read\nios = 560\nphases = 300 160 100\nsize = 4K\n"
		     "[stream 2]\nop = write\nios = 300\nphases = 100 120 80\nsize = 4K\n"
		     "[stream 3]\nop = discard\nios = 40\nsize = 4K\n");

	CHECK_EQ(p->streams[2].phases[0], 18);
	CHECK_EQ(p->streams[2].phases[0] + p->streams[2].phases[1] + p->streams[2].phases[2], 40);
	CHECK(generated_of_stream(p, 3) >= 39);
	profile__free(p);
}

static void a_stream_of_no_ios_has_none(void)
{
	struct profile *p = profile_of_text(HEAD "[stream 1]\nop = read\nios = 100\nsize = 4K\n"
						 "[stream 2]\nop = write\nios = 0\nsize = 4K\n");

	CHECK_EQ(p->streams[0].ios, 900);
	CHECK_EQ(p->streams[1].ios, 0);
	CHECK_EQ(generated_of_stream(p, 2), 0);
	profile__free(p);
}

/* One per cent of 64 places of 16 MiB is less than one. */
static void a_hot_range_is_at_least_one_place(void)
{
	struct profile *p = profile_of_text(HEAD "[stream 1]\nop = read\nsize = 16M\n"
						 "place = hot 90% of 1%\n");
	struct profile_generator *generator;
	uint64_t at_begin = 0;
	struct io_row row;

	if (profile_generator__create(p, 1, &generator))
		abort();
	while (profile_generator__next(generator, &row) > 0)
		at_begin += !row.sector;
	CHECK(at_begin > 780 && at_begin < 840);
	profile_generator__free(generator);
	profile__free(p);
	CHECK(strstr(refusal(HEAD "[stream 1]\nop = read\nsize = 4K\nplace = hot 90% of 0%\n"),
		     "'place': 'hot 90% of 0%' is none of"));
}

static void contradictions_are_refused(void)
{
	static const char *const tables[] = {"gap.2 = 12:5 13:3", "gap_histogram = 12:5",
					     "entry_gap.1 = 12:5", "split_levels = 3",
					     "period_ns = 2000000000\nperiod_shape = 1 3"};
	char text[1024];

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		snprintf(text, sizeof(text),
			 HEAD "arrival = even\n[arrival]\nwindows = 900\n%s\n"
			      "[stream 1]\nop = read\nsize = 4K\n",
			 tables[i]);
		CHECK(strstr(refusal(text), "'arrival' goes without tables of [arrival]"));
	}
	CHECK(strstr(refusal(HEAD "[error]\nseeds = 5\nios_ratio = 1.0\n"),
		     "'ios_ratio': '1.0' is not two numbers"));
}

int main(void)
{
	RUN(a_stream_without_phases_comes_when_others_do);
	RUN(a_stream_of_no_ios_has_none);
	RUN(a_hot_range_is_at_least_one_place);
	RUN(contradictions_are_refused);
	return TEST_RESULT;
}
