// SPDX-License-Identifier: MIT
#include "collector/probes/cpu_rings.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "collector/kernel/capabilities.h"

#define SLOTS_MIN     32u
#define FETCHED_AHEAD 8u

struct cpu_rings {
	struct cpu_ring *rings;
	struct io_event *events;
	unsigned int cpus;
	uint32_t slots;
	/* For each CPU: */
	struct progress {
		uint64_t produced; /* as last noted */
		uint64_t taken;
	} * progress;
};

/* The processor must keep the order of stores, and the kernel must not preempt probes. */
static bool is_possible(void)
{
#if defined(__x86_64__)
	return !capabilities__probes_are_preempted();
#else
	return false;
#endif
}

uint32_t cpu_rings__slots(unsigned int cpus, uint64_t ring_bytes)
{
	uint64_t slots = ring_bytes / sizeof(struct io_event);

	if (!is_possible())
		return 0;
	while (slots > SLOTS_MIN && slots * cpus > UINT32_MAX)
		slots /= 2;
	return slots < SLOTS_MIN ? SLOTS_MIN : (uint32_t)slots;
}

static size_t events_bytes(const struct cpu_rings *r)
{
	return (size_t)r->cpus * r->slots * sizeof(struct io_event);
}

static void *map_of(int fd, size_t bytes, int protection)
{
	void *at = mmap(NULL, bytes, protection, MAP_SHARED, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

int cpu_rings__map(int rings_fd, int events_fd, unsigned int cpus, uint32_t slots,
		   struct cpu_rings **rings)
{
	struct cpu_rings *r = calloc(1, sizeof(*r));
	int err = -ENOMEM;

	if (!r)
		return -ENOMEM;
	r->cpus = cpus;
	r->slots = slots;
	r->progress = calloc(cpus, sizeof(*r->progress));
	if (r->progress) {
		r->rings = map_of(rings_fd, cpus * sizeof(*r->rings), PROT_READ | PROT_WRITE);
		err = r->rings ? 0 : -errno;
	}
	if (!err) {
		r->events = map_of(events_fd, events_bytes(r), PROT_READ);
		err = r->events ? 0 : -errno;
	}
	if (err) {
		cpu_rings__free(r);
		return err;
	}
	for (unsigned int cpu = 0; cpu < cpus; cpu++)
		r->progress[cpu].taken = r->rings[cpu].consumed;
	*rings = r;
	return 0;
}

void cpu_rings__free(struct cpu_rings *r)
{
	if (!r)
		return;
	if (r->rings)
		munmap(r->rings, r->cpus * sizeof(*r->rings));
	if (r->events)
		munmap(r->events, events_bytes(r));
	free(r->progress);
	free(r);
}

void cpu_rings__refresh(struct cpu_rings *r)
{
	for (unsigned int cpu = 0; cpu < r->cpus; cpu++)
		r->progress[cpu].produced =
			__atomic_load_n(&r->rings[cpu].produced, __ATOMIC_ACQUIRE);
}

/* Prefetches: another CPU has written the record. */
static void fetch(const struct io_event *event)
{
	__builtin_prefetch(event);
	__builtin_prefetch((const char *)event + 64);
}

static const struct io_event *event_at(const struct cpu_rings *r, unsigned int cpu, uint64_t number)
{
	return &r->events[(size_t)cpu * r->slots + number % r->slots];
}

/* The latest end time among the first `share` records; UINT64_MAX: there are no more records. */
static uint64_t moment_of(const struct cpu_rings *r, unsigned int cpu, uint64_t share)
{
	const struct progress *p = &r->progress[cpu];
	uint64_t latest_ns = 0;

	if (p->produced - p->taken <= share)
		return UINT64_MAX;
	for (uint64_t i = 0; i < share; i++) {
		uint64_t completed_ns = event_at(r, cpu, p->taken + i)->completed_ns;

		latest_ns = completed_ns > latest_ns ? completed_ns : latest_ns;
	}
	return latest_ns;
}

uint64_t cpu_rings__moment(const struct cpu_rings *r, uint64_t most)
{
	uint64_t share = most / r->cpus ? most / r->cpus : 1, waiting = 0, until_ns = UINT64_MAX;

	for (unsigned int cpu = 0; cpu < r->cpus; cpu++)
		waiting += r->progress[cpu].produced - r->progress[cpu].taken;
	for (unsigned int cpu = 0; cpu < r->cpus && waiting > most; cpu++) {
		uint64_t moment_ns = moment_of(r, cpu, share);

		until_ns = moment_ns < until_ns ? moment_ns : until_ns;
	}
	return until_ns;
}

int cpu_rings__take(struct cpu_rings *r, uint64_t until_ns,
		    int (*each)(void *context, const struct io_event *event), void *context)
{
	int err = 0;

	for (unsigned int cpu = 0; cpu < r->cpus && !err; cpu++) {
		struct progress *p = &r->progress[cpu];

		while (p->taken != p->produced && !err &&
		       event_at(r, cpu, p->taken)->completed_ns <= until_ns) {
			fetch(event_at(r, cpu, p->taken + FETCHED_AHEAD));
			err = each(context, event_at(r, cpu, p->taken++));
		}
	}
	return err;
}

void cpu_rings__release(struct cpu_rings *r)
{
	for (unsigned int cpu = 0; cpu < r->cpus; cpu++)
		__atomic_store_n(&r->rings[cpu].consumed, r->progress[cpu].taken, __ATOMIC_RELEASE);
}
