// SPDX-License-Identifier: MIT
/*
 * Functions that all foreign formats share: fields, columns, addresses, repetitions, alignment,
 * names.
 */
#include <errno.h>
#include <stdint.h>

#include "exchange/alignment.h"
#include "exchange/formats/csv_columns.h"
#include "exchange/input/csv_field.h"
#include "exchange/export.h"
#include "exchange/repeats.h"
#include "trace/format.h"
#include "unit/shared/test.h"

static bool number(const char *text, uint64_t *value)
{
	const char *at = text;

	return field_number(&at, text + strlen(text), value) && !*at;
}

static void numbers(void)
{
	uint64_t value;

	CHECK(number("0", &value) && value == 0);
	CHECK(number("000000000000000000000000000007", &value) && value == 7);
	CHECK(number("18446744073709551615", &value) && value == UINT64_MAX);
	CHECK(!number("18446744073709551616", &value));
	CHECK(!number("99999999999999999999999", &value));
	CHECK(!number("", &value));
	CHECK(!number("-1", &value));
	CHECK(!number("+1", &value));
	CHECK(!number(" 1", &value));
}

static bool decimal(const char *text, uint64_t unit_ns, uint64_t *ns)
{
	const char *at = text;

	return field_decimal_ns(&at, text + strlen(text), unit_ns, ns) && !*at;
}

static void decimals(void)
{
	uint64_t ns;

	CHECK(decimal("12.5", NSEC_PER_MSEC, &ns) && ns == 12500000);
	CHECK(decimal("1456135200.013118999", NSEC_PER_SEC, &ns) && ns == 1456135200013118999ull);
	CHECK(decimal("0.0000000019", NSEC_PER_SEC, &ns) && ns == 1);
	CHECK(decimal("3.", NSEC_PER_USEC, &ns) && ns == 3000);
	CHECK(decimal("7", 1, &ns) && ns == 7);
	CHECK(decimal("7.9", 1, &ns) && ns == 7);
	CHECK(!decimal(".5", NSEC_PER_SEC, &ns));
	CHECK(!decimal("18446744074", NSEC_PER_SEC, &ns));
	CHECK(decimal("18446744073.709551615", NSEC_PER_SEC, &ns) && ns == UINT64_MAX);
	CHECK(decimal("18446744073.709551616", NSEC_PER_SEC, &ns) && ns == UINT64_MAX - 5);
	CHECK(decimal("0.00000000000000000000000000007", 1, &ns) && ns == 0);
}

/* As Python, pandas and awk write small and large numbers. */
static void exponents(void)
{
	uint64_t ns;

	CHECK(decimal("1e-05", NSEC_PER_SEC, &ns) && ns == 10000);
	CHECK(decimal("1.5e-05", NSEC_PER_SEC, &ns) && ns == 15000);
	CHECK(decimal("1.5E+3", NSEC_PER_MSEC, &ns) && ns == 1500000000);
	CHECK(decimal("1.577808000000001e+09", NSEC_PER_SEC, &ns) && ns == 1577808000000001000ull);
	CHECK(decimal("123456789e-9", NSEC_PER_SEC, &ns) && ns == 123456789);
	CHECK(decimal("7e-10", NSEC_PER_SEC, &ns) && ns == 0);
	CHECK(decimal("7e-99999999999", NSEC_PER_SEC, &ns) && ns == 0);
	CHECK(decimal("0e99999999999", NSEC_PER_SEC, &ns) && ns == 0);
	CHECK(!decimal("7e99999999999", NSEC_PER_SEC, &ns));
	CHECK(!decimal("2e10", NSEC_PER_SEC, &ns));
	CHECK(!decimal("1e", NSEC_PER_SEC, &ns));
	CHECK(!decimal("1e-", NSEC_PER_SEC, &ns));
	CHECK(!decimal("1e+x", NSEC_PER_SEC, &ns));
}

static void filetimes(void)
{
	uint64_t ns;

	CHECK(foreign_filetime(128166372003061629ull, &ns) && ns == 1172163600306162900ull);
	CHECK(foreign_filetime(116444736000000000ull, &ns) && ns == 0);
	CHECK(!foreign_filetime(116444735999999999ull, &ns));
	CHECK(!foreign_filetime(UINT64_MAX, &ns));
}

static void places(void)
{
	struct io_row row = {0};

	CHECK(foreign_place(&row, 1000, 100));
	CHECK_EQ(row.sector, 1);
	CHECK_EQ(row.bytes, 1024);
	CHECK(foreign_place(&row, 4096, 0));
	CHECK_EQ(row.bytes, 0);
	CHECK(!foreign_place(&row, UINT64_MAX, 1));
	CHECK(!foreign_place(&row, 0, FOREIGN_BYTES_MAX + 1));
	CHECK(foreign_place_sectors(&row, FOREIGN_SECTOR_MAX, 1));
	CHECK(!foreign_place_sectors(&row, FOREIGN_SECTOR_MAX + 1, 1));
	CHECK(!foreign_place_sectors(&row, 0, UINT64_MAX));
}

/* Splits `line`; returns the fields joined with "|", or "!" if the line is not well formed. */
static const char *split(const char *line, char delimiter)
{
	static char joined[256];
	char unquoted[CSV_UNQUOTED_MAX];
	const char *at = line, *end = line + strlen(line);
	struct text field;
	bool more = true;

	*joined = '\0';
	while (more) {
		size_t used = strlen(joined);

		if (!csv_field(&at, end, delimiter, unquoted, &more, &field))
			return "!";
		snprintf(joined + used, sizeof(joined) - used, "%s%.*s", used ? "|" : "",
			 (int)field.bytes, field.at);
	}
	return joined;
}

static void csv_fields(void)
{
	CHECK_TEXT(split("a,b,c", ','), "a|b|c");
	CHECK_TEXT(split(" a , ,c,", ','), "a||c|");
	CHECK_TEXT(split("\"a,b\",\"say \"\"x\"\"\",c", ','), "a,b|say \"x\"|c");
	CHECK_TEXT(split("\"a\"b,c", ','), "!");
	CHECK_TEXT(split("a,\"b", ','), "!");
	CHECK_TEXT(split("  a   b  c ", ' '), "a|b|c");
	CHECK_TEXT(split("a\tb\t\tc", '\t'), "a|b||c");
	CHECK_TEXT(split("", ' '), "!");
}

static void csv_column_lists(void)
{
	static const char *const wrong[] = {
		"",
		"time,op,offset",
		"time,op,offset,size,time",
		"time:bytes,op,offset,size",
		"time,op:r,offset,size",
		"time,op,offset:0,size",
		"time,op,offset:ms,size",
		"time,op,offset,size,comm",
		"time,op,offset,size,latency:filetime",
		"time:4096,op,offset,size,foo",
		"time,op,offset,size:",
	};
	struct csv_columns columns;
	const char *message;

	CHECK_EQ(csv_columns__parse("time:us,op:read0,offset:4096,-,sectors,latency:ms", false,
				    &columns, &message),
		 0);
	CHECK_EQ(columns.count, 6);
	CHECK_EQ(columns.items[0].unit, 1000);
	CHECK_EQ(columns.items[1].unit, CSV_OP_READ0);
	CHECK_EQ(columns.items[2].unit, 4096);
	CHECK_EQ(columns.items[3].kind, CSV_SKIP);
	CHECK_EQ(columns.items[4].unit, 512);
	CHECK_EQ(columns.items[5].unit, 1000000);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		message = NULL;
		CHECK_EQ(csv_columns__parse(wrong[i], false, &columns, &message), -EINVAL);
		CHECK(message && strstr(message, "--columns"));
	}
}

static bool repeats_at(struct repeats *r, uint64_t time_ns, uint64_t sector, uint8_t op)
{
	struct io_row row = {
		.created_ns = time_ns, .sector = sector, .bytes = 4096, .device = 1, .op = op};

	return repeats__check(r, &row);
}

static void repetitions(void)
{
	struct repeats *r = repeats__new();

	CHECK(!repeats_at(r, 1000000, 8, IO_OP_READ));
	CHECK(repeats_at(r, 1000000, 8, IO_OP_READ));
	CHECK(repeats_at(r, 1000000 + REPEAT_WINDOW_NS, 8, IO_OP_READ));
	CHECK(!repeats_at(r, 1000001 + REPEAT_WINDOW_NS, 8, IO_OP_READ));
	CHECK(!repeats_at(r, 1000001 + REPEAT_WINDOW_NS, 8, IO_OP_WRITE));
	CHECK(!repeats_at(r, 1000001 + REPEAT_WINDOW_NS, 16, IO_OP_READ));
	repeats__free(r);
}

/* Ten thousand IOs at once, each of them twice: each repetition is found once. */
static void many_repetitions(void)
{
	struct repeats *r = repeats__new();
	unsigned int found = 0;

	for (uint64_t i = 0; i < 10000; i++)
		found += repeats_at(r, 1000000 + i, 8 * i, IO_OP_READ);
	CHECK_EQ(found, 0);
	for (uint64_t i = 0; i < 10000; i++)
		found += repeats_at(r, 1010000 + i, 8 * i, IO_OP_READ);
	CHECK_EQ(found, 10000);
	repeats__free(r);
}

static void add_rows(struct alignment *a, uint32_t device, uint64_t sector, unsigned int count)
{
	struct io_row row = {.device = device, .sector = sector, .bytes = 4096};

	while (count--)
		alignment__add(a, &row);
}

static void alignments(void)
{
	struct foreign_names *names = foreign_names__new();
	struct alignment *a = alignment__new();
	struct misaligned worst = {0};

	CHECK_EQ(foreign_names__device(names, (struct text){"sda", 3}, 8, 0), 1);
	CHECK_EQ(foreign_names__device(names, (struct text){"sdb", 3}, 8, 16), 2);
	CHECK_EQ(foreign_names__device(names, (struct text){"sda", 3}, 8, 0), 1);
	add_rows(a, 1, 63, 60);
	add_rows(a, 1, 64, 40);
	add_rows(a, 2, 63, 40);
	add_rows(a, 2, 64, 60);
	CHECK_EQ(alignment__shift_sectors(a, 1), 1);
	CHECK_EQ(alignment__shift_sectors(a, 2), 0);
	/* The shift of a device stays fixed. */
	add_rows(a, 1, 64, 1000);
	CHECK_EQ(alignment__shift_sectors(a, 1), 1);
	CHECK_EQ(alignment__shift_sectors(a, UINT32_MAX), 0);
	alignment__worst(a, names, &worst);
	CHECK_EQ(worst.sectors, 0);
	alignment__free(a);
	foreign_names__free(names);
}

/*
 * The worst of several devices is the one of which a shift would align most IOs. Flushes do not
 * count.
 */
static void the_worst_alignment_is_reported(void)
{
	struct foreign_names *names = foreign_names__new();
	struct alignment *a = alignment__new();
	struct misaligned worst = {0};
	struct io_row flush = {.device = 1, .sector = 64};

	CHECK_EQ(foreign_names__device(names, (struct text){"sda", 3}, 8, 0), 1);
	CHECK_EQ(foreign_names__device(names, (struct text){"sdb", 3}, 8, 16), 2);
	CHECK_EQ(foreign_names__device(names, (struct text){"sdc", 3}, 8, 32), 3);
	add_rows(a, 1, 63, 7);
	add_rows(a, 1, 64, 6);
	for (unsigned int i = 0; i < 100; i++)
		alignment__add(a, &flush);
	alignment__worst(a, names, &worst);
	CHECK_EQ(worst.rows, 7);
	CHECK_EQ(worst.sectors, 7);
	CHECK_TEXT(worst.device, "sda");
	/* Half of them are no majority. */
	add_rows(a, 3, 1, 50);
	add_rows(a, 3, 8, 50);
	add_rows(a, 2, 3, 9);
	add_rows(a, UINT32_MAX, 1, 1);
	alignment__worst(a, names, &worst);
	CHECK_EQ(worst.rows, 9);
	CHECK_EQ(worst.sectors, 3);
	CHECK_TEXT(worst.device, "sdb");
	alignment__free(a);
	foreign_names__free(names);
}

static struct text text_of(const char *text)
{
	return (struct text){text, strlen(text)};
}

static void long_names_stay_apart(void)
{
	struct foreign_names *n = foreign_names__new();
	uint32_t a =
		foreign_names__device(n, text_of("/srv/one/a/path/that/is/long/job.0.0"), 0, 0);
	uint32_t b =
		foreign_names__device(n, text_of("/srv/two/a/path/that/is/long/job.0.0"), 0, 0);

	CHECK(a && b && a != b);
	CHECK_EQ(strlen(foreign_names__device_name(n, a)), TRACE_NAME_MAX - 1);
	CHECK_TEXT(foreign_names__device_name(n, a) + 8, "~h/that/is/long/job.0.0");
	CHECK_EQ(foreign_names__device(n, text_of("/srv/one/a/path/that/is/long/job.0.0"), 0, 0),
		 a);
	foreign_names__free(n);
}

static void too_many_devices(void)
{
	struct foreign_names *n = foreign_names__new();
	char name[16];

	for (unsigned int i = 0; i < TRACE_DEVICES_MAX; i++) {
		snprintf(name, sizeof(name), "d%u", i);
		CHECK_EQ(foreign_names__device(n, text_of(name), 0, 0), i + 1);
	}
	CHECK_EQ(foreign_names__error(n), 0);
	CHECK_EQ(foreign_names__device(n, text_of("one more"), 0, 0), 0);
	CHECK_EQ(foreign_names__error(n), -E2BIG);
	foreign_names__free(n);
}

static void tasks_files_and_cgroups_have_one_id_each(void)
{
	struct foreign_names *n = foreign_names__new();

	CHECK_EQ(foreign_names__task(n, 7, text_of("sh")), 1);
	CHECK_EQ(foreign_names__task(n, 7, text_of("ls")), 1);
	CHECK_EQ(foreign_names__task_of(n, 8, text_of("sh")), 2);
	CHECK_EQ(foreign_names__task_of(n, 8, text_of("ls")), 3);
	CHECK_EQ(foreign_names__task_of(n, 8, text_of("sh")), 2);
	CHECK_EQ(foreign_names__file(n, text_of("/a")), 1);
	CHECK_EQ(foreign_names__file(n, text_of("8:1:4711")), 2);
	CHECK_EQ(foreign_names__file(n, text_of("/a")), 1);
	CHECK_EQ(foreign_names__cgroup(n, text_of("id:9")), 1);
	CHECK_EQ(foreign_names__cgroup(n, text_of("/db")), 2);
	CHECK_EQ(foreign_names__error(n), 0);
	foreign_names__free(n);
}

/* No bytes match two formats; a format without a signature is never recognised. */
static void formats_are_told_apart(void)
{
	for (unsigned int i = 0; foreign_formats[i]; i++) {
		CHECK(foreign_format_by_name(foreign_formats[i]->name) == foreign_formats[i]);
		CHECK(foreign_formats[i]->line || foreign_formats[i]->next);
		CHECK(i == 0 || strcmp(foreign_formats[i - 1]->name, foreign_formats[i]->name) < 0);
	}
	CHECK(foreign_format_by_name("") == NULL);
	CHECK(foreign_format_by_content("1,2,3\n", 6) == NULL);
	CHECK(foreign_format_by_content("\0\0\0\0", 4) == NULL);
}

static const char *recognised(const char *text)
{
	const struct foreign_format *format = foreign_format_by_content(text, strlen(text));

	return format ? format->name : "none";
}

/* Content that is almost of a format is not recognised. */
static void near_misses_are_not_recognised(void)
{
	CHECK_TEXT(recognised("0,8,4096,R,0.5\n"), "spc");
	CHECK_TEXT(recognised("0,8,4096,R,0.5"), "spc");
	CHECK_TEXT(recognised("0,8,4096,R,5e-05,x\n"), "spc");
	CHECK_TEXT(recognised("0,8,4096,R,0.5abc\n"), "none");
	CHECK_TEXT(recognised("0,8,4096,R,5\n"), "none");
	CHECK_TEXT(recognised("0,8,100,R,0.5\n"), "none");
	CHECK_TEXT(recognised("0,8,4096,R,0.5\n0,8,4096,x,0.5\n"), "none");
	CHECK_TEXT(recognised("1,R,0,4096,1577808000000046\n"), "alibaba");
	CHECK_TEXT(recognised("1,R,0,4096,1577808000\n"), "none");
	CHECK_TEXT(recognised("1,R,0,4096,1577808000000046,7\n"), "none");
	CHECK_TEXT(recognised("128166372003061629,hm,0,Read,0,4096,1\n"), "msr");
	CHECK_TEXT(recognised("1166372003,hm,0,Read,0,4096,1\n"), "none");
	CHECK_TEXT(recognised("Timestamp,Response,IOType,LUN,Offset,Size\n"), "systor");
	CHECK_TEXT(recognised("Timestamp,Response,IOType,LUN,Offset,Size,More\n"), "none");
	CHECK_TEXT(recognised("0 1 a 8 8 W 6 0 d41d8cd98f00b204e9800998ecf8427e\n"), "fiu");
	CHECK_TEXT(recognised("0 1 a 8 8 W 6 0 d41d8cd98f00b204e9800998ecf8427\n"), "none");
	CHECK_TEXT(recognised("fio version 3 iolog\n"), "fio-iolog");
	CHECK_TEXT(recognised("fio version 3 iolog?\n"), "none");
	CHECK_TEXT(recognised("time_s,device,op,sector,bytes,flags\n"), "dump-csv");
	CHECK_TEXT(recognised("time_s,device,op,sector\n"), "none");
	CHECK_TEXT(recognised(""), "none");
}

int main(void)
{
	RUN(numbers);
	RUN(decimals);
	RUN(exponents);
	RUN(filetimes);
	RUN(places);
	RUN(csv_fields);
	RUN(csv_column_lists);
	RUN(repetitions);
	RUN(many_repetitions);
	RUN(alignments);
	RUN(the_worst_alignment_is_reported);
	RUN(long_names_stay_apart);
	RUN(too_many_devices);
	RUN(tasks_files_and_cgroups_have_one_id_each);
	RUN(formats_are_told_apart);
	RUN(near_misses_are_not_recognised);
	return TEST_RESULT;
}
