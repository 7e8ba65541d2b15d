#include "replay/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include "base/units.h"
#include "replay/engine_result.h"
#include "replay/engine_ring.h"
#include "replay/engine_watch.h"
#include "replay/feeder.h"
#include "replay/order.h"
#include "replay/priority.h"
#include "replay/schedule.h"
#include "replay/waiting.h"

#define WAIT_MAX_NS	(100 * NSEC_PER_MSEC)
#define STARVED_WAIT_NS (50 * NSEC_PER_USEC)

#define OUTSIDE_TEXT "the source asked for an IO outside of the target"

/* What a completion needs to know of its IO. */
struct slot {
	uint64_t length_bytes;
	uint64_t intended_ns;
	uint64_t submitted_ns;
	uint32_t stream;
	int flush_error; /* of the flush before the write */
	uint8_t op;
	bool preflush;
	bool appended;
	bool uncounted;
	bool deferred;	 /* is in `order` */
	uint64_t number; /* see numbered.h */
	uint64_t mark;	 /* of a flush, see durable.h */
};

struct engine {
	const struct engine_options *options;
	struct engine_result *result;
	struct engine_ring ring;
	struct buffers *buffers;
	struct feeder *feeder;
	struct waiting *waiting; /* ENGINE_DEPENDENT */
	struct durable durable;	 /* without progress: not kept up */
	struct schedule schedule;
	struct schedule_depth depth;
	struct order order;
	bool head_is_ordered; /* the next IO was counted as one that waits for its order */
	struct slot *slots;
	uint32_t *free_slots; /* a stack of depth.limit - depth.in_flight */
	uint32_t batch[ENGINE_BATCH_MAX];
	unsigned int batch_count;
	bool failed; /* an IO did */
	struct priority priority;
	bool due_soon;	      /* sooner than completions can be taken */
	uint64_t measured_ns; /* what is submitted before is left out of the distributions */
	struct engine_watch watch;
	int error; /* what ended it, with `message` */
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
	       (e->failed && e->options->stop_at_error);
}

static bool has_due(const struct engine *e)
{
	return engine_mode__has_due(e->options->mode);
}

/* Completions -------------------------------------------------------------------------------- */

static void note_durable(struct engine *e, const struct slot *slot, bool failed)
{
	if (!e->durable.progress)
		return;
	if (!failed && (slot->op == REPLAY_FLUSH || slot->preflush))
		durable__flushed(&e->durable, slot->mark);
	durable__complete(&e->durable, slot->number, failed);
}

static void complete(struct engine *e, uint32_t index, int32_t res, uint64_t now_ns)
{
	struct slot *slot = &e->slots[index];
	bool is_short =
		replay_op_has_data(slot->op) && res >= 0 && (uint64_t)res < slot->length_bytes;

	/*
	 * Whether a flush that failed cancels the write behind it depends on the kernel; in either
	 * case it is the flush that says why the IO failed.
	 */
	note_durable(e, slot, slot->flush_error || res < 0 || is_short);
	if (slot->flush_error || res < 0 || is_short) {
		engine_result__add_error(e->result, slot->op,
					 slot->flush_error ? slot->flush_error
					 : is_short	   ? 0
							   : -res);
		e->failed = true;
		engine_watch__failed(&e->watch);
	} else {
		engine_watch__completed(&e->watch, slot->op, slot->length_bytes,
					now_ns - slot->intended_ns, now_ns - slot->submitted_ns);
		engine_result__add_completed(e->result,
					     &(struct engine_completed){
						     .op = slot->op,
						     .in_ramp = slot->submitted_ns < e->measured_ns,
						     .has_due = has_due(e),
						     .length_bytes = slot->length_bytes,
						     .intended_ns = now_ns - slot->intended_ns,
						     .submitted_ns = now_ns - slot->submitted_ns,
					     });
	}
	if (e->waiting && !slot->uncounted)
		waiting__completed(e->waiting, slot->stream, now_ns);
	if (slot->deferred)
		order__remove(&e->order, index);
	schedule_depth_release(&e->depth);
	e->free_slots[e->depth.limit - e->depth.in_flight - 1] = index;
	e->result->duration_ns = now_ns - e->schedule.start_ns;
}

static void reap(struct engine *e)
{
	struct io_uring_cqe *cqes[ENGINE_BATCH_MAX];
	unsigned int count = io_uring_peek_batch_cqe(&e->ring.uring, cqes, ENGINE_BATCH_MAX);
	uint64_t now_ns;

	if (!count)
		return;
	now_ns = clock_ns();
	for (unsigned int i = 0; i < count; i++) {
		uint64_t data = io_uring_cqe_get_data64(cqes[i]);

		if (!(data & ENGINE_RING_FLUSH_PART))
			complete(e, (uint32_t)data, cqes[i]->res, now_ns);
		else if (cqes[i]->res < 0)
			e->slots[(uint32_t)data].flush_error = -cqes[i]->res;
	}
	io_uring_cq_advance(&e->ring.uring, count);
}

/* Submissions -------------------------------------------------------------------------------- */

static uint32_t take_slot(struct engine *e, const struct replay_io *io, uint64_t due_ns)
{
	uint32_t index = e->free_slots[e->depth.limit - e->depth.in_flight];

	e->slots[index] = (struct slot){.length_bytes = io->length_bytes,
					.intended_ns = due_ns,
					.op = io->op,
					.preflush = io->flags & REPLAY_PREFLUSH,
					.appended = io->flags & REPLAY_APPENDED,
					.deferred = order__is_deferred(&e->order, io) ||
						    (e->durable.progress && io->number),
					.number = io->number,
					.mark = durable__mark(&e->durable)};
	if (e->slots[index].deferred)
		order__add(&e->order, io, index);
	if (e->waiting) {
		e->slots[index].stream = io->wait.stream;
		e->slots[index].uncounted = io->wait.uncounted;
	}
	return index;
}

static void count_submission(struct engine *e, uint32_t index, uint64_t now_ns)
{
	struct slot *slot = &e->slots[index];

	slot->submitted_ns = now_ns;
	e->result->ops[slot->op].issued++;
	e->result->preflushes += slot->preflush;
	e->result->appended += slot->appended;
	if (!has_due(e))
		return;
	engine_watch__submitted(&e->watch, now_ns - slot->intended_ns);
	if (now_ns >= e->measured_ns)
		histogram_add(&e->result->lateness_ns, now_ns - slot->intended_ns);
}

/* What io_uring, or that of this kernel, has no command for; the time that it takes shows up as lateness. */
static void do_blocking(struct engine *e, const struct replay_io *io, uint64_t due_ns)
{
	uint32_t index = take_slot(e, io, due_ns);
	int res;

	count_submission(e, index, clock_ns());
	res = engine_ring__blocking(&e->ring, io);
	if (io->op == REPLAY_ZONE)
		e->result->blocking_zones++;
	else
		e->result->blocking_discards++;
	complete(e, index, res, clock_ns());
}

static int submit_batch(struct engine *e)
{
	bool wait = e->options->mode == ENGINE_ASAP && e->depth.in_flight == e->depth.limit;
	uint64_t now_ns = clock_ns();
	int err;

	for (unsigned int i = 0; i < e->batch_count; i++)
		count_submission(e, e->batch[i], now_ns);
	priority__look(&e->priority, now_ns);
	e->batch_count = 0;
	do {
		err = wait ? io_uring_submit_and_wait(&e->ring.uring, 1)
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

enum gathered {
	GATHERED_FULL = 0, /* a batch, there may be more */
	GATHERED_HELD,	   /* the next has to wait for a completion */
	GATHERED_NOT_DUE,  /* *due_ns is when the next one is */
	GATHERED_STARVED,
	GATHERED_END,
	GATHERED_FAILED, /* e->error */
};

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

	while (!waiting__full(e->waiting) &&
	       (state = feeder__peek(e->feeder, io)) == FEEDER_READY) {
		if (waiting__add(e->waiting, *io))
			return fail(e, -ENOMEM, "no memory for the IOs that wait for others");
		feeder__advance(e->feeder);
	}
	waiting = waiting__peek(e->waiting, io, due_ns);
	if (waiting == WAITING_READY)
		return GATHERED_FULL;
	if (state != FEEDER_READY && waiting == WAITING_EMPTY)
		return state == FEEDER_END ? GATHERED_END : GATHERED_STARVED;
	if (e->depth.in_flight)
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
	if (e->options->mode == ENGINE_DEPTH && e->depth.in_flight &&
	    e->depth.in_flight >= (*io)->wait.depth)
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

static bool keeps_order(struct engine *e, const struct replay_io *io)
{
	bool overlaps = e->order.count && io->length_bytes && order__overlaps(&e->order, io);

	e->result->ordered += overlaps && !e->head_is_ordered;
	e->head_is_ordered = overlaps;
	return !overlaps;
}

static void advance(struct engine *e, uint64_t now_ns)
{
	if (e->waiting)
		waiting__submitted(e->waiting, now_ns);
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
		uint32_t index = take_slot(e, io, due_ns);

		engine_ring__queue(&e->ring, io, index);
		e->batch[e->batch_count++] = index;
	}
}

/* Queues the IOs that are due and counts them in flight, up to one batch. */
static enum gathered gather(struct engine *e, uint64_t *due_ns)
{
	uint64_t now_ns = has_due(e) ? clock_ns() : 0;
	const struct replay_io *io;

	while (e->batch_count < ENGINE_BATCH_MAX) {
		enum gathered next = next_io(e, &io, due_ns);
		bool blocks;

		if (next != GATHERED_FULL)
			return next;
		if (*due_ns > now_ns)
			return GATHERED_NOT_DUE;
		if (!lies_inside(e, io))
			return fail(e, -ERANGE, OUTSIDE_TEXT);
		if (!keeps_order(e, io))
			return GATHERED_HELD;
		blocks = engine_ring__blocks(&e->ring, io);
		if (blocks && e->batch_count)
			return GATHERED_FULL;
		if (!schedule_depth_admit(&e->depth))
			return GATHERED_HELD;
		start_io(e, io, *due_ns, blocks);
		advance(e, now_ns);
	}
	return GATHERED_FULL;
}

/* Running ------------------------------------------------------------------------------------ */

/* Until a completion, a signal, or `timeout_ns` at the latest. */
static int wait_in_ring(struct engine *e, uint64_t timeout_ns)
{
	struct __kernel_timespec timeout;
	struct io_uring_cqe *cqe;
	uint64_t start_ns;
	int err;

	if (timeout_ns > WAIT_MAX_NS)
		timeout_ns = WAIT_MAX_NS;
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
	engine_watch__tell(&e->watch, now_ns, e->result->last_due_ns, e->depth.in_flight, last);
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
			return submit_batch(e);
		err = e->batch_count		  ? submit_batch(e)
		      : gathered == GATHERED_FULL ? 0
						  : idle(e, gathered, due_ns);
		if (e->options->progress)
			tell(e, clock_ns(), false);
	}
	e->result->stopped = is_stopped(e);
	e->result->stopped_at_error = e->failed && e->options->stop_at_error;
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
	engine_watch__start(&e->watch, e->options, e->schedule.start_ns);
	e->measured_ns = e->schedule.start_ns + e->options->ramp_ns;
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

	while (!err && e->depth.in_flight) {
		reap(e);
		if (e->depth.in_flight)
			err = wait_in_ring(e, WAIT_MAX_NS);
	}
	return err;
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
		err = waiting__create(e->schedule.start_ns, e->options->speed, &e->waiting);
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
	e->result->held_back = has_due(e) ? e->depth.held_back : 0;
	e->result->highest_depth = e->depth.highest;
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

	e->depth.limit = options->iodepth;
	e->slots = malloc(options->iodepth * sizeof(e->slots[0]));
	e->free_slots = calloc(options->iodepth, sizeof(e->free_slots[0]));
	err = e->slots && e->free_slots &&
			      !order__init(&e->order, options->iodepth, options->zone_bytes)
		      ? buffers__create(&buffers_options, &e->buffers)
		      : -ENOMEM;
	e->order.all = options->buffered;
	if (err)
		snprintf(e->message, ENGINE_MESSAGE_MAX, "cannot get memory for the IOs: %s",
			 err == -EINVAL ? "one is too long" : strerror(-err));
	for (uint32_t i = 0; !err && i < options->iodepth; i++) {
		e->slots[i] = (struct slot){0}; /* no page fault when an IO is due */
		e->free_slots[i] = i;
	}
	return err;
}

int engine__run(const struct engine_options *options, struct replay_source *source,
		struct engine_result *result, char message[ENGINE_MESSAGE_MAX])
{
	struct engine e = {.options = options,
			   .result = result,
			   .message = message,
			   .durable.progress = options->written};
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
	err = feeder__start(source, &e.feeder);
	if (err)
		snprintf(message, ENGINE_MESSAGE_MAX, "cannot start a thread: %s", strerror(-err));
	else
		err = play(&e);
	feeder__free(e.feeder);
	waiting__free(e.waiting);
	engine_ring__close(&e.ring);
out:
	buffers__free(e.buffers);
	free(e.slots);
	free(e.free_slots);
	order__free(&e.order);
	return err;
}
