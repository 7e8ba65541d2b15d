// SPDX-License-Identifier: MIT
#include "trace/file/trace_kind.h"

#include <string.h>

#include "trace/format.h"

static bool is_trace(const char *head, size_t bytes)
{
	return bytes >= TRACE_MAGIC_BYTES && !memcmp(head, TRACE_MAGIC, TRACE_MAGIC_BYTES);
}

const struct output_kind trace_kind = {.name = "trace", .is_one = is_trace, .is_private = true};
