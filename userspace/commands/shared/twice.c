// SPDX-License-Identifier: MIT
#include "commands/shared/twice.h"

#include "base/log.h"
#include "base/units.h"
#include "trace/streams/twins.h"

void cmd_tell_twice(const struct trace_stream *stream, char *const *paths)
{
	uint64_t ios = trace_stream__twin_ios(stream), shared_ns;
	unsigned int a, b;

	if (ios)
		pr_info("%s that several of the traces hold %s once", COUNTED_TEXT(ios, "IO"),
			ios == 1 ? "counts" : "count");
	shared_ns = trace_stream__shared_ns(stream, &a, &b);
	if (shared_ns)
		pr_warn("%s and %s are of one host and share %s of time, with different times of IOs: "
			"what both recorded counts twice",
			paths[a], paths[b], TIME_TEXT(shared_ns));
}

bool cmd_warn_twice(const char *a_path, const struct trace_reader *a, const char *b_path,
		    const struct trace_reader *b)
{
	uint64_t shared_ns = twins_shared_ns(a, b);

	if (shared_ns)
		pr_warn("%s and %s are of one host and share %s of time: what both recorded counts "
			"twice; 'blkreel copy' makes one trace of them that holds equal rows once",
			a_path, b_path, TIME_TEXT(shared_ns));
	return shared_ns;
}
