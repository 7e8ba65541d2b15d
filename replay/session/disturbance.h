/* SPDX-License-Identifier: MIT */
/* What else used the CPUs while a replay ran: /proc/stat, /proc/pressure/cpu and the process's own time. */
#ifndef BLKREEL_REPLAY_SESSION_DISTURBANCE_H
#define BLKREEL_REPLAY_SESSION_DISTURBANCE_H

#include <stdbool.h>
#include <stdint.h>

/* Counters since the start of the system, and of this process. */
struct cpu_counters {
	bool stat_known, pressure_known;
	uint64_t all_ticks, idle_ticks, stolen_ticks; /* of all CPUs */
	uint64_t own_ns;			      /* CPU time of this process */
	uint64_t pressure_us;			      /* in which some task waited for a CPU */
	uint64_t time_ns;
};

/* Per cent; negative: not known. */
struct replay_disturbance {
	double others_pct;   /* of all CPUs: other programs and the kernel's threads */
	double stolen_pct;   /* of all CPUs: other guests of the hypervisor */
	double pressure_pct; /* of the time: some task waited for a CPU */
};

/* Reads the counters. */
void cpu_counters__read(struct cpu_counters *c);

/* What happened between two readings. */
void disturbance__between(const struct cpu_counters *before, const struct cpu_counters *after,
			  struct replay_disturbance *d);

/* From here on latencies are no longer those of the target alone. */
#define DISTURBED_WAIT_PCT     1.0 /* of the replay's time: a thread of it waited for a CPU, */
#define DISTURBED_STOLEN_PCT   1.0 /* CPU time was stolen, */
#define DISTURBED_OTHERS_PCT   5.0 /* others used CPUs, and tasks waited for one: */
#define DISTURBED_PRESSURE_PCT 5.0

/* `wait_pct`: of the replay's time, in which a thread of its own waited for a CPU. */
bool disturbance__is_much(const struct replay_disturbance *d, double wait_pct);

#endif
