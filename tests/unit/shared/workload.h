/* SPDX-License-Identifier: MIT */
/*
 * Made-up workloads, each described by a sentence:
 *
 *	workload_of("60 times: 20 reads of 4k 100us apart at random in 4G, a pause of 50ms to 150ms")
 *
 *	sentence: group {"; " group} ["; seed" N]
 *	group:    [N "times:"] step {", " step}
 *	step:     (ios | "a pause of" TIME ["to" TIME]) ["in 1 of" N]
 *	ios:      N ["or" N] OP ["or" OP] ["of" SIZE ["or" SIZE]] [TIME ["to" TIME] "apart"]
 *	          [place] ["anywhere in" TIME]
 *	place:    "at random in" SIZE ["from" SIZE ["or" SIZE]] | SIZE "further each" | "in sequence"
 *	          | "in turn at" N "places"
 *	OP:       read, write, flush or discard, or their plural
 *
 * Groups and steps follow each other in time. The time between two IOs belongs to the first one: "20 reads
 * 1ms apart" last 20 ms. Of "A or B" one is drawn for each run of a step (of a "from": for each IO), "A to B"
 * is drawn for each IO or pause. "in 1 of N": the step runs with this chance. "anywhere in 1s": the step
 * begins at a random moment of a second in which it has room, and the next step begins when that second
 * ends. An IO has 4 KiB, begins at sector 0 and at the same time as the next one if the sentence does not say
 * otherwise.
 */
#ifndef BLKREEL_TESTS_UNIT_SHARED_WORKLOAD_H
#define BLKREEL_TESTS_UNIT_SHARED_WORKLOAD_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "trace/rows.h"
#include "unit/shared/random.h"

/* The IOs in order of time; the first one is at 0. */
struct made_workload {
	struct io_row *rows; /* to be freed */
	uint64_t ios;
	uint64_t duration_ns; /* from the first IO to the last one */
	uint64_t end_sector;  /* behind the last sector that an IO touches */
};

struct workload_range {
	uint64_t from, to;
};

struct workload_step {
	uint64_t count[2], bytes[2], start_bytes[2];
	uint8_t op[2];
	struct workload_range apart_ns, pause_ns;
	uint64_t window_ns, random_bytes, further_bytes, places;
	uint64_t cases; /* the step runs in one of so many */
	bool in_sequence;
};

#define WORKLOAD_STEPS_MAX 8

struct workload_maker {
	const char *at; /* behind `word` */
	char word[32];	/* or one of the marks , ; : or nothing at the end */
	struct made_workload made;
	uint64_t capacity, time_ns, sector;
};

static inline void workload_next_word(struct workload_maker *m)
{
	size_t length;

	m->at += strspn(m->at, " ");
	length = strcspn(m->at, " ,;:");
	if (!length && *m->at)
		length = 1;
	if (length >= sizeof(m->word))
		length = sizeof(m->word) - 1;
	memcpy(m->word, m->at, length);
	m->word[length] = 0;
	m->at += length;
}

/* Whether the next word is this one, which is then taken. */
static inline bool workload_takes(struct workload_maker *m, const char *word)
{
	if (strcmp(m->word, word))
		return false;
	workload_next_word(m);
	return true;
}

static inline void workload_expects(struct workload_maker *m, const char *what, bool found)
{
	if (found)
		return;
	printf("# workload: %s expected at '%s%s'\n", what, m->word, m->at);
	fflush(stdout);
	abort();
}

static inline uint64_t workload_number(struct workload_maker *m)
{
	uint64_t number = 0;

	workload_expects(m, "number", !units_parse_count(m->word, 0, UINT64_MAX, &number));
	workload_next_word(m);
	return number;
}

static inline uint64_t workload_size(struct workload_maker *m)
{
	uint64_t bytes = 0;

	workload_expects(m, "size", !units_parse_bytes(m->word, &bytes));
	workload_next_word(m);
	return bytes;
}

static inline struct workload_range workload_time(struct workload_maker *m)
{
	struct workload_range time = {0};

	workload_expects(m, "time", !units_parse_time(m->word, &time.from));
	workload_next_word(m);
	time.to = time.from;
	if (workload_takes(m, "to")) {
		workload_expects(m, "time", !units_parse_time(m->word, &time.to));
		workload_next_word(m);
	}
	return time;
}

static inline uint8_t workload_op(struct workload_maker *m)
{
	static const struct {
		const char *words[2];
		uint8_t op;
	} ops[] = {{{"read", "reads"}, IO_OP_READ},
		   {{"write", "writes"}, IO_OP_WRITE},
		   {{"flush", "flushes"}, IO_OP_FLUSH},
		   {{"discard", "discards"}, IO_OP_DISCARD}};

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (workload_takes(m, ops[i].words[0]) || workload_takes(m, ops[i].words[1]))
			return ops[i].op;
	workload_expects(m, "operation", false);
	return 0;
}

static inline void workload_place(struct workload_maker *m, struct workload_step *step)
{
	if (workload_takes(m, "at")) {
		workload_expects(m, "random", workload_takes(m, "random"));
		workload_expects(m, "in", workload_takes(m, "in"));
		step->random_bytes = workload_size(m);
		if (workload_takes(m, "from")) {
			step->start_bytes[0] = step->start_bytes[1] = workload_size(m);
			if (workload_takes(m, "or"))
				step->start_bytes[1] = workload_size(m);
		}
	} else if (workload_takes(m, "in")) {
		step->in_sequence = workload_takes(m, "sequence");
		if (step->in_sequence)
			return;
		workload_expects(m, "turn", workload_takes(m, "turn"));
		workload_expects(m, "at", workload_takes(m, "at"));
		step->places = workload_number(m);
		workload_expects(m, "places", workload_takes(m, "places"));
	}
}

/* A time and "apart", or a size and "further each". */
static inline void workload_distance(struct workload_maker *m, struct workload_step *step)
{
	struct workload_maker before = *m;

	workload_next_word(m);
	if (workload_takes(m, "further")) {
		workload_expects(m, "each", workload_takes(m, "each"));
		step->further_bytes = workload_size(&before);
		return;
	}
	*m = before;
	step->apart_ns = workload_time(m);
	workload_expects(m, "apart", workload_takes(m, "apart"));
}

static inline bool workload_at_number(const struct workload_maker *m)
{
	return isdigit((unsigned char)m->word[0]);
}

static inline void workload_ios(struct workload_maker *m, struct workload_step *step)
{
	step->count[0] = step->count[1] = workload_number(m);
	if (workload_takes(m, "or"))
		step->count[1] = workload_number(m);
	step->op[0] = step->op[1] = workload_op(m);
	if (workload_takes(m, "or"))
		step->op[1] = workload_op(m);
	step->bytes[0] = step->bytes[1] = 4096;
	if (workload_takes(m, "of")) {
		step->bytes[0] = step->bytes[1] = workload_size(m);
		if (workload_takes(m, "or"))
			step->bytes[1] = workload_size(m);
	}
	while (workload_at_number(m))
		workload_distance(m, step);
	if (strcmp(m->word, "in") || strncmp(m->at, " 1 of ", 6))
		workload_place(m, step);
	if (workload_takes(m, "anywhere")) {
		workload_expects(m, "in", workload_takes(m, "in"));
		step->window_ns = workload_time(m).from;
	}
}

static inline struct workload_step workload_step(struct workload_maker *m)
{
	struct workload_step step = {.cases = 1};

	if (workload_takes(m, "a")) {
		workload_expects(m, "pause", workload_takes(m, "pause"));
		workload_expects(m, "of", workload_takes(m, "of"));
		step.pause_ns = workload_time(m);
	} else {
		workload_ios(m, &step);
	}
	if (workload_takes(m, "in")) {
		workload_expects(m, "1", workload_takes(m, "1"));
		workload_expects(m, "of", workload_takes(m, "of"));
		step.cases = workload_number(m);
	}
	return step;
}

static inline uint64_t workload_draw(struct workload_range range)
{
	return range.from + (range.to > range.from ? next_random() % (range.to - range.from) : 0);
}

/* 0 or 1; without a draw where both are the same, so that a sentence without a choice needs no seed. */
static inline unsigned int workload_choice(const uint64_t both[2])
{
	return both[0] == both[1] ? 0 : (unsigned int)(next_random() >> 63);
}

static inline uint64_t workload_sector(struct workload_maker *m, const struct workload_step *step,
				       uint64_t bytes, uint64_t number)
{
	uint64_t sector = m->sector;

	if (step->random_bytes) {
		sector = step->start_bytes[workload_choice(step->start_bytes)] / SECTOR_BYTES;
		return sector +
		       next_random() % (step->random_bytes / bytes) * (bytes / SECTOR_BYTES);
	}
	if (step->places)
		return number % step->places * (bytes / SECTOR_BYTES);
	if (!step->in_sequence && !step->further_bytes)
		return 0;
	m->sector += (step->further_bytes ? step->further_bytes : bytes) / SECTOR_BYTES;
	return sector;
}

static inline void workload_add(struct workload_maker *m, const struct io_row *row)
{
	struct made_workload *made = &m->made;
	uint64_t end_sector = row->sector + row->bytes / SECTOR_BYTES;

	if (made->ios == m->capacity) {
		m->capacity = m->capacity ? 2 * m->capacity : 1024;
		made->rows = realloc(made->rows, m->capacity * sizeof(*made->rows));
		if (!made->rows)
			abort();
	}
	made->rows[made->ios++] = *row;
	if (end_sector > made->end_sector)
		made->end_sector = end_sector;
}

static inline void workload_run_step(struct workload_maker *m, const struct workload_step *step)
{
	uint64_t count = step->count[workload_choice(step->count)];
	uint64_t bytes = step->bytes[workload_choice(step->bytes)];
	uint64_t ops[2] = {step->op[0], step->op[1]}, end_ns = m->time_ns + step->window_ns;
	struct io_row row = {.op = (uint8_t)ops[workload_choice(ops)]};
	uint64_t lasts_ns = count * step->apart_ns.to;

	row.bytes = row.op == IO_OP_FLUSH ? 0 : bytes;
	if (step->window_ns > lasts_ns)
		m->time_ns += next_random() % (step->window_ns - lasts_ns);
	for (uint64_t i = 0; i < count; i++) {
		row.created_ns = m->time_ns;
		row.sector = row.bytes ? workload_sector(m, step, bytes, i) : 0;
		workload_add(m, &row);
		m->time_ns += workload_draw(step->apart_ns);
	}
	m->time_ns += workload_draw(step->pause_ns);
	if (step->window_ns)
		m->time_ns = end_ns;
}

static inline void workload_group(struct workload_maker *m)
{
	struct workload_step steps[WORKLOAD_STEPS_MAX];
	struct workload_maker before = *m;
	unsigned int count = 0;
	uint64_t times = 1;

	workload_next_word(m);
	if (workload_takes(m, "times")) {
		workload_expects(m, ":", workload_takes(m, ":"));
		times = workload_number(&before);
	} else {
		*m = before;
	}
	do {
		workload_expects(m, "end of the group", count < WORKLOAD_STEPS_MAX);
		steps[count++] = workload_step(m);
	} while (workload_takes(m, ","));
	for (uint64_t i = 0; i < times; i++)
		for (unsigned int s = 0; s < count; s++)
			if (steps[s].cases == 1 || !(next_random() % steps[s].cases))
				workload_run_step(m, &steps[s]);
}

/* What the sentence ends with, or 1. */
static inline uint64_t workload_seed(const char *sentence)
{
	const char *seed = strstr(sentence, "; seed ");

	return seed ? strtoull(seed + strlen("; seed "), NULL, 10) : 1;
}

/* Aborts if the sentence is not as above. */
static inline struct made_workload workload_of(const char *sentence)
{
	struct workload_maker m = {.at = sentence};
	uint64_t first_ns;

	random_state = random_of(workload_seed(sentence));
	workload_next_word(&m);
	do {
		if (workload_takes(&m, "seed")) {
			workload_number(&m);
			break;
		}
		workload_group(&m);
	} while (workload_takes(&m, ";"));
	workload_expects(&m, "end", !*m.word);
	workload_expects(&m, "IO", m.made.ios);
	first_ns = m.made.rows[0].created_ns;
	for (uint64_t i = 0; i < m.made.ios; i++)
		m.made.rows[i].created_ns -= first_ns;
	m.made.duration_ns = m.made.rows[m.made.ios - 1].created_ns;
	return m.made;
}

#endif
