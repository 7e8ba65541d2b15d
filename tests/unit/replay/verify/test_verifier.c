// SPDX-License-Identifier: MIT
/* How many rounds of a source say what each block must hold. */
#include "unit/shared/test.h"

#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "replay/verify/stamp.h"
#include "replay/verify/verifier.h"

#define BLOCK_BYTES 512u
#define BLOCKS	    8u
#define RUN_ID	    77u

/* Each round writes block 0, then block 1, and discards block 1 if `discards`. */
struct round_source {
	struct replay_source base;
	unsigned int given;
	bool discards;
};

static struct round_source source;
static unsigned int begun;

static int next(struct replay_source *base, struct replay_io *io)
{
	struct round_source *s = (struct round_source *)base;
	unsigned int n = s->given;

	if (n == (s->discards ? 3u : 2u))
		return 0;
	*io = (struct replay_io){.op = n == 2 ? REPLAY_DISCARD : REPLAY_WRITE,
				 .offset_bytes = n ? BLOCK_BYTES : 0,
				 .length_bytes = BLOCK_BYTES,
				 .number = n + 1};
	s->given++;
	return 1;
}

static int again(void *context, struct replay_source **top)
{
	static const struct replay_source_ops ops = {.next = next};

	(void)context;
	begun++;
	source.base.ops = &ops;
	source.given = 0;
	*top = &source.base;
	return 0;
}

static void put(int fd, uint64_t block, uint64_t number)
{
	uint8_t bytes[BLOCK_BYTES] = {0};
	const struct stamp stamp = {.run = RUN_ID,
				    .offset_bytes = block * BLOCK_BYTES,
				    .number = number,
				    .io_offset_bytes = block * BLOCK_BYTES,
				    .io_length_bytes = BLOCK_BYTES};

	stamp__put(&stamp, bytes, sizeof(bytes));
	CHECK_EQ(pwrite(fd, bytes, sizeof(bytes), (off_t)stamp.offset_bytes), BLOCK_BYTES);
}

/* Block 0 and block 1 hold these writes; `required` of `rounds` rounds must be there. */
static struct verifier_result verify(uint64_t first, uint64_t second, uint64_t required,
				     uint64_t rounds, bool discards)
{
	struct verifier_result result;
	struct verifier_options options = {.target_bytes = BLOCKS * BLOCK_BYTES,
					   .block_bytes = BLOCK_BYTES,
					   .run = RUN_ID,
					   .required = required,
					   .rounds = rounds,
					   .again = again};

	options.fd = memfd_create("target", 0);
	CHECK(options.fd >= 0 && !ftruncate(options.fd, BLOCKS * BLOCK_BYTES));
	put(options.fd, 0, first);
	put(options.fd, 1, second);
	source.discards = discards;
	begun = 0;
	CHECK_EQ(verifier__run(&options, &result), 0);
	close(options.fd);
	return result;
}

static void rounds_far_behind_the_last_write_are_not_read(void)
{
	/* Round 500 is required, and the first write of the next. */
	struct verifier_result r = verify(1001, 1000, 1001, 1000000000000ull, false);

	CHECK_EQ(r.blocks[VERIFIED_OK], 2);
	CHECK_EQ(r.writes, 2000000000000ll);
	CHECK(begun <= 4);
}

static void the_last_required_write_of_each_block_is_known(void)
{
	CHECK_EQ(verify(1001, 998, 1001, 1000000, false).blocks[VERIFIED_LOST], 1);
	CHECK_EQ(verify(999, 1000, 1001, 1000000, false).blocks[VERIFIED_LOST], 1);
	CHECK_EQ(verify(999, 1000, 1000, 1000000, false).blocks[VERIFIED_OK], 2);
	/* Only the first write: nothing is known of the second block. */
	CHECK_EQ(verify(1, 2, 1, 1000000, false).blocks[VERIFIED_OK], 1);
	CHECK_EQ(verify(1, 0, 2, 1, false).blocks[VERIFIED_LOST], 1);
	CHECK_EQ(verify(3, 4, 4, 2, false).blocks[VERIFIED_OK], 2);
	/* A state that claims more than there is. */
	CHECK_EQ(verify(3, 2, 1000, 2, false).blocks[VERIFIED_LOST], 1);
}

static void a_discard_may_follow_in_a_later_round(void)
{
	/* The second write of round 4 is the last that is required; a discard of it may follow. */
	struct verifier_result r = verify(10, 0, 11, 1000000, true);

	CHECK_EQ(r.blocks[VERIFIED_OK], 1);
	CHECK_EQ(r.cleared_blocks, 1);
	/* A write behind the discard is required, and one more discard may follow. */
	r = verify(10, 0, 12, 1000000, true);
	CHECK_EQ(r.blocks[VERIFIED_OK], 1);
	CHECK_EQ(r.cleared_blocks, 1);
	/* In the last round there is none. */
	CHECK_EQ(verify(1, 2, 2, 1, true).cleared_blocks, 1);
}

static void no_writes_are_no_fault(void)
{
	struct verifier_result r = verify(1, 2, 0, 1000000, false);

	CHECK_EQ(r.blocks[VERIFIED_OK] + r.blocks[VERIFIED_LOST], 0);
	CHECK_EQ(r.writes, 2000000);
}

int main(void)
{
	RUN(rounds_far_behind_the_last_write_are_not_read);
	RUN(the_last_required_write_of_each_block_is_known);
	RUN(a_discard_may_follow_in_a_later_round);
	RUN(no_writes_are_no_fault);
	return TEST_RESULT;
}
