// SPDX-License-Identifier: MIT
#include "trace/repair/losses.h"

#include <errno.h>

#include "trace/file/closing.h"

int losses__start(struct losses *l)
{
	*l = (struct losses){.gaps = tmpfile()};
	return l->gaps ? 0 : -errno;
}

void losses__stop(struct losses *l)
{
	if (l->gaps)
		fclose(l->gaps);
	l->gaps = NULL;
}

static int close_gap(struct losses *l, uint64_t to_ns)
{
	if (!l->open)
		return 0;
	l->open = false;
	l->pending.to_ns = to_ns;
	l->count++;
	return fwrite(&l->pending, sizeof(l->pending), 1, l->gaps) == 1 ? 0 : -EIO;
}

/* Gaps without rows in between become one, because their times are the same. */
int losses__add_gap(struct losses *l, const struct gap *gap)
{
	struct gap *pending = &l->pending.gap;

	if (!l->open) {
		l->open = true;
		l->pending = (struct lost_gap){.gap = *gap, .from_ns = l->last_ns};
		return 0;
	}
	pending->bytes = gap->offset + gap->bytes - pending->offset;
	pending->rows += gap->rows;
	pending->tables |= gap->tables;
	pending->unknown |= gap->unknown;
	return 0;
}

int losses__add_rows(struct losses *l, uint64_t first_ns, uint64_t last_ns)
{
	if (last_ns > l->last_ns)
		l->last_ns = last_ns;
	return close_gap(l, first_ns);
}

struct index_reading {
	struct index_walk cursor;
	struct index_entry entry; /* the next one */
	bool has_entry;
	uint64_t rows; /* of all entries so far */
};

static int next_entry(struct index_reading *x)
{
	int got = index_walk__next(&x->cursor, &x->entry);

	x->has_entry = got == 1;
	return got < 0 ? got : 0;
}

static int start_index(struct index_reading *x, struct input *in, uint64_t index_at)
{
	*x = (struct index_reading){0};
	index_walk__start(&x->cursor, in, index_at);
	return next_entry(x);
}

static void widen(struct loss_row *row, const struct index_entry *entry)
{
	if (!row->from_ns || (entry->first_ns && entry->first_ns < row->from_ns))
		row->from_ns = entry->first_ns;
	if (entry->last_ns > row->to_ns)
		row->to_ns = entry->last_ns;
	row->count += entry->rows;
}

/* Adds the rows of the blocks that lay in the gap, by the index. */
static int look_up(struct index_reading *x, const struct gap *gap, struct loss_row *row)
{
	int err = 0;

	*row = (struct loss_row){.class = LOSS_FILE_DAMAGE};
	while (!err && x->has_entry && x->entry.offset < gap->offset + gap->bytes) {
		if (x->entry.offset >= gap->offset)
			widen(row, &x->entry);
		x->rows += x->entry.rows;
		err = next_entry(x);
	}
	return err;
}

static int next_gap(struct losses *l, struct lost_gap *lost)
{
	if (fread(lost, sizeof(*lost), 1, l->gaps) == 1)
		return 1;
	return ferror(l->gaps) ? -EIO : 0;
}

/*
 * Whether the index fits the file: all its rows are either kept or in gaps. The index of a file
 * that lost or gained bytes is not used.
 */
static int index_fits(struct losses *l, struct input *in, const struct repair_totals *totals,
		      bool *fits)
{
	static const struct gap rest = {.bytes = UINT64_MAX};
	struct index_reading x;
	struct lost_gap lost;
	struct loss_row row;
	uint64_t in_gaps = 0;
	int err, got = 0;

	rewind(l->gaps);
	err = start_index(&x, in, totals->index_at);
	while (!err && (got = next_gap(l, &lost)) == 1) {
		err = look_up(&x, &lost.gap, &row);
		in_gaps += row.count;
	}
	if (!err && got >= 0)
		err = look_up(&x, &rest, &row);
	index_walk__stop(&x.cursor);
	*fits = !err && x.rows - in_gaps == totals->kept;
	if (got < 0)
		return got;
	return err == -EBADMSG ? 0 : err;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a && (a < b || !b) ? a : b;
}

/* A loss row with the times of the rows around the gap, which may overlap. */
static struct loss_row row_of(const struct lost_gap *lost, const struct repair_totals *totals)
{
	uint64_t before = lost->from_ns ? lost->from_ns : totals->first_ns;
	uint64_t after = lost->to_ns ? lost->to_ns : totals->last_ns;

	return (struct loss_row){
		.from_ns = earlier(before, after),
		.to_ns = before > after ? before : after,
		.count = lost->gap.rows + (lost->gap.unknown && !totals->has_end),
		.class = LOSS_FILE_DAMAGE,
	};
}

struct emission {
	int (*each)(const struct loss_row *row, void *context);
	void *context;
	uint64_t rows;
	struct loss_row unplaced; /* the time span of gaps whose rows only the end mark counts */
};

static int emit(struct emission *e, const struct loss_row *row)
{
	if (!row->count)
		return 0;
	e->rows += row->count;
	return e->each(row, e->context);
}

static void note_unplaced(struct emission *e, const struct loss_row *row)
{
	e->unplaced.from_ns = earlier(row->from_ns, e->unplaced.from_ns);
	if (row->to_ns > e->unplaced.to_ns)
		e->unplaced.to_ns = row->to_ns;
}

static int emit_by_index(struct losses *l, struct input *in, const struct repair_totals *totals,
			 struct emission *e)
{
	struct index_reading x;
	struct lost_gap lost;
	struct loss_row row;
	int err = start_index(&x, in, totals->index_at), got = 0;

	while (!err && (got = next_gap(l, &lost)) == 1) {
		err = look_up(&x, &lost.gap, &row);
		if (!err)
			err = emit(e, &row);
	}
	index_walk__stop(&x.cursor);
	return got < 0 ? got : err;
}

static int emit_by_headers(struct losses *l, const struct repair_totals *totals, struct emission *e,
			   bool *at_least)
{
	struct lost_gap lost;
	int err = 0, got = 0;

	while (!err && (got = next_gap(l, &lost)) == 1) {
		struct loss_row row = row_of(&lost, totals);

		if (lost.gap.unknown && totals->has_end)
			note_unplaced(e, &row);
		*at_least |= lost.gap.unknown && !totals->has_end;
		err = emit(e, &row);
	}
	return got < 0 ? got : err;
}

/* Emits the rows that the end mark counts beyond the kept rows and the known losses. */
static int emit_rest(const struct repair_totals *totals, struct emission *e)
{
	struct loss_row row = e->unplaced;

	if (!totals->has_end || totals->end_rows <= totals->kept + e->rows)
		return 0;
	if (!row.to_ns) {
		row.from_ns = totals->first_ns;
		row.to_ns = totals->last_ns;
	}
	row.count = totals->end_rows - totals->kept - e->rows;
	row.class = LOSS_FILE_DAMAGE;
	return emit(e, &row);
}

int losses__each(struct losses *l, struct input *in, const struct repair_totals *totals,
		 int (*each)(const struct loss_row *row, void *context), void *context,
		 bool *at_least)
{
	struct emission e = {.each = each, .context = context};
	bool by_index = false;
	int err = close_gap(l, 0);

	*at_least = false;
	if (!err && l->count && totals->index_at)
		err = index_fits(l, in, totals, &by_index);
	if (err)
		return err;
	rewind(l->gaps);
	if (by_index)
		err = emit_by_index(l, in, totals, &e);
	else
		err = emit_by_headers(l, totals, &e, at_least);
	return err ? err : emit_rest(totals, &e);
}
