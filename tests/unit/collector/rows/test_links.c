// SPDX-License-Identifier: MIT
/* Which IO above becomes the parent of which row below. */
#include <errno.h>
#include <stdlib.h>

#include "collector/rows/bios.h"
#include "collector/rows/links.h"
#include "unit/shared/test.h"

static const struct bio_identity a = {0x1000, 10}, b = {0x2000, 20}, a_again = {0x1000, 90};

static void send_on(struct links *links, const struct bio_identity *parent, uint64_t sector,
		    uint64_t time_ns)
{
	struct bio_link link = {
		.device = 8 << 20, .sector = sector, .time_ns = time_ns, .parent = *parent};

	CHECK_EQ(links__add(links, &link), 0);
}

static void a_row_takes_the_link_of_its_place(void)
{
	struct links *links;
	uint32_t number;

	REQUIRE(!links__create(&links));
	send_on(links, &a, 100, 11);
	send_on(links, &b, 200, 21);
	number = links__number(links, &a);
	CHECK(number && links__number(links, &b) && links__number(links, &b) != number);
	CHECK_EQ(links__take(links, 8 << 20, 200, 22), links__number(links, &b));
	CHECK_EQ(links__take(links, 8 << 20, 200, 23), 0);
	CHECK_EQ(links__take(links, 9 << 20, 100, 12), 0);
	CHECK_EQ(links__take(links, 8 << 20, 101, 12), 0);
	CHECK_EQ(links__take(links, 8 << 20, 100, 12), number);
	links__free(links);
}

/* A reused address of a bio is another IO; a row from before the link has no parent. */
static void times_separate_reused_addresses(void)
{
	struct links *links;

	REQUIRE(!links__create(&links));
	CHECK(links__number(links, &a) != links__number(links, &a_again));
	send_on(links, &a, 100, 11);
	send_on(links, &a_again, 100, 91);
	CHECK_EQ(links__take(links, 8 << 20, 100, 5), 0);
	CHECK_EQ(links__take(links, 8 << 20, 100, 50), links__number(links, &a));
	CHECK_EQ(links__take(links, 8 << 20, 100, 95), links__number(links, &a_again));
	links__free(links);
}

/* A bio that was merged into another request has no row; its link must not wait for one. */
static void unused_links_end_with_the_io_above(void)
{
	struct links *links;
	uint32_t number;

	REQUIRE(!links__create(&links));
	send_on(links, &a, 100, 11);
	send_on(links, &a, 108, 12);
	number = links__number(links, &a);
	CHECK(links__end(links, number));
	/* The row of its last part may come just after it. */
	CHECK_EQ(links__take(links, 8 << 20, 100, 15), number);
	links__age(links);
	links__age(links);
	CHECK_EQ(links__take(links, 8 << 20, 108, 15), 0);
	CHECK(!links__end(links, number));
	CHECK(!links__end(links, links__number(links, &b)));
	links__free(links);
}

/* Records as the probes send them, in any order of their rings, become rows. */
static void records_become_linked_rows(void)
{
	struct bio_event above = {.type = RECORD_BIO,
				  .created_ns = 10,
				  .completed_ns = 50,
				  .bytes = 4096,
				  .opf = 0,
				  .identity = a};
	struct bio_link link = {
		.type = RECORD_LINK, .device = 8 << 20, .sector = 100, .time_ns = 11, .parent = a};
	struct io_event event, below = {.device = 8 << 20, .created_ns = 12};
	struct io_row row = {.sector = 100};
	struct bios *bios;
	uint64_t id;

	REQUIRE(!bios__create(true, &bios));
	CHECK_EQ(bios__take(bios, &above, sizeof(above), &event), 1);
	CHECK_EQ(bios__take(bios, &link, sizeof(link), &event), 0);
	CHECK_EQ(bios__take(bios, &link, sizeof(link) - 1, &event), -EPROTO);
	CHECK(event.flags & IO_EVENT_BIO);
	CHECK_EQ(event.issued_ns, 10);
	bios__link_row(bios, &below, &row);
	id = row.parent_id;
	CHECK(id && !row.id);
	row = (struct io_row){0};
	bios__link_row(bios, &event, &row);
	CHECK_EQ(row.id, id);
	CHECK_EQ(row.parent_id, 0);
	/* A flush of the disk's own flush machinery takes no link. */
	CHECK_EQ(bios__take(bios, &link, sizeof(link), &event), 0);
	row = (struct io_row){.sector = 100, .flags = IO_FLUSH_MACHINERY};
	bios__link_row(bios, &below, &row);
	CHECK_EQ(row.parent_id, 0);
	bios__age(bios);
	bios__free(bios);
}

int main(void)
{
	RUN(a_row_takes_the_link_of_its_place);
	RUN(times_separate_reused_addresses);
	RUN(unused_links_end_with_the_io_above);
	RUN(records_become_linked_rows);
	return TEST_RESULT;
}
