// SPDX-License-Identifier: MIT
#include "unit/shared/test.h"

#include <errno.h>

#include "replay/source/mapping.h"

static void wrap_moves_ios_from_behind_the_end(void)
{
	struct mapping_options options = {
		.fit = REPLAY_FIT_WRAP, .target_bytes = 10240, .block_bytes = 512};
	struct mapping_counts counts = {0};
	struct replay_io io = {
		.op = REPLAY_READ, .offset_bytes = 10240 + 1024, .length_bytes = 512};

	CHECK_EQ(mapping__apply(&options, &io, &counts), 0);
	CHECK_EQ(io.offset_bytes, 1024);
	io.offset_bytes = 9728; /* half inside: it is moved, not cut */
	io.length_bytes = 1024;
	CHECK_EQ(mapping__apply(&options, &io, &counts), 0);
	CHECK_EQ(io.offset_bytes, 9216);
	CHECK_EQ(io.length_bytes, 1024);
	CHECK_EQ(counts.wrapped, 2);
	io.offset_bytes = 0;
	CHECK_EQ(mapping__apply(&options, &io, &counts), 0);
	CHECK_EQ(counts.wrapped, 2);
	io.length_bytes = 10752;
	CHECK_EQ(mapping__apply(&options, &io, &counts), -ERANGE);
	io.op = REPLAY_DISCARD;
	CHECK_EQ(mapping__apply(&options, &io, &counts), 0);
	CHECK_EQ(io.length_bytes, 10240);
	CHECK_EQ(counts.clipped, 1);
}

static void scale_keeps_proportions(void)
{
	struct mapping_options options = {.fit = REPLAY_FIT_SCALE,
					  .source_bytes = 1ull << 50,
					  .target_bytes = 1ull << 30,
					  .block_bytes = 4096};
	struct mapping_counts counts = {0};
	struct replay_io io = {.op = REPLAY_READ, .offset_bytes = 1ull << 49, .length_bytes = 4096};

	CHECK_EQ(mapping__apply(&options, &io, &counts), 0);
	CHECK_EQ(io.offset_bytes, 1ll << 29);
	io.offset_bytes = (1ull << 50) - 4096; /* the last block stays in the last block */
	CHECK_EQ(mapping__apply(&options, &io, &counts), 0);
	CHECK_EQ(io.offset_bytes, (1ll << 30) - 4096);
	CHECK_EQ(counts.aligned, 0);
}

static void nothing_leaves_the_target_without_fit(void)
{
	struct mapping_options options = {.target_bytes = 8192 + 100, .block_bytes = 512};
	struct mapping_counts counts = {0};
	struct replay_io inside = {.op = REPLAY_WRITE, .offset_bytes = 7680, .length_bytes = 512};
	struct replay_io outside = {.op = REPLAY_WRITE, .offset_bytes = 8192, .length_bytes = 512};
	struct replay_io huge = {
		.op = REPLAY_DISCARD, .offset_bytes = 512, .length_bytes = INT64_MAX - 1023};
	struct replay_io flush = {.op = REPLAY_FLUSH};

	CHECK_EQ(mapping__apply(&options, &inside, &counts), 0);
	CHECK_EQ(mapping__apply(&options, &outside, &counts), -ERANGE);
	CHECK_EQ(mapping__apply(&options, &huge, &counts), -ERANGE);
	CHECK_EQ(mapping__apply(&options, &flush, &counts), 0);
}

static void ios_are_widened_to_whole_blocks(void)
{
	struct mapping_options options = {.target_bytes = 1 << 20, .block_bytes = 4096};
	struct mapping_counts counts = {0};
	struct replay_io io = {.op = REPLAY_READ, .offset_bytes = 4608, .length_bytes = 4096};

	CHECK_EQ(mapping__apply(&options, &io, &counts), 0);
	CHECK_EQ(io.offset_bytes, 4096);
	CHECK_EQ(io.length_bytes, 8192);
	CHECK_EQ(counts.aligned, 1);
	CHECK_EQ(mapping__apply(&options, &io, &counts), 0);
	CHECK_EQ(counts.aligned, 1);
}

static void through_the_cache_reads_and_writes_need_no_whole_blocks(void)
{
	struct replay_io write = {.op = REPLAY_WRITE, .offset_bytes = 4096, .length_bytes = 512};
	struct replay_io discard = {.op = REPLAY_DISCARD, .offset_bytes = 512, .length_bytes = 512};
	struct mapping_options mapping = {
		.target_bytes = 1 << 20, .block_bytes = 4096, .unaligned_data = true};
	struct mapping_counts counts = {0};

	CHECK_EQ(mapping__apply(&mapping, &write, &counts), 0);
	CHECK_EQ(write.length_bytes, 512);
	CHECK_EQ(mapping__apply(&mapping, &discard, &counts), 0);
	CHECK_EQ(discard.length_bytes, 4096);
	CHECK_EQ(counts.aligned, 1);
}

int main(void)
{
	RUN(wrap_moves_ios_from_behind_the_end);
	RUN(scale_keeps_proportions);
	RUN(nothing_leaves_the_target_without_fit);
	RUN(ios_are_widened_to_whole_blocks);
	RUN(through_the_cache_reads_and_writes_need_no_whole_blocks);
	return TEST_RESULT;
}
