// SPDX-License-Identifier: MIT
#include "profile/text/edits.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "profile/arithmetic.h"

#define APART_PART 200 /* of the IOs of an op: so few are what coarser sizes may have moved */
#define CLASSES	   (PROFILE_SIZE_CLASSES / 2)

#define FNV_START 2166136261u
#define FNV_PRIME 16777619u

static uint32_t fnv(uint32_t sum, uint32_t value)
{
	for (unsigned int i = 0; i < 4; i++, value >>= 8)
		sum = (sum ^ (value & 0xff)) * FNV_PRIME;
	return sum;
}

uint32_t edits_sizes_check(const struct profile *p)
{
	uint32_t sum = FNV_START;

	for (uint32_t s = 0; s < p->stream_count; s++)
		for (uint32_t i = 0; i < p->streams[s].size_count; i++) {
			const struct profile_size *size = &p->streams[s].sizes[i];

			sum = fnv(sum, s);
			sum = fnv(sum, (uint32_t)(size->bytes ^ size->bytes >> 32));
			sum = fnv(sum, (uint32_t)(size->ios ^ size->ios >> 32));
		}
	return sum;
}

uint32_t edits_reuse_check(const struct profile *p, uint32_t space)
{
	uint32_t sum = FNV_START;

	for (uint32_t s = 0; s < p->stream_count; s++)
		for (unsigned int size = 0; size < PROFILE_REUSE_SIZES; size++)
			for (unsigned int o = 0; o < PROFILE_REUSE_OCTAVES; o++)
				if (p->streams[s].space == space && p->streams[s].reuse[size][o]) {
					sum = fnv(sum, s);
					sum = fnv(sum, size * PROFILE_REUSE_OCTAVES + o);
					sum = fnv(sum, p->streams[s].reuse[size][o]);
				}
	return sum;
}

static __attribute__((format(printf, 2, 3))) void say(struct profile *p, const char *format, ...)
{
	size_t used = strlen(p->edits);
	va_list args;

	if (used && used + 2 < sizeof(p->edits)) {
		memcpy(p->edits + used, "; ", 3);
		used += 2;
	}
	va_start(args, format);
	vsnprintf(p->edits + used, sizeof(p->edits) - used, format, args);
	va_end(args);
}

/* IOs of an op, and of these above a size, as `ios` and `sizes` of the streams say. */
static double ios_above(const struct profile *p, bool reads, uint64_t bytes, double *ios)
{
	double above = 0;

	*ios = 0;
	for (uint32_t i = 0; i < p->stream_count; i++) {
		const struct profile_stream *s = &p->streams[i];
		double part = 0, all = (double)profile_ios_of_sizes(s);

		if ((s->op == IO_OP_READ) != reads)
			continue;
		for (uint32_t j = 0; j < s->size_count; j++)
			part += s->sizes[j].bytes > bytes ? (double)s->sizes[j].ios : 0;
		*ios += (double)s->ios;
		above += all > 0 ? part / all * (double)s->ios : 0;
	}
	return above;
}

static void leave_out_classes(struct profile_arrival *a, unsigned int first)
{
	memset(&a->size_classes[first], 0, CLASSES * sizeof(a->size_classes[0]));
	for (uint32_t i = 0; i < a->pinned_burst_count; i++) {
		struct profile_pinned_burst *burst = &a->pinned_bursts[i];

		memset(&burst->size_classes[first], 0, CLASSES * sizeof(burst->size_classes[0]));
		burst->sized &=
			a->size_classes[0].above_bytes || a->size_classes[CLASSES].above_bytes;
	}
}

/* The size class that is apart from `sizes`; -1: none is. */
static int class_apart(const struct profile *p, unsigned int first, double *in_sizes,
		       uint64_t *in_class)
{
	for (unsigned int m = first; m < first + CLASSES; m++) {
		const struct profile_size_class *class = &p->arrival.size_classes[m];
		double ios;

		if (!class->above_bytes)
			continue;
		*in_class = sum_of_counts(class->phases, p->phase_count);
		*in_sizes = ios_above(p, !first, class->above_bytes, &ios);
		if (fabs(*in_sizes - (double)*in_class) > ios / APART_PART + 1)
			return (int)m;
	}
	return -1;
}

static void sizes_win(struct profile *p, bool reads)
{
	unsigned int first = reads ? 0 : CLASSES;
	uint64_t in_class = 0;
	double in_sizes = 0;
	int m = class_apart(p, first, &in_sizes, &in_class);

	if (m < 0)
		return;
	say(p,
	    "'sizes' of %s have %.0f IOs above %" PRIu64 " bytes, but size_class.%d has %" PRIu64
	    ": 'sizes' are taken, size_class.%u and .%u are left out (change them, too, and large "
	    "IOs come together)",
	    reads ? "reads" : "others", in_sizes, p->arrival.size_classes[m].above_bytes, m + 1,
	    in_class, first + 1, first + 2);
	leave_out_classes(&p->arrival, first);
}

static void reuse_wins(struct profile *p, uint32_t space)
{
	struct profile_space *s = &p->spaces[space];
	char number[16] = "";

	memset(s->new_blocks, 0, sizeof(s->new_blocks));
	memset(s->distances, 0, sizeof(s->distances));
	memset(s->written_permille, 0, sizeof(s->written_permille));
	s->written_known = false;
	if (space)
		snprintf(number, sizeof(number), " %" PRIu32, space + 1);
	say(p,
	    "'reuse' was edited: it is taken, 'new_blocks', 'new_written_permille' and 'distances' of "
	    "[addresses%s] are left out (remove 'reuse_check' to take them, too)",
	    number);
}

void edits_win(struct profile *p)
{
	if (p->arrival.sizes_check_known && p->arrival.sizes_check != edits_sizes_check(p)) {
		sizes_win(p, true);
		sizes_win(p, false);
	}
	for (uint32_t i = 0; i < PROFILE_SPACES_MAX; i++) {
		struct profile_space *space = &p->spaces[i];

		if (space->reuse_check_known && space->reuse_check != edits_reuse_check(p, i))
			reuse_wins(p, i);
		space->reuse_check_known = false;
		space->reuse_check = 0;
	}
}
