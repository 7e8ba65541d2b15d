// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "jobs/fio.h"
#include "jobs/fio_closed.h"
#include "jobs/fio_split.h"

#define FIO_ZONES 20 /* of 5 % each: fio takes whole per cent */

/* Of a profile's zones, so that each is of one of fio's. */
#define ZONE_PARTS 5
_Static_assert(PROFILE_ZONES *ZONE_PARTS % FIO_ZONES == 0, "a part lies in one zone of fio");

static const char *direction(const struct profile_stream *s)
{
	switch (s->op) {
	case IO_OP_READ:
		return s->sequential ? "read" : "randread";
	case IO_OP_WRITE:
		return s->sequential ? "write" : "randwrite";
	case IO_OP_DISCARD:
		return "randtrim";
	default:
		return NULL;
	}
}

static void print_sizes(const struct profile_stream *s, FILE *out)
{
	struct fio_split split;

	fio_split__of_stream(s, &split);
	for (unsigned int i = 0; i < split.count; i++)
		fprintf(out, "%s%" PRIu64 "/%u", i ? ":" : "bssplit=", split.bytes[i],
			split.pct[i]);
	fputc('\n', out);
}

static void print_zones(const struct profile_stream *s, FILE *out)
{
	uint64_t weights[FIO_ZONES] = {0};
	unsigned int pct[FIO_ZONES];
	bool any = false;

	for (unsigned int i = 0; i < PROFILE_ZONES * ZONE_PARTS; i++) {
		weights[i * FIO_ZONES / (PROFILE_ZONES * ZONE_PARTS)] += s->zones[i / ZONE_PARTS];
		any = any || s->zones[i / ZONE_PARTS];
	}
	if (!any || s->sequential)
		return;
	fio_percents(weights, FIO_ZONES, pct);
	fprintf(out, "random_distribution=zoned:");
	for (unsigned int i = 0; i < FIO_ZONES; i++)
		fprintf(out, "%s%u/%u", i ? ":" : "", pct[i], 100 / FIO_ZONES);
	fputc('\n', out);
}

/* fio takes no exponent of 1. */
static void print_place(const struct profile_stream *s, FILE *out)
{
	uint32_t zipf = s->zipf_permille == 1000 ? 1001 : s->zipf_permille;

	if (s->place == PLACE_ZIPF)
		fprintf(out, "random_distribution=zipf:%u.%03u\n", zipf / 1000, zipf % 1000);
	else if (s->place == PLACE_HOT && s->hot_range_pct < 100)
		fprintf(out, "random_distribution=zoned:%u/%u:%u/%u\n", s->hot_pct,
			s->hot_range_pct, 100 - s->hot_pct, 100 - s->hot_range_pct);
	else
		print_zones(s, out);
}

/* The stream with the most writes of data; NULL: there is none. */
static const struct profile_stream *writes_to_flush(const struct profile *p)
{
	const struct profile_stream *largest = NULL;

	for (uint32_t i = 0; i < p->stream_count; i++) {
		const struct profile_stream *s = &p->streams[i];

		if (s->op == IO_OP_WRITE && s->ios && s->sizes[s->size_count - 1].bytes &&
		    (!largest || s->ios > largest->ios))
			largest = s;
	}
	return largest;
}

/* Writes between two flushes, for the stream that has the most of them; 0: no flushes. */
static uint64_t writes_per_flush(const struct profile *p, uint32_t index)
{
	uint64_t flushes = 0;

	for (uint32_t i = 0; i < p->stream_count; i++)
		if (p->streams[i].op == IO_OP_FLUSH || (p->streams[i].flags & IO_PREFLUSH))
			flushes += p->streams[i].ios;
	if (!flushes || writes_to_flush(p) != &p->streams[index])
		return 0;
	return p->streams[index].ios > flushes ? p->streams[index].ios / flushes : 1;
}

static void print_rate(double ios, double rate, FILE *out)
{
	fprintf(out, "number_ios=%.0f\n", ios);
	fprintf(out, "rate_iops=%.0f\nrate_process=poisson\n", rate < 1 ? 1 : rate);
	if (rate < 1)
		fprintf(out, "# The rate is %.3f a second; fio takes no fractions.\n", rate);
}

/* Without a rate: it goes as fast as the device answers, and the tasks think. */
static void print_closed(const struct fio_closed *c, double ios, FILE *out)
{
	fprintf(out, "numjobs=%u\niodepth=%u\nnumber_ios=%.0f\n", c->numjobs, c->iodepth,
		ios / c->numjobs < 1 ? 1 : ios / c->numjobs);
	if (c->thinktime_us)
		fprintf(out, "thinktime=%" PRIu64 "\nthinktime_blocks=%u\n", c->thinktime_us,
			c->thinktime_blocks);
	if (c->shared)
		fprintf(out,
			"# Its tasks do IOs of other streams, too: here they are divided among jobs.\n");
}

static bool has_data(const struct profile_stream *s)
{
	return s->sizes[s->size_count - 1].bytes;
}

/* Whether fio has a job for it. */
static bool is_job(const struct profile_stream *s)
{
	return s->ios && direction(s) && has_data(s);
}

/* Flushes go with the writes of another job, where there are any. */
static void say_no_job(const struct profile *p, uint32_t index, FILE *out)
{
	const struct profile_stream *s = &p->streams[index];

	if (s->ios && (has_data(s) || !writes_to_flush(p)))
		fprintf(out, "\n# [stream %" PRIu32 "] %s%s: fio has no such IO on its own.\n",
			index + 1, io_op_name(s->op),
			has_data(s) || !direction(s) ? "" : " without data");
}

static void print_job(const struct profile *p, uint32_t index, uint64_t streams, FILE *out)
{
	const struct profile_stream *s = &p->streams[index];
	const struct profile_space *space = &p->spaces[s->space];
	struct fio_closed closed;
	uint64_t first = space->end_sector ? space->first_sector : p->first_sector;
	uint64_t end = space->end_sector ? space->end_sector : p->end_sector;
	uint64_t begin = first * SECTOR_BYTES / PAGE_BYTES * PAGE_BYTES, flush;
	double ios = (double)p->ios * (double)s->ios / (double)(streams ? streams : 1);
	double rate = p->duration_ns ? ios * NSEC_PER_SEC / (double)p->duration_ns : 0;

	if (!is_job(s)) {
		say_no_job(p, index, out);
		return;
	}
	fprintf(out, "\n[stream%" PRIu32 "]\nrw=%s\n", index + 1, direction(s));
	print_sizes(s, out);
	fprintf(out, "blockalign=%u\n", (unsigned int)PAGE_BYTES);
	fprintf(out, "offset=%" PRIu64 "\nsize=%" PRIu64 "\n", begin,
		(uint64_t)(end * SECTOR_BYTES - begin));
	if (fio_closed_of_stream(p, index, &closed))
		print_closed(&closed, ios, out);
	else
		print_rate(ios, rate, out);
	print_place(s, out);
	flush = writes_per_flush(p, index);
	if (flush)
		fprintf(out, "fdatasync=%" PRIu64 "\n", flush);
}

int profile__to_fio(const struct profile *p, FILE *out)
{
	uint64_t streams = profile_ios_of_streams(p), jobs = 0;

	for (uint32_t i = 0; i < p->stream_count; i++)
		jobs += is_job(&p->streams[i]);
	if (!jobs)
		return -ENODATA;
	fputs("# The nearest job file of fio:  TARGET=/dev/nvme1n1 fio FILE  (it writes when a job "
	      "does)\n"
	      "#\n"
	      "# What fio cannot express and 'blkreel replay' of the profile does:\n"
	      "# - bursts: each job has one mean rate with random (Poisson) gaps, no envelope, no "
	      "peaks;\n"
	      "#   a job of few IOs a second is rounded to whole ones and ends early or late;\n"
	      "# - recency: which blocks come again and how soon (caches see another miss curve);\n"
	      "# - hot zones finer than 5 % of the addresses, sizes rarer than 1 %;\n"
	      "# - sequential runs that begin anew: here one run per job from its offset;\n"
	      "# - which kind of IO follows which, phases, flags (FUA, META, PRIO) and submitters;\n"
	      "# - flushes are tied to the writes of the largest job.\n",
	      out);
	if (p->closed.kind_count)
		fputs("# - think times that differ: each task thinks the mean after each IO, or when all in\n"
		      "#   flight have ended; tasks that come and go, or do several kinds of IO in turn;\n"
		      "# - who waits for whom between tasks, such as a commit for the data before it.\n"
		      "# Jobs have no rate: as in the profile, tasks wait for the device.\n",
		      out);
	fprintf(out,
		"[global]\nioengine=libaio\ndirect=1\nfilename=${TARGET}\niodepth=32\n"
		"norandommap\nrandrepeat=1\nrandseed=%" PRIu64 "\n",
		p->seed);
	if (!p->closed.kind_count)
		fprintf(out, "runtime=%" PRIu64 "\n",
			(uint64_t)(p->duration_ns / NSEC_PER_SEC + 1));
	fputs("group_reporting\n", out);
	for (uint32_t i = 0; i < p->stream_count; i++)
		print_job(p, i, streams, out);
	return fflush(out) || ferror(out) ? -EIO : 0;
}
