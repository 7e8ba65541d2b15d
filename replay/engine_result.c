#include "replay/engine_result.h"

#include <stddef.h>
#include <string.h>

void engine_result__init(struct engine_result *result)
{
	memset(result, 0, sizeof(*result));
	for (unsigned int op = 0; op < REPLAY_OP_COUNT; op++) {
		histogram_init(&result->ops[op].intended_ns);
		histogram_init(&result->ops[op].submitted_ns);
	}
	histogram_init(&result->lateness_ns);
}

static void add_error(struct engine_result *result, enum replay_op op, int error, uint64_t count)
{
	for (unsigned int i = 0; i < result->error_kinds; i++) {
		if (result->errors[i].op == op && result->errors[i].error == error) {
			result->errors[i].count += count;
			return;
		}
	}
	if (result->error_kinds == ENGINE_ERROR_KINDS) {
		result->errors_of_other_kinds += count;
		return;
	}
	result->errors[result->error_kinds++] = (struct engine_error){op, error, count};
}

void engine_result__add_error(struct engine_result *result, enum replay_op op, int error)
{
	add_error(result, op, error, 1);
}

static void add_errors(struct engine_result *into, const struct engine_result *from)
{
	for (unsigned int i = 0; i < from->error_kinds; i++) {
		const struct engine_error *error = &from->errors[i];

		add_error(into, error->op, error->error, error->count);
	}
	into->errors_of_other_kinds += from->errors_of_other_kinds;
}

void engine_result__merge(struct engine_result *into, const struct engine_result *from)
{
	for (unsigned int op = 0; op < REPLAY_OP_COUNT; op++) {
		into->ops[op].issued += from->ops[op].issued;
		into->ops[op].completed += from->ops[op].completed;
		into->ops[op].errors += from->ops[op].errors;
		into->ops[op].bytes += from->ops[op].bytes;
		histogram_merge(&into->ops[op].intended_ns, &from->ops[op].intended_ns);
		histogram_merge(&into->ops[op].submitted_ns, &from->ops[op].submitted_ns);
	}
	histogram_merge(&into->lateness_ns, &from->lateness_ns);
	add_errors(into, from);
	into->preflushes += from->preflushes;
	into->held_back += from->held_back;
	into->ordered += from->ordered;
	into->starved += from->starved;
	into->blocking_discards += from->blocking_discards;
	into->user_ns += from->user_ns;
	into->system_ns += from->system_ns;
	into->ramp_ios += from->ramp_ios;
	into->ramp_bytes += from->ramp_bytes;
	into->stopped |= from->stopped;
	into->stopped_at_error |= from->stopped_at_error;
	into->registered &= from->registered;
	if (from->highest_depth > into->highest_depth)
		into->highest_depth = from->highest_depth;
	if (from->duration_ns > into->duration_ns)
		into->duration_ns = from->duration_ns;
	if (from->last_due_ns > into->last_due_ns)
		into->last_due_ns = from->last_due_ns;
}

static uint64_t sum(const struct engine_result *r, size_t field_offset)
{
	uint64_t total = 0;

	for (unsigned int op = 0; op < REPLAY_OP_COUNT; op++)
		total += *(const uint64_t *)((const char *)&r->ops[op] + field_offset);
	return total;
}

uint64_t engine_result__issued(const struct engine_result *r)
{
	return sum(r, offsetof(struct engine_op_result, issued));
}

uint64_t engine_result__completed(const struct engine_result *r)
{
	return sum(r, offsetof(struct engine_op_result, completed));
}

uint64_t engine_result__errors(const struct engine_result *r)
{
	return sum(r, offsetof(struct engine_op_result, errors));
}

uint64_t engine_result__bytes(const struct engine_result *r)
{
	return r->ops[REPLAY_READ].bytes + r->ops[REPLAY_WRITE].bytes;
}
