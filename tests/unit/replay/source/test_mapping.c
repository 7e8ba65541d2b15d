// SPDX-License-Identifier: MIT
#include "unit/shared/test.h"

#include <errno.h>

#include "replay/source/mapping.h"

static void wrap_moves_ios_from_behind_the_end(void)
{
	struct mapping_options options = {
		.fit = REPLAY_FIT_WRAP, .target_bytes = 10240, .block_bytes = 512};
	struct replay_io io = {
		.op = REPLAY_READ, .offset_bytes = 10240 + 1024, .length_bytes = 512};

	CHECK_EQ(mapping__apply(&options, &io), 0);
	CHECK_EQ(io.offset_bytes, 1024);
	CHECK_EQ(io.flags, REPLAY_WRAPPED);
	io.flags = 0;
	io.offset_bytes = 9728; /* half inside: it is moved, not cut */
	io.length_bytes = 1024;
	CHECK_EQ(mapping__apply(&options, &io), 0);
	CHECK_EQ(io.offset_bytes, 9216);
	CHECK_EQ(io.length_bytes, 1024);
	CHECK_EQ(io.flags, REPLAY_WRAPPED);
	io.flags = 0;
	io.offset_bytes = 0;
	CHECK_EQ(mapping__apply(&options, &io), 0);
	CHECK_EQ(io.flags, 0);
	io.length_bytes = 10752;
	CHECK_EQ(mapping__apply(&options, &io), -ERANGE);
	io.op = REPLAY_DISCARD;
	CHECK_EQ(mapping__apply(&options, &io), 0);
	CHECK_EQ(io.length_bytes, 10240);
	CHECK_EQ(io.flags, REPLAY_CLIPPED);
}

static void scale_keeps_proportions(void)
{
	struct mapping_options options = {.fit = REPLAY_FIT_SCALE,
					  .source_bytes = 1ull << 50,
					  .target_bytes = 1ull << 30,
					  .block_bytes = 4096};
	struct replay_io io = {.op = REPLAY_READ, .offset_bytes = 1ull << 49, .length_bytes = 4096};

	CHECK_EQ(mapping__apply(&options, &io), 0);
	CHECK_EQ(io.offset_bytes, 1ll << 29);
	io.offset_bytes = (1ull << 50) - 4096; /* the last block stays in the last block */
	CHECK_EQ(mapping__apply(&options, &io), 0);
	CHECK_EQ(io.offset_bytes, (1ll << 30) - 4096);
	CHECK_EQ(io.flags, 0);
}

static void nothing_leaves_the_target_without_fit(void)
{
	struct mapping_options options = {.target_bytes = 8192 + 100, .block_bytes = 512};
	struct replay_io inside = {.op = REPLAY_WRITE, .offset_bytes = 7680, .length_bytes = 512};
	struct replay_io outside = {.op = REPLAY_WRITE, .offset_bytes = 8192, .length_bytes = 512};
	struct replay_io huge = {
		.op = REPLAY_DISCARD, .offset_bytes = 512, .length_bytes = INT64_MAX - 1023};
	struct replay_io flush = {.op = REPLAY_FLUSH};

	CHECK_EQ(mapping__apply(&options, &inside), 0);
	CHECK_EQ(mapping__apply(&options, &outside), -ERANGE);
	CHECK_EQ(mapping__apply(&options, &huge), -ERANGE);
	CHECK_EQ(mapping__apply(&options, &flush), 0);
}

static void ios_are_widened_to_whole_blocks(void)
{
	struct mapping_options options = {.target_bytes = 1 << 20, .block_bytes = 4096};
	struct replay_io io = {.op = REPLAY_READ, .offset_bytes = 4608, .length_bytes = 4096};

	CHECK_EQ(mapping__apply(&options, &io), 0);
	CHECK_EQ(io.offset_bytes, 4096);
	CHECK_EQ(io.length_bytes, 8192);
	CHECK_EQ(io.flags, REPLAY_ALIGNED);
	io.flags = 0;
	CHECK_EQ(mapping__apply(&options, &io), 0);
	CHECK_EQ(io.flags, 0);
}

static void through_the_cache_reads_and_writes_need_no_whole_blocks(void)
{
	struct replay_io write = {.op = REPLAY_WRITE, .offset_bytes = 4096, .length_bytes = 512};
	struct replay_io discard = {.op = REPLAY_DISCARD, .offset_bytes = 512, .length_bytes = 512};
	struct mapping_options mapping = {
		.target_bytes = 1 << 20, .block_bytes = 4096, .unaligned_data = true};

	CHECK_EQ(mapping__apply(&mapping, &write), 0);
	CHECK_EQ(write.length_bytes, 512);
	CHECK_EQ(mapping__apply(&mapping, &discard), 0);
	CHECK_EQ(discard.length_bytes, 4096);
	CHECK_EQ(write.flags, 0);
	CHECK_EQ(discard.flags, REPLAY_ALIGNED);
}

struct list_source {
	struct replay_source base;
	const enum replay_op *next, *end;
};

static int list_next(struct replay_source *base, struct replay_io *io)
{
	struct list_source *s = (struct list_source *)base;

	if (s->next == s->end)
		return 0;
	*io = (struct replay_io){.op = *s->next++, .length_bytes = 512};
	return 1;
}

static void each_io_tells_how_many_before_it_were_left_out(void)
{
	static const struct replay_source_ops ops = {.next = list_next};
	static const enum replay_op list[] = {REPLAY_WRITE, REPLAY_WRITE,   REPLAY_READ,
					      REPLAY_READ,  REPLAY_DISCARD, REPLAY_WRITE};
	struct list_source below = {.base = {&ops}, .next = list, .end = list + 6};
	struct mapping_options options = {.target_bytes = 1 << 20,
					  .block_bytes = 512,
					  .skipped_ops = 1u << REPLAY_WRITE,
					  .instead = {[REPLAY_DISCARD] = REPLAY_WRITE_ZEROES}};
	struct replay_source *mapped;
	struct replay_io io;

	REQUIRE(!mapping__create(&below.base, &options, &mapped));
	CHECK_EQ(replay_source__next(mapped, &io), 1);
	CHECK_EQ(io.flags, REPLAY_AFTER_GAP);
	CHECK_EQ(io.left_out, 2);
	CHECK_EQ(replay_source__next(mapped, &io), 1);
	CHECK_EQ(io.flags, 0);
	CHECK_EQ(mapping__left_out(mapped), 0);
	CHECK_EQ(replay_source__next(mapped, &io), 1);
	CHECK_EQ(io.flags, REPLAY_EMULATED);
	CHECK_EQ(io.op, REPLAY_WRITE_ZEROES);
	CHECK_EQ(replay_source__next(mapped, &io), 0);
	CHECK_EQ(mapping__left_out(mapped), 1);
	replay_source__free(mapped);
}

static int one_discard(struct replay_source *base, struct replay_io *io)
{
	struct list_source *s = (struct list_source *)base;

	if (s->next == s->end)
		return 0;
	s->next++;
	*io = (struct replay_io){.op = REPLAY_DISCARD,
				 .due_ns = 7,
				 .offset_bytes = 4096,
				 .length_bytes = 2 * MAPPING_PIECE_BYTES};
	return 1;
}

static void a_long_discard_becomes_several_writes(void)
{
	static const struct replay_source_ops ops = {.next = one_discard};
	static const enum replay_op one[] = {REPLAY_DISCARD};
	static const uint64_t starts[] = {4096, MAPPING_PIECE_BYTES, 2 * MAPPING_PIECE_BYTES};
	struct list_source below = {.base = {&ops}, .next = one, .end = one + 1};
	struct mapping_options options = {.target_bytes = 1 << 23,
					  .block_bytes = 512,
					  .instead = {[REPLAY_DISCARD] = REPLAY_WRITE}};
	struct replay_source *mapped;
	uint64_t end_bytes = 4096;
	struct replay_io io;

	REQUIRE(!mapping__create(&below.base, &options, &mapped));
	for (unsigned int i = 0; i < 3; i++) {
		CHECK_EQ(replay_source__next(mapped, &io), 1);
		CHECK_EQ(io.op, REPLAY_WRITE);
		CHECK_EQ(io.due_ns, 7);
		/* It is one op of the source that is emulated. */
		CHECK_EQ(io.flags, i ? 0 : REPLAY_EMULATED);
		CHECK_EQ(io.offset_bytes, starts[i]);
		CHECK_EQ(io.offset_bytes, end_bytes);
		CHECK(io.length_bytes && io.length_bytes <= MAPPING_PIECE_BYTES);
		end_bytes += io.length_bytes;
	}
	CHECK_EQ(end_bytes, 4096 + 2 * MAPPING_PIECE_BYTES);
	CHECK_EQ(replay_source__next(mapped, &io), 0);
	replay_source__free(mapped);
	/* One that is longer than the target is cut to its size, as it is without a stand-in. */
	below.next = one;
	options.fit = REPLAY_FIT_WRAP;
	options.target_bytes = 8192;
	REQUIRE(!mapping__create(&below.base, &options, &mapped));
	CHECK_EQ(replay_source__next(mapped, &io), 1);
	CHECK_EQ(io.op, REPLAY_WRITE);
	CHECK_EQ(io.length_bytes, 8192);
	CHECK(io.flags & REPLAY_CLIPPED);
	CHECK_EQ(replay_source__next(mapped, &io), 0);
	replay_source__free(mapped);
}

int main(void)
{
	RUN(wrap_moves_ios_from_behind_the_end);
	RUN(scale_keeps_proportions);
	RUN(nothing_leaves_the_target_without_fit);
	RUN(ios_are_widened_to_whole_blocks);
	RUN(through_the_cache_reads_and_writes_need_no_whole_blocks);
	RUN(each_io_tells_how_many_before_it_were_left_out);
	RUN(a_long_discard_becomes_several_writes);
	return TEST_RESULT;
}
