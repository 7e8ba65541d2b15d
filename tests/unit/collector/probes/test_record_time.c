// SPDX-License-Identifier: MIT
/* The end time of a record, by which the records of several rings are ordered. */
#include "unit/shared/test.h"

#include "bpf/bio.h"
#include "collector/probes/record_time.h"

static void each_kind_of_record_has_its_end_time(void)
{
	const struct io_event io = {.type = EVENT_IO, .created_ns = 10, .completed_ns = 30};
	const struct bio_event bio = {.type = RECORD_BIO, .created_ns = 11, .completed_ns = 31};
	const struct access_event access = {.type = EVENT_ACCESS, .time_ns = 12, .duration_ns = 20};

	CHECK_EQ(record_time_ns(&io, sizeof(io)), 30);
	CHECK_EQ(record_time_ns(&bio, sizeof(bio)), 31);
	CHECK_EQ(record_time_ns(&access, sizeof(access)), 32);
	CHECK_EQ(record_time_access_end_ns(&access), 32);
}

/* Names and links must come before the records that refer to them. */
static void records_without_an_end_come_first(void)
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
	RUN(each_kind_of_record_has_its_end_time);
	RUN(records_without_an_end_come_first);
	return TEST_RESULT;
}
