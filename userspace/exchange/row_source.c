// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/row_source.h"

/* A stream of a format and its next row. */
struct stream {
	struct foreign_source source;
	struct io_row row;
	bool begun, has_row, over;
};

struct row_source {
	struct stream *streams;
	unsigned int count;
	struct byte_source **files;
	unsigned int file_count;
	const struct byte_source *failed;
};

static int begin_stream(struct stream *stream, const char **message)
{
	const struct foreign_format *format = stream->source.format;
	int err = 0;

	if (format->state_bytes)
		stream->source.state = calloc(1, format->state_bytes);
	if (format->state_bytes && !stream->source.state)
		return -ENOMEM;
	stream->begun = true;
	if (format->begin)
		err = format->begin(&stream->source, message);
	return err;
}

int row_source__new(const struct foreign_format *format, struct byte_source **files,
		    unsigned int count, const struct foreign_options *options,
		    struct foreign_names *names, struct foreign_report *report,
		    struct row_source **source, const char **message)
{
	struct row_source *s = calloc(1, sizeof(*s));
	int err = 0;

	*message = NULL;
	*source = s;
	if (!s)
		return -ENOMEM;
	s->files = files;
	s->file_count = count;
	s->count = format->grouped ? 1 : count;
	s->streams = calloc(s->count, sizeof(*s->streams));
	if (!s->streams)
		return -ENOMEM;
	for (unsigned int i = 0; i < s->count && !err; i++) {
		s->streams[i].source = (struct foreign_source){
			.format = format,
			.options = options,
			.files = files + i,
			.file_count = format->grouped ? count : 1,
			.number = i,
			.sources = s->count,
			.names = names,
			.report = report,
		};
		err = begin_stream(&s->streams[i], message);
	}
	return err;
}

void row_source__free(struct row_source *s)
{
	if (!s)
		return;
	for (unsigned int i = 0; s->streams && i < s->count; i++) {
		struct foreign_source *source = &s->streams[i].source;

		if (s->streams[i].begun && source->format->finish)
			source->format->finish(source);
		free(source->state);
	}
	for (unsigned int i = 0; i < s->file_count; i++)
		byte_source__free(s->files[i]);
	free(s->files);
	free(s->streams);
	free(s);
}

static int next_of_lines(struct foreign_source *source, struct io_row *row)
{
	const char *at, *end;
	int result;

	while ((result = byte_source__line(source->files[0], &at, &end)) == 1) {
		result = source->format->line(source, at, end, row);
		if (result == FOREIGN_NOTHING && foreign_is_hopeless(source))
			return -EINVAL;
		if (result != FOREIGN_NOTHING)
			return result;
		memset(row, 0, sizeof(*row));
	}
	return result;
}

/* The damaged file of a stream; without one its first file. */
static const struct byte_source *damaged_file(const struct foreign_source *source)
{
	for (unsigned int i = 0; i < source->file_count; i++)
		if (byte_source__error(source->files[i]))
			return source->files[i];
	return source->files[0];
}

/* A damaged stream ends there; the others go on. row_source__failed() tells the caller. */
static int advance(struct row_source *s, struct stream *stream)
{
	struct foreign_source *source = &stream->source;
	int result;

	memset(&stream->row, 0, sizeof(stream->row));
	result = source->format->line ? next_of_lines(source, &stream->row)
				      : source->format->next(source, &stream->row);
	if (result >= 0 && foreign_names__error(source->names))
		return foreign_names__error(source->names);
	stream->has_row = result == FOREIGN_ROW;
	stream->over = !stream->has_row;
	if (result >= 0)
		return 0;
	s->failed = s->failed ? s->failed : damaged_file(source);
	return result == -EBADMSG || result == -EMSGSIZE ? 0 : result;
}

static struct stream *earliest(struct row_source *s)
{
	struct stream *first = NULL;

	for (unsigned int i = 0; i < s->count; i++) {
		struct stream *stream = &s->streams[i];

		if (stream->has_row && (!first || foreign_row_time_ns(&stream->row) <
							  foreign_row_time_ns(&first->row)))
			first = stream;
	}
	return first;
}

int row_source__next(struct row_source *s, struct io_row *row)
{
	struct stream *stream;
	int err = 0;

	/* The earliest row is known only when each stream has a row. */
	for (unsigned int i = 0; i < s->count && !err; i++)
		if (!s->streams[i].has_row && !s->streams[i].over)
			err = advance(s, &s->streams[i]);
	if (err)
		return err;
	stream = earliest(s);
	if (!stream)
		return 0;
	*row = stream->row;
	io_row_spread_ids(row, s->count, (unsigned int)(stream - s->streams));
	stream->has_row = false;
	return 1;
}

const struct byte_source *row_source__failed(const struct row_source *s)
{
	return s->failed;
}
