// SPDX-License-Identifier: MIT
#include "profile/arrival/cascade.h"

#include <string.h>

#include "profile/classes.h"

#define SEAM_NS 40000000u /* up to this length two intervals that meet keep to the peak cap */

void cascade_init(struct cascade *h, const struct profile *p, bool gaps_known)
{
	const struct profile_arrival *model = &p->arrival;

	h->gaps_known = gaps_known;
	h->model = model;
	for (unsigned int k = 0; k < KINDS; k++) {
		split_rows_init(&h->rows[k], &model->splits[k]);
		period_init(&h->periods[k], model, &model->splits[k], p->duration_ns,
			    p->phase_count);
	}
	memset(h->before, 0, sizeof(h->before));
}

void cascade_enter(struct cascade *h, const struct cascade_node *node)
{
	if (node->level > h->model->split_levels)
		return;
	h->before[node->level].index = node->index;
	for (unsigned int k = 0; k < KINDS; k++)
		h->before[node->level].ios[k] = cascade_ios(node, k);
}

/* What the period says of the halves of a node. */
static struct period_halves halves_of(const struct cascade *h, const struct cascade_node *node,
				      enum io_kind kind)
{
	uint64_t middle_ns = node->begin_ns + (node->end_ns - node->begin_ns) / 2;

	if (node->level >= h->periods[kind].levels)
		return (struct period_halves){0};
	return period_halves(&h->periods[kind], (node->index >> node->level) - 1, node->begin_ns,
			     middle_ns, node->end_ns);
}

/* A chance for two reasons, of which each says it alone, per mille. */
static uint32_t both_permille(uint32_t a, uint32_t b)
{
	uint64_t both = (uint64_t)a * b, neither = (1000ull - a) * (1000 - b);

	return both + neither ? (uint32_t)(1000 * both / (both + neither)) : a;
}

/* Chance, per mille, that the half next to the busier neighbour is the one with `more`. */
static uint32_t neighbour_alone_permille(const struct cascade *h, const struct cascade_node *node,
					 enum io_kind kind, uint64_t more, bool *first_is_it)
{
	uint64_t half = node->level + 1, n = cascade_ios(node, kind), before = 0, apart;
	uint64_t after = node->right_ios[kind];
	uint32_t permille;

	*first_is_it = true;
	if (node->level >= h->model->split_levels)
		return 500;
	if (h->before[half].index + 1 == 2 * node->index)
		before = h->before[half].ios[kind] << (node->right_shift + 1);
	*first_is_it = before >= after;
	apart = before >= after ? before - after : after - before;
	permille = h->model->splits[kind]
			   .neighbour_permille[node->level / NEIGHBOUR_LEVELS][neighbour_column(
				   apart, n << node->right_shift, 2 * more - n, n)];
	return before == after || !permille ? 500 : permille;
}

/* The same, with what the period says of it. */
static uint32_t neighbour_permille(const struct cascade *h, const struct cascade_node *node,
				   enum io_kind kind, uint64_t more, bool *first_is_it)
{
	uint32_t permille = neighbour_alone_permille(h, node, kind, more, first_is_it), first;
	struct period_halves halves = halves_of(h, node, kind);

	if (halves.first == halves.second)
		return permille;
	first = period_first_permille(halves, more, cascade_ios(node, kind));
	return both_permille(permille, *first_is_it ? first : 1000 - first);
}

/* IOs of the first half, which gets `more` without the period or the rest. */
static uint64_t first_of(const struct cascade *h, const struct cascade_node *node,
			 enum io_kind kind, uint64_t more, bool first_has_more, struct prng *random)
{
	uint64_t less = cascade_ios(node, kind) - more;

	return period_bend(halves_of(h, node, kind), first_has_more ? more : less,
			   first_has_more ? less : more, random);
}

/* Chance, per mille, that the first half is the one with `more`. */
static uint32_t first_permille(const struct cascade *h, const struct cascade_node *node,
			       enum io_kind kind, uint64_t more)
{
	bool first_is_it;
	uint32_t permille = neighbour_permille(h, node, kind, more, &first_is_it);

	return first_is_it ? permille : 1000 - permille;
}

/* Below a bin nothing is known. */
static const uint32_t *row_at(const struct cascade *h, uint32_t level, enum io_kind kind,
			      uint64_t n)
{
	static const uint32_t unknown[PROFILE_SPLIT_COLUMNS];

	if (level >= h->model->split_levels)
		return unknown;
	return h->rows[kind].rows[level][split_row(n)];
}

/* How many of a kind the fuller half gets. */
static uint64_t draw_more(const struct cascade *h, const struct cascade_node *node,
			  enum io_kind kind, struct prng *random)
{
	uint64_t n = cascade_ios(node, kind), difference = n & 1;

	if (n < 2)
		return n;
	if (node->level < h->model->split_levels || !h->gaps_known)
		difference = split_draw_difference(row_at(h, node->level, kind, n), n, random);
	return (n + difference) / 2;
}

/* The most IOs that a half may get under the peak cap, unless both would exceed it. */
static uint64_t most_of(const struct cascade *h, const struct cascade_node *node)
{
	uint64_t most = node->level < h->model->split_levels ? h->model->peak_cap[node->level] : 0;
	uint64_t half = (node->ios + 1) / 2;

	if (!most || most > node->ios)
		return node->ios;
	return most > half ? most : half;
}

/*
 * The first half and the interval before it are together as long as the node: such a pair gets no
 * more IOs than any interval of that length had, or bursts that meet at a seam would be higher than
 * all of the trace.
 */
static uint64_t most_beside(const struct cascade *h, const struct cascade_node *node,
			    uint64_t first)
{
	const struct profile_arrival *model = h->model;
	uint64_t half = node->level + 1, before, pair, most;

	if (!node->level || node->level >= model->split_levels ||
	    model->window_count < SEAM_WINDOWS || node->end_ns - node->begin_ns > SEAM_NS ||
	    h->before[half].index + 1 != 2 * node->index || !model->peak_cap[node->level - 1])
		return first;
	before = h->before[half].ios[KIND_ALL];
	pair = model->peak_cap[node->level - 1];
	if (before + first <= pair)
		return first;
	/* The rest falls to the second half. */
	first = pair > before ? pair - before : 0;
	most = model->peak_cap[node->level];
	return most && node->ios - first > most ? node->ios - most : first;
}

/* How many IOs of a node fall into its first half. */
static uint64_t draw_first_half(const struct cascade *h, const struct cascade_node *node,
				struct prng *random)
{
	uint64_t more = draw_more(h, node, KIND_ALL, random), most = most_of(h, node), first;
	bool first_is_it;
	uint32_t permille = neighbour_permille(h, node, KIND_ALL, more, &first_is_it);

	first = first_of(h, node, KIND_ALL, more,
			 (prng_below(random, 1000) < permille) == first_is_it, random);
	if (first > most)
		first = most;
	else if (node->ios - first > most)
		first = node->ios - most;
	return most_beside(h, node, first);
}

/* Chance that the first half gets more reads, given where more of the others went. */
static uint32_t correlation_permille(const struct cascade *h, const struct cascade_node *node,
				     bool first, uint64_t more)
{
	uint64_t neighbour = first_permille(h, node, KIND_READS, more), correlation = 500, both;

	if (node->level < h->model->split_levels)
		correlation = h->model->correlation_permille[node->level / NEIGHBOUR_LEVELS];
	if (!first)
		correlation = 1000 - correlation;
	both = neighbour * correlation;
	return (uint32_t)(1000 * both / (both + (1000 - neighbour) * (1000 - correlation) + 1));
}

/*
 * The most IOs that the first half may get: with the interval before it, it is as long as the node.
 */
static uint64_t most_of_first(const struct cascade *h, const struct cascade_node *node)
{
	uint64_t most = most_of(h, node), correlation, before;
	uint32_t half = node->level + 1;

	if (!node->level || node->level >= h->model->split_levels ||
	    h->before[half].index + 1 != 2 * node->index)
		return most;
	correlation = h->model->peak_cap[node->level - 1];
	before = h->before[half].ios[KIND_ALL];
	if (!correlation || before + most <= correlation)
		return most;
	correlation -= before < correlation ? before : correlation;
	/* The other half must hold the rest. */
	return correlation > node->ios - most ? correlation : node->ios - most;
}

/* Moves reads and others between the halves until the first has `least` to `most` IOs. */
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
static uint64_t draw_first_halves(const struct cascade *h, const struct cascade_node *node,
				  struct prng *random, uint64_t *reads)
{
	uint64_t more[2], ios[2], first[2];
	uint32_t permille;
	bool side;

	for (enum io_kind k = KIND_OTHERS; k <= KIND_READS; k++) {
		ios[k] = cascade_ios(node, k);
		more[k] = draw_more(h, node, k, random);
	}
	permille = first_permille(h, node, KIND_OTHERS, more[KIND_OTHERS]);
	side = prng_below(random, 1000) < permille;
	first[KIND_OTHERS] = first_of(h, node, KIND_OTHERS, more[KIND_OTHERS], side, random);
	permille =
		2 * first[KIND_OTHERS] == ios[KIND_OTHERS]
			? first_permille(h, node, KIND_READS, more[KIND_READS])
			: correlation_permille(h, node, 2 * first[KIND_OTHERS] > ios[KIND_OTHERS],
					       more[KIND_READS]);
	side = prng_below(random, 1000) < permille;
	first[KIND_READS] = first_of(h, node, KIND_READS, more[KIND_READS], side, random);
	keep_between(ios, first, node->ios - most_of(h, node), most_of_first(h, node));
	*reads = first[KIND_READS];
	return first[0] + first[1];
}

uint64_t cascade_draw(const struct cascade *h, const struct cascade_node *node, struct prng *random,
		      uint64_t *reads)
{
	return h->model->kinds_known ? draw_first_halves(h, node, random, reads)
				     : draw_first_half(h, node, random);
}

uint64_t cascade_pinned(const struct profile_arrival *model, const struct cascade_node *node,
			bool second_half, uint64_t *reads)
{
	const struct profile_pinned_burst *b = &model->pinned_bursts[node->burst];
	uint64_t kept = b->ios[node->level], others = node->ios - node->counts[COUNT_READS];
	uint64_t most;

	kept = smaller_of(kept, node->ios);
	most = node->counts[COUNT_READS] < kept ? node->counts[COUNT_READS] : kept;
	*reads = b->reads[node->level] < most ? b->reads[node->level] : most;
	if (kept - *reads > others)
		*reads = kept - others;
	if (!second_half)
		return kept;
	*reads = node->counts[COUNT_READS] - *reads;
	return node->ios - kept;
}

void cascade_follow_one(struct cascade *h, struct cascade_node *node, struct prng *random)
{
	const struct profile_arrival *model = h->model;
	enum io_kind kind = !model->kinds_known		? KIND_ALL
			    : node->counts[COUNT_READS] ? KIND_READS
							: KIND_OTHERS;

	while (node->level < model->split_levels && node->end_ns - node->begin_ns > 1) {
		uint64_t middle_ns = node->begin_ns + (node->end_ns - node->begin_ns) / 2;
		bool first_is_it;
		uint32_t permille = neighbour_permille(h, node, kind, 1, &first_is_it);

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
		if (!cascade_keeps_slack(model, node))
			cascade_own_slack(node);
		cascade_enter(h, node);
	}
}
