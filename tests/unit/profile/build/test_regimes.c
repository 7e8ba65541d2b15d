// SPDX-License-Identifier: MIT
/* Phases that are alike share the tables of their streams; others have their own. */
#include "profile/generate/generator.h"
#include "unit/profile/profiles.h"

#define PHASES 24
#define SMALL_THEN_LARGE_THEN_SMALL                      \
	"8000 reads of 4k 1ms apart at random in 64G; "  \
	"8000 reads of 64k 1ms apart at random in 64G; " \
	"8000 reads of 4k 1ms apart at random in 64G"
#define MIDDLE_BEGINS_NS 8000000000ull
#define MIDDLE_ENDS_NS	 16000000000ull

/* The random reads of the profile; those of the k-th stream of them. */
static const struct profile_stream *random_reads(const struct profile *p, unsigned int k)
{
	for (uint32_t i = 0; i < p->stream_count; i++)
		if (!p->streams[i].sequential && !k--)
			return &p->streams[i];
	return NULL;
}

static void phases_that_are_alike_are_one_regime(void)
{
	struct profile *p = profile_of_sentence("24000 reads of 4k 1ms apart at random in 1G");

	CHECK_EQ(p->phase_count, PHASES);
	CHECK(random_reads(p, 0) != NULL);
	CHECK(random_reads(p, 1) == NULL);
	profile__free(p);
}

static void a_regime_comes_back(void)
{
	struct profile *p = profile_through_text(profile_of_sentence(SMALL_THEN_LARGE_THEN_SMALL));
	const struct profile_stream *small = random_reads(p, 0), *large = random_reads(p, 1);

	CHECK(small != NULL && large != NULL && random_reads(p, 2) == NULL);
	CHECK_EQ(small->ios, 16000);
	CHECK_EQ(small->size_count, 1);
	CHECK_EQ(small->sizes[0].bytes, 4096);
	CHECK_EQ(large->size_count, 1);
	CHECK_EQ(large->sizes[0].bytes, 65536);
	for (unsigned int phase = 0; phase < PHASES; phase++)
		CHECK_EQ(!small->phases[phase], phase >= PHASES / 3 && phase < 2 * PHASES / 3);
	profile__free(p);
}

static void a_regime_generates_its_own_sizes(void)
{
	struct profile *p = profile_of_sentence(SMALL_THEN_LARGE_THEN_SMALL);
	struct profile_generator *generator;
	struct io_row row;
	uint64_t wrong = 0;

	CHECK_EQ(profile_generator__create(p, 1, &generator), 0);
	while (profile_generator__next(generator, &row) == 1)
		wrong += row.bytes !=
			 (row.created_ns >= MIDDLE_BEGINS_NS && row.created_ns < MIDDLE_ENDS_NS
				  ? 65536u
				  : 4096u);
	CHECK(wrong <= 2);
	profile_generator__free(generator);
	profile__free(p);
}

/* By chance, few IOs look as if phases differed. */
static void few_ios_make_no_regimes(void)
{
	struct profile *p = profile_of_sentence(
		"800 reads of 4k or 8k 1ms apart at random in 64G from 0 or 64G");

	CHECK(p->phase_count > 1);
	CHECK(random_reads(p, 1) == NULL);
	profile__free(p);
}

/* A kind that is rare in a regime keeps one table. */
static void rare_kinds_are_not_divided(void)
{
	struct profile *p = profile_of_sentence(
		"8000 reads of 4k 1ms apart at random in 64G, 3 writes of 4k 1ms apart; "
		"8000 reads of 64k 1ms apart at random in 64G, 3 writes of 4k 1ms apart");
	unsigned int writes = 0;

	for (uint32_t i = 0; i < p->stream_count; i++)
		writes += p->streams[i].op == IO_OP_WRITE;
	CHECK_EQ(writes, 1);
	profile__free(p);
}

int main(void)
{
	RUN(phases_that_are_alike_are_one_regime);
	RUN(a_regime_comes_back);
	RUN(a_regime_generates_its_own_sizes);
	RUN(few_ios_make_no_regimes);
	RUN(rare_kinds_are_not_divided);
	return TEST_RESULT;
}
