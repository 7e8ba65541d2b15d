// SPDX-License-Identifier: MIT
#include "profile/fio/fio_jobs.h"

#include "base/units.h"

uint64_t fio_job_mean_bytes(const struct fio_job *job)
{
	uint64_t sum = 0, weights = 0;

	for (unsigned int i = 0; i < job->split_count; i++) {
		sum += job->split_bytes[i] * job->split_pct[i];
		weights += job->split_pct[i];
	}
	return weights && sum >= weights ? sum / weights : PAGE_BYTES;
}

double fio_job_gap_ns(const struct fio_job *job)
{
	double copies = job->numjobs, gap;

	if (job->rate_iops > 0)
		gap = (double)NSEC_PER_SEC / job->rate_iops;
	else if (job->rate_bytes)
		gap = (double)fio_job_mean_bytes(job) * NSEC_PER_SEC / (double)job->rate_bytes;
	else
		gap = (double)FIO_ASSUMED_IO_NS / job->iodepth +
		      (double)job->thinktime_ns / job->thinktime_blocks;
	return gap / copies > 1 ? gap / copies : 1;
}
