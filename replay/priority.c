#include "replay/priority.h"

#include <sched.h>
#include <sys/resource.h>

static bool has_several_cpus(void)
{
	cpu_set_t cpus;

	/* Fails where there are more CPUs than a cpu_set_t has. */
	return sched_getaffinity(0, sizeof(cpus), &cpus) || CPU_COUNT(&cpus) > 1;
}

bool priority__raise(struct priority *p)
{
	struct sched_param before, wanted = {.sched_priority = sched_get_priority_min(SCHED_FIFO)};

	p->raised = false;
	p->policy = sched_getscheduler(0);
	if (p->policy < 0 || (p->policy & ~SCHED_RESET_ON_FORK) == SCHED_FIFO ||
	    (p->policy & ~SCHED_RESET_ON_FORK) == SCHED_RR || sched_getparam(0, &before) ||
	    !has_several_cpus())
		return false;
	p->level = before.sched_priority;
	p->nice = getpriority(PRIO_PROCESS, 0);
	/* The threads that io_uring starts for this one do the IO, they do not keep the time. */
	p->raised = !sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &wanted);
	return p->raised;
}

void priority__restore(const struct priority *p)
{
	struct sched_param before = {.sched_priority = p->level};

	if (!p->raised)
		return;
	sched_setscheduler(0, p->policy, &before);
	setpriority(PRIO_PROCESS, 0, p->nice);
}
