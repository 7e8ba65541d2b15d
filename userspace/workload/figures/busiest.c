// SPDX-License-Identifier: MIT
#include "workload/figures/busiest.h"

#include <math.h>

#include "base/units.h"

#define WINDOW_NS (10 * NSEC_PER_MSEC)
#define SHARE	  10 /* one IO in ten */

static unsigned int bucket_of(uint64_t ios)
{
	unsigned int bits = ios ? 64u - (unsigned int)__builtin_clzll(ios) : 0;

	return bits < 3 ? (unsigned int)ios : 4 * bits + (unsigned int)(ios >> (bits - 3) & 3);
}

static void close_window(struct busiest *b)
{
	b->ios[bucket_of(b->window_ios)] += b->window_ios;
	b->reads[bucket_of(b->window_ios)] += b->window_reads;
	b->window_ios = 0;
	b->window_reads = 0;
}

void busiest_add(struct busiest *b, uint64_t time_ns, bool is_read, uint64_t bytes)
{
	if (time_ns / WINDOW_NS != b->window) {
		close_window(b);
		b->window = time_ns / WINDOW_NS;
	}
	if (time_ns / NSEC_PER_SEC != b->second) {
		b->squares += (double)b->second_bytes * (double)b->second_bytes;
		b->bytes += (double)b->second_bytes;
		b->second = time_ns / NSEC_PER_SEC;
		b->second_bytes = 0;
	}
	b->window_ios++;
	b->window_reads += is_read;
	b->second_bytes += bytes;
	b->all_bytes += (double)bytes;
	b->io_squares += (double)bytes * (double)bytes;
}

double busiest_reads_pct(struct busiest *b)
{
	uint64_t all = 0;
	double left, wanted, reads = 0;

	close_window(b);
	for (unsigned int i = 0; i < BUSIEST_BUCKETS; i++)
		all += b->ios[i];
	left = wanted = (double)all / SHARE;
	for (unsigned int i = BUSIEST_BUCKETS; i-- && left > 0;) {
		double taken = (double)b->ios[i] < left ? (double)b->ios[i] : left;

		if (!b->ios[i])
			continue;
		reads += (double)b->reads[i] * taken / (double)b->ios[i];
		left -= taken;
	}
	return wanted > 0 ? 100 * reads / wanted : NAN;
}

double busiest_io_bytes(const struct busiest *b)
{
	return b->all_bytes > 0 ? b->io_squares / b->all_bytes : 0;
}

double busiest_bytes_idc(const struct busiest *b, uint64_t seconds)
{
	double squares = b->squares, bytes = b->bytes, mean;

	if (seconds < 2)
		return NAN;
	if (b->second < seconds) {
		squares += (double)b->second_bytes * (double)b->second_bytes;
		bytes += (double)b->second_bytes;
	}
	mean = bytes / (double)seconds;
	return mean > 0 ? (squares / (double)seconds - mean * mean) / mean / busiest_io_bytes(b)
			: NAN;
}
