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

void engine_result__add_error(struct engine_result *result, enum replay_op op, int error)
{
	for (unsigned int i = 0; i < result->error_kinds; i++) {
		if (result->errors[i].op == op && result->errors[i].error == error) {
			result->errors[i].count++;
			return;
		}
	}
	if (result->error_kinds == ENGINE_ERROR_KINDS) {
		result->errors_of_other_kinds++;
		return;
	}
	result->errors[result->error_kinds++] = (struct engine_error){op, error, 1};
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
