// SPDX-License-Identifier: MIT
#include "profile/text/burst_digits.h"

#include "profile/arrival/class_counts.h"
#include "profile/digits.h"

/* So few are not worth their digits. */
#define READS_MIN    4
#define LARGE_OF_MIN 8

/* An interval around the burst as the text tells it, from the window down. */
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

static struct level window_of(const struct profile_arrival *a,
			      const struct profile_pinned_burst *burst)
{
	return (struct level){
		.ios = a->windows[burst->window],
		.reads = a->kinds_known ? a->reads[burst->window] : 0,
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

/*
 * Of how many IOs of the neighbourhood a size class is a part. Without kinds_known either all IOs
 * are reads or none.
 */
static uint64_t whole_of(const struct profile_arrival *a, const struct profile_pinned_burst *told,
			 unsigned int which)
{
	uint32_t level = burst_neighbourhood_level(a->split_levels) - 1;

	if (which % COUNTS_OF_OP)
		return told->size_classes[which - 1];
	if (!a->kinds_known)
		return told->ios[level];
	return which < COUNTS_OF_OP ? told->reads[level] : told->ios[level] - told->reads[level];
}

void burst_to_digits(const struct profile_arrival *a, const struct profile_pinned_burst *burst,
		     struct burst_digits *digits)
{
	struct level whole = window_of(a, burst);
	struct profile_pinned_burst told = {0};

	*digits = (struct burst_digits){0};
	for (uint32_t i = 0; i < a->split_levels; i++) {
		struct level half;

		digits->ios[i] = digit_for(whole.ios, burst->ios[i]);
		half = half_for(&whole, digits->ios[i], digit_for(whole.reads, burst->reads[i]));
		/*
		 * From the numbers as the text tells them, so that reading and writing give the
		 * same text.
		 */
		if (a->kinds_known && half.reads >= READS_MIN)
			digits->reads[i] = digit_for(whole.reads, half.reads);
		whole = half_for(&whole, digits->ios[i], digits->reads[i]);
		told.ios[i] = whole.ios;
		told.reads[i] = whole.reads;
	}
	for (unsigned int m = 0; m < PROFILE_SIZE_CLASSES && burst->sized; m++) {
		uint64_t of = whole_of(a, &told, m);

		if (of >= LARGE_OF_MIN)
			digits->size_classes[m] = digit_for(of, burst->size_classes[m]);
		told.size_classes[m] = part_for(of, digits->size_classes[m]);
	}
}

void burst_from_digits(const struct profile_arrival *a, const struct burst_digits *digits,
		       struct profile_pinned_burst *burst)
{
	struct level whole = window_of(a, burst);

	for (uint32_t i = 0; i < a->split_levels; i++) {
		whole = half_for(&whole, digits->ios[i], digits->reads[i]);
		burst->ios[i] = whole.ios;
		burst->reads[i] = whole.reads;
	}
	for (unsigned int m = 0; m < PROFILE_SIZE_CLASSES && burst->sized; m++)
		burst->size_classes[m] = part_for(whole_of(a, burst, m), digits->size_classes[m]);
}
