// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>

#include "base/progress.h"
#include "base/units.h"
#include "profile/arithmetic.h"
#include "profile/build/build.h"
#include "profile/closed_loop/closed_loop.h"
#include "profile/operations/operations.h"

#define COUNTED_TOGETHER 4096u /* IOs, for progress */
#define TEXT_BYTES_MAX	 (16 * 1024)

/* A part while it is generated: its next IO. */
struct source {
	const struct profile_part *part;
	struct closed_loop *loop;
	struct waits *waits; /* tasks of a part wait for none of another */
	struct closed_row row;
	bool ended;
	uint32_t first_space;
};

struct combination {
	const struct profile_part *parts;
	struct source sources[PROFILE_PARTS_MAX];
	unsigned int count;
	uint64_t from_ns, to_ns, longest_ns;
	struct profile_extent extent;
	uint64_t first_ns;
	uint64_t generated;
};

static int advance(struct source *s)
{
	int got = closed_loop__next(s->loop, &s->row);

	s->ended = got <= 0;
	if (got > 0 && s->row.row.bytes && s->row.row.op != IO_OP_FLUSH)
		s->row.row.sector += s->part->offset_sectors;
	return got < 0 ? got : 0;
}

static void stop(struct combination *c)
{
	for (unsigned int i = 0; i < c->count; i++) {
		closed_loop__free(c->sources[i].loop);
		waits__free(c->sources[i].waits);
		c->sources[i].loop = NULL;
		c->sources[i].waits = NULL;
	}
}

static int start(struct combination *c)
{
	int err = 0;

	c->generated = 0;
	for (unsigned int i = 0; i < c->count && !err; i++) {
		struct source *s = &c->sources[i];
		const struct profile *p = c->parts[i].p;

		s->part = &c->parts[i];
		/* Equal parts would submit at the same times with the same seed. */
		err = closed_loop__create(p, p->seed + i,
					  p->duration_ns < c->longest_ns ? c->longest_ns : 0,
					  &s->loop);
		if (!err)
			err = waits__create(0, &s->waits);
		if (!err)
			err = advance(s);
	}
	return err;
}

/* The earliest of the IOs in the range: 1, 0 at the end, negative errno. */
static int next(struct combination *c, struct closed_row *row, struct source **from)
{
	for (;;) {
		struct source *first = NULL;
		int err;

		for (unsigned int i = 0; i < c->count; i++) {
			struct source *s = &c->sources[i];

			if (!s->ended &&
			    (!first || s->row.row.created_ns < first->row.row.created_ns))
				first = s;
		}
		if (!first || first->row.row.created_ns >= c->to_ns)
			return 0;
		*row = first->row;
		*from = first;
		err = advance(first);
		if (err)
			return err;
		if (++c->generated > PROFILE_COMBINE_MAX)
			return -ERANGE;
		if (c->generated % COUNTED_TOGETHER == 0)
			progress_add(COUNTED_TOGETHER);
		if (row->row.created_ns >= c->from_ns)
			return 1;
	}
}

/* The space of the result that an IO lies in. */
static uint32_t space_of(const struct source *s, const struct closed_row *row)
{
	return s->first_space + s->part->p->streams[row->stream].space;
}

/* Each space of each part is one of the result; -E2BIG: too many. */
static int number_spaces(struct combination *c)
{
	uint32_t spaces = 0;

	for (unsigned int i = 0; i < c->count; i++) {
		uint32_t most = 0;

		for (uint32_t s = 0; s < c->parts[i].p->stream_count; s++)
			most = larger_of(c->parts[i].p->streams[s].space, most);
		c->sources[i].first_space = spaces;
		spaces += most + 1;
	}
	c->extent.space_count = spaces;
	return spaces <= PROFILE_SPACES_MAX ? 0 : -E2BIG;
}

static void widen(struct combination *c, const struct io_row *row, uint32_t space)
{
	struct profile_extent *e = &c->extent;
	uint64_t end = row->sector + (row->bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;

	if (!e->ios++)
		c->first_ns = row->created_ns;
	e->duration_ns = row->created_ns - c->first_ns;
	if (!row->bytes || row->op == IO_OP_FLUSH)
		return;
	size_octaves_add(&e->sizes, row);
	if (!e->spaces[space].end_sector || row->sector < e->spaces[space].first_sector)
		e->spaces[space].first_sector = row->sector;
	e->spaces[space].end_sector = larger_of(end, e->spaces[space].end_sector);
	if (!e->end_sector || row->sector < e->first_sector)
		e->first_sector = row->sector;
	e->end_sector = larger_of(end, e->end_sector);
}

static int survey(struct combination *c)
{
	struct source *from;
	struct closed_row row;
	int got, err = start(c);

	while (!err && (got = next(c, &row, &from)) != 0)
		if (got < 0)
			err = got;
		else
			widen(c, &row.row, space_of(from, &row));
	stop(c);
	return err;
}

/* Tasks of a part are no others of the result, nor of their kinds. */
static int add(struct combination *c, struct profile_builder *builder, struct source *from,
	       struct closed_row *row)
{
	const struct trace_task task = {.kernel_thread = row->kernel};
	uint32_t part = (uint32_t)(from - c->sources);
	struct io_wait waited;
	int known;

	row->row.created_ns -= c->first_ns;
	if (row->row.completed_ns)
		row->row.completed_ns -= c->first_ns;
	known = row->task ? waits__add(from->waits, &row->row, &task, &waited) : 0;
	if (known < 0)
		return known;
	if (known) {
		waited.task = waited.task * c->count + part;
		waited.program = (uint64_t)part * CLOSED_TASKS_MAX + row->kind;
	}
	return profile_builder__add_as(builder, &row->row,
				       from->part->p->streams[row->stream].submitter,
				       space_of(from, row), known ? &waited : NULL);
}

static int build(struct combination *c, struct profile **profile)
{
	struct profile_builder *builder = NULL;
	struct source *from;
	struct closed_row row;
	int got, err = start(c);

	if (!err)
		err = profile_builder__create(&c->extent, &builder);
	while (!err && (got = next(c, &row, &from)) != 0)
		err = got < 0 ? got : add(c, builder, from, &row);
	if (!err)
		err = profile_builder__finish(builder, profile);
	profile_builder__free(builder);
	stop(c);
	return err;
}

/* How many IOs will come, the shorter parts over and over. */
static double ios_of(const struct combination *c)
{
	double ios = 0;

	for (unsigned int i = 0; i < c->count; i++) {
		const struct profile *p = c->parts[i].p;

		ios += (double)p->ios *
		       (p->duration_ns ? (double)c->longest_ns / (double)p->duration_ns : 1);
	}
	return ios;
}

/* The device holds all parts, if all are known, and the longest part says how long it takes. */
static void set_extent(struct combination *c)
{
	struct profile_extent *e = &c->extent;
	bool known = true;

	e->block_offset_sectors = c->parts[0].p->block_offset_sectors;
	for (unsigned int i = 0; i < c->count; i++) {
		const struct profile *p = c->parts[i].p;

		c->longest_ns = larger_of(c->longest_ns, p->duration_ns);
		e->device_bytes =
			larger_of(e->device_bytes,
				  p->device_bytes + c->parts[i].offset_sectors * SECTOR_BYTES);
		known &= p->device_bytes > 0;
	}
	e->device_bytes = known ? e->device_bytes : 0;
}

static int create(struct combination *c, const struct profile_part *parts, unsigned int count)
{
	double share;
	int err;

	c->parts = parts;
	c->count = count;
	set_extent(c);
	err = number_spaces(c);
	if (!err && c->to_ns >= c->longest_ns && ios_of(c) > (double)PROFILE_COMBINE_MAX)
		err = -ERANGE;
	if (err)
		return err;
	/* What is generated ends where the range ends. */
	share = c->to_ns < c->longest_ns ? (double)c->to_ns / (double)c->longest_ns : 1;
	progress_start("profile: count IOs", ios_of(c) * share);
	err = survey(c);
	progress_stop();
	return err || c->extent.ios ? err : -ENODATA;
}

/* Generates all again; with 2^window_shift times fewer windows and phases. */
static int build_shifted(struct combination *c, unsigned int window_shift, struct profile **profile)
{
	char *text = NULL;
	size_t bytes = 0;
	int err;

	c->extent.window_shift = window_shift;
	progress_start(window_shift ? "profile: build, coarser" : "profile: build",
		       (double)c->generated);
	err = build(c, profile);
	progress_stop();
	if (err)
		return err;
	if (c->count == 1 && c->parts[0].p->start_wall_ns)
		(*profile)->start_wall_ns = c->parts[0].p->start_wall_ns + c->first_ns;
	for (unsigned int i = 0; i < c->count; i++)
		(*profile)->lost_ppm = larger_of(c->parts[i].p->lost_ppm, (*profile)->lost_ppm);
	err = profile__shorten(*profile, &text, &bytes);
	free(text);
	return err ? err : bytes <= TEXT_BYTES_MAX;
}

int profile__combine(const struct profile_part *parts, unsigned int count, uint64_t from_ns,
		     uint64_t to_ns, struct profile **profile)
{
	struct combination *c = calloc(1, sizeof(*c));
	int err;

	*profile = NULL;
	if (!c)
		return -ENOMEM;
	c->from_ns = from_ns;
	c->to_ns = to_ns;
	err = create(c, parts, count);
	/* 1: the text is short enough. */
	for (unsigned int shift = 0; !err && shift <= PROFILE_WINDOW_SHIFT_MAX; shift++) {
		profile__free(*profile);
		*profile = NULL;
		err = build_shifted(c, shift, profile);
	}
	free(c);
	if (err >= 0)
		return 0;
	profile__free(*profile);
	*profile = NULL;
	return err;
}
