// SPDX-License-Identifier: MIT
#include "profile/text/burst_digits.h"

#include "profile/arrival/burst_marks.h"
#include "profile/digits.h"

/* Fewer are not worth their digits. */
#define READS_MIN    4
#define LARGE_OF_MIN 8

/* An interval around the burst as it is told, from the window down. */
struct level {
	uint64_t ios, reads;
};

static uint64_t part_for(uint64_t whole, uint32_t digit)
{
	return (whole * digit + DIGIT_MAX / 2) / DIGIT_MAX;
}

static uint32_t digit_for(uint64_t whole, uint64_t part)
{
	if (part >= whole)
		return whole ? DIGIT_MAX : 0;
	return (uint32_t)((part * DIGIT_MAX + whole / 2) / whole);
}

static struct level window_of(const struct profile_arrival *a, const struct profile_burst *burst)
{
	return (struct level){
		.ios = a->windows[burst->window],
		.reads = a->halves_known ? a->reads[burst->window] : 0,
	};
}

/* Reads that leave neither more others than there are nor fewer than none. */
static uint64_t reads_between(const struct level *whole, uint64_t ios, uint64_t reads)
{
	uint64_t others = whole->ios - whole->reads, least = ios > others ? ios - others : 0;

	if (reads < least)
		return least;
	return reads < ios ? reads : ios;
}

static struct level half_for(const struct level *whole, uint32_t ios, uint32_t reads)
{
	struct level half = {.ios = part_for(whole->ios, ios)};

	half.reads = reads_between(whole, half.ios, part_for(whole->reads, reads));
	return half;
}

/* Of how many of the crowd a mark is a part; without halves_known either all read or none. */
static uint64_t larger_of(const struct profile_arrival *a, const struct profile_burst *told,
			  unsigned int mark)
{
	uint32_t crowd = burst_crowd_halvings(a->halvings) - 1;

	if (mark % MARKS_OTHERS)
		return told->larger[mark - 1];
	if (!a->halves_known)
		return told->ios[crowd];
	return mark < MARKS_OTHERS ? told->reads[crowd] : told->ios[crowd] - told->reads[crowd];
}

void burst_to_digits(const struct profile_arrival *a, const struct profile_burst *burst,
		     struct burst_digits *digits)
{
	struct level whole = window_of(a, burst);
	struct profile_burst told = {0};

	*digits = (struct burst_digits){0};
	for (uint32_t i = 0; i < a->halvings; i++) {
		struct level half;

		digits->ios[i] = digit_for(whole.ios, burst->ios[i]);
		half = half_for(&whole, digits->ios[i], digit_for(whole.reads, burst->reads[i]));
		/* Of what is told, so that the same text is written of what was read from it. */
		if (a->halves_known && half.reads >= READS_MIN)
			digits->reads[i] = digit_for(whole.reads, half.reads);
		whole = half_for(&whole, digits->ios[i], digits->reads[i]);
		told.ios[i] = whole.ios;
		told.reads[i] = whole.reads;
	}
	for (unsigned int m = 0; m < PROFILE_LARGER && burst->sized; m++) {
		uint64_t of = larger_of(a, &told, m);

		if (of >= LARGE_OF_MIN)
			digits->larger[m] = digit_for(of, burst->larger[m]);
		told.larger[m] = part_for(of, digits->larger[m]);
	}
}

void burst_from_digits(const struct profile_arrival *a, const struct burst_digits *digits,
		       struct profile_burst *burst)
{
	struct level whole = window_of(a, burst);

	for (uint32_t i = 0; i < a->halvings; i++) {
		whole = half_for(&whole, digits->ios[i], digits->reads[i]);
		burst->ios[i] = whole.ios;
		burst->reads[i] = whole.reads;
	}
	for (unsigned int m = 0; m < PROFILE_LARGER && burst->sized; m++)
		burst->larger[m] = part_for(larger_of(a, burst, m), digits->larger[m]);
}
