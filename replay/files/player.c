// SPDX-License-Identifier: MIT
#include "replay/files/player.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include "base/units.h"
#include "replay/files/action.h"

#define STACK_BYTES    (256u << 10)
#define LOOK_EVERY_NS  (100 * NSEC_PER_MSEC)
#define START_AFTER_NS NSEC_PER_MSEC
#define TIMER_SLACK_NS 1ul

struct player {
	const struct file_player_options *options;
	struct file_result *result;
	pthread_mutex_t mutex; /* of the result */
	atomic_bool enough, runtime_over;
	pthread_mutex_t gate; /* held until all threads are there and start_ns is known */
	uint64_t start_ns, end_ns;
};

struct player_thread {
	struct player *player;
	struct file_actor *actor;
	struct file_actor_counts counts;
	pthread_t handle;
	unsigned int number;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

static bool is_over(const struct player *p)
{
	return *p->options->stop || atomic_load_explicit(&p->enough, memory_order_relaxed);
}

/* Sleeps in pieces, so that a stop is noticed, and not beyond the end. */
static void sleep_until(const struct player *p, uint64_t due_ns)
{
	if (due_ns > p->end_ns)
		due_ns = p->end_ns;
	for (uint64_t at_ns = now_ns(); at_ns < due_ns && !is_over(p); at_ns = now_ns()) {
		uint64_t until_ns = due_ns - at_ns < LOOK_EVERY_NS ? due_ns : at_ns + LOOK_EVERY_NS;
		struct timespec until = {.tv_sec = (time_t)(until_ns / NSEC_PER_SEC),
					 .tv_nsec = (long)(until_ns % NSEC_PER_SEC)};

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	}
}

static void count_error(struct file_result *r, uint8_t op, int error)
{
	unsigned int i;

	for (i = 0; i < r->error_kinds; i++)
		if (r->errors[i].op == op && r->errors[i].error == error)
			break;
	if (i == FILE_PLAYER_ERRORS_MAX) {
		r->errors_of_other_kinds++;
		return;
	}
	if (i == r->error_kinds)
		r->errors[r->error_kinds++] = (struct file_error){.op = op, .error = error};
	r->errors[i].count++;
}

static void count(struct player_thread *thread, const struct file_op *op, uint64_t due_ns,
		  uint64_t begun_ns, int outcome)
{
	struct player *p = thread->player;
	uint64_t ended_ns = now_ns();
	struct file_op_result *result = &p->result->ops[op->op];

	pthread_mutex_lock(&p->mutex);
	result->count++;
	result->bytes += thread->counts.moved_bytes;
	if (due_ns - p->start_ns > p->result->last_due_ns)
		p->result->last_due_ns = due_ns - p->start_ns;
	histogram_add(&result->submitted_ns, ended_ns - begun_ns);
	if (p->options->timed) {
		histogram_add(&result->intended_ns, ended_ns - due_ns);
		histogram_add(&p->result->lateness_ns, begun_ns - due_ns);
	}
	if (outcome) {
		result->errors++;
		count_error(p->result, op->op, outcome < 0 ? -outcome : 0);
		if (p->options->stop_at_error) {
			p->result->stopped_at_error = true;
			atomic_store(&p->enough, true);
		}
	}
	pthread_mutex_unlock(&p->mutex);
}

static void *play(void *context)
{
	struct player_thread *thread = context;
	struct player *p = thread->player;
	const struct file_script *script = p->options->script;

	prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS, 0, 0, 0);
	pthread_mutex_lock(&p->gate);
	pthread_mutex_unlock(&p->gate);
	for (uint32_t i = script->first[thread->number]; i < script->first[thread->number + 1];
	     i++) {
		const struct file_op *op = &script->ops[i];
		uint64_t due_ns = p->start_ns + (uint64_t)((double)op->due_ns / p->options->speed);
		uint64_t begun_ns;
		int outcome;

		if (p->options->timed)
			sleep_until(p, due_ns);
		if (is_over(p))
			break;
		begun_ns = now_ns();
		if (begun_ns >= p->end_ns) {
			atomic_store(&p->runtime_over, true);
			break;
		}
		outcome = file_actor__do(thread->actor, op);
		count(thread, op, due_ns, begun_ns, outcome);
	}
	return NULL;
}

static void init_result(struct file_result *r)
{
	histogram_init(&r->lateness_ns);
	for (unsigned int op = 0; op < ACCESS_OP_COUNT; op++) {
		histogram_init(&r->ops[op].intended_ns);
		histogram_init(&r->ops[op].submitted_ns);
	}
}

static int start_thread(struct player *p, struct player_thread *thread, unsigned int number,
			const pthread_attr_t *attributes)
{
	thread->player = p;
	thread->number = number;
	thread->actor = file_actor__create(p->options->tree, p->options->script, p->options->write,
					   &thread->counts);
	if (!thread->actor)
		return -ENOMEM;
	return -pthread_create(&thread->handle, attributes, play, thread);
}

/* All threads wait at the gate until the last of them is there. */
static int run_threads(struct player *p, struct player_thread *threads,
		       const pthread_attr_t *attributes)
{
	unsigned int started = 0;
	uint64_t ended_ns;
	int err = 0;

	pthread_mutex_lock(&p->gate);
	for (; started < p->options->script->threads; started++) {
		err = start_thread(p, &threads[started], started, attributes);
		if (err)
			break;
	}
	if (err)
		atomic_store(&p->enough, true);
	p->start_ns = now_ns() + (p->options->timed ? START_AFTER_NS : 0);
	if (!p->options->runtime_ns ||
	    __builtin_add_overflow(p->start_ns, p->options->runtime_ns, &p->end_ns))
		p->end_ns = UINT64_MAX;
	pthread_mutex_unlock(&p->gate);
	for (unsigned int i = 0; i < started; i++)
		pthread_join(threads[i].handle, NULL);
	ended_ns = now_ns();
	/* A signal can end it before the start. */
	p->result->duration_ns = ended_ns > p->start_ns ? ended_ns - p->start_ns : 0;
	for (unsigned int i = 0; i < p->options->script->threads; i++) {
		file_actor__free(threads[i].actor);
		p->result->not_direct += threads[i].counts.not_direct;
		p->result->reopened_files += threads[i].counts.reopened_files;
	}
	return err;
}

/*
 * Each thread has descriptors of its own. If they do not suffice, operations fail with -EMFILE, and
 * are counted.
 */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int file_player__run(const struct file_player_options *options, struct file_result *result)
{
	struct player p = {.options = options,
			   .result = result,
			   .mutex = PTHREAD_MUTEX_INITIALIZER,
			   .gate = PTHREAD_MUTEX_INITIALIZER};
	struct player_thread *threads = calloc(options->script->threads, sizeof(*threads));
	pthread_attr_t attributes;
	int err;

	if (!threads)
		return -ENOMEM;
	init_result(result);
	raise_descriptor_limit();
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	file_actor_catch_faults();
	err = run_threads(&p, threads, &attributes);
	file_actor_release_faults();
	pthread_attr_destroy(&attributes);
	result->stopped = *options->stop;
	result->runtime_over = atomic_load(&p.runtime_over);
	free(threads);
	return err;
}

uint64_t file_result__errors(const struct file_result *r)
{
	uint64_t sum = 0;

	for (unsigned int op = 0; op < ACCESS_OP_COUNT; op++)
		sum += r->ops[op].errors;
	return sum;
}

uint64_t file_result__count(const struct file_result *r)
{
	uint64_t sum = 0;

	for (unsigned int op = 0; op < ACCESS_OP_COUNT; op++)
		sum += r->ops[op].count;
	return sum;
}

uint64_t file_result__bytes(const struct file_result *r)
{
	uint64_t sum = 0;

	for (unsigned int op = 0; op < ACCESS_OP_COUNT; op++)
		sum += r->ops[op].bytes;
	return sum;
}
