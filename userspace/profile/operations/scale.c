// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "profile/classes.h"
#include "profile/text/pinned_bursts.h"
#include "profile/arrival/split_rows.h"
#include "profile/closed_values.h"
#include "profile/placement/place_rules.h"
#include "profile/operations/operations.h"

#define ACTIVE_MAX (1u << 20)
#define FAR_SHARE  0.875 /* of the footprint: touched as long ago as can be */

/* Rounds so that the sums of what was given so far are right. */
struct rounding {
	double factor, wanted, given;
};

static uint64_t scaled(struct rounding *r, uint64_t value)
{
	double next;

	r->wanted += (double)value * r->factor;
	next = floor(r->wanted - r->given + 0.5);
	if (next < 0)
		next = 0;
	r->given += next;
	return next < (double)PROFILE_IOS_MAX ? (uint64_t)next : PROFILE_IOS_MAX + 1;
}

static uint64_t times(uint64_t value, double factor)
{
	double product = (double)value * factor + 0.5;

	return product < (double)PROFILE_BYTES_MAX ? (uint64_t)product : PROFILE_BYTES_MAX + 1;
}

/* A table whose entries move by `places`, which need not be whole; the ends gather. */
static void shift(uint32_t *weights, unsigned int count, double places)
{
	double moved[PROFILE_DISTANCES] = {0}, whole = floor(places);

	for (unsigned int i = 0; i < count; i++) {
		double at = (double)i + whole;
		unsigned int low = at < 0 ? 0 : at_most((unsigned int)at, count - 1);
		unsigned int high = at + 1 < 0 ? 0 : at_most((unsigned int)(at + 1), count - 1);

		moved[low] += weights[i] * (1 - (places - whole));
		moved[high] += weights[i] * (places - whole);
	}
	for (unsigned int i = 0; i < count; i++)
		weights[i] = moved[i] < PROFILE_WEIGHT_MAX ? (uint32_t)(moved[i] + 0.5)
							   : PROFILE_WEIGHT_MAX;
}

/* Where gaps lie in an octave is said of another one. */
static void move_octaves(struct profile_arrival *a, int octaves)
{
	struct profile_arrival old = *a;

	memset(a->gap_within, 0, sizeof(a->gap_within));
	for (int o = 1; o < PROFILE_GAP_OCTAVES; o++)
		if (o + octaves >= 1 && o + octaves < PROFILE_GAP_OCTAVES)
			a->gap_within[o + octaves] = old.gap_within[o];
}

/* Gaps that last `factor` times as long: octave 0 is no gap and stays. */
static void scale_gaps(struct profile_arrival *a, double factor, bool entry_gaps)
{
	double octaves = log2(factor);

	/* Where only some gaps change, nobody knows what all are like together. */
	if (entry_gaps)
		shift(a->gap_histogram + 1, PROFILE_GAP_OCTAVES - 1, octaves);
	else
		memset(a->gap_histogram, 0, sizeof(a->gap_histogram));
	for (unsigned int c = 0; c < PROFILE_GAP_CLASSES; c++) {
		shift(a->gaps[c] + 1, PROFILE_GAP_OCTAVES - 1, octaves);
		if (entry_gaps)
			shift(a->entry_gaps[c] + 1, PROFILE_GAP_OCTAVES - 1, octaves);
	}
	if (octaves == floor(octaves) && fabs(octaves) < PROFILE_GAP_OCTAVES) {
		move_octaves(a, (int)octaves);
	} else if (octaves != 0) {
		memset(a->gap_within, 0, sizeof(a->gap_within));
	}
}

/* A table that nothing is known for stays what it was. */
static void take_row(uint32_t *row, const uint32_t *from, unsigned int count)
{
	if (sum_of_weights(from, count))
		memcpy(row, from, count * sizeof(*row));
}

/* Rows by level count to the next one, so all levels of a number go together. */
static void take_splits(struct profile_splits *h, const struct profile_splits *old,
			unsigned int class, unsigned int from)
{
	bool any = false;

	for (unsigned int g = 0; g < PROFILE_SPLIT_GROUPS; g++)
		any |= sum_of_weights(old->distributions[g][from], PROFILE_SPLIT_COLUMNS) > 0;
	for (unsigned int g = 0; g < PROFILE_SPLIT_GROUPS && any; g++)
		memcpy(h->distributions[g][class], old->distributions[g][from],
		       sizeof(h->distributions[g][class]));
}

static void take_share_rows(struct profile_arrival *a, const struct profile_arrival *old,
			    unsigned int row, unsigned int from)
{
	take_row(a->read_shares[row], old->read_shares[from], PROFILE_SHARE_COLUMNS);
	for (unsigned int t = 0; t < PROFILE_SIZE_CLASSES / 2; t++)
		take_row(a->class_shares[t][row], old->class_shares[t][from],
			 PROFILE_SHARE_COLUMNS);
}

/* What was said of n IOs is said of n * load then; very few stay what they were. */
static void move_rows(struct profile_arrival *a, double load)
{
	struct profile_arrival old = *a;

	for (unsigned int c = 0; c < PROFILE_SPLIT_ROWS; c++) {
		double n = (c < 2 ? 2 + c : 1u << c) * 1.4 / load;

		if (n < 2)
			continue;
		for (unsigned int k = 0; k < 3; k++)
			take_splits(&a->splits[k], &old.splits[k], c, split_row((uint64_t)n));
	}
	for (unsigned int c = 0; c < PROFILE_SHARE_ROWS; c++) {
		unsigned int least = 2u << 2 * (c / PROFILE_SHARE_SHARES);
		uint64_t n = (uint64_t)(least / load);

		if (n >= 2)
			take_share_rows(a, &old, c,
					at_most((bits_of(n) - 1) / 2, PROFILE_SHARE_IOS - 1) *
							PROFILE_SHARE_SHARES +
						c % PROFILE_SHARE_SHARES);
	}
	for (unsigned int c = 0; c < PROFILE_GAP_CLASSES; c++) {
		double n = (double)(2u << c) / load;

		if (n >= 2)
			take_row(a->gaps[c], old.gaps[gap_class((uint64_t)n)], PROFILE_GAP_OCTAVES);
		n = (double)(1u << c) / load;
		if (n >= 1)
			take_row(a->entry_gaps[c], old.entry_gaps[entry_gap_class((uint64_t)n)],
				 PROFILE_GAP_OCTAVES);
	}
}

static void scale_bursts(struct profile_arrival *a, double load)
{
	struct profile_pinned_burst digits;

	for (uint32_t i = 0; i < a->split_levels; i++)
		a->peak_cap[i] = a->peak_cap[i] ? times(a->peak_cap[i], load) + 1 : 0;
	for (uint32_t b = 0; b < a->pinned_burst_count; b++) {
		uint64_t most = a->windows[a->pinned_bursts[b].window];

		for (uint32_t i = 0; i < a->split_levels; i++) {
			uint64_t ios = times(a->pinned_bursts[b].ios[i], load);

			a->pinned_bursts[b].ios[i] = most = ios < most ? ios : most;
			ios = times(a->pinned_bursts[b].reads[i], load);
			a->pinned_bursts[b].reads[i] = ios < most ? ios : most;
		}
		for (unsigned int m = 0; m < PROFILE_SIZE_CLASSES; m++)
			a->pinned_bursts[b].size_classes[m] =
				times(a->pinned_bursts[b].size_classes[m], load);
		/* Rounded each by itself they need not fit into each other. */
		burst_to_digits(a, &a->pinned_bursts[b], &digits);
		burst_from_digits(a, &digits, &a->pinned_bursts[b]);
	}
}

static void scale_blocks(struct profile *p, double factor)
{
	for (uint32_t s = 0; s < PROFILE_SPACES_MAX; s++) {
		struct rounding blocks = {.factor = factor};

		for (uint32_t i = 0; i < p->phase_count; i++)
			p->spaces[s].new_blocks[i] = scaled(&blocks, p->spaces[s].new_blocks[i]);
	}
}

/*
 * A table that is met exactly when all IOs are generated stays one: of a part of it streams take
 * more large sizes than they have. What is left out is so by rising size, so that the sum of bytes
 * is near.
 */
static void scale_sizes(struct profile_stream *s, uint64_t ios_before)
{
	struct rounding sizes = {.factor = (double)s->ios / (double)ios_before};

	if (profile_ios_of_sizes(s) != ios_before || !s->ios)
		return;
	for (uint32_t i = 0; i < s->size_count; i++)
		s->sizes[i].ios = scaled(&sizes, s->sizes[i].ios);
}

/* A stream without phases keeps its weight where it would have none. True: it has phases. */
static bool scale_stream(const struct profile *p, struct profile_stream *s, double load)
{
	struct rounding phases = {.factor = load}, ios = {.factor = load};
	uint64_t before = 0, sum = 0;

	for (uint32_t j = 0; j < p->phase_count; j++) {
		before += s->phases[j];
		sum += s->phases[j] = scaled(&phases, s->phases[j]);
	}
	if (before)
		s->ios = sum;
	else if (s->ios)
		s->ios = scaled(&ios, s->ios) ?: 1;
	return before;
}

static struct profile_stream *largest_stream(struct profile *p)
{
	struct profile_stream *largest = p->streams;

	for (uint32_t i = 1; i < p->stream_count; i++)
		if (p->streams[i].ios > largest->ios)
			largest = &p->streams[i];
	return largest;
}

/* What rounding each stream by itself took or gave, so that sums stay those of the windows. */
static void even_out(struct profile *p)
{
	struct profile_stream *s = largest_stream(p);
	uint64_t sum = profile_ios_of_streams(p), *most = s->phases;

	for (uint32_t j = 1; j < p->phase_count; j++)
		if (s->phases[j] > *most)
			most = &s->phases[j];
	if (sum < p->ios && p->ios - sum <= p->stream_count) {
		s->ios += p->ios - sum;
		*most += p->ios - sum;
	} else if (sum > p->ios && sum - p->ios <= p->stream_count && sum - p->ios <= *most) {
		s->ios -= sum - p->ios;
		*most -= sum - p->ios;
	}
}

static void scale_streams(struct profile *p, double load)
{
	uint64_t before[PROFILE_STREAMS_MAX];
	bool phases = false;

	for (uint32_t i = 0; i < p->stream_count; i++) {
		before[i] = p->streams[i].ios;
		phases |= scale_stream(p, &p->streams[i], load);
	}
	if (phases)
		even_out(p);
	for (uint32_t i = 0; i < p->stream_count; i++)
		if (before[i])
			scale_sizes(&p->streams[i], before[i]);
}

static uint64_t most_active(const struct profile *p, const struct closed_tasks *t)
{
	uint64_t most = 1;

	for (uint32_t i = 0; i < p->phase_count; i++)
		most = t->active[i] > most ? t->active[i] : most;
	return most;
}

/* At least one of what there was. */
static uint64_t times_tasks(uint64_t value, double factor)
{
	double product = (double)value * factor + 0.5;

	if (!value)
		return 0;
	return product < 1 ? 1 : product < ACTIVE_MAX ? (uint64_t)product : ACTIVE_MAX;
}

/* The latency in a cycle stays. */
static void stretch(struct closed_tasks *t, double factor)
{
	double latency_ns =
		(double)closed_values_mean(&t->cycle_ns) - (double)closed_values_mean(&t->think_ns);

	closed_values_change(&t->think_ns, factor, latency_ns > 0 ? latency_ns * (factor - 1) : 0);
	closed_values_change(&t->cycle_ns, factor, 0);
	closed_values_change(&t->open_gap_ns, factor, 0);
}

/* Depths differ by powers of two at the most: the nearest class. */
static void scale_depth(uint32_t *depth, double load)
{
	uint32_t old[CLOSED_DEPTHS];

	memcpy(old, depth, sizeof(old));
	memset(depth, 0, sizeof(old));
	for (unsigned int i = 1; i < CLOSED_DEPTHS; i++)
		depth[closed_depth_class(times_tasks(closed_depth_least(i), load))] += old[i];
}

/* `load` times as many tasks; their thinking makes up for what is no whole number. */
static void scale_closed_load(struct profile *p, double load)
{
	struct profile_closed *c = &p->closed;

	for (uint32_t k = 0; k < c->kind_count; k++) {
		struct closed_tasks *t = &c->kinds[k];
		uint64_t before = most_active(p, t), after;

		for (uint32_t i = 0; i < p->phase_count; i++)
			t->active[i] = times_tasks(t->active[i], load);
		t->tasks = times_tasks(t->tasks, load);
		after = most_active(p, t);
		stretch(t, (double)after / ((double)before * load));
	}
	if (c->kind_count)
		scale_depth(c->depth, load);
}

static void scale_load(struct profile *p, double load)
{
	struct rounding windows = {.factor = load}, reads = {.factor = load};

	p->ios = 0;
	for (uint32_t i = 0; i < p->arrival.window_count; i++) {
		p->arrival.windows[i] = scaled(&windows, p->arrival.windows[i]);
		p->arrival.reads[i] = scaled(&reads, p->arrival.reads[i]);
		p->arrival.reads[i] = smaller_of(p->arrival.reads[i], p->arrival.windows[i]);
		p->ios += p->arrival.windows[i];
	}
	for (unsigned int m = 0; m < PROFILE_SIZE_CLASSES; m++) {
		struct rounding above = {.factor = load};

		for (uint32_t i = 0; i < p->phase_count; i++)
			p->arrival.size_classes[m].phases[i] =
				scaled(&above, p->arrival.size_classes[m].phases[i]);
	}
	scale_streams(p, load);
	scale_blocks(p, load);
	move_rows(&p->arrival, load);
	scale_gaps(&p->arrival, 1 / load, false);
	scale_bursts(&p->arrival, load);
	scale_closed_load(p, load);
}

static uint64_t largest_size(const struct profile *p)
{
	uint64_t largest = 0;

	for (uint32_t i = 0; i < p->stream_count; i++)
		for (uint32_t j = 0; j < p->streams[i].size_count; j++)
			if (p->streams[i].op != IO_OP_FLUSH &&
			    p->streams[i].sizes[j].bytes > largest)
				largest = p->streams[i].sizes[j].bytes;
	return (largest + SECTOR_BYTES - 1) / SECTOR_BYTES;
}

/* Moves all but `factor` of what is new to `far`. */
static void take_from_new(uint32_t *weights, unsigned int far, double factor)
{
	uint64_t stays = times(weights[0], factor), rest = weights[0] - stays + weights[far];

	if (!weights[0])
		return;
	weights[far] = rest < PROFILE_WEIGHT_MAX ? (uint32_t)rest : PROFILE_WEIGHT_MAX;
	weights[0] = stays ? (uint32_t)stays : 1;
	weights[far] += !weights[far];
}

/*
 * A smaller footprint: at first as many blocks are new as before, then ever fewer of them, the
 * fewer are left. What would have been new otherwise was touched as long ago as can be, so that no
 * smaller cache has it.
 */
static void wrap_around(struct profile *p, uint32_t space, double factor, double blocks_factor)
{
	struct profile_space *to = &p->spaces[space];
	uint64_t sum = sum_of_counts(to->new_blocks, p->phase_count), seen = 0, given = 0, far;

	for (uint32_t i = 0; sum && i < p->phase_count; i++) {
		double rest = 1 - (double)(seen += to->new_blocks[i]) / (double)sum;
		uint64_t blocks = times(sum, blocks_factor * (1 - pow(rest, 1 / blocks_factor)));

		to->new_blocks[i] = blocks - given;
		given = blocks;
	}
	far = times(sum, factor * FAR_SHARE);
	take_from_new(to->distances, distance_column(far), blocks_factor);
	for (uint32_t i = 0; i < p->stream_count; i++)
		for (unsigned int s = 0; s < PROFILE_REUSE_SIZES && p->streams[i].space == space;
		     s++)
			take_from_new(p->streams[i].reuse[s], reuse_octave(far), blocks_factor);
}

/* Places that follow no table repeat only by the size of the range. */
static bool places_by_rules(const struct profile *p)
{
	for (uint32_t i = 0; i < p->stream_count; i++)
		if (place_rule(p, i) == PLACE_BY_TABLES)
			return false;
	return true;
}

static void scale_footprint(struct profile *p, double footprint, double blocks_factor)
{
	double factor = places_by_rules(p) ? blocks_factor : footprint;
	double octaves = log2(factor);
	uint64_t sectors = times(p->end_sector - p->first_sector, factor) / 8 * 8;

	if (sectors < largest_size(p))
		sectors = largest_size(p);
	if (factor > 1)
		scale_blocks(p, blocks_factor);
	for (uint32_t i = 0; i < PROFILE_SPACES_MAX; i++) {
		struct profile_space *space = &p->spaces[i];

		shift(space->distances + 1, PROFILE_DISTANCES - 1, 4 * octaves);
		if (!space->end_sector)
			continue;
		space->first_sector = p->first_sector +
				      times(space->first_sector - p->first_sector, factor) / 8 * 8;
		space->end_sector = p->first_sector +
				    times(space->end_sector - p->first_sector, factor) / 8 * 8;
		if (space->end_sector - space->first_sector < largest_size(p))
			space->end_sector = space->first_sector + largest_size(p);
		sectors = larger_of(space->end_sector - p->first_sector, sectors);
	}
	for (uint32_t i = 0; i < p->stream_count; i++)
		for (unsigned int s = 0; s < PROFILE_REUSE_SIZES; s++)
			shift(p->streams[i].reuse[s] + 1, PROFILE_REUSE_OCTAVES - 1, octaves);
	for (uint32_t i = 0; i < PROFILE_SPACES_MAX && factor < 1; i++)
		wrap_around(p, i, factor, blocks_factor < 1 ? blocks_factor : 1);
	p->end_sector = p->first_sector + sectors;
	if (p->device_bytes)
		p->device_bytes = times(p->device_bytes, factor) / PAGE_BYTES * PAGE_BYTES;
	if (p->device_bytes && p->device_bytes / SECTOR_BYTES < p->end_sector)
		p->device_bytes = p->end_sector * SECTOR_BYTES;
}

static double blocks_of_an_io(const struct profile_stream *s)
{
	double blocks = 0, ios = (double)profile_ios_of_sizes(s);

	for (uint32_t i = 0; i < s->size_count; i++)
		blocks += (double)((s->sizes[i].bytes + PAGE_BYTES - 1) / PAGE_BYTES) *
			  (double)s->sizes[i].ios;
	return ios > 0 ? blocks / ios : 0;
}

struct profile_touched profile__touched(const struct profile *p)
{
	struct profile_touched touched = {0};
	double blocks = 0, ios = 0;

	for (uint32_t i = 0; i < p->stream_count; i++) {
		const struct profile_stream *s = &p->streams[i];

		ios += (double)s->ios;
		if (s->op == IO_OP_READ || s->op == IO_OP_WRITE)
			blocks += (double)s->ios * blocks_of_an_io(s);
	}
	touched.blocks = ios > 0 ? (uint64_t)(blocks / ios * (double)p->ios + 0.5) : 0;
	for (uint32_t i = 0; i < PROFILE_SPACES_MAX; i++)
		for (uint32_t j = 0; j < p->phase_count; j++)
			touched.different += p->spaces[i].new_blocks[j];
	return touched;
}

void profile__scale_blocks(struct profile *p, double footprint, double blocks)
{
	scale_footprint(p, footprint, blocks);
	p->error.seeds = 0;
}

/* One that becomes shorter than a profile can say is none. */
static void scale_period(struct profile_arrival *a, double time)
{
	a->period_ns = times(a->period_ns, time);
	if (a->period_ns >= PROFILE_PERIOD_NS_MIN)
		return;
	a->period_ns = 0;
	for (unsigned int k = 0; k < sizeof(a->splits) / sizeof(a->splits[0]); k++)
		memset(a->splits[k].period_shape, 0, sizeof(a->splits[k].period_shape));
}

void profile__scale(struct profile *p, const struct profile_scale *scale)
{
	if (scale->load != 1)
		scale_load(p, scale->load);
	if (scale->time != 1) {
		p->duration_ns = times(p->duration_ns, scale->time);
		scale_period(&p->arrival, scale->time);
		p->start_wall_ns = 0; /* stretched times are no times of day */
		scale_gaps(&p->arrival, scale->time, true);
		/* Each cycle lasts longer; the latency in it belongs to the device and stays. */
		for (uint32_t k = 0; k < p->closed.kind_count; k++)
			stretch(&p->closed.kinds[k], scale->time);
	}
	if (scale->footprint != 1)
		scale_footprint(p, scale->footprint, scale->footprint);
	p->error.seeds = 0;
}
