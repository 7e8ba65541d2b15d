// SPDX-License-Identifier: MIT
#include "render/profile/text.h"

#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "profile/arithmetic.h"
#include "compare/suitability.h"
#include "render/json.h"
#include "render/profile/text_closed.h"
#include "render/table.h"
#include "render/when.h"

#define PERIOD_BURST_PCT 25.0

static double share_pct(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static double iops(const struct profile *p)
{
	return p->duration_ns ? (double)p->ios * NSEC_PER_SEC / (double)p->duration_ns : 0.0;
}

static uint64_t mean_size(const struct profile_stream *s)
{
	double bytes = 0, ios = 0;

	for (uint32_t i = 0; i < s->size_count; i++) {
		bytes += (double)s->sizes[i].bytes * (double)s->sizes[i].ios;
		ios += (double)s->sizes[i].ios;
	}
	return ios > 0 ? (uint64_t)(bytes / ios) : 0;
}

static uint64_t most_frequent_size(const struct profile_stream *s)
{
	uint32_t most = 0;

	for (uint32_t i = 1; i < s->size_count; i++)
		if (s->sizes[i].ios > s->sizes[most].ios)
			most = i;
	return s->size_count ? s->sizes[most].bytes : 0;
}

/* Of the column of ops: some names are longer than most. */
static int op_width(const struct profile *p)
{
	int width = 9;

	for (uint32_t i = 0; i < p->stream_count; i++) {
		int length = (int)strlen(profile_stream_op(p, &p->streams[i]));

		width = length > width ? length : width;
	}
	return width;
}

/* "##..#": the phases in which the stream has IOs; returns `text`. */
static const char *when(const struct profile *p, const struct profile_stream *s,
			char text[PROFILE_PHASES_MAX + 1])
{
	memset(text, 0, PROFILE_PHASES_MAX + 1);
	for (uint32_t i = 0; i < p->phase_count; i++)
		text[i] = s->phases[i] ? '#' : '.';
	return text;
}

/* Whether streams differ in nothing but the phases in which they have IOs. */
static bool has_regimes(const struct profile *p)
{
	char text[PROFILE_PHASES_MAX + 1], other[PROFILE_PHASES_MAX + 1];

	for (uint32_t i = 0; i < p->stream_count; i++)
		for (uint32_t j = 0; j < i; j++) {
			const struct profile_stream *a = &p->streams[i], *b = &p->streams[j];

			if (a->op == b->op && a->flags == b->flags &&
			    a->submitter == b->submitter && a->sequential == b->sequential &&
			    a->space == b->space && strcmp(when(p, a, text), when(p, b, other)))
				return true;
		}
	return false;
}

/* Streams that have IOs in the same phases share a line. */
static void regime_rows(const struct profile *p, FILE *out)
{
	char text[PROFILE_PHASES_MAX + 1], other[PROFILE_PHASES_MAX + 1], time[UNITS_TEXT_MAX];

	fprintf(out, "\n  When the streams have IOs (#), in %" PRIu32 " parts of %s\n",
		p->phase_count, units_time(p->duration_ns / p->phase_count, time));
	for (uint32_t i = 0; i < p->stream_count; i++) {
		uint32_t first = 0;

		when(p, &p->streams[i], text);
		while (strcmp(when(p, &p->streams[first], other), text))
			first++;
		if (first < i)
			continue;
		fprintf(out, "    %s ", text);
		for (uint32_t j = i; j < p->stream_count; j++)
			if (!strcmp(when(p, &p->streams[j], other), text))
				fprintf(out, " %" PRIu32, j + 1);
		fputc('\n', out);
	}
}

static void stream_row(const struct profile *p, uint32_t index, FILE *out)
{
	const struct profile_stream *s = &p->streams[index];
	char mean[UNITS_TEXT_MAX], usual[UNITS_TEXT_MAX], flags[IO_FLAGS_TEXT_MAX];

	units_bytes(mean_size(s), mean);
	units_bytes(most_frequent_size(s), usual);
	fprintf(out, "%3" PRIu32 " %-*s %-9s %-10s %6.2f %% %9s %10s%s%s\n", index + 1, op_width(p),
		profile_stream_op(p, s), submitter_name(s->submitter),
		s->sequential ? "sequential" : "random", share_pct(s->ios, p->ios), mean, usual,
		*profile_stream_flags(p, s, flags) ? "  " : "", flags);
}

static void files_line(const struct profile_files *f, FILE *out)
{
	char count[UNITS_TEXT_MAX], least[UNITS_TEXT_MAX], most[UNITS_TEXT_MAX];
	uint64_t files = 0;

	for (uint32_t i = 0; i < f->class_count; i++)
		files += f->classes[i].files;
	if (files)
		fprintf(out, "  files       %s of %s to %s: IOs are operations on them\n",
			units_count(files, count), units_bytes(f->classes[0].bytes, least),
			units_bytes(f->classes[f->class_count - 1].bytes, most));
}

static const char *other_ios(const struct profile *p)
{
	for (uint32_t i = 0; i < p->stream_count; i++) {
		enum io_op op = p->streams[i].op;

		if (op != IO_OP_READ && op != IO_OP_WRITE && op != IO_OP_FLUSH)
			return "all but the reads";
	}
	return "the writes and flushes";
}

static double busiest_eighth_pct(const uint32_t *shape)
{
	uint64_t sum = sum_of_weights(shape, PROFILE_PERIOD_PARTS), most = 0;

	for (unsigned int i = 0; i < PROFILE_PERIOD_PARTS; i++) {
		uint64_t eighth = 0;

		for (unsigned int j = 0; j < PROFILE_PERIOD_PARTS / 8; j++)
			eighth += shape[(i + j) % PROFILE_PERIOD_PARTS];
		most = eighth > most ? eighth : most;
	}
	return share_pct(most, sum);
}

/* An even period has 12.5 % in each eighth: less than twice as much is no burst. */
static void period_line(const struct profile *p, FILE *out)
{
	const char *const whose[] = {other_ios(p), "the reads", "the IOs"};
	const char *before = ":";
	char time[UNITS_TEXT_MAX];

	if (!p->arrival.period_ns)
		return;
	fprintf(out, "\n  period      %s", units_time(p->arrival.period_ns, time));
	for (unsigned int k = 0; k < sizeof(whose) / sizeof(whose[0]); k++) {
		double pct = busiest_eighth_pct(p->arrival.splits[k].period_shape);

		if (pct <= PERIOD_BURST_PCT)
			continue;
		fprintf(out, "%s an eighth of it has %.0f %% of %s", before, pct, whose[k]);
		before = ";";
	}
}

void render_profile_text(const struct profile *p, const char *path, FILE *out)
{
	char count[UNITS_TEXT_MAX], time[UNITS_TEXT_MAX], size[UNITS_TEXT_MAX];
	char started[WHEN_TEXT_MAX];
	uint64_t busiest = 0;

	for (uint32_t i = 0; i < p->arrival.window_count; i++)
		if (p->arrival.windows[i] > busiest)
			busiest = p->arrival.windows[i];
	text_printf(out, "%s\n\n", path);
	fprintf(out, "  IOs         %s in %s", units_count(p->ios, count),
		units_time(p->duration_ns, time));
	if (iops(p) < 1)
		fprintf(out, ", %.3g a second\n", iops(p));
	else if (iops(p) < 1000)
		fprintf(out, ", %.1f a second\n", iops(p));
	else
		fprintf(out, ", %s a second\n", units_count((uint64_t)(iops(p) + 0.5), count));
	if (*when_wall(p->start_wall_ns, started))
		fprintf(out, "  first IO    %s\n", started);
	if (p->level == PROFILE_OF_FILES)
		files_line(&p->files, out);
	fprintf(out, "  addresses   %s from sector %" PRIu64,
		units_bytes((p->end_sector - p->first_sector) * SECTOR_BYTES, size),
		p->first_sector);
	if (p->device_bytes)
		fprintf(out, " of a device of %s", units_bytes(p->device_bytes, size));
	if (p->arrival.window_count)
		fprintf(out, "\n  envelope    %s of %s, the busiest with %s",
			COUNTED_TEXT(p->arrival.window_count, "window"),
			units_time(p->duration_ns / p->arrival.window_count, time),
			COUNTED_TEXT(busiest, "IO"));
	period_line(p, out);
	if (p->lost_ppm)
		fprintf(out,
			"\n  lost        %.4g %% of the IOs of the trace: they are in no figure",
			(double)p->lost_ppm / 1e4);
	fprintf(out, "\n  seed        %" PRIu64 "\n\n", p->seed);
	fprintf(out, "%3s %-*s %-9s %-10s %8s %9s %10s  %s\n", "", op_width(p), "op", "submitter",
		"pattern", "IOs", "mean size", "most often", "flags");
	for (uint32_t i = 0; i < p->stream_count; i++)
		stream_row(p, i, out);
	if (has_regimes(p))
		regime_rows(p, out);
}

static json_t *stream_json(const struct profile *p, uint32_t index)
{
	const struct profile_stream *s = &p->streams[index];
	json_t *object = json_object(), *sizes = json_array(), *phases = json_array();
	char flags[IO_FLAGS_TEXT_MAX];

	json_set_text(object, "op", profile_stream_op(p, s));
	json_set_text(object, "flags", profile_stream_flags(p, s, flags));
	json_set_text(object, "submitter", submitter_name(s->submitter));
	json_set_bool(object, "sequential", s->sequential);
	json_set_u64(object, "ios", s->ios);
	json_set_real(object, "weight_pct", share_pct(s->ios, p->ios));
	for (uint32_t i = 0; i < p->phase_count; i++)
		json_array_append_new(phases, json_integer((json_int_t)s->phases[i]));
	json_object_set_new(object, "phases_ios", phases);
	for (uint32_t i = 0; i < s->size_count; i++) {
		json_t *size = json_object();

		json_set_u64(size, "bytes", s->sizes[i].bytes);
		json_set_u64(size, "ios", s->sizes[i].ios);
		json_array_append_new(sizes, size);
	}
	json_object_set_new(object, "sizes", sizes);
	return object;
}

/* null when it is not known; a figure that could not be said is null. */
static json_t *error_json(const struct profile_error *e)
{
	json_t *object;

	if (!e->seeds)
		return json_null();
	object = json_object();
	json_set_u64(object, "seeds", e->seeds);
	for (unsigned int i = 0; i < PROFILE_ALL_FIGURES; i++) {
		json_t *figure = json_object();

		json_set_real(figure, "median", e->median[i]);
		json_set_real(figure, "worst", e->worst[i]);
		json_object_set_new(object, suitability_figure_name(i), figure);
	}
	return object;
}

/* What the profile is good for; empty when the error is not known. */
static json_t *suitability_json(const struct profile_error *e)
{
	json_t *list = json_array();
	struct suitability s;

	suitability_judge(e, &s);
	for (unsigned int use = 0; use < USES; use++) {
		json_t *object, *beyond;

		if (s.of[use] == SUITABILITY_UNKNOWN)
			continue;
		object = json_object();
		beyond = json_array();
		for (unsigned int i = 0; i < s.beyond_count[use]; i++)
			json_array_append_new(
				beyond, json_string(suitability_figure_name(s.beyond[use][i])));
		json_set_text(object, "use", suitability_use_name(use));
		json_object_set_new(object, "good", json_boolean(s.of[use] == SUITABILITY_GOOD));
		json_object_set_new(object, "beyond", beyond);
		json_array_append_new(list, object);
	}
	return list;
}

int render_profile_json(const struct profile *p, const char *path, FILE *out)
{
	json_t *document = json_document("profile"), *streams = json_array(),
	       *windows = json_array();

	json_set_text(document, "name", path);
	json_set_u64(document, "version", PROFILE_VERSION);
	json_set_text(document, "level", p->level == PROFILE_OF_FILES ? "files" : "device");
	json_set_u64(document, "ios", p->ios);
	json_set_u64(document, "duration_ns", p->duration_ns);
	json_set_u64(document, "start_wall_ns", p->start_wall_ns);
	json_set_u64(document, "device_bytes", p->device_bytes);
	json_set_u64(document, "first_sector", p->first_sector);
	json_set_u64(document, "end_sector", p->end_sector);
	json_set_u64(document, "seed", p->seed);
	json_set_real(document, "lost_pct", (double)p->lost_ppm / 1e4);
	json_object_set_new(document, "error", error_json(&p->error));
	json_object_set_new(document, "uses", suitability_json(&p->error));
	for (uint32_t i = 0; i < p->arrival.window_count; i++)
		json_array_append_new(windows, json_integer((json_int_t)p->arrival.windows[i]));
	json_object_set_new(document, "windows_ios", windows);
	json_set_u64(document, "period_ns", p->arrival.period_ns);
	for (uint32_t i = 0; i < p->stream_count; i++)
		json_array_append_new(streams, stream_json(p, i));
	json_object_set_new(document, "streams", streams);
	json_object_set_new(document, "closed", render_profile_closed_json(p));
	return json_print(out, document);
}

void render_generated_head(enum generated_format format, FILE *out)
{
	if (format == GENERATED_TEXT)
		fprintf(out, "%14s %-12s %14s %10s %6s  %s\n", "time_s", "op", "sector", "bytes",
			"stream", "flags");
	else if (format == GENERATED_CSV)
		fprintf(out, "time_ns,op,sector,bytes,stream,flags\n");
}

void render_generated_row(enum generated_format format, const struct io_row *row, FILE *out)
{
	char flags[IO_FLAGS_TEXT_MAX];

	io_flags_text(row->flags, flags);
	switch (format) {
	case GENERATED_TEXT:
		fprintf(out,
			"%4" PRIu64 ".%09" PRIu64 " %-12s %14" PRIu64 " %10" PRIu64 " %6" PRIu32
			"%s%s\n",
			(uint64_t)(row->created_ns / NSEC_PER_SEC),
			(uint64_t)(row->created_ns % NSEC_PER_SEC), io_op_name(row->op),
			row->sector, row->bytes, row->task, row->flags ? "  " : "", flags);
		break;
	case GENERATED_CSV:
		fprintf(out, "%" PRIu64 ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%s\n",
			row->created_ns, io_op_name(row->op), row->sector, row->bytes, row->task,
			flags);
		break;
	case GENERATED_JSON:
		fprintf(out,
			"{\"time_ns\":%" PRIu64 ",\"op\":\"%s\",\"sector\":%" PRIu64
			",\"bytes\":%" PRIu64 ",\"stream\":%" PRIu32 ",\"flags\":\"%s\"}\n",
			row->created_ns, io_op_name(row->op), row->sector, row->bytes, row->task,
			flags);
		break;
	}
}
