#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "render/profile.h"
#include "render/profile_closed.h"

#define BAR_WIDTH    40
#define CHART_WIDTH  60
#define CHART_HEIGHT 6
#define SIZE_GROUPS  24 /* powers of two from 512 B */

static void bar(double share, FILE *out)
{
	int length = (int)(share * BAR_WIDTH + 0.5);

	if (share > 0)
		fputs("  ", out);
	for (int i = 0; i < length && i < BAR_WIDTH; i++)
		fputc('#', out);
	if (!length && share > 0)
		fputc('.', out);
	fputc('\n', out);
}

static void row(const char *label, double share, FILE *out)
{
	fprintf(out, "    %-14s %6.2f %%", label, 100 * share);
	bar(share, out);
}

static double all_ios(const struct profile *p)
{
	double sum = 0;

	for (uint32_t i = 0; i < p->stream_count; i++)
		sum += (double)p->streams[i].ios;
	return sum > 0 ? sum : 1;
}

static void draw_mix(const struct profile *p, FILE *out)
{
	double ops[IO_OP_COUNT] = {0}, sequential = 0;

	for (uint32_t i = 0; i < p->stream_count; i++) {
		ops[p->streams[i].op] += (double)p->streams[i].ios;
		sequential += p->streams[i].sequential ? (double)p->streams[i].ios : 0;
	}
	fprintf(out, "\n  Mix\n");
	for (unsigned int op = 0; op < IO_OP_COUNT; op++)
		if (ops[op] > 0)
			row(io_op_name((enum io_op)op), ops[op] / all_ios(p), out);
	row("sequential", sequential / all_ios(p), out);
}

/* 0: up to 512 bytes; g: above 2^(8+g), up to 2^(9+g). */
static unsigned int size_group(uint64_t bytes)
{
	unsigned int group = 0;

	while (group < SIZE_GROUPS - 1 && bytes > 512ull << group)
		group++;
	return group;
}

static void draw_sizes(const struct profile *p, FILE *out)
{
	double groups[SIZE_GROUPS] = {0};
	char label[UNITS_TEXT_MAX];

	for (uint32_t i = 0; i < p->stream_count; i++) {
		const struct profile_stream *s = &p->streams[i];
		double sum = 0;

		for (uint32_t j = 0; j < s->size_count; j++)
			sum += (double)s->sizes[j].ios;
		for (uint32_t j = 0; j < s->size_count; j++)
			if (s->sizes[j].bytes)
				groups[size_group(s->sizes[j].bytes)] +=
					(double)s->ios * (double)s->sizes[j].ios / sum;
	}
	fprintf(out, "\n  Sizes, up to\n");
	for (unsigned int g = 0; g < SIZE_GROUPS; g++)
		if (groups[g] > 0)
			row(units_bytes(512ull << g, label), groups[g] / all_ios(p), out);
}

/* The busiest of the windows of each column, so that no peak is hidden. */
static void draw_arrivals(const struct profile *p, FILE *out)
{
	const struct profile_arrival *a = &p->arrival;
	uint32_t width = a->window_count < CHART_WIDTH ? a->window_count : CHART_WIDTH;
	uint64_t columns[CHART_WIDTH] = {0}, most = 1;
	double window_s = (double)p->duration_ns / (double)a->window_count / NSEC_PER_SEC;
	char label[UNITS_TEXT_MAX];

	for (uint32_t i = 0; i < a->window_count; i++) {
		uint64_t *column = &columns[(uint64_t)i * width / a->window_count];

		*column = a->windows[i] > *column ? a->windows[i] : *column;
		most = *column > most ? *column : most;
	}
	fprintf(out, "\n  Arrivals, IOs a second (the busiest window of each column)\n");
	for (unsigned int line = CHART_HEIGHT; line; line--) {
		double level = (double)most * line / CHART_HEIGHT;

		fprintf(out, "  %9.0f |", window_s > 0 ? level / window_s : level);
		for (uint32_t i = 0; i < width; i++) {
			double lower = (double)most * (line - 1) / CHART_HEIGHT;

			fputc((double)columns[i] >= (lower + level) / 2 ? '#'
			      : (double)columns[i] > lower		? '.'
									: ' ',
			      out);
		}
		fprintf(out, "|\n");
	}
	units_time(p->duration_ns, label);
	/* The end stands below the last column, where there is room for a blank between it and the 0. */
	if (width <= strlen(label))
		width = (uint32_t)strlen(label) + 1;
	fprintf(out, "  %9s 0%*s\n", "", (int)width, label);
}

/* Where blocks are touched the first time: what is new to a cache. */
static void draw_heat(const struct profile *p, FILE *out)
{
	static const char ramp[] = " .:-=+*#%@";
	double zones[PROFILE_ZONES] = {0}, most = 0;
	char begin[UNITS_TEXT_MAX], end[UNITS_TEXT_MAX];

	for (uint32_t i = 0; i < p->stream_count; i++) {
		const struct profile_stream *s = &p->streams[i];
		double sum = 0;

		for (unsigned int z = 0; z < PROFILE_ZONES; z++)
			sum += s->zones[z];
		for (unsigned int z = 0; z < PROFILE_ZONES && sum > 0 && !s->space; z++)
			zones[z] += (double)s->ios * s->zones[z] / sum;
	}
	for (unsigned int z = 0; z < PROFILE_ZONES; z++)
		most = zones[z] > most ? zones[z] : most;
	if (most <= 0)
		return;
	fprintf(out,
		"\n  Addresses, where IOs begin on blocks that are new (square root, %c is most)\n    |",
		ramp[sizeof(ramp) - 2]);
	for (unsigned int z = 0; z < PROFILE_ZONES; z++)
		fputc(ramp[(unsigned int)(sqrt(zones[z] / most) * (sizeof(ramp) - 2) + 0.999)],
		      out);
	fprintf(out, "|\n    %-32s%34s\n", units_bytes(p->first_sector * SECTOR_BYTES, begin),
		units_bytes(p->end_sector * SECTOR_BYTES, end));
}

/* Misses of an LRU cache of so many blocks, by the table of distances. */
static double miss_ratio(const struct profile_space *s, unsigned int octave)
{
	double hits = 0, sum = 0;

	for (unsigned int i = 0; i < PROFILE_DISTANCES; i++) {
		sum += s->distances[i];
		hits += i && (i - 1) / 4 < octave ? s->distances[i] : 0;
	}
	return sum > 0 ? 1 - hits / sum : 0;
}

static void draw_reuse(const struct profile *p, FILE *out)
{
	const struct profile_space *s = &p->spaces[0];
	char label[UNITS_TEXT_MAX];
	uint64_t blocks = 0;

	for (uint32_t i = 0; i < p->phase_count; i++)
		blocks += s->new_blocks[i];
	if (!blocks)
		return;
	fprintf(out, "\n  Misses of a cache of (footprint %s)\n",
		units_bytes(blocks * PAGE_BYTES, label));
	for (unsigned int octave = 4; octave < PROFILE_REUSE_BINS; octave += 2) {
		row(units_bytes(PAGE_BYTES << octave, label), miss_ratio(s, octave), out);
		if (1ull << octave >= blocks)
			break;
	}
}

void render_profile_drawing(const struct profile *p, FILE *out)
{
	if (!p->ios || !p->arrival.window_count)
		return;
	draw_mix(p, out);
	draw_sizes(p, out);
	draw_arrivals(p, out);
	draw_heat(p, out);
	draw_reuse(p, out);
	render_profile_closed(p, out);
}
