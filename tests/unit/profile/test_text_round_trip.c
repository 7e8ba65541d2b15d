// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>

#include "base/units.h"
#include "profile/generate/generator.h"
#include "profile/prng.h"
#include "unit/profile/profiles.h"
#include "workload/figures/measure.h"

#define MIXED_ROWS 20000u
/* FNV-1a over every field of the rows that `mixed` gives with seed 42, the same on all machines. */
#define MIXED_CHECKSUM 0xa62a8ec32676ad66ull

static struct profile *build_from(const struct io_row *rows, uint64_t count)
{
	struct profile_extent extent = {.ios = count};

	extent.duration_ns = count ? rows[count - 1].created_ns : 0;
	extent.first_sector = UINT64_MAX;
	for (uint64_t i = 0; i < count; i++) {
		if (!rows[i].bytes)
			continue;
		if (rows[i].sector < extent.first_sector)
			extent.first_sector = rows[i].sector;
		if (rows[i].sector + rows[i].bytes / 512 > extent.end_sector)
			extent.end_sector = rows[i].sector + rows[i].bytes / 512;
	}
	if (!extent.end_sector)
		extent.first_sector = 0;
	return profile_of(&extent, rows);
}

/* Bursts of reads and writes of several sizes, a log that is written in sequence, flushes. */
static struct io_row *mixed(void)
{
	struct io_row *rows = calloc(MIXED_ROWS, sizeof(*rows));
	uint64_t time_ns = 0, log_sector = 1 << 20;
	struct prng random;

	if (!rows)
		abort();
	prng_seed(&random, 1);
	for (unsigned int i = 0; i < MIXED_ROWS; i++) {
		unsigned int kind = (unsigned int)prng_below(&random, 10);

		rows[i].created_ns = time_ns;
		time_ns += prng_below(&random, 50) ? prng_below(&random, 200000)
						   : prng_below(&random, 400000000);
		rows[i].device = 1;
		if (kind < 5) {
			rows[i].op = IO_OP_READ;
			rows[i].sector = prng_below(&random, 1000) * 64;
			rows[i].bytes = 4096u << prng_below(&random, 3);
		} else if (kind < 8) {
			rows[i].op = IO_OP_WRITE;
			rows[i].flags = IO_SYNC | (kind == 7 ? IO_FUA : 0);
			rows[i].sector = log_sector;
			rows[i].bytes = 16384;
			log_sector += 32;
		} else if (kind < 9) {
			rows[i].op = IO_OP_FLUSH;
		} else {
			rows[i].op = IO_OP_DISCARD;
			rows[i].sector = prng_below(&random, 1000) * 2048;
			rows[i].bytes = 1 << 20;
		}
	}
	return rows;
}

static uint64_t mix_in(uint64_t sum, uint64_t value)
{
	for (unsigned int i = 0; i < 8; i++)
		sum = (sum ^ (value >> (8 * i) & 0xff)) * 0x100000001b3ull;
	return sum;
}

/* Generates everything; checks what holds for every row of every profile. */
static uint64_t checksum(const struct profile *p, uint64_t seed, uint64_t *op_ios, uint64_t *ios)
{
	struct profile_generator *generator;
	uint64_t sum = 0xcbf29ce484222325ull, last_ns = 0;
	struct io_row row;
	int got;

	*ios = 0;
	if (profile_generator__create(p, seed, &generator))
		abort();
	while ((got = profile_generator__next(generator, &row)) > 0) {
		CHECK(row.created_ns >= last_ns);
		CHECK(row.created_ns <= p->duration_ns);
		CHECK(row.device == 1 && row.task >= 1 && row.task <= p->stream_count);
		CHECK(row.completed_ns == 0);
		if (row.bytes) {
			CHECK(row.sector >= p->first_sector);
			CHECK(row.sector + row.bytes / 512 <= p->end_sector);
		}
		last_ns = row.created_ns;
		op_ios[row.op]++;
		++*ios;
		sum = mix_in(mix_in(mix_in(sum, row.created_ns), row.sector), row.bytes);
		sum = mix_in(mix_in(sum, row.op), row.flags);
	}
	CHECK_EQ(got, 0);
	CHECK_EQ(last_ns, *ios > 1 ? p->duration_ns : 0);
	profile_generator__free(generator);
	return sum;
}

static char *text_of(const struct profile *p, size_t *bytes)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, bytes);

	if (!out)
		abort();
	CHECK_EQ(profile__save(p, out), 0);
	fclose(out);
	return text;
}

static void the_same_seed_gives_the_same_rows(void)
{
	struct io_row *rows = mixed();
	struct profile *p = build_from(rows, MIXED_ROWS);
	uint64_t ops[IO_OP_COUNT] = {0}, ios, first, second, other;

	first = checksum(p, 42, ops, &ios);
	second = checksum(p, 42, ops, &ios);
	other = checksum(p, 43, ops, &ios);
	CHECK(first == second);
	CHECK(first != other);
	if (first != MIXED_CHECKSUM)
		printf("# checksum %#" PRIx64 "\n", first);
	CHECK(first == MIXED_CHECKSUM);
	profile__free(p);
	free(rows);
}

static void ops_and_sizes_are_kept_exactly(void)
{
	struct io_row *rows = mixed();
	struct profile *p = build_from(rows, MIXED_ROWS);
	uint64_t ops[IO_OP_COUNT] = {0}, want[IO_OP_COUNT] = {0}, ios;
	struct workload_measure *a, *b;
	struct profile_generator *generator;
	struct io_row row;

	checksum(p, 7, ops, &ios);
	CHECK_EQ(ios, MIXED_ROWS);
	for (unsigned int i = 0; i < MIXED_ROWS; i++)
		want[rows[i].op]++;
	for (unsigned int op = 0; op < IO_OP_COUNT; op++)
		CHECK_EQ(ops[op], want[op]);

	REQUIRE(!workload_measure__create(0, &a) && !workload_measure__create(0, &b));
	REQUIRE(profile_generator__create(p, 7, &generator) == 0);
	for (unsigned int i = 0; i < MIXED_ROWS; i++)
		CHECK_EQ(workload_measure__add(a, &rows[i]), 0);
	while (profile_generator__next(generator, &row) > 0)
		CHECK_EQ(workload_measure__add(b, &row), 0);
	CHECK_EQ(workload_measure__finish(a)->bytes, workload_measure__finish(b)->bytes);
	CHECK(size_table_distance(&workload_measure__finish(a)->sizes,
				  &workload_measure__finish(b)->sizes) == 0);
	CHECK_EQ(workload_measure__finish(a)->fua_ios, workload_measure__finish(b)->fua_ios);
	profile_generator__free(generator);
	workload_measure__free(a);
	workload_measure__free(b);
	profile__free(p);
	free(rows);
}

static void saved_loaded_and_saved_is_the_same_text(void)
{
	struct io_row *rows = mixed();
	struct profile *p = build_from(rows, MIXED_ROWS), *again = NULL;
	char message[PROFILE_MESSAGE_MAX], *text, *text_again;
	size_t bytes, bytes_again;

	text = text_of(p, &bytes);
	CHECK(bytes < 20000);
	CHECK_EQ(profile__parse(text, bytes, &again, message), 0);
	CHECK_TEXT(message, "");
	REQUIRE(again != NULL);
	text_again = text_of(again, &bytes_again);
	CHECK_TEXT(text_again, text);
	free(text);
	free(text_again);
	profile__free(p);
	profile__free(again);
	free(rows);
}

/* Builds, writes, reads and generates; returns the IOs that came out. */
static uint64_t survive(const struct io_row *rows, uint64_t count)
{
	struct profile *p = build_from(rows, count), *again = NULL;
	uint64_t ops[IO_OP_COUNT] = {0}, ios = UINT64_MAX;
	char message[PROFILE_MESSAGE_MAX];
	size_t bytes;
	char *text = text_of(p, &bytes);

	CHECK_EQ(profile__parse(text, bytes, &again, message), 0);
	CHECK_TEXT(message, "");
	if (again)
		checksum(again, 1, ops, &ios);
	free(text);
	profile__free(p);
	profile__free(again);
	return ios;
}

static void odd_traces_survive(void)
{
	static struct io_row rows[10000];

	CHECK_EQ(survive(rows, 0), 0);
	rows[0] = (struct io_row){.op = IO_OP_READ, .sector = 63, .bytes = 512};
	CHECK_EQ(survive(rows, 1), 1);
	for (unsigned int i = 0; i < 10000; i++)
		rows[i] = (struct io_row){.op = IO_OP_FLUSH, .created_ns = i};
	CHECK_EQ(survive(rows, 10000), 10000);
	for (unsigned int i = 0; i < 10000; i++)
		rows[i] = (struct io_row){.op = IO_OP_WRITE, .sector = 8ull * i, .bytes = 4096};
	CHECK_EQ(survive(rows, 10000), 10000);
	for (unsigned int i = 0; i < 10000; i++)
		rows[i].created_ns = i * 86400 * NSEC_PER_SEC / 100;
	CHECK_EQ(survive(rows, 10000), 10000);
	for (unsigned int i = 0; i < 10000; i++) {
		rows[i].bytes = 512ull * (i + 1);
		rows[i].flags = i;
	}
	CHECK_EQ(survive(rows, 10000), 10000);
	for (unsigned int i = 0; i < 10000; i++)
		rows[i] = (struct io_row){.op = IO_OP_WRITE, .flags = IO_PREFLUSH, .created_ns = i};
	CHECK_EQ(survive(rows, 10000), 10000);
}

#define HEAD	"[profile]\nversion = 1\n"
#define ARRIVAL "ios = 2\nend_sector = 8\nphases = 1\n[arrival]\nwindows = 2\n"

static void bad_words_of_bursts_are_refused(void)
{
	static const struct {
		const char *value, *message;
	} bad[] = {
		{"5", "'5' is not window.bin:digits"},
		{"0.0", "'0.0' is not window.bin:digits"},
		{"0:Z", "'0:Z' is not window.bin:digits"},
		{"-1.0:Z", "'-1' is not a window from 0 to 239"},
		{"0.1048576:Z", "'1048576' is not a bin from 0 to 1048575"},
		{"0.0:!", "'!' holds '!', but digits are 0-9, a-z (10 to 35) and A-Z (36 to 61)"},
		{"0.0:ZZ", "window 0 has more than 1 digits (split_levels)"},
		{"0.0:Z.Z", "window 0 has reads, which come with 'read_write_correlation' only"},
		{"0.0:012345678901234567890", "'012345678901234567890' has more than 20 digits"},
		{"0.0:Z..11111", "'11111' has more than 4 digits"},
		{"0.0:Z..1", "window 0 has large IOs, which come with 'size_class' only, and with "
			     "'read_write_correlation' or without 'reads'"},
		{"0.2:Z", "bin 2 is not below 2^1"},
		{"1.0:Z", "window 1 is not below 1 and above that of the burst before"},
		{"0.0:Z 0.1:Z", "window 0 is not below 1 and above that of the burst before"},
	};
	char text[512], message[256];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text),
			 HEAD ARRIVAL
			 "split_levels = 1\npinned_bursts = %s\n[stream 1]\nop = read\n"
			 "ios = 2\nsizes = 4096:2\n",
			 bad[i].value);
		snprintf(message, sizeof(message), "line 9: 'pinned_bursts': %s", bad[i].message);
		CHECK_TEXT(refusal(text), message);
	}
	CHECK_TEXT(refusal(HEAD ARRIVAL "split_levels = 1\npinned_bursts =\n"),
		   "line 9: 'pinned_bursts' has no value");
}

static void bad_profiles_are_refused_with_the_line(void)
{
	CHECK_TEXT(refusal(""),
		   "not a profile: [profile] with 'version = 1' is missing" PROFILE_HOW_MADE);
	CHECK_TEXT(refusal("[profile]\nversion = 2\n"),
		   "line 2: version 2 is newer than this blkreel knows (1)");
	CHECK_TEXT(refusal("[profile]\nversion = x\n"),
		   "line 2: 'version': 'x' is not a number from 1 to 4294967295");
	CHECK_TEXT(refusal(HEAD "color = 1\n"), "line 3: [profile] has no key 'color'");
	CHECK_TEXT(refusal(HEAD "ios = 1\nios = 1\n"), "line 4: 'ios' is given twice");
	CHECK_TEXT(refusal(HEAD "ios = 1 1\n"), "line 3: 'ios' has more than 1 value");
	CHECK_TEXT(refusal(HEAD ARRIVAL "# more\nwindows = 0\n"),
		   "line 9: 'windows' is given twice");
	CHECK_TEXT(refusal(HEAD "[stream 1]\nsizes = 4096:1\n  8192:1\nsizes = 16384:1\n"),
		   "line 6: 'sizes' is given twice");
	CHECK_TEXT(refusal(HEAD "[stream 1]\nzones = 3:1\n  4:1\n[stream 1]\n  zones = 5:1\n"),
		   "line 7: 'zones' is given twice");
	CHECK_TEXT(refusal(HEAD "[stream 1]\nspace = 1\nspace = 2\n"),
		   "line 5: 'space' is given twice");
	CHECK_TEXT(refusal(HEAD "[files]\nsizes = 4096:1\nsizes = 8192:1\n"),
		   "line 5: 'sizes' is given twice");
	/* The first error counts, also where the INI reader finds it by itself. */
	CHECK_TEXT(refusal(HEAD "seed\nios = -1\n"),
		   "line 3: neither 'key = value' nor [section] nor # comment");
	CHECK_TEXT(refusal(HEAD "seed ; = 1\nios = -1\n"),
		   "line 3: neither 'key = value' nor [section] nor # comment");
	CHECK_TEXT(refusal("\xef\xbb\xbf" HEAD "\n ; a: b\nios = 1\nios = 1\n"),
		   "line 6: 'ios' is given twice");
	CHECK_TEXT(refusal("\xef\xbb\xbf[profile]\nversion = 2\n"),
		   "line 2: version 2 is newer than this blkreel knows (1)");
	CHECK_TEXT(refusal(HEAD "ios = -1\n"),
		   "line 3: 'ios': '-1' is not a number from 0 to 1099511627776");
	CHECK_TEXT(refusal(HEAD "ios = 2000000000000\n"),
		   "line 3: 'ios': '2000000000000' is not a number from 0 to 1099511627776");
	CHECK_TEXT(refusal(HEAD "nonsense\n"),
		   "line 3: neither 'key = value' nor [section] nor # comment");
	CHECK_TEXT(refusal("a = 1\n"),
		   "not a profile: line 1: a key before the first [section]" PROFILE_HOW_MADE);
	CHECK_TEXT(refusal("[wrong]\na = 1\n"),
		   "not a profile: line 2: there is no section [wrong]" PROFILE_HOW_MADE);
	CHECK_TEXT(refusal(HEAD "[stream 2]\nop = read\n"),
		   "line 4: [stream 2]: streams are numbered from 1 without a hole, up to 32");
	CHECK_TEXT(refusal(HEAD "[stream 1]\nop = eat\n"), "line 4: 'op': 'eat' is not an op");
	CHECK_TEXT(refusal(HEAD "[stream 1]\nop = read\nflags = fua|x\n"),
		   "line 5: 'flags': 'fua|x' is not a flag that a profile can have");
	CHECK_TEXT(refusal(HEAD "[stream 1]\nop = read\nop = read\n"),
		   "line 5: 'op' is given twice");
	CHECK_TEXT(refusal(HEAD "[stream 1]\nop = read\n"),
		   "line 3: [stream 1] must have op, ios and sizes");
	CHECK_TEXT(refusal(HEAD "[stream 1]\nsizes = 8192:1 4096:1\n"),
		   "line 4: 'sizes': 4096 is out of order or given twice");
	CHECK_TEXT(refusal(HEAD "[stream 1]\nzones = 64:1\n"),
		   "line 4: 'zones': '64' is not an index from 0 to 63");
	CHECK_TEXT(refusal(HEAD "[stream 1]\nzones = 3:1 3:1\n"),
		   "line 4: 'zones': index 3 is given twice");
	CHECK_TEXT(refusal(HEAD ARRIVAL "gap.4 = 1:1\n"), "line 8: [arrival] has no key 'gap.4'");
	CHECK_TEXT(refusal(HEAD ARRIVAL "gap_within.48 = 1 2\n"),
		   "line 8: [arrival] has no key 'gap_within.48'");
	CHECK_TEXT(refusal(HEAD ARRIVAL "gap.3 = 48:1\n"),
		   "line 8: 'gap.3': '48' is not an index from 0 to 47");
	CHECK_TEXT(refusal(HEAD ARRIVAL "split_levels = 21\n"),
		   "line 8: 'split_levels': '21' is not a number from 0 to 20");
	CHECK_TEXT(refusal(HEAD ARRIVAL), "line 3: ios is 2, but no stream has any (streams: 0)");
	CHECK_TEXT(refusal(HEAD "ios = 3\nphases = 1\n[arrival]\nwindows = 2\n"),
		   "line 3: the windows hold 2 IOs in sum, but ios is 3");
	CHECK_TEXT(refusal(HEAD ARRIVAL "[stream 1]\nop = read\nios = 2\nsizes = 8192:2\n"),
		   "line 11: stream 1: a size of 8192 bytes does not fit between first_sector and "
		   "end_sector");
	CHECK_TEXT(
		refusal(HEAD ARRIVAL "[stream 1]\nop = read\nios = 2\nsizes = 4096:2\n"
				     "next = 1:1 3:1\n"),
		"line 12: [stream 1]: 'next' names stream 3, but there are only 1: was the file cut?");
	CHECK_TEXT(refusal(HEAD ARRIVAL "[stream 1]\nop = read\nios = 2\nsizes = 4096:2\n"
					"phases = 3\n"),
		   "line 12: [stream 1]: the phases hold 3 IOs in sum, but 'ios' is 2");
	CHECK_TEXT(refusal(HEAD ARRIVAL "[stream 1]\nop = read\nios = 4\nphases = 4\n"
					"sizes = 4096:2\n"),
		   "line 3: the streams hold 4 IOs in sum, but ios is 2");
	CHECK_TEXT(refusal(HEAD ARRIVAL "[stream 1]\nop = read\nios = 2\nsizes = 4096:0\n"),
		   "line 11: [stream 1]: the weights of 'sizes' have the sum 0, but must have one "
		   "above");
	CHECK_TEXT(refusal(HEAD "[stream 1]\nop = read\nios = 2\nsizes = -4096:2\n"),
		   "line 6: 'sizes': '-4096' is not a number of bytes, of KiB (4K) or of MiB (2M)");
	CHECK_TEXT(refusal(HEAD ARRIVAL
			   "split_levels = 2\npeak_cap = 1\n[stream 1]\nop = read\nios = 2\n"
			   "sizes = 4096:2\n"),
		   "line 9: 'peak_cap' has 1 values, but must have 2 (split_levels)");
	CHECK_TEXT(refusal(HEAD ARRIVAL "period = 5s\n"),
		   "line 6: [arrival]: 'period' comes without 'period_shape'");
	CHECK_TEXT(refusal(HEAD ARRIVAL "period_shape = 3 1\n"),
		   "line 6: [arrival]: 'period_shape' comes without 'period'");
	CHECK_TEXT(refusal(HEAD ARRIVAL "period = 5s\nperiod_shape.o = 3 1\n"),
		   "line 6: [arrival]: rows of reads and of others come without "
		   "'read_write_correlation'");
	CHECK_TEXT(refusal(HEAD ARRIVAL "period = 5us\n"),
		   "line 8: 'period': '5us' is not a time like 5s, from 1ms");
	CHECK_TEXT(refusal(HEAD ARRIVAL "reads = 3\n"),
		   "line 8: 'reads': window 0 has 3, but only 2 IOs");
	CHECK_TEXT(refusal(HEAD ARRIVAL "reads = 1 1\n"),
		   "line 8: 'reads' has 2 values, but must have 1 (as 'windows')");
	CHECK_TEXT(refusal(HEAD ARRIVAL "reads.3.1 = 1\n"),
		   "line 8: [arrival] has no key 'reads.3.1'");
	CHECK_TEXT(refusal(HEAD ARRIVAL "reads.4.4 = 1\n"),
		   "line 8: [arrival] has no key 'reads.4.4'");
	CHECK_TEXT(refusal(HEAD ARRIVAL "split.o.0.5 = 1\n"),
		   "line 8: [arrival] has no key 'split.o.0.5'");
	CHECK_TEXT(refusal(HEAD ARRIVAL "neighbour.r.7 = 1\n"),
		   "line 8: [arrival] has no key 'neighbour.r.7'");
	CHECK_TEXT(refusal(HEAD ARRIVAL "read_write_correlation = 500\n"),
		   "line 8: 'read_write_correlation' comes without 'reads'");
	CHECK_TEXT(refusal(HEAD ARRIVAL "size_class.5 = 4096 1\n"),
		   "line 8: [arrival] has no key 'size_class.5'");
	CHECK_TEXT(refusal(HEAD ARRIVAL "size_class.2 = 4096 1\n"),
		   "line 8: 'size_class.2' comes without 'size_class.1'");
	CHECK_TEXT(
		refusal(HEAD ARRIVAL "size_class.1 = 4096 1 1\n"),
		"line 8: 'size_class.1' has 3 values, but must have 2 (a size, and the IOs of each "
		"phase)");
	CHECK_TEXT(refusal(HEAD ARRIVAL "size_class.1 = 4096 1\nsize_class.2 = 4096 1\n"),
		   "line 9: 'size_class.2' is of 4096 bytes, but must be above 4096");
	bad_words_of_bursts_are_refused();
	CHECK_TEXT(refusal(HEAD "first_sector = 9\nend_sector = 8\n"),
		   "line 4: end_sector 8 is before first_sector 9");
}

static void bad_gaps_are_refused_with_the_line(void)
{
	CHECK_TEXT(refusal(HEAD ARRIVAL "gap_within.9 = 5\n"),
		   "line 8: 'gap_within.9' has 1 value, but must have at least 2");
	CHECK_TEXT(refusal(HEAD ARRIVAL "gap_within.9 = 5 9 8\n"),
		   "line 8: 'gap_within.9': 8 comes after 9, but the values must rise");
	CHECK_TEXT(refusal(HEAD ARRIVAL "gap_within.9 = 5 1024\n"),
		   "line 8: 'gap_within.9': '1024' is not a number from 0 to 1023");
	CHECK_TEXT(refusal(HEAD ARRIVAL "gap_within.48 = 5 6\n"),
		   "line 8: [arrival] has no key 'gap_within.48'");
	CHECK_TEXT(refusal(HEAD ARRIVAL "neighbour.1 = 1001\n"),
		   "line 8: 'neighbour.1': '1001' is not a number from 0 to 1000");
	CHECK_TEXT(refusal(HEAD ARRIVAL "gap_histogram = 48:1\n"),
		   "line 8: 'gap_histogram': '48' is not an index from 0 to 47");
}

static void nothing_is_included(void)
{
	CHECK_TEXT(refusal(HEAD "include = other.profile\n"),
		   "line 3: a profile includes no other file; 'blkreel profile mix' joins several");
	CHECK_TEXT(refusal(HEAD "[stream 1]\ninclude = other.profile\n"),
		   "line 4: a profile includes no other file; 'blkreel profile mix' joins several");
}

static void a_line_that_is_too_long_is_refused(void)
{
	static char text[1000] = HEAD "seed = ";

	memset(text + strlen(text), '1', 400);
	CHECK_TEXT(refusal(text), "line 3: longer than 190 characters; go on in lines that begin "
				  "with blanks");
}

/* Only what must be there: a hand-written profile. */
static void a_short_profile_is_enough(void)
{
	static const char text[] = HEAD "ios = 1000\nduration_ns = 1000000000\nend_sector = 800\n"
					"phases = 1\n[arrival]\nwindows = 500\n    500\n"
					"[stream 1]\nop = read\nios = 3\nsizes = 4096:1\n"
					"[stream 2]\nop = write\nflags = sync|fua\nios = 1\n"
					"sizes = 4096:1 8192:1\n";
	uint64_t ops[IO_OP_COUNT] = {0}, ios;
	char message[PROFILE_MESSAGE_MAX];
	struct profile *p = NULL;

	CHECK_EQ(profile__parse(text, strlen(text), &p, message), 0);
	CHECK_TEXT(message, "");
	REQUIRE(p != NULL);
	checksum(p, 1, ops, &ios);
	CHECK_EQ(ios, 1000);
	CHECK_EQ(ops[IO_OP_READ], 750);
	CHECK_EQ(ops[IO_OP_WRITE], 250);
	profile__free(p);
}

int main(void)
{
	RUN(the_same_seed_gives_the_same_rows);
	RUN(ops_and_sizes_are_kept_exactly);
	RUN(saved_loaded_and_saved_is_the_same_text);
	RUN(odd_traces_survive);
	RUN(bad_profiles_are_refused_with_the_line);
	RUN(bad_gaps_are_refused_with_the_line);
	RUN(nothing_is_included);
	RUN(a_line_that_is_too_long_is_refused);
	RUN(a_short_profile_is_enough);
	return TEST_RESULT;
}
