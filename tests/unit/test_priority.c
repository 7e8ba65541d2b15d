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

static void *raise_in_a_thread(void *count)
{
	struct priority p;

	*(int *)count += priority__raise(&p);
	priority__restore(&p);
	return NULL;
}

/* Two threads at a time, on two CPUs: one of them. */
static void a_cpu_is_left(void)
{
	struct priority p;
	cpu_set_t before;
	pthread_t thread;
	int raised;

	REQUIRE(use_cpus(2, &before));
	raised = priority__raise(&p);
	REQUIRE(!pthread_create(&thread, NULL, raise_in_a_thread, &raised));
	CHECK(!pthread_join(thread, NULL));
	CHECK(raised <= 1);
	if (p.raised) {
		priority__restore(&p);
		CHECK(priority__raise(&p)); /* what was given back can be had again */
	}
	priority__restore(&p);
	CHECK(!sched_setaffinity(0, sizeof(before), &before));
}

static void one_cpu_is_shared_with_those_who_do_the_io(void)
{
	int policy = sched_getscheduler(0);
	struct priority p;
	cpu_set_t before;

	REQUIRE(use_cpus(1, &before));
	CHECK(!priority__raise(&p));
	CHECK_EQ(sched_getscheduler(0), policy);
	CHECK(!sched_setaffinity(0, sizeof(before), &before));
}

int main(void)
{
	RUN(it_is_raised_where_that_is_allowed_and_restored);
	RUN(a_cpu_is_left);
	RUN(one_cpu_is_shared_with_those_who_do_the_io);
	return TEST_RESULT;
}
