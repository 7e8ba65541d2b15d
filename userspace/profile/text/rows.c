// SPDX-License-Identifier: MIT
/* The keys of a profile's text: first what rows of the schema name, then the rows. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "profile/classes.h"
#include "profile/file_layout.h"
#include "profile/file_ops.h"
#include "profile/text/edits.h"
#include "profile/text/parser.h"
#include "profile/text/pinned_bursts.h"

/* Comments that say figures, and which tables are written ----------------------------------- */

static void say_duration(const struct profile *p, uint32_t instance, FILE *out)
{
	char time[UNITS_TEXT_MAX];

	fprintf(out, "# %s\n", units_time(p->duration_ns, time));
}

static void say_range(const struct profile *p, uint32_t instance, FILE *out)
{
	char size[UNITS_TEXT_MAX];

	fprintf(out, "# addresses lie in %s\n",
		units_bytes((p->end_sector - p->first_sector) * SECTOR_BYTES, size));
}

static const char *window_time(const struct profile *p, char time[UNITS_TEXT_MAX])
{
	return units_time(p->duration_ns / p->arrival.window_count, time);
}

static void say_windows(const struct profile *p, uint32_t instance, FILE *out)
{
	uint32_t count = p->arrival.window_count;
	char time[UNITS_TEXT_MAX];

	fprintf(out, "# IOs in each of %" PRIu32 " window%s of %s\n", count, count == 1 ? "" : "s",
		window_time(p, time));
}

static void say_period(const struct profile *p, uint32_t instance, FILE *out)
{
	char time[UNITS_TEXT_MAX];

	fprintf(out, "# the arrivals repeat after %s; weights of its parts\n",
		units_time(p->arrival.period_ns, time));
}

static bool reads_are_known(const struct profile *p, uint32_t instance, uint32_t label)
{
	return p->arrival.reads_known;
}

static bool has_class(const struct profile *p, uint32_t instance, uint32_t class)
{
	return p->arrival.size_classes[class].above_bytes;
}

static void say_class_splits(const struct profile *p, uint32_t instance, FILE *out)
{
	if (has_class(p, 0, 0) || has_class(p, 0, PROFILE_SIZE_CLASSES / 2))
		fprintf(out, "# Splits of IOs above one size and above both.\n");
}

static bool has_shift(const struct profile *p, uint32_t instance, uint32_t label)
{
	return sum_of_weights(p->arrival.period_shift, PROFILE_PHASES_MAX);
}

static bool has_peak_cap(const struct profile *p, uint32_t instance, uint32_t label)
{
	return p->arrival.split_levels && p->arrival.peak_cap[0];
}

static void say_pinned_bursts(const struct profile *p, uint32_t instance, FILE *out)
{
	fprintf(out, "# Busiest moments: window.bin, share of each half around it%s%s.\n",
		p->arrival.kinds_known ? ", of its reads" : "",
		p->arrival.pinned_bursts[0].sized ? ", above the sizes" : "");
}

static void say_splits(const struct profile *p, const char *whose, FILE *out)
{
	char time[UNITS_TEXT_MAX];

	fprintf(out, "# %swindows of %s and halves, by IOs\n", whose, window_time(p, time));
}

static void say_splits_of_others(const struct profile *p, uint32_t instance, FILE *out)
{
	fprintf(out,
		"# Splits from all in one half to even. neighbour: per mille to the busier side.\n");
	if (p->arrival.kinds_known)
		say_splits(p, "others: ", out);
}

static void say_splits_of_reads(const struct profile *p, uint32_t instance, FILE *out)
{
	if (p->arrival.kinds_known)
		say_splits(p, "reads: ", out);
}

static void say_splits_of_all(const struct profile *p, uint32_t instance, FILE *out)
{
	if (!p->arrival.kinds_known)
		say_splits(p, "", out);
}

static bool has_range(const struct profile *p, uint32_t space, uint32_t label)
{
	return p->spaces[space].end_sector;
}

static bool has_distances(const struct profile *p, uint32_t space, uint32_t label)
{
	return sum_of_weights(p->spaces[space].distances, PROFILE_DISTANCES);
}

static void say_share(const struct profile *p, uint32_t stream, FILE *out)
{
	fprintf(out, "# %.2f %% of the IOs\n",
		p->ios ? 100.0 * (double)p->streams[stream].ios / (double)p->ios : 0.0);
}

/* Not of a stream that shares by `ios`: its phases would contradict that. */
static bool phases_hold_all(const struct profile *p, uint32_t stream, uint32_t label)
{
	const struct profile_stream *s = &p->streams[stream];

	return sum_of_counts(s->phases, p->phase_count) == s->ios;
}

bool schema_is_written(const struct profile *p, enum schema_section section, uint32_t instance)
{
	switch (section) {
	case SCHEMA_ERROR:
		return p->error.seeds;
	case SCHEMA_FILES:
		return p->level == PROFILE_OF_FILES;
	case SCHEMA_ARRIVAL:
		return p->arrival.window_count;
	case SCHEMA_ADDRESSES:
		return has_range(p, instance, 0) || has_distances(p, instance, 0);
	case SCHEMA_STREAM:
		return instance < p->stream_count;
	case SCHEMA_CLOSED:
		return p->closed.kind_count;
	case SCHEMA_TASKS:
		return instance < p->closed.kind_count;
	default:
		return true;
	}
}

/* Keys that hold words ---------------------------------------------------------------------- */

static WORD_WRITER(version)
{
	snprintf(text, SCHEMA_TEXT_MAX, "%d", PROFILE_VERSION);
}

/* "1GiB", a whole number of sectors; 0, -EINVAL or -ERANGE. */
static int parse_sectors(const char *text, uint64_t *sectors)
{
	uint64_t bytes;

	if (units_parse_bytes(text, &bytes) || bytes % SECTOR_BYTES)
		return -EINVAL;
	*sectors = bytes / SECTOR_BYTES;
	return 0;
}

static WORD_WRITER(sizes_check)
{
	if (has_class(p, 0, 0) || has_class(p, 0, PROFILE_SIZE_CLASSES / 2))
		snprintf(text, SCHEMA_TEXT_MAX, "%" PRIu32, edits_sizes_check(p));
}

static WORD_WRITER(reuse_check)
{
	if (has_distances(p, instance, 0))
		snprintf(text, SCHEMA_TEXT_MAX, "%" PRIu32, edits_reuse_check(p, instance));
}

static WORD_READER(op)
{
	bool of_files = r->p->level == PROFILE_OF_FILES;
	struct profile_stream *s = &r->p->streams[instance];
	int op = of_files ? file_op_from_name(value) : io_op_from_name(value);

	if (op < 0)
		return parse_fail(r, "'op': '%.32s' is not an op%s", value,
				  of_files ? "eration on files that a profile has" : "");
	s->op = of_files ? file_op_to_io((enum access_op)op, 0, &s->flags) : (enum io_op)op;
	return 0;
}

static WORD_WRITER(op)
{
	snprintf(text, SCHEMA_TEXT_MAX, "%s", profile_stream_op(p, &p->streams[instance]));
}

/* Flags by their names, joined with a bar; -1: a name is of none that is allowed. */
static int64_t flags_of(const char *value, uint32_t allowed,
			const char *(*name_of)(uint32_t flag, char *text))
{
	char words[IO_FLAGS_TEXT_MAX], name[IO_FLAGS_TEXT_MAX], *rest = NULL;
	uint32_t flags = 0;

	if (snprintf(words, sizeof(words), "%s", value) >= (int)sizeof(words))
		return -1;
	for (char *word = strtok_r(words, "|", &rest); word; word = strtok_r(NULL, "|", &rest)) {
		uint32_t bit = 1;

		while (bit && (!(bit & allowed) || strcmp(name_of(bit, name), word)))
			bit <<= 1;
		if (!bit)
			return -1;
		flags |= bit;
	}
	return flags;
}

static int read_file_flags(struct parser *r, uint32_t stream, const char *value)
{
	struct profile_stream *s = &r->p->streams[stream];
	enum access_op op = file_op_of_io(s->op, s->flags);
	int64_t flags = flags_of(value, file_op_flags_of(op), access_flags_text);

	if (!*parse_filled(r, SCHEMA_STREAM, "op", stream, -1))
		return parse_fail(r, "'flags' must stand after 'op'");
	if (flags < 0)
		return parse_fail(r, "'flags': '%.32s' is not what a %s can have", value,
				  access_op_name(op));
	file_op_to_io(op, (uint32_t)flags, &s->flags);
	return 0;
}

static WORD_READER(flags)
{
	int64_t flags = flags_of(value, PROFILE_FLAGS, io_flags_text);

	if (r->p->level == PROFILE_OF_FILES)
		return read_file_flags(r, instance, value);
	if (flags < 0)
		return parse_fail(r, "'flags': '%.32s' is not a flag that a profile can have",
				  value);
	r->p->streams[instance].flags |= (uint32_t)flags;
	return 0;
}

static WORD_WRITER(flags)
{
	profile_stream_flags(p, &p->streams[instance], text);
}

/* "0.9": at most three digits behind the point. */
static int zipf_exponent(const char *text, uint32_t *permille)
{
	double exponent;

	if (units_parse_real(text, 0.001, PROFILE_ZIPF_PERMILLE_MAX / 1000.0, &exponent))
		return -EINVAL;
	*permille = (uint32_t)(exponent * 1000 + 0.5);
	return fabs(*permille - exponent * 1000) < 1e-6 ? 0 : -EINVAL;
}

/* "uniform", "sequential", "zipf 0.9" or "hot 90% of 10%": 90 % of the IOs go to the first 10 % of the range. */
static WORD_READER(place)
{
	struct profile_stream *s = &r->p->streams[instance];
	char rest;

	if (!strcmp(value, "uniform"))
		s->place = PLACE_UNIFORM;
	else if (!strcmp(value, "sequential"))
		s->place = PLACE_SEQUENTIAL;
	else if (sscanf(value, "hot %3u%% of %3u%%%c", &s->hot_pct, &s->hot_range_pct, &rest) ==
			 2 &&
		 s->hot_pct <= 100 && s->hot_range_pct >= 1 && s->hot_range_pct <= 100)
		s->place = PLACE_HOT;
	else if (!strncmp(value, "zipf ", 5) && !zipf_exponent(value + 5, &s->zipf_permille))
		s->place = PLACE_ZIPF;
	else
		return parse_fail(r,
				  "'place': '%.32s' is none of uniform, zipf 0.9, sequential, "
				  "hot 90%% of 10%%",
				  value);
	s->sequential = s->place == PLACE_SEQUENTIAL;
	return 0;
}

static WORD_WRITER(place)
{
	const struct profile_stream *s = &p->streams[instance];

	if (s->place == PLACE_HOT)
		snprintf(text, SCHEMA_TEXT_MAX, "hot %" PRIu32 "%% of %" PRIu32 "%%", s->hot_pct,
			 s->hot_range_pct);
	else if (s->place == PLACE_ZIPF)
		snprintf(text, SCHEMA_TEXT_MAX, "zipf %.4g", s->zipf_permille / 1000.0);
	else if (s->place)
		snprintf(text, SCHEMA_TEXT_MAX, "%s",
			 s->place == PLACE_UNIFORM ? "uniform" : "sequential");
}

/* One size for all IOs. */
static WORD_READER(size)
{
	struct profile_stream *s = &r->p->streams[instance];

	if (parse_bytes(value, 0, PROFILE_BYTES_MAX, &s->sizes[0].bytes))
		return parse_fail(
			r, "'size': '%.32s' is not a number of bytes, of KiB (4K) or of MiB (2M)",
			value);
	s->sizes[0].ios = 1;
	s->size_count = 1;
	return 0;
}

/* Rows -------------------------------------------------------------------------------------- */

#define TIME_MAX_NS	(1ull << 56)
#define TASKS_MAX	(1u << 23)
#define ACTIVE_MAX	(1u << 20)
#define SECTORS_MAX	(PROFILE_BYTES_MAX / 512)
#define AHEAD_PAGES_MAX (1u << 19)

/* Rows are named by the smallest number of IOs (splits, gaps) or blocks (reuse) they stand for. */
static const unsigned int split_row_names[PROFILE_SPLIT_ROWS] = {2,   3,   4,	8,    16,   32,	 64,
								 128, 256, 512, 1024, 2048, 4096};
static const unsigned int gap_row_names[PROFILE_GAP_CLASSES] = {2, 3, 5, 9, 17, 33, 65, 129};
static const unsigned int entry_gap_row_names[PROFILE_GAP_CLASSES] = {1, 2, 3, 5, 9, 17, 33, 65};
static const unsigned int share_row_names[PROFILE_SHARE_IOS] = {2, 4, 16, 64, 256};
static const unsigned int reuse_row_names[PROFILE_REUSE_SIZES] = {1, 2, 4, 8, 16, 32};
static const unsigned int latency_names[CLOSED_SIZES] = {4096, 16384, 65536, 262144, 1048576};

static const char *const level_names[] = {"device", "files", NULL};
static const char *const arrival_names[] = {"random", "even", NULL};
static const char *const pattern_names[] = {"random", "sequential", NULL};

#define P(member)      offsetof(struct profile, member)
#define E(member)      offsetof(struct profile, error.member)
#define F(member)      offsetof(struct profile, files.member)
#define A(member)      offsetof(struct profile_arrival, member)
#define SPACE(member)  offsetof(struct profile_space, member)
#define STREAM(member) offsetof(struct profile_stream, member)
#define LOOP(member)   offsetof(struct profile_closed, member)
#define TASKS(member)  offsetof(struct closed_tasks, member)

#define SPLIT_BYTES   (4ul * PROFILE_SPLIT_ROWS * PROFILE_SPLIT_COLUMNS)
#define SHARE_BYTES   (4ul * PROFILE_SHARE_SHARES * PROFILE_SHARE_COLUMNS)
#define OCTAVES_BYTES (4ul * PROFILE_GAP_OCTAVES)
#define CLASS_BYTES   sizeof(struct profile_size_class)

/* clang-format off */
/* Labels: those of an array of names; numbers from `first` on. */
#define NAMED(names, bytes) \
	{names, sizeof(names) / sizeof((names)[0]), 0, bytes}
#define NUMBERED(count, first, bytes) \
	{NULL, count, first, bytes}
#define KEY(in, called, as, where, ...) \
	{.section = SCHEMA_##in, .key = called, .shape = SCHEMA_##as, .at = where, __VA_ARGS__}
#define WORDS(section, key, ...) \
	KEY(section, key, WORDS, 0, __VA_ARGS__)
#define NUMBER(section, key, most, at, ...) \
	KEY(section, key, NUMBER, at, .count = 1, .max = most, __VA_ARGS__)
#define NUMBERS(section, key, values, most, at, ...) \
	KEY(section, key, NUMBERS, at, .count = values, .max = most, __VA_ARGS__)
#define SECTORS(section, key, at, same) \
	NUMBER(section, key, SECTORS_MAX, at, .wide = true, .parse = parse_sectors, \
	       .like = "a number of sectors of 512 bytes, as 1GiB is", .same_as = same)
#define CHOICE(section, key, of, at, ...) \
	KEY(section, key, CHOICE, at, .count = 1, .names = of, __VA_ARGS__)
#define PERMILLES(section, key, values, at, ...) \
	NUMBERS(section, key, values, 1000, at, __VA_ARGS__)
#define PAIRS(section, key, values, at, ...) \
	KEY(section, key, PAIRS, at, .count = values, .min = 1, .max = PROFILE_WEIGHT_MAX, __VA_ARGS__)
#define WEIGHTS(section, key, values, at) \
	NUMBERS(section, key, values, PROFILE_WEIGHT_MAX, at, .weights = true)
#define TIMES(section, key, values, most, at, ...) \
	KEY(section, key, TIMES, at, .count = values, .max = most, .wide = true, __VA_ARGS__)
#define SPLITS(key, groups, kind, ...) \
	KEY(ARRIVAL, key, ROWS, A(splits[kind].distributions), .count = PROFILE_SPLIT_COLUMNS, .max = PROFILE_WEIGHT_MAX, \
	    .weights = true, .labels = NUMBERED(groups, 0, SPLIT_BYTES), .row_names = split_row_names, \
	    .row_count = PROFILE_SPLIT_ROWS, __VA_ARGS__)
#define NEIGHBOURS(key, values, groups, kind, ...) \
	PERMILLES(ARRIVAL, key, values, A(splits[kind].neighbour_permille), \
		  .labels = NUMBERED(groups, 0, 4ul * PROFILE_NEIGHBOUR_COLUMNS), .joined = true, __VA_ARGS__)
#define SHARES(key, at, ...) \
	KEY(ARRIVAL, key, ROWS, at, .count = PROFILE_SHARE_COLUMNS, .max = PROFILE_WEIGHT_MAX, \
	    .labels = NAMED(share_row_names, SHARE_BYTES), .row_count = PROFILE_SHARE_SHARES, __VA_ARGS__)
#define LATENCY(op, index, ...) \
	TIMES(CLOSED, "latency." op, CLOSED_LATENCY_MAX, TIME_MAX_NS, LOOP(latency_ns[index]), \
	      .labels = NAMED(latency_names, sizeof(struct closed_values)), __VA_ARGS__)
#define FIGURE(key, index) KEY(ERROR, key, FIGURE, E(median[index]), .other_at = E(worst[index]))

const struct schema_row schema_rows[] = {
	NUMBER(PROFILE, "version", UINT32_MAX, P(version), .wide = true, .min = 1, .write = write_version),
	CHOICE(PROFILE, "level", level_names, P(level), .omit_0 = true, .early = true, .comment = "the IOs below are operations on files"),
	NUMBER(PROFILE, "ios", PROFILE_IOS_MAX, P(ios), .wide = true),
	NUMBER(PROFILE, "duration_ns", PROFILE_DURATION_MAX, P(duration_ns), .wide = true, .say = say_duration),
	NUMBER(PROFILE, "start_wall_ns", UINT64_MAX, P(start_wall_ns), .wide = true, .omit_0 = true, .comment = "Unix time of the first IO"),
	CHOICE(PROFILE, "arrival", arrival_names, P(arrival.even), .omit_0 = true),
	NUMBER(PROFILE, "device_bytes", PROFILE_BYTES_MAX, P(device_bytes), .wide = true),
	NUMBER(PROFILE, "first_sector", SECTORS_MAX, P(first_sector), .wide = true, .say = say_range),
	NUMBER(PROFILE, "end_sector", SECTORS_MAX, P(end_sector), .wide = true),
	NUMBER(PROFILE, "block_offset_sectors", 7, P(block_offset_sectors)),
	NUMBER(PROFILE, "phases", PROFILE_PHASES_MAX, P(phase_count)),
	NUMBER(PROFILE, "seed", UINT64_MAX, P(seed), .wide = true),
	NUMBER(PROFILE, "lost_ppm", 1000000, P(lost_ppm), .wide = true, .omit_0 = true, .comment = "per million of the IOs of the trace: lost, so in no figure"),
	NUMBER(PROFILE, "duration", PROFILE_DURATION_MAX, P(duration_ns), .wide = true, .parse = units_parse_time, .like = "a time like 20s or 500ms", .same_as = "duration_ns"),
	SECTORS(PROFILE, "begin", P(first_sector), "first_sector"),
	SECTORS(PROFILE, "end", P(end_sector), "end_sector"),

	NUMBER(ERROR, "seeds", UINT32_MAX, E(seeds), .min = 1, .comment = "The generated IOs against the trace, before any edit: median and worst of the seeds."),
	/* Figures of compare, in its order. */
	FIGURE("ios_ratio", 0),
	FIGURE("read_ios_delta_pp", 1),
	FIGURE("bytes_ratio", 2),
	FIGURE("size_tvd", 3),
	FIGURE("gap_ks", 4),
	FIGURE("idc_ratio.10ms", 5),
	FIGURE("idc_ratio.1s", 6),
	FIGURE("idc_ratio.60s", 7),
	FIGURE("peak_10ms_ratio", 8),
	FIGURE("mrc_mae", 9),
	FIGURE("sequential_delta_pp", 10),
	FIGURE("footprint_ratio", 11),
	FIGURE("busy_reads_delta_pp", 12),
	FIGURE("bytes_idc_ratio", 13),
	FIGURE("op_tvd", 14),
	/* Figures of parts, in the order of workload/figures/local_figures.h. */
	FIGURE("eighth_size_tvd", PROFILE_FIGURES + 0),
	FIGURE("eighth_footprint_ratio", PROFILE_FIGURES + 1),
	FIGURE("eighth_mrc_mae", PROFILE_FIGURES + 2),
	FIGURE("read_mrc_mae", PROFILE_FIGURES + 3),
	FIGURE("write_mrc_mae", PROFILE_FIGURES + 4),
	FIGURE("read_footprint_ratio", PROFILE_FIGURES + 5),
	FIGURE("write_footprint_ratio", PROFILE_FIGURES + 6),
	FIGURE("run_ks", PROFILE_FIGURES + 7),
	FIGURE("zones_tvd", PROFILE_FIGURES + 8),
	/* Figures of the closed loop, in the order of workload/figures/closed_figures.h. */
	FIGURE("dependent_delta_pp", PROFILE_FIRST_CLOSED + 0),
	FIGURE("depth_ks", PROFILE_FIRST_CLOSED + 1),
	FIGURE("think_shift", PROFILE_FIRST_CLOSED + 2),
	FIGURE("latency_shift", PROFILE_FIRST_CLOSED + 3),

	KEY(FILES, "sizes", SIZES, F(classes), .count = PROFILE_FILE_CLASSES_MAX, .other_at = F(class_count), .min = 1, .max = FILE_LAYOUT_FILES_MAX, .unit = "files", .multiple = PAGE_BYTES, .comment = "bytes:files; laid out one after the other, they are the addresses below"),
	NUMBERS(FILES, "sequential_readahead", 2, AHEAD_PAGES_MAX, F(ahead[0]), .first_max = 1000, .extent = SCHEMA_COUNT, .comment = "of the operations that missed: per mille that read ahead, and mean pages of those"),
	NUMBERS(FILES, "random_readahead", 2, AHEAD_PAGES_MAX, F(ahead[1]), .first_max = 1000, .extent = SCHEMA_COUNT),

	NUMBERS(ARRIVAL, "windows", PROFILE_WINDOWS_MAX, PROFILE_IOS_MAX, A(windows), .wide = true, .extent = SCHEMA_WINDOWS, .say = say_windows),
	NUMBERS(ARRIVAL, "reads", PROFILE_WINDOWS_MAX, PROFILE_IOS_MAX, A(reads), .wide = true, .extent = SCHEMA_WINDOWS, .exact = true, .known_at = A(reads_known), .comment = "Reads in each window."),
	SHARES("reads", A(read_shares), .when = reads_are_known),
	/* A size, then IOs by phase: they lie one after the other. */
	NUMBERS(ARRIVAL, "size_class", 1 + PROFILE_PHASES_MAX, PROFILE_IOS_MAX, A(size_classes), .first_max = PROFILE_BYTES_MAX, .wide = true, .extent = SCHEMA_SIZE_AND_PHASES, .exact = true, .labels = NUMBERED(PROFILE_SIZE_CLASSES, 1, CLASS_BYTES), .when = has_class,
		.comment = "Reads (1, 2) and others (3, 4) above a size: bytes, then IOs by phase."),
	NUMBER(ARRIVAL, "sizes_check", UINT32_MAX, A(sizes_check), .known_at = A(sizes_check_known), .write = write_sizes_check),
	SHARES("class1_split", A(class_shares[0]), .say = say_class_splits, .comment_always = true),
	SHARES("class2_split", A(class_shares[1])),
	NUMBER(ARRIVAL, "split_levels", PROFILE_SPLIT_LEVELS_MAX, A(split_levels)),
	NUMBER(ARRIVAL, "period_ns", PROFILE_DURATION_MAX, A(period_ns), .wide = true, .min = PROFILE_PERIOD_NS_MIN, .omit_0 = true, .say = say_period),
	NUMBER(ARRIVAL, "period", PROFILE_DURATION_MAX, A(period_ns), .wide = true, .min = PROFILE_PERIOD_NS_MIN, .parse = units_parse_time, .like = "a time like 5s, from 1ms", .same_as = "period_ns"),
	NUMBERS(ARRIVAL, "period_shift", PROFILE_PHASES_MAX, PROFILE_PERIOD_PARTS - 1, A(period_shift), .extent = SCHEMA_PHASES, .when = has_shift),
	NUMBERS(ARRIVAL, "period_shape.o", PROFILE_PERIOD_PARTS, PROFILE_WEIGHT_MAX, A(splits[0].period_shape), .extent = SCHEMA_ALL_OR_NONE),
	NUMBERS(ARRIVAL, "period_shape.r", PROFILE_PERIOD_PARTS, PROFILE_WEIGHT_MAX, A(splits[1].period_shape), .extent = SCHEMA_ALL_OR_NONE),
	NUMBERS(ARRIVAL, "period_shape", PROFILE_PERIOD_PARTS, PROFILE_WEIGHT_MAX, A(splits[2].period_shape), .extent = SCHEMA_ALL_OR_NONE),
	NUMBERS(ARRIVAL, "peak_cap", PROFILE_SPLIT_LEVELS_MAX, PROFILE_IOS_MAX, A(peak_cap), .wide = true, .extent = SCHEMA_LEVELS, .exact = true, .when = has_peak_cap, .comment = "Most IOs in one interval after each split."),
	WORDS(ARRIVAL, "pinned_bursts", .read = read_pinned_bursts, .write = write_pinned_bursts, .count = PROFILE_PINNED_BURSTS_MAX, .say = say_pinned_bursts),
	SPLITS("split.o", PROFILE_SPLIT_LEVELS_MAX, 0, .say = say_splits_of_others, .comment_always = true),
	NEIGHBOURS("neighbour.o", PROFILE_NEIGHBOUR_COLUMNS, PROFILE_CORRELATIONS_MAX, 0),
	SPLITS("split.r", PROFILE_SPLIT_LEVELS_MAX, 1, .say = say_splits_of_reads, .comment_always = true),
	NEIGHBOURS("neighbour.r", PROFILE_NEIGHBOUR_COLUMNS, PROFILE_CORRELATIONS_MAX, 1),
	SPLITS("split", PROFILE_SPLIT_LEVELS_MAX, 2, .say = say_splits_of_all, .comment_always = true),
	NEIGHBOURS("neighbour", PROFILE_NEIGHBOUR_COLUMNS, PROFILE_CORRELATIONS_MAX, 2),
	PERMILLES(ARRIVAL, "read_write_correlation", PROFILE_CORRELATIONS_MAX, A(correlation_permille), .extent = SCHEMA_CORRELATIONS, .known_at = A(kinds_known), .comment = "Per mille: more reads in the half with more others."),
	PAIRS(ARRIVAL, "gap", PROFILE_GAP_OCTAVES, A(gaps), .weights = true, .labels = NAMED(gap_row_names, OCTAVES_BYTES), .comment = "Gaps in a bin by its IOs, by octave: 0 is 0 ns, o is 2^(o-1) ns up.", .comment_always = true),
	PAIRS(ARRIVAL, "entry_gap", PROFILE_GAP_OCTAVES, A(entry_gaps), .weights = true, .labels = NAMED(entry_gap_row_names, OCTAVES_BYTES), .comment = "Gaps before a bin by its IOs.", .comment_always = true),
	PAIRS(ARRIVAL, "gap_histogram", PROFILE_GAP_OCTAVES, A(gap_histogram), .weights = true),
	TIMES(ARRIVAL, "gap_within", PROFILE_GAP_WITHIN_MAX, PROFILE_GAP_WITHIN_PARTS - 1, A(gap_within), .least = 2, .labels = NUMBERED(PROFILE_GAP_OCTAVES, 0, sizeof(struct closed_values)), .comment = "Places in an octave, in 1024ths: equal shares between two values.", .comment_always = true),

	NUMBER(ADDRESSES, "first_sector", SECTORS_MAX, SPACE(first_sector), .wide = true, .when = has_range),
	NUMBER(ADDRESSES, "end_sector", SECTORS_MAX, SPACE(end_sector), .wide = true, .min = 1, .when = has_range),
	NUMBERS(ADDRESSES, "new_blocks", PROFILE_PHASES_MAX, PROFILE_IOS_MAX, SPACE(new_blocks), .wide = true, .extent = SCHEMA_PHASES, .when = has_distances, .comment = "new blocks of 4 KiB, by phase"),
	PERMILLES(ADDRESSES, "new_written_permille", PROFILE_PHASES_MAX, SPACE(written_permille), .extent = SCHEMA_PHASES, .known_at = SPACE(written_known), .when = has_distances),
	PAIRS(ADDRESSES, "distances", PROFILE_DISTANCES, SPACE(distances), .comment = "LRU stack distances of blocks; 0: new"),
	NUMBER(ADDRESSES, "reuse_check", UINT32_MAX, SPACE(reuse_check), .known_at = SPACE(reuse_check_known), .write = write_reuse_check),
	SECTORS(ADDRESSES, "begin", SPACE(first_sector), "first_sector"),
	SECTORS(ADDRESSES, "end", SPACE(end_sector), "end_sector"),

	WORDS(STREAM, "op", .read = read_op, .write = write_op, .say = say_share),
	WORDS(STREAM, "flags", .read = read_flags, .write = write_flags),
	CHOICE(STREAM, "submitter", submitter_names, STREAM(submitter), .omit_0 = true),
	CHOICE(STREAM, "pattern", pattern_names, STREAM(sequential)),
	WORDS(STREAM, "place", .read = read_place, .write = write_place),
	NUMBER(STREAM, "ios", PROFILE_IOS_MAX, STREAM(ios), .wide = true),
	NUMBERS(STREAM, "phases", PROFILE_PHASES_MAX, PROFILE_IOS_MAX, STREAM(phases), .wide = true, .extent = SCHEMA_PHASES, .exact = true, .when = phases_hold_all),
	KEY(STREAM, "sizes", SIZES, STREAM(sizes), .count = PROFILE_SIZES_MAX, .other_at = STREAM(size_count), .max = PROFILE_IOS_MAX, .unit = "IOs"),
	WORDS(STREAM, "size", .read = read_size, .same_as = "sizes"),
	PAIRS(STREAM, "next", PROFILE_STREAMS_MAX, STREAM(next), .first_index = 1, .extent = SCHEMA_STREAMS, .weights = true),
	PAIRS(STREAM, "reuse", PROFILE_REUSE_OCTAVES, STREAM(reuse), .weights = true, .labels = NAMED(reuse_row_names, 4ul * PROFILE_REUSE_OCTAVES)),
	PERMILLES(STREAM, "read_after_write_permille", PROFILE_REUSE_AGES, STREAM(read_after_write_permille), .extent = SCHEMA_COUNT, .known_at = STREAM(read_after_write_known)),
	PERMILLES(STREAM, "straddle_permille", PROFILE_REUSE_SIZES, STREAM(straddle_permille)),
	PERMILLES(STREAM, "block_end_permille", PROFILE_REUSE_SIZES, STREAM(block_end_permille)),
	WEIGHTS(STREAM, "run_recency", PROFILE_RUN_RECENCY_COLUMNS, STREAM(run_recency)),
	NUMBER(STREAM, "space", PROFILE_SPACES_MAX, STREAM(space), .min = 1, .first_index = 1, .omit_0 = true),
	NUMBER(STREAM, "begin_permille", 1000, STREAM(begin_permille), .omit_0 = true),
	WEIGHTS(STREAM, "aligned", PROFILE_ALIGNMENTS, STREAM(aligned)),
	PAIRS(STREAM, "run_distance", PROFILE_RUN_DISTANCE_COLUMNS, STREAM(run_distance), .weights = true),
	PAIRS(STREAM, "zones", PROFILE_ZONES, STREAM(zones), .weights = true),

	NUMBER(CLOSED, "dependent_permille", 1000, LOOP(dependent_permille), .comment = "The closed loop: for the modes dependent and depth of replay."),
	PAIRS(CLOSED, "depth", CLOSED_DEPTHS, LOOP(depth), .comment = "IOs in flight at a submission, this one included.", .comment_always = true),
	LATENCY("read", 0, .comment = "Latencies in ns, by op and by bytes up to: equal shares between two values.", .comment_always = true),
	LATENCY("write", 1),
	LATENCY("flush", 2),
	LATENCY("discard", 3),
	LATENCY("other", 4),

	NUMBER(TASKS, "kernel", 1, TASKS(kernel), .omit_0 = true),
	NUMBER(TASKS, "tasks", TASKS_MAX, TASKS(tasks), .wide = true, .min = 1),
	NUMBERS(TASKS, "active", PROFILE_PHASES_MAX, ACTIVE_MAX, TASKS(active), .wide = true, .extent = SCHEMA_PHASES),
	PAIRS(TASKS, "streams", PROFILE_STREAMS_MAX, TASKS(streams), .first_index = 1, .extent = SCHEMA_STREAMS),
	PAIRS(TASKS, "completions_awaited", CLOSED_AWAITED, TASKS(awaited), .labels = NUMBERED(CLOSED_ROWS, 1, 4ul * CLOSED_AWAITED), .comment = "With N IOs not yet awaited: completions that the next IO awaits; 0: none, 16: all.", .comment_always = true),
	TIMES(TASKS, "think_ns", CLOSED_VALUES_MAX, TIME_MAX_NS, TASKS(think_ns), .comment = "ns to the next IO: from the completion awaited, from its submission, if none.", .comment_always = true),
	TIMES(TASKS, "cycle_ns", CLOSED_VALUES_MAX, TIME_MAX_NS, TASKS(cycle_ns)),
	TIMES(TASKS, "open_gap_ns", CLOSED_VALUES_MAX, TIME_MAX_NS, TASKS(open_gap_ns)),
	{.key = NULL},
};
/* clang-format on */

_Static_assert(sizeof(schema_rows) / sizeof(schema_rows[0]) <= SCHEMA_ROWS_MAX, "room for each");
_Static_assert(sizeof(struct profile_size) == sizeof(((struct profile_files *)0)->classes[0]),
	       "sizes of files lie as those of IOs do");
