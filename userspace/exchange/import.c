// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/progress.h"
#include "base/version.h"
#include "exchange/alignment.h"
#include "exchange/import.h"
#include "exchange/repeats.h"
#include "exchange/row_source.h"
#include "exchange/time_order.h"
#include "trace/format.h"

/* Unix time of 2000-01-01. */
#define YEAR_2000_NS (946684800 * NSEC_PER_SEC)

struct import {
	const struct import_options *options;
	const struct foreign_format *format;
	const char *output;
	struct byte_source **files;
	unsigned int file_count;
	struct row_source *source;
	struct foreign_names *names;
	struct time_order *order; /* NULL: the rows of the format are sorted */
	struct repeats *repeats;
	struct alignment *alignment;
	struct trace_writer *writer;	     /* NULL before the first row */
	uint64_t start_ns, written_until_ns; /* of the trace; the latest row so far */
	struct import_result *result;
};

static int explain(struct import *im, const char *file, const char *reason, int err)
{
	snprintf(im->result->message, sizeof(im->result->message), "%.300s: %.200s", file, reason);
	return err;
}

static int open_files(struct import *im, char *const paths[], unsigned int count)
{
	int err = 0;

	im->files = calloc(count, sizeof(*im->files));
	if (!im->files)
		return -ENOMEM;
	for (; im->file_count < count && !err; im->file_count += !err) {
		err = byte_source__open(paths[im->file_count], &im->files[im->file_count]);
		if (err)
			return explain(im, paths[im->file_count],
				       err == -EISDIR ? "is a directory: name the files in it"
						      : strerror(-err),
				       err);
	}
	return 0;
}

/* "BZh", the level, and the magic number of a block. */
static bool is_bzip2(const uint8_t *head, size_t bytes)
{
	return bytes >= 10 && !memcmp(head, "BZh", 3) && head[3] >= '1' && head[3] <= '9' &&
	       !memcmp(head + 4, "1AY&SY", 6);
}

static int find_format(struct import *im)
{
	const char *name = byte_source__name(im->files[0]);
	size_t bytes;
	const uint8_t *head = byte_source__peek(im->files[0], &bytes);

	if (!head && byte_source__error(im->files[0]))
		return explain(im, name, "is damaged: it cannot be decompressed", -EBADMSG);
	if (!head)
		return explain(im, name, "is empty", -EBADMSG);
	if (is_bzip2(head, bytes))
		return explain(
			im, name,
			"is compressed with bzip2: give 'bzcat' of it to 'import --from FORMAT -'",
			-EINVAL);
	im->format = im->options->format;
	if (!im->format)
		im->format = foreign_format_by_content((const char *)head, bytes);
	im->result->format = im->format;
	if (!im->format && bytes >= TRACE_MAGIC_BYTES &&
	    !memcmp(head, TRACE_MAGIC, TRACE_MAGIC_BYTES))
		return explain(im, name, "is a blkreel trace already", -EINVAL);
	if (!im->format)
		return explain(im, name,
			       "its content does not identify the format: name it with --from",
			       -EINVAL);
	return 0;
}

static int prepare(struct import *im)
{
	const char *message;
	int err;

	im->names = foreign_names__new();
	im->repeats = repeats__new();
	im->alignment = alignment__new();
	im->order = im->format->in_order ? NULL : time_order__new();
	if (!im->names || !im->repeats || !im->alignment || (!im->order && !im->format->in_order))
		return -ENOMEM;
	err = row_source__new(im->format, im->files, im->file_count, &im->options->foreign,
			      im->names, &im->result->report, &im->source, &message);
	/* The source owns the files from here on. */
	im->files = im->source ? NULL : im->files;
	return err && message ? explain(im, im->format->name, message, err) : err;
}

static uint64_t tick_of(const struct foreign_format *format, const struct foreign_options *options)
{
	return options->time_unit_ns ?: format->tick_ns;
}

uint64_t import_tick_ns(const struct import_options *options)
{
	return tick_of(options->format, &options->foreign);
}

static uint64_t tick_ns(const struct import *im)
{
	return tick_of(im->format, &im->options->foreign);
}

/* Within a coarse tick, equal IOs are a workload that repeats itself, not one seen twice. */
static bool tells_repeats(const struct import *im)
{
	return !im->format->knows_layers && tick_ns(im) <= REPEAT_WINDOW_NS;
}

/* The tier tells how exact the times are; the rest is as good as its source. */
static int add_tier(struct import *im)
{
	char how[TRACE_TEXT_MAX];
	struct trace_tier tier = {.figure = "block", .how = how, .quality = "exact"};

	snprintf(how, sizeof(how), "import of %s", im->format->name);
	tier.note = tick_ns(im) >= NSEC_PER_MSEC ? "times are coarse" : "as good as the source";
	if (tick_ns(im) >= NSEC_PER_MSEC)
		tier.quality = "bounded";
	return trace_writer__add_tier(im->writer, &tier);
}

/* Without a start in the input, the first IO tells it. */
static void set_start(const struct import *im, uint64_t first_ns, struct trace_host *host)
{
	const struct foreign_report *report = &im->result->report;
	uint64_t lead_ns = first_ns > FOREIGN_ORIGIN_NS ? first_ns - FOREIGN_ORIGIN_NS : 0;

	host->start_ns = report->start_ns ?: FOREIGN_ORIGIN_NS;
	host->start_wall_ns = report->start_wall_ns;
	if (report->start_ns ||
	    (im->format->clock == FOREIGN_CLOCK_START && lead_ns <= FOREIGN_LEAD_MAX_NS))
		return;
	host->start_ns = first_ns;
	if (im->format->clock == FOREIGN_CLOCK_UNIX || lead_ns >= YEAR_2000_NS)
		host->start_wall_ns = lead_ns;
}

/* The start of the recording is known only with the first row. */
static int create_writer(struct import *im, uint64_t first_ns)
{
	struct trace_writer_options options = im->options->writer;
	struct trace_host host = {0};
	int err;

	/* A part of an import is of no use; the source still exists. */
	options.replace_at_close = true;
	if (!options.resolution_ns)
		options.resolution_ns = tick_ns(im);
	snprintf(host.tool, sizeof(host.tool), "blkreel %s", BLKREEL_VERSION);
	snprintf(host.command, sizeof(host.command), "%s",
		 im->options->command ? im->options->command : "");
	set_start(im, first_ns, &host);
	im->start_ns = host.start_ns;
	err = trace_writer__create(im->output, &host, &options, &im->writer);
	im->result->output_failed = err != 0;
	return err ? err : add_tier(im);
}

static void note_time(struct import_result *result, const struct io_row *row)
{
	uint64_t first_ns = foreign_row_time_ns(row), last_ns = first_ns;

	last_ns = row->completed_ns > last_ns ? row->completed_ns : last_ns;
	if (!result->rows || first_ns < result->first_ns)
		result->first_ns = first_ns;
	if (last_ns > result->last_ns)
		result->last_ns = last_ns;
	result->whole_seconds &= !(first_ns % NSEC_PER_SEC);
}

static void note_order(struct import *im, const struct io_row *row)
{
	uint64_t time_ns = foreign_row_time_ns(row);

	im->result->still_disordered += im->order && time_ns < im->written_until_ns;
	im->result->before_start += time_ns < im->start_ns && !(row->flags & IO_STARTED_BEFORE);
	if (time_ns > im->written_until_ns)
		im->written_until_ns = time_ns;
}

static int write_row(struct import *im, const struct io_row *row)
{
	struct import_result *result = im->result;
	uint64_t time_ns = foreign_row_time_ns(row);
	struct io_row moved = *row;
	int err = 0;

	if (tells_repeats(im) && !row->id && !row->parent_id && repeats__check(im->repeats, row)) {
		result->repeats++;
		if (im->options->drop_repeats)
			return 0;
	}
	note_order(im, row);
	note_time(result, row);
	if (im->options->align)
		moved.sector += alignment__shift_sectors(im->alignment, row->device);
	if (!im->writer)
		err = create_writer(im, time_ns);
	if (!err)
		err = foreign_names__write(im->names, im->writer);
	if (!err)
		err = trace_writer__append_io(im->writer, &moved);
	if (err)
		result->output_failed = true;
	result->rows += !err;
	return err;
}

static int write_sorted(struct import *im, bool all)
{
	int err = 0;

	while (!err && (all || time_order__full(im->order))) {
		const struct io_row *row = time_order__pop(im->order);

		if (!row)
			break;
		err = write_row(im, row);
	}
	return err;
}

static int take_row(struct import *im, const struct io_row *row)
{
	int err;

	alignment__add(im->alignment, row);
	if (!im->order)
		return write_row(im, row);
	err = write_sorted(im, false);
	if (!err)
		time_order__push(im->order, row, 0);
	return err;
}

static int check_stop(const struct import *im)
{
	if (im->options->stop && *im->options->stop)
		return -ECANCELED;
	return 0;
}

static int copy_rows(struct import *im)
{
	struct io_row row;
	int err;

	while ((err = row_source__next(im->source, &row)) == 1) {
		err = take_row(im, &row);
		if (!err)
			err = check_stop(im);
		if (err)
			return err;
	}
	progress_stop();
	if (!err && im->order)
		err = write_sorted(im, true);
	return err;
}

/* Times of a format with a fine tick may be whole seconds all the same. */
static int check_repeats(struct import *im)
{
	struct import_result *result = im->result;

	if (!result->whole_seconds || result->rows + result->repeats < WHOLE_SECONDS_ROWS_MIN)
		return 0;
	if (result->repeats && im->options->drop_repeats)
		return explain(im, im->format->name,
			       "all times are whole seconds: --dedup would leave out what the "
			       "workload repeats",
			       -EINVAL);
	result->repeats = 0;
	return 0;
}

static int finish(struct import *im)
{
	struct import_result *result = im->result;
	struct trace_summary summary = {.stop_ns = result->last_ns,
					.in_flight_at_end = result->report.in_flight,
					.command_status = -1};
	struct stat st;
	int err;

	err = trace_writer__close(im->writer, &summary);
	im->writer = NULL;
	result->output_failed = err != 0;
	if (!err && !stat(im->output, &st))
		result->file_bytes = (uint64_t)st.st_size;
	if (im->order) {
		result->disordered = time_order__disordered(im->order);
		result->disorder_ns = time_order__disorder_ns(im->order);
	}
	result->devices = foreign_names__devices(im->names);
	alignment__worst(im->alignment, im->names, &result->misaligned);
	return err;
}

static int run(struct import *im)
{
	const struct byte_source *failed;
	int err = copy_rows(im);

	failed = row_source__failed(im->source);
	if (failed && !err) {
		im->result->cut = true;
		explain(im, byte_source__name(failed),
			"ends too early or is damaged; the records before that were imported, "
			"the last of them may be wrong",
			0);
	} else if (failed && err && err != -ECANCELED && !im->result->report.bad_records) {
		return explain(im, byte_source__name(failed), strerror(-err), err);
	}
	if (err == -E2BIG)
		return explain(im, im->format->name,
			       "more than 16,384 devices: split the input by device", -EBADMSG);
	if (!err && !im->writer)
		return explain(im, im->format->name, "no IO was found in the input", -EBADMSG);
	if (!err)
		err = check_repeats(im);
	if (err)
		return err;
	return finish(im);
}

static void clean_up(struct import *im)
{
	trace_writer__close(im->writer, NULL);
	row_source__free(im->source);
	for (unsigned int i = 0; im->files && i < im->file_count; i++)
		byte_source__free(im->files[i]);
	if (!im->source)
		free(im->files);
	foreign_names__free(im->names);
	time_order__free(im->order);
	repeats__free(im->repeats);
	alignment__free(im->alignment);
}

int import_run(char *const paths[], unsigned int count, const char *output,
	       const struct import_options *options, struct import_result *result)
{
	struct import im = {.options = options, .output = output, .result = result};
	int err;

	memset(result, 0, sizeof(*result));
	result->whole_seconds = true;
	err = open_files(&im, paths, count);
	if (!err)
		err = find_format(&im);
	if (!err)
		err = prepare(&im);
	if (!err)
		err = run(&im);
	clean_up(&im);
	return err;
}
