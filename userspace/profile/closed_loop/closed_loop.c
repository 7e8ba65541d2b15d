// SPDX-License-Identifier: MIT
#include "profile/closed_loop/closed_loop.h"

#include <errno.h>
#include <stdlib.h>

#include "profile/arithmetic.h"
#include "profile/closed_loop/held.h"
#include "profile/closed_loop/service.h"
#include "profile/closed_values.h"

#define OUTSTANDING_MAX 256u
#define ALIVE_MAX	1024u
#define TASKS_LOOKED	32u
#define SLOTS_LOOKED	8u
#define LOOKED_MAX	64u
#define WAITS_NOT	UINT32_MAX     /* a candidate that submits without waiting */
#define NOBODY		UINT32_MAX     /* one that is born */
#define AT_ONCE		(1ull << 48)   /* weight of what does not wait for its time */
#define CHANCE		1024u	       /* of all */
#define CHANCE_LEAST	(CHANCE / 64u) /* of what the tables rule out: bursts may differ */

/* An IO of a task that is not yet awaited. */
struct slot {
	uint64_t sequence, created_ns;
};

struct task {
	uint32_t number, count, capacity;
	uint64_t last_ns;
	struct slot *slots; /* in order of submission */
};

struct kind {
	const struct closed_tasks *of;
	uint64_t ios, born, longest; /* ios: expected; longest: of `active` */
	uint64_t last_birth_ns;
	uint32_t count, serial;
	struct task *tasks;
	/*
	 * By IOs not yet awaited: what the next IO awaits, and the chance to submit without
	 * waiting.
	 */
	const uint32_t *awaited[CLOSED_ROWS + 1];
	uint32_t goes_on[CLOSED_ROWS + 1];
	bool refills[CLOSED_ROWS + 1]; /* it has fewer in flight than it keeps going */
};

struct candidate {
	uint32_t task, slot;
	uint64_t weight;
};

struct closed_loop {
	const struct profile *p;
	struct profile_generator *generator;
	struct prng random;
	bool ended;
	struct closed_held held;
	struct kind kinds[CLOSED_TASKS_MAX];
	/*
	 * Feedback by op and size: by how much latencies are short of their mean, in sum; and this
	 * mean.
	 */
	int64_t backlog_ns[CLOSED_OPS][CLOSED_SIZES];
	uint64_t mean_ns[CLOSED_OPS][CLOSED_SIZES];
	uint32_t candidate_count;
	struct candidate candidates[2 * LOOKED_MAX];
};

void closed_loop__free(struct closed_loop *l)
{
	if (!l)
		return;
	for (unsigned int k = 0; k < CLOSED_TASKS_MAX; k++) {
		for (uint32_t i = 0; i < l->kinds[k].count; i++)
			free(l->kinds[k].tasks[i].slots);
		free(l->kinds[k].tasks);
	}
	profile_generator__free(l->generator);
	closed_held_release(&l->held);
	free(l);
}

static uint32_t chance_to_go_on(const uint32_t *awaited)
{
	uint64_t sum = sum_of_weights(awaited, CLOSED_AWAITED);

	return sum ? (uint32_t)(awaited[0] * (uint64_t)CHANCE / sum) : 0;
}

/*
 * A task that mostly goes on at n IOs waits at more of them. If it does so for one, it keeps these
 * going, and is to have them soon; if for all, it may as well wait here when its time has come.
 */
static void prepare_awaited(struct kind *kind)
{
	uint32_t steady = CLOSED_ROWS;

	for (uint32_t n = CLOSED_ROWS; n >= 1; n--) {
		const uint32_t *awaited = closed_awaited(kind->of, n);

		kind->goes_on[n] = chance_to_go_on(awaited);
		if (kind->goes_on[n] <= kind->goes_on[steady])
			steady = n;
		kind->awaited[n] = awaited;
		if (kind->goes_on[n] <= CHANCE / 2 || steady == n)
			continue;
		kind->awaited[n] = closed_awaited(kind->of, steady);
		kind->refills[n] = kind->goes_on[steady] < CHANCE / 2 &&
				   kind->awaited[n][1] > kind->awaited[n][CLOSED_AWAITED_ALL];
	}
}

static int prepare_kind(struct closed_loop *l, uint32_t index)
{
	struct kind *kind = &l->kinds[index];

	kind->of = &l->p->closed.kinds[index];
	kind->ios = profile_ios_of_kind(l->p, index);
	kind->tasks = calloc(ALIVE_MAX, sizeof(*kind->tasks));
	if (!kind->tasks)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->p->phase_count; i++)
		kind->longest = larger_of(kind->of->active[i], kind->longest);
	prepare_awaited(kind);
	return 0;
}

static void prepare_means(struct closed_loop *l)
{
	for (unsigned int op = 0; op < CLOSED_OPS; op++)
		for (unsigned int size = 0; size < CLOSED_SIZES; size++)
			l->mean_ns[op][size] =
				closed_values_mean(closed_service(&l->p->closed, op, size));
}

int closed_loop__create(const struct profile *p, uint64_t seed, uint64_t duration_ns,
			struct closed_loop **loop)
{
	struct closed_loop *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return -ENOMEM;
	l->p = p;
	prng_seed(&l->random, seed ^ 0x636c6f736564ull);
	err = profile_generator__create(p, seed, &l->generator);
	if (!err && p->closed.kind_count)
		err = closed_held_init(&l->held);
	for (uint32_t k = 0; k < p->closed.kind_count && !err; k++)
		err = prepare_kind(l, k);
	if (err) {
		closed_loop__free(l);
		return err;
	}
	prepare_means(l);
	if (duration_ns)
		profile_generator__repeat(l->generator, duration_ns);
	*loop = l;
	return 0;
}

/* When IOs complete ---------------------------------------------------------------------------- */

static void decide_alone(struct closed_loop *l, uint64_t sequence)
{
	if (!closed_held_is_decided(&l->held, sequence))
		closed_held_decide(&l->held, sequence,
				   closed_service_draw(&l->p->closed,
						       closed_held_row(&l->held, sequence),
						       &l->random));
}

/* Tasks -------------------------------------------------------------------------------------- */

static uint64_t wanted(const struct closed_loop *l, const struct kind *kind, uint64_t now_ns)
{
	uint64_t duration_ns = l->p->duration_ns, active;

	active = kind->of->active[part_of(duration_ns, duration_ns ? now_ns % (duration_ns + 1) : 0,
					  l->p->phase_count)];
	return active < 1 ? 1 : active < ALIVE_MAX ? active : ALIVE_MAX;
}

static void end_task(struct closed_loop *l, struct kind *kind, uint32_t index)
{
	struct task *task = &kind->tasks[index];

	for (uint32_t i = 0; i < task->count; i++)
		decide_alone(l, task->slots[i].sequence);
	free(task->slots);
	*task = kind->tasks[--kind->count];
}

static void end_oldest(struct closed_loop *l, struct kind *kind)
{
	uint32_t oldest = 0;

	for (uint32_t i = 1; i < kind->count; i++)
		if (kind->tasks[i].last_ns < kind->tasks[oldest].last_ns)
			oldest = i;
	end_task(l, kind, oldest);
}

static uint32_t begin_task(struct closed_loop *l, struct kind *kind, uint64_t now_ns)
{
	uint32_t index = (uint32_t)(kind - l->kinds);

	if (kind->count >= wanted(l, kind, now_ns))
		end_oldest(l, kind);
	kind->tasks[kind->count] =
		(struct task){.number = kind->serial * CLOSED_TASKS_MAX + index + 1};
	kind->serial = (kind->serial + 1) % (CLOSED_TASK_NUMBERS / CLOSED_TASKS_MAX);
	kind->born++;
	kind->last_birth_ns = now_ns;
	return kind->count++;
}

/* Who is next -------------------------------------------------------------------------------- */

static void add_candidate(struct closed_loop *l, uint32_t task, uint32_t slot, uint64_t weight)
{
	if (l->candidate_count < 2 * LOOKED_MAX)
		l->candidates[l->candidate_count++] = (struct candidate){task, slot, weight};
}

static uint64_t goes_on_weight(const struct kind *kind, uint32_t chance, uint64_t age_ns)
{
	uint64_t density = closed_values_density(&kind->of->open_gap_ns, age_ns);
	uint64_t left =
		CHANCE * CHANCE - chance * closed_values_below(&kind->of->open_gap_ns, age_ns);

	return density / 16 * chance / (left / CHANCE + 1) * 16;
}

static void look_at_task(struct closed_loop *l, const struct kind *kind, uint32_t index,
			 uint64_t now_ns)
{
	const struct task *task = &kind->tasks[index];
	uint32_t chance = kind->goes_on[at_most(task->count ? task->count : 1, CLOSED_ROWS)];
	uint32_t waits = CHANCE - chance > CHANCE_LEAST ? CHANCE - chance : CHANCE_LEAST;

	if (kind->refills[at_most(task->count ? task->count : 1, CLOSED_ROWS)]) {
		add_candidate(l, index, WAITS_NOT, AT_ONCE);
		return;
	}
	if (chance)
		add_candidate(l, index, WAITS_NOT,
			      goes_on_weight(kind, chance, now_ns - task->last_ns));
	for (uint32_t i = 0; i < task->count && i < SLOTS_LOOKED; i++) {
		uint64_t age_ns = now_ns - task->slots[i].created_ns, hazard;

		if (!age_ns || closed_held_completed_ns(&l->held, task->slots[i].sequence) > now_ns)
			continue;
		hazard = closed_values_hazard(&kind->of->cycle_ns, age_ns);
		add_candidate(l, index, i, hazard / CHANCE * waits);
	}
}

/* Nobody's turn has come: who is nearest to it. */
static struct candidate nearest(const struct closed_loop *l, const struct kind *kind)
{
	struct candidate best = {NOBODY, WAITS_NOT, 0};
	uint64_t best_ns = UINT64_MAX;

	for (uint32_t i = 0; i < l->candidate_count; i++) {
		const struct candidate *c = &l->candidates[i];
		const struct task *task = &kind->tasks[c->task];
		uint32_t chance = kind->goes_on[at_most(task->count, CLOSED_ROWS)];
		uint64_t since_ns =
			c->slot == WAITS_NOT ? task->last_ns : task->slots[c->slot].created_ns;

		if ((c->slot == WAITS_NOT) != (chance > CHANCE / 2) || since_ns >= best_ns)
			continue;
		best = *c;
		best_ns = since_ns;
	}
	if (best.task == NOBODY && l->candidate_count)
		best = l->candidates[0];
	if (best.task == NOBODY && kind->count)
		best.task = 0;
	return best;
}

/* The task that submits now, and which of its IOs it waited for. */
static struct candidate choose(struct closed_loop *l, struct kind *kind, uint64_t now_ns)
{
	const struct candidate birth = {NOBODY, WAITS_NOT, 0};
	uint64_t sum = 0, at, aim = wanted(l, kind, now_ns);
	uint32_t first = 0, looked = kind->count;

	if (!kind->count)
		return birth;
	if (kind->of->tasks > kind->longest &&
	    prng_below(&l->random, kind->ios) < kind->of->tasks - kind->longest)
		return birth;
	if (looked > TASKS_LOOKED) {
		looked = TASKS_LOOKED;
		first = (uint32_t)prng_below(&l->random, kind->count);
	}
	l->candidate_count = 0;
	for (uint32_t i = 0; i < looked && l->candidate_count < LOOKED_MAX; i++)
		look_at_task(l, kind, (first + i) % kind->count, now_ns);
	for (uint32_t i = 0; i < l->candidate_count; i++)
		sum += l->candidates[i].weight;
	if (kind->count < aim) {
		uint64_t due =
			closed_values_hazard(&kind->of->cycle_ns, now_ns - kind->last_birth_ns);

		if (!sum || prng_below(&l->random, sum + due) < due)
			return birth;
	}
	if (!sum)
		return nearest(l, kind);
	at = prng_below(&l->random, sum);
	for (uint32_t i = 0;; i++) {
		if (at < l->candidates[i].weight)
			return l->candidates[i];
		at -= l->candidates[i].weight;
	}
}

/* Awaiting --------------------------------------------------------------------------------- */

static uint32_t draw_awaited(struct closed_loop *l, const struct kind *kind, uint32_t outstanding)
{
	const uint32_t *weights = kind->awaited[at_most(outstanding, CLOSED_ROWS)];
	int drawn = prng_weighted(&l->random, weights + 1, CLOSED_AWAITED - 1);
	uint32_t awaited = drawn < 0 ? 1 : (uint32_t)drawn + 1;

	return awaited == CLOSED_AWAITED_ALL || awaited > outstanding ? outstanding : awaited;
}

static void take_slot(struct task *task, uint32_t slot)
{
	task->count--;
	for (uint32_t i = slot; i < task->count; i++)
		task->slots[i] = task->slots[i + 1];
}

/*
 * What cannot be told from the time alone, a long latency from a long thought, is told from the
 * sums: where these are off by more than one IO can be, latency gives or takes, within its
 * distribution.
 */
static uint64_t settle(struct closed_loop *l, const struct io_row *row, uint64_t latency_ns,
		       uint64_t most_ns)
{
	unsigned int op = closed_op(row->op), size = closed_size(row->bytes);
	const struct closed_values *v = closed_service(&l->p->closed, op, size);
	uint64_t last_ns = v->at[v->count - 1];
	int64_t *backlog_ns = &l->backlog_ns[op][size];

	most_ns = smaller_of(most_ns, last_ns);
	if (*backlog_ns > (int64_t)last_ns && latency_ns < most_ns) {
		latency_ns += (uint64_t)*backlog_ns / 2;
		latency_ns = latency_ns < most_ns ? latency_ns : most_ns;
	} else if (*backlog_ns < -(int64_t)last_ns && latency_ns > v->at[0]) {
		uint64_t less_ns = (uint64_t) - *backlog_ns / 2;

		latency_ns = latency_ns > v->at[0] + less_ns ? latency_ns - less_ns : v->at[0];
	}
	*backlog_ns += (int64_t)l->mean_ns[op][size] - (int64_t)latency_ns;
	return latency_ns;
}

/* How long the IO that was waited for took of the time since. */
static uint64_t divide(struct closed_loop *l, const struct kind *kind, const struct io_row *row,
		       uint64_t cycle_ns)
{
	const struct closed_values *think = &kind->of->think_ns;
	uint64_t least_ns = think->count ? think->at[0] : 0;
	uint64_t latency_ns =
		closed_service_divide(&l->p->closed, row, think, cycle_ns, &l->random);

	return settle(l, row, latency_ns,
		      cycle_ns > 2 * least_ns ? cycle_ns - least_ns : cycle_ns / 2 + 1);
}

/* No IO like it was ever so fast: it is still on its way. */
static bool too_young(const struct closed_loop *l, uint64_t sequence, uint64_t now_ns)
{
	const struct io_row *row = closed_held_row(&l->held, sequence);
	const struct closed_values *v =
		closed_service(&l->p->closed, closed_op(row->op), closed_size(row->bytes));

	return now_ns - row->created_ns < v->at[0];
}

/* The IO of `slot` completes so that its task thought until now; IOs before it complete, too. */
static void await(struct closed_loop *l, const struct kind *kind, struct task *task, uint32_t slot,
		  uint64_t now_ns)
{
	struct slot cause = task->slots[slot];
	uint32_t awaited = draw_awaited(l, kind, task->count);
	uint64_t done_ns;

	if (!closed_held_is_decided(&l->held, cause.sequence))
		closed_held_decide(&l->held, cause.sequence,
				   divide(l, kind, closed_held_row(&l->held, cause.sequence),
					  now_ns - cause.created_ns));
	done_ns = closed_held_completed_ns(&l->held, cause.sequence);
	take_slot(task, slot);
	for (uint32_t i = 1; i < awaited; i++) {
		struct slot other = task->slots[0];
		uint64_t latency_ns, most_ns;

		if (!closed_held_is_decided(&l->held, other.sequence) &&
		    too_young(l, other.sequence, now_ns))
			break;
		if (!closed_held_is_decided(&l->held, other.sequence)) {
			latency_ns = closed_service_draw(&l->p->closed,
							 closed_held_row(&l->held, other.sequence),
							 &l->random);
			most_ns = done_ns > other.created_ns ? done_ns - other.created_ns : 1;
			closed_held_decide(&l->held, other.sequence,
					   latency_ns < most_ns ? latency_ns : most_ns);
		}
		take_slot(task, 0);
	}
}

static int add_slot(struct closed_loop *l, struct task *task, uint64_t sequence, uint64_t now_ns)
{
	if (task->count == OUTSTANDING_MAX) {
		decide_alone(l, task->slots[0].sequence);
		take_slot(task, 0);
	}
	if (task->count == task->capacity) {
		uint32_t capacity = task->capacity ? 2 * task->capacity : 2;
		struct slot *grown = realloc(task->slots, capacity * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		task->slots = grown;
		task->capacity = capacity;
	}
	task->slots[task->count++] = (struct slot){sequence, now_ns};
	return 0;
}

static uint32_t draw_kind(struct closed_loop *l, uint32_t stream)
{
	uint32_t weights[CLOSED_TASKS_MAX];
	int kind;

	for (uint32_t k = 0; k < l->p->closed.kind_count; k++)
		weights[k] = l->p->closed.kinds[k].streams[stream];
	kind = l->p->closed.kind_count > 1
		       ? prng_weighted(&l->random, weights, l->p->closed.kind_count)
		       : 0;
	return kind < 0 ? 0 : (uint32_t)kind;
}

static int assign(struct closed_loop *l, const struct io_row *row)
{
	uint32_t index = draw_kind(l, row->task - 1);
	struct kind *kind = &l->kinds[index];
	uint64_t now_ns = row->created_ns;
	struct closed_row held;
	struct candidate chosen;
	struct task *task;

	if (kind->count > wanted(l, kind, now_ns))
		end_oldest(l, kind);
	chosen = choose(l, kind, now_ns);
	if (chosen.task == NOBODY)
		chosen.task = begin_task(l, kind, now_ns);
	task = &kind->tasks[chosen.task];
	if (chosen.slot != WAITS_NOT)
		await(l, kind, task, chosen.slot, now_ns);
	task->last_ns = now_ns;
	held = (struct closed_row){*row, row->task - 1, index, task->number, kind->of->kernel};
	held.row.task = task->number;
	closed_held_add(&l->held, &held);
	return add_slot(l, task, l->held.tail - 1, now_ns);
}

static int next_open(struct closed_loop *l, struct closed_row *row)
{
	int got = profile_generator__next(l->generator, &row->row);

	if (got <= 0)
		return got;
	row->stream = row->row.task - 1;
	row->kind = row->task = 0;
	row->kernel = false;
	return got;
}

int closed_loop__next(struct closed_loop *l, struct closed_row *row)
{
	struct io_row next;
	int got;

	if (!l->p->closed.kind_count)
		return next_open(l, row);
	while (!l->ended && (closed_held_is_empty(&l->held) ||
			     !closed_held_is_decided(&l->held, l->held.head))) {
		if (closed_held_is_full(&l->held)) {
			decide_alone(l, l->held.head);
			break;
		}
		got = profile_generator__next(l->generator, &next);
		if (got < 0)
			return got;
		if (got) {
			int err = assign(l, &next);

			if (err)
				return err;
			continue;
		}
		l->ended = true;
		for (uint64_t i = l->held.head; i < l->held.tail; i++)
			decide_alone(l, i);
	}
	if (closed_held_is_empty(&l->held))
		return 0;
	closed_held_take(&l->held, row);
	return 1;
}
