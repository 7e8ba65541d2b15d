/* The priority of the thread that keeps the time, with and without the right to raise it. */
#include "unit/test.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include "replay/priority.h"

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

static bool use_one_cpu(cpu_set_t *before)
{
	cpu_set_t one;
	int cpu = 0;

	if (sched_getaffinity(0, sizeof(*before), before))
		return false;
	while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, before))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return !sched_setaffinity(0, sizeof(one), &one);
}

static void it_is_raised_where_that_is_allowed_and_restored(void)
{
	int policy = sched_getscheduler(0), nice = getpriority(PRIO_PROCESS, 0);
	struct sched_param wanted = {.sched_priority = 1};
	struct priority p, second;
	cpu_set_t cpus;
	bool allowed;

	REQUIRE(!sched_getaffinity(0, sizeof(cpus), &cpus));
	allowed = CPU_COUNT(&cpus) > 1 && policy == SCHED_OTHER &&
		  !sched_setscheduler(0, SCHED_FIFO, &wanted);
	wanted.sched_priority = 0;
	CHECK(!allowed || !sched_setscheduler(0, SCHED_OTHER, &wanted));
	CHECK_EQ(priority__raise(&p), allowed);
	CHECK_EQ(sched_getscheduler(0), allowed ? SCHED_FIFO | SCHED_RESET_ON_FORK : policy);
	if (allowed) {
		CHECK_EQ(policy_of_a_new_thread(), SCHED_OTHER);
		CHECK(!priority__raise(&second)); /* it has it already */
		priority__restore(&second);
		CHECK_EQ(sched_getscheduler(0), SCHED_FIFO | SCHED_RESET_ON_FORK);
	}
	priority__restore(&p);
	CHECK_EQ(sched_getscheduler(0), policy);
	CHECK_EQ(getpriority(PRIO_PROCESS, 0), nice);
}

static void one_cpu_is_shared_with_those_who_do_the_io(void)
{
	int policy = sched_getscheduler(0);
	struct priority p;
	cpu_set_t before;

	REQUIRE(use_one_cpu(&before));
	CHECK(!priority__raise(&p));
	CHECK_EQ(sched_getscheduler(0), policy);
	CHECK(!sched_setaffinity(0, sizeof(before), &before));
}

int main(void)
{
	RUN(it_is_raised_where_that_is_allowed_and_restored);
	RUN(one_cpu_is_shared_with_those_who_do_the_io);
	return TEST_RESULT;
}
