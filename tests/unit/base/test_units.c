// SPDX-License-Identifier: MIT
#include <errno.h>

#include "base/units.h"
#include "unit/shared/test.h"

static uint64_t bytes_of(const char *text)
{
	uint64_t bytes = 12345;

	return units_parse_bytes(text, &bytes) ? UINT64_MAX : bytes;
}

static void test_bytes(void)
{
	CHECK_EQ(bytes_of("4096"), 4096);
	CHECK_EQ(bytes_of("4096B"), 4096);
	CHECK_EQ(bytes_of("4k"), 4096);
	CHECK_EQ(bytes_of("4K"), 4096);
	CHECK_EQ(bytes_of("1.5M"), 1572864);
	CHECK_EQ(bytes_of("2GiB"), 2147483648);
	CHECK_EQ(bytes_of("10GB"), 10000000000);
	CHECK_EQ(bytes_of("1P"), 1125899906842624);
}

static void test_bad_bytes(void)
{
	static const char *const bad[] = {"",	"k",   "-1",   "+1",   " 1",  "1 k",
					  "4x", "4kk", "4kib", "0x10", "nan", "infinity"};
	uint64_t bytes = 7;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_EQ(units_parse_bytes(bad[i], &bytes), -EINVAL);
	CHECK_EQ(units_parse_bytes(NULL, &bytes), -EINVAL);
	CHECK_EQ(units_parse_bytes("99999999999999999999", &bytes), -ERANGE);
	CHECK_EQ(units_parse_bytes("16384P", &bytes), -ERANGE);
	CHECK_EQ(bytes, 7);
}

static uint64_t time_of(const char *text)
{
	uint64_t time_ns = 12345;

	return units_parse_time(text, &time_ns) ? UINT64_MAX : time_ns;
}

static void test_time(void)
{
	uint64_t time_ns = 7;

	CHECK_EQ(time_of("10"), 10000000000);
	CHECK_EQ(time_of("2.5s"), 2500000000);
	CHECK_EQ(time_of(".5s"), 500000000);
	CHECK_EQ(time_of("500ms"), 500000000);
	CHECK_EQ(time_of("250us"), 250000);
	CHECK_EQ(time_of("100ns"), 100);
	CHECK_EQ(time_of("10m"), 600000000000);
	CHECK_EQ(time_of("10min"), 600000000000);
	CHECK_EQ(time_of("1h"), 3600000000000);
	CHECK_EQ(time_of("0.000000001"), 1);
	CHECK_EQ(units_parse_time("1d", &time_ns), -EINVAL);
	CHECK_EQ(units_parse_time("-1", &time_ns), -EINVAL);
	CHECK_EQ(units_parse_time("", &time_ns), -EINVAL);
	CHECK_EQ(units_parse_time("99999999999h", &time_ns), -ERANGE);
	CHECK_EQ(time_ns, 7);
}

static void test_count_and_real(void)
{
	uint64_t count = 7;
	double real = 7;

	CHECK_EQ(units_parse_count("18446744073709551615", 0, UINT64_MAX, &count), 0);
	CHECK(count == UINT64_MAX);
	CHECK_EQ(units_parse_count("5", 5, 5, &count), 0);
	CHECK_EQ(units_parse_count("4", 5, 6, &count), -ERANGE);
	CHECK_EQ(units_parse_count("7", 5, 6, &count), -ERANGE);
	CHECK_EQ(units_parse_count("18446744073709551616", 0, UINT64_MAX, &count), -ERANGE);
	CHECK_EQ(units_parse_count("5x", 0, 9, &count), -EINVAL);
	CHECK_EQ(units_parse_count("-5", 0, 9, &count), -EINVAL);
	CHECK_EQ(count, 5);
	CHECK_EQ(units_parse_real("0.25", 0, 1, &real), 0);
	CHECK(real == 0.25);
	CHECK_EQ(units_parse_real(".5", 0, 1, &real), 0);
	CHECK(real == 0.5);
	CHECK_EQ(units_parse_real(".", 0, 1, &real), -EINVAL);
	CHECK_EQ(units_parse_real("-.5", 0, 1, &real), -EINVAL);
	CHECK_EQ(units_parse_real("..5", 0, 1, &real), -EINVAL);
	CHECK_EQ(units_parse_real("2", 0, 1, &real), -ERANGE);
	CHECK_EQ(units_parse_real("0", 0, 1, &real), 0);
	CHECK_EQ(units_parse_real("1", 0, 1, &real), 0);
	CHECK_EQ(units_parse_real("nan", 0, 1, &real), -EINVAL);
	CHECK_EQ(units_parse_real("1x", 0, 1, &real), -EINVAL);
}

static void test_texts(void)
{
	char text[UNITS_TEXT_MAX];

	CHECK_TEXT(units_bytes(0, text), "0 B");
	CHECK_TEXT(units_bytes(1023, text), "1023 B");
	CHECK_TEXT(units_bytes(4096, text), "4.0 KiB");
	CHECK_TEXT(units_bytes(1048575, text), "1.0 MiB");
	CHECK_TEXT(units_bytes(UINT64_MAX, text), "16.0 EiB");
	CHECK_TEXT(units_time(999, text), "999 ns");
	CHECK_TEXT(units_time(1240000, text), "1.24 ms");
	CHECK_TEXT(units_time(999999, text), "1 ms");
	CHECK_TEXT(units_time(61500000000, text), "61.50 s");
	CHECK_TEXT(units_count(0, text), "0");
	CHECK_TEXT(units_count(999, text), "999");
	CHECK_TEXT(units_count(1234567, text), "1,234,567");
	CHECK_TEXT(units_count(UINT64_MAX, text), "18,446,744,073,709,551,615");
}

static void test_counted(void)
{
	char text[UNITS_TEXT_MAX];

	CHECK_TEXT(units_counted(1, "IO", text), "1 IO");
	CHECK_TEXT(units_counted(0, "IO", text), "0 IOs");
	CHECK_TEXT(units_counted(1200, "access", text), "1,200 accesses");
	CHECK_TEXT(units_counted(1, "access", text), "1 access");
	CHECK_TEXT(units_counted(3, "flush", text), "3 flushes");
	CHECK_TEXT(units_counted(UINT64_MAX, "a noun of exactly 32 characters.", text),
		   "18,446,744,073,709,551,615 a noun of exactly 32 characters.s");
	/* Longer ones are cut, not written beyond the text. */
	CHECK_TEXT(units_counted(UINT64_MAX, "a noun of exactly 32 characters. more", text),
		   "18,446,744,073,709,551,615 a noun of exactly 32 characters.s");
}

int main(void)
{
	RUN(test_bytes);
	RUN(test_bad_bytes);
	RUN(test_time);
	RUN(test_count_and_real);
	RUN(test_texts);
	RUN(test_counted);
	return TEST_RESULT;
}
