// SPDX-License-Identifier: MIT
#include "profile/text/words.h"

#include <inttypes.h>

#include "base/units.h"
#include "profile/arithmetic.h"

void say_duration(const struct profile *p, uint32_t instance, FILE *out)
{
	char time[UNITS_TEXT_MAX];

	fprintf(out, "# %s\n", units_time(p->duration_ns, time));
}

void say_range(const struct profile *p, uint32_t instance, FILE *out)
{
	char size[UNITS_TEXT_MAX];

	fprintf(out, "# addresses lie in %s\n",
		units_bytes((p->end_sector - p->first_sector) * SECTOR_BYTES, size));
}

static const char *window_time(const struct profile *p, char time[UNITS_TEXT_MAX])
{
	return units_time(p->duration_ns / p->arrival.window_count, time);
}

void say_windows(const struct profile *p, uint32_t instance, FILE *out)
{
	uint32_t count = p->arrival.window_count;
	char time[UNITS_TEXT_MAX];

	fprintf(out, "# IOs in each of %" PRIu32 " window%s of %s\n", count, count == 1 ? "" : "s",
		window_time(p, time));
}

void say_period(const struct profile *p, uint32_t instance, FILE *out)
{
	char time[UNITS_TEXT_MAX];

	fprintf(out, "# the arrivals repeat after %s; weights of its parts\n",
		units_time(p->arrival.period_ns, time));
}

bool reads_are_known(const struct profile *p, uint32_t instance, uint32_t label)
{
	return p->arrival.reads_known;
}

bool has_class(const struct profile *p, uint32_t instance, uint32_t class)
{
	return p->arrival.size_classes[class].above_bytes;
}

void say_class_splits(const struct profile *p, uint32_t instance, FILE *out)
{
	if (has_class(p, 0, 0) || has_class(p, 0, PROFILE_SIZE_CLASSES / 2))
		fprintf(out, "# Splits of IOs above one size and above both.\n");
}

bool has_shift(const struct profile *p, uint32_t instance, uint32_t label)
{
	return sum_of_weights(p->arrival.period_shift, PROFILE_PHASES_MAX);
}

bool has_peak_cap(const struct profile *p, uint32_t instance, uint32_t label)
{
	return p->arrival.split_levels && p->arrival.peak_cap[0];
}

void say_pinned_bursts(const struct profile *p, uint32_t instance, FILE *out)
{
	fprintf(out, "# Busiest moments: window.bin, share of each half around it%s%s.\n",
		p->arrival.kinds_known ? ", of its reads" : "",
		p->arrival.pinned_bursts[0].sized ? ", above the sizes" : "");
}

static void say_splits(const struct profile *p, const char *whose, FILE *out)
{
	char time[UNITS_TEXT_MAX];

	fprintf(out, "# %swindows of %s and halves, by IOs\n", whose, window_time(p, time));
}

static void say_columns(FILE *out)
{
	fprintf(out,
		"# Splits from all in one half to even. neighbour: per mille to the busier side.\n");
}

void say_splits_of_others(const struct profile *p, uint32_t instance, FILE *out)
{
	say_columns(out);
	if (p->arrival.kinds_known)
		say_splits(p, "others: ", out);
}

void say_splits_of_reads(const struct profile *p, uint32_t instance, FILE *out)
{
	if (p->arrival.kinds_known)
		say_splits(p, "reads: ", out);
}

void say_splits_of_all(const struct profile *p, uint32_t instance, FILE *out)
{
	if (!p->arrival.kinds_known)
		say_splits(p, "", out);
}

bool has_range(const struct profile *p, uint32_t space, uint32_t label)
{
	return p->spaces[space].end_sector;
}

bool has_distances(const struct profile *p, uint32_t space, uint32_t label)
{
	return sum_of_weights(p->spaces[space].distances, PROFILE_DISTANCES);
}

void say_share(const struct profile *p, uint32_t stream, FILE *out)
{
	fprintf(out, "# %.2f %% of the IOs\n",
		p->ios ? 100.0 * (double)p->streams[stream].ios / (double)p->ios : 0.0);
}

/* Not of a stream that shares by `ios`: its phases would contradict that. */
bool phases_hold_all(const struct profile *p, uint32_t stream, uint32_t label)
{
	const struct profile_stream *s = &p->streams[stream];

	return sum_of_counts(s->phases, p->phase_count) == s->ios;
}
