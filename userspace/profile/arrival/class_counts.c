// SPDX-License-Identifier: MIT
#include "profile/arrival/class_counts.h"

#include <string.h>

#include "profile/arrival/read_split.h"

/* How many of the `members` fall into the first half, which has `first` of the `ios`. */
static uint64_t first_of_class(const uint32_t shares[PROFILE_SHARE_ROWS][PROFILE_SHARE_COLUMNS],
			       uint64_t ios, uint64_t members, uint64_t first, struct prng *random)
{
	uint64_t second = ios - first, busier;
	struct read_split split = {
		.ios = ios, .reads = members, .busier_ios = first >= second ? first : second};

	if (read_split_is_open(&split, &busier))
		busier = read_split_draw(&split, shares, random);
	return first >= second ? busier : members - busier;
}

/*
 * Splits all but the reads, which are known; the largest first. Were they a part of those above the
 * first size, a burst of them would fall apart wherever the others above that size split evenly.
 */
static void split_above(const struct profile_arrival *a, const uint64_t counts[CLASS_COUNTS],
			uint64_t ios, uint64_t first, struct prng *random,
			uint64_t firsts[CLASS_COUNTS])
{
	memset(firsts + COUNT_ABOVE, 0, (CLASS_COUNTS - COUNT_ABOVE) * sizeof(firsts[0]));
	for (unsigned int m = CLASS_COUNTS; m-- > COUNT_ABOVE;) {
		uint64_t of, alone = class_count_alone(counts, ios, m, &of), first_of;

		class_count_alone(firsts, first, m, &first_of);
		if (!class_count_table(m))
			firsts[m] = firsts[m + 1];
		if (alone)
			firsts[m] += first_of_class(a->class_shares[class_count_table(m)], of,
						    alone, first_of, random);
	}
}

void class_counts_split(const struct profile_arrival *a, const uint64_t counts[CLASS_COUNTS],
			uint64_t ios, uint64_t first, bool reads_drawn, struct prng *random,
			uint64_t firsts[CLASS_COUNTS])
{
	if (a->reads_known && !reads_drawn)
		firsts[COUNT_READS] =
			first_of_class(a->read_shares, ios, counts[COUNT_READS], first, random);
	else if (!a->reads_known)
		firsts[COUNT_READS] = counts[COUNT_READS] ? first : 0;
	split_above(a, counts, ios, first, random, firsts);
}

/* Splits the counts of windows whose IOs and reads are known. */
static void divide(const struct profile_arrival *a, const uint64_t *window_ios,
		   const uint64_t counts[CLASS_COUNTS], uint64_t ios, uint32_t from, uint32_t to,
		   struct prng *random, uint64_t windows[][CLASS_COUNTS])
{
	uint64_t firsts[CLASS_COUNTS] = {0}, seconds[CLASS_COUNTS], first = 0;
	uint32_t middle = from + (to - from) / 2;

	if (to - from < 2) {
		memcpy(windows[from], counts, CLASS_COUNTS * sizeof(counts[0]));
		return;
	}
	for (uint32_t i = from; i < middle; i++) {
		first += window_ios[i];
		firsts[COUNT_READS] += windows[i][COUNT_READS];
	}
	split_above(a, counts, ios, first, random, firsts);
	for (unsigned int m = 0; m < CLASS_COUNTS; m++)
		seconds[m] = counts[m] - firsts[m];
	divide(a, window_ios, firsts, first, from, middle, random, windows);
	divide(a, window_ios, seconds, ios - first, middle, to, random, windows);
}

static bool all_read(const struct profile *p)
{
	return p->stream_count && p->streams[0].op == IO_OP_READ;
}

/* Takes the counts of a neighbourhood out of `left`, as far as there are any. */
static void take_neighbourhood(const struct profile *p, const struct profile_pinned_burst *burst,
			       uint64_t left[CLASS_COUNTS],
			       struct burst_neighbourhood *neighbourhood)
{
	const struct profile_arrival *a = &p->arrival;
	uint32_t level = burst_neighbourhood_level(a->split_levels) - 1;

	*neighbourhood = (struct burst_neighbourhood){.ios = burst->ios[level]};
	neighbourhood->counts[COUNT_READS] = a->kinds_known ? burst->reads[level]
					     : all_read(p)  ? neighbourhood->ios
							    : 0;
	for (unsigned int m = COUNT_ABOVE; m < CLASS_COUNTS; m++) {
		uint64_t most = class_count_whole(neighbourhood->counts, neighbourhood->ios, m);

		neighbourhood->counts[m] =
			smaller_of(burst->size_classes[m - COUNT_ABOVE], smaller_of(left[m], most));
		left[m] -= neighbourhood->counts[m];
	}
}

static void take_neighbourhoods(const struct profile *p, uint32_t from, uint32_t to,
				uint64_t left[CLASS_COUNTS],
				struct burst_neighbourhood *neighbourhoods)
{
	const struct profile_arrival *a = &p->arrival;

	memset(neighbourhoods + from, 0, (to - from) * sizeof(neighbourhoods[0]));
	for (uint32_t i = 0; i < a->pinned_burst_count; i++) {
		uint32_t window = a->pinned_bursts[i].window;

		if (a->pinned_bursts[i].sized && window >= from && window < to)
			take_neighbourhood(p, &a->pinned_bursts[i], left, &neighbourhoods[window]);
	}
}

void class_counts_of_windows(const struct profile *p, uint32_t phase, uint32_t from, uint32_t to,
			     struct prng *random, uint64_t windows[][CLASS_COUNTS],
			     struct burst_neighbourhood *neighbourhoods)
{
	const struct profile_arrival *a = &p->arrival;
	uint64_t counts[CLASS_COUNTS] = {0}, ios = 0, window_ios[PROFILE_WINDOWS_MAX];

	for (unsigned int m = COUNT_ABOVE; m < CLASS_COUNTS; m++)
		counts[m] = a->size_classes[m - COUNT_ABOVE].phases[phase];
	take_neighbourhoods(p, from, to, counts, neighbourhoods);
	for (uint32_t i = from; i < to; i++) {
		uint64_t reads = a->reads_known ? a->reads[i] : all_read(p) ? a->windows[i] : 0;

		window_ios[i] = a->windows[i] - neighbourhoods[i].ios;
		windows[i][COUNT_READS] = reads - neighbourhoods[i].counts[COUNT_READS];
		ios += window_ios[i];
		counts[COUNT_READS] += windows[i][COUNT_READS];
	}
	for (unsigned int m = COUNT_ABOVE; m < CLASS_COUNTS; m++) {
		uint64_t most = class_count_whole(counts, ios, m);

		if (counts[m] > most)
			counts[m] = most;
	}
	divide(a, window_ios, counts, ios, from, to, random, windows);
	for (uint32_t i = from; i < to; i++)
		for (unsigned int m = 0; m < CLASS_COUNTS; m++)
			windows[i][m] += neighbourhoods[i].counts[m];
}

void class_counts_by_op(const uint64_t counts[CLASS_COUNTS], uint64_t ios,
			uint64_t classes[2][CLASSES_OF_OP])
{
	for (unsigned int op = 0; op < 2; op++) {
		unsigned int m = COUNT_ABOVE + (op ? 0 : COUNTS_OF_OP);
		uint64_t left = class_count_whole(counts, ios, m);

		for (unsigned int c = 0; c + 1 < CLASSES_OF_OP; c++) {
			classes[op][c] = left - counts[m + c];
			left = counts[m + c];
		}
		classes[op][CLASSES_OF_OP - 1] = left;
	}
}

unsigned int size_class(const struct profile_arrival *a, bool is_read, uint64_t bytes)
{
	const struct profile_size_class *model = &a->size_classes[is_read ? 0 : COUNTS_OF_OP];
	unsigned int class = 0;

	while (class < COUNTS_OF_OP && model[class].above_bytes && bytes > model[class].above_bytes)
		class ++;
	return class;
}
