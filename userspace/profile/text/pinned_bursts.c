// SPDX-License-Identifier: MIT
#include "profile/text/pinned_bursts.h"

#include <string.h>

#include "base/units.h"
#include "profile/arrival/class_counts.h"
#include "profile/digits.h"
#include "profile/text/parser.h"

static int take_digits(struct parser *r, const char *digits, uint32_t most, uint32_t *weights,
		       uint32_t *count)
{
	*count = (uint32_t)strlen(digits);
	if (*count > most)
		return parse_fail(r, "'pinned_bursts': '%s' has more than %u digits", digits, most);
	return parse_digits(r, "pinned_bursts", digits, weights);
}

/*
 * "digits", or with those of reads "digits.digits", or with those of large IOs
 * "digits.digits.digits".
 */
static int take_lists(struct parser *r, char *ios, struct parse_burst *burst)
{
	char *reads = strchr(ios, '.'), *above = reads ? strchr(reads + 1, '.') : NULL;
	int err;

	if (above)
		*above++ = 0;
	if (reads)
		*reads++ = 0;
	err = take_digits(r, ios, PROFILE_SPLIT_LEVELS_MAX, burst->digits.ios, &burst->ios_count);
	if (!err && reads)
		err = take_digits(r, reads, PROFILE_SPLIT_LEVELS_MAX, burst->digits.reads,
				  &burst->reads_count);
	if (!err && above)
		err = take_digits(r, above, PROFILE_SIZE_CLASSES, burst->digits.size_classes,
				  &burst->class_count);
	return err;
}

/* "window.bin:lists" */
static int take_burst(struct parser *r, void *context, const char *name, char *token)
{
	struct parse_burst *burst = &r->bursts[r->bursts_filled];
	char *bin = strchr(token, '.'), *digits = bin ? strchr(bin, ':') : NULL;
	uint64_t window_index, bin_index;

	(void)context;
	if (!digits)
		return parse_fail(r, "'%s': '%s' is not window.bin:digits", name, token);
	*bin++ = *digits++ = 0;
	if (r->bursts_filled == PROFILE_PINNED_BURSTS_MAX)
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
	r->bursts_filled++;
	return take_lists(r, digits, burst);
}

WORD_READER(pinned_bursts)
{
	return parse_each_token(r, name, value, take_burst, NULL);
}

/* Places the next burst. */
static int place_burst(struct parser *r, uint64_t window, uint64_t bin)
{
	struct profile_arrival *a = &r->p->arrival;
	struct profile_pinned_burst *burst = &a->pinned_bursts[a->pinned_burst_count];

	if (window >= a->window_count || (a->pinned_burst_count && window <= burst[-1].window))
		return parse_fail(r,
				  "'pinned_bursts': window %llu is not below %u and above that of "
				  "the burst before",
				  (unsigned long long)window, a->window_count);
	if (bin >> a->split_levels)
		return parse_fail(r, "'pinned_bursts': bin %llu is not below 2^%u",
				  (unsigned long long)bin, a->split_levels);
	burst->window = (uint32_t)window;
	burst->bin = (uint32_t)bin;
	a->pinned_burst_count++;
	return 0;
}

static int finish_word(struct parser *r, const struct parse_burst *word)
{
	struct profile_arrival *a = &r->p->arrival;
	int err = place_burst(r, word->window, word->bin);

	if (err)
		return err;
	if (word->ios_count > a->split_levels || word->reads_count > a->split_levels)
		return parse_fail(
			r,
			"'pinned_bursts': window %u has %u digits, but may have %u (split_levels)",
			word->window,
			word->ios_count > a->split_levels ? word->ios_count : word->reads_count,
			a->split_levels);
	if (word->reads_count && !a->kinds_known)
		return parse_fail(
			r,
			"'pinned_bursts': window %u has reads, which come with 'read_write_correlation' only",
			word->window);
	if (word->class_count && !burst_classes_known(a))
		return parse_fail(
			r,
			"'pinned_bursts': window %u has large IOs, which come with 'size_class' only, "
			"and with 'read_write_correlation' or without 'reads'",
			word->window);
	a->pinned_bursts[a->pinned_burst_count - 1].sized = word->class_count;
	burst_from_digits(a, &word->digits, &a->pinned_bursts[a->pinned_burst_count - 1]);
	return 0;
}

int pinned_bursts_check(struct parser *r)
{
	int err = 0;

	parse_at(r, SCHEMA_ARRIVAL, 0, "pinned_bursts");
	for (uint32_t i = 0; i < r->bursts_filled && !err; i++)
		err = finish_word(r, &r->bursts[i]);
	return err;
}

/* Without zeros at the end; how many were written. */
static size_t put_digits(char *text, const uint32_t *digits, uint32_t count)
{
	while (count && !digits[count - 1])
		count--;
	for (uint32_t i = 0; i < count; i++)
		text[i] = digit_of(digits[i]);
	return count;
}

/*
 * " 12.831:Zkq7", with those of reads after a point, and those of large IOs after one more. Returns
 * its end.
 */
static char *put_burst(char *text, const struct profile_arrival *a,
		       const struct profile_pinned_burst *burst)
{
	struct burst_digits digits;
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
