// SPDX-License-Identifier: MIT
#include "profile/text/parse_lines.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "profile/profile.h"

#define LINE_MAX_CHARS 190 /* what the INI reader takes in one piece */

int parse_check_lines(const char *text, size_t text_bytes, char *message)
{
	size_t column = 0;
	int line = 1;

	for (size_t i = 0; i < text_bytes; i++) {
		if (!text[i] || ((unsigned char)text[i] < ' ' && !strchr("\t\r\n", text[i])) ||
		    (text[i] == '\r' && text[i + 1] != '\n')) {
			snprintf(message, PROFILE_MESSAGE_MAX, "not text: a control character");
			return line;
		}
		if (text[i] == '\n') {
			line++;
			column = 0;
		} else if (++column > LINE_MAX_CHARS) {
			snprintf(message, PROFILE_MESSAGE_MAX,
				 "longer than %d characters; go on in lines that begin with blanks",
				 LINE_MAX_CHARS);
			return line;
		}
	}
	return 0;
}

/* Whether there is a "=" or ":" before the end of the line, or a comment that ends it. */
static bool has_value(const char *text)
{
	bool blank = false;

	for (; *text && *text != '\n' && !(blank && *text == ';'); text++) {
		if (*text == '=' || *text == ':')
			return true;
		blank = isspace((unsigned char)*text);
	}
	return false;
}

void parse_follow(struct parse_lines *l)
{
	while (*l->next) {
		const char *begin = l->next, *text = begin + strspn(begin, " \t\r");
		size_t length = strcspn(begin, "\n");

		l->next += length + (begin[length] != 0);
		l->line++;
		if (!*text || strchr("\n;#", *text))
			continue;
		l->continues = text > begin && l->has_key;
		if (l->continues)
			return;
		if (*text == '[') {
			l->has_key = false;
		} else if (has_value(text)) {
			l->has_key = true;
			return;
		}
	}
}
