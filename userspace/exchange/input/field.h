/* SPDX-License-Identifier: MIT */
/*
 * Parses fields of a line of text: each function reads at *at, stops before `end` and moves *at
 * behind the field. False: the text has another form, and *at is undefined.
 */
#ifndef BLKREEL_EXCHANGE_INPUT_FIELD_H
#define BLKREEL_EXCHANGE_INPUT_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A part of a line, without a final NUL. */
struct text {
	const char *at;
	size_t bytes;
};

static inline bool field_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Skips any number of spaces and tabs. */
static inline void field_blanks(const char **at, const char *end)
{
	while (*at < end && (**at == ' ' || **at == '\t'))
		(*at)++;
}

/* One character, with blanks around it. */
static inline bool field_separator(const char **at, const char *end, char separator)
{
	field_blanks(at, end);
	if (*at == end || **at != separator)
		return false;
	(*at)++;
	field_blanks(at, end);
	return true;
}

/* A decimal number without a sign, at most UINT64_MAX. */
static inline bool field_number(const char **at, const char *end, uint64_t *value)
{
	const char *start = *at;
	uint64_t v = 0;

	/* Eighteen digits cannot overflow. */
	while (*at < end && *at - start < 18 && field_is_digit(**at))
		v = 10 * v + (uint64_t)(*(*at)++ - '0');
	while (*at < end && field_is_digit(**at)) {
		if (__builtin_mul_overflow(v, 10u, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(**at - '0'), &v))
			return false;
		(*at)++;
	}
	*value = v;
	return *at > start;
}

/* A number that has to fit into 32 bits. */
static inline bool field_number32(const char **at, const char *end, uint32_t *value)
{
	uint64_t v;

	if (!field_number(at, end, &v) || v > UINT32_MAX)
		return false;
	*value = (uint32_t)v;
	return true;
}

/* The text up to the separator (which is skipped) or the end of the line; may be empty. */
static inline struct text field_text(const char **at, const char *end, char separator)
{
	const char *found = memchr(*at, separator, (size_t)(end - *at));
	struct text text = {*at, (size_t)((found ? found : end) - *at)};

	*at = found ? found + 1 : end;
	return text;
}

/* The text up to the next blank or the end of the line; skips the blanks around it. */
static inline struct text field_word(const char **at, const char *end)
{
	struct text text;

	field_blanks(at, end);
	text.at = *at;
	while (*at < end && **at != ' ' && **at != '\t')
		(*at)++;
	text.bytes = (size_t)(*at - text.at);
	field_blanks(at, end);
	return text;
}

/* At least one blank. */
static inline bool field_gap(const char **at, const char *end)
{
	const char *start = *at;

	field_blanks(at, end);
	return *at > start;
}

/* Only blanks up to the end of the line. */
static inline bool field_end(const char **at, const char *end)
{
	field_blanks(at, end);
	return *at == end;
}

/* 0 to 15; -1: not a hexadecimal digit. */
static inline int field_hex_digit(char c)
{
	if (field_is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static inline bool text_is(struct text text, const char *word)
{
	return strlen(word) == text.bytes && !memcmp(text.at, word, text.bytes);
}

/*
 * A decimal number with or without a fraction and an exponent, in units of `unit_ns` (a power of
 * ten up to 10^9), as ns; cuts digits below 1 ns off. "12.5" in ms: 12,500,000.
 */
bool field_decimal_ns(const char **at, const char *end, uint64_t unit_ns, uint64_t *ns);

#endif
