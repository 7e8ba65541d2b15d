// SPDX-License-Identifier: MIT
/* When what a record tells of ended: by this, records of several rings are put in order. */
#include "unit/shared/test.h"

#include "bpf/bio.h"
#include "collector/probes/record_time.h"

static void each_kind_has_its_end(void)
{
	const struct io_event io = {.type = EVENT_IO, .created_ns = 10, .completed_ns = 30};
	const struct bio_event bio = {.type = RECORD_BIO, .created_ns = 11, .completed_ns = 31};
	const struct access_event access = {.type = EVENT_ACCESS, .time_ns = 12, .duration_ns = 20};

	CHECK_EQ(record_time_ns(&io, sizeof(io)), 30);
	CHECK_EQ(record_time_ns(&bio, sizeof(bio)), 31);
	CHECK_EQ(record_time_ns(&access, sizeof(access)), 32);
	CHECK_EQ(record_time_access_end_ns(&access), 32);
}

/* Names and links are wanted before what relies on them. */
static void what_has_no_end_comes_first(void)
{
	const struct file_event file = {.type = EVENT_FILE};
	const struct bio_link link = {.type = RECORD_LINK};
	const struct io_event cut = {.type = EVENT_IO, .completed_ns = 30};

	CHECK_EQ(record_time_ns(&file, sizeof(file)), 0);
	CHECK_EQ(record_time_ns(&link, sizeof(link)), 0);
	CHECK_EQ(record_time_ns(&cut, sizeof(cut) - 1), 0);
}

int main(void)
{
	RUN(each_kind_has_its_end);
	RUN(what_has_no_end_comes_first);
	return TEST_RESULT;
}
