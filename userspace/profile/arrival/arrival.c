// SPDX-License-Identifier: MIT
#include "profile/arrival/arrival.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/classes.h"
#include "profile/arrival/gap_table.h"
#include "profile/arrival/cascade.h"

#define BIN_IOS_MAX    4096u
#define NODES_MAX      128 /* split levels of a window, and of a bin with too many IOs: 20 + 56 */
#define LARGEST_TRIES  4
#define FEEDBACK_EVERY 16	   /* IOs */
#define GAIN_BASE      4	   /* gaps too few or too many that double or halve a chance, */
#define GAIN_SHARE     4096	   /* and one more for so many gaps */
#define SLACK_IOS      8	   /* so few IOs that stay together may move */
#define PEAK_NS	       10000000ull /* not to where more would meet in so long than the peak cap allows */

struct arrival {
	const struct profile *p;
	struct cascade cascade;
	struct cascade_node nodes[NODES_MAX]; /* a stack, the earliest on top */
	uint64_t gaps_ns[BIN_IOS_MAX];	      /* of the current bin */
	uint64_t still[2][CLASSES_OF_OP];     /* of the current bin: others, reads */
	bool classes_known;		      /* the profile tells IOs apart */
	bool gaps_known;		      /* otherwise IOs are anywhere in their bin */
	uint64_t window_counts[PROFILE_WINDOWS_MAX][CLASS_COUNTS];
	struct burst_neighbourhood neighbourhoods[PROFILE_WINDOWS_MAX]; /* of the phase */
	/*
	 * Feedback: octaves that came too often are made less likely, those that lack more likely.
	 */
	uint32_t factors[PROFILE_GAP_OCTAVES];
	uint64_t last_ns, weight_sum;
	unsigned int first_octave, end_octave; /* that gaps may have */
	unsigned int gap_rows[PROFILE_GAP_CLASSES];
	uint64_t factors_at; /* IOs given when the factors were last set */
	struct row_weights {
		uint64_t at_given, sum, weights[PROFILE_GAP_OCTAVES];
	} weighed[PROFILE_GAP_CLASSES];

	/* From here on arrival__restart() begins with zeros. */
	uint64_t left; /* IOs not given yet */
	uint64_t base_ns;
	uint32_t window;
	uint32_t phase; /* of window_counts, counted from 1 */
	uint32_t burst; /* the next pinned burst */
	unsigned int node_count;
	uint64_t at_ns;	  /* of the last IO given */
	uint64_t at_once; /* IOs still to be given at at_ns */
	unsigned int gap_at, gap_count;
	bool any; /* at_ns is the time of an IO */
	struct peak_guard {
		uint64_t length_ns; /* of an interval */
		uint64_t most;	    /* most IOs of two neighbouring intervals; 0: any number */
		uint64_t index, ios, ios_before;
	} peak_guard; /* the interval of the last IO and the interval before it */
	uint64_t given, given_octaves[PROFILE_GAP_OCTAVES];
};

/* The octaves that any gap is drawn from; the others need no feedback. */
static void find_octaves(struct arrival *a)
{
	const struct profile_arrival *model = &a->p->arrival;

	a->first_octave = PROFILE_GAP_OCTAVES;
	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++)
		for (unsigned int class = 0; class < PROFILE_GAP_CLASSES; class ++)
			if (model->gaps[class][o] || model->entry_gaps[class][o]) {
				a->first_octave = at_most(a->first_octave, o);
				a->end_octave = o + 1;
			}
}

static bool any_gaps(const struct profile_arrival *model, unsigned int class)
{
	return sum_of_weights(model->gaps[class], PROFILE_GAP_OCTAVES);
}

/* The trace may have no bin with as many IOs as a generated one: the nearest row counts. */
static void find_gap_rows(struct arrival *a)
{
	const struct profile_arrival *model = &a->p->arrival;

	for (unsigned int class = 0; class < PROFILE_GAP_CLASSES; class ++) {
		a->gap_rows[class] = class;
		for (unsigned int apart = 0; apart < PROFILE_GAP_CLASSES; apart++) {
			if (class >= apart && any_gaps(model, class - apart)) {
				a->gap_rows[class] = class - apart;
				break;
			}
			if (class + apart < PROFILE_GAP_CLASSES && any_gaps(model, class + apart)) {
				a->gap_rows[class] = class + apart;
				break;
			}
		}
	}
}

static void weigh_row(const struct arrival *a, unsigned int class, struct row_weights *gaps)
{
	const uint32_t *weights = a->p->arrival.gaps[a->gap_rows[class]];

	gaps->sum = 0;
	for (unsigned int o = a->first_octave; o < a->end_octave; o++)
		gaps->sum += gaps->weights[o] = (uint64_t)weights[o] * a->factors[o];
	gaps->at_given = a->factors_at;
}

/* No guard where bins are longer than its interval, or where the peak cap says little. */
static void peak_guard_init(struct peak_guard *c, const struct profile *p)
{
	const struct profile_arrival *model = &p->arrival;
	uint64_t window_ns = model->window_count ? p->duration_ns / model->window_count : 0;
	uint32_t split_levels = model->split_levels;

	*c = (struct peak_guard){.length_ns = 1};
	if (model->window_count < SEAM_WINDOWS || window_ns >> split_levels >= PEAK_NS)
		return;
	while (split_levels && window_ns >> split_levels < PEAK_NS)
		split_levels--;
	c->length_ns = (window_ns >> split_levels) + 1;
	c->most = split_levels > 1 ? model->peak_cap[split_levels - 2] : 0;
}

static void peak_guard_note(struct peak_guard *c, uint64_t time_ns, uint64_t ios)
{
	uint64_t index = time_ns / c->length_ns;

	if (index != c->index) {
		c->ios_before = index == c->index + 1 ? c->ios : 0;
		c->ios = 0;
		c->index = index;
	}
	c->ios += ios;
}

static bool peak_guard_allows(const struct peak_guard *c, uint64_t ios)
{
	return !c->most || c->ios_before + c->ios + ios <= c->most;
}

int arrival__create(const struct profile *p, struct arrival **arrival)
{
	struct arrival *a = calloc(1, sizeof(*a));

	if (!a)
		return -ENOMEM;
	a->p = p;
	a->left = p->ios;
	a->weight_sum = sum_of_weights(p->arrival.gap_histogram, PROFILE_GAP_OCTAVES);
	for (unsigned int i = 0; i < PROFILE_GAP_OCTAVES; i++)
		a->factors[i] = FACTOR_EVEN;
	a->classes_known = p->arrival.reads_known || size_classes_known(&p->arrival, false) ||
			   size_classes_known(&p->arrival, true);
	peak_guard_init(&a->peak_guard, p);
	find_octaves(a);
	a->gaps_known = a->end_octave > 0;
	cascade_init(&a->cascade, p, a->gaps_known);
	find_gap_rows(a);
	for (unsigned int class = 0; class < PROFILE_GAP_CLASSES; class ++)
		weigh_row(a, class, &a->weighed[class]);
	*arrival = a;
	return 0;
}

void arrival__restart(struct arrival *a, uint64_t base_ns)
{
	memset((char *)a + offsetof(struct arrival, left), 0,
	       sizeof(*a) - offsetof(struct arrival, left));
	a->left = a->p->ios;
	a->base_ns = base_ns;
	peak_guard_init(&a->peak_guard, a->p);
	memset(a->cascade.before, 0, sizeof(a->cascade.before));
}

void arrival__free(struct arrival *a)
{
	free(a);
}

static void push(struct arrival *a, const struct cascade_node *node)
{
	if (node->ios)
		a->nodes[a->node_count++] = *node;
}

/* A few IOs that all fall into one half keep the slack of the whole. */
static void give_slack(const struct arrival *a, const struct cascade_node *node,
		       struct cascade_node *left, struct cascade_node *right)
{
	if (a->gaps_known && (!left->ios || !right->ios) && node->ios <= SLACK_IOS &&
	    left->burst < 0 && right->burst < 0 && cascade_keeps_slack(&a->p->arrival, left))
		return;
	cascade_own_slack(left);
	cascade_own_slack(right);
}

static void push_halves(struct arrival *a, const struct cascade_node *node, uint64_t middle_ns,
			uint64_t first, const uint64_t firsts[CLASS_COUNTS],
			const uint64_t seconds[CLASS_COUNTS], int second_burst, int first_burst)
{
	struct cascade_node left = *node, right = *node;

	right.begin_ns = left.end_ns = middle_ns;
	left.level = ++right.level;
	left.index = 2 * node->index;
	right.index = left.index + 1;
	left.ios = first;
	right.ios = node->ios - first;
	right.burst = second_burst;
	left.burst = first_burst;
	right.right_shift++;
	left.right_shift = 0;
	memcpy(right.counts, seconds, sizeof(right.counts));
	memcpy(left.counts, firsts, sizeof(left.counts));
	for (unsigned int k = 0; k < KINDS; k++)
		left.right_ios[k] = cascade_ios(&right, k);
	give_slack(a, node, &left, &right);
	push(a, &right);
	push(a, &left);
}

/*
 * Splits the counts of a node. Around a pinned burst the counts of its neighbourhood are known and
 * the rest is split; `second_half` is where the burst is.
 */
static void split_classes(const struct arrival *a, const struct cascade_node *node, uint64_t first,
			  int burst, bool second_half, struct prng *random,
			  uint64_t firsts[CLASS_COUNTS], uint64_t seconds[CLASS_COUNTS])
{
	const struct profile_arrival *model = &a->p->arrival;
	struct burst_neighbourhood neighbourhood = {0};
	uint64_t others[CLASS_COUNTS];

	if (burst >= 0 && node->level < burst_neighbourhood_level(model->split_levels))
		neighbourhood = a->neighbourhoods[model->pinned_bursts[burst].window];
	for (unsigned int m = 0; m < CLASS_COUNTS; m++)
		others[m] = node->counts[m] - neighbourhood.counts[m];
	if (!second_half) {
		first -= neighbourhood.ios;
		firsts[COUNT_READS] -= model->kinds_known ? neighbourhood.counts[COUNT_READS] : 0;
	}
	class_counts_split(model, others, node->ios - neighbourhood.ios, first, model->kinds_known,
			   random, firsts);
	for (unsigned int m = 0; m < CLASS_COUNTS; m++) {
		firsts[m] += second_half ? 0 : neighbourhood.counts[m];
		seconds[m] = node->counts[m] - firsts[m];
	}
}

static void split(struct arrival *a, struct cascade_node node, struct prng *random)
{
	const struct profile_arrival *model = &a->p->arrival;
	uint64_t middle_ns = node.begin_ns + (node.end_ns - node.begin_ns) / 2, first;
	uint64_t firsts[CLASS_COUNTS] = {0}, seconds[CLASS_COUNTS] = {0};
	int burst = node.level < model->split_levels ? node.burst : -1;
	bool second_half = false;

	if (burst >= 0) {
		second_half =
			model->pinned_bursts[burst].bin >> (model->split_levels - node.level - 1) &
			1;
		first = cascade_pinned(model, &node, second_half, &firsts[COUNT_READS]);
	} else {
		first = cascade_draw(&a->cascade, &node, random, &firsts[COUNT_READS]);
	}
	if (a->classes_known)
		split_classes(a, &node, first, burst, second_half, random, firsts, seconds);
	push_halves(a, &node, middle_ns, first, firsts, seconds, second_half ? burst : -1,
		    second_half ? -1 : burst);
}

static uint64_t draw_gap(struct arrival *a, unsigned int class, struct prng *random)
{
	struct row_weights *gaps = &a->weighed[class];
	unsigned int octave;

	if (gaps->at_given != a->factors_at)
		weigh_row(a, class, gaps);
	if (!gaps->sum)
		return 0;
	octave = a->first_octave +
		 prng_weighted_of_64(random, gaps->weights + a->first_octave, gaps->sum);
	return gap_draw(&a->p->arrival, octave, random);
}

static void feedback(struct arrival *a)
{
	int64_t gain = GAIN_BASE + (int64_t)(a->given / GAIN_SHARE);

	a->factors_at = a->given;
	for (unsigned int i = a->first_octave; i < a->end_octave; i++) {
		uint64_t wanted =
			part_begin(a->given, a->p->arrival.gap_histogram[i], a->weight_sum);

		a->factors[i] = factor_of(wanted, a->given_octaves[i], gain, 16);
	}
}

static void note_gap(struct arrival *a)
{
	if (a->given++) {
		a->given_octaves[gap_octave(a->at_ns - a->last_ns)]++;
		if (a->given % FEEDBACK_EVERY == 0 && a->weight_sum)
			feedback(a);
	}
	a->last_ns = a->at_ns;
}

static unsigned int largest_gap(const struct arrival *a, unsigned int count)
{
	unsigned int largest = 0;

	for (unsigned int i = 1; i < count; i++)
		if (a->gaps_ns[i] > a->gaps_ns[largest])
			largest = i;
	return largest;
}

/* Draws gaps again, the largest first, until their sum is at most `most`, or nearly. */
static uint64_t draw_again(struct arrival *a, unsigned int count, uint64_t sum, uint64_t most,
			   struct prng *random)
{
	unsigned int class = gap_class(count + 1ull);

	for (unsigned int tries = 0; tries < 4 * count + 16; tries++) {
		uint64_t gap_ns, *at = &a->gaps_ns[prng_below(random, count)];

		if (sum <= most)
			break;
		if (tries < LARGEST_TRIES)
			at = &a->gaps_ns[largest_gap(a, count)];
		gap_ns = draw_gap(a, class, random);
		if (gap_ns >= *at)
			continue;
		sum = sum - *at + gap_ns;
		*at = gap_ns;
	}
	return sum;
}

/* Gaps after the entry gap, with a sum of at most `most`. */
static uint64_t draw_gaps(struct arrival *a, unsigned int count, uint64_t most, struct prng *random)
{
	unsigned int class = gap_class(count + 1ull);
	uint64_t sum = 0, shrunk = 0;

	for (unsigned int i = 0; i < count; i++)
		sum += a->gaps_ns[i] = draw_gap(a, class, random);
	if (count)
		sum = draw_again(a, count, sum, most, random);
	if (sum <= most)
		return sum;
	for (unsigned int i = 0; i < count; i++)
		shrunk += a->gaps_ns[i] = part_begin(most, a->gaps_ns[i], sum);
	return shrunk;
}

/* The entry gap, such that gaps with this sum end in the bin. */
static uint64_t draw_entry_gap(struct arrival *a, const struct cascade_node *bin, uint64_t sum,
			       struct prng *random)
{
	return gap_draw_between(&a->p->arrival, a->p->arrival.entry_gaps[entry_gap_class(bin->ios)],
				a->factors, bin->slack_begin_ns - a->at_ns,
				bin->slack_end_ns - sum - a->at_ns, random);
}

/* Places the IOs of a bin: gaps from the table. */
static void lay_bin(struct arrival *a, struct cascade_node bin, struct prng *random)
{
	uint64_t length_ns = bin.end_ns - bin.begin_ns, sum;
	unsigned int count = (unsigned int)bin.ios - 1;

	if (!peak_guard_allows(&a->peak_guard, bin.ios))
		cascade_own_slack(&bin);
	sum = draw_gaps(a, count, length_ns, random);
	if (!a->any)
		a->at_ns = bin.begin_ns + prng_below(random, length_ns - sum + 1);
	else
		a->at_ns += draw_entry_gap(a, &bin, sum, random);
	peak_guard_note(&a->peak_guard, a->at_ns, bin.ios);
	a->any = true;
	a->gap_at = 0;
	a->gap_count = count;
}

/* The counts of all windows of a phase are drawn with its first window. */
static const uint64_t *counts_of_window(struct arrival *a, struct prng *random)
{
	uint32_t windows = a->p->arrival.window_count, end = a->window;
	uint64_t phases = a->p->phase_count;
	uint32_t phase = (uint32_t)part_begin(phases, a->window, windows);

	if (a->classes_known && a->phase != phase + 1) {
		while (end < windows && part_begin(phases, end, windows) == phase)
			end++;
		class_counts_of_windows(a->p, phase, a->window, end, random, a->window_counts,
					a->neighbourhoods);
		a->phase = phase + 1;
	}
	return a->window_counts[a->window];
}

static bool next_window(struct arrival *a, struct prng *random)
{
	const struct profile_arrival *model = &a->p->arrival;
	uint64_t duration_ns = a->p->duration_ns;
	struct cascade_node window;
	int burst = -1;

	if (a->window >= model->window_count)
		return false;
	while (a->burst < model->pinned_burst_count &&
	       model->pinned_bursts[a->burst].window < a->window)
		a->burst++;
	if (a->burst < model->pinned_burst_count &&
	    model->pinned_bursts[a->burst].window == a->window)
		burst = (int)a->burst;
	window = (struct cascade_node){
		.begin_ns = part_begin(duration_ns, a->window, model->window_count),
		.end_ns = part_begin(duration_ns, a->window + 1ull, model->window_count),
		.ios = model->windows[a->window],
		.index = a->window + 1ull,
		.burst = burst,
	};
	cascade_own_slack(&window);
	memcpy(window.counts, counts_of_window(a, random), sizeof(window.counts));
	for (unsigned int k = 0; k < KINDS; k++)
		window.right_ios[k] = cascade_ios(&window, k);
	push(a, &window);
	a->window++;
	return true;
}

/* Without gaps, bins are split at random until each IO is alone. */
static bool is_bin(const struct arrival *a, const struct cascade_node *node)
{
	return node->level >= a->p->arrival.split_levels &&
	       node->ios <= (a->gaps_known ? BIN_IOS_MAX : 1);
}

/* The next IO in the order of the model. */
static void advance(struct arrival *a, struct prng *random)
{
	if (a->at_once) {
		a->at_once--;
		return;
	}
	if (a->gap_at < a->gap_count) {
		a->at_ns += a->gaps_ns[a->gap_at++];
		return;
	}
	for (;;) {
		struct cascade_node node;
		bool at_once;

		if (!a->node_count) {
			if (!next_window(a, random))
				return;
			continue;
		}
		node = a->nodes[--a->node_count];
		cascade_enter(&a->cascade, &node);
		if (node.ios == 1 && node.burst < 0)
			cascade_follow_one(&a->cascade, &node, random);
		at_once = node.end_ns - node.begin_ns <= 1;
		if (!at_once && !is_bin(a, &node)) {
			split(a, node, random);
			continue;
		}
		class_counts_by_op(node.counts, node.ios, a->still);
		if (!at_once) {
			lay_bin(a, node, random);
			return;
		}
		a->at_ns = node.begin_ns;
		a->any = true;
		a->at_once = node.ios - 1;
		return;
	}
}

const uint64_t (*arrival__still(const struct arrival *a))[CLASSES_OF_OP]
{
	return a->classes_known ? a->still : NULL;
}

void arrival__became(struct arrival *a, bool is_read, unsigned int class)
{
	uint64_t *still = &a->still[is_read][class];

	/* If this class is used up, another one is reduced, of the same op if possible. */
	for (unsigned int i = 0; !*still && i < 2 * CLASSES_OF_OP; i++)
		still = &a->still[is_read ^ (i >= CLASSES_OF_OP)][i % CLASSES_OF_OP];
	if (*still)
		--*still;
}

bool arrival__next(struct arrival *a, struct prng *random, uint64_t *time_ns, uint32_t *window)
{
	if (!a->left)
		return false;
	if (a->p->arrival.even) {
		uint64_t last = a->p->ios - 1;

		a->at_ns = last ? part_begin(a->p->duration_ns, a->p->ios - a->left, last) : 0;
	} else {
		advance(a, random);
		note_gap(a);
	}
	*time_ns = a->at_ns;
	if (a->left == a->p->ios)
		*time_ns = 0;
	else if (a->left == 1)
		*time_ns = a->p->duration_ns;
	*time_ns += a->base_ns;
	*window = a->window ? a->window - 1 : 0;
	a->left--;
	return true;
}
