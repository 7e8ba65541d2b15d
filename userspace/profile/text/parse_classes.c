// SPDX-License-Identifier: MIT
#include "profile/text/parse_classes.h"

#include "profile/text/parse_table.h"

/* As many values as windows, none above what the window holds. */
static int finish_reads(struct parser *r)
{
	struct profile_arrival *a = &r->p->arrival;
	uint32_t count = *parse_filled(r, SCHEMA_ARRIVAL, "reads", 0, -1);

	a->reads_known = count;
	if (count && count != a->window_count)
		return parse_fail(r, "'reads' has %u values, but must have %u (as 'windows')",
				  count, a->window_count);
	for (uint32_t i = 0; i < count; i++)
		if (a->reads[i] > a->windows[i])
			return parse_fail(r, "'reads': window %u has %llu, but only %llu IOs", i,
					  (unsigned long long)a->reads[i],
					  (unsigned long long)a->windows[i]);
	return 0;
}

/* A size and the IOs of each phase; the second of two is a larger size. */
static int finish_size_class(struct parser *r, unsigned int index)
{
	struct profile_size_class *model = &r->p->arrival.size_classes[index];
	uint32_t count = *parse_filled(r, SCHEMA_ARRIVAL, "size_class", 0, (int)index);
	bool second = index % (PROFILE_SIZE_CLASSES / 2);

	if (!count)
		return 0;
	if (count != r->p->phase_count + 1)
		return parse_fail(
			r,
			"'size_class.%u' has %u values, but must have %u (a size, and the "
			"IOs of each phase)",
			index + 1, count, r->p->phase_count + 1);
	if (!model->above_bytes)
		return parse_fail(r, "'size_class.%u' begins with 0, but must begin with a size",
				  index + 1);
	if (second && !model[-1].above_bytes)
		return parse_fail(r, "'size_class.%u' comes without 'size_class.%u'", index + 1,
				  index);
	if (second && model[-1].above_bytes >= model->above_bytes)
		return parse_fail(r, "'size_class.%u' is of %llu bytes, but must be above %llu",
				  index + 1, (unsigned long long)model->above_bytes,
				  (unsigned long long)model[-1].above_bytes);
	for (uint32_t i = 0; i + 1 < count; i++)
		if (model->phases[i] > PROFILE_IOS_MAX)
			return parse_fail(r, "'size_class.%u': %llu is above %llu", index + 1,
					  (unsigned long long)model->phases[i],
					  (unsigned long long)PROFILE_IOS_MAX);
	return 0;
}

static int finish_class_cap(struct parser *r, unsigned int index)
{
	struct profile_size_class *model = &r->p->arrival.size_classes[index];

	model->cap_known = *parse_filled(r, SCHEMA_ARRIVAL, "class_cap", 0, (int)index);
	if (model->cap_known && !model->above_bytes)
		return parse_fail(r, "'class_cap.%u' comes without 'size_class.%u'", index + 1,
				  index + 1);
	return 0;
}

int parse_classes_finish(struct parser *r, const char **key)
{
	static const char *const keys[PROFILE_SIZE_CLASSES] = {"size_class.1", "size_class.2",
							       "size_class.3", "size_class.4"};
	static const char *const cap_keys[PROFILE_SIZE_CLASSES] = {"class_cap.1", "class_cap.2",
								   "class_cap.3", "class_cap.4"};
	uint32_t correlation;
	int err;

	*key = "reads";
	err = finish_reads(r);
	correlation = *parse_filled(r, SCHEMA_ARRIVAL, "read_write_correlation", 0, -1);
	r->p->arrival.kinds_known = correlation;
	if (!err && correlation && !r->p->arrival.reads_known) {
		*key = "read_write_correlation";
		err = parse_fail(r, "'read_write_correlation' comes without 'reads'");
	}
	if (!err && !correlation && r->kind_filled) {
		*key = "";
		err = parse_fail(
			r,
			"[arrival]: rows of reads and of others come without 'read_write_correlation'");
	}
	for (unsigned int m = 0; m < PROFILE_SIZE_CLASSES && !err; m++) {
		*key = keys[m];
		err = finish_size_class(r, m);
	}
	for (unsigned int m = 0; m < PROFILE_SIZE_CLASSES && !err; m++) {
		*key = cap_keys[m];
		err = finish_class_cap(r, m);
	}
	return err;
}
