// SPDX-License-Identifier: MIT
/* What explain says of waits whose records are not whole. */
#include <stdio.h>
#include <stdlib.h>

#include "render/explain/explain.h"
#include "unit/explain/made_waits.h"

/* Whether the text about the waits has this part. Frees x. */
static bool says(struct explanation *x, const char *part)
{
	size_t bytes;
	char *text = NULL;
	FILE *out = open_memstream(&text, &bytes);
	bool found;

	if (!out)
		abort();
	CHECK(!explain_print_waits(out, x));
	fclose(out);
	found = strstr(text, part) != NULL;
	free(text);
	explanation__free(x);
	return found;
}

static void sleeps_without_a_stack_are_counted(void)
{
	struct explainer *e = new_explainer();

	add_call(e, SYNCS, 300);
	CHECK(!says(test_finish(e, 10 * MS), "Note:"));
	e = new_explainer();
	add_call(e, 0, 300);
	CHECK(says(test_finish(e, 10 * MS), "Note: 1 sleep had no stack"));
}

static void the_time_of_sleeps_without_a_wakeup_is_told(void)
{
	struct wait_row sleep = {.what = WAIT_SLEEP,
				 .time_ns = START_NS + 100 * US,
				 .duration_ns = 300 * US,
				 .call_ns = START_NS,
				 .call = WAIT_CALL_READ,
				 .flags = WAIT_NO_WAKEUP,
				 .task = 1,
				 .stack = SYNCS};
	struct explainer *e = new_explainer();
	struct explanation *x;

	CHECK(!explainer__add_wait(e, &sleep));
	add_call(e, SYNCS, 0);
	x = test_finish(e, 10 * MS);
	CHECK_EQ(x->waits.no_wakeup_ns, 300 * US);
	CHECK(says(x, "the wakeup from sleeps of 300 us was not seen"));
}

int main(void)
{
	RUN(the_time_of_sleeps_without_a_wakeup_is_told);
	RUN(sleeps_without_a_stack_are_counted);
	return TEST_RESULT;
}
