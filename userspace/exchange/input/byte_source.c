// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/progress.h"
#include "exchange/input/byte_source.h"
#include "exchange/input/inflate.h"

#define STORED_BYTES (256u << 10)
#define READY_BYTES  (512u << 10)

_Static_assert(READY_BYTES >= 2 * BYTE_SOURCE_PEEK_MAX, "a refill must always make space");

struct byte_source {
	char *name;
	int fd; /* -1: memory */
	struct inflate *inflate;
	const uint8_t *in, *in_end; /* as stored, not yet decompressed */
	uint8_t *stored;
	bool input_over; /* nothing follows in_end */
	bool over;	 /* nothing follows `end` */
	int err;
	uint8_t *ready, *at, *end; /* decompressed, not yet taken */
	uint64_t taken;		   /* bytes before `at` */
	uint64_t line_number;
};

static int new_source(const char *name, struct byte_source **source)
{
	struct byte_source *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->fd = -1;
	s->name = strdup(name);
	s->ready = malloc(READY_BYTES);
	s->at = s->end = s->ready;
	if (!s->name || !s->ready) {
		byte_source__free(s);
		return -ENOMEM;
	}
	*source = s;
	return 0;
}

static int open_file(struct byte_source *s, const char *path)
{
	struct stat st;

	s->fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
				  : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (s->fd < 0 || fstat(s->fd, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	s->stored = malloc(STORED_BYTES);
	return s->stored ? 0 : -ENOMEM;
}

int byte_source__open(const char *path, struct byte_source **source)
{
	int err = new_source(strcmp(path, "-") ? path : "standard input", source);

	if (err)
		return err;
	err = open_file(*source, path);
	if (err) {
		byte_source__free(*source);
		*source = NULL;
	}
	return err;
}

int byte_source__from_memory(const void *data, size_t bytes, struct byte_source **source)
{
	int err = new_source("memory", source);

	if (err)
		return err;
	(*source)->in = data;
	(*source)->in_end = (const uint8_t *)data + bytes;
	(*source)->input_over = true;
	return 0;
}

void byte_source__free(struct byte_source *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	inflate__free(s->inflate);
	free(s->stored);
	free(s->ready);
	free(s->name);
	free(s);
}

/* Moves the rest of the input to the front and fills up; at the end it stays empty. */
static int read_stored(struct byte_source *s)
{
	size_t left = (size_t)(s->in_end - s->in);
	ssize_t got;

	if (s->input_over)
		return 0;
	if (left)
		memmove(s->stored, s->in, left);
	do {
		got = read(s->fd, s->stored + left, STORED_BYTES - left);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	s->input_over = !got;
	progress_add((uint64_t)got);
	s->in = s->stored;
	s->in_end = s->stored + left + (size_t)got;
	return 0;
}

static int begin(struct byte_source *s)
{
	int err = 0;

	while (!err && !s->input_over && s->in_end - s->in < INFLATE_MAGIC_BYTES)
		err = read_stored(s);
	if (err)
		return err;
	s->inflate = inflate__new(s->in, (size_t)(s->in_end - s->in));
	return s->inflate ? 0 : -ENOMEM;
}

/* Moves the rest to the front of `ready` and fills it up, until the end of the input. */
static int refill(struct byte_source *s)
{
	size_t left = (size_t)(s->end - s->at);
	int result = s->inflate ? 0 : begin(s);

	memmove(s->ready, s->at, left);
	s->at = s->ready;
	s->end = s->ready + left;
	while (!result && s->end < s->ready + READY_BYTES) {
		if (s->in == s->in_end)
			result = read_stored(s);
		if (!result)
			result = inflate__run(s->inflate, &s->in, s->in_end, &s->end,
					      s->ready + READY_BYTES, s->input_over);
		/* Do not wait for a pipe while a whole line is available. */
		if (!result && s->end - s->ready >= (ptrdiff_t)BYTE_SOURCE_PEEK_MAX)
			break;
	}
	s->over = result != 0;
	return result < 0 ? result : 0;
}

/* Makes up to `bytes` bytes available: fewer only at the end. */
static size_t ensure(struct byte_source *s, size_t bytes)
{
	while (!s->over && (size_t)(s->end - s->at) < bytes)
		s->err = refill(s);
	return (size_t)(s->end - s->at);
}

const uint8_t *byte_source__peek(struct byte_source *s, size_t *bytes)
{
	*bytes = ensure(s, BYTE_SOURCE_PEEK_MAX);
	if (*bytes > BYTE_SOURCE_PEEK_MAX)
		*bytes = BYTE_SOURCE_PEEK_MAX;
	return *bytes ? s->at : NULL;
}

const uint8_t *byte_source__take(struct byte_source *s, size_t bytes)
{
	const uint8_t *at;

	if (ensure(s, bytes) < bytes)
		return NULL;
	at = s->at;
	s->at += bytes;
	s->taken += bytes;
	return at;
}

size_t byte_source__left_over(const struct byte_source *s)
{
	return (size_t)(s->end - s->at);
}

static void skip_byte_order_mark(struct byte_source *s)
{
	size_t bytes = ensure(s, BYTE_ORDER_MARK_BYTES);

	if (byte_order_mark_begins(s->at, bytes))
		byte_source__take(s, BYTE_ORDER_MARK_BYTES);
}

int byte_source__line(struct byte_source *s, const char **at, const char **end)
{
	uint8_t *feed;
	size_t bytes;

	if (!s->taken)
		skip_byte_order_mark(s);
	feed = memchr(s->at, '\n', (size_t)(s->end - s->at));
	if (!feed) {
		bytes = ensure(s, BYTE_SOURCE_PEEK_MAX);
		feed = memchr(s->at, '\n', bytes);
		if (!feed && bytes >= BYTE_SOURCE_PEEK_MAX)
			return -EMSGSIZE;
		/* A part of a line before an error must not pass for a whole one. */
		if (!bytes || (!feed && s->err))
			return s->err;
	}
	*at = (const char *)s->at;
	*end = (const char *)(feed ? feed : s->end);
	s->taken += (size_t)((feed ? feed + 1 : s->end) - s->at);
	s->at = feed ? feed + 1 : s->end;
	if (*end > *at && (*end)[-1] == '\r')
		(*end)--;
	s->line_number++;
	return 1;
}

int byte_source__error(const struct byte_source *s)
{
	return s->err;
}

const char *byte_source__name(const struct byte_source *s)
{
	return s->name;
}

uint64_t byte_source__line_number(const struct byte_source *s)
{
	return s->line_number;
}

uint64_t byte_source__offset(const struct byte_source *s)
{
	return s->taken;
}
