// SPDX-License-Identifier: MIT
/* Checks a profile after the last key of its text, and fills in what is left out. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/units.h"
#include "profile/arithmetic.h"
#include "profile/arrival/split_rows.h"
#include "profile/file_layout.h"
#include "profile/placement/place_rules.h"
#include "profile/text/parser.h"
#include "profile/text/pinned_bursts.h"

#define SUM_PARTS 20 /* a sum may be off by one of so many parts */

void parse_at(struct parser *r, enum schema_section section, uint32_t instance, const char *key)
{
	parse_section_name(section, instance, r->place.section);
	snprintf(r->place.key, sizeof(r->place.key), "%s", key);
}

/* Values of a key without a label. */
static uint32_t values_of(struct parser *r, enum schema_section section, uint32_t instance,
			  const char *key)
{
	return *parse_filled(r, section, key, instance, -1);
}

static uint32_t of_arrival(struct parser *r, const char *key)
{
	return values_of(r, SCHEMA_ARRIVAL, 0, key);
}

static uint32_t of_stream(struct parser *r, uint32_t stream, const char *key)
{
	return values_of(r, SCHEMA_STREAM, stream, key);
}

static const char *extent_name(enum schema_extent extent)
{
	return extent == SCHEMA_WINDOWS	 ? "as 'windows'"
	       : extent == SCHEMA_PHASES ? "as 'phases' of [profile]"
	       : extent == SCHEMA_LEVELS ? "split_levels"
					 : "a size, and the IOs of each phase";
}

/* A file that was cut between two streams would otherwise be another, smaller workload. */
static int check_names(struct parser *r, const struct schema_row *row, uint32_t instance)
{
	const uint32_t *weights = schema_table(row, r->p, instance, 0);

	for (uint32_t to = r->p->stream_count; to < PROFILE_STREAMS_MAX; to++)
		if (weights[to])
			return parse_fail(r,
					  "[%s]: '%s' names stream %u, but there are only %u: was "
					  "the file cut?",
					  r->place.section, row->key, to + 1, r->p->stream_count);
	return 0;
}

/* How many values a list has. */
static int check_length(struct parser *r, const struct schema_row *row, uint32_t instance,
			uint32_t label)
{
	uint32_t count = *parse_filled(r, row->section, row->key, instance,
				       row->labels.count ? (int)label : -1);
	char key[48];

	if (!count)
		return 0;
	parse_at(r, row->section, instance, schema_key(row, label, key));
	if (row->extent == SCHEMA_STREAMS)
		return check_names(r, row, instance);
	if (count < row->least)
		return parse_fail(r, "'%s' has %u value%s, but must have at least %u", key, count,
				  count == 1 ? "" : "s", row->least);
	if (row->exact && count != schema_extent(row, r->p))
		return parse_fail(r, "'%s' has %u values, but must have %u (%s)", key, count,
				  schema_extent(row, r->p), extent_name(row->extent));
	return 0;
}

static int check_lengths(struct parser *r)
{
	int err = 0;

	for (const struct schema_row *row = schema_rows; row->key && !err; row++) {
		uint32_t instances = row->section == SCHEMA_STREAM  ? r->p->stream_count
				     : row->section == SCHEMA_TASKS ? r->p->closed.kind_count
								    : 1;
		uint32_t labels = row->labels.count ? row->labels.count : 1;

		if (!row->least && !row->exact && row->extent != SCHEMA_STREAMS)
			continue;
		for (uint32_t i = 0; i < instances * labels && !err; i++)
			err = check_length(r, row, i / labels, i % labels);
	}
	return err;
}

/* None of the reads is above what the window holds. */
static int check_reads(struct parser *r)
{
	const struct profile_arrival *a = &r->p->arrival;

	parse_at(r, SCHEMA_ARRIVAL, 0, "reads");
	for (uint32_t i = 0; i < of_arrival(r, "reads"); i++)
		if (a->reads[i] > a->windows[i])
			return parse_fail(r, "'reads': window %u has %llu, but only %llu IOs", i,
					  (unsigned long long)a->reads[i],
					  (unsigned long long)a->windows[i]);
	return 0;
}

/* Rows of reads or others alone. */
static bool has_kinds(const struct profile_arrival *a)
{
	const unsigned int weights = sizeof(a->splits[0].distributions) / sizeof(uint32_t);

	return sum_of_weights(a->splits[0].distributions[0][0], weights) +
	       sum_of_weights(a->splits[1].distributions[0][0], weights) +
	       sum_of_weights(a->splits[0].period_shape, PROFILE_PERIOD_PARTS) +
	       sum_of_weights(a->splits[1].period_shape, PROFILE_PERIOD_PARTS);
}

static int check_kinds(struct parser *r)
{
	const struct profile_arrival *a = &r->p->arrival;

	parse_at(r, SCHEMA_ARRIVAL, 0, a->kinds_known ? "read_write_correlation" : "");
	if (a->kinds_known && !a->reads_known)
		return parse_fail(r, "'read_write_correlation' comes without 'reads'");
	if (!a->kinds_known && has_kinds(a))
		return parse_fail(
			r,
			"[arrival]: rows of reads and of others come without 'read_write_correlation'");
	return 0;
}

static int check_period(struct parser *r)
{
	const struct profile_arrival *a = &r->p->arrival;
	uint64_t sum = 0;

	for (unsigned int k = 0; k < KINDS; k++)
		sum += sum_of_weights(a->splits[k].period_shape, PROFILE_PERIOD_PARTS);
	parse_at(r, SCHEMA_ARRIVAL, 0, "");
	if (a->period_ns && !sum)
		return parse_fail(r, "[arrival]: 'period' comes without 'period_shape'");
	if (!a->period_ns && sum)
		return parse_fail(r, "[arrival]: 'period_shape' comes without 'period'");
	return 0;
}

/* A size and the IOs of each phase; the second of two is a larger size. */
static int check_size_class(struct parser *r, unsigned int index)
{
	const struct profile_size_class *class = &r->p->arrival.size_classes[index];
	bool second = index % (PROFILE_SIZE_CLASSES / 2);
	char key[24];

	if (!*parse_filled(r, SCHEMA_ARRIVAL, "size_class", 0, (int)index))
		return 0;
	snprintf(key, sizeof(key), "size_class.%u", index + 1);
	parse_at(r, SCHEMA_ARRIVAL, 0, key);
	if (!class->above_bytes)
		return parse_fail(r, "'%s' begins with 0, but must begin with a size", key);
	if (second && !class[-1].above_bytes)
		return parse_fail(r, "'%s' comes without 'size_class.%u'", key, index);
	if (second && class[-1].above_bytes >= class->above_bytes)
		return parse_fail(r, "'%s' is of %llu bytes, but must be above %llu", key,
				  (unsigned long long)class->above_bytes,
				  (unsigned long long)class[-1].above_bytes);
	return 0;
}

static int check_arrival(struct parser *r)
{
	int err = check_reads(r) ?: check_kinds(r) ?: check_period(r);

	for (unsigned int m = 0; m < PROFILE_SIZE_CLASSES && !err; m++)
		err = check_size_class(r, m);
	return err ?: pinned_bursts_check(r);
}

/* The files are there that the level needs. */
static int check_files(struct parser *r)
{
	const struct profile *p = r->p;
	struct file_layout layout;

	parse_at(r, SCHEMA_FILES, 0, "sizes");
	if (p->level == PROFILE_DEVICE && p->files.class_count)
		return parse_fail(r, "[files] goes with 'level = files' of [profile]");
	if (p->level == PROFILE_DEVICE || !p->ios)
		return 0;
	if (!p->files.class_count) {
		parse_at(r, SCHEMA_PROFILE, 0, "level");
		return parse_fail(r, "level = files needs 'sizes' in [files]");
	}
	if (file_layout_init(&layout, &p->files))
		return parse_fail(r, "the files are more than %u, or larger than %llu bytes in sum",
				  FILE_LAYOUT_FILES_MAX, (unsigned long long)PROFILE_BYTES_MAX);
	if (layout.total_bytes / SECTOR_BYTES < p->end_sector)
		return parse_fail(
			r,
			"the files hold %llu bytes in sum, but end_sector of [profile] says "
			"%llu",
			(unsigned long long)layout.total_bytes,
			(unsigned long long)(p->end_sector * SECTOR_BYTES));
	return 0;
}

/* Bytes of the addresses of a stream. */
static uint64_t range_bytes(const struct profile *p, const struct profile_stream *s)
{
	const struct profile_space *space = &p->spaces[s->space];

	return (space->end_sector ? space->end_sector - space->first_sector
				  : p->end_sector - p->first_sector) *
	       SECTOR_BYTES;
}

static int check_addresses(struct parser *r, uint32_t i)
{
	const struct profile_stream *s = &r->p->streams[i];

	parse_at(r, SCHEMA_STREAM, i, "pattern");
	if (s->sequential && !s->place && s->op != IO_OP_READ && s->op != IO_OP_WRITE)
		return parse_fail(r, "stream %u: only reads and writes can be sequential", i + 1);
	parse_at(r, SCHEMA_STREAM, i, "sizes");
	for (uint32_t k = 0; k < s->size_count; k++)
		if (s->op != IO_OP_FLUSH && s->sizes[k].ios &&
		    s->sizes[k].bytes > range_bytes(r->p, s))
			return parse_fail(r,
					  "stream %u: a size of %llu bytes does not fit between "
					  "first_sector and end_sector",
					  i + 1, (unsigned long long)s->sizes[k].bytes);
	return 0;
}

static int check_spaces(struct parser *r)
{
	const struct profile *p = r->p;

	parse_at(r, SCHEMA_PROFILE, 0, "first_sector");
	for (uint32_t i = 0; i < PROFILE_SPACES_MAX; i++) {
		const struct profile_space *space = &p->spaces[i];

		if ((space->end_sector || space->first_sector) &&
		    (space->first_sector < p->first_sector || space->end_sector > p->end_sector ||
		     space->first_sector >= space->end_sector))
			return parse_fail(r,
					  "addresses %u do not lie between first_sector and "
					  "end_sector (%llu) of [profile]",
					  i + 1, (unsigned long long)p->end_sector);
	}
	return 0;
}

static int check_device(struct parser *r)
{
	const struct profile *p = r->p;

	parse_at(r, SCHEMA_PROFILE, 0, "end_sector");
	if (p->end_sector < p->first_sector)
		return parse_fail(r, "end_sector %llu is before first_sector %llu",
				  (unsigned long long)p->end_sector,
				  (unsigned long long)p->first_sector);
	if (p->device_bytes && p->end_sector * SECTOR_BYTES > p->device_bytes)
		return parse_fail(r, "end_sector %llu is beyond device_bytes %llu",
				  (unsigned long long)p->end_sector,
				  (unsigned long long)p->device_bytes);
	parse_at(r, SCHEMA_PROFILE, 0, "phases");
	if (p->ios && (p->phase_count < 1 || p->phase_count > p->arrival.window_count))
		return parse_fail(r, "phases is %u, but must be 1 to the %u windows",
				  p->phase_count, p->arrival.window_count);
	return check_spaces(r);
}

/* By more than scaling rounds: of each stream by itself, and up again what was scaled down. */
static bool differ(uint64_t sum, uint64_t ios, uint32_t streams)
{
	return apart(sum, ios) > streams && apart(sum, ios) > ios / SUM_PARTS;
}

static int check_sums(struct parser *r)
{
	const struct profile *p = r->p;
	uint64_t streams = profile_ios_of_streams(p), phases = 0;
	uint64_t windows = sum_of_counts(p->arrival.windows, p->arrival.window_count);
	unsigned long long ios = p->ios;

	for (uint32_t i = 0; i < p->stream_count; i++)
		phases += sum_of_counts(p->streams[i].phases, p->phase_count);
	parse_at(r, SCHEMA_PROFILE, 0, "ios");
	if (windows != p->ios)
		return parse_fail(r, "the windows hold %llu IOs in sum, but ios is %llu",
				  (unsigned long long)windows, ios);
	if (p->ios && !streams)
		return parse_fail(r, "ios is %llu, but no stream has any (streams: %u)", ios,
				  p->stream_count);
	/* Where no phase says how many there are, `ios` of a stream is a weight. */
	if (phases && differ(streams, p->ios, p->stream_count))
		return parse_fail(r, "the streams hold %llu IOs in sum, but ios is %llu",
				  (unsigned long long)streams, ios);
	return 0;
}

static int check_stream(struct parser *r, uint32_t i)
{
	const struct profile_stream *s = &r->p->streams[i];
	uint64_t sum;

	parse_at(r, SCHEMA_STREAM, i, "");
	if (!of_stream(r, i, "op") || !of_stream(r, i, "ios") || !s->size_count)
		return parse_fail(r, "[stream %u] must have op, ios and sizes", i + 1);
	parse_at(r, SCHEMA_STREAM, i, "sizes");
	if (s->ios && !profile_ios_of_sizes(s))
		return parse_fail(r,
				  "[stream %u]: the weights of 'sizes' have the sum 0, but must "
				  "have one above",
				  i + 1);
	parse_at(r, SCHEMA_STREAM, i, "phases");
	sum = sum_of_counts(s->phases, r->p->phase_count);
	if (of_stream(r, i, "phases") && sum != s->ios)
		return parse_fail(r,
				  "[stream %u]: the phases hold %llu IOs in sum, but 'ios' is %llu",
				  i + 1, (unsigned long long)sum, (unsigned long long)s->ios);
	return 0;
}

static int check_tasks(struct parser *r, uint32_t kind)
{
	const struct closed_tasks *t = &r->p->closed.kinds[kind];

	parse_at(r, SCHEMA_TASKS, kind, "");
	if (!t->tasks || !values_of(r, SCHEMA_TASKS, kind, "streams"))
		return parse_fail(r, "[tasks %u] must have tasks and streams", kind + 1);
	return 0;
}

static int check_closed(struct parser *r)
{
	const struct profile_closed *c = &r->p->closed;
	bool latency = false;
	int err = 0;

	parse_at(r, SCHEMA_TASKS, 0, "");
	for (unsigned int i = 0; i < CLOSED_OPS * CLOSED_SIZES; i++)
		latency = latency || c->latency_ns[i / CLOSED_SIZES][i % CLOSED_SIZES].count;
	if (c->kind_count && !latency)
		return parse_fail(r,
				  "[tasks 1] needs a [closed] with at least one latency.OP.BYTES");
	for (uint32_t i = 0; i < c->kind_count && !err; i++)
		err = check_tasks(r, i);
	return err;
}

static int check_version(struct parser *r)
{
	parse_at(r, SCHEMA_PROFILE, 0, "version");
	if (!r->p->version)
		return parse_fail(r, PROFILE_NO_PROFILE
				  "[profile] with 'version = 1' is missing" PROFILE_HOW_MADE);
	if (r->p->version != PROFILE_VERSION)
		return parse_fail(r, "version %llu is newer than this blkreel knows (%d)",
				  (unsigned long long)r->p->version, PROFILE_VERSION);
	return 0;
}

/* Whether anything is known but the windows, behind which the tables lie. */
static bool has_arrival_tables(const struct profile_arrival *a)
{
	static const struct profile_arrival none;
	size_t at = offsetof(struct profile_arrival, reads_known);

	return memcmp((const char *)a + at, (const char *)&none + at, sizeof(none) - at) != 0;
}

/* Tables do not go together with what a person says in a word. */
static int check_rules(struct parser *r)
{
	parse_at(r, SCHEMA_PROFILE, 0, "arrival");
	if (values_of(r, SCHEMA_PROFILE, 0, "arrival") &&
	    (r->p->arrival.window_count > 1 || has_arrival_tables(&r->p->arrival)))
		return parse_fail(r,
				  "'arrival' goes without tables of [arrival], or with one window");
	for (uint32_t i = 0; i < r->p->stream_count; i++) {
		const struct profile_stream *s = &r->p->streams[i];

		parse_at(r, SCHEMA_STREAM, i, "place");
		if (s->place && (place_tables(s) || r->p->level == PROFILE_OF_FILES ||
				 sum_of_weights(s->run_recency, PROFILE_RUN_RECENCY_COLUMNS)))
			return parse_fail(
				r,
				"[stream %u]: 'place' goes without tables of places "
				"(reuse, zones, run_distance, run_recency), and not for files",
				i + 1);
	}
	return 0;
}

/* So many levels that a period of a profile written by hand has its shape. */
static void fill_period(struct parser *r)
{
	static const char *const keys[KINDS] = {
		[KIND_OTHERS] = "period_shape.o",
		[KIND_READS] = "period_shape.r",
		[KIND_ALL] = "period_shape",
	};
	struct profile_arrival *a = &r->p->arrival;

	/* Each of fewer values is of a longer part. */
	for (unsigned int k = 0; k < KINDS; k++) {
		uint32_t *shape = a->splits[k].period_shape, count = of_arrival(r, keys[k]);

		for (uint32_t i = PROFILE_PERIOD_PARTS; count && i--;)
			shape[i] = shape[i * count / PROFILE_PERIOD_PARTS];
	}
	if (!a->period_ns || !a->window_count || of_arrival(r, "split_levels"))
		return;
	while (a->split_levels < PROFILE_SPLIT_LEVELS_MAX &&
	       r->p->duration_ns / a->window_count >> a->split_levels >
		       a->period_ns / PROFILE_PERIOD_PARTS)
		a->split_levels++;
}

/* What is left out: one window, one phase, and streams of as many IOs each. */
static void fill_defaults(struct parser *r)
{
	struct profile *p = r->p;
	bool any = false;

	p->arrival.window_count = of_arrival(r, "windows");
	if (p->ios && !p->arrival.window_count) {
		p->arrival.windows[0] = p->ios;
		p->arrival.window_count = 1;
	}
	fill_period(r);
	if (p->ios && !values_of(r, SCHEMA_PROFILE, 0, "phases"))
		p->phase_count = 1;
	for (uint32_t i = 0; i < p->stream_count; i++)
		any |= of_stream(r, i, "ios");
	for (uint32_t i = 0; i < p->stream_count && !any; i++) {
		p->streams[i].ios = part_begin(p->ios, i + 1, p->stream_count) -
				    part_begin(p->ios, i, p->stream_count);
		*parse_filled(r, SCHEMA_STREAM, "ios", i, -1) = 1;
	}
}

/* The IOs of streams become counts of the IOs of the profile. */
static void count_streams(struct profile *p)
{
	uint64_t sum = profile_ios_of_streams(p), before = 0;

	if (sum == p->ios)
		return;
	for (uint32_t i = 0; i < p->stream_count; i++) {
		struct profile_stream *s = &p->streams[i];
		uint64_t weight = s->ios;

		s->ios = part_begin(p->ios, before + weight, sum) - part_begin(p->ios, before, sum);
		s->ios += weight && !s->ios;
		before += weight;
	}
}

/* Sizes are drawn without putting back: at least as many are needed as the stream has IOs. */
static void count_sizes(struct profile_stream *s)
{
	uint64_t sum = profile_ios_of_sizes(s);
	uint64_t times = sum && s->ios > sum ? (s->ios + sum - 1) / sum : 1;

	for (uint32_t i = 0; i < s->size_count; i++)
		s->sizes[i].ios *= times;
}

/* A stream without `phases` beside others with them comes when these do. */
static void spread_streams(struct parser *r, const uint64_t *phases)
{
	uint64_t sum = sum_of_counts(phases, PROFILE_PHASES_MAX);

	for (uint32_t i = 0; i < r->p->stream_count; i++) {
		struct profile_stream *s = &r->p->streams[i];
		uint64_t before = 0;

		for (uint32_t k = 0; k < r->p->phase_count && !of_stream(r, i, "phases"); k++) {
			s->phases[k] = part_begin(s->ios, before + phases[k], sum) -
				       part_begin(s->ios, before, sum);
			before += phases[k];
		}
	}
}

/* Without `phases` the IOs of streams and of sizes may be weights, such as 75 and 25. */
static void count_weights(struct parser *r)
{
	uint64_t phases[PROFILE_PHASES_MAX] = {0};

	for (uint32_t i = 0; i < r->p->stream_count; i++)
		add_counts(phases, r->p->streams[i].phases, PROFILE_PHASES_MAX);
	if (sum_of_counts(phases, PROFILE_PHASES_MAX)) {
		spread_streams(r, phases);
		return;
	}
	count_streams(r->p);
	for (uint32_t i = 0; i < r->p->stream_count; i++)
		count_sizes(&r->p->streams[i]);
}

int parse_check(struct parser *r)
{
	int err = check_version(r);

	fill_defaults(r);
	err = err ?: check_lengths(r) ?: check_arrival(r) ?: check_files(r);
	for (uint32_t i = 0; i < r->p->stream_count && !err; i++)
		err = check_stream(r, i);
	err = err ?: check_closed(r) ?: check_device(r);
	for (uint32_t i = 0; i < r->p->stream_count && !err; i++)
		err = check_addresses(r, i);
	err = err ?: check_sums(r) ?: check_rules(r);
	if (!err)
		count_weights(r);
	return err;
}
