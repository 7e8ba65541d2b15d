/* SPDX-License-Identifier: MIT */
/* A unit-test harness of a few macros: each test binary prints one "ok"/"not ok" line per test. */
#ifndef BLKREEL_TESTS_UNIT_SHARED_TEST_H
#define BLKREEL_TESTS_UNIT_SHARED_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int test_failures_in_case;
static int test_cases_failed;

#define CHECK(condition)                                                         \
	do {                                                                     \
		if (!(condition)) {                                              \
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #condition); \
			test_failures_in_case++;                                 \
		}                                                                \
	} while (0)

#define CHECK_EQ(got, want)                                                                       \
	do {                                                                                      \
		long long got_ = (long long)(got), want_ = (long long)(want);                     \
		if (got_ != want_) {                                                              \
			printf("# %s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #got, got_, \
			       want_);                                                            \
			test_failures_in_case++;                                                  \
		}                                                                                 \
	} while (0)

#define CHECK_TEXT(got, want)                                                                     \
	do {                                                                                      \
		const char *got_ = (got), *want_ = (want);                                        \
		if (strcmp(got_, want_)) {                                                        \
			printf("# %s:%d: %s is '%s', not '%s'\n", __FILE__, __LINE__, #got, got_, \
			       want_);                                                            \
			test_failures_in_case++;                                                  \
		}                                                                                 \
	} while (0)

/* CHECK for what the rest of the case depends on. */
#define REQUIRE(condition)                                                       \
	do {                                                                     \
		if (!(condition)) {                                              \
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #condition); \
			test_failures_in_case++;                                 \
			return;                                                  \
		}                                                                \
	} while (0)

#define RUN(test)                                                                  \
	do {                                                                       \
		test_failures_in_case = 0;                                         \
		test();                                                            \
		printf("%s %s\n", test_failures_in_case ? "not ok" : "ok", #test); \
		if (test_failures_in_case)                                         \
			test_cases_failed++;                                       \
	} while (0)

#define TEST_RESULT (test_cases_failed ? EXIT_FAILURE : EXIT_SUCCESS)

#endif
