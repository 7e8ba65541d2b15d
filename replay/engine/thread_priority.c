// SPDX-License-Identifier: MIT
#include "replay/engine/thread_priority.h"

#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>

#define LOWEST_NICE (-20)

/* Threads of this process that were raised. */
static atomic_int raised_threads;

/* There always has to be a CPU for the threads that do the IO. */
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

/* Threads that io_uring starts for this one do the IO, and must not inherit the priority. */
static bool become(struct thread_priority *p, enum priority_class class)
{
	struct sched_param level = {0};
	int policy = SCHED_OTHER;

	if (class == PRIORITY_REALTIME) {
		policy = SCHED_FIFO;
		level.sched_priority = sched_get_priority_min(SCHED_FIFO);
	}
	/* First, because a user who may not do this could not undo the other. */
	if (class == PRIORITY_HIGH && setpriority(PRIO_PROCESS, 0, LOWEST_NICE))
		return false;
	if (sched_setscheduler(0, policy | SCHED_RESET_ON_FORK, &level))
		return false;
	p->now = class;
	if (class < p->lowest)
		p->lowest = class;
	return true;
}

static void return_to_before(const struct thread_priority *p)
{
	struct sched_param before = {.sched_priority = p->level};

	/*
	 * Removing the flag needs a capability that setting it does not: RLIMIT_RTPRIO is enough
	 * for that.
	 */
	if (sched_setscheduler(0, p->policy, &before))
		sched_setscheduler(0, p->policy | SCHED_RESET_ON_FORK, &before);
	setpriority(PRIO_PROCESS, 0, p->nice);
}

void thread_priority__raise(struct thread_priority *p, bool sleeps, uint64_t now_ns)
{
	struct sched_param before;

	*p = (struct thread_priority){
		.sleeps = sleeps, .window_ns = now_ns, .lowest = PRIORITY_REALTIME};
	p->policy = sched_getscheduler(0);
	p->nice = getpriority(PRIO_PROCESS, 0);
	if (p->policy < 0 || sched_getparam(0, &before) || before.sched_priority ||
	    !take_one_of_the_cpus()) {
		p->lowest = PRIORITY_NORMAL;
		return;
	}
	p->level = before.sched_priority;
	if (become(p, sleeps ? PRIORITY_REALTIME : PRIORITY_HIGH))
		return;
	setpriority(PRIO_PROCESS, 0, p->nice);
	p->lowest = PRIORITY_NORMAL;
	atomic_fetch_sub(&raised_threads, 1);
}

void thread_priority__restore(struct thread_priority *p)
{
	if (p->now == PRIORITY_NORMAL)
		return;
	return_to_before(p);
	p->now = PRIORITY_NORMAL;
	atomic_fetch_sub(&raised_threads, 1);
}

void thread_priority__look(struct thread_priority *p, uint64_t now_ns)
{
	enum priority_class class;

	if (p->now == PRIORITY_NORMAL || !p->sleeps || now_ns - p->window_ns < PRIORITY_WINDOW_NS)
		return;
	class = p->slept_ns < (now_ns - p->window_ns) / 10 ? PRIORITY_HIGH : PRIORITY_REALTIME;
	p->window_ns = now_ns;
	p->slept_ns = 0;
	if (class != p->now)
		become(p, class);
}
