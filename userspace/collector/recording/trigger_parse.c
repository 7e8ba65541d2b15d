// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "collector/recording/trigger.h"
#include "collector/recording/trigger_internal.h"

#define WORDS_MAX 8
#define WORD_MAX  32
#define COUNT_MAX 1000000000u

#define FIGURES "lat, stuck, p50 to p99.99, depth, iops or error"

/* The tokens of a condition; each sign is a token. */
struct words {
	char word[WORDS_MAX][WORD_MAX];
	unsigned int count, next;
	char *message;
};

static int refuse(struct words *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int refuse(struct words *w, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(w->message, TRIGGER_MESSAGE_MAX, fmt, args);
	va_end(args);
	return -EINVAL;
}

static bool is_sign(char c)
{
	return c == '>' || c == '<' || c == '=';
}

static int cut(const char *text, struct words *w)
{
	for (;;) {
		size_t length = 0;

		while (isspace((unsigned char)*text))
			text++;
		if (!*text)
			return 0;
		while (text[length] && !isspace((unsigned char)text[length]) &&
		       is_sign(text[length]) == is_sign(*text))
			length++;
		if (w->count == WORDS_MAX || length >= WORD_MAX)
			return refuse(w, "is too long for a condition such as 'read p99 > 20ms'");
		memcpy(w->word[w->count], text, length);
		w->word[w->count++][length] = '\0';
		text += length;
	}
}

/* The next token, or "" at the end. */
static const char *peek(const struct words *w)
{
	return w->next < w->count ? w->word[w->next] : "";
}

static const char *take(struct words *w)
{
	return w->next < w->count ? w->word[w->next++] : "";
}

/* "p99.9": the share above the percentile, in millionths. */
static bool parse_percentile(const char *word, uint32_t *tail_ppm)
{
	double percent;

	if (word[0] != 'p' || units_parse_real(word + 1, 1, 99.99, &percent))
		return false;
	*tail_ppm = (uint32_t)((100 - percent) * 10000 + 0.5);
	return true;
}

static int parse_figure(struct words *w, struct trigger *t)
{
	const char *word = take(w);
	int op = io_op_from_name(word);

	t->op = TRIGGER_ANY_OP;
	if (op >= 0) {
		t->op = op;
		word = take(w);
	}
	if (!*word)
		return refuse(w, "says no figure: %s", FIGURES);
	if (!strcmp(word, "lat"))
		t->figure = TRIGGER_LATENCY;
	else if (!strcmp(word, "stuck"))
		t->figure = TRIGGER_STUCK;
	else if (!strcmp(word, "depth"))
		t->figure = TRIGGER_DEPTH;
	else if (!strcmp(word, "iops"))
		t->figure = TRIGGER_IOPS;
	else if (!strcmp(word, "error"))
		t->figure = TRIGGER_ERROR;
	else if (parse_percentile(word, &t->tail_ppm))
		t->figure = TRIGGER_PERCENTILE;
	else
		return refuse(w, "'%s' is %s: %s", word,
			      op >= 0 ? "no figure" : "neither an operation nor a figure", FIGURES);
	return 0;
}

static int parse_sign(struct words *w, const char *figure, struct trigger *t)
{
	const char *sign = take(w);

	if (t->figure == TRIGGER_IOPS && !strcmp(sign, "<")) {
		t->is_below = true;
		return 0;
	}
	if (!strcmp(sign, ">"))
		return 0;
	return refuse(w, "%s must be followed by > %sand a limit%s%s%s", figure,
		      t->figure == TRIGGER_IOPS ? "or < " : "", *sign ? ", not by '" : "", sign,
		      *sign ? "'" : "");
}

/* A time needs a unit: "lat > 500", meant as milliseconds, would never hold. */
static int parse_span(struct words *w, const char *what, uint64_t *time_ns)
{
	const char *word = take(w);

	if (*word && !isalpha((unsigned char)word[strlen(word) - 1]))
		return refuse(w, "%s needs a unit behind %s: ms, s ...", what, word);
	if (units_parse_time(word, time_ns))
		return refuse(w, "%s needs a time such as 20ms%s%s%s", what, *word ? ", not '" : "",
			      word, *word ? "'" : "");
	return 0;
}

static int parse_limit(struct words *w, const char *figure, struct trigger *t)
{
	const char *word;

	if (t->figure == TRIGGER_LATENCY || t->figure == TRIGGER_STUCK ||
	    t->figure == TRIGGER_PERCENTILE)
		return parse_span(w, figure, &t->limit);
	word = take(w);
	if (units_parse_count(word, 0, COUNT_MAX, &t->limit))
		return refuse(w, "%s needs a number%s%s%s", figure, *word ? ", not '" : "", word,
			      *word ? "'" : "");
	if (t->is_below && !t->limit)
		return refuse(w, "%s can never be below 0", figure);
	return 0;
}

static int parse_window(struct words *w, const char *figure, struct trigger *t)
{
	bool has_window = t->figure == TRIGGER_PERCENTILE || t->figure == TRIGGER_IOPS;
	uint64_t window_ns = TRIGGER_WINDOW_NS;
	int err;

	if (!strcmp(peek(w), "over")) {
		take(w);
		if (!has_window)
			return refuse(w, "%s is asked of each IO: it takes no 'over'", figure);
		err = parse_span(w, "over", &window_ns);
		if (err)
			return err;
		if (window_ns < NSEC_PER_MSEC || window_ns > TRIGGER_WINDOW_MAX_NS)
			return refuse(w, "'over' takes a time from 1ms to 1h");
	}
	t->slot_ns = window_ns / TRIGGER_SLOTS;
	return 0;
}

static int parse(struct words *w, struct trigger *t)
{
	const char *figure;
	int err;

	err = parse_figure(w, t);
	if (err)
		return err;
	figure = w->word[w->next - 1];
	if (t->figure != TRIGGER_ERROR) {
		err = parse_sign(w, figure, t);
		if (!err)
			err = parse_limit(w, figure, t);
	}
	if (!err)
		err = parse_window(w, figure, t);
	if (!err && *peek(w))
		err = refuse(w, "'%s' is more than the condition takes", peek(w));
	return err;
}

int trigger__parse(const char *text, struct trigger **trigger, char message[TRIGGER_MESSAGE_MAX])
{
	struct words words = {.message = message};
	struct trigger *t = calloc(1, sizeof(*t));
	int err;

	message[0] = '\0';
	if (!t)
		return -ENOMEM;
	err = cut(text, &words);
	if (!err)
		err = parse(&words, t);
	if (!err) {
		t->text = strdup(text);
		err = t->text ? 0 : -ENOMEM;
	}
	if (err) {
		trigger__free(t);
		return err;
	}
	*trigger = t;
	return 0;
}
