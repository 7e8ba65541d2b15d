// SPDX-License-Identifier: MIT
#include "render/metrics/metrics.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/units.h"
#include "base/version.h"

static uint64_t time_of(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * NSEC_PER_SEC + (uint64_t)time->tv_usec * 1000;
}

/* 0: not known. */
static uint64_t resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long long pages = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%*u %llu", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void write_losses(struct exposition *x, const struct live_lost *lost)
{
	exposition__family(x, "blkreel_lost_events", METRIC_COUNTER, NULL,
			   "Events that are missing from the figures.");
	exposition__value(x, "reason=\"end_skipped\"", lost->end_calls);
	exposition__value(x, "reason=\"start_skipped\"",
			  lost->probe_calls - lost->end_calls - lost->cache_calls);
	exposition__value(x, "reason=\"cache_skipped\"", lost->cache_calls);
	exposition__value(x, "reason=\"not_reported\"", lost->unreported);
	exposition__value(x, "reason=\"cache_account_full\"", lost->cache_pages);
	exposition__value(x, "reason=\"too_many_devices\"", lost->devices);
}

static void write_process(struct exposition *x, const struct metrics_source *source)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	exposition__family(x, "process_cpu_seconds", METRIC_COUNTER, "seconds",
			   "User and system CPU time of blkreel; its probes run in other tasks.");
	exposition__seconds(x, "", time_of(&usage.ru_utime) + time_of(&usage.ru_stime));
	exposition__family(x, "process_resident_memory_bytes", METRIC_GAUGE, "bytes",
			   "Resident memory of blkreel.");
	exposition__value(x, "", resident_bytes());
	exposition__family(x, "process_start_time_seconds", METRIC_GAUGE, "seconds",
			   "When blkreel began to count, in Unix time.");
	exposition__seconds(x, "", source->start_ns);
	exposition__family(x, "blkreel_scrapes", METRIC_COUNTER, NULL, "Answers before this one.");
	exposition__value(x, "", source->scrapes);
	exposition__family(x, "blkreel_scrape_seconds", METRIC_COUNTER, "seconds",
			   "Time that the answers before this one took.");
	exposition__seconds(x, "", source->scrape_ns);
}

void metrics__own(struct exposition *x, const struct metrics_source *source)
{
	char labels[METRICS_LABELS_MAX] = "";

	write_losses(x, &source->total->lost);
	write_process(x, source);
	exposition__family(x, "blkreel_build", METRIC_INFO, NULL, "The build of blkreel.");
	exposition_label(labels, sizeof(labels), "version", BLKREEL_VERSION);
	exposition__value(x, labels, 1);
}
