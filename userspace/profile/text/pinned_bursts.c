// SPDX-License-Identifier: MIT
#include "profile/text/pinned_bursts.h"

#include <errno.h>
#include <string.h>

#include "base/units.h"
#include "profile/arrival/class_counts.h"
#include "profile/weights.h"

/* So few are not worth their digits. */
#define READS_MIN    4
#define LARGE_OF_MIN 8

/* An interval around the burst as the text tells it, from the window down. */
struct level {
	uint64_t ios, reads;
};

static uint64_t part_for(uint64_t whole, uint64_t digit)
{
	return (whole * digit + DIGIT_MAX / 2) / DIGIT_MAX;
}

static uint64_t digit_for(uint64_t whole, uint64_t part)
{
	if (part >= whole)
		return whole ? DIGIT_MAX : 0;
	return (part * DIGIT_MAX + whole / 2) / whole;
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

static struct level half_for(const struct level *whole, uint64_t ios, uint64_t reads)
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
		     struct profile_pinned_burst *digits)
{
	struct level whole = window_of(a, burst);
	struct profile_pinned_burst told = {0};

	*digits = (struct profile_pinned_burst){0};
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

void burst_from_digits(const struct profile_arrival *a, const struct profile_pinned_burst *digits,
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

/* Text ---------------------------------------------------------------------------------------- */

static int take_digits(struct parser *r, const char *text, uint32_t most, uint64_t *digits)
{
	uint32_t weights[PROFILE_SPLIT_LEVELS_MAX] = {0};

	if (strlen(text) > most)
		return parse_fail(r, "'pinned_bursts': '%s' has more than %u digits", text, most);
	if (parse_digits(r, "pinned_bursts", text, weights))
		return -EINVAL;
	for (uint32_t i = 0; i < most; i++)
		digits[i] = weights[i];
	return 0;
}

/*
 * "digits", or with those of reads "digits.digits", or with those of large IOs
 * "digits.digits.digits".
 */
static int take_lists(struct parser *r, char *ios, struct profile_pinned_burst *burst)
{
	char *reads = strchr(ios, '.'), *above = reads ? strchr(reads + 1, '.') : NULL;
	int err;

	if (above)
		*above++ = 0;
	if (reads)
		*reads++ = 0;
	err = take_digits(r, ios, PROFILE_SPLIT_LEVELS_MAX, burst->ios);
	if (!err && reads)
		err = take_digits(r, reads, PROFILE_SPLIT_LEVELS_MAX, burst->reads);
	burst->sized = above && *above;
	return err || !above ? err
			     : take_digits(r, above, PROFILE_SIZE_CLASSES, burst->size_classes);
}

/* "window.bin:lists" */
static int take_burst(struct parser *r, void *context, const char *name, char *token)
{
	struct profile_arrival *a = &r->p->arrival;
	struct profile_pinned_burst *burst = &a->pinned_bursts[a->pinned_burst_count];
	char *bin = strchr(token, '.'), *digits = bin ? strchr(bin, ':') : NULL;
	uint64_t window_index, bin_index;

	if (!digits)
		return parse_fail(r, "'%s': '%s' is not window.bin:digits", name, token);
	*bin++ = *digits++ = 0;
	if (a->pinned_burst_count == PROFILE_PINNED_BURSTS_MAX)
		return parse_fail(r, "'%s' has more than %u moments", name,
				  PROFILE_PINNED_BURSTS_MAX);
	if (units_parse_count(token, 0, PROFILE_WINDOWS_MAX - 1, &window_index))
		return parse_fail(r, "'%s': '%s' is not a window from 0 to %u", name, token,
				  PROFILE_WINDOWS_MAX - 1);
	if (units_parse_count(bin, 0, (1u << PROFILE_SPLIT_LEVELS_MAX) - 1, &bin_index))
		return parse_fail(r, "'%s': '%s' is not a bin from 0 to %u", name, bin,
				  (1u << PROFILE_SPLIT_LEVELS_MAX) - 1);
	burst->window = (uint32_t)window_index;
	burst->bin = (uint32_t)bin_index;
	a->pinned_burst_count++;
	return take_lists(r, digits, burst);
}

WORD_READER(pinned_bursts)
{
	return parse_each_token(r, name, value, take_burst, NULL);
}

static bool any_from(const uint64_t *digits, uint32_t from)
{
	return sum_of_counts(digits + from, PROFILE_SPLIT_LEVELS_MAX - from);
}

static int check_burst(struct parser *r, const struct profile_pinned_burst *burst, bool is_first)
{
	const struct profile_arrival *a = &r->p->arrival;

	if (burst->window >= a->window_count || (!is_first && burst->window <= burst[-1].window))
		return parse_fail(r,
				  "'pinned_bursts': window %u is not below %u and above that of "
				  "the burst before",
				  burst->window, a->window_count);
	if (burst->bin >> a->split_levels)
		return parse_fail(r, "'pinned_bursts': bin %u is not below 2^%u", burst->bin,
				  a->split_levels);
	if (any_from(burst->ios, a->split_levels) || any_from(burst->reads, a->split_levels))
		return parse_fail(
			r, "'pinned_bursts': window %u has more than %u digits (split_levels)",
			burst->window, a->split_levels);
	if (any_from(burst->reads, 0) && !a->kinds_known)
		return parse_fail(
			r,
			"'pinned_bursts': window %u has reads, which come with 'read_write_correlation' only",
			burst->window);
	if (burst->sized && !burst_classes_known(a))
		return parse_fail(
			r,
			"'pinned_bursts': window %u has large IOs, which come with 'size_class' only, "
			"and with 'read_write_correlation' or without 'reads'",
			burst->window);
	return 0;
}

int pinned_bursts_check(struct parser *r)
{
	struct profile_arrival *a = &r->p->arrival;
	int err = 0;

	parse_at(r, SCHEMA_ARRIVAL, 0, "pinned_bursts");
	for (uint32_t i = 0; i < a->pinned_burst_count && !err; i++)
		err = check_burst(r, &a->pinned_bursts[i], !i);
	for (uint32_t i = 0; i < a->pinned_burst_count && !err; i++)
		burst_from_digits(a, &a->pinned_bursts[i], &a->pinned_bursts[i]);
	return err;
}

/* Without zeros at the end; how many were written. */
static size_t put_digits(char *text, const uint64_t *digits, uint32_t count)
{
	while (count && !digits[count - 1])
		count--;
	for (uint32_t i = 0; i < count; i++)
		text[i] = digit_of((uint32_t)digits[i]);
	return count;
}

/*
 * " 12.831:Zkq7", with those of reads after a point, and those of large IOs after one more. Returns
 * its end.
 */
static char *put_burst(char *text, const struct profile_arrival *a,
		       const struct profile_pinned_burst *burst)
{
	struct profile_pinned_burst digits;
	size_t reads, above;

	burst_to_digits(a, burst, &digits);
	text += sprintf(text, " %u.%u:", burst->window, burst->bin);
	text += put_digits(text, digits.ios, a->split_levels);
	reads = put_digits(text + 1, digits.reads, a->split_levels);
	if (reads || burst->sized) {
		text[0] = '.';
		text += 1 + reads;
	}
	if (burst->sized) {
		above = put_digits(text + 1, digits.size_classes, PROFILE_SIZE_CLASSES);
		text[0] = '.';
		text[1] = above ? text[1] : '0';
		text += above ? 1 + above : 2;
	}
	*text = 0;
	return text;
}

WORD_WRITER(pinned_bursts)
{
	const struct profile_arrival *a = &p->arrival;

	for (uint32_t i = 0; i < a->pinned_burst_count && a->split_levels; i++)
		text = put_burst(text, a, &a->pinned_bursts[i]);
}
