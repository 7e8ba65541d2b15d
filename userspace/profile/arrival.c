#include "profile/arrival.h"

#include <errno.h>
#include <stdlib.h>

#include "profile/bins.h"

#define LEAF_IOS_MAX 4096u
#define NODES_MAX    128 /* halvings of a window, and of a leaf with too many IOs: 20 + 56 */
#define GAP_TRIES    4

/* An interval of time and how many IOs fall into it. */
struct node {
	uint64_t begin_ns, end_ns;
	uint64_t ios;
	uint32_t level; /* halvings so far */
};

struct arrival {
	const struct profile *p;
	uint64_t left; /* IOs not given yet */
	uint32_t window;
	struct node nodes[NODES_MAX]; /* a stack, the earliest on top */
	unsigned int node_count;
	uint64_t at_ns;			/* of the last IO given */
	uint64_t together;		/* IOs still to be given at at_ns */
	uint64_t gaps_ns[LEAF_IOS_MAX]; /* of the current leaf */
	unsigned int gap_at, gap_count;
};

int arrival__create(const struct profile *p, struct arrival **arrival)
{
	struct arrival *a = calloc(1, sizeof(*a));

	if (!a)
		return -ENOMEM;
	a->p = p;
	a->left = p->ios;
	*arrival = a;
	return 0;
}

void arrival__free(struct arrival *a)
{
	free(a);
}

/* How many more IOs the fuller half gets: any number of the bin that n can be split by. */
static uint64_t draw_difference(const uint32_t *weights, uint64_t n, struct prng *random)
{
	int bin = prng_weighted(random, weights, PROFILE_SPLIT_BINS);
	uint64_t low, high, choices;

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
	return low + 2 * prng_below(random, choices);
}

static void push(struct arrival *a, struct node node)
{
	if (node.ios)
		a->nodes[a->node_count++] = node;
}

static void split(struct arrival *a, struct node node, struct prng *random)
{
	const struct profile_arrival *model = &a->p->arrival;
	uint64_t middle_ns = node.begin_ns + (node.end_ns - node.begin_ns) / 2;
	uint64_t more, fewer, difference;

	if (node.ios < 2)
		difference = node.ios;
	else if (node.level < model->halvings)
		difference = draw_difference(model->splits[node.level / 2][split_class(node.ios)],
					     node.ios, random);
	else
		difference = node.ios & 1;
	more = (node.ios + difference) / 2;
	fewer = node.ios - more;
	if (prng_next(random) >> 63) {
		uint64_t swapped = more;

		more = fewer;
		fewer = swapped;
	}
	push(a, (struct node){middle_ns, node.end_ns, fewer, node.level + 1});
	push(a, (struct node){node.begin_ns, middle_ns, more, node.level + 1});
}

static uint64_t draw_gap(const struct profile_arrival *model, unsigned int class,
			 struct prng *random)
{
	int octave = prng_weighted(random, model->gaps[class], PROFILE_GAP_OCTAVES), step;
	uint64_t low, width;

	if (octave <= 0)
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
		a->gaps_ns[i] = draw_gap(&a->p->arrival, gap_class(count + 1), random);
		sum += a->gaps_ns[i];
	}
	return sum;
}

/* Lays the IOs of a leaf: gaps from the table, the whole anywhere in the leaf. */
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
	a->at_ns = leaf.begin_ns + prng_below(random, length_ns - sum + 1);
	a->gap_at = 0;
	a->gap_count = count;
}

static bool next_window(struct arrival *a)
{
	const struct profile_arrival *model = &a->p->arrival;
	uint64_t duration_ns = a->p->duration_ns;

	if (a->window >= model->window_count)
		return false;
	push(a, (struct node){part_begin(duration_ns, a->window, model->window_count),
			      part_begin(duration_ns, a->window + 1ull, model->window_count),
			      model->windows[a->window], 0});
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
	*window = a->window ? a->window - 1 : 0;
	a->left--;
	return true;
}
