// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "render/profile/text.h"
#include "render/profile/text_closed.h"
#include "render/profile/text_places.h"

#define CHART_WIDTH  60
#define CHART_HEIGHT 6
#define DIGITS_MAX   6
#define STEP_LEAST   5	/* between two lines, in their last digit */
#define SIZE_GROUPS  24 /* powers of two from 512 B */

static double all_ios(const struct profile *p)
{
	uint64_t ios = profile_ios_of_streams(p);

	return ios ? (double)ios : 1;
}

/* Of all streams whose op has the name; and whether one of the first `before` has it. */
static double ios_of(const struct profile *p, const char *name, uint32_t before, bool *said)
{
	double sum = 0;

	*said = false;
	for (uint32_t i = 0; i < p->stream_count; i++) {
		if (strcmp(profile_stream_op(p, &p->streams[i]), name) != 0)
			continue;
		*said |= i < before;
		sum += (double)p->streams[i].ios;
	}
	return sum;
}

static void draw_op(const struct profile *p, uint32_t stream, FILE *out)
{
	const char *name = profile_stream_op(p, &p->streams[stream]);
	bool said;
	double ios = ios_of(p, name, stream, &said);

	if (!said && ios > 0)
		render_profile_bar(name, ios / all_ios(p), out);
}

static void draw_mix(const struct profile *p, FILE *out)
{
	double sequential = 0;

	fprintf(out, "\n  Mix\n");
	for (unsigned int op = 0; op < IO_OP_COUNT; op++)
		for (uint32_t i = 0; i < p->stream_count; i++)
			if (p->streams[i].op == op)
				draw_op(p, i, out);
	for (uint32_t i = 0; i < p->stream_count; i++)
		sequential += p->streams[i].sequential ? (double)p->streams[i].ios : 0;
	render_profile_bar("sequential", sequential / all_ios(p), out);
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
		double sum = (double)profile_ios_of_sizes(s);

		for (uint32_t j = 0; j < s->size_count && sum > 0; j++)
			if (s->sizes[j].bytes)
				groups[size_group(s->sizes[j].bytes)] +=
					(double)s->ios * (double)s->sizes[j].ios / sum;
	}
	fprintf(out, "\n  Sizes, up to\n");
	for (unsigned int g = 0; g < SIZE_GROUPS; g++)
		if (groups[g] > 0)
			render_profile_bar(units_bytes(512ull << g, label), groups[g] / all_ios(p),
					   out);
}

/* The busiest of the windows of each column, so that no peak is hidden. */
static void draw_arrivals(const struct profile *p, FILE *out)
{
	const struct profile_arrival *a = &p->arrival;
	uint32_t width = a->window_count < CHART_WIDTH ? a->window_count : CHART_WIDTH;
	uint64_t columns[CHART_WIDTH] = {0}, most = 1;
	double window_s = (double)p->duration_ns / (double)a->window_count / NSEC_PER_SEC;
	int digits = 0;
	char label[UNITS_TEXT_MAX];

	for (uint32_t i = 0; i < a->window_count; i++) {
		uint64_t *column = &columns[(uint64_t)i * width / a->window_count];

		*column = a->windows[i] > *column ? a->windows[i] : *column;
		most = *column > most ? *column : most;
	}
	while (digits < DIGITS_MAX && window_s > 0 &&
	       (double)most / CHART_HEIGHT / window_s * pow(10, digits) < STEP_LEAST)
		digits++;
	fprintf(out, "\n  Arrivals, IOs a second (the busiest window of each column)\n");
	for (unsigned int line = CHART_HEIGHT; line; line--) {
		double level = (double)most * line / CHART_HEIGHT;

		fprintf(out, "  %9.*f |", digits, window_s > 0 ? level / window_s : level);
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
	/*
	 * The end stands below the last column, where there is room for a blank between it and the
	 * 0.
	 */
	if (width <= strlen(label))
		width = (uint32_t)strlen(label) + 1;
	fprintf(out, "  %9s 0%*s\n", "", (int)width, label);
}

void render_profile_drawing(const struct profile *p, FILE *out)
{
	if (!p->ios || !p->arrival.window_count)
		return;
	draw_mix(p, out);
	draw_sizes(p, out);
	draw_arrivals(p, out);
	render_profile_heat(p, out);
	render_profile_misses(p, out);
	render_profile_closed(p, out);
}
