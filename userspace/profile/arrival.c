#include "profile/arrival.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/bins.h"
#include "profile/gap_table.h"
#include "profile/read_share.h"

#define LEAF_IOS_MAX  4096u
#define NODES_MAX     128 /* halvings of a window, and of a leaf with too many IOs: 20 + 56 */
#define SLOPE_TRIES   16
#define SEAM_NS	      40000000u /* intervals up to so long are not to meet with more than one ever had */
#define EVEN	      256u	/* factor of an octave that came as often as it should */
#define LARGEST_TRIES 4
#define SPAN_STEADY   900 /* per mille of a leaf from the first IO to the last */
#define STEER_EVERY   16  /* IOs */
#define GAIN_BASE     4	  /* gaps too few or too many that double or halve a chance, */
#define GAIN_SHARE    256 /* and one more for so many gaps */

/* An interval of time and how many IOs fall into it. */
struct node {
	uint64_t begin_ns, end_ns;
	uint64_t ios;
	uint64_t reads; /* of them */
	uint32_t level; /* halvings so far */
	uint64_t index; /* of the interval among all of its level */
	/* What comes after it, of an interval that was halved right_shift times less. */
	uint64_t right_ios;
	unsigned int right_shift;
	int burst; /* index of the one that it holds; -1: none */
};

struct arrival {
	const struct profile *p;
	uint64_t left; /* IOs not given yet */
	uint64_t base_ns;
	uint32_t window;
	/* The last interval of each level that holds an IO. */
	struct {
		uint64_t index, ios;
	} before[PROFILE_HALVINGS_MAX + 1];
	uint32_t burst;		      /* the next one */
	struct node nodes[NODES_MAX]; /* a stack, the earliest on top */
	unsigned int node_count;
	uint64_t at_ns;			/* of the last IO given */
	uint64_t together;		/* IOs still to be given at at_ns */
	uint64_t gaps_ns[LEAF_IOS_MAX]; /* of the current leaf */
	unsigned int gap_at, gap_count;
	uint64_t reads, others; /* of the current leaf, not given yet */
	bool any;		/* at_ns is the time of an IO */
	struct gap_table table;
	/* Octaves that came out too often so far are made less likely, those that lack more. */
	uint32_t factors[PROFILE_GAP_OCTAVES];
	uint64_t given, given_octaves[PROFILE_GAP_OCTAVES];
	uint64_t last_ns, weight_sum;
	unsigned int first_octave, end_octave; /* that gaps may have */
	uint64_t steered_at;		       /* IOs given when the factors were last set */
	struct steered_gaps {
		uint64_t at_given, sum, weights[PROFILE_GAP_OCTAVES];
	} steered[PROFILE_GAP_CLASSES];
};

/* The octaves that any gap is drawn from: the others need no steering. */
static void find_octaves(struct arrival *a)
{
	const struct profile_arrival *model = &a->p->arrival;

	a->first_octave = PROFILE_GAP_OCTAVES;
	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++)
		for (unsigned int class = 0; class < PROFILE_GAP_CLASSES; class ++)
			if (model->gaps[class][o] || model->enters[class][o]) {
				a->first_octave = at_most(a->first_octave, o);
				a->end_octave = o + 1;
			}
}

static void steer_gaps(const struct arrival *a, unsigned int class, struct steered_gaps *gaps)
{
	const uint32_t *weights = a->p->arrival.gaps[class];

	gaps->sum = 0;
	for (unsigned int octave = a->first_octave; octave < a->end_octave; octave++)
		gaps->sum += gaps->weights[octave] = (uint64_t)weights[octave] * a->factors[octave];
	gaps->at_given = a->steered_at;
}

int arrival__create(const struct profile *p, struct arrival **arrival)
{
	struct arrival *a = calloc(1, sizeof(*a));

	if (!a)
		return -ENOMEM;
	a->p = p;
	a->left = p->ios;
	for (unsigned int i = 0; i < PROFILE_GAP_OCTAVES; i++) {
		a->weight_sum += p->arrival.all_gaps[i];
		a->factors[i] = EVEN;
	}
	gap_table_init(&a->table, &p->arrival);
	find_octaves(a);
	for (unsigned int class = 0; class < PROFILE_GAP_CLASSES; class ++)
		steer_gaps(a, class, &a->steered[class]);
	*arrival = a;
	return 0;
}

void arrival__restart(struct arrival *a, uint64_t base_ns)
{
	a->left = a->p->ios;
	a->window = 0;
	a->burst = 0;
	a->node_count = 0;
	a->together = 0;
	a->gap_at = 0;
	a->gap_count = 0;
	a->any = false;
	a->at_ns = 0;
	a->given = 0;
	memset(a->before, 0, sizeof(a->before));
	memset(a->given_octaves, 0, sizeof(a->given_octaves));
	a->base_ns = base_ns;
}

void arrival__free(struct arrival *a)
{
	free(a);
}

/* Weight per 256th of n of a bin but the first. */
static uint64_t density(const uint32_t *weights, unsigned int bin)
{
	return ((uint64_t)weights[bin] << 16) / (split_edges[bin] - split_edges[bin + 1]);
}

/*
 * How likely a difference is within its bin, in 1024ths of the likeliest there: the density goes
 * straight from the mean with the neighbour on one side to that on the other.
 */
static uint64_t slope(const uint32_t *weights, unsigned int bin, uint64_t difference, uint64_t n)
{
	uint64_t own = density(weights, bin), high = own, low = own, most, at;
	uint64_t width = split_edges[bin] - split_edges[bin + 1], offset;

	if (bin > 1)
		high = (own + density(weights, bin - 1)) / 2;
	if (bin < PROFILE_SPLIT_BINS - 1)
		low = (own + density(weights, bin + 1)) / 2;
	most = high > low ? high : low;
	if (!most)
		return 1024;
	at = difference * 256;
	offset = at > n * split_edges[bin + 1] ? at - n * split_edges[bin + 1] : 0;
	if (offset > n * width)
		offset = n * width;
	at = part_begin(low, n * width - offset, n * width) + part_begin(high, offset, n * width);
	return at * 1024 / most;
}

/* How many more IOs the fuller half gets: any number of the bin that n can be split by. */
static uint64_t draw_difference(const uint32_t *weights, uint64_t n, struct prng *random)
{
	int bin = prng_weighted(random, weights, PROFILE_SPLIT_BINS);
	uint64_t low, high, choices, difference = n;

	if (bin == 0)
		return n;
	if (bin < 0)
		return n & 1;
	low = n * split_edges[bin + 1] / 256 + 1;
	if (bin == PROFILE_SPLIT_BINS - 1)
		low = 0;
	high = n * split_edges[bin] / 256;
	if (high == n)
		high--;
	high -= (high ^ n) & 1 && high ? 1 : 0;
	low += (low ^ n) & 1;
	if (low >= high)
		return high | (n & 1);
	choices = (high - low) / 2 + 1;
	for (unsigned int tries = 0; tries < SLOPE_TRIES; tries++) {
		difference = low + 2 * prng_below(random, choices);
		if (prng_below(random, 1024) < slope(weights, (unsigned int)bin, difference, n))
			break;
	}
	return difference;
}

static void push(struct arrival *a, struct node node)
{
	if (node.ios)
		a->nodes[a->node_count++] = node;
}

/* The weights for n IOs, or for the next smaller number that has any. */
static const uint32_t *split_row(const struct profile_arrival *model, uint32_t level, uint64_t n)
{
	unsigned int class = split_class(n);

	for (; class; class --)
		for (unsigned int i = 0; i < PROFILE_SPLIT_BINS; i++)
			if (model->splits[level / 2][class][i])
				return model->splits[level / 2][class];
	return model->splits[level / 2][0];
}

/* Whether the first half gets more: rather the one next to the busier neighbour. */
static bool first_gets_more(const struct arrival *a, const struct node *node, struct prng *random)
{
	uint64_t half = node->level + 1, before = 0, after = node->right_ios;
	uint32_t permille;

	if (node->level >= a->p->arrival.halvings)
		return !(prng_next(random) >> 63);
	if (a->before[half].index + 1 == 2 * node->index)
		before = a->before[half].ios << (node->right_shift + 1);
	permille = a->p->arrival.lean_permille[node->level / 2][lean_bin(
		before > after ? before - after : after - before, node->ios << node->right_shift)];
	if (before == after || !permille)
		permille = 500;
	return (prng_below(random, 1000) < permille) == (before >= after);
}

/*
 * The first half with the interval before it is as long as the node: no such pair gets more IOs than any interval of that
 * length, or bursts that meet at a seam would be higher than all that there were.
 */
static uint64_t most_beside(const struct arrival *a, const struct node *node, uint64_t first)
{
	const struct profile_arrival *model = &a->p->arrival;
	uint64_t half = node->level + 1, before, pair, most;

	if (!node->level || node->level >= model->halvings ||
	    node->end_ns - node->begin_ns > SEAM_NS ||
	    a->before[half].index + 1 != 2 * node->index || !model->most[node->level - 1])
		return first;
	before = a->before[half].ios;
	pair = model->most[node->level - 1];
	if (before + first <= pair)
		return first;
	/* What it does not get falls to the second half. */
	first = pair > before ? pair - before : 0;
	most = model->most[node->level];
	return most && node->ios - first > most ? node->ios - most : first;
}

/* How many IOs of a node fall into its first half. */
static uint64_t draw_first_half(const struct arrival *a, const struct node *node,
				struct prng *random)
{
	const struct profile_arrival *model = &a->p->arrival;
	uint64_t n = node->ios, difference = n & 1, most, more;

	if (n < 2)
		difference = n;
	else if (node->level < model->halvings)
		difference = draw_difference(split_row(model, node->level, n), n, random);
	more = (n + difference) / 2;
	most = node->level < model->halvings ? model->most[node->level] : 0;
	if (most && more > most)
		more = most > (n + 1) / 2 ? most : (n + 1) / 2;
	return most_beside(a, node, first_gets_more(a, node, random) ? more : n - more);
}

/* How many reads of a node fall into its first half, which has `first` of its IOs. */
static uint64_t first_reads(const struct arrival *a, const struct node *node, uint64_t first,
			    struct prng *random)
{
	uint64_t second = node->ios - first, busier;
	struct read_split split = {.ios = node->ios,
				   .reads = node->reads,
				   .busier_ios = first >= second ? first : second};

	if (!a->p->arrival.reads_known)
		return 0;
	if (read_split_is_open(&split, &busier))
		busier = read_split_draw(&split, a->p->arrival.read_shares, random);
	return first >= second ? busier : node->reads - busier;
}

static void split(struct arrival *a, struct node node, struct prng *random)
{
	const struct profile_arrival *model = &a->p->arrival;
	uint64_t middle_ns = node.begin_ns + (node.end_ns - node.begin_ns) / 2, first, reads;
	int burst = node.level < model->halvings ? node.burst : -1;
	bool second_half = false;

	if (burst >= 0) {
		const struct profile_burst *b = &model->bursts[burst];
		uint64_t kept = b->ios[node.level] < node.ios ? b->ios[node.level] : node.ios;

		second_half = b->leaf >> (model->halvings - node.level - 1) & 1;
		first = second_half ? node.ios - kept : kept;
	} else {
		first = draw_first_half(a, &node, random);
	}
	reads = first_reads(a, &node, first, random);
	push(a, (struct node){.begin_ns = middle_ns,
			      .end_ns = node.end_ns,
			      .ios = node.ios - first,
			      .reads = node.reads - reads,
			      .level = node.level + 1,
			      .index = 2 * node.index + 1,
			      .right_ios = node.right_ios,
			      .right_shift = node.right_shift + 1,
			      .burst = second_half ? burst : -1});
	push(a, (struct node){.begin_ns = node.begin_ns,
			      .end_ns = middle_ns,
			      .ios = first,
			      .reads = reads,
			      .level = node.level + 1,
			      .index = 2 * node.index,
			      .right_ios = node.ios - first,
			      .burst = second_half ? -1 : burst});
}

static uint64_t draw_gap(struct arrival *a, unsigned int class, struct prng *random)
{
	struct steered_gaps *gaps = &a->steered[class];
	unsigned int octave = a->first_octave;
	uint64_t at;

	if (gaps->at_given != a->steered_at)
		steer_gaps(a, class, gaps);
	if (!gaps->sum)
		return 0;
	at = prng_below(random, gaps->sum);
	for (; at >= gaps->weights[octave]; octave++)
		at -= gaps->weights[octave];
	return gap_table_draw(&a->table, octave, random);
}

static void steer(struct arrival *a)
{
	int64_t gain = GAIN_BASE + (int64_t)(a->given / GAIN_SHARE);

	a->steered_at = a->given;
	for (unsigned int i = a->first_octave; i < a->end_octave; i++) {
		uint64_t wanted = part_begin(a->given, a->p->arrival.all_gaps[i], a->weight_sum);
		int64_t lacking = (int64_t)(wanted - a->given_octaves[i]);

		if (lacking > 15 * gain)
			lacking = 15 * gain;
		else if (lacking < -15 * gain)
			lacking = -15 * gain;
		a->factors[i] =
			lacking >= 0
				? (uint32_t)(EVEN * (uint64_t)(gain + lacking) / (uint64_t)gain)
				: (uint32_t)(EVEN * (uint64_t)gain / (uint64_t)(gain - lacking));
	}
}

static void note_gap(struct arrival *a)
{
	if (a->given++) {
		a->given_octaves[gap_octave(a->at_ns - a->last_ns)]++;
		if (a->given % STEER_EVERY == 0 && a->weight_sum)
			steer(a);
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

/* Draws gaps again, the largest first, until their sum lies in [least, most], or nearly. */
static uint64_t draw_again(struct arrival *a, unsigned int count, uint64_t sum, uint64_t least,
			   uint64_t most, struct prng *random)
{
	unsigned int class = gap_class(count + 1ull);

	for (unsigned int tries = 0; tries < 4 * count + 16; tries++) {
		uint64_t gap_ns, *at = &a->gaps_ns[prng_below(random, count)];
		bool too_long = sum > most;

		if (!too_long && sum >= least)
			break;
		if (too_long && tries < LARGEST_TRIES)
			at = &a->gaps_ns[largest_gap(a, count)];
		gap_ns = draw_gap(a, class, random);
		if (too_long ? gap_ns >= *at : gap_ns <= *at || sum - *at + gap_ns > most)
			continue;
		sum = sum - *at + gap_ns;
		*at = gap_ns;
	}
	return sum;
}

/* Gaps whose sum is at most `most`, and not much below `least`. */
static uint64_t draw_gaps(struct arrival *a, unsigned int count, uint64_t least, uint64_t most,
			  struct prng *random)
{
	unsigned int class = gap_class(count + 1ull);
	uint64_t sum = 0, shrunk = 0;

	for (unsigned int i = 0; i < count; i++)
		sum += a->gaps_ns[i] = draw_gap(a, class, random);
	if (count)
		sum = draw_again(a, count, sum, least, most, random);
	if (sum <= most)
		return sum;
	for (unsigned int i = 0; i < count; i++)
		shrunk += a->gaps_ns[i] = part_begin(most, a->gaps_ns[i], sum);
	return shrunk;
}

/* Where the IOs of a leaf span most of it, they do so always. */
static uint64_t least_span(const struct profile_arrival *model, uint64_t ios, uint64_t length_ns)
{
	uint32_t span = ios > 1 ? model->span_permille[gap_class(ios)] : 0;

	return span >= SPAN_STEADY ? part_begin(length_ns, 2 * span - 1000, 1000) : 0;
}

/* Lays the IOs of a leaf: gaps from the table, the first after the one before. */
static void lay_leaf(struct arrival *a, struct node leaf, struct prng *random)
{
	uint64_t length_ns = leaf.end_ns - leaf.begin_ns, sum;
	unsigned int count = (unsigned int)leaf.ios - 1;

	sum = draw_gaps(a, count, least_span(&a->p->arrival, leaf.ios, length_ns), length_ns,
			random);
	if (a->any)
		a->at_ns += gap_table_draw_between(
			&a->table, a->p->arrival.enters[enter_class(leaf.ios)], a->factors,
			leaf.begin_ns - a->at_ns, leaf.end_ns - sum - a->at_ns, random);
	else
		a->at_ns = leaf.begin_ns + prng_below(random, length_ns - sum + 1);
	a->any = true;
	a->gap_at = 0;
	a->gap_count = count;
}

/* A node of one IO down to its leaf: one of both halves is empty each time. */
static void follow_one(struct arrival *a, struct node *node, struct prng *random)
{
	const struct profile_arrival *model = &a->p->arrival;

	while (node->level < model->halvings && node->end_ns - node->begin_ns > 1) {
		uint64_t middle_ns = node->begin_ns + (node->end_ns - node->begin_ns) / 2;

		if (first_gets_more(a, node, random)) {
			node->end_ns = middle_ns;
			node->right_ios = 0;
			node->right_shift = 0;
			node->index = 2 * node->index;
		} else {
			node->begin_ns = middle_ns;
			node->right_shift++;
			node->index = 2 * node->index + 1;
		}
		node->level++;
		a->before[node->level].index = node->index;
		a->before[node->level].ios = 1;
	}
}

static bool next_window(struct arrival *a)
{
	const struct profile_arrival *model = &a->p->arrival;
	uint64_t duration_ns = a->p->duration_ns;
	int burst = -1;

	if (a->window >= model->window_count)
		return false;
	while (a->burst < model->burst_count && model->bursts[a->burst].window < a->window)
		a->burst++;
	if (a->burst < model->burst_count && model->bursts[a->burst].window == a->window)
		burst = (int)a->burst;
	push(a, (struct node){
			.begin_ns = part_begin(duration_ns, a->window, model->window_count),
			.end_ns = part_begin(duration_ns, a->window + 1ull, model->window_count),
			.ios = model->windows[a->window],
			.reads = model->reads[a->window],
			.index = a->window + 1ull,
			.right_ios = model->windows[a->window],
			.burst = burst,
		});
	a->window++;
	return true;
}

/* The next IO in the order of the model. */
static void advance(struct arrival *a, struct prng *random)
{
	if (a->together) {
		a->together--;
		return;
	}
	if (a->gap_at < a->gap_count) {
		a->at_ns += a->gaps_ns[a->gap_at++];
		return;
	}
	for (;;) {
		struct node node;

		if (!a->node_count) {
			if (!next_window(a))
				return;
			continue;
		}
		node = a->nodes[--a->node_count];
		if (node.level <= a->p->arrival.halvings) {
			a->before[node.level].index = node.index;
			a->before[node.level].ios = node.ios;
		}
		if (node.ios == 1 && node.burst < 0)
			follow_one(a, &node, random);
		a->reads = node.reads;
		a->others = node.ios - node.reads;
		if (node.end_ns - node.begin_ns <= 1) {
			a->at_ns = node.begin_ns;
			a->any = true;
			a->together = node.ios - 1;
			return;
		}
		if (node.level >= a->p->arrival.halvings && node.ios <= LEAF_IOS_MAX) {
			lay_leaf(a, node, random);
			return;
		}
		split(a, node, random);
	}
}

bool arrival__still(const struct arrival *a, uint64_t *reads, uint64_t *others)
{
	*reads = a->reads;
	*others = a->others;
	return a->p->arrival.reads_known && (a->reads || a->others);
}

void arrival__became(struct arrival *a, bool is_read)
{
	uint64_t *left = is_read ? &a->reads : &a->others;

	if (!*left)
		left = is_read ? &a->others : &a->reads;
	if (*left)
		--*left;
}

bool arrival__next(struct arrival *a, struct prng *random, uint64_t *time_ns, uint32_t *window)
{
	if (!a->left)
		return false;
	advance(a, random);
	note_gap(a);
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
