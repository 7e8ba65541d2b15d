/* SPDX-License-Identifier: MIT */
/* Lines of a profile's text, which the INI reader does not number. */
#ifndef BLKREEL_PROFILE_TEXT_PARSE_LINES_H
#define BLKREEL_PROFILE_TEXT_PARSE_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* Where the INI reader is. */
struct parse_lines {
	const char *next;
	int line;	/* from 1 */
	bool has_key;	/* since the section began */
	bool continues; /* the line holds more values of the key before it */
};

/* Checks for what the INI reader would skip or cut in silence. The line of it; 0: there is none. */
int parse_check_lines(const char *text, size_t text_bytes, char *message);

/* Goes on to the line of the key, or of more values of the key, that the INI reader has now. */
void parse_follow(struct parse_lines *l);

#endif
