// SPDX-License-Identifier: MIT
#include "explain/figures/wait_join.h"

#include <stdlib.h>

#define LOOKED_AT 1024u
#define LATE_NS	  50000u    /* a completion wakes the task before its own record is made */
#define WORKER_NS 20000000u /* how long a kernel worker may need to end what a request was for */

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

static bool is_same_file(const struct wait_join *j, uint32_t one, uint32_t other)
{
	const struct trace_file *a, *b;

	if (one == other)
		return true;
	a = j->tables->file(j->tables->context, one);
	b = j->tables->file(j->tables->context, other);
	return a && b && a->first_id == b->first_id;
}

/* A read waits for reads, and a write for the others. */
static bool is_of_call(const struct kept_io *io, const struct wait_row *sleep)
{
	if (sleep->call == WAIT_CALL_READ)
		return io->op == IO_OP_READ;
	return sleep->call != WAIT_CALL_WRITE || io->op != IO_OP_READ;
}

/* How well an IO fits a sleep: 0 not at all. */
static unsigned int fit_of(const struct wait_join *j, const struct kept_io *io,
			   const struct wait_row *sleep, enum wait_cause cause, uint32_t file)
{
	bool by_kernel, unused;
	uint32_t process = process_of(j, io->task, &by_kernel);
	bool own = io->task == sleep->task ||
		   (process && process == process_of(j, sleep->task, &unused));

	if (cause == CAUSE_OF_PAGE) {
		if (io->op != IO_OP_READ || !io->is_data_of_file)
			return 0;
		if (file && is_same_file(j, io->file, file))
			return own ? 4 : 3;
		return own ? 2 : 0;
	}
	if (io->is_data_of_file || !is_of_call(io, sleep))
		return 0;
	/* What a limit delays is sent on by a kernel worker: memory of a process, all the same. */
	return own ? 4 : by_kernel && io->is_direct ? 1 : 0;
}

/* The place of the IO that ended the sleep, completed at `from_ns` or later, or KEPT_IOS_NONE. */
static uint64_t find_io(const struct wait_join *j, const struct wait_row *sleep,
			enum wait_cause cause, uint32_t file, uint64_t from_ns,
			unsigned int *how_well)
{
	uint64_t first = kept_ios__first(j->ios), best = KEPT_IOS_NONE;
	uint64_t i = kept_ios__end_at(j->ios, sleep->time_ns + sleep->duration_ns + LATE_NS);
	unsigned int best_fit = 0;

	for (unsigned int looked = 0; i > first && looked < LOOKED_AT && best_fit < 4; looked++) {
		const struct kept_io *io = kept_ios__at(j->ios, --i);
		unsigned int fit;

		if (io->completed_ns < from_ns)
			break;
		/* Soon after the sleep, the next IO of the task may be complete, too. */
		if (io->created_ns >= sleep->time_ns + sleep->duration_ns)
			continue;
		fit = fit_of(j, io, sleep, cause, file);
		if (fit > best_fit) {
			best = i;
			best_fit = fit;
		}
	}
	*how_well = best_fit;
	return best;
}

/* The part of [from, to) that lies in the sleep. */
static uint64_t part_of(const struct wait_row *sleep, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t end_ns = sleep->time_ns + sleep->duration_ns;

	if (from_ns < sleep->time_ns)
		from_ns = sleep->time_ns;
	if (to_ns > end_ns)
		to_ns = end_ns;
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

static void divide_by(const struct wait_join *j, const struct kept_io *io,
		      const struct wait_row *sleep, enum wait_cause in_device,
		      uint64_t ns[CAUSE_COUNT])
{
	uint64_t taken;
	bool by_kernel;

	process_of(j, io->task, &by_kernel);
	taken = part_of(sleep, 0, io->created_ns);
	/* The task slept before the request existed: its bio was held back. */
	ns[by_kernel ? CAUSE_CGROUP_LIMIT : in_device] += taken;
	if (io->inserted) {
		ns[CAUSE_SCHEDULER] += part_of(sleep, io->created_ns, io->issued_ns);
		taken += part_of(sleep, io->created_ns, io->issued_ns);
	}
	ns[in_device] += sleep->duration_ns - taken;
}

bool wait_join__has_io(const struct wait_join *j, const struct wait_row *sleep,
		       enum wait_cause cause)
{
	uint64_t from_ns = sleep->time_ns;
	unsigned int fit = 0;
	bool by_worker;

	/* What a worker does after a write can begin before the task sleeps. */
	process_of(j, sleep->waker, &by_worker);
	if (by_worker && cause == CAUSE_OF_IO)
		from_ns -= from_ns < WORKER_NS ? from_ns : WORKER_NS;
	find_io(j, sleep, cause, 0, from_ns, &fit);
	return fit >= 2;
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

uint64_t wait_join__divide(const struct wait_join *j, const struct wait_row *sleep,
			   enum wait_cause cause, uint32_t file, uint64_t since_ns,
			   uint64_t ns[CAUSE_COUNT])
{
	unsigned int fit;
	uint64_t place = find_io(j, sleep, cause, file, sleep->time_ns, &fit);
	const struct kept_io *io;
	bool by_kernel, unused;

	if (place == KEPT_IOS_NONE) {
		ns[cause == CAUSE_OF_PAGE ? CAUSE_PAGE_LOCK : CAUSE_DEVICE] += sleep->duration_ns;
		return place;
	}
	io = kept_ios__at(j->ios, place);
	if (cause == CAUSE_OF_IO)
		divide_by(j, io, sleep, CAUSE_DEVICE, ns);
	else if (io->created_ns >= since_ns &&
		 (process_of(j, io->task, &by_kernel) == process_of(j, sleep->task, &unused) ||
		  by_kernel))
		divide_by(j, io, sleep, CAUSE_PAGE_READ, ns);
	else
		ns[CAUSE_READAHEAD_IN_FLIGHT] += sleep->duration_ns;
	return place;
}
