// SPDX-License-Identifier: MIT
#include "base/ioprio.h"

#include <string.h>

#include "unit/shared/test.h"

static bool is_text(const char *text)
{
	uint16_t ioprio;

	return ioprio_from_text(text, strlen(text), &ioprio);
}

static void every_number_has_a_text_of_its_own(void)
{
	char text[IOPRIO_TEXT_MAX];
	uint16_t back;

	for (uint32_t ioprio = 0; ioprio <= UINT16_MAX; ioprio++) {
		ioprio_text((uint16_t)ioprio, text);
		CHECK(ioprio_from_text(text, strlen(text), &back));
		CHECK_EQ(back, ioprio);
	}
}

static void texts_are_those_of_ionice(void)
{
	char text[IOPRIO_TEXT_MAX];

	CHECK(!strcmp(ioprio_text(0, text), ""));
	CHECK(!strcmp(ioprio_text(ioprio_make(IO_CLASS_REALTIME, 3), text), "rt/3"));
	CHECK(!strcmp(ioprio_text(ioprio_make(IO_CLASS_BEST_EFFORT, 7), text), "be/7"));
	CHECK(!strcmp(ioprio_text(ioprio_make(IO_CLASS_IDLE, 0), text), "idle/0"));
	CHECK(!strcmp(ioprio_text(ioprio_make(IO_CLASS_BEST_EFFORT, 0) | 5 << 3, text), "be/0/5"));
}

static void other_texts_are_refused(void)
{
	CHECK(!is_text("be"));
	CHECK(!is_text("be/8"));
	CHECK(!is_text("be/4/1024"));
	CHECK(!is_text("be/4/"));
	CHECK(!is_text("be/4 "));
	CHECK(!is_text("best/4"));
	CHECK(!is_text("none/0"));
	CHECK(!is_text("be/4/0000000000000000000000000000000000000"));
}

static void no_priority_becomes_the_middle_of_best_effort(void)
{
	CHECK_EQ(ioprio_effective(0), ioprio_make(IO_CLASS_BEST_EFFORT, 4));
	CHECK_EQ(ioprio_effective(5), ioprio_make(IO_CLASS_BEST_EFFORT, 4));
	CHECK_EQ(ioprio_effective(ioprio_make(IO_CLASS_IDLE, 2)), ioprio_make(IO_CLASS_IDLE, 2));
}

int main(void)
{
	RUN(every_number_has_a_text_of_its_own);
	RUN(texts_are_those_of_ionice);
	RUN(other_texts_are_refused);
	RUN(no_priority_becomes_the_middle_of_best_effort);
	return TEST_RESULT;
}
