#include <errno.h>
#include <string.h>

#include "base/units.h"
#include "profile/keys.h"
#include "profile/parse.h"

static int split_key(struct parser *r, const char *section, const char *name, const char *value)
{
	const char *dot = strchr(name + 6, '.');
	char group_text[8] = "";
	int group, row;

	if (!dot || (size_t)(dot - name - 6) >= sizeof(group_text))
		return parse_unknown_key(r, section, name);
	memcpy(group_text, name + 6, (size_t)(dot - name - 6));
	group = parse_row_index(group_text, NULL, PROFILE_SPLIT_GROUPS);
	row = parse_row_index(dot + 1, split_row_names, PROFILE_SPLIT_CLASSES);
	if (group < 0 || row < 0)
		return parse_unknown_key(r, section, name);
	return parse_fill(r,
			  (struct target){r->p->arrival.splits[group][row], false, false, 0,
					  PROFILE_SPLIT_BINS, 0, PROFILE_WEIGHT_MAX,
					  &r->split_filled[group][row]},
			  name, value);
}

/* "reads" or "reads.IOS.SHARE" */
static int reads_key(struct parser *r, const char *section, const char *name, const char *value)
{
	const char *dot = name[5] ? strchr(name + 6, '.') : NULL;
	char ios_text[8] = "";
	int ios, row;

	if (!name[5])
		return parse_fill(r,
				  (struct target){r->p->arrival.reads, true, false, 0,
						  PROFILE_WINDOWS_MAX, 0, PROFILE_IOS_MAX,
						  &r->reads_filled},
				  name, value);
	if (!dot || (size_t)(dot - name - 6) >= sizeof(ios_text))
		return parse_unknown_key(r, section, name);
	memcpy(ios_text, name + 6, (size_t)(dot - name - 6));
	ios = parse_row_index(ios_text, share_row_names, PROFILE_SHARE_IOS);
	row = parse_row_index(dot + 1, NULL, PROFILE_SHARE_SHARES);
	if (ios < 0 || row < 0)
		return parse_unknown_key(r, section, name);
	row += ios * PROFILE_SHARE_SHARES;
	return parse_fill(r,
			  (struct target){r->p->arrival.read_shares[row], false, false, 0,
					  PROFILE_SHARE_BINS, 0, PROFILE_WEIGHT_MAX,
					  &r->share_filled[row]},
			  name, value);
}

/* The tables of gaps. */
static int gap_key(struct parser *r, const char *section, const char *name, const char *value)
{
	struct profile_arrival *a = &r->p->arrival;
	const struct {
		const char *prefix;
		const unsigned int *rows;
		unsigned int row_count;
		uint32_t *numbers;
		bool sparse;
		unsigned int count;
		uint32_t *filled;
	} tables[] = {
		{"gap.", gap_row_names, PROFILE_GAP_CLASSES, a->gaps[0], true, PROFILE_GAP_OCTAVES,
		 r->gap_filled},
		{"enter.", enter_row_names, PROFILE_GAP_CLASSES, a->enters[0], true,
		 PROFILE_GAP_OCTAVES, r->enter_filled},
		{"step.", NULL, PROFILE_GAP_OCTAVES, a->gap_steps[0], false, PROFILE_GAP_STEPS,
		 r->step_filled},
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		size_t length = strlen(tables[i].prefix);
		int row;

		if (strncmp(name, tables[i].prefix, length))
			continue;
		row = parse_row_index(name + length, tables[i].rows, tables[i].row_count);
		if (row < 0)
			break;
		return parse_fill(r,
				  (struct target){tables[i].numbers + (size_t)row * tables[i].count,
						  false, tables[i].sparse, 0, tables[i].count,
						  tables[i].sparse ? 1 : 0, PROFILE_WEIGHT_MAX,
						  &tables[i].filled[row]},
				  name, value);
	}
	return parse_unknown_key(r, section, name);
}

static int within_key(struct parser *r, const char *section, const char *name, const char *value)
{
	int row = parse_row_index(name + 7, NULL, PROFILE_GAP_OCTAVES);

	if (row < 0)
		return parse_unknown_key(r, section, name);
	return parse_fill(r,
			  (struct target){r->p->arrival.within[row], false, false, 0,
					  PROFILE_WITHIN_MAX, 0, PROFILE_WITHIN_PARTS - 1,
					  &r->within_filled[row]},
			  name, value);
}

int parse_arrival_key(struct parser *r, const char *section, const char *name, const char *value)
{
	struct profile_arrival *a = &r->p->arrival;
	int row;

	if (!strcmp(name, "windows"))
		return parse_fill(r,
				  (struct target){a->windows, true, false, 0, PROFILE_WINDOWS_MAX,
						  0, PROFILE_IOS_MAX, &r->windows_filled},
				  name, value);
	if (!strcmp(name, "reads") || !strncmp(name, "reads.", 6))
		return reads_key(r, section, name, value);
	if (!strcmp(name, "halvings"))
		return parse_fill(r,
				  (struct target){&a->halvings, false, false, 0, 1, 0,
						  PROFILE_HALVINGS_MAX, &r->halvings_filled},
				  name, value);
	if (!strcmp(name, "most"))
		return parse_fill(r,
				  (struct target){a->most, true, false, 0, PROFILE_HALVINGS_MAX, 0,
						  PROFILE_IOS_MAX, &r->most_filled},
				  name, value);
	if (!strcmp(name, "span_permille"))
		return parse_fill(r,
				  (struct target){a->span_permille, false, false, 0,
						  PROFILE_GAP_CLASSES, 0, 1000, &r->span_filled},
				  name, value);
	if (!strcmp(name, "gaps"))
		return parse_fill(r,
				  (struct target){a->all_gaps, false, true, 0, PROFILE_GAP_OCTAVES,
						  1, PROFILE_WEIGHT_MAX, &r->all_gaps_filled},
				  name, value);
	if (!strncmp(name, "burst.", 6)) {
		row = parse_row_index(name + 6, burst_row_names, PROFILE_BURSTS_MAX);
		if (row >= 0)
			return parse_fill(r,
					  (struct target){r->bursts[row], true, false, 0,
							  PROFILE_HALVINGS_MAX + 2, 0,
							  PROFILE_IOS_MAX, &r->burst_filled[row]},
					  name, value);
	}
	if (!strncmp(name, "split.", 6))
		return split_key(r, section, name, value);
	if (!strncmp(name, "lean.", 5)) {
		row = parse_row_index(name + 5, NULL, PROFILE_SPLIT_GROUPS);
		if (row >= 0)
			return parse_fill(r,
					  (struct target){a->lean_permille[row], false, false, 0,
							  PROFILE_LEAN_BINS, 0, 1000,
							  &r->lean_filled[row]},
					  name, value);
	}
	if (!strncmp(name, "within.", 7))
		return within_key(r, section, name, value);
	return gap_key(r, section, name, value);
}

/* One line of a burst: where it is, and that it fits into the window it is in. */
static int finish_burst(struct parser *r, unsigned int row)
{
	struct profile_arrival *a = &r->p->arrival;
	const uint64_t *numbers = r->bursts[row];
	struct profile_burst *burst = &a->bursts[row];
	uint64_t most;

	if (r->burst_filled[row] != a->halvings + 2)
		return parse_fail(r, "'burst.%u' has %u values, but must have %u (halvings + 2)",
				  row + 1, r->burst_filled[row], a->halvings + 2);
	if (numbers[0] >= a->window_count || (row && numbers[0] <= burst[-1].window))
		return parse_fail(r,
				  "'burst.%u': window %llu is not below %u and above that of the "
				  "burst before",
				  row + 1, (unsigned long long)numbers[0], a->window_count);
	if (numbers[1] >> a->halvings)
		return parse_fail(r, "'burst.%u': leaf %llu is not below 2^%u", row + 1,
				  (unsigned long long)numbers[1], a->halvings);
	burst->window = (uint32_t)numbers[0];
	burst->leaf = (uint32_t)numbers[1];
	most = a->windows[burst->window];
	for (uint32_t i = 0; i < a->halvings; i++) {
		if (numbers[i + 2] > most)
			return parse_fail(r,
					  "'burst.%u': %llu IOs do not fit into an interval of "
					  "%llu",
					  row + 1, (unsigned long long)numbers[i + 2],
					  (unsigned long long)most);
		burst->ios[i] = most = numbers[i + 2];
	}
	return 0;
}

/* At least two values, none below the one before. */
static int finish_within(struct parser *r, char key[16], unsigned int octave)
{
	const uint32_t *values = r->p->arrival.within[octave];
	uint32_t count = r->within_filled[octave];

	snprintf(key, 16, "within.%u", octave);
	r->p->arrival.within_count[octave] = count;
	if (count == 1)
		return parse_fail(r, "'%s' has 1 value, but must have at least 2", key);
	for (uint32_t i = 1; i < count; i++)
		if (values[i] < values[i - 1])
			return parse_fail(r, "'%s': %u comes after %u, but the values must rise",
					  key, values[i], values[i - 1]);
	return 0;
}

/* As many values as windows, none above what the window holds. */
static int finish_reads(struct parser *r)
{
	struct profile_arrival *a = &r->p->arrival;

	a->reads_known = r->reads_filled;
	if (r->reads_filled && r->reads_filled != a->window_count)
		return parse_fail(r, "'reads' has %u values, but must have %u (as 'windows')",
				  r->reads_filled, a->window_count);
	for (uint32_t i = 0; i < r->reads_filled; i++)
		if (a->reads[i] > a->windows[i])
			return parse_fail(r, "'reads': window %u has %llu, but only %llu IOs", i,
					  (unsigned long long)a->reads[i],
					  (unsigned long long)a->windows[i]);
	return 0;
}

int parse_arrival_finish(struct parser *r, const char **key)
{
	static const char *const keys[PROFILE_BURSTS_MAX] = {"burst.1", "burst.2", "burst.3",
							     "burst.4", "burst.5", "burst.6",
							     "burst.7", "burst.8"};
	struct profile_arrival *a = &r->p->arrival;
	int err = 0;

	a->window_count = r->windows_filled;
	*key = "reads";
	err = finish_reads(r);
	if (err)
		return err;
	*key = "most";
	if (r->most_filled && r->most_filled != a->halvings)
		return parse_fail(r, "'most' has %u values, but must have %u (halvings)",
				  r->most_filled, a->halvings);
	while (a->burst_count < PROFILE_BURSTS_MAX && r->burst_filled[a->burst_count] && !err) {
		*key = keys[a->burst_count];
		err = finish_burst(r, a->burst_count);
		if (!err)
			a->burst_count++;
	}
	for (unsigned int i = a->burst_count; i < PROFILE_BURSTS_MAX && !err; i++) {
		*key = keys[i];
		if (r->burst_filled[i])
			err = parse_fail(r, "'%s' comes without the bursts before it", keys[i]);
	}
	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES && !err; o++) {
		err = finish_within(r, r->within_key, o);
		*key = r->within_key;
	}
	return err;
}
