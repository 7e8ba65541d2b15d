// SPDX-License-Identifier: MIT
#include "render/profile/text_places.h"

#include <inttypes.h>
#include <math.h>

#include "base/units.h"

#define BAR_WIDTH    40
#define HEAT_WIDTH   PROFILE_ZONES
#define FIRST_OCTAVE 4 /* 64 KiB */
#define SPACES_LINE  6 /* that fit side by side */

void render_profile_bar(const char *label, double share, FILE *out)
{
	int length = (int)(share * BAR_WIDTH + 0.5);

	fprintf(out, "    %-14s %6.2f %%", label, 100 * share);
	if (share > 0)
		fputs("  ", out);
	for (int i = 0; i < length && i < BAR_WIDTH; i++)
		fputc('#', out);
	if (!length && share > 0)
		fputc('.', out);
	fputc('\n', out);
}

/* Adds `weight` to the columns of the whole that [from, to), parts of it, lies in. */
static void spread(double *columns, double from, double to, double weight)
{
	for (unsigned int c = (unsigned int)(from * HEAT_WIDTH); c < HEAT_WIDTH; c++) {
		double begin = fmax(from, (double)c / HEAT_WIDTH);
		double end = fmin(to, (double)(c + 1) / HEAT_WIDTH);

		if (begin >= to)
			break;
		columns[c] += weight * (end - begin) / (to - from);
	}
}

/* Where the new blocks of `ios` IOs of a stream lie. */
static void add_zones(const struct profile *p, const struct profile_stream *s, double ios,
		      double *columns)
{
	const struct profile_space *space = &p->spaces[s->space];
	double sectors = (double)(p->end_sector - p->first_sector), from = 0, to = 1, sum = 0;

	if (space->end_sector) {
		from = (double)(space->first_sector - p->first_sector) / sectors;
		to = (double)(space->end_sector - p->first_sector) / sectors;
	}
	for (unsigned int z = 0; z < PROFILE_ZONES; z++)
		sum += s->zones[z];
	for (unsigned int z = 0; z < PROFILE_ZONES && sum > 0; z++)
		if (s->zones[z])
			spread(columns, from + (to - from) * z / PROFILE_ZONES,
			       from + (to - from) * (z + 1) / PROFILE_ZONES,
			       ios * s->zones[z] / sum);
}

static void add_stream(const struct profile *p, const struct profile_stream *s, double *columns)
{
	uint64_t ios = 0;

	for (uint32_t phase = 0; phase < p->phase_count; phase++)
		ios += s->phases[phase];
	add_zones(p, s, (double)(ios ? ios : s->ios), columns);
}

void render_profile_heat(const struct profile *p, FILE *out)
{
	static const char ramp[] = " .:-=+*#%@";
	double columns[HEAT_WIDTH] = {0}, most = 0;
	char begin[UNITS_TEXT_MAX], end[UNITS_TEXT_MAX];

	if (p->end_sector <= p->first_sector)
		return;
	for (uint32_t i = 0; i < p->stream_count; i++)
		add_stream(p, &p->streams[i], columns);
	for (unsigned int c = 0; c < HEAT_WIDTH; c++)
		most = fmax(most, columns[c]);
	if (most <= 0)
		return;
	fprintf(out,
		"\n  Addresses, where IOs begin on blocks that are new (square root, %c is most)\n    |",
		ramp[sizeof(ramp) - 2]);
	for (unsigned int c = 0; c < HEAT_WIDTH; c++)
		fputc(ramp[(unsigned int)(sqrt(columns[c] / most) * (sizeof(ramp) - 2) + 0.999)],
		      out);
	fprintf(out, "|\n    %-32s%34s\n", units_bytes(p->first_sector * SECTOR_BYTES, begin),
		units_bytes(p->end_sector * SECTOR_BYTES, end));
}

static uint64_t new_blocks(const struct profile *p, uint32_t space)
{
	uint64_t blocks = 0;

	for (uint32_t i = 0; i < p->phase_count; i++)
		blocks += p->spaces[space].new_blocks[i];
	return blocks;
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

static void one_space(const struct profile *p, uint32_t space, FILE *out)
{
	uint64_t blocks = new_blocks(p, space);
	char label[UNITS_TEXT_MAX];

	fprintf(out, "\n  Misses of a cache of (footprint %s)\n",
		units_bytes(blocks * PAGE_BYTES, label));
	for (unsigned int octave = FIRST_OCTAVE; octave < PROFILE_REUSE_OCTAVES; octave += 2) {
		render_profile_bar(units_bytes(PAGE_BYTES << octave, label),
				   miss_ratio(&p->spaces[space], octave), out);
		if (1ull << octave >= blocks)
			break;
	}
}

/* Side by side: what they would miss of a cache that they share is not said. */
static void several_spaces(const struct profile *p, const uint32_t *spaces, uint32_t count,
			   FILE *out)
{
	char label[UNITS_TEXT_MAX];
	uint64_t most = 0;

	fprintf(out, "    %-14s", "[addresses N]");
	for (uint32_t i = 0; i < count; i++)
		fprintf(out, " %9" PRIu32, spaces[i] + 1);
	fprintf(out, "\n    %-14s", "footprint");
	for (uint32_t i = 0; i < count; i++) {
		uint64_t blocks = new_blocks(p, spaces[i]);

		most = blocks > most ? blocks : most;
		fprintf(out, " %9s", units_bytes(blocks * PAGE_BYTES, label));
	}
	for (unsigned int octave = FIRST_OCTAVE; octave < PROFILE_REUSE_OCTAVES; octave += 2) {
		fprintf(out, "\n    %-14s", units_bytes(PAGE_BYTES << octave, label));
		for (uint32_t i = 0; i < count; i++)
			fprintf(out, " %7.2f %%", 100 * miss_ratio(&p->spaces[spaces[i]], octave));
		if (1ull << octave >= most)
			break;
	}
	fputc('\n', out);
}

void render_profile_misses(const struct profile *p, FILE *out)
{
	uint32_t spaces[PROFILE_SPACES_MAX], count = 0;

	for (uint32_t i = 0; i < PROFILE_SPACES_MAX; i++)
		if (new_blocks(p, i))
			spaces[count++] = i;
	if (count == 1)
		one_space(p, spaces[0], out);
	if (count < 2)
		return;
	fprintf(out, "\n  Misses of a cache that each part of the addresses has for itself\n");
	for (uint32_t i = 0; i < count; i += SPACES_LINE)
		several_spaces(p, spaces + i, count - i < SPACES_LINE ? count - i : SPACES_LINE,
			       out);
}
