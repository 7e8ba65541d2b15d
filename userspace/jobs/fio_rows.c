// SPDX-License-Identifier: MIT
#include "jobs/fio_rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/units.h"
#include "profile/classes.h"
#include "profile/build/build.h"
#include "jobs/fio_closed.h"
#include "profile/prng.h"

#define ROWS_MAX   (1u << 20)
#define ASSUMED_NS (60 * NSEC_PER_SEC)

struct job_row {
	struct io_row row;
	uint32_t job;
};

struct rows {
	struct job_row *items;
	uint32_t count;
	uint32_t of_a_job; /* at most */
	bool all;	   /* of a job whose rate is assumed */
};

/* Of a range, as fio draws it: multiples of the shortest, each equally often; what is too long is cut to the longest. */
static uint64_t draw_bytes(const struct fio_sizes *sizes, struct prng *random)
{
	int i;

	if (sizes->most_bytes) {
		uint64_t bytes = sizes->least_bytes + prng_below(random, sizes->most_bytes);

		bytes -= bytes % sizes->least_bytes;
		return bytes < sizes->most_bytes ? bytes : sizes->most_bytes;
	}
	i = prng_weighted(random, sizes->pct, sizes->count);
	return i < 0 ? PAGE_BYTES : sizes->bytes[i];
}

/* Zipf by inversion of the continuous distribution, scattered over the addresses. */
static uint64_t draw_zipf(const struct fio_job *job, uint64_t slots, struct prng *random)
{
	uint64_t rank = prng_below(random, slots);

	if (job->zipf <= 0 || slots < 2)
		return rank;
	/* The product of two uniform numbers prefers low ranks; theta says how many of them. */
	for (double theta = job->zipf; theta > 0; theta -= 0.5)
		rank = prng_below(random, rank + 1);
	return (uint64_t)((unsigned __int128)rank * 0x9e3779b97f4a7c15ull % slots);
}

static enum fio_direction direction_of(enum io_op op)
{
	return op == IO_OP_READ ? FIO_READS : op == IO_OP_WRITE ? FIO_WRITES : FIO_TRIMS;
}

static uint64_t draw_place(const struct fio_job *job, enum fio_direction direction, uint64_t bytes,
			   struct prng *random)
{
	const struct fio_zones *zones = &job->zones[direction];
	uint64_t align = job->sizes[direction].align_bytes, slots;

	if (!align)
		align = bytes;
	slots = (job->size_bytes - bytes) / align + 1;
	return align * (zones->count ? fio_zones_draw(zones, job->size_bytes, align, slots, random)
				     : draw_zipf(job, slots, random));
}

/* Where a job is in its addresses. */
struct job_place {
	uint64_t at_bytes; /* behind the last IO, and behind its step */
	uint64_t ios;
};

/* Sequential IOs begin again where the addresses end: at the other end if they go backwards. */
static uint64_t next_in_row(const struct fio_job *job, uint64_t bytes, struct job_place *place)
{
	uint64_t offset = place->at_bytes, back = 0, next;

	if (!place->ios && job->step_bytes < 0)
		offset = job->size_bytes - bytes;
	if (offset > job->size_bytes - bytes)
		offset = 0;
	next = offset + bytes;
	if (job->step_bytes >= 0)
		next += (uint64_t)job->step_bytes;
	else
		back = (uint64_t)-job->step_bytes;
	place->at_bytes = next >= back ? next - back : job->size_bytes - bytes;
	return offset;
}

static uint64_t draw_sector(const struct fio_job *job, enum io_op op, uint64_t bytes,
			    struct job_place *place, struct prng *random)
{
	bool jumps = job->random && place->ios % job->run == 0 &&
		     (job->random_pct == 100 || prng_below(random, 100) < job->random_pct);
	uint64_t offset;

	if (jumps)
		place->at_bytes = draw_place(job, direction_of(op), bytes, random);
	offset = next_in_row(job, bytes, place);
	place->ios++;
	return (job->offset_bytes + offset) / SECTOR_BYTES;
}

static void add(struct rows *rows, uint32_t job, uint64_t time_ns, enum io_op op, uint64_t sector,
		uint64_t bytes)
{
	if (rows->count < ROWS_MAX)
		rows->items[rows->count++] = (struct job_row){{.created_ns = time_ns,
							       .device = 1,
							       .sector = sector,
							       .bytes = bytes,
							       .op = (uint8_t)op},
							      job};
}

static uint64_t count_by_size(const struct fio_job *job)
{
	uint64_t of_one =
		(job->io_bytes ? job->io_bytes : job->size_bytes) / fio_job_mean_bytes(job);

	return of_one * job->numjobs * job->loops;
}

uint64_t fio_job_ios(const struct fio_job *job)
{
	uint64_t ios = job->time_based && job->random ? 0 : count_by_size(job);

	return job->number_ios && job->number_ios * job->numjobs < ios
		       ? job->number_ios * job->numjobs
		       : ios;
}

static uint64_t count_for(const struct fio_job *job, double gap, const struct rows *rows)
{
	uint64_t by_size = count_by_size(job);
	uint64_t time = job->runtime_ns ? job->runtime_ns : ASSUMED_NS;
	double by_time = (double)time / gap;
	uint64_t count = rows->of_a_job;

	if (by_time < count && !(rows->all && !fio_job_has_rate(job)))
		count = (uint64_t)by_time;
	if (!job->time_based && by_size < count)
		count = by_size;
	if (job->number_ios && job->number_ios * job->numjobs < count)
		count = job->number_ios * job->numjobs;
	return count ? count : 1;
}

static uint32_t limit_of_job(unsigned int count, bool all)
{
	return ROWS_MAX / (all ? 2 * count : FIO_JOBS_MAX);
}

uint64_t fio_job_cut(const struct fio_job *job, unsigned int count, bool all)
{
	const struct rows rows = {.of_a_job = limit_of_job(count, all), .all = all};
	uint64_t drawn = count_for(job, fio_job_gap_ns(job), &rows);

	return drawn == rows.of_a_job && fio_job_ios(job) > drawn ? drawn : 0;
}

/*
 * Parts of the mean gap: from 0 to twice of it, or as between events that know nothing of each
 * other.
 */
static double draw_gap(const struct fio_job *job, struct prng *random)
{
	if (job->poisson)
		return -log1p(-(double)(prng_next(random) >> 11) / (double)(1ull << 53));
	return (double)prng_below(random, 2048) / 1024;
}

static void run_job(struct fio_job *job, uint32_t index, struct rows *rows)
{
	struct prng random;
	double gap = fio_job_gap_ns(job), at_ns = (double)job->begin_ns;
	double read_share = fio_job_read_share(job);
	struct job_place place = {0};
	uint64_t count = count_for(job, gap, rows), writes = 0;

	prng_seed(&random, index + 1);
	for (uint64_t i = 0; i < count; i++) {
		bool read = (double)prng_below(&random, 1u << 20) < read_share * (1u << 20);
		enum io_op op = read				  ? IO_OP_READ
				: job->trims && !job->trims_first ? IO_OP_DISCARD
								  : IO_OP_WRITE;
		uint64_t bytes = draw_bytes(&job->sizes[direction_of(op)], &random), sector;
		double part = draw_gap(job, &random);

		if (bytes > job->size_bytes)
			bytes = job->size_bytes;
		sector = draw_sector(job, op, bytes, &place, &random);
		if (job->trims_first)
			add(rows, index, (uint64_t)at_ns, IO_OP_DISCARD, sector, bytes);
		add(rows, index, (uint64_t)(at_ns + (job->trims_first ? gap / 4 : 0)), op, sector,
		    bytes);
		if (op == IO_OP_WRITE && job->flush_every && ++writes % job->flush_every == 0)
			add(rows, index, (uint64_t)at_ns, IO_OP_FLUSH, 0, 0);
		at_ns += gap * part;
	}
	job->end_ns = job->time_based && job->runtime_ns ? job->begin_ns + job->runtime_ns
							 : (uint64_t)at_ns;
}

/* Each group begins when all jobs before have ended. */
static void run_jobs(struct fio_job *jobs, unsigned int count, struct rows *rows)
{
	uint64_t begin_ns = 0, end_ns = 0;

	for (unsigned int i = 0; i < count; i++) {
		if (i && jobs[i].group != jobs[i - 1].group)
			begin_ns = end_ns;
		jobs[i].begin_ns = begin_ns + jobs[i].start_ns;
		run_job(&jobs[i], i, rows);
		if (jobs[i].end_ns > end_ns)
			end_ns = jobs[i].end_ns;
	}
}

static int by_time(const void *a, const void *b)
{
	const struct job_row *left = a, *right = b;

	if (left->row.created_ns != right->row.created_ns)
		return left->row.created_ns < right->row.created_ns ? -1 : 1;
	if (left->job != right->job)
		return left->job < right->job ? -1 : 1;
	return left->row.op == IO_OP_FLUSH ? 1 : right->row.op == IO_OP_FLUSH ? -1 : 0;
}

static void set_extent(const struct fio_job *jobs, unsigned int count, const struct rows *rows,
		       struct profile_extent *e)
{
	*e = (struct profile_extent){.ios = rows->count, .space_count = count};
	e->duration_ns =
		rows->items[rows->count - 1].row.created_ns - rows->items[0].row.created_ns;
	e->first_sector = UINT64_MAX;
	for (size_t i = 0; i < rows->count; i++)
		size_octaves_add(&e->sizes, &rows->items[i].row);
	for (unsigned int i = 0; i < count; i++) {
		uint64_t first = jobs[i].offset_bytes / SECTOR_BYTES;
		uint64_t end = (jobs[i].offset_bytes + jobs[i].size_bytes) / SECTOR_BYTES;

		e->spaces[i].first_sector = first;
		e->spaces[i].end_sector = end;
		e->first_sector = first < e->first_sector ? first : e->first_sector;
		e->end_sector = end > e->end_sector ? end : e->end_sector;
	}
}

static int build(const struct fio_job *jobs, unsigned int count, const struct rows *rows,
		 struct profile **profile)
{
	struct profile_builder *builder;
	struct profile_extent extent;
	int err;

	set_extent(jobs, count, rows, &extent);
	err = profile_builder__create(&extent, &builder);
	if (err)
		return err;
	for (uint32_t i = 0; i < rows->count && !err; i++) {
		struct io_row row = rows->items[i].row;

		row.created_ns -= rows->items[0].row.created_ns;
		err = profile_builder__add_as(builder, &row, SUBMITTER_DIRECT, rows->items[i].job,
					      NULL);
	}
	if (!err)
		err = profile_builder__finish(builder, profile);
	if (!err) {
		fio_closed_of_jobs(jobs, count, *profile);
		if (jobs[0].seed)
			(*profile)->seed = jobs[0].seed;
	}
	profile_builder__free(builder);
	return err;
}

int fio_jobs_profile(struct fio_job *jobs, unsigned int count, bool all, struct profile **profile)
{
	struct rows rows = {.items = calloc(ROWS_MAX, sizeof(*rows.items)),
			    .of_a_job = limit_of_job(count, all),
			    .all = all};
	int err;

	if (!rows.items)
		return -ENOMEM;
	run_jobs(jobs, count, &rows);
	qsort(rows.items, rows.count, sizeof(*rows.items), by_time);
	err = rows.count ? build(jobs, count, &rows, profile) : -ENODATA;
	free(rows.items);
	return err;
}
