// SPDX-License-Identifier: MIT
#include "profile/text/parse_closed.h"

#include <errno.h>
#include <string.h>

#include "base/units.h"
#include "profile/text/parse_table.h"

int parse_tasks_key(struct parser *r, const char *section, const char *name, const char *value)
{
	struct profile_closed *c = &r->p->closed;
	uint64_t number;
	uint32_t kind, kernel;
	int err;

	if (units_parse_count(section + 6, 1, CLOSED_TASKS_MAX, &number) ||
	    number > c->kind_count + 1ull)
		return parse_fail(
			r, "[%.40s]: kinds of tasks are numbered from 1 without a hole, up to %d",
			section, CLOSED_TASKS_MAX);
	kind = (uint32_t)number - 1;
	if (number > c->kind_count)
		c->kind_count = (uint32_t)number;
	if (strcmp(name, "kernel"))
		return parse_table(r, SCHEMA_TASKS, kind, section, name, value);
	kernel = c->kinds[kind].kernel;
	err = parse_fill(
		r, (struct target){&kernel, false, false, 0, 1, 0, 1, &r->kernel_filled[kind]},
		name, value);
	c->kinds[kind].kernel = kernel;
	return err;
}

int parse_closed_key(struct parser *r, const char *section, const char *name, const char *value)
{
	return parse_table(r, SCHEMA_CLOSED, 0, section, name, value);
}

static int check_kind(struct parser *r, uint32_t kind, struct profile_place *place)
{
	const struct closed_tasks *t = &r->p->closed.kinds[kind];

	snprintf(place->section, sizeof(place->section), "tasks %u", kind + 1);
	if (!t->tasks || !*parse_filled(r, SCHEMA_TASKS, "streams", kind, -1)) {
		snprintf(r->message, PROFILE_MESSAGE_MAX, "[tasks %u] must have tasks and streams",
			 kind + 1);
		return -EINVAL;
	}
	for (uint32_t s = r->p->stream_count; s < PROFILE_STREAMS_MAX; s++) {
		if (!t->streams[s])
			continue;
		snprintf(place->key, sizeof(place->key), "streams");
		snprintf(r->message, PROFILE_MESSAGE_MAX,
			 "[tasks %u]: 'streams' names stream %u, but there are only %u", kind + 1,
			 s + 1, r->p->stream_count);
		return -EINVAL;
	}
	return 0;
}

int parse_closed_finish(struct parser *r, struct profile_place *place)
{
	struct profile_closed *c = &r->p->closed;
	bool latency = false;
	int err = 0;

	*place = (struct profile_place){.section = "closed"};
	for (unsigned int i = 0; i < CLOSED_OPS * CLOSED_SIZES; i++)
		latency = latency || c->latency_ns[i / CLOSED_SIZES][i % CLOSED_SIZES].count;
	if (c->kind_count && !latency) {
		snprintf(r->message, PROFILE_MESSAGE_MAX,
			 "[tasks 1] needs a [closed] with at least one latency.OP.BYTES");
		snprintf(place->section, sizeof(place->section), "tasks 1");
		return -EINVAL;
	}
	for (uint32_t i = 0; i < c->kind_count && !err; i++)
		err = check_kind(r, i, place);
	return err;
}
