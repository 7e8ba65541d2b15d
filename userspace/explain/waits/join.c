// SPDX-License-Identifier: MIT
#include "explain/waits/join.h"

#include <stdlib.h>

#include "explain/waits/writers.h"

#define LOOKED_AT 1024u
#define LATE_NS	  50000u    /* a completion wakes the task before its own record is made */
#define CLOSE_NS  1000000u  /* between the completion and the end of the sleep that it ends */
#define WORKER_NS 20000000u /* how long a kernel worker may need to end what a request was for */

/* How well an IO fits a sleep. */
enum fit {
	FIT_NONE = 0,
	FIT_SENT_ON, /* by a kernel worker, as what a limit delays */
	FIT_PROCESS,
	FIT_TASK,
	FIT_SENT_ON_AT_END,
	FIT_BEST,
};

struct wait_join {
	const struct explain_tables *tables;
	const struct kept_ios *ios;
};

struct wait_join *wait_join__new(const struct explain_tables *tables, const struct kept_ios *ios)
{
	struct wait_join *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->tables = tables;
	j->ios = ios;
	return j;
}

void wait_join__free(struct wait_join *j)
{
	free(j);
}

static uint32_t process_of(const struct wait_join *j, uint32_t id, bool *kernel_thread)
{
	const struct trace_task *task = j->tables->task(j->tables->context, id);

	*kernel_thread = explain_is_kernel_thread(task);
	return task ? task->tgid : 0;
}

/* A read waits for reads, and a write for the others. */
static bool is_of_call(const struct kept_io *io, const struct wait_row *sleep)
{
	if (sleep->call == WAIT_CALL_READ)
		return io->op == IO_OP_READ;
	return sleep->call != WAIT_CALL_WRITE || io->op != IO_OP_READ;
}

/* What completes from then on can have ended the sleep. */
static uint64_t near_end_ns(const struct wait_join *j, const struct wait_row *sleep)
{
	uint64_t end_ns = sleep->time_ns + sleep->duration_ns;
	bool by_worker;

	process_of(j, sleep->waker, &by_worker);
	/* What a worker does after a write can begin before the task sleeps. */
	if (by_worker)
		return end_ns < WORKER_NS ? 0 : end_ns - WORKER_NS;
	return sleep->duration_ns < CLOSE_NS ? sleep->time_ns : end_ns - CLOSE_NS;
}

/* `is_at_end`: it completed near the end of the sleep. */
static enum fit fit_of_page(const struct wait_join *j, const struct kept_io *io,
			    const struct wait_row *sleep, bool own, uint32_t file, bool is_at_end)
{
	if (io->op != IO_OP_READ || !io->is_page)
		return FIT_NONE;
	if (file && explain_is_same_file(j->tables, io->file, file))
		return own ? FIT_BEST : FIT_TASK;
	/* In its call the task can read another file by a page fault; another thread does so for itself. */
	if (file && io->file && io->is_file_page && io->task != sleep->task)
		return FIT_NONE;
	return own && is_at_end ? FIT_PROCESS : FIT_NONE;
}

/* An IO past the page cache ends a sleep for IO; in io_uring_enter, a read of a page does, too. */
static bool can_end(const struct kept_io *io, const struct wait_row *sleep)
{
	return !io->is_page ||
	       (sleep->call == WAIT_CALL_IO_URING && io->is_data_of_file && io->op == IO_OP_READ);
}

static enum fit fit_of_io(const struct kept_io *io, const struct wait_row *sleep, bool own,
			  bool sent_on, bool is_at_end)
{
	if (!can_end(io, sleep) || !is_of_call(io, sleep))
		return FIT_NONE;
	/* Who collects completions need not have submitted the IOs. */
	if (io->task == sleep->task || (own && wait_join__is_for_completions(sleep)))
		return is_at_end ? FIT_BEST : FIT_TASK;
	if (own)
		return FIT_PROCESS;
	/* What a limit delays is memory of a process, all the same. */
	if (!sent_on || !io->is_direct)
		return FIT_NONE;
	return is_at_end ? FIT_SENT_ON_AT_END : FIT_SENT_ON;
}

/*
 * The place of the IO that ended the sleep, or KEPT_IOS_NONE. Where no file tells that the sleep is for a recorded
 * device, the IO is of the own process, and one past the cache completed near the end.
 */
static uint64_t find_io(const struct wait_join *j, const struct wait_row *sleep,
			enum wait_cause cause, uint32_t file)
{
	uint64_t first = kept_ios__first(j->ios), best = KEPT_IOS_NONE;
	uint64_t end_ns = sleep->time_ns + sleep->duration_ns, near_ns = near_end_ns(j, sleep);
	uint64_t from_ns = cause == CAUSE_OF_IO && !file ? near_ns : sleep->time_ns;
	uint64_t i = kept_ios__end_at(j->ios, end_ns + LATE_NS);
	enum fit best_fit = FIT_NONE;
	bool unused;
	uint32_t process = process_of(j, sleep->task, &unused);

	for (unsigned int looked = 0; i > first && looked < LOOKED_AT && best_fit < FIT_BEST;
	     looked++) {
		const struct kept_io *io = kept_ios__at(j->ios, --i);
		bool by_kernel, own, is_at_end = io->completed_ns >= near_ns;
		enum fit fit;

		if (io->completed_ns < from_ns)
			break;
		/* Soon after the sleep, the next IO of the task may be complete, too. */
		if (io->created_ns >= end_ns)
			continue;
		own = process_of(j, io->task, &by_kernel) == process && process;
		own |= io->task == sleep->task;
		fit = cause == CAUSE_OF_PAGE
			      ? fit_of_page(j, io, sleep, own, file, is_at_end)
			      : fit_of_io(io, sleep, own, by_kernel && file, is_at_end);
		if (fit > best_fit) {
			best = i;
			best_fit = fit;
		}
	}
	return best;
}

/*
 * On a device without requests: the place of the IO with a turn in a scheduler that carried out the last part of the one
 * at `place` on a device below, or KEPT_IOS_NONE. A request of several such parts is linked to the first of them: then
 * what its task sent on counts.
 */
static uint64_t find_below(const struct wait_join *j, uint64_t place)
{
	const struct kept_io *above = kept_ios__at(j->ios, place);
	const struct trace_device *device = j->tables->device(j->tables->context, above->device);
	uint64_t first = kept_ios__first(j->ios), linked = above->id, of_task = KEPT_IOS_NONE;

	if (!device || !device->bio_based)
		return KEPT_IOS_NONE;
	for (unsigned int looked = 0; place > first && looked < LOOKED_AT; looked++) {
		const struct kept_io *io = kept_ios__at(j->ios, --place);

		if (io->completed_ns < above->created_ns)
			break;
		if (!io->parent_id)
			continue;
		if (io->parent_id == linked) {
			if (io->inserted)
				return place;
			linked = io->id;
		} else if (of_task == KEPT_IOS_NONE && io->inserted && io->task == above->task) {
			of_task = place;
		}
	}
	return linked == above->id ? of_task : KEPT_IOS_NONE;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The part of [from, to) that lies in the sleep. */
static uint64_t part_of(const struct wait_row *sleep, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t end_ns = sleep->time_ns + sleep->duration_ns;

	from_ns = later(from_ns, sleep->time_ns);
	if (to_ns > end_ns)
		to_ns = end_ns;
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* Returns the place of the IO to look at for who was before it. */
static uint64_t divide_by(const struct wait_join *j, uint64_t place, const struct wait_row *sleep,
			  enum wait_cause in_device, uint64_t ns[CAUSE_COUNT])
{
	const struct kept_io *io = kept_ios__at(j->ios, place), *queued;
	uint64_t below = find_below(j, place), taken, turn_ns;
	bool by_kernel;

	process_of(j, io->task, &by_kernel);
	taken = part_of(sleep, 0, io->created_ns);
	/* The task slept before the request existed: its bio was held back. */
	ns[by_kernel ? CAUSE_CGROUP_LIMIT : in_device] += taken;
	queued = below == KEPT_IOS_NONE ? io : kept_ios__at(j->ios, below);
	if (queued->inserted) {
		turn_ns = part_of(sleep, later(io->created_ns, queued->created_ns),
				  queued->issued_ns);
		ns[CAUSE_SCHEDULER] += turn_ns;
		taken += turn_ns;
	}
	ns[in_device] += sleep->duration_ns - taken;
	/* The limit is that of the IO above. */
	return below == KEPT_IOS_NONE || ns[CAUSE_CGROUP_LIMIT] ? place : below;
}

bool wait_join__has_io(const struct wait_join *j, const struct wait_row *sleep,
		       enum wait_cause cause)
{
	return find_io(j, sleep, cause, 0) != KEPT_IOS_NONE;
}

bool wait_join__is_for_completions(const struct wait_row *sleep)
{
	return sleep->call == WAIT_CALL_AIO_WAIT || sleep->call == WAIT_CALL_IO_URING;
}

uint64_t wait_join__idle_ns(const struct wait_join *j, const struct wait_row *sleep)
{
	uint64_t place = find_io(j, sleep, CAUSE_OF_IO, 0);

	if (place == KEPT_IOS_NONE)
		return sleep->duration_ns;
	return part_of(sleep, 0, kept_ios__at(j->ios, place)->created_ns);
}

bool wait_join__has_write(const struct wait_join *j, const struct wait_row *sleep)
{
	uint64_t first = kept_ios__first(j->ios);
	uint64_t i = kept_ios__end_at(j->ios, sleep->time_ns + sleep->duration_ns + LATE_NS);

	for (unsigned int looked = 0; i > first && looked < LOOKED_AT; looked++) {
		const struct kept_io *io = kept_ios__at(j->ios, --i);

		if (io->completed_ns < sleep->time_ns)
			break;
		if (io->op != IO_OP_READ)
			return true;
	}
	return false;
}

enum wait_device wait_join__device(const struct wait_join *j, const struct wait_row *sleep,
				   enum wait_cause cause, uint32_t file, explain_takes_fn *takes,
				   const void *context)
{
	uint64_t place = find_io(j, sleep, cause, file), below;
	const struct kept_io *io;

	if (place == KEPT_IOS_NONE)
		return WAIT_DEVICE_UNKNOWN;
	io = kept_ios__at(j->ios, place);
	below = find_below(j, place);
	if (takes(context, io->device) ||
	    (below != KEPT_IOS_NONE && takes(context, kept_ios__at(j->ios, below)->device)))
		return WAIT_DEVICE_TAKEN;
	/* Others carried it out. */
	return io->id ? WAIT_DEVICE_UNKNOWN : WAIT_DEVICE_OTHER;
}

uint64_t wait_join__divide(const struct wait_join *j, const struct wait_row *sleep,
			   enum wait_cause cause, uint32_t file, uint64_t since_ns,
			   uint64_t ns[CAUSE_COUNT])
{
	uint64_t place = find_io(j, sleep, cause, file);
	const struct kept_io *io;
	bool by_kernel, unused;

	if (place == KEPT_IOS_NONE) {
		ns[cause == CAUSE_OF_PAGE ? CAUSE_PAGE_LOCK : CAUSE_DEVICE] += sleep->duration_ns;
		return place;
	}
	io = kept_ios__at(j->ios, place);
	if (cause == CAUSE_OF_IO)
		return divide_by(j, place, sleep, io->is_page ? CAUSE_PAGE_READ : CAUSE_DEVICE, ns);
	if (io->created_ns >= since_ns &&
	    (process_of(j, io->task, &by_kernel) == process_of(j, sleep->task, &unused) ||
	     by_kernel))
		return divide_by(j, place, sleep, CAUSE_PAGE_READ, ns);
	ns[CAUSE_READAHEAD_IN_FLIGHT] += sleep->duration_ns;
	return place;
}
