// SPDX-License-Identifier: MIT
/* Foreign files as lines and bytes: compression, line ends, long lines, cut files. */
#include <errno.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdint.h>
#include <zlib.h>
#include <zstd.h>

#include "exchange/input/byte_source.h"
#include "unit/shared/test.h"

#define PACKED_MAX (1u << 20)
#define LINES	   40000u

/* A text of LINES lines that compresses badly. */
static char *make_text(size_t *bytes)
{
	char *text = malloc(LINES * 24), *at = text;
	uint32_t random = 1;

	for (unsigned int i = 0; i < LINES; i++) {
		random = random * 1664525 + 1013904223;
		at += sprintf(at, "%u %u\n", i, random >> 8);
	}
	*bytes = (size_t)(at - text);
	return text;
}

static size_t pack_gzip(const char *text, size_t bytes, uint8_t *packed)
{
	z_stream z = {.next_in = (uint8_t *)text,
		      .avail_in = (unsigned int)bytes,
		      .next_out = packed,
		      .avail_out = PACKED_MAX};

	if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK ||
	    deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();
	deflateEnd(&z);
	return z.total_out;
}

static size_t pack_zstd(const char *text, size_t bytes, uint8_t *packed)
{
	size_t size = ZSTD_compress(packed, PACKED_MAX, text, bytes, 3);

	return ZSTD_isError(size) ? 0 : size;
}

static size_t pack_xz(const char *text, size_t bytes, uint8_t *packed)
{
	size_t used = 0;

	if (lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, (const uint8_t *)text, bytes, packed,
				    &used, PACKED_MAX) != LZMA_OK)
		abort();
	return used;
}

typedef size_t pack_fn(const char *text, size_t bytes, uint8_t *packed);
static pack_fn *const packers[] = {pack_gzip, pack_zstd, pack_xz};

/*
 * Reads all lines; returns the lines before the first that differs from `text`, the last result in
 * *result.
 */
static size_t equal_lines(const void *data, size_t bytes, const char *text, int *result)
{
	struct byte_source *s;
	const char *at, *end;
	size_t lines = 0;
	bool equal = true;

	if (byte_source__from_memory(data, bytes, &s))
		abort();
	while ((*result = byte_source__line(s, &at, &end)) == 1) {
		size_t length = (size_t)(end - at);

		equal = equal && !strncmp(text, at, length) && text[length] == '\n';
		if (!equal)
			continue;
		text += length + 1;
		lines++;
		CHECK_EQ(byte_source__line_number(s), lines);
	}
	CHECK_EQ(byte_source__error(s), *result < 0 ? *result : 0);
	byte_source__free(s);
	return lines;
}

static void compressed_text_is_read_whole(void)
{
	uint8_t *packed = malloc(PACKED_MAX);
	size_t bytes;
	char *text = make_text(&bytes);
	int result;

	CHECK_EQ(equal_lines(text, bytes, text, &result), LINES);
	CHECK_EQ(result, 0);
	for (unsigned int i = 0; i < 3; i++) {
		size_t size = packers[i](text, bytes, packed);

		CHECK(size > 1000);
		CHECK_EQ(equal_lines(packed, size, text, &result), LINES);
		CHECK_EQ(result, 0);
	}
	free(text);
	free(packed);
}

/* As `cat a.gz b.gz` makes them; a line across the border is one line. */
static void members_follow_each_other(void)
{
	uint8_t *packed = malloc(2 * PACKED_MAX);
	size_t bytes, first, second;
	char *text = make_text(&bytes);
	int result;

	for (unsigned int i = 0; i < 3; i++) {
		first = packers[i](text, 100003, packed);
		second = packers[i](text + 100003, bytes - 100003, packed + first);
		CHECK_EQ(equal_lines(packed, first + second, text, &result), LINES);
		CHECK_EQ(result, 0);
	}
	free(text);
	free(packed);
}

static void gzip_may_be_padded(void)
{
	uint8_t packed[1024] = {0};
	size_t size = pack_gzip("a\nb\n", 4, packed);
	int result;

	CHECK_EQ(equal_lines(packed, size + 512, "a\nb\n", &result), 2);
	CHECK_EQ(result, 0);
}

/* Whole lines before the cut, then -EBADMSG: never a part of a line. */
static void a_cut_file_ends_with_an_error(void)
{
	uint8_t *packed = malloc(PACKED_MAX);
	size_t bytes;
	char *text = make_text(&bytes);
	int result;

	for (unsigned int i = 0; i < 3; i++) {
		size_t size = packers[i](text, bytes, packed);
		const size_t cuts[] = {size - 1, size - 9, size / 2, 20};

		for (unsigned int cut = 0; cut < sizeof(cuts) / sizeof(*cuts); cut++) {
			size_t lines = equal_lines(packed, cuts[cut], text, &result);

			CHECK_EQ(result, -EBADMSG);
			CHECK(lines <= LINES);
			CHECK(cut != 2 || i == 1 || lines > LINES / 4);
		}
	}
	free(text);
	free(packed);
}

static void a_flipped_bit_is_found(void)
{
	uint8_t *packed = malloc(PACKED_MAX);
	size_t bytes, size;
	char *text = make_text(&bytes);
	int result;

	size = pack_gzip(text, bytes, packed);
	packed[size - 6] ^= 1;
	equal_lines(packed, size, text, &result);
	CHECK_EQ(result, -EBADMSG);
	size = pack_xz(text, bytes, packed);
	packed[size / 2] ^= 1;
	equal_lines(packed, size, text, &result);
	CHECK_EQ(result, -EBADMSG);
	free(text);
	free(packed);
}

static void line_ends(void)
{
	static const char *const wanted[] = {"a", "", "b\rc", "d"};
	static const char text[] = "a\r\n\r\nb\rc\nd";
	struct byte_source *s;
	const char *at, *end;

	REQUIRE(!byte_source__from_memory(text, sizeof(text) - 1, &s));
	for (unsigned int i = 0; i < 4; i++) {
		REQUIRE(byte_source__line(s, &at, &end) == 1);
		CHECK_EQ(end - at, strlen(wanted[i]));
		CHECK(!memcmp(at, wanted[i], strlen(wanted[i])));
	}
	CHECK_EQ(byte_source__line(s, &at, &end), 0);
	CHECK_EQ(byte_source__offset(s), sizeof(text) - 1);
	byte_source__free(s);
}

static void a_line_of_the_longest_length_is_read(void)
{
	char *text = malloc(3 * BYTE_SOURCE_PEEK_MAX);
	struct byte_source *s;
	const char *at, *end;

	memset(text, 'x', 3 * BYTE_SOURCE_PEEK_MAX);
	text[BYTE_SOURCE_PEEK_MAX - 1] = '\n';
	REQUIRE(!byte_source__from_memory(text, 3 * BYTE_SOURCE_PEEK_MAX, &s));
	REQUIRE(byte_source__line(s, &at, &end) == 1);
	CHECK_EQ(end - at, BYTE_SOURCE_PEEK_MAX - 1);
	CHECK_EQ(byte_source__line(s, &at, &end), -EMSGSIZE);
	byte_source__free(s);
	free(text);
}

static void bytes_are_taken_exactly(void)
{
	static const uint8_t data[] = {1, 2, 3, 4, 5, 6, 7};
	struct byte_source *s;
	const uint8_t *at;
	size_t bytes;

	REQUIRE(!byte_source__from_memory(data, sizeof(data), &s));
	at = byte_source__peek(s, &bytes);
	REQUIRE(at != NULL);
	CHECK_EQ(bytes, 7);
	at = byte_source__take(s, 4);
	REQUIRE(at != NULL);
	CHECK(!memcmp(at, data, 4));
	CHECK(byte_source__take(s, 4) == NULL);
	CHECK_EQ(byte_source__left_over(s), 3);
	CHECK_EQ(byte_source__offset(s), 4);
	CHECK_EQ(byte_source__error(s), 0);
	byte_source__free(s);
}

static void an_empty_file(void)
{
	struct byte_source *s;
	const char *at, *end;
	size_t bytes;

	REQUIRE(!byte_source__from_memory("", 0, &s));
	CHECK(byte_source__peek(s, &bytes) == NULL);
	CHECK_EQ(byte_source__line(s, &at, &end), 0);
	byte_source__free(s);
	CHECK_EQ(byte_source__open("/", &s), -EISDIR);
	CHECK_EQ(byte_source__open("/nonexistent", &s), -ENOENT);
}

int main(void)
{
	RUN(compressed_text_is_read_whole);
	RUN(members_follow_each_other);
	RUN(gzip_may_be_padded);
	RUN(a_cut_file_ends_with_an_error);
	RUN(a_flipped_bit_is_found);
	RUN(line_ends);
	RUN(a_line_of_the_longest_length_is_read);
	RUN(bytes_are_taken_exactly);
	RUN(an_empty_file);
	return TEST_RESULT;
}
