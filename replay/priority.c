#include "replay/priority.h"

#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>

/* Threads of this process that have it. */
static atomic_int raised_threads;

/* So that there always is a CPU for whoever does the IO. */
static bool take_one_of_the_cpus(void)
{
	int cpu_count = CPU_SETSIZE, taken;
	cpu_set_t cpus;

	/* Fails where there are more CPUs than a cpu_set_t has. */
	if (!sched_getaffinity(0, sizeof(cpus), &cpus))
		cpu_count = CPU_COUNT(&cpus);
	taken = atomic_fetch_add(&raised_threads, 1) + 1;
	if (taken < cpu_count)
		return true;
	atomic_fetch_sub(&raised_threads, 1);
	return false;
}

bool priority__raise(struct priority *p)
{
	struct sched_param before, wanted = {.sched_priority = sched_get_priority_min(SCHED_FIFO)};

	p->raised = false;
	p->policy = sched_getscheduler(0);
	if (p->policy < 0 || (p->policy & ~SCHED_RESET_ON_FORK) == SCHED_FIFO ||
	    (p->policy & ~SCHED_RESET_ON_FORK) == SCHED_RR || sched_getparam(0, &before) ||
	    !take_one_of_the_cpus())
		return false;
	p->level = before.sched_priority;
	p->nice = getpriority(PRIO_PROCESS, 0);
	/* The threads that io_uring starts for this one do the IO, they do not keep the time. */
	p->raised = !sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &wanted);
	if (!p->raised)
		atomic_fetch_sub(&raised_threads, 1);
	return p->raised;
}

void priority__restore(const struct priority *p)
{
	struct sched_param before = {.sched_priority = p->level};

	if (!p->raised)
		return;
	atomic_fetch_sub(&raised_threads, 1);
	sched_setscheduler(0, p->policy, &before);
	setpriority(PRIO_PROCESS, 0, p->nice);
}
