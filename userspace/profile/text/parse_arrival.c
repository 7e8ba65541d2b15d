// SPDX-License-Identifier: MIT
#include "profile/text/parse_arrival.h"

#include <errno.h>
#include <string.h>

#include "base/units.h"
#include "profile/text/parse_bursts.h"
#include "profile/text/parse_classes.h"
#include "profile/text/parse_table.h"

int parse_arrival_key(struct parser *r, const char *section, const char *name, const char *value)
{
	r->kind_filled |= !strncmp(name, "split.o.", 8) || !strncmp(name, "split.r.", 8);
	if (!strcmp(name, "sizes_check"))
		return parse_fill(r,
				  (struct target){&r->checks.sizes, false, false, 0, 1, 0,
						  UINT32_MAX, &r->sizes_check_filled},
				  name, value);
	if (!strcmp(name, "pinned_bursts"))
		return parse_bursts_key(r, value);
	return parse_table(r, SCHEMA_ARRIVAL, 0, section, name, value);
}

/* At least two values, none below the one before. */
static int finish_within(struct parser *r, char key[16], unsigned int octave)
{
	const uint32_t *values = r->p->arrival.gap_within[octave];
	uint32_t count = *parse_filled(r, SCHEMA_ARRIVAL, "gap_within", 0, (int)octave);

	snprintf(key, 16, "gap_within.%u", octave);
	r->p->arrival.gap_within_count[octave] = count;
	if (count == 1)
		return parse_fail(r, "'%s' has 1 value, but must have at least 2", key);
	for (uint32_t i = 1; i < count; i++)
		if (values[i] < values[i - 1])
			return parse_fail(r, "'%s': %u comes after %u, but the values must rise",
					  key, values[i], values[i - 1]);
	return 0;
}

int parse_arrival_finish(struct parser *r, const char **key)
{
	struct profile_arrival *a = &r->p->arrival;
	uint32_t caps = *parse_filled(r, SCHEMA_ARRIVAL, "peak_cap", 0, -1);
	int err = 0;

	a->window_count = *parse_filled(r, SCHEMA_ARRIVAL, "windows", 0, -1);
	err = parse_classes_finish(r, key);
	if (err)
		return err;
	*key = "peak_cap";
	if (caps && caps != a->split_levels)
		return parse_fail(r, "'peak_cap' has %u values, but must have %u (split_levels)",
				  caps, a->split_levels);
	err = parse_bursts_finish(r, key);
	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES && !err; o++) {
		err = finish_within(r, r->within_key, o);
		*key = r->within_key;
	}
	return err;
}
