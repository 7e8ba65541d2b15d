// SPDX-License-Identifier: MIT
/* Pages that a set forgot are new to it. */
#include "unit/shared/test.h"
#include "workload/page_cache/page_set.h"

static bool is_new(struct page_set *s, uint64_t key)
{
	bool new = false;

	CHECK_EQ(page_set__add(s, key, &new), 0);
	return new;
}

static bool keeps_below(const void *limit, uint64_t key)
{
	return key < *(const uint64_t *)limit;
}

static void a_page_is_new_once(void)
{
	struct page_set s;

	CHECK_EQ(page_set__init(&s), 0);
	CHECK(is_new(&s, 7));
	CHECK(is_new(&s, 8));
	CHECK(!is_new(&s, 7));
	CHECK(is_new(&s, 7 + 1000000));
	page_set__release(&s);
}

static void what_is_not_kept_is_new_again(void)
{
	const uint64_t limit = 1000;
	struct page_set s;

	CHECK_EQ(page_set__init(&s), 0);
	/* The first goes, so that the number of the second changes. */
	CHECK(is_new(&s, 5000));
	CHECK(is_new(&s, 7));
	CHECK(is_new(&s, 9000));
	CHECK_EQ(page_set__keep(&s, keeps_below, &limit), 0);
	CHECK_EQ(s.count, 1);
	CHECK(!is_new(&s, 7));
	CHECK(is_new(&s, 5000));
	CHECK(is_new(&s, 9000));
	CHECK(!is_new(&s, 5000));
	CHECK_EQ(s.count, 3);
	page_set__release(&s);
}

int main(void)
{
	RUN(a_page_is_new_once);
	RUN(what_is_not_kept_is_new_again);
	return TEST_RESULT;
}
