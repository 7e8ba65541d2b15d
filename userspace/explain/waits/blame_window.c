// SPDX-License-Identifier: MIT
#include "explain/waits/blame_window.h"

#include <stdlib.h>
#include <string.h>

#define DEVICES	     64u
#define OPS	     4u
#define SIZES	     16u /* powers of two from 512 bytes */
#define SAMPLES	     63u
#define SAMPLES_MIN  5u
#define AT_ONCE_PCT  75.0 /* of the time alone: a device that is faster serves several at once */
#define LOOKED_AHEAD 1024u
#define SHARING_MAX  1024u
#define BATCH_MAX    64u /* IOs that complete after the one that is waited for */
#define BATCH_PART   10u /* IOs within a tenth of the time before them are one batch */

/* Service times of one kind of IO; devices whose numbers collide share one. */
struct kind {
	uint32_t count; /* of all seen */
	uint32_t device;
	uint64_t samples_ns[SAMPLES]; /* the latest */
	uint32_t median_count;	      /* count when median_ns was found; 0: never */
	uint64_t median_ns;
};

/* How fast a device completes IOs that are not alone, beside what they take alone. */
struct pace {
	uint32_t device;
	uint64_t completed_ns; /* of the latest IO */
	double taken_ns, alone_ns;
};

/* A part of the time, and the IO that completed at its end. */
struct piece {
	const struct kept_io *io;
	uint64_t from_ns, to_ns, ns;
};

struct blame_window {
	const struct kept_ios *ios;
	struct kind *kinds;
	struct pace paces[DEVICES];
	struct piece pieces[BLAME_SHARES_MAX + BATCH_MAX]; /* the latest first */
	uint32_t piece_count;
	struct blame_share shares[BLAME_SHARES_MAX + BATCH_MAX + SHARING_MAX];
	uint32_t count;
};

struct blame_window *blame_window__new(const struct kept_ios *ios)
{
	struct blame_window *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->ios = ios;
	w->kinds = calloc((size_t)DEVICES * OPS * SIZES, sizeof(*w->kinds));
	if (!w->kinds) {
		free(w);
		return NULL;
	}
	return w;
}

void blame_window__free(struct blame_window *w)
{
	if (!w)
		return;
	free(w->kinds);
	free(w);
}

static uint32_t kind_number(uint8_t op, uint64_t bytes)
{
	uint64_t sectors = bytes >> 9;
	uint32_t size = sectors ? 64 - (uint32_t)__builtin_clzll(sectors) : 0;
	uint32_t column = op < OPS - 1 ? op : OPS - 1;

	return column * SIZES + (size < SIZES ? size : SIZES - 1);
}

static struct kind *kind_of(const struct blame_window *w, uint32_t device, uint8_t op,
			    uint64_t bytes)
{
	return &w->kinds[(device % DEVICES) * OPS * SIZES + kind_number(op, bytes)];
}

static int by_number(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return (a > b) - (a < b);
}

/* The time that the IO needs alone; 0: not known. */
static uint64_t service_ns(const struct blame_window *w, const struct kept_io *io)
{
	struct kind *kind = kind_of(w, io->device, io->op, io->bytes);
	uint32_t count = kind->count < SAMPLES ? kind->count : SAMPLES;
	uint64_t sorted_ns[SAMPLES];

	if (count < SAMPLES_MIN || kind->device != io->device)
		return 0;
	if (kind->median_count == kind->count)
		return kind->median_ns;
	memcpy(sorted_ns, kind->samples_ns, count * sizeof(*sorted_ns));
	qsort(sorted_ns, count, sizeof(*sorted_ns), by_number);
	kind->median_count = kind->count;
	kind->median_ns = sorted_ns[count / 2];
	return kind->median_ns;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The time that it had to itself, if the device takes one after the other. */
static void learn_pace(struct blame_window *w, const struct io_row *row)
{
	struct pace *pace = &w->paces[row->device % DEVICES];
	const struct kept_io io = {.device = row->device, .op = row->op, .bytes = row->bytes};
	uint64_t from_ns = larger(row->issued_ns, pace->completed_ns), alone_ns;

	if (pace->completed_ns && pace->device != row->device)
		return;
	pace->device = row->device;
	if (row->completed_ns <= pace->completed_ns)
		return;
	pace->completed_ns = row->completed_ns;
	alone_ns = row->depth == 1 ? 0 : service_ns(w, &io);
	if (!alone_ns || from_ns >= row->completed_ns)
		return;
	pace->taken_ns += (double)(row->completed_ns - from_ns);
	pace->alone_ns += (double)alone_ns;
}

static bool serves_several(const struct blame_window *w, uint32_t device)
{
	const struct pace *pace = &w->paces[device % DEVICES];

	return pace->device == device && pace->taken_ns * 100 < AT_ONCE_PCT * pace->alone_ns;
}

void blame_window__learn(struct blame_window *w, const struct io_row *row)
{
	struct kind *kind = kind_of(w, row->device, row->op, row->bytes);

	if (row->issued_ns)
		learn_pace(w, row);
	if (row->depth != 1 || !row->issued_ns || row->completed_ns <= row->issued_ns)
		return;
	if (kind->count && kind->device != row->device)
		return;
	kind->device = row->device;
	kind->samples_ns[kind->count++ % SAMPLES] = row->completed_ns - row->issued_ns;
}

/* The place of the IO of `device` that completed next before `place`, after `from_ns`. */
static bool find_before(const struct blame_window *w, uint32_t device, uint64_t from_ns,
			uint64_t *place)
{
	uint64_t first = kept_ios__first(w->ios);

	while (*place > first) {
		const struct kept_io *io = kept_ios__at(w->ios, --*place);

		if (io->completed_ns <= from_ns)
			return false;
		if (io->device == device)
			return true;
	}
	return false;
}

static void add_piece(struct blame_window *w, const struct kept_io *io, uint64_t from_ns,
		      uint64_t to_ns)
{
	w->pieces[w->piece_count++] = (struct piece){io, from_ns, to_ns, to_ns - from_ns};
}

/* IOs that complete soon after the one that is waited for, and were in flight all the time: with no part yet. */
static void add_later(struct blame_window *w, uint64_t from_ns, uint64_t place)
{
	const struct kept_io *io = kept_ios__at(w->ios, place);
	uint64_t end = kept_ios__end(w->ios), soon_ns = (io->completed_ns - from_ns) / BATCH_PART;
	uint32_t count = 0;

	for (uint64_t i = place + 1; i < end && count < BATCH_MAX; i++) {
		const struct kept_io *later = kept_ios__at(w->ios, i);

		if (later->completed_ns - io->completed_ns > soon_ns)
			break;
		if (later->device == io->device && later->issued_ns <= from_ns)
			w->pieces[BATCH_MAX - ++count] =
				(struct piece){later, later->completed_ns, later->completed_ns, 0};
	}
	memmove(w->pieces, w->pieces + BATCH_MAX - count, count * sizeof(*w->pieces));
	w->piece_count = count;
}

/* Each instant goes to the IO that completes next, if it was issued. Returns what goes to none. */
static uint64_t cut(struct blame_window *w, uint32_t device, uint64_t from_ns, uint64_t to_ns,
		    uint64_t end, const struct kept_io *waited_for)
{
	uint64_t own_ns = 0, until_ns = to_ns;
	bool more = find_before(w, device, from_ns, &end);

	if (waited_for) {
		until_ns = more ? kept_ios__at(w->ios, end)->completed_ns : from_ns;
		until_ns = until_ns < to_ns ? until_ns : to_ns;
		add_piece(w, waited_for, until_ns, to_ns);
	}
	while (more && w->piece_count < BLAME_SHARES_MAX) {
		const struct kept_io *io = kept_ios__at(w->ios, end);
		uint64_t stop_ns = io->completed_ns < until_ns ? io->completed_ns : until_ns;
		uint64_t start_ns = larger(from_ns, io->issued_ns);

		own_ns += until_ns - stop_ns;
		more = find_before(w, device, from_ns, &end);
		until_ns = more ? kept_ios__at(w->ios, end)->completed_ns : from_ns;
		until_ns = until_ns < stop_ns ? until_ns : stop_ns;
		start_ns = larger(start_ns, until_ns);
		if (start_ns > stop_ns)
			start_ns = stop_ns;
		own_ns += start_ns - until_ns;
		add_piece(w, io, start_ns, stop_ns);
	}
	return own_ns + (until_ns - from_ns);
}

static bool is_in_batch(const struct piece *first, const struct piece *piece)
{
	const struct kept_io *a = first->io, *b = piece->io;

	return b->issued_ns <= first->from_ns + (first->to_ns - first->from_ns) / BATCH_PART &&
	       kind_number(a->op, a->bytes) == kind_number(b->op, b->bytes);
}

/* IOs of one kind that complete together, after a long time without a completion, share this time. */
static void share_batches(struct blame_window *w)
{
	for (uint32_t end = w->piece_count; end;) {
		const struct piece first = w->pieces[--end];
		uint64_t soon_ns = (first.to_ns - first.from_ns) / BATCH_PART, sum_ns = first.ns;
		uint32_t members = 1, next = end;

		while (next && soon_ns && w->pieces[next - 1].to_ns - first.to_ns <= soon_ns) {
			next--;
			if (is_in_batch(&first, &w->pieces[next])) {
				members++;
				sum_ns += w->pieces[next].ns;
			}
		}
		/* Whose turn it is gets an equal part of what is left: nothing is lost by rounding. */
		for (uint32_t i = end + 1; i-- > next && members;)
			if (i == end || is_in_batch(&first, &w->pieces[i])) {
				w->pieces[i].ns = sum_ns / members;
				sum_ns -= w->pieces[i].ns;
				members--;
			}
		end = next;
	}
}

/* The pieces become shares, but for those of the IO that is waited for, which are returned. */
static uint64_t share_out(struct blame_window *w, const struct kept_io *waited_for)
{
	uint64_t own_ns = 0;

	for (uint32_t i = 0; i < w->piece_count; i++) {
		const struct piece *piece = &w->pieces[i];

		if (piece->io == waited_for)
			own_ns += piece->ns;
		else if (piece->ns)
			w->shares[w->count++] = (struct blame_share){piece->io, piece->ns};
	}
	return own_ns;
}

/* A device that serves several IOs at once: the own one needed its service time in any case. */
static uint64_t take_back(struct blame_window *w, uint64_t whole_ns, uint64_t own_ns,
			  uint64_t needed_ns)
{
	double left;

	needed_ns = needed_ns < whole_ns ? needed_ns : whole_ns;
	if (own_ns >= needed_ns)
		return own_ns;
	left = (double)(whole_ns - needed_ns) / (double)(whole_ns - own_ns);
	own_ns = whole_ns;
	for (uint32_t i = 0; i < w->count; i++) {
		w->shares[i].ns = (uint64_t)((double)w->shares[i].ns * left);
		own_ns -= w->shares[i].ns;
	}
	return own_ns;
}

/* IOs that were issued before this one, and are not yet complete when it is. */
static uint32_t find_overtaken(struct blame_window *w, const struct kept_io *io, uint64_t place)
{
	uint64_t end = kept_ios__end(w->ios);
	uint32_t found = 0;

	for (uint32_t looked = 0; ++place < end && looked < LOOKED_AHEAD; looked++) {
		const struct kept_io *other = kept_ios__at(w->ios, place);

		if (other->device == io->device && other->issued_ns < io->issued_ns &&
		    found < SHARING_MAX)
			w->shares[w->count + found++].io = other;
	}
	return found;
}

static uint64_t give_away(struct blame_window *w, const struct kept_io *io, uint64_t place,
			  uint64_t own_ns, uint64_t needed_ns)
{
	uint32_t sharing;
	uint64_t part_ns;

	if (!needed_ns || own_ns <= needed_ns)
		return own_ns;
	sharing = find_overtaken(w, io, place);
	if (!sharing)
		return own_ns;
	part_ns = (own_ns - needed_ns) / sharing;
	for (uint32_t i = 0; i < sharing; i++)
		w->shares[w->count++].ns = part_ns;
	return own_ns - part_ns * sharing;
}

/* The place after the IO that is in service at this time, or after the last that completed before. */
static uint64_t end_at(const struct blame_window *w, uint32_t device, uint64_t time_ns)
{
	uint64_t ended = kept_ios__end_at(w->ios, time_ns), end = kept_ios__end(w->ios);

	for (uint64_t i = ended; i < end && i < ended + LOOKED_AHEAD; i++) {
		const struct kept_io *io = kept_ios__at(w->ios, i);

		if (io->device == device && io->issued_ns < time_ns)
			return i + 1;
	}
	return ended;
}

static void begin(struct blame_window *w, const struct blame_share **shares)
{
	w->count = 0;
	w->piece_count = 0;
	*shares = w->shares;
}

uint32_t blame_window__divide(struct blame_window *w, uint32_t device, uint64_t from_ns,
			      uint64_t to_ns, uint64_t place, bool in_service,
			      const struct blame_share **shares)
{
	const struct kept_io *io = NULL;
	uint64_t needed_ns, own_ns;

	begin(w, shares);
	if (from_ns >= to_ns)
		return 0;
	if (place != KEPT_IOS_NONE && in_service) {
		io = kept_ios__at(w->ios, place);
		add_later(w, from_ns, place);
	}
	own_ns = cut(w, device, from_ns, to_ns, io ? place : end_at(w, device, to_ns), io);
	share_batches(w);
	own_ns += share_out(w, io);
	if (io) {
		needed_ns = service_ns(w, io);
		if (serves_several(w, device))
			own_ns = take_back(w, to_ns - from_ns, own_ns, needed_ns);
		give_away(w, io, place, own_ns, needed_ns);
	}
	return w->count;
}

/* What a commit or writeback can wait for. */
static bool is_write(const struct kept_io *io, uint32_t device)
{
	return io->device == device && io->op != IO_OP_READ && !io->is_direct;
}

/* No piece keeps a part of this time. *next: of the latest piece that can have one; times come the latest first. */
static uint64_t leave_out(struct blame_window *w, uint64_t from_ns, uint64_t to_ns, uint32_t *next)
{
	while (*next < w->piece_count && w->pieces[*next].from_ns >= to_ns)
		(*next)++;
	for (uint32_t i = *next; i < w->piece_count && w->pieces[i].to_ns > from_ns; i++) {
		struct piece *piece = &w->pieces[i];
		uint64_t begin_ns = larger(piece->from_ns, from_ns);
		uint64_t end_ns = piece->to_ns < to_ns ? piece->to_ns : to_ns;

		piece->ns -= end_ns - begin_ns;
	}
	return to_ns - from_ns;
}

/* Leaves out the time in which no write existed, and returns it. */
static uint64_t leave_out_idle(struct blame_window *w, uint32_t device, uint64_t from_ns,
			       uint64_t to_ns)
{
	uint64_t i = kept_ios__end_at(w->ios, to_ns) + LOOKED_AHEAD, end = kept_ios__end(w->ios);
	uint64_t first = kept_ios__first(w->ios), idle_ns = 0;
	uint32_t next = 0;

	for (i = i < end ? i : end; i > first && to_ns > from_ns; i--) {
		const struct kept_io *io = kept_ios__at(w->ios, i - 1);

		if (io->completed_ns <= from_ns)
			break;
		if (!is_write(io, device))
			continue;
		if (io->completed_ns < to_ns)
			idle_ns += leave_out(w, io->completed_ns, to_ns, &next);
		to_ns = io->created_ns < to_ns ? io->created_ns : to_ns;
	}
	return idle_ns + (to_ns > from_ns ? leave_out(w, from_ns, to_ns, &next) : 0);
}

uint32_t blame_window__divide_writes(struct blame_window *w, uint32_t device, uint64_t from_ns,
				     uint64_t to_ns, const struct blame_share **shares,
				     uint64_t *no_write_ns)
{
	begin(w, shares);
	*no_write_ns = 0;
	if (from_ns >= to_ns)
		return 0;
	cut(w, device, from_ns, to_ns, end_at(w, device, to_ns), NULL);
	*no_write_ns = leave_out_idle(w, device, from_ns, to_ns);
	share_batches(w);
	share_out(w, NULL);
	return w->count;
}
