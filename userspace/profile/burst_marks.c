#include "profile/burst_marks.h"

#include <string.h>

#include "profile/read_share.h"

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

static void divide(const struct profile_arrival *a, const uint64_t marks[BURST_MARKS], uint64_t ios,
		   uint32_t from, uint32_t to, struct prng *random, uint64_t windows[][BURST_MARKS])
{
	uint64_t firsts[BURST_MARKS] = {0}, seconds[BURST_MARKS], first = 0;
	uint32_t middle = from + (to - from) / 2;

	if (to - from < 2) {
		memcpy(windows[from], marks, BURST_MARKS * sizeof(marks[0]));
		return;
	}
	for (uint32_t i = from; i < middle; i++) {
		first += a->windows[i];
		firsts[MARK_READS] += windows[i][MARK_READS];
	}
	split_larger(a, marks, ios, first, random, firsts);
	for (unsigned int m = 0; m < BURST_MARKS; m++)
		seconds[m] = marks[m] - firsts[m];
	divide(a, firsts, first, from, middle, random, windows);
	divide(a, seconds, ios - first, middle, to, random, windows);
}

void burst_marks_of_windows(const struct profile *p, uint32_t phase, uint32_t from, uint32_t to,
			    struct prng *random, uint64_t windows[][BURST_MARKS])
{
	const struct profile_arrival *a = &p->arrival;
	bool all_read = p->stream_count && p->streams[0].op == IO_OP_READ;
	uint64_t marks[BURST_MARKS] = {0}, ios = 0;

	for (uint32_t i = from; i < to; i++) {
		windows[i][MARK_READS] = a->reads_known ? a->reads[i]
					 : all_read	? a->windows[i]
							: 0;
		ios += a->windows[i];
		marks[MARK_READS] += windows[i][MARK_READS];
	}
	for (unsigned int m = MARK_LARGER; m < BURST_MARKS; m++) {
		uint64_t most = burst_mark_of(marks, ios, m);

		marks[m] = a->larger[m - MARK_LARGER].phases[phase];
		if (marks[m] > most)
			marks[m] = most;
	}
	divide(a, marks, ios, from, to, random, windows);
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
