#include "profile/build_marks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/bins.h"
#include "profile/build_arrival.h"
#include "profile/build_halves.h"
#include "profile/halves.h"
#include "profile/read_share.h"

#define SHARE_WEIGHT_SUM 99
/*
 * Reads and others fall each in their own way, unless few IOs tell, one comes where the other does not,
 * or both come together: squares of differences, of all by the sum of both.
 */
#define HALVES_IOS_MIN 4096
#define ALONE_LEAST    0.8
#define ALONE_MOST     1.25

struct mark_trees {
	uint32_t halvings;
	uint64_t above_bytes[PROFILE_LARGER];
	uint32_t *trees[BURST_MARKS]; /* NULL: not told apart */
	uint32_t *others;	      /* the tree of what does not read */
	uint64_t windows[PROFILE_WINDOWS_MAX][BURST_MARKS];
	struct halves_counts halves[2]; /* others, reads */
	uint64_t together[PROFILE_TOGETHER_MAX][2];
	/* Of reads, and of what is above a size. */
	uint64_t shares[2][PROFILE_SHARE_ROWS][PROFILE_SHARE_BINS];
	double apart,
		apart_alone; /* squares of differences of halves: of all, of reads and others */
};

void mark_trees__free(struct mark_trees *t)
{
	if (!t)
		return;
	for (unsigned int m = 0; m < BURST_MARKS; m++)
		free(t->trees[m]);
	free(t->others);
	free(t);
}

int mark_trees__create(uint32_t halvings, const uint64_t above_bytes[PROFILE_LARGER],
		       struct mark_trees **trees)
{
	struct mark_trees *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->halvings = halvings;
	t->halves[KIND_OTHERS].by_level = t->halves[KIND_READS].by_level = true;
	t->others = calloc(2ull << halvings, sizeof(*t->others));
	if (!t->others) {
		mark_trees__free(t);
		return -ENOMEM;
	}
	memcpy(t->above_bytes, above_bytes, sizeof(t->above_bytes));
	for (unsigned int m = 0; m < BURST_MARKS; m++) {
		if (m >= MARK_LARGER && !above_bytes[m - MARK_LARGER])
			continue;
		t->trees[m] = calloc(2ull << halvings, sizeof(*t->trees[m]));
		if (!t->trees[m]) {
			mark_trees__free(t);
			return -ENOMEM;
		}
	}
	*trees = t;
	return 0;
}

void mark_trees__set_halvings(struct mark_trees *t, uint32_t halvings)
{
	t->halvings = halvings;
}

void mark_trees__add(struct mark_trees *t, uint64_t leaf, bool is_read, unsigned int class)
{
	uint64_t at = (1ull << t->halvings) + leaf;
	unsigned int first = MARK_LARGER + (is_read ? 0 : PROFILE_LARGER / 2);

	t->trees[MARK_READS][at] += is_read;
	for (unsigned int i = 0; i < class; i++)
		if (t->trees[first + i])
			t->trees[first + i][at]++;
}

/* The marks of a part. */
static void marks_at(const struct mark_trees *t, uint64_t index, uint64_t marks[BURST_MARKS])
{
	for (unsigned int m = 0; m < BURST_MARKS; m++)
		marks[m] = t->trees[m] ? t->trees[m][index] : 0;
}

static double square(double value)
{
	return value * value;
}

/* The others of a part, and whether the half with more of them has more reads. */
static void count_others(struct mark_trees *t, const uint32_t *ios, uint64_t index,
			 const uint64_t left[BURST_MARKS], const uint64_t right[BURST_MARKS])
{
	uint64_t left_reads = left[MARK_READS], right_reads = right[MARK_READS];
	uint32_t left_others = ios[2 * index] - (uint32_t)left_reads;
	uint32_t right_others = ios[2 * index + 1] - (uint32_t)right_reads;
	unsigned int level = bits_of(index) - 1;

	t->others[2 * index] = left_others;
	t->others[2 * index + 1] = right_others;
	t->others[index] = left_others + right_others;
	t->apart_alone += (square((double)left_others - (double)right_others) +
			   square((double)left_reads - (double)right_reads)) /
			  (double)ios[index];
	t->apart +=
		square((double)ios[2 * index] - (double)ios[2 * index + 1]) / (double)ios[index];
	if (left_others != right_others && left_reads != right_reads)
		t->together[level / lean_halvings(true)]
			   [(left_others > right_others) == (left_reads > right_reads)]++;
}

void mark_trees__halve(struct mark_trees *t, const uint32_t *ios, uint64_t index)
{
	uint64_t left[BURST_MARKS], right[BURST_MARKS], only;

	if (!ios[index])
		return;
	marks_at(t, 2 * index, left);
	marks_at(t, 2 * index + 1, right);
	for (unsigned int m = 0; m < BURST_MARKS; m++) {
		uint64_t left_of = burst_mark_of(left, ios[2 * index], m);
		uint64_t right_of = burst_mark_of(right, ios[2 * index + 1], m);
		struct read_split split = {.ios = left_of + right_of,
					   .reads = left[m] + right[m],
					   .busier_ios = left_of >= right_of ? left_of : right_of};

		if (!split.reads)
			continue;
		t->trees[m][index] = (uint32_t)split.reads;
		if (read_split_is_open(&split, &only))
			t->shares[m != MARK_READS][read_split_row(&split)][read_split_bin(
				&split, left_of >= right_of ? left[m] : right[m])]++;
	}
	count_others(t, ios, index, left, right);
}

void mark_trees__note_burst(const struct mark_trees *t, struct profile_burst *burst)
{
	const uint32_t *leaves = t->trees[MARK_READS] + (1ull << t->halvings);

	for (uint32_t level = 1; level <= t->halvings; level++) {
		uint32_t down = t->halvings - level;
		uint64_t first = (uint64_t)(burst->leaf >> down) << down, sum = 0;

		for (uint64_t i = first; i < first + (1ull << down); i++)
			sum += leaves[i];
		burst->reads[level - 1] = sum;
	}
}

void mark_trees__close(struct mark_trees *t, uint32_t window)
{
	marks_at(t, 1, t->windows[window]);
	halves_counts_add(&t->halves[KIND_OTHERS], t->others, t->halvings);
	halves_counts_add(&t->halves[KIND_READS], t->trees[MARK_READS], t->halvings);
	memset(t->others, 0, sizeof(*t->others) * 2 << t->halvings);
	for (unsigned int m = 0; m < BURST_MARKS; m++)
		if (t->trees[m])
			memset(t->trees[m], 0, sizeof(*t->trees[m]) * 2 << t->halvings);
}

static void fill_halves(const struct mark_trees *t, struct profile_arrival *arrival)
{
	arrival->halves_known = true;
	for (unsigned int k = 0; k < 2; k++)
		halves_counts_finish(&t->halves[k], arrival->halvings, &arrival->halves[k]);
	for (unsigned int g = 0; lean_halvings(true) * g < arrival->halvings; g++) {
		uint64_t all = t->together[g][0] + t->together[g][1];

		arrival->together_permille[g] =
			(uint32_t)((t->together[g][1] + 1) * 1000 / (all + 2));
	}
}

/* Only where there are both: else every IO of a window is what the streams say. */
static void fill_reads(const struct mark_trees *t, struct profile_arrival *arrival)
{
	uint64_t ios = 0, reads = 0;

	for (uint32_t i = 0; i < arrival->window_count; i++) {
		ios += arrival->windows[i];
		reads += t->windows[i][MARK_READS];
	}
	if (!reads || reads == ios)
		return;
	arrival->reads_known = true;
	for (uint32_t i = 0; i < arrival->window_count; i++)
		arrival->reads[i] = t->windows[i][MARK_READS];
	if (arrival->halvings && ios >= HALVES_IOS_MIN &&
	    t->apart >= ALONE_LEAST * t->apart_alone && t->apart <= ALONE_MOST * t->apart_alone) {
		fill_halves(t, arrival);
		return;
	}
	for (unsigned int i = 0; i < PROFILE_SHARE_ROWS; i++)
		weights_from_counts(t->shares[0][i], PROFILE_SHARE_BINS, SHARE_WEIGHT_SUM,
				    arrival->read_shares[i]);
}

void mark_trees__finish(const struct mark_trees *t, uint32_t phases,
			struct profile_arrival *arrival)
{
	fill_reads(t, arrival);
	for (unsigned int i = 0; i < PROFILE_SHARE_ROWS; i++)
		weights_from_counts(t->shares[1][i], PROFILE_SHARE_BINS, SHARE_WEIGHT_SUM,
				    arrival->larger_shares[i]);
	for (unsigned int m = MARK_LARGER; m < BURST_MARKS; m++) {
		struct profile_larger *larger = &arrival->larger[m - MARK_LARGER];

		larger->above_bytes = t->above_bytes[m - MARK_LARGER];
		for (uint32_t i = 0; i < arrival->window_count; i++)
			larger->phases[part_begin(phases, i, arrival->window_count)] +=
				t->windows[i][m];
	}
}
