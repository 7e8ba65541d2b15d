// SPDX-License-Identifier: MIT
#include "profile/text/parse_bursts.h"

#include <string.h>

#include "base/units.h"
#include "profile/arrival/class_counts.h"

static const unsigned int key_rows[PARSE_BURST_KEYS] = {1, 2, 3, 4, 5, 6, 7, 8};
static const char *const keys[PARSE_BURST_KEYS] = {
	"pinned_burst.1", "pinned_burst.2", "pinned_burst.3", "pinned_burst.4",
	"pinned_burst.5", "pinned_burst.6", "pinned_burst.7", "pinned_burst.8"};

int parse_burst_key(struct parser *r, const char *section, const char *name, const char *value)
{
	int row = parse_row_index(name + 13, key_rows, PARSE_BURST_KEYS);

	if (row < 0)
		return parse_unknown_key(r, section, name);
	return parse_fill(r,
			  (struct target){r->burst_numbers[row], true, false, 0,
					  2 * PROFILE_SPLIT_LEVELS_MAX + 2, 0, PROFILE_IOS_MAX,
					  &r->burst_filled[row]},
			  name, value);
}

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

int parse_bursts_key(struct parser *r, const char *value)
{
	if (!*value)
		return parse_fail(r, "'pinned_bursts' has no value");
	return parse_once(r, "pinned_bursts", r->bursts_filled)
		       ?: parse_each_token(r, "pinned_bursts", value, take_burst, NULL);
}

/* Places the next burst. */
static int place_burst(struct parser *r, const char *key, uint64_t window, uint64_t bin)
{
	struct profile_arrival *a = &r->p->arrival;
	struct profile_pinned_burst *burst = &a->pinned_bursts[a->pinned_burst_count];

	if (window >= a->window_count || (a->pinned_burst_count && window <= burst[-1].window))
		return parse_fail(r,
				  "'%s': window %llu is not below %u and above that of the burst "
				  "before",
				  key, (unsigned long long)window, a->window_count);
	if (bin >> a->split_levels)
		return parse_fail(r, "'%s': bin %llu is not below 2^%u", key,
				  (unsigned long long)bin, a->split_levels);
	burst->window = (uint32_t)window;
	burst->bin = (uint32_t)bin;
	a->pinned_burst_count++;
	return 0;
}

/* One line of a burst: its place, and counts that fit into the window. */
static int finish_key(struct parser *r, const char *key, const uint64_t *numbers, uint32_t count)
{
	struct profile_arrival *a = &r->p->arrival;
	struct profile_pinned_burst *burst = &a->pinned_bursts[a->pinned_burst_count];
	uint64_t most;
	int err;

	if (a->kinds_known ? count < a->split_levels + 2 || count > 2 * a->split_levels + 2
			   : count != a->split_levels + 2)
		return parse_fail(r, "'%s' has %u values, but must have %u (split_levels + 2)", key,
				  count, a->split_levels + 2);
	err = place_burst(r, key, numbers[0], numbers[1]);
	if (err)
		return err;
	most = a->windows[burst->window];
	for (uint32_t i = 0; i < a->split_levels; i++) {
		if (numbers[i + 2] > most)
			return parse_fail(r, "'%s': %llu IOs do not fit into an interval of %llu",
					  key, (unsigned long long)numbers[i + 2],
					  (unsigned long long)most);
		burst->ios[i] = most = numbers[i + 2];
	}
	for (uint32_t i = 0; a->kinds_known && i < a->split_levels; i++) {
		burst->reads[i] = numbers[i + 2 + a->split_levels];
		if (burst->reads[i] > burst->ios[i])
			return parse_fail(r, "'%s': %llu reads are more than the %llu IOs", key,
					  (unsigned long long)burst->reads[i],
					  (unsigned long long)burst->ios[i]);
	}
	return 0;
}

static int finish_word(struct parser *r, const struct parse_burst *word)
{
	struct profile_arrival *a = &r->p->arrival;
	int err = place_burst(r, "pinned_bursts", word->window, word->bin);

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

int parse_bursts_finish(struct parser *r, const char **key)
{
	bool ended = r->bursts_filled;
	int err = 0;

	*key = "pinned_bursts";
	for (uint32_t i = 0; i < r->bursts_filled && !err; i++)
		err = finish_word(r, &r->bursts[i]);
	for (uint32_t i = 0; i < PARSE_BURST_KEYS && !err; i++) {
		*key = keys[i];
		if (!r->burst_filled[i])
			ended = true;
		else if (r->bursts_filled)
			err = parse_fail(
				r, "'%s' and 'pinned_bursts' are two forms of one list: keep one",
				keys[i]);
		else if (ended)
			err = parse_fail(r, "'%s' comes without the bursts before it", keys[i]);
		else
			err = finish_key(r, keys[i], r->burst_numbers[i], r->burst_filled[i]);
	}
	return err;
}
