// SPDX-License-Identifier: MIT
#include "profile/arrival/burst_marks.h"

#include <string.h>

#include "profile/arrival/read_split.h"

/* How many IOs with a mark fall into the first half, which has `first` of the `ios` that can. */
static uint64_t first_marked(const uint32_t shares[PROFILE_SHARE_ROWS][PROFILE_SHARE_BINS],
			     uint64_t ios, uint64_t marked, uint64_t first, struct prng *random)
{
	uint64_t second = ios - first, busier;
	struct read_split split = {
		.ios = ios, .reads = marked, .busier_ios = first >= second ? first : second};

	if (read_split_is_open(&split, &busier))
		busier = read_split_draw(&split, shares, random);
	return first >= second ? busier : marked - busier;
}

/*
 * All but the reads, which are known; the largest first. Were they a part of those above the first size, a crowd of
 * them would fall apart wherever the others above that size are divided evenly.
 */
static void split_larger(const struct profile_arrival *a, const uint64_t marks[BURST_MARKS],
			 uint64_t ios, uint64_t first, struct prng *random,
			 uint64_t firsts[BURST_MARKS])
{
	memset(firsts + MARK_LARGER, 0, (BURST_MARKS - MARK_LARGER) * sizeof(firsts[0]));
	for (unsigned int m = BURST_MARKS; m-- > MARK_LARGER;) {
		uint64_t of, alone = burst_mark_alone(marks, ios, m, &of), first_of;

		burst_mark_alone(firsts, first, m, &first_of);
		if (!burst_mark_table(m))
			firsts[m] = firsts[m + 1];
		if (alone)
			firsts[m] += first_marked(a->larger_shares[burst_mark_table(m)], of, alone,
						  first_of, random);
	}
}

void burst_marks_split(const struct profile_arrival *a, const uint64_t marks[BURST_MARKS],
		       uint64_t ios, uint64_t first, bool reads_drawn, struct prng *random,
		       uint64_t firsts[BURST_MARKS])
{
	if (a->reads_known && !reads_drawn)
		firsts[MARK_READS] =
			first_marked(a->read_shares, ios, marks[MARK_READS], first, random);
	else if (!a->reads_known)
		firsts[MARK_READS] = marks[MARK_READS] ? first : 0;
	split_larger(a, marks, ios, first, random, firsts);
}

/* Windows of so many IOs, of which the reads are known. */
static void divide(const struct profile_arrival *a, const uint64_t *window_ios,
		   const uint64_t marks[BURST_MARKS], uint64_t ios, uint32_t from, uint32_t to,
		   struct prng *random, uint64_t windows[][BURST_MARKS])
{
	uint64_t firsts[BURST_MARKS] = {0}, seconds[BURST_MARKS], first = 0;
	uint32_t middle = from + (to - from) / 2;

	if (to - from < 2) {
		memcpy(windows[from], marks, BURST_MARKS * sizeof(marks[0]));
		return;
	}
	for (uint32_t i = from; i < middle; i++) {
		first += window_ios[i];
		firsts[MARK_READS] += windows[i][MARK_READS];
	}
	split_larger(a, marks, ios, first, random, firsts);
	for (unsigned int m = 0; m < BURST_MARKS; m++)
		seconds[m] = marks[m] - firsts[m];
	divide(a, window_ios, firsts, first, from, middle, random, windows);
	divide(a, window_ios, seconds, ios - first, middle, to, random, windows);
}

static bool all_read(const struct profile *p)
{
	return p->stream_count && p->streams[0].op == IO_OP_READ;
}

/* Not more than there is of a mark in `left`, of which it is taken. */
static void take_crowd(const struct profile *p, const struct profile_burst *burst,
		       uint64_t left[BURST_MARKS], struct burst_crowd *crowd)
{
	const struct profile_arrival *a = &p->arrival;
	uint32_t level = burst_crowd_halvings(a->halvings) - 1;

	*crowd = (struct burst_crowd){.ios = burst->ios[level]};
	crowd->marks[MARK_READS] = a->halves_known ? burst->reads[level]
				   : all_read(p)   ? crowd->ios
						   : 0;
	for (unsigned int m = MARK_LARGER; m < BURST_MARKS; m++) {
		uint64_t most = burst_mark_of(crowd->marks, crowd->ios, m);

		most = left[m] < most ? left[m] : most;
		crowd->marks[m] = burst->larger[m - MARK_LARGER];
		if (crowd->marks[m] > most)
			crowd->marks[m] = most;
		left[m] -= crowd->marks[m];
	}
}

static void take_crowds(const struct profile *p, uint32_t from, uint32_t to,
			uint64_t left[BURST_MARKS], struct burst_crowd *crowds)
{
	const struct profile_arrival *a = &p->arrival;

	memset(crowds + from, 0, (to - from) * sizeof(crowds[0]));
	for (uint32_t i = 0; i < a->burst_count; i++) {
		uint32_t window = a->bursts[i].window;

		if (a->bursts[i].sized && window >= from && window < to)
			take_crowd(p, &a->bursts[i], left, &crowds[window]);
	}
}

void burst_marks_of_windows(const struct profile *p, uint32_t phase, uint32_t from, uint32_t to,
			    struct prng *random, uint64_t windows[][BURST_MARKS],
			    struct burst_crowd *crowds)
{
	const struct profile_arrival *a = &p->arrival;
	uint64_t marks[BURST_MARKS] = {0}, ios = 0, window_ios[PROFILE_WINDOWS_MAX];

	for (unsigned int m = MARK_LARGER; m < BURST_MARKS; m++)
		marks[m] = a->larger[m - MARK_LARGER].phases[phase];
	take_crowds(p, from, to, marks, crowds);
	for (uint32_t i = from; i < to; i++) {
		uint64_t reads = a->reads_known ? a->reads[i] : all_read(p) ? a->windows[i] : 0;

		window_ios[i] = a->windows[i] - crowds[i].ios;
		windows[i][MARK_READS] = reads - crowds[i].marks[MARK_READS];
		ios += window_ios[i];
		marks[MARK_READS] += windows[i][MARK_READS];
	}
	for (unsigned int m = MARK_LARGER; m < BURST_MARKS; m++) {
		uint64_t most = burst_mark_of(marks, ios, m);

		if (marks[m] > most)
			marks[m] = most;
	}
	divide(a, window_ios, marks, ios, from, to, random, windows);
	for (uint32_t i = from; i < to; i++)
		for (unsigned int m = 0; m < BURST_MARKS; m++)
			windows[i][m] += crowds[i].marks[m];
}

void burst_marks_classes(const uint64_t marks[BURST_MARKS], uint64_t ios,
			 uint64_t classes[2][SIZE_CLASSES])
{
	for (unsigned int op = 0; op < 2; op++) {
		unsigned int m = MARK_LARGER + (op ? 0 : MARKS_OTHERS);
		uint64_t left = burst_mark_of(marks, ios, m);

		for (unsigned int c = 0; c + 1 < SIZE_CLASSES; c++) {
			classes[op][c] = left - marks[m + c];
			left = marks[m + c];
		}
		classes[op][SIZE_CLASSES - 1] = left;
	}
}

unsigned int size_class(const struct profile_arrival *a, bool is_read, uint64_t bytes)
{
	const struct profile_larger *larger = &a->larger[is_read ? 0 : MARKS_OTHERS];
	unsigned int class = 0;

	while (class < MARKS_OTHERS && larger[class].above_bytes &&
	       bytes > larger[class].above_bytes)
		class ++;
	return class;
}
