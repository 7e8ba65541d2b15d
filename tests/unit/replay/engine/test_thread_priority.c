// SPDX-License-Identifier: MIT
/* The priority of the thread that keeps the time, with and without the right to raise it. */
#include "unit/shared/test.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/capability.h>

#include "replay/engine/thread_priority.h"

#define FIFO (SCHED_FIFO | SCHED_RESET_ON_FORK)
#define HIGH (SCHED_OTHER | SCHED_RESET_ON_FORK)

static int nice_value(void)
{
	return getpriority(PRIO_PROCESS, 0);
}

/* True when this process may raise a thread, and runs at no real-time priority already. */
static bool is_allowed(void)
{
	struct sched_param level = {.sched_priority = 1};
	int policy = sched_getscheduler(0), nice = nice_value();
	bool allowed;
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) || CPU_COUNT(&cpus) < 2 ||
	    policy == SCHED_FIFO || policy == SCHED_RR)
		return false;
	allowed = !setpriority(PRIO_PROCESS, 0, -20) && !sched_setscheduler(0, SCHED_FIFO, &level);
	level.sched_priority = 0;
	sched_setscheduler(0, policy, &level);
	setpriority(PRIO_PROCESS, 0, nice);
	return allowed;
}

/* The first `count`, or as many as there are. */
static bool use_cpus(unsigned int count, cpu_set_t *before)
{
	cpu_set_t some;

	if (sched_getaffinity(0, sizeof(*before), before))
		return false;
	CPU_ZERO(&some);
	for (int cpu = 0; cpu < CPU_SETSIZE && count; cpu++) {
		if (!CPU_ISSET(cpu, before))
			continue;
		CPU_SET(cpu, &some);
		count--;
	}
	return !sched_setaffinity(0, sizeof(some), &some);
}

static void *policy_of_thread(void *policy)
{
	*(int *)policy = sched_getscheduler(0);
	return NULL;
}

static int policy_of_a_new_thread(void)
{
	pthread_t thread;
	int policy = -1;

	if (pthread_create(&thread, NULL, policy_of_thread, &policy) || pthread_join(thread, NULL))
		return -1;
	return policy;
}

static void priority_is_raised_where_permitted_and_restored(void)
{
	int policy = sched_getscheduler(0), nice = nice_value();
	bool allowed = is_allowed();
	struct thread_priority p, second;

	thread_priority__raise(&p, true, 0);
	CHECK_EQ(p.now, allowed ? PRIORITY_REALTIME : PRIORITY_NORMAL);
	CHECK_EQ(p.lowest, p.now);
	CHECK_EQ(sched_getscheduler(0), allowed ? FIFO : policy);
	if (allowed) {
		CHECK_EQ(policy_of_a_new_thread(), SCHED_OTHER);
		thread_priority__raise(&second, true, 0); /* it has it already */
		CHECK_EQ(second.now, PRIORITY_NORMAL);
		thread_priority__restore(&second);
		CHECK_EQ(sched_getscheduler(0), FIFO);
	}
	thread_priority__restore(&p);
	CHECK_EQ(sched_getscheduler(0), policy);
	CHECK_EQ(nice_value(), nice);
}

static void a_thread_that_never_sleeps_gets_no_real_time(void)
{
	int policy = sched_getscheduler(0), nice = nice_value();
	bool allowed = is_allowed();
	struct thread_priority p;

	thread_priority__raise(&p, false, 0);
	CHECK_EQ(p.now, allowed ? PRIORITY_HIGH : PRIORITY_NORMAL);
	CHECK_EQ(sched_getscheduler(0), allowed ? HIGH : policy);
	CHECK_EQ(nice_value(), allowed ? -20 : nice);
	thread_priority__look(&p, 10 * PRIORITY_WINDOW_NS);
	CHECK_EQ(p.now, allowed ? PRIORITY_HIGH : PRIORITY_NORMAL);
	thread_priority__restore(&p);
	CHECK_EQ(sched_getscheduler(0), policy);
	CHECK_EQ(nice_value(), nice);
}

static void priority_follows_the_share_of_sleep(void)
{
	int policy = sched_getscheduler(0), nice = nice_value();
	bool allowed = is_allowed();
	enum priority_class high = allowed ? PRIORITY_HIGH : PRIORITY_NORMAL;
	enum priority_class realtime = allowed ? PRIORITY_REALTIME : PRIORITY_NORMAL;
	struct thread_priority p;

	thread_priority__raise(&p, true, 5);
	thread_priority__look(&p, 4 + PRIORITY_WINDOW_NS); /* too early to say */
	CHECK_EQ(p.now, realtime);
	thread_priority__slept(&p, PRIORITY_WINDOW_NS / 20);
	thread_priority__slept(&p, PRIORITY_WINDOW_NS / 20);
	thread_priority__look(&p, 5 + PRIORITY_WINDOW_NS);
	CHECK_EQ(p.now, realtime);
	CHECK_EQ(p.lowest, realtime);
	thread_priority__slept(&p, PRIORITY_WINDOW_NS / 20);
	thread_priority__look(&p, 5 + 2 * PRIORITY_WINDOW_NS);
	CHECK_EQ(p.now, high);
	CHECK_EQ(sched_getscheduler(0), allowed ? HIGH : policy);
	thread_priority__slept(&p, PRIORITY_WINDOW_NS / 2);
	thread_priority__look(&p, 5 + 3 * PRIORITY_WINDOW_NS);
	CHECK_EQ(p.now, realtime);
	CHECK_EQ(p.lowest, high);
	CHECK_EQ(sched_getscheduler(0), allowed ? FIFO : policy);
	thread_priority__restore(&p);
	CHECK_EQ(sched_getscheduler(0), policy);
	CHECK_EQ(nice_value(), nice);
}

static void *raise_in_a_thread(void *count)
{
	struct thread_priority p;

	thread_priority__raise(&p, true, 0);
	*(int *)count += p.now == PRIORITY_REALTIME;
	thread_priority__restore(&p);
	return NULL;
}

/* Two threads at a time, on two CPUs: one of them. */
static void all_but_one_cpu_may_have_real_time_threads(void)
{
	bool allowed = is_allowed();
	struct thread_priority p;
	cpu_set_t before;
	pthread_t thread;
	int raised;

	REQUIRE(use_cpus(2, &before));
	thread_priority__raise(&p, true, 0);
	raised = p.now == PRIORITY_REALTIME;
	REQUIRE(!pthread_create(&thread, NULL, raise_in_a_thread, &raised));
	CHECK(!pthread_join(thread, NULL));
	CHECK_EQ(raised, allowed);
	thread_priority__restore(&p);
	thread_priority__raise(&p, true, 0); /* what was given back can be had again */
	CHECK_EQ(p.now == PRIORITY_REALTIME, allowed);
	thread_priority__restore(&p);
	CHECK(!sched_setaffinity(0, sizeof(before), &before));
}

static void on_one_cpu_real_time_is_not_used(void)
{
	int policy = sched_getscheduler(0);
	struct thread_priority p;
	cpu_set_t before;

	REQUIRE(use_cpus(1, &before));
	thread_priority__raise(&p, true, 0);
	CHECK_EQ(p.now, PRIORITY_NORMAL);
	CHECK_EQ(sched_getscheduler(0), policy);
	CHECK(!sched_setaffinity(0, sizeof(before), &before));
}

static bool drop_the_right(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data))
		return false;
	data[0].effective &= ~(1u << CAP_SYS_NICE);
	return !syscall(SYS_capset, &header, data);
}

/* RLIMIT_RTPRIO is enough to raise a thread, but not to let its children inherit again. */
static void priority_is_restored_without_the_right_to_raise_it(void)
{
	struct thread_priority p;
	int status = -1;
	pid_t child;

	fflush(NULL);
	child = fork();
	REQUIRE(child >= 0);
	if (!child) {
		thread_priority__raise(&p, true, 0);
		if (!drop_the_right())
			_exit(2);
		thread_priority__restore(&p);
		_exit((sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) != SCHED_OTHER);
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
}

int main(void)
{
	RUN(priority_is_raised_where_permitted_and_restored);
	RUN(a_thread_that_never_sleeps_gets_no_real_time);
	RUN(priority_follows_the_share_of_sleep);
	RUN(all_but_one_cpu_may_have_real_time_threads);
	if (sched_getscheduler(0) == SCHED_OTHER)
		RUN(priority_is_restored_without_the_right_to_raise_it);
	RUN(on_one_cpu_real_time_is_not_used);
	return TEST_RESULT;
}
