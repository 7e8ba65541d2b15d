// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "trace/tables/json_text.h"

/*
 * Bytes of the UTF-8 sequence at `at`; 0: there is none. Overlong forms and surrogates do not
 * count, because JSON libraries refuse them.
 */
static size_t utf8_bytes(const uint8_t *at, size_t left)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t need = at[0] < 0x80	       ? 1
		      : (at[0] & 0xe0) == 0xc0 ? 2
		      : (at[0] & 0xf0) == 0xe0 ? 3
		      : (at[0] & 0xf8) == 0xf0 ? 4
					       : 0;
	uint32_t code;

	if (need < 2 || need > left)
		return need == 1 ? 1 : 0;
	code = at[0] & (0x7fu >> need);
	for (size_t i = 1; i < need; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (at[i] & 0x3f);
	}
	if (code < smallest[need] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	return need;
}

static bool is_control(uint8_t byte)
{
	return byte < 0x20 || byte == 0x7f;
}

static size_t escape(const char *text, size_t bytes, char *escaped, bool controls)
{
	const uint8_t *at = (const uint8_t *)text;
	char *out = escaped;

	while (bytes) {
		bool refused = *at == '\\' || (controls && is_control(*at));
		size_t whole = refused ? 0 : utf8_bytes(at, bytes);

		if (!whole) {
			out += sprintf(out, "\\x%02x", *at);
			whole = 1;
		} else {
			memcpy(out, at, whole);
			out += whole;
		}
		at += whole;
		bytes -= whole;
	}
	*out = '\0';
	return (size_t)(out - escaped);
}

size_t json_text_escape(const char *text, size_t bytes, char *escaped)
{
	return escape(text, bytes, escaped, false);
}

size_t json_text_printable(const char *text, size_t bytes, char *escaped)
{
	return escape(text, bytes, escaped, true);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -EBADMSG;
}

int json_text_unescape(const char *escaped, size_t bytes, char *text, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < bytes; i++) {
		char byte = escaped[i];

		if (used + 1 >= size)
			return -ENAMETOOLONG;
		if (byte == '\\') {
			int high, low;

			if (bytes - i < 4 || escaped[i + 1] != 'x')
				return -EBADMSG;
			high = hex_digit(escaped[i + 2]);
			low = hex_digit(escaped[i + 3]);
			if (high < 0 || low < 0)
				return -EBADMSG;
			byte = (char)(high << 4 | low);
			i += 3;
		}
		if (!byte)
			return -EBADMSG;
		text[used++] = byte;
	}
	text[used] = '\0';
	return (int)used;
}
