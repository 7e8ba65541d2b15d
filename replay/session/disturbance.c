// SPDX-License-Identifier: MIT
#include "replay/session/disturbance.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"

static void read_stat(struct cpu_counters *c)
{
	uint64_t ticks[8] = {0};
	FILE *file = fopen("/proc/stat", "re");

	if (!file)
		return;
	c->stat_known = fscanf(file,
			       "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			       " %" SCNu64 " %" SCNu64 " %" SCNu64,
			       &ticks[0], &ticks[1], &ticks[2], &ticks[3], &ticks[4], &ticks[5],
			       &ticks[6], &ticks[7]) == 8;
	fclose(file);
	for (unsigned int i = 0; i < 8; i++)
		c->all_ticks += ticks[i];
	c->idle_ticks = ticks[3] + ticks[4];
	c->stolen_ticks = ticks[7];
}

static void read_pressure(struct cpu_counters *c)
{
	FILE *file = fopen("/proc/pressure/cpu", "re");

	if (!file)
		return;
	c->pressure_known = fscanf(file, "some %*s %*s %*s total=%" SCNu64, &c->pressure_us) == 1;
	fclose(file);
}

static uint64_t time_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * NSEC_PER_SEC + (uint64_t)t->tv_usec * NSEC_PER_USEC;
}

void cpu_counters__read(struct cpu_counters *c)
{
	struct rusage own;

	*c = (struct cpu_counters){.time_ns = clock_ns(CLOCK_MONOTONIC)};
	read_stat(c);
	read_pressure(c);
	getrusage(RUSAGE_SELF, &own);
	c->own_ns = time_of(&own.ru_utime) + time_of(&own.ru_stime);
}

static double share(double part, double all)
{
	double pct = all > 0 ? 100 * part / all : 0;

	return pct < 0 ? 0 : pct > 100 ? 100 : pct;
}

void disturbance__between(const struct cpu_counters *before, const struct cpu_counters *after,
			  struct replay_disturbance *d)
{
	double all = (double)(after->all_ticks - before->all_ticks);
	double idle = (double)(after->idle_ticks - before->idle_ticks);
	double stolen = (double)(after->stolen_ticks - before->stolen_ticks);
	double own = (double)(after->own_ns - before->own_ns) * (double)sysconf(_SC_CLK_TCK) /
		     NSEC_PER_SEC;

	*d = (struct replay_disturbance){-1, -1, -1};
	if (before->stat_known && after->stat_known && all > 0) {
		d->others_pct = share(all - idle - stolen - own, all);
		d->stolen_pct = share(stolen, all);
	}
	if (before->pressure_known && after->pressure_known)
		d->pressure_pct =
			share((double)(after->pressure_us - before->pressure_us) * NSEC_PER_USEC,
			      (double)(after->time_ns - before->time_ns));
}

bool disturbance__is_much(const struct replay_disturbance *d, double wait_pct)
{
	return wait_pct >= DISTURBED_WAIT_PCT || d->stolen_pct >= DISTURBED_STOLEN_PCT ||
	       (d->others_pct >= DISTURBED_OTHERS_PCT && d->pressure_pct >= DISTURBED_PRESSURE_PCT);
}
