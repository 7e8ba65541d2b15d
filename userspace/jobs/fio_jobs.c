// SPDX-License-Identifier: MIT
#include "jobs/fio_jobs.h"

#include "base/units.h"

uint64_t fio_sizes_mean_bytes(const struct fio_sizes *sizes)
{
	uint64_t sum = 0, weights = 0;

	if (sizes->most_bytes)
		return (sizes->least_bytes + sizes->most_bytes) / 2;
	for (unsigned int i = 0; i < sizes->count; i++) {
		sum += sizes->bytes[i] * sizes->pct[i];
		weights += sizes->pct[i];
	}
	return weights && sum >= weights ? sum / weights : PAGE_BYTES;
}

/* Of one copy of the job; 0: not given. */
static double rate_of(const struct fio_sizes *sizes)
{
	if (sizes->rate_iops > 0)
		return sizes->rate_iops;
	return (double)sizes->rate_bytes / (double)fio_sizes_mean_bytes(sizes);
}

static enum fio_direction only_direction(const struct fio_job *job)
{
	if (job->trims && !job->trims_first)
		return FIO_TRIMS;
	return job->read_pct ? FIO_READS : FIO_WRITES;
}

bool fio_job_has_rate(const struct fio_job *job)
{
	if (!job->mixes)
		return rate_of(&job->sizes[only_direction(job)]) > 0;
	return rate_of(&job->sizes[FIO_READS]) > 0 || rate_of(&job->sizes[FIO_WRITES]) > 0;
}

double fio_job_read_share(const struct fio_job *job)
{
	double reads = rate_of(&job->sizes[FIO_READS]), writes = rate_of(&job->sizes[FIO_WRITES]);
	bool both = job->mixes && job->read_pct && job->read_pct < 100;

	if (both && reads > 0 && writes > 0)
		return reads / (reads + writes);
	return (double)job->read_pct / 100;
}

uint64_t fio_job_mean_bytes(const struct fio_job *job)
{
	double share = fio_job_read_share(job);

	if (!job->mixes)
		return fio_sizes_mean_bytes(&job->sizes[only_direction(job)]);
	return (uint64_t)(share * (double)fio_sizes_mean_bytes(&job->sizes[FIO_READS]) +
			  (1 - share) * (double)fio_sizes_mean_bytes(&job->sizes[FIO_WRITES]));
}

/* Of one copy of the job, reads and writes together; 0: not given. */
static double job_rate(const struct fio_job *job)
{
	double share = (double)job->read_pct / 100, reads, writes;

	if (!job->mixes)
		return rate_of(&job->sizes[only_direction(job)]);
	reads = share > 0 ? rate_of(&job->sizes[FIO_READS]) : 0;
	writes = share < 1 ? rate_of(&job->sizes[FIO_WRITES]) : 0;
	if ((reads > 0 && writes > 0) || share <= 0 || share >= 1)
		return reads + writes;
	/* What has no limit of its own keeps its share of the mix. */
	return reads > 0 ? reads / share : writes / (1 - share);
}

double fio_job_gap_ns(const struct fio_job *job)
{
	double copies = job->numjobs, rate = job_rate(job), gap;

	if (rate > 0)
		gap = (double)NSEC_PER_SEC / rate;
	else
		gap = (double)FIO_ASSUMED_IO_NS / job->iodepth +
		      (double)job->thinktime_ns / job->thinktime_blocks;
	return gap / copies > 1 ? gap / copies : 1;
}
