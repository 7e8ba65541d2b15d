// SPDX-License-Identifier: MIT
#include "jobs/fio_closed.h"

#include "base/units.h"
#include "profile/build/closed.h"

/* What a few IOs differ from the others in makes no job of its own of them. */
#define NEARLY_ALL  0.98
#define NUMJOBS_MAX 1024u
#define IODEPTH_MAX 4096u

static unsigned int rounded(double value, unsigned int most)
{
	return value < 1.5 ? 1 : value < most ? (unsigned int)(value + 0.5) : most;
}

/* The kind of tasks that most of the stream's IOs are of; -1: none. */
static int main_kind(const struct profile *p, uint32_t stream)
{
	int best = -1;

	for (uint32_t k = 0; k < p->closed.kind_count; k++)
		if (p->closed.kinds[k].streams[stream] &&
		    (best < 0 ||
		     p->closed.kinds[k].streams[stream] > p->closed.kinds[best].streams[stream]))
			best = (int)k;
	return best;
}

bool fio_closed_of_stream(const struct profile *p, uint32_t stream, struct fio_closed *closed)
{
	int kind = main_kind(p, stream);
	struct closed_facts facts;
	uint64_t all;
	double share, tasks, cycle_ns, think_ns;

	*closed = (struct fio_closed){.thinktime_blocks = 1};
	if (kind < 0)
		return false;
	closed_facts(p, (uint32_t)kind, &facts);
	/* Of the IOs of those tasks: how many are of the stream. */
	all = profile_ios_of_kind(p, (uint32_t)kind);
	share = all ? (double)profile_ios_of_kind_in(p, (uint32_t)kind, stream) / (double)all : 0;
	if (share > NEARLY_ALL)
		share = 1;
	tasks = (facts.active > 1 ? facts.active : 1) * share;
	closed->shared = share < 1;
	closed->numjobs = rounded(tasks, NUMJOBS_MAX);
	closed->iodepth = rounded(facts.window, IODEPTH_MAX);
	/* Where tasks are divided among jobs, the think time keeps what a task does in a second. */
	cycle_ns = facts.cycle_ns * (tasks > 0 ? closed->numjobs / tasks : 1);
	think_ns = facts.think_ns + cycle_ns - facts.cycle_ns;
	/* fio lets what is in flight end before it thinks: only where it counts. */
	if (closed->iodepth > 1 && think_ns < cycle_ns / 10)
		think_ns = 0;
	closed->thinktime_us = think_ns > 0 ? (uint64_t)(think_ns / NSEC_PER_USEC + 0.5) : 0;
	closed->thinktime_blocks = closed->iodepth;
	return true;
}

static void constant(struct closed_values *v, double ns)
{
	v->count = 1;
	v->at[0] = ns > 1 ? (uint64_t)(ns + 0.5) : 1;
}

/* Whether a job does IOs in a phase; `start_ns`: when the first of all jobs begins. */
static bool is_active(const struct fio_job *job, uint64_t start_ns, const struct profile *p,
		      uint32_t phase)
{
	double length_ns = (double)p->duration_ns / p->phase_count;

	if (length_ns <= 0)
		return true;
	return (double)(job->begin_ns - start_ns) < length_ns * (phase + 1) &&
	       (double)(job->end_ns - start_ns) > length_ns * phase;
}

static void fill_job(const struct fio_job *job, uint32_t index, uint64_t start_ns,
		     struct profile *p)
{
	struct closed_tasks *t = &p->closed.kinds[index];
	unsigned int depth = job->iodepth < CLOSED_ROWS ? job->iodepth : CLOSED_ROWS;
	double cycle_ns = fio_job_gap_ns(job) * job->numjobs * depth;

	t->tasks = job->numjobs;
	for (uint32_t i = 0; i < p->phase_count; i++)
		t->active[i] = is_active(job, start_ns, p, i) ? job->numjobs : 0;
	for (uint32_t s = 0; s < p->stream_count; s++)
		t->streams[s] = p->streams[s].space == index;
	if (depth > 1)
		t->awaited[0][0] = 1;
	t->awaited[depth - 1][1] = 1;
	constant(&t->cycle_ns, cycle_ns);
	constant(&t->think_ns, cycle_ns - FIO_ASSUMED_IO_NS);
	constant(&t->open_gap_ns, 1);
}

void fio_closed_of_jobs(const struct fio_job *jobs, unsigned int count, struct profile *p)
{
	struct profile_closed *c = &p->closed;
	uint64_t depth = 0, start_ns = UINT64_MAX;

	if (count > CLOSED_TASKS_MAX || !p->ios)
		return;
	c->kind_count = count;
	c->dependent_permille = 1000;
	for (unsigned int op = 0; op < CLOSED_OPS; op++)
		constant(&c->latency_ns[op][0], FIO_ASSUMED_IO_NS);
	for (uint32_t i = 0; i < count; i++)
		start_ns = jobs[i].begin_ns < start_ns ? jobs[i].begin_ns : start_ns;
	for (uint32_t i = 0; i < count; i++) {
		fill_job(&jobs[i], i, start_ns, p);
		depth += (uint64_t)jobs[i].numjobs * jobs[i].iodepth;
	}
	c->depth[closed_depth_class(depth)] = 1;
}
