// SPDX-License-Identifier: MIT
/*
 * The forms in which a profile's text says weights and sizes: each is read, the shortest is
 * written.
 */
#include <errno.h>
#include <string.h>

#include "profile/prng.h"
#include "unit/profile/profiles.h"

/* Lines 1 to 8; [arrival] goes on with line 9, and a stream begins behind it. */
#define HEAD                                                                                       \
	"[profile]\nversion = 1\nios = 2\nend_sector = 8192\nphases = 1\n[arrival]\nwindows = 2\n" \
	"split_levels = 4\n"
#define STREAM "[stream 1]\nop = read\nios = 2\nphases = 2\nsizes = 4096:2\n"

static struct profile *parsed(const char *text)
{
	char message[PROFILE_MESSAGE_MAX];
	struct profile *p = NULL;

	CHECK_EQ(profile__parse(text, strlen(text), &p, message), 0);
	CHECK_TEXT(message, "");
	return p;
}

static char *text_of(const struct profile *p)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		abort();
	CHECK_EQ(profile__save(p, out), 0);
	fclose(out);
	return text;
}

/* Both are the same profile. */
static void same(const char *a, const char *b)
{
	struct profile *first = parsed(a), *second = parsed(b);
	char *text = NULL, *other = NULL;

	if (first && second) {
		text = text_of(first);
		other = text_of(second);
		CHECK_TEXT(text, other);
	}
	free(text);
	free(other);
	profile__free(first);
	profile__free(second);
}

static void all_forms_of_pairs_say_the_same(void)
{
	same(HEAD "gap.2 = 12:5 13:3 15:1 40:2\n" STREAM, HEAD "gap.2 = 12:5 3 0 1 40:2\n" STREAM);
	same(HEAD "gap.2 = 12:5 13:3 15:1 40:2\n" STREAM, HEAD "gap.2 = 12>5301 40>2\n" STREAM);
	same(HEAD "gap.2 = 40:2 12:5\n 13:3 15:1\n" STREAM,
	     HEAD "gap.2 = 12>53\n 0 1 40:2\n" STREAM);
	same(HEAD "gap.2 = 0:9 1:35 2:36 3:61\n" STREAM, HEAD "gap.2 = 0>9zAZ\n" STREAM);
	same(HEAD STREAM "next = 1:70\nzones = 0:1 63:62\n",
	     HEAD STREAM "next = 1:70\nzones = 0:1\n\t63:62\n");
}

static void all_forms_of_rows_say_the_same(void)
{
	same(HEAD "split.0.2 = 7 0 0 61\nsplit.0.64 = 0 10\n" STREAM,
	     HEAD "split.0 = 2:700Z 64:0a\n" STREAM);
	same(HEAD "split.0.2 = 7 0 0 61\nsplit.0.64 = 0 10\n" STREAM,
	     HEAD "split.0 = 64:0a0000000000\n        2:700Z0\n" STREAM);
	same(HEAD "split.0.2 = 7 62\nsplit.0.64 = 0 10\n" STREAM,
	     HEAD "split.0.2 = 7 62\nsplit.0 = 64:0a\n" STREAM);
	same(HEAD "reads = 1\nreads.2.3 = 1 0 3\n" STREAM,
	     HEAD "reads = 1\nreads.2 = 3:103\n" STREAM);
	same(HEAD
	     "size_class.1 = 512 1\nclass2_split.256.0 = 1 0 3\nclass2_split.256.2 = 4\n" STREAM,
	     HEAD "size_class.1 = 512 1\nclass2_split.256 = 0:103 2:4\n" STREAM);
	same(HEAD
	     "reads = 1\nread_write_correlation = 500\nsplit.o.3.8 = 1\nsplit.r.3.8 = 2\n" STREAM,
	     HEAD
	     "reads = 1\nread_write_correlation = 500\nsplit.o.3 = 8:1\nsplit.r.3 = 8:2\n" STREAM);
}

static void sizes_have_units(void)
{
	same(HEAD "[stream 1]\nop = read\nios = 2\nsizes = 512:1 4K:1 8192:3 2M:1 4194304:2\n",
	     HEAD "[stream 1]\nop = read\nios = 2\nsizes = 512:1 4096:1 8K:3 2048K:1 4M:2\n");
	same(HEAD "[stream 1]\nop = read\nios = 2\nsizes = 1536:1 4K:1 10000:3 2M:1\n",
	     HEAD "[stream 1]\nop = read\nios = 2\nsizes = 1.5K:1 4k:1 10KB:3 2MiB:1\n");
}

/* What `key` is in the text of a profile. */
static void written(const char *text, const char *line)
{
	struct profile *p = parsed(text);
	char *saved = p ? text_of(p) : NULL;

	if (saved && !strstr(saved, line))
		printf("# no '%s' in\n%s\n", line, saved);
	CHECK(saved && strstr(saved, line));
	free(saved);
	profile__free(p);
}

static void the_shortest_form_is_written(void)
{
	written(HEAD "gap.2 = 12:5 13:3 15:1 40:2\n" STREAM, "\ngap.2 = 12>5301 40>2\n");
	written(HEAD "gap.2 = 12:5\n" STREAM, "\ngap.2 = 12:5\n");
	written(HEAD "gap.2 = 12:62 13:3 15:1 18:2 40:2\n" STREAM,
		"\ngap.2 = 12:62 3 0 1 18:2 40:2\n");
	written(HEAD STREAM "zones = 1:100 3:100 5:100 6:100\n",
		"\nzones = 1:100 3:100 5:100 100\n");
	written(HEAD "split.0.2 = 7 62\nsplit.0.64 = 0 10\n" STREAM,
		"\nsplit.0 = 64:0a\nsplit.0.2 = 7 62\n");
	written(HEAD
		"size_class.1 = 512 1\nclass2_split.4.0 = 1 0 61 0\nclass2_split.4.1 = 2\n" STREAM,
		"\nclass2_split.4 = 0:10Z 1:2\n");
	written(HEAD "[stream 1]\nop = read\nios = 2\nsizes = 512:1 1536:1 8192:1 1048576:1\n",
		"\nsizes = 512:1 1536:1 8K:1 1M:1\n");
}

static void bad_pairs_are_refused_with_the_line(void)
{
	CHECK_TEXT(refusal(HEAD "gap.2 = 5\n"), "line 9: 'gap.2': '5' is not index:weight");
	CHECK_TEXT(refusal(HEAD "gap.2 = 47:1\n 5\n"),
		   "line 10: 'gap.2': '5' comes behind index 47, the last");
	CHECK_TEXT(refusal(HEAD "gap.2 = 12:1 x\n"),
		   "line 9: 'gap.2': 'x' is not a number from 0 to 4294967295");
	CHECK_TEXT(refusal(HEAD "gap.2 = 12:0\n"),
		   "line 9: 'gap.2': '0' is not a number from 1 to 4294967295");
	CHECK_TEXT(refusal(HEAD "gap.2 = 12:1 1 13:1\n"),
		   "line 9: 'gap.2': index 13 is given twice");
	CHECK_TEXT(refusal(HEAD "gap.2 = 13:1 12:1 1\n"),
		   "line 9: 'gap.2': index 13 is given twice");
	CHECK_TEXT(refusal(HEAD "gap.2 = 12>11 13>1\n"),
		   "line 9: 'gap.2': index 13 is given twice");
	CHECK_TEXT(refusal(HEAD STREAM "next = 1:4 3>1\n 2>1 1\n"),
		   "line 15: 'next': index 3 is given twice");
	CHECK_TEXT(
		refusal(HEAD "gap.2 = 12>1_1\n"),
		"line 9: 'gap.2': '1_1' holds '_', but digits are 0-9, a-z (10 to 35) and A-Z (36 to 61)");
	CHECK_TEXT(refusal(HEAD "gap.2 = 12>\n"), "line 9: 'gap.2': no digits follow '12>'");
	CHECK_TEXT(refusal(HEAD "gap.2 = 46>111\n"),
		   "line 9: 'gap.2': '111' goes on behind index 47, the last");
	CHECK_TEXT(refusal(HEAD "gap.2 = 48>1\n"),
		   "line 9: 'gap.2': '48' is not an index from 0 to 47");
	CHECK_TEXT(refusal(HEAD STREAM "next = 33>1\n"),
		   "line 14: 'next': '33' is not an index from 1 to 32");
	CHECK_TEXT(refusal(HEAD STREAM "next = 32>11\n"),
		   "line 14: 'next': '11' goes on behind index 32, the last");
	CHECK_TEXT(refusal(HEAD STREAM "next = 0>1\n"),
		   "line 14: 'next': '0' is not an index from 1 to 32");
}

static void bad_rows_are_refused_with_the_line(void)
{
	CHECK_TEXT(refusal(HEAD "split.0 = 64\n"), "line 9: 'split.0': '64' is not row:digits");
	CHECK_TEXT(refusal(HEAD "split.0 = 64:\n"), "line 9: 'split.0': '64:' is not row:digits");
	CHECK_TEXT(refusal(HEAD "split.0 =\n"), "line 9: 'split.0' has no value");
	CHECK_TEXT(
		refusal(HEAD "split.0 = 2:1\n  65:1\n"),
		"line 10: 'split.0': '65' is none of the rows 2 3 4 8 16 32 64 128 256 512 1024 2048 4096");
	CHECK_TEXT(refusal(HEAD "class2_split.2 = 4:1\n"),
		   "line 9: 'class2_split.2': '4' is none of the rows 0 1 2 3");
	CHECK_TEXT(refusal(HEAD "split.0 = 64:1\nsplit.0 = 2:1\n"),
		   "line 10: 'split.0' is given twice");
	CHECK_TEXT(refusal(HEAD "gap.2 = 12:1\ngap.2 = 13:1\n"), "line 10: 'gap.2' is given twice");
	CHECK_TEXT(refusal(HEAD "split.0 = 64:1 64:1\n"),
		   "line 9: 'split.0': row 64 is given twice");
	CHECK_TEXT(refusal(HEAD "split.0.64 = 1\nsplit.0 = 64:1\n"),
		   "line 10: 'split.0': row 64 is given twice");
	CHECK_TEXT(refusal(HEAD "split.0 = 64:1\nsplit.0.64 = 1\n"),
		   "line 10: 'split.0.64' is given twice");
	CHECK_TEXT(refusal(HEAD "split.0 = 64:1234567890123\n"),
		   "line 9: 'split.0': row 64 has 13 weights, but at most 12");
	CHECK_TEXT(refusal(HEAD "reads.16 = 0:1234567890\n"),
		   "line 9: 'reads.16': row 0 has 10 weights, but at most 9");
	CHECK_TEXT(
		refusal(HEAD "split.0 = 64:1-2\n"),
		"line 9: 'split.0': '1-2' holds '-', but digits are 0-9, a-z (10 to 35) and A-Z (36 to 61)");
	CHECK_TEXT(refusal(HEAD "split.20 = 64:1\n"), "line 9: [arrival] has no key 'split.20'");
	CHECK_TEXT(refusal(HEAD "split.o. = 64:1\n"), "line 9: [arrival] has no key 'split.o.'");
	CHECK_TEXT(refusal(HEAD "reads.3 = 0:1\n"), "line 9: [arrival] has no key 'reads.3'");
	CHECK_TEXT(refusal(HEAD "class1_split.3 = 0:1\n"),
		   "line 9: [arrival] has no key 'class1_split.3'");
	CHECK_TEXT(refusal(HEAD "class1_split.16.4 = 1\n"),
		   "line 9: [arrival] has no key 'class1_split.16.4'");
	CHECK_TEXT(refusal(HEAD "class2_split. = 0:1\n"),
		   "line 9: [arrival] has no key 'class2_split.'");
	CHECK_TEXT(
		refusal(HEAD "split.o.0 = 64:1\n" STREAM),
		"line 6: [arrival]: rows of reads and of others come without 'read_write_correlation'");
}

static void bad_sizes_are_refused_with_the_line(void)
{
#define NO_SIZE(text) \
	"line 12: 'sizes': '" text "' is not a number of bytes, of KiB (4K) or of MiB (2M)"
	static const char stream[] = HEAD "[stream 1]\nop = read\nios = 2\nsizes = ";
	static const char *const bad[][2] = {
		{"K:2\n", NO_SIZE("K")},
		{"4Q:2\n", NO_SIZE("4Q")},
		{"-4K:2\n", NO_SIZE("-4K")},
		{"1125899906842625K:2\n", NO_SIZE("1125899906842625K")},
		{"1099511627777M:2\n", NO_SIZE("1099511627777M")},
		{"1000000000000000000000000M:2\n", NO_SIZE("1000000000000000000000000M")},
		{"4K\n", "line 12: 'sizes': '4K' is not bytes:ios"},
		{"4K:1 4096:1\n", "line 12: 'sizes': 4096 is out of order or given twice"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char text[512];

		snprintf(text, sizeof(text), "%s%s", stream, bad[i][0]);
		CHECK_TEXT(refusal(text), bad[i][1]);
	}
#undef NO_SIZE
}

/* Weights with holes, of digits only where `peak_cap` is no more than that. */
static void fill(struct prng *random, uint32_t *weights, unsigned int count, uint32_t most)
{
	for (unsigned int i = 0; i < count; i++)
		weights[i] = prng_below(random, 3) ? (uint32_t)prng_below(random, most) + 1 : 0;
}

/* However they are filled, tables come back as they were. */
static void what_is_written_is_read(void)
{
	struct prng random;

	prng_seed(&random, 5);
	for (unsigned int round = 0; round < 200; round++) {
		struct profile *p = parsed(HEAD STREAM), *again;
		uint32_t most = (uint32_t[]){1, 9, 61, 62, 4000, UINT32_MAX}[round % 6];
		char *text;

		REQUIRE(p);
		for (unsigned int c = 0; c < PROFILE_SPLIT_ROWS; c++)
			fill(&random, p->arrival.splits[2].distributions[1][c],
			     PROFILE_SPLIT_COLUMNS, prng_below(&random, 2) ? 61 : most);
		fill(&random, p->arrival.class_shares[0][5], PROFILE_SHARE_COLUMNS, most);
		fill(&random, p->arrival.class_shares[1][6], PROFILE_SHARE_COLUMNS, most);
		fill(&random, p->arrival.gaps[3], PROFILE_GAP_OCTAVES, most);
		fill(&random, p->spaces[0].distances, PROFILE_DISTANCES, most);
		fill(&random, p->streams[0].zones, PROFILE_ZONES, most);
		text = text_of(p);
		for (char *line = text; *line; line += strcspn(line, "\n") + 1)
			CHECK(strcspn(line, "\n") <= 96);
		again = parsed(text);
		REQUIRE(again);
		CHECK(!memcmp(&p->arrival.splits, &again->arrival.splits,
			      sizeof(p->arrival.splits)));
		CHECK(!memcmp(p->arrival.class_shares, again->arrival.class_shares,
			      sizeof(p->arrival.class_shares)));
		CHECK(!memcmp(p->arrival.gaps, again->arrival.gaps, sizeof(p->arrival.gaps)));
		CHECK(!memcmp(p->spaces, again->spaces, sizeof(p->spaces)));
		CHECK(!memcmp(&p->streams[0], &again->streams[0], sizeof(p->streams[0])));
		free(text);
		profile__free(p);
		profile__free(again);
	}
}

int main(void)
{
	RUN(all_forms_of_pairs_say_the_same);
	RUN(all_forms_of_rows_say_the_same);
	RUN(sizes_have_units);
	RUN(the_shortest_form_is_written);
	RUN(bad_pairs_are_refused_with_the_line);
	RUN(bad_rows_are_refused_with_the_line);
	RUN(bad_sizes_are_refused_with_the_line);
	RUN(what_is_written_is_read);
	return TEST_RESULT;
}
