// SPDX-License-Identifier: MIT
#include "unit/shared/test.h"

#include <errno.h>

#include "replay/engine/order.h"
#include "replay/source/zones.h"

static void ios_that_overlap_a_deferred_one_are_found(void)
{
	struct replay_io zeroes = {
		.op = REPLAY_WRITE_ZEROES, .offset_bytes = 8192, .length_bytes = 8192};
	struct replay_io write = {.op = REPLAY_WRITE, .length_bytes = 512};
	struct replay_io flush = {.op = REPLAY_FLUSH};
	struct order order;

	REQUIRE(!order__init(&order, 4, 0));
	CHECK(order__is_deferred(&order, &zeroes));
	CHECK(order__is_deferred(&order, &(struct replay_io){.op = REPLAY_DISCARD}));
	CHECK(!order__is_deferred(&order, &write));
	write.flags = REPLAY_PREFLUSH;
	CHECK(order__is_deferred(&order, &write));
	order__add(&order, &zeroes, 3);
	order__add(&order, &(struct replay_io){.offset_bytes = 1 << 20, .length_bytes = 512}, 1);
	for (uint64_t offset = 0; offset < 32768; offset += 512) {
		write.offset_bytes = offset;
		CHECK_EQ(order__overlaps(&order, &write), offset >= 8192 && offset < 16384);
	}
	CHECK(!order__overlaps(&order, &flush));
	order__remove(&order, 3);
	write.offset_bytes = 8192;
	CHECK(!order__overlaps(&order, &write));
	write.offset_bytes = 1 << 20;
	CHECK(order__overlaps(&order, &write));
	order__remove(&order, 3);
	CHECK_EQ(order.count, 1);
	order__free(&order);
}

static void ios_of_one_zone_wait_for_each_other(void)
{
	struct replay_io write = {.op = REPLAY_WRITE, .offset_bytes = 4096, .length_bytes = 512};
	struct replay_io read = {.op = REPLAY_READ, .offset_bytes = 8192, .length_bytes = 512};
	struct replay_io reset = {.op = REPLAY_ZONE, .zone = REPLAY_ZONE_RESET};
	struct order order;

	REQUIRE(!order__init(&order, 4, 65536));
	CHECK_EQ(zones__place(&reset, 65536, 100000), 0);
	CHECK_EQ(reset.length_bytes, 65536);
	CHECK(order__is_deferred(&order, &write));
	CHECK(order__is_deferred(&order, &read));
	order__add(&order, &write, 0);
	CHECK(order__overlaps(&order, &read));
	CHECK(order__overlaps(&order, &reset));
	write.offset_bytes = 65536;
	CHECK(!order__overlaps(&order, &write));
	order__remove(&order, 0);
	order__add(&order, &read, 1);
	CHECK(!order__overlaps(&order, &read));
	CHECK(order__overlaps(&order, &reset));
	reset.offset_bytes = 65536;
	CHECK_EQ(zones__place(&reset, 65536, 100000), 0);
	CHECK_EQ(reset.length_bytes, 100000 - 65536);
	CHECK(!order__overlaps(&order, &reset));
	reset.zone = REPLAY_ZONE_RESET_ALL;
	CHECK_EQ(zones__place(&reset, 65536, 100000), 0);
	CHECK_EQ(reset.length_bytes, 100000);
	CHECK(order__overlaps(&order, &reset));
	reset.zone = REPLAY_ZONE_OPEN;
	reset.offset_bytes = 131072;
	CHECK_EQ(zones__place(&reset, 65536, 100000), -ERANGE);
	order__free(&order);
}

static void through_the_cache_every_io_is_deferred(void)
{
	struct replay_io write = {.op = REPLAY_WRITE, .offset_bytes = 4096, .length_bytes = 512};
	struct replay_io read = {.op = REPLAY_READ, .offset_bytes = 4000, .length_bytes = 512};
	struct order order;

	REQUIRE(!order__init(&order, 4, 0));
	CHECK(!order__is_deferred(&order, &write));
	order.all = true;
	CHECK(order__is_deferred(&order, &write));
	CHECK(order__is_deferred(&order, &read));
	CHECK(!order__is_deferred(&order, &(struct replay_io){.op = REPLAY_FLUSH}));
	order__add(&order, &write, 2);
	CHECK(order__overlaps(&order, &read));
	order__remove(&order, 2);
	order__add(&order, &read, 2);
	CHECK(order__overlaps(&order, &write));
	CHECK(!order__overlaps(&order, &read));
	order__free(&order);
}

int main(void)
{
	RUN(ios_that_overlap_a_deferred_one_are_found);
	RUN(ios_of_one_zone_wait_for_each_other);
	RUN(through_the_cache_every_io_is_deferred);
	return TEST_RESULT;
}
