// SPDX-License-Identifier: MIT
/* A bssplit has the frequent sizes of a stream and the mean of all. */
#include "jobs/fio_split.h"

#include <stdlib.h>

#include "unit/shared/test.h"

/* `frequent` sizes of 4 KiB and up, `rare` ones of up to 1 MiB with some thousandths of the IOs together. */
static void draw(struct profile_stream *s, unsigned int frequent, unsigned int rare)
{
	*s = (struct profile_stream){.size_count = frequent + rare};
	for (unsigned int i = 0; i < frequent + rare; i++)
		s->sizes[i] = (struct profile_size){
			.bytes = 4096ull * (i + 1),
			.ios = i < frequent ? 2000 + (unsigned int)rand() % 2000
					    : 1 + (unsigned int)rand() % 20};
}

static double mean_of_stream(const struct profile_stream *s)
{
	double ios = 0, bytes = 0;

	for (uint32_t i = 0; i < s->size_count; i++) {
		ios += (double)s->sizes[i].ios;
		bytes += (double)s->sizes[i].ios * (double)s->sizes[i].bytes;
	}
	return bytes / ios;
}

static void check(const struct profile_stream *s, unsigned int frequent)
{
	double mean = 0, wanted = mean_of_stream(s);
	struct fio_split split;
	unsigned int pct = 0, found = 0;

	fio_split__of_stream(s, &split);
	for (unsigned int i = 0; i < split.count; i++) {
		CHECK(split.pct[i] >= 1);
		CHECK(!(split.bytes[i] % 4096));
		pct += split.pct[i];
		mean += (double)split.pct[i] * (double)split.bytes[i] / 100;
		for (unsigned int k = 0; k < frequent; k++)
			found += split.bytes[i] == s->sizes[k].bytes;
	}
	CHECK_EQ(pct, 100);
	CHECK(found >= frequent);
	if (mean > wanted * 1.01 || mean < wanted * .99)
		printf("# mean %g, not %g\n", mean, wanted);
	CHECK(mean <= wanted * 1.01 && mean >= wanted * .99);
}

static void rare_sizes_keep_the_mean(void)
{
	struct profile_stream s;

	srand(1);
	for (unsigned int times = 0; times < 200; times++) {
		unsigned int frequent = 1 + (unsigned int)rand() % 8;

		draw(&s, frequent, 20 + (unsigned int)rand() % 80);
		check(&s, frequent);
	}
}

static void one_rare_size_has_a_per_cent(void)
{
	struct profile_stream s = {.size_count = 2};
	struct fio_split split;

	s.sizes[0] = (struct profile_size){.bytes = 4096, .ios = 9990};
	s.sizes[1] = (struct profile_size){.bytes = 1048576, .ios = 10};
	fio_split__of_stream(&s, &split);
	CHECK_EQ(split.count, 2);
	CHECK_EQ(split.pct[1], 1);
	/* 0.1 % of 1 MiB are as many bytes as 1 % of this, with what the others lack. */
	CHECK_EQ(split.bytes[1], 106496);
}

static void frequent_sizes_stay_as_they_are(void)
{
	struct profile_stream s = {.size_count = 2};
	struct fio_split split;

	s.sizes[0] = (struct profile_size){.bytes = 4096, .ios = 6010};
	s.sizes[1] = (struct profile_size){.bytes = 65536, .ios = 3990};
	fio_split__of_stream(&s, &split);
	CHECK_EQ(split.count, 2);
	CHECK_EQ(split.bytes[0], 4096);
	CHECK_EQ(split.bytes[1], 65536);
	CHECK_EQ(split.pct[0], 60);
}

static void a_stream_without_sizes_has_no_split(void)
{
	struct profile_stream s = {.size_count = 0};
	struct fio_split split;

	fio_split__of_stream(&s, &split);
	CHECK_EQ(split.count, 0);
}

int main(void)
{
	RUN(rare_sizes_keep_the_mean);
	RUN(one_rare_size_has_a_per_cent);
	RUN(frequent_sizes_stay_as_they_are);
	RUN(a_stream_without_sizes_has_no_split);
	return TEST_RESULT;
}
