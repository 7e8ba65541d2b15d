#include "replay/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include "base/units.h"
#include "replay/batch_wait.h"
#include "replay/engine_result.h"
#include "replay/engine_ring.h"
#include "replay/feeder.h"
#include "replay/in_flight.h"
#include "replay/priority.h"
#include "replay/schedule.h"

#define WAIT_MAX_NS	(100 * NSEC_PER_MSEC)
#define STARVED_WAIT_NS (50 * NSEC_PER_USEC)

#define OUTSIDE_TEXT "the source asked for an IO outside of the target"

struct engine {
	const struct engine_options *options;
	struct engine_result *result;
	struct engine_ring ring;
	struct buffers *buffers;
	struct feeder *feeder;
	struct schedule schedule;
	struct in_flight flight;
	bool head_is_ordered; /* the next IO was counted as one that waits for its order */
	uint32_t batch[ENGINE_BATCH_MAX];
	unsigned int batch_count;
	struct batch_wait batch_wait; /* ENGINE_ASAP */
	struct priority priority;
	bool due_soon; /* sooner than completions can be taken */
	bool staged;   /* the batch is one IO, which is not due yet */
	uint64_t staged_due_ns;
	uint64_t last_due_ns; /* e->result->last_due_ns without it */
	int error;	      /* what ended it, with `message` */
	char *message;
};

static uint64_t time_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

static uint64_t clock_ns(void)
{
	return time_ns(CLOCK_MONOTONIC);
}

static bool is_stopped(const struct engine *e)
{
	return e->options->stop && *e->options->stop;
}

static bool is_enough(const struct engine *e)
{
	return (e->options->enough && *e->options->enough) ||
	       (e->flight.failed && e->options->stop_at_error);
}

static bool has_due(const struct engine *e)
{
	return engine_mode__has_due(e->options->mode);
}

/* Completions -------------------------------------------------------------------------------- */

static unsigned int reap_from(struct engine *e, struct io_uring *uring)
{
	struct io_uring_cqe *cqes[ENGINE_BATCH_MAX];
	unsigned int count = io_uring_peek_batch_cqe(uring, cqes, ENGINE_BATCH_MAX);
	uint64_t now_ns;

	if (!count)
		return 0;
	now_ns = clock_ns();
	for (unsigned int i = 0; i < count; i++) {
		uint64_t data = io_uring_cqe_get_data64(cqes[i]);

		if (data == LIBURING_UDATA_TIMEOUT) /* of a wait, before Linux 5.11 */
			continue;
		if (!(data & ENGINE_RING_FLUSH_PART))
			in_flight__completed(&e->flight, (uint32_t)data, cqes[i]->res, now_ns);
		else if (cqes[i]->res < 0)
			in_flight__flush_failed(&e->flight, (uint32_t)data, -cqes[i]->res);
	}
	io_uring_cq_advance(uring, count);
	return count;
}

static void reap(struct engine *e)
{
	struct polled_ring *polled = &e->ring.polled;
	unsigned int count;

	reap_from(e, &e->ring.uring);
	if (!polled->in_flight)
		return;
	if (!io_uring_cq_ready(&polled->uring))
		polled_ring__look(polled);
	count = reap_from(e, &polled->uring);
	polled->in_flight -= count;
	e->result->polled += count;
}

/* Submissions -------------------------------------------------------------------------------- */

/* What io_uring, or that of this kernel, has no command for; the time that it takes shows up as lateness. */
static void do_blocking(struct engine *e, const struct replay_io *io, uint64_t due_ns)
{
	uint32_t index = in_flight__take(&e->flight, io, due_ns);
	int res;

	in_flight__submitted(&e->flight, index, clock_ns());
	res = engine_ring__blocking(&e->ring, io);
	if (io->op == REPLAY_ZONE)
		e->result->blocking_zones++;
	else
		e->result->blocking_discards++;
	in_flight__completed(&e->flight, index, res, clock_ns());
}

/*
 * Before the first ring: what goes there and overlaps one of these comes after it, and these wait themselves for
 * what they overlap there (`order`).
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

enum gathered {
	GATHERED_FULL = 0, /* a batch, there may be more */
	GATHERED_HELD,	   /* the next has to wait for a completion */
	GATHERED_NOT_DUE,  /* *due_ns is when the next one is */
	GATHERED_STARVED,
	GATHERED_END,
	GATHERED_FAILED, /* e->error */
};

/* Submits, and waits for `count` completions, an error or `timeout_ns`. */
static int submit_and_wait(struct engine *e, unsigned int count, uint64_t timeout_ns)
{
	struct __kernel_timespec timeout = {.tv_nsec = (long long)timeout_ns};
	struct io_uring_cqe *cqe;

	if (!e->ring.waits_with_timeout)
		return io_uring_submit_and_wait(&e->ring.uring, count);
	return io_uring_submit_and_wait_timeout(&e->ring.uring, &cqe, count, &timeout, NULL);
}

/* The queue is full and the next IO is there: nothing can be done before some have completed. */
static int submit_and_wait_for_room(struct engine *e)
{
	unsigned int count = batch_wait__next(&e->batch_wait);
	int err = submit_and_wait(e, count, count > 1 ? BATCH_WAIT_NS : WAIT_MAX_NS);

	batch_wait__ended(&e->batch_wait, io_uring_cq_ready(&e->ring.uring));
	return err == -ETIME ? 0 : err;
}

static int submit_batch(struct engine *e, enum gathered gathered)
{
	bool is_full = e->options->mode == ENGINE_ASAP && gathered == GATHERED_HELD &&
		       e->flight.depth.in_flight == e->flight.depth.limit;
	uint64_t now_ns = clock_ns();
	int err;

	for (unsigned int i = 0; i < e->batch_count; i++)
		in_flight__submitted(&e->flight, e->batch[i], now_ns);
	priority__look(&e->priority, now_ns);
	e->batch_count = 0;
	err = submit_polled(e);
	if (err || (e->ring.polled.in_flight && !io_uring_sq_ready(&e->ring.uring)))
		return err;
	is_full &= !e->ring.polled.in_flight;
	do {
		err = is_full ? submit_and_wait_for_room(e)
			      : io_uring_submit_and_get_events(&e->ring.uring);
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

static int fail(struct engine *e, int err, const char *text)
{
	snprintf(e->message, ENGINE_MESSAGE_MAX, "%s", text);
	e->error = err;
	return GATHERED_FAILED;
}

/* Takes what the source has until enough is known of who waits for whom. */
static enum gathered next_dependent(struct engine *e, const struct replay_io **io, uint64_t *due_ns)
{
	enum feeder_state state = FEEDER_READY;
	enum waiting_state waiting;

	while (!waiting__full(e->flight.waiting) &&
	       (state = feeder__peek(e->feeder, io)) == FEEDER_READY) {
		if (waiting__add(e->flight.waiting, *io))
			return fail(e, -ENOMEM, "no memory for the IOs that wait for others");
		feeder__advance(e->feeder);
	}
	waiting = waiting__peek(e->flight.waiting, io, due_ns);
	if (waiting == WAITING_READY)
		return GATHERED_FULL;
	if (state != FEEDER_READY && waiting == WAITING_EMPTY)
		return state == FEEDER_END ? GATHERED_END : GATHERED_STARVED;
	if (e->flight.depth.in_flight)
		return GATHERED_HELD;
	return state == FEEDER_EMPTY
		       ? GATHERED_STARVED
		       : fail(e, -EDEADLK, "IOs of the source wait for each other for ever");
}

/* GATHERED_FULL: *io is the next one, to go at *due_ns. */
static enum gathered next_io(struct engine *e, const struct replay_io **io, uint64_t *due_ns)
{
	enum feeder_state state;

	if (e->options->mode == ENGINE_DEPENDENT)
		return next_dependent(e, io, due_ns);
	state = feeder__peek(e->feeder, io);
	if (state != FEEDER_READY)
		return state == FEEDER_END ? GATHERED_END : GATHERED_STARVED;
	*due_ns = 0;
	if (e->options->mode == ENGINE_TIMED)
		*due_ns = schedule_due_ns(&e->schedule, (*io)->due_ns);
	if (e->options->mode == ENGINE_DEPTH && e->flight.depth.in_flight &&
	    e->flight.depth.in_flight >= (*io)->wait.depth)
		return GATHERED_HELD;
	return GATHERED_FULL;
}

/* The last look before an IO goes, whatever was decided before. */
static bool lies_inside(const struct engine *e, const struct replay_io *io)
{
	return io->op == REPLAY_FLUSH ||
	       (io->length_bytes <= e->options->target_bytes &&
		io->offset_bytes <= e->options->target_bytes - io->length_bytes);
}

static bool overlaps_in_flight(const struct engine *e, const struct replay_io *io)
{
	return in_flight__overlaps(&e->flight, io);
}

static bool keeps_order(struct engine *e, const struct replay_io *io)
{
	bool overlaps = overlaps_in_flight(e, io);

	e->result->ordered += overlaps && !e->head_is_ordered;
	e->head_is_ordered = overlaps;
	return !overlaps;
}

static void advance(struct engine *e, uint64_t now_ns)
{
	if (e->flight.waiting)
		waiting__submitted(e->flight.waiting, now_ns);
	else
		feeder__advance(e->feeder);
}

static void start_io(struct engine *e, const struct replay_io *io, uint64_t due_ns, bool blocks)
{
	uint64_t source_ns = schedule_scaled_ns(io->due_ns, e->options->speed);

	if (source_ns > e->result->last_due_ns)
		e->result->last_due_ns = source_ns;
	if (blocks) {
		do_blocking(e, io, due_ns);
	} else {
		uint32_t index = in_flight__take(&e->flight, io, due_ns);

		engine_ring__queue(&e->ring, io, index);
		e->batch[e->batch_count++] = index;
	}
}

/*
 * The next IO is made ready while its time is waited for: when it has come, only the call that submits is
 * left, and no memory is touched that others have pushed out of the caches meanwhile.
 */
static void stage(struct engine *e, const struct replay_io *io, uint64_t due_ns, uint64_t now_ns)
{
	if (e->options->mode != ENGINE_TIMED || e->options->spin == ENGINE_SPIN_NEVER ||
	    schedule_sleep_ns(due_ns, now_ns) || e->batch_count ||
	    e->flight.depth.in_flight == e->flight.depth.limit ||
	    engine_ring__blocks(&e->ring, io) || !lies_inside(e, io) || overlaps_in_flight(e, io))
		return;
	e->last_due_ns = e->result->last_due_ns;
	schedule_depth_reserve(&e->flight.depth);
	start_io(e, io, due_ns, false);
	advance(e, now_ns);
	e->staged_due_ns = due_ns;
	e->staged = true;
}

/* The replay ends before its time has come. */
static void unstage(struct engine *e)
{
	uint32_t slot = e->batch[0];

	if (!e->staged)
		return;
	engine_ring__take_back(&e->ring, e->flight.slots[slot].preflush);
	in_flight__drop(&e->flight, slot);
	e->result->last_due_ns = e->last_due_ns;
	e->batch_count = 0;
	e->staged = false;
}

/* Queues the IOs that are due and counts them in flight, up to one batch. */
static enum gathered gather(struct engine *e, uint64_t *due_ns)
{
	uint64_t now_ns = has_due(e) ? clock_ns() : 0;
	const struct replay_io *io;

	if (e->staged) {
		*due_ns = e->staged_due_ns;
		if (*due_ns > now_ns)
			return GATHERED_NOT_DUE;
		schedule_depth_confirm(&e->flight.depth);
		e->staged = false;
	}

	while (e->batch_count < ENGINE_BATCH_MAX) {
		enum gathered next = next_io(e, &io, due_ns);
		bool blocks;

		if (next != GATHERED_FULL)
			return next;
		if (*due_ns > now_ns) {
			stage(e, io, *due_ns, now_ns);
			return GATHERED_NOT_DUE;
		}
		if (!lies_inside(e, io))
			return fail(e, -ERANGE, OUTSIDE_TEXT);
		if (!keeps_order(e, io))
			return GATHERED_HELD;
		blocks = engine_ring__blocks(&e->ring, io);
		if (blocks && e->batch_count)
			return GATHERED_FULL;
		if (!schedule_depth_admit(&e->flight.depth))
			return GATHERED_HELD;
		start_io(e, io, *due_ns, blocks);
		advance(e, now_ns);
	}
	return GATHERED_FULL;
}

/* Running ------------------------------------------------------------------------------------ */

/* The same as wait_in_ring(), awake: nothing would wake it when a polled IO completes. */
static int wait_polling(struct engine *e, uint64_t timeout_ns)
{
	uint64_t end_ns = clock_ns() + timeout_ns;
	int err = 0;

	while (!err && !is_stopped(e) && !io_uring_cq_ready(&e->ring.uring) &&
	       !io_uring_cq_ready(&e->ring.polled.uring) && clock_ns() < end_ns) {
		err = polled_ring__look(&e->ring.polled);
		if (e->flight.depth.in_flight > e->ring.polled.in_flight)
			io_uring_get_events(&e->ring.uring);
	}
	if (err)
		snprintf(e->message, ENGINE_MESSAGE_MAX, "io_uring cannot poll: %s",
			 strerror(-err));
	return err;
}

/* Until a completion, a signal, or `timeout_ns` at the latest. */
static int wait_in_ring(struct engine *e, uint64_t timeout_ns)
{
	struct __kernel_timespec timeout;
	struct io_uring_cqe *cqe;
	uint64_t start_ns;
	int err;

	if (timeout_ns > WAIT_MAX_NS)
		timeout_ns = WAIT_MAX_NS;
	if (e->ring.polled.in_flight)
		return wait_polling(e, timeout_ns);
	timeout = (struct __kernel_timespec){.tv_sec = (long long)(timeout_ns / NSEC_PER_SEC),
					     .tv_nsec = (long long)(timeout_ns % NSEC_PER_SEC)};
	start_ns = clock_ns();
	err = io_uring_wait_cqe_timeout(&e->ring.uring, &cqe, &timeout);
	priority__slept(&e->priority, clock_ns() - start_ns);
	if (!err || err == -ETIME || err == -EINTR || err == -EAGAIN || err == -EBUSY)
		return 0;
	snprintf(e->message, ENGINE_MESSAGE_MAX, "io_uring cannot wait: %s", strerror(-err));
	return err;
}

static void tell(struct engine *e, uint64_t now_ns, bool last)
{
	engine_watch__tell(&e->flight.watch, now_ns, e->result->last_due_ns,
			   e->flight.depth.in_flight - e->staged, last);
}

/* Nothing to submit now: sleeps, or returns at once to spin. */
static int idle(struct engine *e, enum gathered gathered, uint64_t due_ns)
{
	uint64_t now_ns = clock_ns(), sleep_ns;

	e->due_soon = gathered == GATHERED_NOT_DUE && schedule_is_soon(due_ns, now_ns);
	if (e->due_soon || e->options->spin == ENGINE_SPIN_ALWAYS)
		return 0;
	if (gathered == GATHERED_NOT_DUE) {
		sleep_ns = e->options->spin == ENGINE_SPIN_NEVER && due_ns > now_ns
				   ? due_ns - now_ns
				   : schedule_sleep_ns(due_ns, now_ns);
		return sleep_ns ? wait_in_ring(e, sleep_ns) : 0;
	}
	if (gathered == GATHERED_STARVED) {
		e->result->starved++;
		return wait_in_ring(e, STARVED_WAIT_NS);
	}
	return wait_in_ring(e, WAIT_MAX_NS);
}

static int run(struct engine *e)
{
	enum gathered gathered;
	int err = 0;

	while (!err && !is_stopped(e) && !is_enough(e)) {
		uint64_t due_ns = 0;

		if (!e->due_soon)
			reap(e);
		e->due_soon = false;
		if (is_enough(e)) /* an IO failed: no other one follows */
			break;
		gathered = gather(e, &due_ns);
		if (gathered == GATHERED_END && !e->batch_count)
			break;
		if (gathered == GATHERED_FAILED)
			return submit_batch(e, gathered);
		err = e->batch_count && !e->staged ? submit_batch(e, gathered)
		      : gathered == GATHERED_FULL  ? 0
						   : idle(e, gathered, due_ns);
		if (e->options->progress)
			tell(e, clock_ns(), false);
	}
	unstage(e);
	e->result->stopped = is_stopped(e);
	e->result->stopped_at_error = e->flight.failed && e->options->stop_at_error;
	return err;
}

/* All is ready; the others start at the same moment. */
static int wait_for_start(struct engine *e)
{
	struct gate *gate = e->options->gate;
	uint64_t start_ns = gate ? gate__arrive(gate, clock_ns()) : clock_ns();
	uint64_t now_ns = clock_ns(), wall_ns = time_ns(CLOCK_REALTIME);
	int err = 0;

	if (e->options->start_wall_ns > wall_ns)
		start_ns = now_ns + e->options->start_wall_ns - wall_ns;
	e->schedule = (struct schedule){.start_ns = start_ns, .speed = e->options->speed};
	in_flight__start(&e->flight, e->options, e->schedule.start_ns);
	while (!err && !is_stopped(e) && now_ns < e->schedule.start_ns) {
		uint64_t sleep_ns = schedule_sleep_ns(e->schedule.start_ns, now_ns);

		err = sleep_ns ? wait_in_ring(e, sleep_ns) : 0;
		now_ns = clock_ns();
	}
	return err;
}

static int drain(struct engine *e)
{
	int err = 0;

	while (!err && e->flight.depth.in_flight) {
		reap(e);
		if (e->flight.depth.in_flight)
			err = wait_in_ring(e, WAIT_MAX_NS);
	}
	return err;
}

static void choose_batch(struct engine *e)
{
	uint32_t iodepth = e->options->iodepth, batch = e->options->completion_batch;

	if (!batch)
		batch = batch_wait__default(iodepth, ENGINE_BATCH_MAX);
	/* Without a timeout an IO that is stuck could hold up all others. */
	if (!e->ring.waits_with_timeout || e->options->iopoll)
		batch = 1;
	e->batch_wait.count = batch < iodepth ? batch : iodepth;
	e->result->completion_batch = e->batch_wait.count;
}

static int source_error(struct engine *e)
{
	int err = feeder__error(e->feeder);

	if (err == -ERANGE)
		snprintf(e->message, ENGINE_MESSAGE_MAX, OUTSIDE_TEXT);
	else if (err)
		snprintf(e->message, ENGINE_MESSAGE_MAX, "the source failed: %s", strerror(-err));
	return err;
}

static int play(struct engine *e)
{
	struct rusage before;
	int slack_ns = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
	int err = 0;

	err = wait_for_start(e);
	if (!err && e->options->mode == ENGINE_DEPENDENT)
		err = waiting__create(e->schedule.start_ns, e->options->speed, &e->flight.waiting);
	if (err) {
		if (!e->message[0])
			snprintf(e->message, ENGINE_MESSAGE_MAX, "%s", strerror(-err));
		return err;
	}
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	if (e->options->raise_priority && has_due(e))
		priority__raise(&e->priority, e->options->spin != ENGINE_SPIN_ALWAYS, clock_ns());
	getrusage(RUSAGE_THREAD, &before);
	err = run(e);
	/* When the ring itself failed, what it still holds is not known: closing it ends that. */
	if (!err)
		err = drain(e);
	e->result->priority = e->priority.lowest;
	priority__restore(&e->priority);
	tell(e, clock_ns(), true);
	engine_result__finish(e->result);
	engine_result__add_cpu_time(e->result, &before);
	if (slack_ns > 0)
		prctl(PR_SET_TIMERSLACK, slack_ns, 0, 0, 0);
	if (!err)
		err = e->error;
	if (!err && !e->result->stopped && !is_enough(e))
		err = source_error(e);
	e->result->held_back = has_due(e) ? e->flight.depth.held_back : 0;
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

	err = in_flight__init(&e->flight, options, e->result);
	if (!err)
		err = buffers__create(&buffers_options, &e->buffers);
	if (err)
		snprintf(e->message, ENGINE_MESSAGE_MAX, "cannot get memory for the IOs: %s",
			 err == -EINVAL ? "one is too long" : strerror(-err));
	return err;
}

int engine__run(const struct engine_options *options, struct replay_source *source,
		struct engine_result *result, char message[ENGINE_MESSAGE_MAX])
{
	struct engine e = {.options = options, .result = result, .message = message};
	int err;

	message[0] = '\0';
	engine_result__init(result);
	err = allocate(&e);
	if (err)
		goto out;
	err = engine_ring__open(&e.ring, options, e.buffers, message);
	if (err)
		goto out;
	result->registered = e.ring.fixed_file && e.ring.fixed_buffers;
	choose_batch(&e);
	err = feeder__start(source, &e.feeder);
	if (err)
		snprintf(message, ENGINE_MESSAGE_MAX, "cannot start a thread: %s", strerror(-err));
	else
		err = play(&e);
	feeder__free(e.feeder);
	waiting__free(e.flight.waiting);
	engine_ring__close(&e.ring);
out:
	buffers__free(e.buffers);
	in_flight__free(&e.flight);
	return err;
}
