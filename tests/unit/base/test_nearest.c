// SPDX-License-Identifier: MIT
#include <limits.h>

#include "base/nearest.h"
#include "unit/shared/test.h"

static void distances_by_hand(void)
{
	CHECK_EQ(word_distance("", ""), 0);
	CHECK_EQ(word_distance("", "abc"), 3);
	CHECK_EQ(word_distance("replay", "replay"), 0);
	CHECK_EQ(word_distance("relpay", "replay"), 1); /* swapped neighbours */
	CHECK_EQ(word_distance("rplay", "replay"), 1);
	CHECK_EQ(word_distance("kitten", "sitting"), 3);
	CHECK_EQ(word_distance("ca", "abc"), 3); /* no part is changed twice */
}

static void a_long_word_is_far(void)
{
	char word[NEAREST_WORD_MAX + 2];

	memset(word, 'a', sizeof(word) - 1);
	word[sizeof(word) - 1] = 0;
	CHECK(word_distance(word, word) == UINT_MAX);
	CHECK(!is_near(word, word));
	word[NEAREST_WORD_MAX] = 0;
	CHECK_EQ(word_distance(word, word), 0);
}

static void near_words(void)
{
	CHECK(is_near("recrod", "record"));
	CHECK(is_near("recor", "record"));
	CHECK(is_near("stats", "stat"));
	CHECK(is_near("exlpian", "explain"));
	CHECK(!is_near("report", "repair"));
	CHECK(!is_near("in", "info"));
	CHECK(!is_near("nonsense", "doctor"));
}

int main(void)
{
	RUN(distances_by_hand);
	RUN(a_long_word_is_far);
	RUN(near_words);
	return TEST_RESULT;
}
