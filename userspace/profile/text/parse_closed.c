// SPDX-License-Identifier: MIT
#include "profile/text/parse_closed.h"

#include <errno.h>
#include <string.h>

#include "base/units.h"

#define TASKS_MAX   (1u << 23)
#define TIME_MAX_NS (1ull << 56)
#define ACTIVE_MAX  (1u << 20)

static int fill_times(struct parser *r, struct closed_values *v, uint32_t most, uint32_t *filled,
		      const char *name, const char *value)
{
	int err =
		parse_fill(r, (struct target){v->at, true, false, 0, most, 0, TIME_MAX_NS, filled},
			   name, value);

	v->count = *filled;
	for (uint32_t i = 1; i < v->count && !err; i++)
		if (v->at[i] < v->at[i - 1])
			err = parse_fail(r, "'%s': %llu comes after %llu, but values must rise",
					 name, (unsigned long long)v->at[i],
					 (unsigned long long)v->at[i - 1]);
	return err;
}

/* "latency.read.4096" */
static int latency_key(struct parser *r, const char *section, const char *name, const char *value)
{
	for (unsigned int op = 0; op < CLOSED_OPS; op++) {
		size_t length = strlen(closed_op_name(op));
		uint64_t bytes;

		if (strncmp(name + 8, closed_op_name(op), length) || name[8 + length] != '.' ||
		    units_parse_count(name + 9 + length, 0, UINT32_MAX, &bytes))
			continue;
		for (unsigned int size = 0; size < CLOSED_SIZES; size++)
			if (closed_size_bytes(size) == bytes)
				return fill_times(r, &r->p->closed.latency_ns[op][size],
						  CLOSED_LATENCY_MAX, &r->closed.latency[op][size],
						  name, value);
	}
	return parse_unknown_key(r, section, name);
}

static int kind_key(struct parser *r, uint32_t kind, const char *section, const char *name,
		    const char *value)
{
	struct closed_tasks *t = &r->p->closed.kinds[kind];
	uint64_t number;
	uint32_t kernel = t->kernel;
	int err;

	if (!strcmp(name, "kernel")) {
		err = parse_fill(r,
				 (struct target){&kernel, false, false, 0, 1, 0, 1,
						 &r->closed.kinds[kind].kernel},
				 name, value);
		t->kernel = kernel;
		return err;
	}
	if (!strcmp(name, "think_ns"))
		return fill_times(r, &t->think_ns, CLOSED_VALUES_MAX, &r->closed.kinds[kind].think,
				  name, value);
	if (!strcmp(name, "cycle_ns"))
		return fill_times(r, &t->cycle_ns, CLOSED_VALUES_MAX, &r->closed.kinds[kind].cycle,
				  name, value);
	if (!strcmp(name, "open_gap_ns"))
		return fill_times(r, &t->open_gap_ns, CLOSED_VALUES_MAX,
				  &r->closed.kinds[kind].open_gap, name, value);
	if (!strncmp(name, "completions_awaited.", 20) &&
	    !units_parse_count(name + 20, 1, CLOSED_ROWS, &number))
		return parse_fill(r,
				  (struct target){t->awaited[number - 1], false, true, 0,
						  CLOSED_AWAITED, 1, PROFILE_WEIGHT_MAX,
						  &r->closed.kinds[kind].awaited[number - 1]},
				  name, value);
	return parse_unknown_key(r, section, name);
}

int parse_tasks_key(struct parser *r, const char *section, const char *name, const char *value)
{
	struct profile_closed *c = &r->p->closed;
	uint64_t number;
	uint32_t kind;

	if (units_parse_count(section + 6, 1, CLOSED_TASKS_MAX, &number) ||
	    number > c->kind_count + 1ull)
		return parse_fail(
			r, "[%.40s]: kinds of tasks are numbered from 1 without a hole, up to %d",
			section, CLOSED_TASKS_MAX);
	kind = (uint32_t)number - 1;
	if (number > c->kind_count)
		c->kind_count = (uint32_t)number;
	if (!strcmp(name, "tasks"))
		return parse_fill(r,
				  (struct target){&c->kinds[kind].tasks, true, false, 0, 1, 1,
						  TASKS_MAX, &r->closed.kinds[kind].tasks},
				  name, value);
	if (!strcmp(name, "active"))
		return parse_fill(r,
				  (struct target){c->kinds[kind].active, true, false, 0,
						  PROFILE_PHASES_MAX, 0, ACTIVE_MAX,
						  &r->closed.kinds[kind].active},
				  name, value);
	if (!strcmp(name, "streams"))
		return parse_fill(r,
				  (struct target){c->kinds[kind].streams, false, true, 1,
						  PROFILE_STREAMS_MAX, 1, PROFILE_WEIGHT_MAX,
						  &r->closed.kinds[kind].streams},
				  name, value);
	return kind_key(r, kind, section, name, value);
}

int parse_closed_key(struct parser *r, const char *section, const char *name, const char *value)
{
	struct profile_closed *c = &r->p->closed;

	if (!strcmp(name, "dependent_permille"))
		return parse_fill(r,
				  (struct target){&c->dependent_permille, false, false, 0, 1, 0,
						  1000, &r->closed.permille},
				  name, value);
	if (!strcmp(name, "depth"))
		return parse_fill(r,
				  (struct target){c->depth, false, true, 0, CLOSED_DEPTHS, 1,
						  PROFILE_WEIGHT_MAX, &r->closed.depth},
				  name, value);
	if (!strncmp(name, "latency.", 8))
		return latency_key(r, section, name, value);
	return parse_unknown_key(r, section, name);
}

static int check_kind(struct parser *r, uint32_t kind, struct profile_place *place)
{
	const struct closed_tasks *t = &r->p->closed.kinds[kind];

	snprintf(place->section, sizeof(place->section), "tasks %u", kind + 1);
	if (!t->tasks || !r->closed.kinds[kind].streams) {
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
