#include "profile/arrival.h"

#include <errno.h>
#include <stdlib.h>

#include "profile/bins.h"

#define LEAF_IOS_MAX 4096u
#define NODES_MAX    128 /* halvings of a window, and of a leaf with too many IOs: 20 + 56 */
#define GAP_TRIES    4
#define SLOPE_TRIES  16

/* An interval of time and how many IOs fall into it. */
struct node {
	uint64_t begin_ns, end_ns;
	uint64_t ios;
	uint32_t level; /* halvings so far */
	int burst;	/* index of the one that it holds; -1: none */
};

struct arrival {
	const struct profile *p;
	uint64_t left; /* IOs not given yet */
	uint64_t base_ns;
	uint32_t window;
	uint32_t burst;		      /* the next one */
	struct node nodes[NODES_MAX]; /* a stack, the earliest on top */
	unsigned int node_count;
	uint64_t at_ns;			/* of the last IO given */
	uint64_t together;		/* IOs still to be given at at_ns */
	uint64_t gaps_ns[LEAF_IOS_MAX]; /* of the current leaf */
	unsigned int gap_at, gap_count;
	bool any; /* at_ns is the time of an IO */
	uint64_t gap_sums[PROFILE_GAP_CLASSES];
	/* Weight of each quarter of an octave, in 1024ths. */
	uint64_t enters[PROFILE_GAP_CLASSES][PROFILE_GAP_OCTAVES * PROFILE_GAP_STEPS];
};

static void sum_up(struct arrival *a);

int arrival__create(const struct profile *p, struct arrival **arrival)
{
	struct arrival *a = calloc(1, sizeof(*a));

	if (!a)
		return -ENOMEM;
	a->p = p;
	a->left = p->ios;
	sum_up(a);
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
	at = (uint64_t)((unsigned __int128)low * (n * width - offset) / (n * width)) +
	     (uint64_t)((unsigned __int128)high * offset / (n * width));
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

/* How many IOs of a node fall into its first half. */
static uint64_t draw_first_half(const struct profile_arrival *model, const struct node *node,
				struct prng *random)
{
	uint64_t n = node->ios, difference = n & 1, most, more;

	if (n < 2)
		difference = n;
	else if (node->level < model->halvings)
		difference = draw_difference(split_row(model, node->level, n), n, random);
	more = (n + difference) / 2;
	most = node->level < model->halvings ? model->most[node->level] : 0;
	if (most && more > most)
		more = most > (n + 1) / 2 ? most : (n + 1) / 2;
	return prng_next(random) >> 63 ? n - more : more;
}

static void split(struct arrival *a, struct node node, struct prng *random)
{
	const struct profile_arrival *model = &a->p->arrival;
	uint64_t middle_ns = node.begin_ns + (node.end_ns - node.begin_ns) / 2, first;
	int burst = node.level < model->halvings ? node.burst : -1;
	bool second_half = false;

	if (burst >= 0) {
		const struct profile_burst *b = &model->bursts[burst];
		uint64_t kept = b->ios[node.level] < node.ios ? b->ios[node.level] : node.ios;

		second_half = b->leaf >> (model->halvings - node.level - 1) & 1;
		first = second_half ? node.ios - kept : kept;
	} else {
		first = draw_first_half(model, &node, random);
	}
	push(a, (struct node){middle_ns, node.end_ns, node.ios - first, node.level + 1,
			      second_half ? burst : -1});
	push(a, (struct node){node.begin_ns, middle_ns, first, node.level + 1,
			      second_half ? -1 : burst});
}

static uint64_t draw_gap(const struct arrival *a, unsigned int class, struct prng *random)
{
	const struct profile_arrival *model = &a->p->arrival;
	uint64_t low, width;
	int octave, step;

	if (!a->gap_sums[class])
		return 0;
	octave = prng_weighted_of(random, model->gaps[class], a->gap_sums[class]);
	if (!octave)
		return 0;
	low = 1ull << (octave - 1);
	if (low < PROFILE_GAP_STEPS)
		return low + prng_below(random, low);
	step = prng_weighted(random, model->gap_steps[octave], PROFILE_GAP_STEPS);
	width = low / PROFILE_GAP_STEPS;
	if (step < 0)
		return low + prng_below(random, low);
	return low + (uint64_t)step * width + prng_below(random, width);
}

static uint64_t draw_gaps(struct arrival *a, unsigned int count, struct prng *random)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < count; i++) {
		a->gaps_ns[i] = draw_gap(a, gap_class(count + 1), random);
		sum += a->gaps_ns[i];
	}
	return sum;
}

/* The part of [low, low + width) that lies in [from, to], in 1024ths, at least 1 if there is any. */
static uint64_t overlap(uint64_t low, uint64_t width, uint64_t from, uint64_t to)
{
	uint64_t begin = low > from ? low : from, end = low + width - 1 < to ? low + width - 1 : to;
	uint64_t part;

	if (begin > end)
		return 0;
	if (end - begin + 1 == width)
		return 1024;
	part = part_begin(1024, end - begin + 1, width);
	return part ? part : 1;
}

static uint64_t enter_weight(const struct profile_arrival *model, unsigned int class,
			     unsigned int segment)
{
	unsigned int octave = segment / PROFILE_GAP_STEPS, step = segment % PROFILE_GAP_STEPS;
	const uint32_t *steps = model->gap_steps[octave];
	uint64_t low = octave ? 1ull << (octave - 1) : 0, sum = 0;

	if (low < PROFILE_GAP_STEPS)
		return step ? 0 : model->enters[class][octave] * 1024ull;
	for (unsigned int i = 0; i < PROFILE_GAP_STEPS; i++)
		sum += steps[i];
	return model->enters[class][octave] * (sum ? steps[step] * 1024ull / sum : 256);
}

/* What is drawn from often, added up once. */
static void sum_up(struct arrival *a)
{
	for (unsigned int c = 0; c < PROFILE_GAP_CLASSES; c++) {
		for (unsigned int i = 0; i < PROFILE_GAP_OCTAVES; i++)
			a->gap_sums[c] += a->p->arrival.gaps[c][i];
		for (unsigned int i = 0; i < PROFILE_GAP_OCTAVES * PROFILE_GAP_STEPS; i++)
			a->enters[c][i] = enter_weight(&a->p->arrival, c, i);
	}
}

/* A quarter of an octave: where it begins and how long it is. */
static uint64_t segment_begin(unsigned int segment, uint64_t *width)
{
	unsigned int octave = segment / PROFILE_GAP_STEPS;
	uint64_t low = octave ? 1ull << (octave - 1) : 0;

	*width = low / PROFILE_GAP_STEPS;
	if (*width)
		return low + segment % PROFILE_GAP_STEPS * *width;
	*width = low ? low : 1;
	return low;
}

/* A gap in [from, to] that ends in a leaf of n IOs; any of them when the table has none such. */
static uint64_t draw_enter(const struct arrival *a, uint64_t n, uint64_t from, uint64_t to,
			   struct prng *random)
{
	unsigned int first = gap_octave(from) * PROFILE_GAP_STEPS, segment;
	unsigned int end = (gap_octave(to) + 1) * PROFILE_GAP_STEPS;
	const uint64_t *enters = a->enters[enter_class(n)];
	uint64_t weights[PROFILE_GAP_OCTAVES * PROFILE_GAP_STEPS], sum = 0, at, low, width;

	for (segment = first; segment < end; segment++) {
		weights[segment] = 0;
		if (!enters[segment])
			continue;
		low = segment_begin(segment, &width);
		sum += weights[segment] = enters[segment] * overlap(low, width, from, to);
	}
	if (!sum)
		return from + prng_below(random, to - from + 1);
	at = prng_below(random, sum);
	for (segment = first; at >= weights[segment]; segment++)
		at -= weights[segment];
	low = segment_begin(segment, &width);
	at = low + width - 1;
	low = low > from ? low : from;
	at = at < to ? at : to;
	return low + prng_below(random, at - low + 1);
}

/* Lays the IOs of a leaf: gaps from the table, the first after the one before. */
static void lay_leaf(struct arrival *a, struct node leaf, struct prng *random)
{
	uint64_t length_ns = leaf.end_ns - leaf.begin_ns, sum = 0;
	unsigned int count = (unsigned int)leaf.ios - 1;

	for (unsigned int tries = 0; tries < GAP_TRIES; tries++) {
		sum = draw_gaps(a, count, random);
		if (sum <= length_ns)
			break;
	}
	if (sum > length_ns) {
		uint64_t scaled = 0;

		for (unsigned int i = 0; i < count; i++) {
			a->gaps_ns[i] = part_begin(length_ns, a->gaps_ns[i], sum);
			scaled += a->gaps_ns[i];
		}
		sum = scaled;
	}
	if (a->any)
		a->at_ns += draw_enter(a, leaf.ios, leaf.begin_ns - a->at_ns,
				       leaf.end_ns - sum - a->at_ns, random);
	else
		a->at_ns = leaf.begin_ns + prng_below(random, length_ns - sum + 1);
	a->any = true;
	a->gap_at = 0;
	a->gap_count = count;
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
	push(a, (struct node){part_begin(duration_ns, a->window, model->window_count),
			      part_begin(duration_ns, a->window + 1ull, model->window_count),
			      model->windows[a->window], 0, burst});
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

bool arrival__next(struct arrival *a, struct prng *random, uint64_t *time_ns, uint32_t *window)
{
	if (!a->left)
		return false;
	advance(a, random);
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
