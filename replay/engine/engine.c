// SPDX-License-Identifier: MIT
#include "replay/engine/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"
#include "base/units.h"
#include "replay/engine/batch_wait.h"
#include "replay/engine/gather.h"
#include "replay/engine/ring.h"
#include "replay/engine/reader_thread.h"
#include "replay/engine/in_flight.h"
#include "replay/engine/sqpoll_delay.h"
#include "replay/engine/thread_priority.h"
#include "replay/engine/schedule.h"
#include "replay/engine/spin.h"
#include "replay/engine/worker.h"

#define WAIT_MAX_NS	(100 * NSEC_PER_MSEC)
#define STARVED_WAIT_NS (50 * NSEC_PER_USEC)

/* Nothing wakes a worker when another one has come far enough: it asks this often. */
#define ORDERED_WAIT_NS (20 * NSEC_PER_USEC)
#define OTHERS_WAIT_NS	(500 * NSEC_PER_USEC)

struct engine {
	const struct engine_options *options;
	struct engine_result *result;
	struct engine_ring ring;
	struct buffers *buffers;
	struct schedule schedule;
	struct in_flight flight;
	struct engine_gather gather;
	struct batch_wait batch_wait;	  /* ENGINE_ASAP */
	struct sqpoll_delay sqpoll_delay; /* sqpoll */
	struct thread_priority priority;
	struct spin spin;
	bool due_soon;	 /* sooner than completions can be taken */
	uint64_t end_ns; /* options->runtime_ns is over; UINT64_MAX: never */
	char *message;
};

static bool is_stopped(const struct engine *e)
{
	return e->options->stop && *e->options->stop;
}

static bool is_enough(const struct engine *e)
{
	return (e->options->enough && *e->options->enough) ||
	       (e->flight.failed && e->options->stop_at_error);
}

/* True from the end of options->runtime_ns on. */
static bool is_runtime_over(struct engine *e)
{
	if (e->end_ns == UINT64_MAX || clock_ns(CLOCK_MONOTONIC) < e->end_ns)
		return false;
	e->result->runtime_over = true;
	return true;
}

/* A wait that does not go beyond options->runtime_ns. */
static uint64_t until_end(const struct engine *e, uint64_t wait_ns)
{
	uint64_t now_ns;

	if (e->end_ns == UINT64_MAX)
		return wait_ns;
	now_ns = clock_ns(CLOCK_MONOTONIC);
	if (now_ns >= e->end_ns)
		return 1;
	return e->end_ns - now_ns < wait_ns ? e->end_ns - now_ns : wait_ns;
}

static bool has_due(const struct engine *e)
{
	return engine_mode__has_due(e->options->mode);
}

static bool adapts_spin(const struct engine *e)
{
	return has_due(e) && e->options->spin == ENGINE_SPIN_AUTO;
}

static void end_spin(struct engine *e, uint64_t now_ns)
{
	spin__ended(&e->spin, now_ns);
	if (adapts_spin(e))
		e->schedule.lead_ns = e->spin.lead_ns;
}

static void woke(struct engine *e, uint64_t late_ns)
{
	if (!adapts_spin(e))
		return;
	spin__woke(&e->spin, late_ns);
	e->schedule.lead_ns = e->spin.lead_ns;
}

/* Completions -------------------------------------------------------------------------------- */

static unsigned int reap_from(struct engine *e, struct io_uring *uring)
{
	struct io_uring_cqe *cqes[ENGINE_BATCH_MAX];
	unsigned int count = io_uring_peek_batch_cqe(uring, cqes, ENGINE_BATCH_MAX);
	uint64_t now_ns;

	if (!count)
		return 0;
	now_ns = clock_ns(CLOCK_MONOTONIC);
	for (unsigned int i = 0; i < count; i++) {
		uint64_t data = io_uring_cqe_get_data64(cqes[i]);

		if (data == LIBURING_UDATA_TIMEOUT) /* the timeout of a wait, before Linux 5.11 */
			continue;
		if (!(data & ENGINE_RING_FLUSH_PART))
			in_flight__completed(&e->flight, (uint32_t)data, cqes[i]->res, now_ns);
		else if (cqes[i]->res < 0)
			in_flight__flush_failed(&e->flight, (uint32_t)data, -cqes[i]->res);
	}
	in_flight__account(&e->flight, now_ns);
	io_uring_cq_advance(uring, count);
	return count;
}

/* Looks how far the kernel's thread is, as often as there is time for it. The clock is read first: what is not taken
 * afterwards had waited until then. */
static void look_for_pickup(struct engine *e)
{
	uint64_t now_ns;

	if (!sqpoll_delay__waits(&e->sqpoll_delay))
		return;
	now_ns = clock_ns(CLOCK_MONOTONIC);
	sqpoll_delay__look(&e->sqpoll_delay, engine_ring__taken(&e->ring), now_ns,
			   &e->result->sqpoll_delay_ns);
}

static void reap(struct engine *e)
{
	struct polled_ring *polled = &e->ring.polled;
	unsigned int count;

	look_for_pickup(e);
	reap_from(e, &e->ring.uring);
	if (e->gather.worker)
		worker__completed(e->gather.worker, &e->flight);
	if (!polled->in_flight)
		return;
	if (!io_uring_cq_ready(&polled->uring))
		polled_ring__look(polled);
	count = reap_from(e, &polled->uring);
	polled->in_flight -= count;
	e->result->polled += count;
}

/* Submissions -------------------------------------------------------------------------------- */

/*
 * Submits the polled ring before the first one: an IO there that overlaps one of these is submitted
 * later, and these IOs wait themselves for what they overlap there (`order`).
 */
static int submit_polled(struct engine *e)
{
	int err = 0;

	while (!err && e->ring.polled.queued) {
		err = polled_ring__submit(&e->ring.polled);
		if (err == -EAGAIN || err == -EBUSY || err == -EINTR) {
			reap(e);
			err = 0;
		}
	}
	if (err)
		snprintf(e->message, ENGINE_MESSAGE_MAX, "io_uring takes no more polled IO: %s",
			 strerror(-err));
	return err;
}

/* Needs no system call while the kernel's own thread submits and is awake. */
static int submit(struct engine *e)
{
	return e->options->sqpoll ? io_uring_submit(&e->ring.uring)
				  : io_uring_submit_and_get_events(&e->ring.uring);
}

/* The queue is full and the next IO is ready: some IOs have to complete first. */
static int submit_and_wait_for_room(struct engine *e)
{
	unsigned int count = batch_wait__next(&e->batch_wait);
	uint64_t wait_ns = until_end(e, count > 1 ? BATCH_WAIT_NS : WAIT_MAX_NS);
	int err = e->options->iodepth == 1 ? engine_ring__submit_then_wait(&e->ring, wait_ns)
					   : engine_ring__submit_and_wait(&e->ring, count, wait_ns);

	batch_wait__ended(&e->batch_wait, io_uring_cq_ready(&e->ring.uring));
	return err == -ETIME ? 0 : err;
}

static void note_pickup(struct engine *e, uint64_t now_ns)
{
	if (!e->options->sqpoll)
		return;
	look_for_pickup(e);
	sqpoll_delay__submitted(&e->sqpoll_delay, engine_ring__tail(&e->ring),
				e->gather.batch_count, now_ns);
}

static int submit_batch(struct engine *e, enum gathered gathered)
{
	bool is_full = e->options->mode == ENGINE_ASAP && gathered == GATHERED_HELD &&
		       e->flight.depth.in_flight == e->flight.depth.limit;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	int err;

	if (e->gather.worker)
		worker__count(e->gather.worker, e->flight.depth.in_flight);
	in_flight__submitted(&e->flight, e->gather.batch, e->gather.batch_count, now_ns);
	end_spin(e, now_ns);
	thread_priority__look(&e->priority, now_ns);
	note_pickup(e, now_ns);
	e->gather.batch_count = 0;
	err = submit_polled(e);
	if (err || (e->ring.polled.in_flight && !io_uring_sq_ready(&e->ring.uring)))
		return err;
	is_full &= !e->ring.polled.in_flight;
	do {
		err = is_full ? submit_and_wait_for_room(e) : submit(e);
		if (err == -EAGAIN || err == -EBUSY)
			reap(e);
		else if (err < 0 && err != -EINTR)
			break;
	} while (!(err > 0 && e->options->sqpoll) && io_uring_sq_ready(&e->ring.uring));
	if (err >= 0 || err == -EINTR || err == -EAGAIN || err == -EBUSY)
		return 0;
	snprintf(e->message, ENGINE_MESSAGE_MAX, "io_uring takes no more IO: %s", strerror(-err));
	return err;
}

/* Running ------------------------------------------------------------------------------------ */

/* As wait_in_ring(), but polls: nothing wakes the thread when a polled IO completes. */
static int wait_polling(struct engine *e, uint64_t timeout_ns)
{
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + timeout_ns;
	int err = 0;

	while (!err && !is_stopped(e) && !io_uring_cq_ready(&e->ring.uring) &&
	       !io_uring_cq_ready(&e->ring.polled.uring) && clock_ns(CLOCK_MONOTONIC) < end_ns) {
		err = polled_ring__look(&e->ring.polled);
		if (e->flight.depth.in_flight > e->ring.polled.in_flight)
			io_uring_get_events(&e->ring.uring);
	}
	if (err)
		snprintf(e->message, ENGINE_MESSAGE_MAX, "io_uring cannot poll: %s",
			 strerror(-err));
	return err;
}

/* Sleeps until a completion, a signal, or `timeout_ns` at the latest. */
static int wait_in_ring(struct engine *e, uint64_t timeout_ns)
{
	struct __kernel_timespec timeout;
	struct io_uring_cqe *cqe;
	uint64_t start_ns, slept_ns;
	int err;

	if (timeout_ns > WAIT_MAX_NS)
		timeout_ns = WAIT_MAX_NS;
	if (e->ring.polled.in_flight)
		return wait_polling(e, timeout_ns);
	timeout = (struct __kernel_timespec){.tv_sec = (long long)(timeout_ns / NSEC_PER_SEC),
					     .tv_nsec = (long long)(timeout_ns % NSEC_PER_SEC)};
	start_ns = clock_ns(CLOCK_MONOTONIC);
	end_spin(e, start_ns);
	err = io_uring_wait_cqe_timeout(&e->ring.uring, &cqe, &timeout);
	slept_ns = clock_ns(CLOCK_MONOTONIC) - start_ns;
	thread_priority__slept(&e->priority, slept_ns);
	if (err == -ETIME && slept_ns >= timeout_ns)
		woke(e, slept_ns - timeout_ns);
	if (!err || err == -ETIME || err == -EINTR || err == -EAGAIN || err == -EBUSY)
		return 0;
	snprintf(e->message, ENGINE_MESSAGE_MAX, "io_uring cannot wait: %s", strerror(-err));
	return err;
}

static void tell(struct engine *e, uint64_t now_ns, bool last)
{
	uint32_t in_flight = e->flight.depth.in_flight - e->gather.staged;

	if (e->gather.worker)
		in_flight = worker__count(e->gather.worker, in_flight);
	progress__tell(e->flight.progress, now_ns, e->result->last_due_ns, in_flight, last);
}

/* Publishes what other workers may wait for. */
static void tell_others(struct engine *e)
{
	struct worker *w = e->gather.worker;

	if (!w)
		return;
	worker__completed(w, &e->flight);
	if (!e->gather.batch_count)
		worker__submitted(w);
	worker__count(w, e->flight.depth.in_flight - e->gather.staged);
}

/* Nothing to submit now: sleeps, or returns at once to spin. */
static int idle(struct engine *e, enum gathered gathered, uint64_t due_ns)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC), sleep_ns;

	tell_others(e);
	e->due_soon = gathered == GATHERED_NOT_DUE && schedule_is_soon(due_ns, now_ns);
	sleep_ns = gathered == GATHERED_NOT_DUE ? schedule_sleep_ns(&e->schedule, due_ns, now_ns)
						: WAIT_MAX_NS;
	if (e->due_soon || !sleep_ns || e->options->spin == ENGINE_SPIN_ALWAYS) {
		spin__polls(&e->spin, now_ns);
		return 0;
	}
	if (gathered == GATHERED_NOT_DUE)
		return wait_in_ring(e, until_end(e, sleep_ns));
	if (gathered == GATHERED_STARVED)
		return wait_in_ring(e, STARVED_WAIT_NS);
	if (gathered == GATHERED_ORDERED)
		return wait_in_ring(e, ORDERED_WAIT_NS);
	if (gathered == GATHERED_OTHERS)
		return wait_in_ring(e, OTHERS_WAIT_NS);
	return wait_in_ring(e, until_end(e, WAIT_MAX_NS));
}

static int run(struct engine *e)
{
	enum gathered gathered;
	int err = 0;

	while (!err && !is_stopped(e) && !is_enough(e) && !is_runtime_over(e)) {
		uint64_t due_ns = 0;

		if (!e->due_soon)
			reap(e);
		e->due_soon = false;
		tell_others(e);
		if (is_enough(e)) /* an IO failed: no other IO may follow */
			break;
		gathered = engine_gather__next(&e->gather, &due_ns);
		e->result->source_over = gathered == GATHERED_END && !e->gather.batch_count;
		if (e->result->source_over)
			break;
		if (gathered == GATHERED_FAILED)
			return submit_batch(e, gathered);
		err = e->gather.batch_count && !e->gather.staged ? submit_batch(e, gathered)
		      : gathered == GATHERED_FULL		 ? 0
								 : idle(e, gathered, due_ns);
		if (e->options->progress)
			tell(e, clock_ns(CLOCK_MONOTONIC), false);
	}
	engine_gather__unstage(&e->gather);
	end_spin(e, clock_ns(CLOCK_MONOTONIC));
	e->result->stopped = is_stopped(e);
	e->result->stopped_at_error = e->flight.failed && e->options->stop_at_error;
	if (e->result->stopped || e->result->runtime_over)
		in_flight__cut_short(&e->flight, clock_ns(CLOCK_MONOTONIC));
	return err;
}

/* Everything is ready; waits for the start, which is the same for all engines. */
static int wait_for_start(struct engine *e)
{
	struct start_gate *gate = e->options->gate;
	uint64_t start_ns = gate ? start_gate__arrive(gate, clock_ns(CLOCK_MONOTONIC))
				 : clock_ns(CLOCK_MONOTONIC);
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	int err = start_gate_by_day(e->options->start_wall_ns, &start_ns, e->message,
				    ENGINE_MESSAGE_MAX);

	e->schedule.start_ns = start_ns;
	if (!e->options->runtime_ns ||
	    __builtin_add_overflow(start_ns, e->options->runtime_ns, &e->end_ns))
		e->end_ns = UINT64_MAX;
	in_flight__start(&e->flight, e->options, e->schedule.start_ns);
	while (!err && !is_stopped(e) && now_ns < e->schedule.start_ns) {
		uint64_t sleep_ns = schedule_sleep_ns(&e->schedule, e->schedule.start_ns, now_ns);

		err = sleep_ns ? wait_in_ring(e, sleep_ns) : 0;
		now_ns = clock_ns(CLOCK_MONOTONIC);
		if (!e->options->waiting || e->schedule.start_ns < now_ns + ENGINE_WAITING_NS)
			continue;
		e->options->waiting(e->options->waiting_context);
		now_ns = clock_ns(CLOCK_MONOTONIC);
	}
	return err;
}

static int drain(struct engine *e)
{
	int err = 0;

	tell_others(e);
	while (!err && e->flight.depth.in_flight) {
		reap(e);
		if (e->flight.depth.in_flight)
			err = wait_in_ring(e, WAIT_MAX_NS);
	}
	look_for_pickup(e);
	return err;
}

static void choose_batch(struct engine *e)
{
	uint32_t iodepth = e->options->iodepth, batch = e->options->completion_batch;

	if (!batch)
		batch = batch_wait__default(iodepth, ENGINE_BATCH_MAX);
	/* Without a timeout a stuck IO could hold up all others. */
	if (!e->ring.waits_with_timeout || e->options->iopoll)
		batch = 1;
	e->batch_wait.count = batch < iodepth ? batch : iodepth;
	e->result->completion_batch = e->batch_wait.count;
}

static int source_error(struct engine *e)
{
	int err = reader_thread__error(e->gather.reader_thread);

	if (err == -ERANGE)
		snprintf(e->message, ENGINE_MESSAGE_MAX, ENGINE_OUTSIDE_TEXT);
	else if (err)
		snprintf(e->message, ENGINE_MESSAGE_MAX, "the source failed: %s", strerror(-err));
	return err;
}

/* Makes the calling thread one that is on time. Returns its timer slack of before. */
static int sharpen(struct engine *e)
{
	int slack_ns = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);

	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	if (e->options->raise_priority && has_due(e))
		thread_priority__raise(&e->priority, e->options->spin != ENGINE_SPIN_ALWAYS,
				       clock_ns(CLOCK_MONOTONIC));
	spin__init(&e->spin, &e->result->wakeups_ns);
	e->schedule.speed = e->options->speed;
	e->schedule.lead_ns = e->options->spin == ENGINE_SPIN_NEVER ? 0 : SPIN_FREE_NS;
	if (adapts_spin(e)) {
		spin__measure(&e->spin, e->options->stop);
		end_spin(e, clock_ns(CLOCK_MONOTONIC));
	}
	return slack_ns;
}

static void relax(struct engine *e, int slack_ns)
{
	e->result->priority = e->priority.lowest;
	thread_priority__restore(&e->priority);
	e->result->lead_ns = adapts_spin(e) ? e->spin.highest_ns : 0;
	e->result->spun_ns = e->spin.spun_ns;
	e->result->spin_limited = e->spin.limited;
	if (slack_ns > 0)
		prctl(PR_SET_TIMERSLACK, slack_ns, 0, 0, 0);
}

static int start(struct engine *e)
{
	int err = wait_for_start(e);

	if (!err && e->options->mode == ENGINE_DEPENDENT)
		err = dependents__create(e->schedule.start_ns, e->options->speed,
					 &e->flight.dependents);
	if (err && !e->message[0])
		snprintf(e->message, ENGINE_MESSAGE_MAX, "%s", strerror(-err));
	thread_priority__begin(&e->priority, clock_ns(CLOCK_MONOTONIC));
	return err;
}

static int play(struct engine *e)
{
	int slack_ns = sharpen(e), err = start(e);
	struct thread_times before;

	if (err) {
		relax(e, slack_ns);
		return err;
	}
	thread_times__read(&before);
	err = run(e);
	/* After a failure of the ring nobody knows what it still holds; closing it ends that. */
	if (!err)
		err = drain(e);
	relax(e, slack_ns);
	tell(e, clock_ns(CLOCK_MONOTONIC), true);
	engine_result__finish(e->result);
	engine_result__add_cpu_time(e->result, &before);
	if (!err)
		err = e->gather.error;
	if (!err && !e->result->stopped && !e->result->runtime_over && !is_enough(e))
		err = source_error(e);
	if (e->options->mode != ENGINE_ASAP)
		e->result->held_back = e->flight.depth.held_back;
	e->result->highest_depth = e->flight.depth.highest;
	e->result->lowered_priorities = e->ring.priority.lowered;
	return err;
}

static int allocate(struct engine *e)
{
	const struct engine_options *options = e->options;
	struct buffers_options buffers_options = {
		.seed = options->seed,
		.longest_read_bytes = options->longest_read_bytes,
		.longest_write_bytes = options->longest_write_bytes,
		.in_flight = options->iodepth,
		.content = options->content,
	};
	int err;

	if (options->worker) {
		buffers_options.pattern = options->worker->common->pattern;
		buffers_options.workers = options->worker->common->workers;
		buffers_options.first_own_block = (uint64_t)options->worker->index << 40;
	}

	err = in_flight__init(&e->flight, options, e->result);
	if (!err && options->worker)
		in_flight__share(&e->flight, &options->worker->common->progress,
				 &options->worker->common->durable);
	if (!err && options->sqpoll)
		err = sqpoll_delay__init(&e->sqpoll_delay, options->iodepth);
	if (!err)
		err = buffers__create(&buffers_options, &e->buffers);
	if (err)
		snprintf(e->message, ENGINE_MESSAGE_MAX, "cannot get memory for the IOs: %s",
			 err == -EINVAL ? "one is too long" : strerror(-err));
	else
		engine_result__set_whole_bytes(e->result, &options->limits,
					       buffers__run_bytes(e->buffers));
	return err;
}

static int start_reader_thread(struct engine *e, struct replay_source *source)
{
	if (!e->gather.worker)
		return reader_thread__start(source, &e->gather.reader_thread);
	e->gather.reader_thread = e->gather.worker->common->reader_thread;
	return 0;
}

int engine__run(const struct engine_options *options, struct replay_source *source,
		struct engine_result *result, char message[ENGINE_MESSAGE_MAX])
{
	struct engine e = {
		.options = options, .result = result, .message = message, .end_ns = UINT64_MAX};
	int err;

	message[0] = '\0';
	e.gather = (struct engine_gather){
		.options = options,
		.result = result,
		.ring = &e.ring,
		.schedule = &e.schedule,
		.flight = &e.flight,
		.worker = options->worker,
		.special = options->worker || options->mode == ENGINE_DEPENDENT,
		.message = message,
	};
	engine_result__init(result);
	err = allocate(&e);
	if (err)
		goto out;
	err = engine_ring__open(&e.ring, options, e.buffers, message);
	if (err)
		goto out;
	result->registered = e.ring.fixed_file && e.ring.fixed_buffers;
	choose_batch(&e);
	err = start_reader_thread(&e, source);
	if (err)
		snprintf(message, ENGINE_MESSAGE_MAX, "cannot start a thread: %s", strerror(-err));
	else
		err = play(&e);
	if (!e.gather.worker)
		reader_thread__free(e.gather.reader_thread);
	dependents__free(e.flight.dependents);
	engine_ring__close(&e.ring);
out:
	buffers__free(e.buffers);
	sqpoll_delay__free(&e.sqpoll_delay);
	in_flight__free(&e.flight);
	return err;
}
