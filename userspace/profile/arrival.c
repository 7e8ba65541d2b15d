#include "profile/arrival.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/bins.h"
#include "profile/gap_table.h"
#include "profile/halves.h"

#define LEAF_IOS_MAX 4096u
#define NODES_MAX    128       /* halvings of a window, and of a leaf with too many IOs: 20 + 56 */
#define SEAM_NS	     40000000u /* intervals up to so long are not to meet with more than one ever had */
#define SEAM_WINDOWS \
	60 /* of fewer, what an interval had at most says little of one that begins elsewhere */
#define EVEN	      256u /* factor of an octave that came as often as it should */
#define LARGEST_TRIES 4
#define SPAN_STEADY   900 /* per mille of a leaf from the first IO to the last */
#define STEER_EVERY   16  /* IOs */
#define GAIN_BASE     4	  /* gaps too few or too many that double or halve a chance, */
#define GAIN_SHARE    256 /* and one more for so many gaps */

/* An interval of time and how many IOs fall into it. */
struct node {
	uint64_t begin_ns, end_ns;
	uint64_t ios;
	uint64_t marks[BURST_MARKS];
	uint32_t level; /* halvings so far */
	uint64_t index; /* of the interval among all of its level */
	/* What comes after it, of an interval that was halved right_shift times less. */
	uint64_t right_ios[KINDS];
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
		uint64_t index, ios[KINDS];
	} before[PROFILE_HALVINGS_MAX + 1];
	uint32_t burst;		      /* the next one */
	struct node nodes[NODES_MAX]; /* a stack, the earliest on top */
	unsigned int node_count;
	uint64_t at_ns;			/* of the last IO given */
	uint64_t together;		/* IOs still to be given at at_ns */
	uint64_t gaps_ns[LEAF_IOS_MAX]; /* of the current leaf */
	unsigned int gap_at, gap_count;
	uint64_t still[2][SIZE_CLASSES]; /* of the current leaf: others, reads */
	bool marked;			 /* what IOs are is said */
	uint32_t phase;			 /* of window_marks, counted from 1 */
	uint64_t window_marks[PROFILE_WINDOWS_MAX][BURST_MARKS];
	struct halves_rows rows[KINDS];
	bool any; /* at_ns is the time of an IO */
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
	for (unsigned int k = 0; k < KINDS; k++)
		halves_rows_init(&a->rows[k], &p->arrival.halves[k], k != KIND_ALL);
	a->marked = p->arrival.reads_known || size_classes_known(&p->arrival, false) ||
		    size_classes_known(&p->arrival, true);
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
	a->phase = 0;
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

static void push(struct arrival *a, const struct node *node)
{
	if (node->ios)
		a->nodes[a->node_count++] = *node;
}

static uint64_t ios_of(const struct node *node, enum io_kind kind)
{
	uint64_t reads = node->marks[MARK_READS];

	return kind == KIND_ALL ? node->ios : kind == KIND_READS ? reads : node->ios - reads;
}

/* Chance, per mille, that the half next to the busier neighbour is the one with `more`. */
static uint32_t lean_permille(const struct arrival *a, const struct node *node, enum io_kind kind,
			      uint64_t more, bool *first_is_it)
{
	uint64_t half = node->level + 1, n = ios_of(node, kind), before = 0, apart;
	uint64_t after = node->right_ios[kind];
	bool by_level = kind != KIND_ALL;
	uint32_t permille;

	*first_is_it = true;
	if (node->level >= a->p->arrival.halvings)
		return 500;
	if (a->before[half].index + 1 == 2 * node->index)
		before = a->before[half].ios[kind] << (node->right_shift + 1);
	*first_is_it = before >= after;
	apart = before >= after ? before - after : after - before;
	permille = a->p->arrival.halves[kind]
			   .lean_permille[node->level / lean_halvings(by_level)]
					 [by_level ? lean_cell(apart, n << node->right_shift,
							       2 * more - n, n)
						   : lean_bin(apart, n << node->right_shift)];
	return before == after || !permille ? 500 : permille;
}

/* Chance, per mille, that the first half is the one with `more`. */
static uint32_t first_permille(const struct arrival *a, const struct node *node, enum io_kind kind,
			       uint64_t more)
{
	bool first_is_it;
	uint32_t permille = lean_permille(a, node, kind, more, &first_is_it);

	return first_is_it ? permille : 1000 - permille;
}

/* How many of a kind the fuller half gets. */
static uint64_t draw_more(const struct arrival *a, const struct node *node, enum io_kind kind,
			  struct prng *random)
{
	uint64_t n = ios_of(node, kind), difference = n & 1;

	if (n < 2)
		return n;
	if (node->level < a->p->arrival.halvings)
		difference = halves_draw_difference(
			a->rows[kind].rows[kind == KIND_ALL ? node->level / 2 : node->level]
					  [split_class(n)],
			n, random);
	return (n + difference) / 2;
}

/* The most IOs that a half may get, unless both would have to. */
static uint64_t most_of(const struct arrival *a, const struct node *node)
{
	uint64_t most = node->level < a->p->arrival.halvings ? a->p->arrival.most[node->level] : 0;
	uint64_t half = (node->ios + 1) / 2;

	if (!most || most > node->ios)
		return node->ios;
	return most > half ? most : half;
}

/*
 * The first half with the interval before it is as long as the node: no such pair gets more IOs than any interval of that
 * length, or bursts that meet at a seam would be higher than all that there were.
 */
static uint64_t most_beside(const struct arrival *a, const struct node *node, uint64_t first)
{
	const struct profile_arrival *model = &a->p->arrival;
	uint64_t half = node->level + 1, before, pair, most;

	if (!node->level || node->level >= model->halvings || model->window_count < SEAM_WINDOWS ||
	    node->end_ns - node->begin_ns > SEAM_NS ||
	    a->before[half].index + 1 != 2 * node->index || !model->most[node->level - 1])
		return first;
	before = a->before[half].ios[KIND_ALL];
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
	uint64_t more = draw_more(a, node, KIND_ALL, random), most = most_of(a, node);
	bool first_is_it;
	uint32_t permille = lean_permille(a, node, KIND_ALL, more, &first_is_it);

	if (more > most)
		more = most;
	return most_beside(a, node,
			   (prng_below(random, 1000) < permille) == first_is_it ? more
										: node->ios - more);
}

/* Where reads go, when it is known where more of the others do and how often they go together. */
static uint32_t together_permille(const struct arrival *a, const struct node *node, bool first,
				  uint64_t more)
{
	uint64_t lean = first_permille(a, node, KIND_READS, more), together = 500, both;

	if (node->level < a->p->arrival.halvings)
		together = a->p->arrival.together_permille[node->level / lean_halvings(true)];
	if (!first)
		together = 1000 - together;
	both = lean * together;
	return (uint32_t)(1000 * both / (both + (1000 - lean) * (1000 - together) + 1));
}

/* The most IOs that the first half may get: with the interval before it, it is one of the node's length. */
static uint64_t most_of_first(const struct arrival *a, const struct node *node)
{
	uint64_t most = most_of(a, node), together, before;
	uint32_t half = node->level + 1;

	if (!node->level || node->level >= a->p->arrival.halvings ||
	    a->before[half].index + 1 != 2 * node->index)
		return most;
	together = a->p->arrival.most[node->level - 1];
	before = a->before[half].ios[KIND_ALL];
	if (!together || before + most <= together)
		return most;
	together -= before < together ? before : together;
	/* The other half must hold the rest. */
	return together > node->ios - most ? together : node->ios - most;
}

/* Moves reads and others between the halves until the first has at least `least` and at most `most`. */
static void keep_between(const uint64_t ios[2], uint64_t first[2], uint64_t least, uint64_t most)
{
	for (unsigned int k = 0; k < 2; k++) {
		uint64_t sum = first[0] + first[1], moved;

		if (sum > most) {
			moved = sum - most;
			first[k] -= moved < first[k] ? moved : first[k];
		} else if (sum < least) {
			moved = least - sum;
			first[k] += moved < ios[k] - first[k] ? moved : ios[k] - first[k];
		}
	}
}

/* The same with reads and others each in their own way; *reads of them. */
static uint64_t draw_first_halves(const struct arrival *a, const struct node *node,
				  struct prng *random, uint64_t *reads)
{
	uint64_t more[2], ios[2], first[2];
	uint32_t permille;
	bool side;

	for (enum io_kind k = KIND_OTHERS; k <= KIND_READS; k++) {
		ios[k] = ios_of(node, k);
		more[k] = draw_more(a, node, k, random);
	}
	permille = first_permille(a, node, KIND_OTHERS, more[KIND_OTHERS]);
	side = prng_below(random, 1000) < permille;
	first[KIND_OTHERS] = side ? more[KIND_OTHERS] : ios[KIND_OTHERS] - more[KIND_OTHERS];
	permille = 2 * more[KIND_OTHERS] == ios[KIND_OTHERS]
			   ? first_permille(a, node, KIND_READS, more[KIND_READS])
			   : together_permille(a, node, side, more[KIND_READS]);
	side = prng_below(random, 1000) < permille;
	first[KIND_READS] = side ? more[KIND_READS] : ios[KIND_READS] - more[KIND_READS];
	keep_between(ios, first, node->ios - most_of(a, node), most_of_first(a, node));
	*reads = first[KIND_READS];
	return first[0] + first[1];
}

/* The IOs around one of the busiest moments, and the reads of them where that is said. */
static uint64_t kept_half(const struct profile_arrival *model, const struct node *node,
			  bool second_half, uint64_t *reads)
{
	const struct profile_burst *b = &model->bursts[node->burst];
	uint64_t kept = b->ios[node->level], others = node->ios - node->marks[MARK_READS];
	uint64_t most;

	if (kept > node->ios)
		kept = node->ios;
	most = node->marks[MARK_READS] < kept ? node->marks[MARK_READS] : kept;
	*reads = b->reads[node->level] < most ? b->reads[node->level] : most;
	if (kept - *reads > others)
		*reads = kept - others;
	if (!second_half)
		return kept;
	*reads = node->marks[MARK_READS] - *reads;
	return node->ios - kept;
}

static void push_halves(struct arrival *a, const struct node *node, uint64_t middle_ns,
			uint64_t first, const uint64_t firsts[BURST_MARKS],
			const uint64_t seconds[BURST_MARKS], int second_burst, int first_burst)
{
	struct node left = *node, right = *node;

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
	memcpy(right.marks, seconds, sizeof(right.marks));
	memcpy(left.marks, firsts, sizeof(left.marks));
	for (unsigned int k = 0; k < KINDS; k++)
		left.right_ios[k] = ios_of(&right, k);
	push(a, &right);
	push(a, &left);
}

static void split(struct arrival *a, struct node node, struct prng *random)
{
	const struct profile_arrival *model = &a->p->arrival;
	uint64_t middle_ns = node.begin_ns + (node.end_ns - node.begin_ns) / 2, first;
	uint64_t firsts[BURST_MARKS] = {0}, seconds[BURST_MARKS] = {0};
	int burst = node.level < model->halvings ? node.burst : -1;
	bool second_half = false;

	if (burst >= 0) {
		second_half = model->bursts[burst].leaf >> (model->halvings - node.level - 1) & 1;
		first = kept_half(model, &node, second_half, &firsts[MARK_READS]);
	} else if (model->halves_known) {
		first = draw_first_halves(a, &node, random, &firsts[MARK_READS]);
	} else {
		first = draw_first_half(a, &node, random);
	}
	if (a->marked) {
		burst_marks_split(model, node.marks, node.ios, first, model->halves_known, random,
				  firsts);
		for (unsigned int m = 0; m < BURST_MARKS; m++)
			seconds[m] = node.marks[m] - firsts[m];
	}
	push_halves(a, &node, middle_ns, first, firsts, seconds, second_half ? burst : -1,
		    second_half ? -1 : burst);
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

/* Those of all windows of its phase are drawn with those of the first. */
static const uint64_t *marks_of_window(struct arrival *a, struct prng *random)
{
	uint32_t windows = a->p->arrival.window_count, end = a->window;
	uint64_t phases = a->p->phase_count;
	uint32_t phase = (uint32_t)part_begin(phases, a->window, windows);

	if (a->marked && a->phase != phase + 1) {
		while (end < windows && part_begin(phases, end, windows) == phase)
			end++;
		burst_marks_of_windows(a->p, phase, a->window, end, random, a->window_marks);
		a->phase = phase + 1;
	}
	return a->window_marks[a->window];
}

/* A node of one IO down to its leaf: one of both halves is empty each time. */
static void follow_one(struct arrival *a, struct node *node, struct prng *random)
{
	const struct profile_arrival *model = &a->p->arrival;
	enum io_kind kind = !model->halves_known      ? KIND_ALL
			    : node->marks[MARK_READS] ? KIND_READS
						      : KIND_OTHERS;

	while (node->level < model->halvings && node->end_ns - node->begin_ns > 1) {
		uint64_t middle_ns = node->begin_ns + (node->end_ns - node->begin_ns) / 2;
		bool first_is_it;
		uint32_t permille = lean_permille(a, node, kind, 1, &first_is_it);

		if ((prng_below(random, 1000) < permille) == first_is_it) {
			node->end_ns = middle_ns;
			memset(node->right_ios, 0, sizeof(node->right_ios));
			node->right_shift = 0;
			node->index = 2 * node->index;
		} else {
			node->begin_ns = middle_ns;
			node->right_shift++;
			node->index = 2 * node->index + 1;
		}
		node->level++;
		a->before[node->level].index = node->index;
		for (unsigned int k = 0; k < KINDS; k++)
			a->before[node->level].ios[k] = ios_of(node, k);
	}
}

static bool next_window(struct arrival *a, struct prng *random)
{
	const struct profile_arrival *model = &a->p->arrival;
	uint64_t duration_ns = a->p->duration_ns;
	struct node window;
	int burst = -1;

	if (a->window >= model->window_count)
		return false;
	while (a->burst < model->burst_count && model->bursts[a->burst].window < a->window)
		a->burst++;
	if (a->burst < model->burst_count && model->bursts[a->burst].window == a->window)
		burst = (int)a->burst;
	window = (struct node){
		.begin_ns = part_begin(duration_ns, a->window, model->window_count),
		.end_ns = part_begin(duration_ns, a->window + 1ull, model->window_count),
		.ios = model->windows[a->window],
		.index = a->window + 1ull,
		.burst = burst,
	};
	memcpy(window.marks, marks_of_window(a, random), sizeof(window.marks));
	for (unsigned int k = 0; k < KINDS; k++)
		window.right_ios[k] = ios_of(&window, k);
	push(a, &window);
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
			if (!next_window(a, random))
				return;
			continue;
		}
		node = a->nodes[--a->node_count];
		if (node.level <= a->p->arrival.halvings) {
			a->before[node.level].index = node.index;
			for (unsigned int k = 0; k < KINDS; k++)
				a->before[node.level].ios[k] = ios_of(&node, k);
		}
		if (node.ios == 1 && node.burst < 0)
			follow_one(a, &node, random);
		burst_marks_classes(node.marks, node.ios, a->still);
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

const uint64_t (*arrival__still(const struct arrival *a))[SIZE_CLASSES]
{
	return a->marked ? a->still : NULL;
}

void arrival__became(struct arrival *a, bool is_read, unsigned int class)
{
	uint64_t *still = &a->still[is_read][class];

	/* Where that came too often, what comes next is one less, of the same op if there is any. */
	for (unsigned int i = 0; !*still && i < 2 * SIZE_CLASSES; i++)
		still = &a->still[is_read ^ (i >= SIZE_CLASSES)][i % SIZE_CLASSES];
	if (*still)
		--*still;
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
