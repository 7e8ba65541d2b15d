// SPDX-License-Identifier: MIT
#include "profile/build/closed.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "profile/arithmetic.h"
#include "profile/build/kinds.h"
#include "profile/closed_loop/service.h"
#include "profile/closed_values.h"
#include "profile/weights.h"
#include "workload/figures/depth_counter.h"

#define KINDS_MAX  40 /* kept apart while reading */
#define WEIGHT_SUM 9999
/* A kind of fewer IOs joins another. */
#define RARE_FRACTION 500
/* If fewer per cent are known, the profile has no closed loop. */
#define KNOWN_PCT 90

struct kind {
	uint64_t program;
	bool kernel;
	unsigned int op;
	struct histogram think, cycle, open_gap;
	/* From here on counts, which are added where kinds are folded. */
	uint64_t ios, tasks;
	uint64_t active_ns[PROFILE_PHASES_MAX], phase_ios[PROFILE_PHASES_MAX];
	uint64_t streams[STREAM_KINDS_MAX]; /* IOs, by stream kind */
	uint64_t awaited[CLOSED_ROWS][CLOSED_AWAITED];
};

#define COUNTS_AT   offsetof(struct kind, ios)
#define COUNTS_KEPT ((sizeof(struct kind) - COUNTS_AT) / sizeof(uint64_t))

struct task {
	uint32_t kind;
	uint64_t first_ns, last_ns;
};

struct closed_builder {
	uint64_t duration_ns;
	uint32_t phases;
	uint64_t ios, dependent;
	struct depth_counter *in_flight;
	uint64_t depth[CLOSED_DEPTHS];
	struct histogram latency[CLOSED_OPS][CLOSED_SIZES];
	uint32_t task_count; /* allocated */
	struct task *tasks;
	uint32_t kind_count;
	struct kind *kinds[KINDS_MAX];
};

void closed_builder__free(struct closed_builder *b)
{
	if (!b)
		return;
	for (uint32_t i = 0; i < b->kind_count; i++)
		free(b->kinds[i]);
	depth_counter__free(b->in_flight);
	free(b->tasks);
	free(b);
}

int closed_builder__create(uint64_t duration_ns, uint32_t phases, struct closed_builder **builder)
{
	struct closed_builder *b = calloc(1, sizeof(*b));

	if (!b)
		return -ENOMEM;
	b->duration_ns = duration_ns;
	b->phases = phases;
	for (unsigned int i = 0; i < CLOSED_OPS * CLOSED_SIZES; i++)
		histogram_init(&b->latency[i / CLOSED_SIZES][i % CLOSED_SIZES]);
	if (depth_counter__create(&b->in_flight)) {
		closed_builder__free(b);
		return -ENOMEM;
	}
	*builder = b;
	return 0;
}

/* Kinds of tasks ----------------------------------------------------------------------------- */

static int new_kind(struct closed_builder *b, uint64_t program, bool kernel, unsigned int op)
{
	struct kind *kind = calloc(1, sizeof(*kind));

	if (!kind)
		return -ENOMEM;
	kind->program = program;
	kind->kernel = kernel;
	kind->op = op;
	histogram_init(&kind->think);
	histogram_init(&kind->cycle);
	histogram_init(&kind->open_gap);
	b->kinds[b->kind_count++] = kind;
	return (int)b->kind_count - 1;
}

/* The kind of a new task; when the table is full, the first of the nearest kinds. */
static int kind_of(struct closed_builder *b, uint64_t program, bool kernel, unsigned int op)
{
	uint32_t near = 0;

	for (uint32_t i = 0; i < b->kind_count; i++) {
		const struct kind *k = b->kinds[i];

		if (k->program == program && k->kernel == kernel && k->op == op)
			return (int)i;
		if (b->kinds[near]->kernel != kernel && k->kernel == kernel)
			near = i;
	}
	return b->kind_count < KINDS_MAX ? new_kind(b, program, kernel, op) : (int)near;
}

static int begin_task(struct closed_builder *b, const struct io_row *row,
		      const struct io_wait *waited)
{
	struct task *tasks = grow_zeroed(b->tasks, &b->task_count, waited->task, sizeof(*tasks));
	int kind;

	if (!tasks)
		return -ENOMEM;
	b->tasks = tasks;
	kind = kind_of(b, waited->program, waited->kernel, closed_op(row->op));
	if (kind < 0)
		return kind;
	b->kinds[kind]->tasks++;
	b->tasks[waited->task] = (struct task){(uint32_t)kind, row->created_ns, row->created_ns};
	return 0;
}

/* Counting ----------------------------------------------------------------------------------- */

static uint32_t awaited_index(const struct io_wait *waited)
{
	if (waited->awaited > 1 && waited->awaited == waited->outstanding)
		return CLOSED_AWAITED_ALL;
	return at_most(waited->awaited, CLOSED_AWAITED_ALL - 1);
}

static void count_waited(struct kind *kind, const struct io_wait *waited)
{
	if (waited->outstanding)
		kind->awaited[at_most(waited->outstanding, CLOSED_ROWS) - 1]
			     [awaited_index(waited)]++;
	if (waited->has_think)
		histogram_add(&kind->think, waited->think_ns);
	if (waited->has_cycle)
		histogram_add(&kind->cycle, waited->cycle_ns);
	if (waited->has_open_gap)
		histogram_add(&kind->open_gap, waited->open_gap_ns);
}

int closed_builder__add(struct closed_builder *b, const struct io_row *row, uint32_t stream_kind,
			const struct io_wait *waited)
{
	struct task *task;
	struct kind *kind;
	int err;

	if (waited->first) {
		err = begin_task(b, row, waited);
		if (err)
			return err;
	}
	task = &b->tasks[waited->task];
	kind = b->kinds[task->kind];
	task->last_ns = row->created_ns;
	b->ios++;
	b->dependent += waited->dependent;
	kind->ios++;
	kind->streams[stream_kind]++;
	kind->phase_ios[part_of(b->duration_ns, row->created_ns, b->phases)]++;
	count_waited(kind, waited);
	b->depth[closed_depth_class(
		depth_counter__add(b->in_flight, row->created_ns, row->completed_ns))]++;
	histogram_add(&b->latency[closed_op(row->op)][closed_size(row->bytes)],
		      row->completed_ns > row->created_ns ? row->completed_ns - row->created_ns
							  : 0);
	return 0;
}

/* The end ------------------------------------------------------------------------------------ */

static void merge_kind(struct kind *into, const struct kind *from)
{
	add_counts((char *)into + COUNTS_AT, (const char *)from + COUNTS_AT, COUNTS_KEPT);
	histogram_merge(&into->think, &from->think);
	histogram_merge(&into->cycle, &from->cycle);
	histogram_merge(&into->open_gap, &from->open_gap);
}

/* Counts how long tasks of each kind lived in each phase. */
static void add_lives(struct closed_builder *b)
{
	for (uint32_t t = 0; t < b->task_count; t++) {
		const struct task *task = &b->tasks[t];

		for (uint32_t i = 0; i < b->phases && task->last_ns > task->first_ns; i++) {
			uint64_t begin = part_begin(b->duration_ns, i, b->phases);
			uint64_t end = part_begin(b->duration_ns, i + 1, b->phases);

			begin = task->first_ns > begin ? task->first_ns : begin;
			end = task->last_ns < end ? task->last_ns : end;
			if (end > begin)
				b->kinds[task->kind]->active_ns[i] += end - begin;
		}
	}
}

static int by_ios(const void *a, const void *b)
{
	const struct kind *const *left = a, *const *right = b;

	if ((*left)->ios != (*right)->ios)
		return (*left)->ios > (*right)->ios ? -1 : 1;
	if ((*left)->kernel != (*right)->kernel)
		return (*left)->kernel ? 1 : -1;
	return (*left)->op < (*right)->op ? -1 : (*left)->op > (*right)->op;
}

/* The largest kinds stay; each of the others joins the largest that is like it. */
static void fold_kinds(struct closed_builder *b)
{
	qsort(b->kinds, b->kind_count, sizeof(b->kinds[0]), by_ios);
	while (b->kind_count > 1) {
		struct kind *last = b->kinds[b->kind_count - 1], *into = NULL;

		if (b->kind_count <= CLOSED_TASKS_MAX && last->ios >= b->ios / RARE_FRACTION)
			break;
		for (uint32_t i = 0; i + 1 < b->kind_count && !into; i++)
			if (b->kinds[i]->kernel == last->kernel)
				into = b->kinds[i];
		if (!into && b->kind_count <= CLOSED_TASKS_MAX)
			break;
		merge_kind(into ? into : b->kinds[0], last);
		free(last);
		b->kind_count--;
	}
}

/* The only number of completions awaited; -1: there are several. */
static int only_awaited(const uint64_t *counts)
{
	int only = -1;

	for (int i = 0; i < CLOSED_AWAITED; i++) {
		if (counts[i] && only >= 0)
			return -1;
		if (counts[i])
			only = i;
	}
	return only;
}

/*
 * Merges rows that are equal or that few IOs stand behind: a row applies to larger numbers up to
 * the next. The steady state keeps a row of its own.
 */
static void pool_awaited(uint64_t awaited[CLOSED_ROWS][CLOSED_AWAITED], uint64_t ios)
{
	uint64_t least = ios / 64 + 1;
	unsigned int pool = 0;

	for (unsigned int n = 1; n < CLOSED_ROWS; n++) {
		uint64_t in_row = sum_of_counts(awaited[n], CLOSED_AWAITED);
		uint64_t in_pool = sum_of_counts(awaited[pool], CLOSED_AWAITED);
		int only = only_awaited(awaited[pool]);
		bool same = only >= 0 && only == only_awaited(awaited[n]);

		if (!in_row)
			continue;
		if (!in_pool || (!same && (in_row >= least || in_pool >= least))) {
			pool = n;
			continue;
		}
		add_counts(awaited[pool], awaited[n], CLOSED_AWAITED);
		memset(awaited[n], 0, sizeof(awaited[n]));
	}
}

static void fill_kind(const struct closed_builder *b, struct kind *kind, struct closed_tasks *to)
{
	uint64_t phase_ns = b->duration_ns / b->phases;

	to->kernel = kind->kernel;
	to->tasks = kind->tasks;
	for (uint32_t i = 0; i < b->phases; i++) {
		to->active[i] = phase_ns ? (kind->active_ns[i] + phase_ns / 2) / phase_ns : 0;
		if (!to->active[i] && kind->phase_ios[i])
			to->active[i] = 1;
	}
	pool_awaited(kind->awaited, kind->ios);
	weights_from_counts(kind->awaited[0], CLOSED_ROWS * CLOSED_AWAITED, WEIGHT_SUM,
			    to->awaited[0]);
	closed_values_of(&kind->think, CLOSED_VALUES_MAX, &to->think_ns);
	closed_values_of(&kind->cycle, CLOSED_VALUES_MAX, &to->cycle_ns);
	closed_values_of(&kind->open_gap, CLOSED_VALUES_MAX, &to->open_gap_ns);
}

/* Streams of the same kind are shared alike. */
static void fill_streams(const struct closed_builder *b, const uint32_t *became,
			 const uint32_t *kind_of, uint32_t streams, struct profile_closed *closed)
{
	uint64_t ios[STREAM_KINDS_MAX][CLOSED_TASKS_MAX] = {{0}};
	uint32_t weights[CLOSED_TASKS_MAX];

	for (uint32_t k = 0; k < b->kind_count; k++)
		for (uint32_t s = 0; s < STREAM_KINDS_MAX; s++)
			if (b->kinds[k]->streams[s])
				ios[became[s]][k] += b->kinds[k]->streams[s];
	for (uint32_t s = 0; s < streams; s++) {
		weights_from_counts(ios[kind_of[s]], b->kind_count, WEIGHT_SUM, weights);
		for (uint32_t k = 0; k < b->kind_count; k++)
			closed->kinds[k].streams[s] = weights[k];
	}
}

void closed_builder__finish(struct closed_builder *b, const uint32_t *became,
			    const uint32_t *kind_of, const struct profile *p,
			    struct profile_closed *closed)
{
	*closed = (struct profile_closed){0};
	if (!b->ios || b->ios * 100 < p->ios * KNOWN_PCT)
		return;
	add_lives(b);
	fold_kinds(b);
	closed->kind_count = b->kind_count;
	closed->dependent_permille = (uint32_t)((b->dependent * 1000 + b->ios / 2) / b->ios);
	weights_from_counts(b->depth, CLOSED_DEPTHS, WEIGHT_SUM, closed->depth);
	for (unsigned int op = 0; op < CLOSED_OPS; op++)
		for (unsigned int size = 0; size < CLOSED_SIZES; size++)
			closed_values_of(&b->latency[op][size], CLOSED_LATENCY_MAX,
					 &closed->latency_ns[op][size]);
	for (uint32_t i = 0; i < b->kind_count; i++)
		fill_kind(b, b->kinds[i], &closed->kinds[i]);
	fill_streams(b, became, kind_of, p->stream_count, closed);
}

/* Figures ----------------------------------------------------------------------------------- */

/* Mean number of IOs not yet awaited at which it waits, by weight. */
static double window_of(const struct closed_tasks *t)
{
	double sum = 0, weights = 0;

	for (unsigned int n = 0; n < CLOSED_ROWS; n++)
		for (unsigned int i = 1; i < CLOSED_AWAITED; i++) {
			sum += (double)t->awaited[n][i] * (n + 1);
			weights += t->awaited[n][i];
		}
	return weights > 0 ? sum / weights : 0;
}

void closed_facts(const struct profile *p, uint32_t kind, struct closed_facts *facts)
{
	const struct closed_tasks *t = &p->closed.kinds[kind];
	uint64_t ios = profile_ios_of_streams(p);

	*facts = (struct closed_facts){
		.share = ios ? (double)profile_ios_of_kind(p, kind) / (double)ios : 0,
		.window = window_of(t),
		.think_ns = (double)closed_values_mean(&t->think_ns),
		.cycle_ns = (double)closed_values_mean(&t->cycle_ns),
	};
	for (uint32_t i = 0; i < p->phase_count; i++)
		facts->active += (double)t->active[i] / p->phase_count;
}

double closed_mean_depth(const struct profile_closed *c)
{
	double sum = 0, weights = 0;

	for (unsigned int i = 1; i < CLOSED_DEPTHS; i++) {
		/* A class ends where the next begins. */
		sum += (double)c->depth[i] *
		       (double)(closed_depth_least(i) + closed_depth_least(i + 1) - 1) / 2;
		weights += c->depth[i];
	}
	return weights > 0 ? sum / weights : 0;
}

static bool is_latency_known(const struct profile_closed *c, unsigned int closed_op)
{
	for (unsigned int size = 0; size < CLOSED_SIZES; size++)
		if (c->latency_ns[closed_op][size].count)
			return true;
	return false;
}

double closed_mean_latency_ns(const struct profile *p, unsigned int op)
{
	double sum = 0, ios = 0;

	if (!is_latency_known(&p->closed, op))
		return 0;
	for (uint32_t i = 0; i < p->stream_count; i++) {
		const struct profile_stream *s = &p->streams[i];
		double weights = (double)profile_ios_of_sizes(s), weighed = 0;

		if (closed_op(s->op) != op || weights <= 0)
			continue;
		for (uint32_t z = 0; z < s->size_count; z++) {
			const struct closed_values *v =
				closed_service(&p->closed, op, closed_size(s->sizes[z].bytes));

			weighed += (double)s->sizes[z].ios * (double)closed_values_mean(v);
		}
		sum += (double)s->ios * weighed / weights;
		ios += (double)s->ios;
	}
	return ios > 0 ? sum / ios : 0;
}
