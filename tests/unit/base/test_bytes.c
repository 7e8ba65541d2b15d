// SPDX-License-Identifier: MIT
#include "base/bytes.h"
#include "unit/shared/test.h"

static const uint64_t edges[] = {0,
				 1,
				 0x7f,
				 0x80,
				 0x3fff,
				 0x4000,
				 UINT32_MAX,
				 (uint64_t)INT64_MAX,
				 (uint64_t)INT64_MAX + 1,
				 UINT64_MAX - 1,
				 UINT64_MAX};
#define EDGES (sizeof(edges) / sizeof(edges[0]))

static void test_little_endian(void)
{
	static const uint8_t want[] = {0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01};
	uint8_t at[8];

	put_le64(at, 0x0102030405060708ull);
	CHECK(!memcmp(at, want, 8));
	CHECK(get_le64(want) == 0x0102030405060708ull);
	CHECK_EQ(get_le32(want), 0x05060708);
	CHECK_EQ(get_le16(want), 0x0708);
	memset(at, 0xff, sizeof(at));
	put_le16(at, 0x1234);
	CHECK(at[0] == 0x34 && at[1] == 0x12 && at[2] == 0xff);
	put_le32(at, 0x12345678);
	CHECK(at[0] == 0x78 && at[3] == 0x12 && at[4] == 0xff);
}

static void test_zigzag(void)
{
	CHECK_EQ(zigzag(0), 0);
	CHECK_EQ(zigzag((uint64_t)-1), 1);
	CHECK_EQ(zigzag(1), 2);
	CHECK_EQ(zigzag((uint64_t)-2), 3);
	CHECK(zigzag((uint64_t)INT64_MIN) == UINT64_MAX);
	for (size_t i = 0; i < EDGES; i++)
		CHECK(unzigzag(zigzag(edges[i])) == edges[i]);
}

static void test_varint(void)
{
	uint8_t at[VARINT_MAX_BYTES];
	uint64_t back = 0;

	for (size_t i = 0; i < EDGES; i++) {
		unsigned int bytes = put_varint(at, edges[i]);

		CHECK_EQ(bytes, varint_bytes(edges[i]));
		CHECK_EQ(get_varint(at, at + bytes, &back), bytes);
		CHECK(back == edges[i]);
		for (unsigned int cut = 0; cut < bytes; cut++)
			CHECK_EQ(get_varint(at, at + cut, &back), 0);
	}
	for (unsigned int bits = 0; bits < 64; bits++)
		CHECK_EQ(put_varint(at, 1ull << bits), varint_bytes(1ull << bits));
}

static void test_varint_refuses_more_than_64_bits(void)
{
	uint8_t at[11] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02, 0};
	uint64_t value;

	CHECK_EQ(get_varint(at, at + 11, &value), 0);
	at[9] = 0x01;
	CHECK_EQ(get_varint(at, at + 11, &value), 10);
	CHECK(value == 1ull << 63);
	at[9] = 0x81;
	CHECK_EQ(get_varint(at, at + 11, &value), 0);
}

int main(void)
{
	RUN(test_little_endian);
	RUN(test_zigzag);
	RUN(test_varint);
	RUN(test_varint_refuses_more_than_64_bits);
	return TEST_RESULT;
}
