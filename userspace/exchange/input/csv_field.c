// SPDX-License-Identifier: MIT
#include "exchange/input/csv_field.h"

/* Parses behind the opening quote; two quotes stand for one. */
static bool quoted(const char **at, const char *end, char *unquoted, struct text *field)
{
	const char *start = *at;
	size_t used = 0;
	bool has_quote = false;

	for (; *at < end; (*at)++) {
		if (**at == '"') {
			if (*at + 1 == end || (*at)[1] != '"')
				break;
			has_quote = true;
			(*at)++;
		}
		if (used < CSV_UNQUOTED_MAX)
			unquoted[used++] = **at;
	}
	if (*at == end)
		return false;
	*field = has_quote ? (struct text){unquoted, used}
			   : (struct text){start, (size_t)(*at - start)};
	(*at)++;
	return true;
}

static struct text without_blanks(struct text text)
{
	while (text.bytes && (*text.at == ' ' || *text.at == '\t')) {
		text.at++;
		text.bytes--;
	}
	while (text.bytes && (text.at[text.bytes - 1] == ' ' || text.at[text.bytes - 1] == '\t'))
		text.bytes--;
	return text;
}

static bool take_delimiter(const char **at, const char *end, char delimiter)
{
	if (delimiter == ' ') {
		field_blanks(at, end);
		return *at < end;
	}
	if (*at == end || **at != delimiter)
		return false;
	(*at)++;
	return true;
}

bool csv_field(const char **at, const char *end, char delimiter, char *unquoted, bool *more,
	       struct text *field)
{
	const char *start, *found;

	if (delimiter == ' ') {
		field_blanks(at, end);
		if (*at == end)
			return false;
	}
	start = *at;
	if (*at < end && **at == '"') {
		(*at)++;
		if (!quoted(at, end, unquoted, field))
			return false;
		*more = take_delimiter(at, end, delimiter);
		return *more || *at == end;
	}
	if (delimiter == ' ') {
		*field = field_word(at, end);
		*more = *at < end;
		return true;
	}
	found = start < end ? memchr(start, delimiter, (size_t)(end - start)) : NULL;
	*field = without_blanks((struct text){start, (size_t)((found ? found : end) - start)});
	*more = found;
	*at = found ? found + 1 : end;
	return true;
}
