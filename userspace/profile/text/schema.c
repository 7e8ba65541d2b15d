// SPDX-License-Identifier: MIT
#include "profile/text/schema.h"

#include <string.h>

#include "profile/classes.h"

const struct schema_name schema_names[SCHEMA_SECTIONS] = {
	[SCHEMA_PROFILE] = {"profile", true, 0, 0, NULL},
	[SCHEMA_ERROR] = {"error", true, 0, 0, NULL},
	[SCHEMA_FILES] = {"files", true, 0, 0, NULL},
	[SCHEMA_ARRIVAL] = {"arrival", true, 0, 0, NULL},
	[SCHEMA_ADDRESSES] = {"addresses", true, 2, PROFILE_SPACES_MAX, NULL},
	[SCHEMA_STREAM] = {"stream", false, 1, PROFILE_STREAMS_MAX, "streams"},
	[SCHEMA_CLOSED] = {"closed", true, 0, 0, NULL},
	[SCHEMA_TASKS] = {"tasks", false, 1, CLOSED_TASKS_MAX, "kinds of tasks"},
};

const struct schema_row *schema_row(enum schema_section section, const char *key, bool labelled)
{
	const struct schema_row *row = schema_rows;

	while (row->section != section || labelled != (row->labels.count > 0) ||
	       strcmp(row->key, key))
		row++;
	return row;
}

void *schema_table(const struct schema_row *row, struct profile *p, uint32_t instance,
		   uint32_t label)
{
	char *object = row->section == SCHEMA_ARRIVAL	  ? (char *)&p->arrival
		       : row->section == SCHEMA_ADDRESSES ? (char *)&p->spaces[instance]
		       : row->section == SCHEMA_STREAM	  ? (char *)&p->streams[instance]
		       : row->section == SCHEMA_CLOSED	  ? (char *)&p->closed
		       : row->section == SCHEMA_TASKS	  ? (char *)&p->closed.kinds[instance]
							  : (char *)p;

	return object + row->at + label * row->labels.stride;
}

const char *schema_key(const struct schema_row *row, uint32_t label, char text[48])
{
	if (row->labels.count)
		snprintf(text, 48, "%s.%u", row->key,
			 row->labels.names ? row->labels.names[label] : row->labels.first + label);
	else
		snprintf(text, 48, "%s", row->key);
	return text;
}

uint32_t schema_extent(const struct schema_row *row, const struct profile *p)
{
	switch (row->extent) {
	case SCHEMA_WINDOWS:
		return p->arrival.window_count;
	case SCHEMA_PHASES:
		return p->phase_count;
	case SCHEMA_SIZE_AND_PHASES:
		return 1 + p->phase_count;
	case SCHEMA_LEVELS:
		return p->arrival.split_levels;
	case SCHEMA_CORRELATIONS:
		return (p->arrival.split_levels + NEIGHBOUR_LEVELS - 1) / NEIGHBOUR_LEVELS;
	default:
		return row->count;
	}
}

void schema_change_weights(struct profile *p, enum schema_section section, uint32_t instance,
			   void (*change)(uint32_t *weights, unsigned int count, uint32_t most),
			   uint32_t most)
{
	for (const struct schema_row *row = schema_rows; row->key; row++) {
		if (row->section != section || !row->weights)
			continue;
		for (uint32_t label = 0; label == 0 || label < row->labels.count; label++) {
			uint32_t *weights = schema_table(row, p, instance, label);

			for (uint32_t i = 0; i == 0 || i < row->row_count; i++)
				change(weights + (size_t)i * row->count, row->count, most);
		}
	}
}
