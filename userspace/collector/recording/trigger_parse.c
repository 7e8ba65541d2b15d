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

#define TOKENS_MAX  8
#define TOKEN_BYTES 32
#define COUNT_MAX   1000000000u

#define FIGURES "lat, stuck, p50 to p99.99, depth, iops or error"

/* The tokens of a condition; each sign is a token. */
struct tokens {
	char text[TOKENS_MAX][TOKEN_BYTES];
	unsigned int count, next;
	char *message;
};

static int refuse(struct tokens *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int refuse(struct tokens *w, const char *fmt, ...)
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

static int cut(const char *text, struct tokens *w)
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
		if (w->count == TOKENS_MAX || length >= TOKEN_BYTES)
			return refuse(w, "is too long for a condition such as 'read p99 > 20ms'");
		memcpy(w->text[w->count], text, length);
		w->text[w->count++][length] = '\0';
		text += length;
	}
}

/* The next token, or "" at the end. */
static const char *peek(const struct tokens *w)
{
	return w->next < w->count ? w->text[w->next] : "";
}

static const char *take(struct tokens *w)
{
	return w->next < w->count ? w->text[w->next++] : "";
}

/* "p99.9": the share above the percentile, in millionths. */
static bool parse_percentile(const char *token, uint32_t *tail_ppm)
{
	double percent;

	if (token[0] != 'p' || units_parse_real(token + 1, 1, 99.99, &percent))
		return false;
	*tail_ppm = (uint32_t)((100 - percent) * 10000 + 0.5);
	return true;
}

static int parse_figure(struct tokens *w, struct trigger *t)
{
	const char *token = take(w);
	int op = io_op_from_name(token);

	t->op = TRIGGER_ANY_OP;
	if (op >= 0) {
		t->op = op;
		token = take(w);
	}
	if (!*token)
		return refuse(w, "names no figure: %s", FIGURES);
	if (!strcmp(token, "lat"))
		t->figure = TRIGGER_LATENCY;
	else if (!strcmp(token, "stuck"))
		t->figure = TRIGGER_STUCK;
	else if (!strcmp(token, "depth"))
		t->figure = TRIGGER_DEPTH;
	else if (!strcmp(token, "iops"))
		t->figure = TRIGGER_IOPS;
	else if (!strcmp(token, "error"))
		t->figure = TRIGGER_ERROR;
	else if (parse_percentile(token, &t->tail_ppm))
		t->figure = TRIGGER_PERCENTILE;
	else
		return refuse(w, "'%s' is %s: %s", token,
			      op >= 0 ? "no figure" : "neither an operation nor a figure", FIGURES);
	return 0;
}

static int parse_sign(struct tokens *w, const char *figure, struct trigger *t)
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
static int parse_span(struct tokens *w, const char *what, uint64_t *time_ns)
{
	const char *token = take(w);

	if (*token && !isalpha((unsigned char)token[strlen(token) - 1]))
		return refuse(w, "%s needs a unit after %s: ms, s ...", what, token);
	if (units_parse_time(token, time_ns))
		return refuse(w, "%s needs a time such as 20ms%s%s%s", what,
			      *token ? ", not '" : "", token, *token ? "'" : "");
	return 0;
}

static int parse_limit(struct tokens *w, const char *figure, struct trigger *t)
{
	const char *token;

	if (t->figure == TRIGGER_LATENCY || t->figure == TRIGGER_STUCK ||
	    t->figure == TRIGGER_PERCENTILE)
		return parse_span(w, figure, &t->limit);
	token = take(w);
	if (units_parse_count(token, 0, COUNT_MAX, &t->limit))
		return refuse(w, "%s needs a number%s%s%s", figure, *token ? ", not '" : "", token,
			      *token ? "'" : "");
	if (t->is_below && !t->limit)
		return refuse(w, "%s can never be below 0", figure);
	return 0;
}

static int parse_window(struct tokens *w, const char *figure, struct trigger *t)
{
	bool has_window = t->figure == TRIGGER_PERCENTILE || t->figure == TRIGGER_IOPS;
	uint64_t window_ns = TRIGGER_WINDOW_NS;
	int err;

	if (!strcmp(peek(w), "over")) {
		take(w);
		if (!has_window)
			return refuse(w, "%s applies to each IO: it takes no 'over'", figure);
		err = parse_span(w, "over", &window_ns);
		if (err)
			return err;
		if (window_ns < NSEC_PER_MSEC || window_ns > TRIGGER_WINDOW_MAX_NS)
			return refuse(w, "'over' takes a time from 1ms to 1h");
	}
	t->slot_ns = window_ns / TRIGGER_SLOTS;
	return 0;
}

static int parse(struct tokens *w, struct trigger *t)
{
	const char *figure;
	int err;

	err = parse_figure(w, t);
	if (err)
		return err;
	figure = w->text[w->next - 1];
	if (t->figure != TRIGGER_ERROR) {
		err = parse_sign(w, figure, t);
		if (!err)
			err = parse_limit(w, figure, t);
	}
	if (!err)
		err = parse_window(w, figure, t);
	if (!err && *peek(w))
		err = refuse(w, "unexpected '%s' after the condition", peek(w));
	return err;
}

int trigger__parse(const char *text, struct trigger **trigger, char message[TRIGGER_MESSAGE_MAX])
{
	struct tokens tokens = {.message = message};
	struct trigger *t = calloc(1, sizeof(*t));
	int err;

	message[0] = '\0';
	if (!t)
		return -ENOMEM;
	err = cut(text, &tokens);
	if (!err)
		err = parse(&tokens, t);
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
