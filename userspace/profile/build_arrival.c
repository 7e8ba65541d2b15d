#include "profile/build_arrival.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/bins.h"

#define IOS_PER_WINDOW_MIN 64
#define LEAF_GAPS_MAX	   4096
#define BURST_NS	   10000000ull
#define WEIGHT_SUM	   1999
#define SPLIT_WEIGHT_SUM   999

struct arrival_builder {
	uint64_t duration_ns;
	uint32_t windows, halvings;
	uint32_t window; /* being filled */
	uint64_t counts[PROFILE_WINDOWS_MAX];
	uint32_t *leaves; /* counts in this window: 1 << halvings */
	uint64_t leaf;	  /* being filled */
	uint64_t last_ns;
	uint64_t leaf_gaps[LEAF_GAPS_MAX];
	uint32_t leaf_gap_count;
	bool leaf_started;
	uint64_t splits[PROFILE_SPLIT_GROUPS][PROFILE_SPLIT_CLASSES][PROFILE_SPLIT_BINS];
	uint64_t gaps[PROFILE_GAP_CLASSES][PROFILE_GAP_OCTAVES];
	uint64_t enters[PROFILE_GAP_CLASSES][PROFILE_GAP_OCTAVES];
	uint64_t gap_steps[PROFILE_GAP_OCTAVES][PROFILE_GAP_STEPS];
	uint64_t enter_ns; /* gap before the leaf being filled */
	bool entered, any;
	uint64_t most[PROFILE_HALVINGS_MAX];
	uint32_t burst_count;
	struct profile_burst bursts[PROFILE_BURSTS_MAX];
};

static uint32_t windows_for(uint64_t ios, uint64_t duration_ns)
{
	uint64_t windows = ios / IOS_PER_WINDOW_MIN;

	if (windows > PROFILE_WINDOWS_MAX)
		windows = PROFILE_WINDOWS_MAX;
	if (windows > duration_ns)
		windows = duration_ns;
	return windows ? (uint32_t)windows : 1;
}

int arrival_builder__create(uint64_t ios, uint64_t duration_ns, struct arrival_builder **builder)
{
	struct arrival_builder *b = calloc(1, sizeof(*b));

	if (!b)
		return -ENOMEM;
	b->duration_ns = duration_ns;
	b->windows = windows_for(ios, duration_ns);
	while (b->halvings < PROFILE_HALVINGS_MAX &&
	       duration_ns / b->windows >> b->halvings > LEAF_NS)
		b->halvings++;
	b->leaves = calloc(1ull << b->halvings, sizeof(*b->leaves));
	if (!b->leaves) {
		free(b);
		return -ENOMEM;
	}
	*builder = b;
	return 0;
}

void arrival_builder__free(struct arrival_builder *b)
{
	if (!b)
		return;
	free(b->leaves);
	free(b);
}

static void count_gap(struct arrival_builder *b, unsigned int class, uint64_t gap_ns)
{
	b->gaps[class][gap_octave(gap_ns)]++;
	b->gap_steps[gap_octave(gap_ns)][gap_step(gap_ns)]++;
}

static void close_leaf(struct arrival_builder *b)
{
	if (b->leaf_started && b->entered) {
		b->enters[enter_class(b->leaf_gap_count + 1ull)][gap_octave(b->enter_ns)]++;
		b->gap_steps[gap_octave(b->enter_ns)][gap_step(b->enter_ns)]++;
	}
	for (uint32_t i = 0; i < b->leaf_gap_count; i++)
		count_gap(b, gap_class(b->leaf_gap_count + 1ull), b->leaf_gaps[i]);
	b->leaf_gap_count = 0;
	b->leaf_started = false;
}

/* IOs of part `index` of the window after `level` halvings. */
static uint64_t interval_ios(const struct arrival_builder *b, uint32_t level, uint64_t index)
{
	uint64_t leaves = 1ull << (b->halvings - level), sum = 0;

	for (uint64_t i = index * leaves; i < (index + 1) * leaves; i++)
		sum += b->leaves[i];
	return sum;
}

/* The level of intervals that bursts are looked for at. */
static uint32_t burst_level(const struct arrival_builder *b)
{
	uint32_t level = 0;

	while (level < b->halvings && b->duration_ns / b->windows >> level > BURST_NS)
		level++;
	return level;
}

/* The sums of a window around its busiest interval, from the window down to the leaf. */
static void find_burst(const struct arrival_builder *b, struct profile_burst *burst)
{
	uint32_t level = burst_level(b), best = 0;
	uint64_t most = 0, parts = 1ull << level;

	*burst = (struct profile_burst){.window = b->window};
	for (uint64_t i = 0; i < parts; i++) {
		uint64_t ios = interval_ios(b, level, i);

		if (ios > most) {
			most = ios;
			best = (uint32_t)i;
		}
	}
	for (; level < b->halvings; level++) {
		best *= 2;
		if (interval_ios(b, level + 1, best + 1) > interval_ios(b, level + 1, best))
			best++;
	}
	burst->leaf = best;
	for (level = 1; level <= b->halvings; level++)
		burst->ios[level - 1] = interval_ios(b, level, best >> (b->halvings - level));
}

/* Keeps the busiest, one of a window, by rising window. */
static void keep_burst(struct arrival_builder *b)
{
	uint32_t level = burst_level(b), least = 0;
	struct profile_burst burst;

	if (!level)
		return;
	find_burst(b, &burst);
	if (b->burst_count < PROFILE_BURSTS_MAX) {
		b->bursts[b->burst_count++] = burst;
		return;
	}
	for (uint32_t i = 1; i < b->burst_count; i++)
		if (b->bursts[i].ios[level - 1] < b->bursts[least].ios[level - 1])
			least = i;
	if (b->bursts[least].ios[level - 1] >= burst.ios[level - 1])
		return;
	memmove(&b->bursts[least], &b->bursts[least + 1],
		(b->burst_count - least - 1) * sizeof(b->bursts[0]));
	b->bursts[b->burst_count - 1] = burst;
}

static void close_window(struct arrival_builder *b)
{
	uint64_t parts = 1ull << b->halvings;

	close_leaf(b);
	if (b->counts[b->window])
		keep_burst(b);
	for (uint32_t level = b->halvings; level-- && b->counts[b->window];) {
		parts /= 2;
		for (uint64_t i = 0; i < parts; i++) {
			uint64_t left = b->leaves[2 * i], right = b->leaves[2 * i + 1];
			uint64_t n = left + right, more = left > right ? left : right;

			if (more > b->most[level])
				b->most[level] = more;
			b->leaves[i] = (uint32_t)n;
			if (n >= 2)
				b->splits[level / 2][split_class(n)][split_bin(
					left > right ? left - right : right - left, n)]++;
		}
	}
	memset(b->leaves, 0, sizeof(*b->leaves) << b->halvings);
}

uint32_t arrival_builder__add(struct arrival_builder *b, uint64_t time_ns)
{
	uint32_t window = (uint32_t)part_of(b->duration_ns, time_ns, b->windows);
	uint64_t begin_ns = part_begin(b->duration_ns, window, b->windows);
	uint64_t end_ns = part_begin(b->duration_ns, window + 1ull, b->windows);
	uint64_t leaf = time_ns > begin_ns ? part_of(end_ns - begin_ns, time_ns - begin_ns,
						     1ull << b->halvings)
					   : 0;

	if (window != b->window) {
		close_window(b);
		b->window = window;
		b->leaf = leaf;
	} else if (leaf != b->leaf) {
		close_leaf(b);
		b->leaf = leaf;
	}
	if (!b->leaf_started) {
		b->entered = b->any;
		b->enter_ns = time_ns - b->last_ns;
	}
	b->any = true;
	if (b->leaf_started && b->leaf_gap_count == LEAF_GAPS_MAX)
		count_gap(b, PROFILE_GAP_CLASSES - 1, time_ns - b->last_ns);
	else if (b->leaf_started)
		b->leaf_gaps[b->leaf_gap_count++] = time_ns - b->last_ns;
	b->leaf_started = true;
	b->last_ns = time_ns;
	b->leaves[leaf]++;
	b->counts[window]++;
	return window;
}

uint32_t arrival_builder__windows(const struct arrival_builder *b)
{
	return b->windows;
}

void weights_from_counts(const uint64_t *counts, unsigned int count, uint64_t most,
			 uint32_t *weights)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < count; i++)
		sum += counts[i];
	for (unsigned int i = 0; i < count; i++) {
		uint64_t weight = counts[i];

		if (sum > most)
			weight = (uint64_t)(((unsigned __int128)counts[i] * most + sum / 2) / sum);
		weights[i] = (uint32_t)(counts[i] && !weight ? 1 : weight);
	}
}

void arrival_builder__finish(struct arrival_builder *b, struct profile_arrival *arrival)
{
	close_window(b);
	arrival->window_count = b->windows;
	arrival->halvings = b->halvings;
	memcpy(arrival->windows, b->counts, sizeof(b->counts));
	for (unsigned int g = 0; g < PROFILE_SPLIT_GROUPS; g++)
		for (unsigned int c = 0; c < PROFILE_SPLIT_CLASSES; c++)
			weights_from_counts(b->splits[g][c], PROFILE_SPLIT_BINS, SPLIT_WEIGHT_SUM,
					    arrival->splits[g][c]);
	memcpy(arrival->most, b->most, sizeof(b->most));
	arrival->burst_count = b->burst_count;
	memcpy(arrival->bursts, b->bursts, sizeof(b->bursts));
	for (unsigned int c = 0; c < PROFILE_GAP_CLASSES; c++)
		weights_from_counts(b->enters[c], PROFILE_GAP_OCTAVES, WEIGHT_SUM,
				    arrival->enters[c]);
	for (unsigned int c = 0; c < PROFILE_GAP_CLASSES; c++)
		weights_from_counts(b->gaps[c], PROFILE_GAP_OCTAVES, WEIGHT_SUM, arrival->gaps[c]);
	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++)
		weights_from_counts(b->gap_steps[o], PROFILE_GAP_STEPS, SPLIT_WEIGHT_SUM,
				    arrival->gap_steps[o]);
}
