// SPDX-License-Identifier: MIT
#include "profile/text/schema.h"

#include <string.h>

#include "profile/classes.h"
#include "profile/text/keys.h"

#define TIME_MAX_NS (1ull << 56)
#define TASKS_MAX   (1u << 23)
#define ACTIVE_MAX  (1u << 20)
#define SECTORS_MAX (PROFILE_BYTES_MAX / 512)

static const unsigned int latency_names[CLOSED_SIZES] = {4096, 16384, 65536, 262144, 1048576};

#define A(member)      offsetof(struct profile_arrival, member)
#define SPACE(member)  offsetof(struct profile_space, member)
#define STREAM(member) offsetof(struct profile_stream, member)
#define LOOP(member)   offsetof(struct profile_closed, member)
#define TASKS(member)  offsetof(struct closed_tasks, member)

/* Labels: those of an array of names; numbers from `first` on. */
#define NAMED(names, bytes)                                         \
	{                                                           \
		names, sizeof(names) / sizeof((names)[0]), 0, bytes \
	}
#define NUMBERED(count, first, bytes)     \
	{                                 \
		NULL, count, first, bytes \
	}
#define ALONE                 \
	{                     \
		NULL, 0, 0, 0 \
	}
#define SPLIT_BYTES   (4ul * PROFILE_SPLIT_ROWS * PROFILE_SPLIT_COLUMNS)
#define SHARE_BYTES   (4ul * PROFILE_SHARE_SHARES * PROFILE_SHARE_COLUMNS)
#define OCTAVES_BYTES (4ul * PROFILE_GAP_OCTAVES)
#define CLASS_BYTES   sizeof(struct profile_size_class)

/* clang-format off */
#define NUMBER(section, key, wide, min, max, at) \
	{SCHEMA_##section, key, SCHEMA_NUMBER, false, wide, 1, min, max, at, ALONE, NULL, 0, 0}
#define NUMBERS(section, key, wide, count, max, at, ...) \
	{SCHEMA_##section, key, SCHEMA_NUMBERS, false, wide, count, 0, max, at, __VA_ARGS__, NULL, 0, 0}
#define WEIGHTS(section, key, count, at) \
	{SCHEMA_##section, key, SCHEMA_NUMBERS, true, false, count, 0, PROFILE_WEIGHT_MAX, at, ALONE, NULL, 0, 0}
#define PAIRS(section, key, shortened, count, first, at, ...) \
	{SCHEMA_##section, key, SCHEMA_PAIRS, shortened, false, count, 1, PROFILE_WEIGHT_MAX, at, __VA_ARGS__, NULL, 0, first}
#define SPLITS(key, groups, kind) \
	{SCHEMA_ARRIVAL, key, SCHEMA_ROWS, true, false, PROFILE_SPLIT_COLUMNS, 0, PROFILE_WEIGHT_MAX, \
	 A(splits[kind].distributions), NUMBERED(groups, 0, SPLIT_BYTES), split_row_names, PROFILE_SPLIT_ROWS, 0}
#define SHARES(key, at) \
	{SCHEMA_ARRIVAL, key, SCHEMA_ROWS, false, false, PROFILE_SHARE_COLUMNS, 0, PROFILE_WEIGHT_MAX, \
	 at, NAMED(share_row_names, SHARE_BYTES), NULL, PROFILE_SHARE_SHARES, 0}
#define TIMES(section, key, count, at, ...) \
	{SCHEMA_##section, key, SCHEMA_TIMES, false, true, count, 0, TIME_MAX_NS, at, __VA_ARGS__, NULL, 0, 0}
#define LATENCY(op, index) \
	TIMES(CLOSED, "latency." op, CLOSED_LATENCY_MAX, LOOP(latency_ns[index]), NAMED(latency_names, sizeof(struct closed_values)))
#define NEIGHBOURS(key, count, groups, kind) \
	NUMBERS(ARRIVAL, key, false, count, 1000, A(splits[kind].neighbour_permille), NUMBERED(groups, 0, 4ul * PROFILE_NEIGHBOUR_COLUMNS))

static const struct schema_row rows[] = {
	NUMBERS(ARRIVAL, "windows", true, PROFILE_WINDOWS_MAX, PROFILE_IOS_MAX, A(windows), ALONE),
	NUMBERS(ARRIVAL, "reads", true, PROFILE_WINDOWS_MAX, PROFILE_IOS_MAX, A(reads), ALONE),
	NUMBER(ARRIVAL, "split_levels", false, 0, PROFILE_SPLIT_LEVELS_MAX, A(split_levels)),
	SPLITS("split", PROFILE_SPLIT_LEVELS_MAX / 2, 2),
	SPLITS("split.o", PROFILE_SPLIT_LEVELS_MAX, 0),
	SPLITS("split.r", PROFILE_SPLIT_LEVELS_MAX, 1),
	NEIGHBOURS("neighbour", NEIGHBOUR_COLUMNS, PROFILE_SPLIT_LEVELS_MAX / 2, 2),
	NEIGHBOURS("neighbour.o", PROFILE_NEIGHBOUR_COLUMNS, PROFILE_CORRELATIONS_MAX, 0),
	NEIGHBOURS("neighbour.r", PROFILE_NEIGHBOUR_COLUMNS, PROFILE_CORRELATIONS_MAX, 1),
	NUMBERS(ARRIVAL, "read_write_correlation", false, PROFILE_CORRELATIONS_MAX, 1000, A(correlation_permille), ALONE),
	NUMBERS(ARRIVAL, "peak_cap", true, PROFILE_SPLIT_LEVELS_MAX, PROFILE_IOS_MAX, A(peak_cap), ALONE),
	PAIRS(ARRIVAL, "gap", true, PROFILE_GAP_OCTAVES, 0, A(gaps), NAMED(gap_row_names, OCTAVES_BYTES)),
	PAIRS(ARRIVAL, "gap_after", false, PROFILE_GAP_OCTAVES, 0, A(gap_after), NUMBERED(PROFILE_GAP_OCTAVES, 0, OCTAVES_BYTES)),
	PAIRS(ARRIVAL, "entry_gap", true, PROFILE_GAP_OCTAVES, 0, A(entry_gaps), NAMED(entry_gap_row_names, OCTAVES_BYTES)),
	NUMBERS(ARRIVAL, "gap_within", false, PROFILE_GAP_WITHIN_MAX, PROFILE_GAP_WITHIN_PARTS - 1, A(gap_within), NUMBERED(PROFILE_GAP_OCTAVES, 0, 4ul * PROFILE_GAP_WITHIN_MAX)),
	NUMBERS(ARRIVAL, "bin_span_permille", false, PROFILE_GAP_CLASSES, 1000, A(bin_span_permille), ALONE),
	PAIRS(ARRIVAL, "gap_histogram", true, PROFILE_GAP_OCTAVES, 0, A(gap_histogram), ALONE),
	SHARES("reads", A(read_shares)),
	/* A size, then IOs by phase: they lie one after the other. */
	NUMBERS(ARRIVAL, "size_class", true, 1 + PROFILE_PHASES_MAX, PROFILE_BYTES_MAX, A(size_classes), NAMED(class_row_names, CLASS_BYTES)),
	SHARES("class1_split", A(class_shares[0])),
	SHARES("class2_split", A(class_shares[1])),
	NUMBERS(ARRIVAL, "class_cap", false, PROFILE_CAP_ROWS, 1000, A(size_classes[0].cap_permille), NAMED(class_row_names, CLASS_BYTES)),

	NUMBER(ADDRESSES, "first_sector", true, 0, SECTORS_MAX, SPACE(first_sector)),
	NUMBER(ADDRESSES, "end_sector", true, 1, SECTORS_MAX, SPACE(end_sector)),
	NUMBERS(ADDRESSES, "new_blocks", true, PROFILE_PHASES_MAX, PROFILE_IOS_MAX, SPACE(new_blocks), ALONE),
	NUMBERS(ADDRESSES, "new_written_permille", false, PROFILE_PHASES_MAX, 1000, SPACE(written_permille), ALONE),
	PAIRS(ADDRESSES, "distances", false, PROFILE_DISTANCES, 0, SPACE(distances), ALONE),

	NUMBER(STREAM, "ios", true, 0, PROFILE_IOS_MAX, STREAM(ios)),
	NUMBERS(STREAM, "phases", true, PROFILE_PHASES_MAX, PROFILE_IOS_MAX, STREAM(phases), ALONE),
	PAIRS(STREAM, "next", true, PROFILE_STREAMS_MAX, 1, STREAM(next), ALONE),
	NUMBERS(STREAM, "repeat_permille", false, PROFILE_REUSE_SIZES, 1000, STREAM(repeat_permille), ALONE),
	NUMBERS(STREAM, "read_after_write_permille", false, PROFILE_REUSE_AGES, 1000, STREAM(read_after_write_permille), ALONE),
	NUMBERS(STREAM, "straddle_permille", false, PROFILE_REUSE_SIZES, 1000, STREAM(straddle_permille), ALONE),
	NUMBERS(STREAM, "block_end_permille", false, PROFILE_REUSE_SIZES, 1000, STREAM(block_end_permille), ALONE),
	PAIRS(STREAM, "reuse", true, PROFILE_REUSE_OCTAVES, 0, STREAM(reuse), NAMED(reuse_row_names, 4ul * PROFILE_REUSE_OCTAVES)),
	WEIGHTS(STREAM, "run_recency", PROFILE_RUN_RECENCY_COLUMNS, STREAM(run_recency)),
	PAIRS(STREAM, "run_distance", true, PROFILE_RUN_DISTANCE_COLUMNS, 0, STREAM(run_distance), ALONE),
	PAIRS(STREAM, "zones", true, PROFILE_ZONES, 0, STREAM(zones), ALONE),
	WEIGHTS(STREAM, "aligned", PROFILE_ALIGNMENTS, STREAM(aligned)),
	NUMBER(STREAM, "begin_permille", false, 0, 1000, STREAM(begin_permille)),

	NUMBER(CLOSED, "dependent_permille", false, 0, 1000, LOOP(dependent_permille)),
	PAIRS(CLOSED, "depth", false, CLOSED_DEPTHS, 0, LOOP(depth), ALONE),
	LATENCY("read", 0), LATENCY("write", 1), LATENCY("flush", 2), LATENCY("discard", 3), LATENCY("other", 4),

	NUMBER(TASKS, "tasks", true, 1, TASKS_MAX, TASKS(tasks)),
	NUMBERS(TASKS, "active", true, PROFILE_PHASES_MAX, ACTIVE_MAX, TASKS(active), ALONE),
	PAIRS(TASKS, "streams", false, PROFILE_STREAMS_MAX, 1, TASKS(streams), ALONE),
	PAIRS(TASKS, "completions_awaited", false, CLOSED_AWAITED, 0, TASKS(awaited), NUMBERED(CLOSED_ROWS, 1, 4ul * CLOSED_AWAITED)),
	TIMES(TASKS, "think_ns", CLOSED_VALUES_MAX, TASKS(think_ns), ALONE),
	TIMES(TASKS, "cycle_ns", CLOSED_VALUES_MAX, TASKS(cycle_ns), ALONE),
	TIMES(TASKS, "open_gap_ns", CLOSED_VALUES_MAX, TASKS(open_gap_ns), ALONE),
};
/* clang-format on */

#define ROWS (sizeof(rows) / sizeof(rows[0]))

_Static_assert(ROWS <= SCHEMA_ROWS_MAX, "room for each row");

const struct schema_row *schema_rows(size_t *count)
{
	*count = ROWS;
	return rows;
}

const struct schema_row *schema_row(enum schema_section section, const char *key, bool labelled)
{
	size_t i = 0;

	while (rows[i].section != section || labelled != (rows[i].labels.count > 0) ||
	       strcmp(rows[i].key, key))
		i++;
	return &rows[i];
}

void *schema_table(const struct schema_row *row, struct profile *p, uint32_t instance,
		   uint32_t label)
{
	char *object = row->section == SCHEMA_ARRIVAL	  ? (char *)&p->arrival
		       : row->section == SCHEMA_ADDRESSES ? (char *)&p->spaces[instance]
		       : row->section == SCHEMA_STREAM	  ? (char *)&p->streams[instance]
		       : row->section == SCHEMA_CLOSED	  ? (char *)&p->closed
							  : (char *)&p->closed.kinds[instance];

	return object + row->at + label * row->labels.stride;
}

void schema_change_weights(struct profile *p, enum schema_section section, uint32_t instance,
			   void (*change)(uint32_t *weights, unsigned int count, uint32_t most),
			   uint32_t most)
{
	for (const struct schema_row *row = rows; row < rows + ROWS; row++) {
		if (row->section != section || !row->weights)
			continue;
		for (uint32_t label = 0; label == 0 || label < row->labels.count; label++) {
			uint32_t *weights = schema_table(row, p, instance, label);

			for (uint32_t i = 0; i == 0 || i < row->row_count; i++)
				change(weights + (size_t)i * row->count, row->count, most);
		}
	}
}
