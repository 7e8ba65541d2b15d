// SPDX-License-Identifier: MIT
/* Every coding and transform reproduces every array of numbers. */
#include <stdint.h>

#include "base/bytes.h"
#include "trace/columns/coding.h"
#include "trace/columns/transform.h"
#include "unit/shared/random.h"
#include "unit/shared/test.h"

#define COUNT 1000u

enum shape {
	SHAPE_ZERO,
	SHAPE_HUGE,
	SHAPE_RISING,
	SHAPE_FALLING,
	SHAPE_RANDOM,
	SHAPE_BYTES,
	SHAPE_WIDE_TAIL,
	SHAPE_FEW,
	SHAPE_RUNS,
	SHAPE_EDGES,
	SHAPE_MULTIPLES,
	SHAPE_COUNT
};

static uint64_t shaped(enum shape shape, uint32_t i)
{
	static const uint64_t edges[] = {
		0, UINT64_MAX, 1, INT64_MAX, (uint64_t)INT64_MAX + 1, 127, 128, UINT32_MAX};

	switch (shape) {
	case SHAPE_ZERO:
		return 0;
	case SHAPE_HUGE:
		return UINT64_MAX;
	case SHAPE_RISING:
		return 1000000 + 777ull * i;
	case SHAPE_FALLING:
		return UINT64_MAX - 12345ull * i;
	case SHAPE_RANDOM:
		return next_random();
	case SHAPE_BYTES:
		return next_random() % 256;
	case SHAPE_WIDE_TAIL:
		return next_random() >> (next_random() % 64);
	case SHAPE_FEW:
		return (next_random() % 200) << 40;
	case SHAPE_RUNS:
		return (i / 100) << 20;
	case SHAPE_EDGES:
		return edges[next_random() % (sizeof(edges) / sizeof(edges[0]))];
	case SHAPE_MULTIPLES:
		return 5000 * (next_random() % 1000000);
	default:
		return 0;
	}
}

static void fill(uint64_t *values, uint32_t count, enum shape shape)
{
	random_state = 88172645463325252ull + shape;
	for (uint32_t i = 0; i < count; i++)
		values[i] = shaped(shape, i);
}

static void test_codings_take_all_shapes(void)
{
	static uint64_t values[COUNT], back[COUNT];
	static uint8_t packed[8 * COUNT + 16];
	static const uint32_t counts[] = {1, 2, 3, 255, 256, 257, COUNT};
	bool used[CODING_COUNT] = {false};
	struct coding_plan plan;

	for (enum shape shape = 0; shape < SHAPE_COUNT; shape++) {
		for (unsigned int c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
			uint32_t count = counts[c];
			uint8_t *end;

			fill(values, count, shape);
			coding_plan(&plan, values, count);
			end = coding_pack(&plan, values, count, packed);
			CHECK_EQ(end - packed, plan.bytes);
			CHECK(plan.bytes <= 8 * count + 16);
			memset(back, 0xaa, sizeof(back));
			CHECK_EQ(coding_unpack(plan.coding, packed, plan.bytes, back, count), 0);
			CHECK(!memcmp(values, back, count * sizeof(*values)));
			used[plan.coding] = true;
		}
	}
	for (unsigned int coding = 0; coding < CODING_COUNT; coding++)
		CHECK(used[coding]);
}

/* A requested coding holds the values, or is refused. */
static void test_codings_on_request(void)
{
	static uint64_t values[COUNT], back[COUNT];
	static uint8_t packed[8 * COUNT + 16];
	bool used[CODING_COUNT] = {false};
	struct coding_plan plan;

	for (enum shape shape = 0; shape < SHAPE_COUNT; shape++) {
		fill(values, COUNT, shape);
		for (enum coding coding = 0; coding < CODING_COUNT; coding++) {
			if (!coding_plan_as(&plan, coding, values, COUNT))
				continue;
			CHECK(plan.coding == coding || plan.coding == CODING_CONSTANT);
			CHECK_EQ(coding_pack(&plan, values, COUNT, packed) - packed, plan.bytes);
			CHECK(plan.bytes <= CODING_BYTES_MAX(COUNT));
			CHECK_EQ(coding_unpack(plan.coding, packed, plan.bytes, back, COUNT), 0);
			CHECK(!memcmp(values, back, sizeof(values)));
			used[plan.coding] = true;
		}
	}
	for (unsigned int coding = 0; coding < CODING_COUNT; coding++)
		CHECK(used[coding]);
	fill(values, COUNT, SHAPE_RANDOM);
	CHECK(!coding_plan_as(&plan, CODING_CONSTANT, values, COUNT));
	CHECK(!coding_plan_as(&plan, CODING_DICTIONARY, values, COUNT));
	CHECK(!coding_plan_as(&plan, CODING_VARINT, values, COUNT));
	CHECK(!coding_plan_as(&plan, CODING_RUNS, values, COUNT));
	CHECK(coding_plan_as(&plan, CODING_PLANES, values, COUNT));
}

/* Any other length than that of `count` values is refused. */
static void test_codings_refuse_other_lengths(void)
{
	static uint64_t values[COUNT], back[COUNT];
	static uint8_t packed[8 * COUNT + 17];
	struct coding_plan plan;

	for (enum shape shape = 0; shape < SHAPE_COUNT; shape++) {
		fill(values, COUNT, shape);
		coding_plan(&plan, values, COUNT);
		coding_pack(&plan, values, COUNT, packed);
		packed[plan.bytes] = 0;
		CHECK(coding_unpack(plan.coding, packed, plan.bytes + 1, back, COUNT) < 0);
		for (uint32_t bytes = 0; bytes < plan.bytes; bytes++)
			CHECK(coding_unpack(plan.coding, packed, bytes, back, COUNT) < 0);
		if (plan.coding != CODING_CONSTANT)
			CHECK(coding_unpack(plan.coding, packed, plan.bytes, back, COUNT - 1) < 0);
	}
	CHECK(coding_unpack(CODING_COUNT, packed, 1, back, 1) < 0);
}

static void test_hostile_codings(void)
{
	/* Index 2 of two entries; a run of 0; a run too long; a width of 0 and of 9. */
	static const uint8_t index[] = {1, 7, 8, 0, 1, 2};
	static const uint8_t no_run[] = {5, 0};
	static const uint8_t long_run[] = {5, 4};
	static const uint8_t narrow[] = {0, 0};
	static const uint8_t wide[] = {0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0};
	static const uint8_t endless[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					  0xff, 0xff, 0xff, 0xff, 1};
	uint64_t values[3];

	CHECK(coding_unpack(CODING_DICTIONARY, index, sizeof(index), values, 3) < 0);
	CHECK(coding_unpack(CODING_RUNS, no_run, sizeof(no_run), values, 1) < 0);
	CHECK(coding_unpack(CODING_RUNS, long_run, sizeof(long_run), values, 3) < 0);
	CHECK(coding_unpack(CODING_PLANES, narrow, sizeof(narrow), values, 1) < 0);
	CHECK(coding_unpack(CODING_PLANES, wide, sizeof(wide), values, 1) < 0);
	CHECK(coding_unpack(CODING_CONSTANT, endless, sizeof(endless), values, 1) < 0);
	CHECK(coding_unpack(CODING_VARINT, endless, sizeof(endless), values, 1) < 0);
}

static void check_transform(enum transform transform, enum shape shape, uint64_t unit)
{
	static uint64_t values[COUNT], since[COUNT], coded[COUNT];
	static struct io_row rows[COUNT];
	struct transform_inputs in = {.since = since, .rows = rows, .unit = unit};
	struct transform_head head = {0};
	int err;

	fill(since, COUNT, SHAPE_EDGES);
	fill(values, COUNT, shape);
	for (uint32_t i = 0; i < COUNT; i++) {
		rows[i].device = (uint32_t)next_random() % 300;
		rows[i].task = (uint32_t)next_random();
		rows[i].op = (uint8_t)(next_random() % IO_OP_COUNT);
		rows[i].bytes = next_random() >> (next_random() % 64);
	}
	err = transform_apply(transform, &in, values, COUNT, coded, &head);
	if (err) {
		/* Only the transforms that preserve 0 run out of numbers; they return -ERANGE. */
		CHECK(transform == TRANSFORM_DELTA_SEEN || transform == TRANSFORM_SINCE_SEEN);
		return;
	}
	CHECK(head.scale >= 1);
	CHECK_EQ(transform_undo(transform, &in, coded, COUNT, &head), 0);
	CHECK(!memcmp(values, coded, sizeof(values)));
}

static void test_transforms_take_all_shapes(void)
{
	for (enum transform transform = 0; transform < TRANSFORM_PLACES; transform++) {
		for (enum shape shape = 0; shape < SHAPE_COUNT; shape++) {
			check_transform(transform, shape, 0);
			check_transform(transform, shape, 1000);
		}
	}
}

static void test_transforms_without_inputs(void)
{
	struct transform_inputs none = {0};
	struct transform_head head = {.scale = 1};
	uint64_t value = 1;

	CHECK(transform_undo(TRANSFORM_SINCE, &none, &value, 1, &head) < 0);
	CHECK(transform_undo(TRANSFORM_SINCE_SEEN, &none, &value, 1, &head) < 0);
	CHECK(transform_undo(TRANSFORM_AFTER_DEVICE, &none, &value, 1, &head) < 0);
	CHECK(transform_undo(TRANSFORM_COUNT, &none, &value, 1, &head) < 0);
}

/* Multiples of the resolution are stored divided by it. */
static void test_scale(void)
{
	uint64_t values[] = {7000, 9000, 8000, 20000}, coded[4];
	struct transform_inputs in = {.unit = 1000};
	struct transform_head head;

	CHECK_EQ(transform_apply(TRANSFORM_DELTA, &in, values, 4, coded, &head), 0);
	CHECK_EQ(head.scale, 1000);
	CHECK_EQ(head.base, 7000);
	CHECK_EQ(coded[0], 0);
	CHECK_EQ(coded[1], 4);
	CHECK_EQ(coded[2], 1);
	CHECK_EQ(coded[3], 24);
}

int main(void)
{
	RUN(test_codings_take_all_shapes);
	RUN(test_codings_on_request);
	RUN(test_codings_refuse_other_lengths);
	RUN(test_hostile_codings);
	RUN(test_transforms_take_all_shapes);
	RUN(test_transforms_without_inputs);
	RUN(test_scale);
	return TEST_RESULT;
}
