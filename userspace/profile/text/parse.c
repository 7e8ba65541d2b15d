// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "profile/text/edits.h"
#include "profile/text/parser.h"

#define LINE_MAX_CHARS 190 /* what the INI reader takes in one piece */

/* Keeps the first message: the INI reader reports the line of the first error. */
int parse_fail(struct parser *r, const char *format, ...)
{
	va_list args;

	if (!r->message[0]) {
		va_start(args, format);
		vsnprintf(r->message, PROFILE_MESSAGE_MAX, format, args);
		va_end(args);
		r->message_line = r->lines.line;
	}
	return -EINVAL;
}

void parse_section_name(enum schema_section section, uint32_t instance, char text[24])
{
	if (schema_names[section].alone && !instance)
		snprintf(text, 24, "%s", schema_names[section].name);
	else
		snprintf(text, 24, "%s %u", schema_names[section].name, instance + 1);
}

/* Checks for what the INI reader would skip or cut in silence. The line of it; 0: there is none. */
static int check_lines(const char *text, size_t text_bytes, char *message)
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

/* Goes on to the line of the key, or of more values of the key, that the INI reader has now. */
static void follow(struct parse_lines *l)
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

/* Which section it is, and its instance, from 0; -1: there is none of this name or number. */
static int find_section(const char *text, uint32_t *instance)
{
	for (int i = 0; i < SCHEMA_SECTIONS; i++) {
		const struct schema_name *name = &schema_names[i];
		size_t length = strlen(name->name);
		uint64_t number = 1;

		if (strncmp(text, name->name, length))
			continue;
		if (text[length] ? !name->most || text[length] != ' ' : !name->alone)
			continue;
		if (text[length] &&
		    units_parse_count(text + length + 1, name->least, name->most, &number))
			return name->plural ? i : -1;
		*instance = (uint32_t)number - 1;
		return i;
	}
	return -1;
}

/* Streams and kinds of tasks are counted by their sections, each one more than before. */
static int count_section(struct parser *r, int section, uint32_t instance, const char *text)
{
	uint32_t *count = section == SCHEMA_STREAM ? &r->p->stream_count : &r->p->closed.kind_count;

	if (!schema_names[section].plural)
		return 0;
	if (instance > *count)
		return parse_fail(r, "[%.40s]: %s are numbered from 1 without a hole, up to %u",
				  text, schema_names[section].plural, schema_names[section].most);
	if (instance == *count)
		++*count;
	return 0;
}

static int on_key(void *context, const char *section_name, const char *name, const char *value)
{
	struct parser *r = context;
	uint32_t instance = UINT32_MAX;
	int section = find_section(section_name, &instance);

	follow(&r->lines);
	if (section < 0) {
		parse_fail(r,
			   *section_name ? "there is no section [%.40s]"
					 : "a key before the first [section]",
			   section_name);
		return 0;
	}
	return !count_section(r, section, instance, section_name) &&
	       !parse_key(r, (enum schema_section)section, instance, name, value);
}

static bool line_is(const char *at, size_t length, const char *name)
{
	return length >= strlen(name) && !strncmp(at, name, strlen(name)) &&
	       strspn(at + strlen(name), " \t=") > 0;
}

/* The line of a key, or of its section when it is not there; 0: neither is. */
static int find_line(const char *text, const struct profile_place *place)
{
	bool inside = false;
	int line = 0, found = 0;

	while (*text) {
		size_t length = strcspn(text, "\n"), name = strlen(place->section);

		line++;
		if (*text == '[') {
			inside = !strncmp(text + 1, place->section, name) && text[name + 1] == ']';
			if (inside && !found)
				found = line;
		} else if (inside && *place->key && line_is(text, length, place->key)) {
			return line;
		}
		text += length + (text[length] != 0);
	}
	return found;
}

/* Where an error is said of a file whose end is missing: every line that is saved has one. */
static void ask_if_cut(struct parser *r, const char *text, size_t text_bytes)
{
	size_t used = strlen(r->message);

	if (text[text_bytes - 1] != '\n')
		snprintf(r->message + used, PROFILE_MESSAGE_MAX - used,
			 "; the last line has no end: was the file cut?");
}

static void say_line(struct parser *r, const char *text, int line)
{
	bool is_profile = strstr(text, "[profile]");
	char reason[PROFILE_MESSAGE_MAX];

	memcpy(reason, r->message, sizeof(reason));
	snprintf(r->message, PROFILE_MESSAGE_MAX, "%sline %d: %.400s%s",
		 is_profile ? "" : PROFILE_NO_PROFILE, line, reason,
		 is_profile ? "" : PROFILE_HOW_MADE);
}

static int parse_text(struct parser *r, char *text, size_t text_bytes)
{
	int line = check_lines(text, text_bytes, r->message), err;

	if (line) {
		say_line(r, text, line);
		return -EINVAL;
	}
	r->lines.next = text;
	line = ini_parse_string(text, on_key, r);
	if (line < 0)
		return -ENOMEM;
	err = line ? -EINVAL : parse_check(r);
	if (err != -EINVAL)
		return err;
	if (line && r->message_line != line)
		snprintf(r->message, PROFILE_MESSAGE_MAX,
			 "neither 'key = value' nor [section] nor # comment");
	if (!line && strncmp(r->message, PROFILE_NO_PROFILE, strlen(PROFILE_NO_PROFILE)))
		line = find_line(text, &r->place);
	if (line)
		say_line(r, text, line);
	if (text_bytes && strstr(text, "[profile]"))
		ask_if_cut(r, text, text_bytes);
	return err;
}

int profile__parse(const char *text, size_t text_bytes, struct profile **profile,
		   char message[PROFILE_MESSAGE_MAX])
{
	struct parser *r = calloc(1, sizeof(*r));
	size_t mark = text_bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0; /* of UTF-8 */
	char *copy = malloc(text_bytes - mark + 1);
	int err = -ENOMEM;

	message[0] = 0;
	if (!r || !copy)
		goto out;
	r->p = calloc(1, sizeof(*r->p));
	if (!r->p)
		goto out;
	r->message = message;
	r->p->seed = 1;
	for (unsigned int i = 0; i < PROFILE_ALL_FIGURES; i++)
		r->p->error.median[i] = r->p->error.worst[i] = NAN;
	memcpy(copy, text + mark, text_bytes - mark);
	copy[text_bytes - mark] = 0;
	err = parse_text(r, copy, text_bytes - mark);
	if (err)
		goto out;
	edits_win(r->p);
	*profile = r->p;
	r->p = NULL;
out:
	if (r)
		profile__free(r->p);
	free(r);
	free(copy);
	return err;
}
