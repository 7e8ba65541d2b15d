/* SPDX-License-Identifier: MIT */
/* What explain and report do with a trace besides reading it. */
#ifndef BLKREEL_COMMANDS_SHARED_EXPLAINED_TRACE_H
#define BLKREEL_COMMANDS_SHARED_EXPLAINED_TRACE_H

#include "base/options.h"
#include "explain/figures/explanation.h"
#include "trace/file/reader.h"

/* The row of an option table for the size of the page cache that cmd_explain_what_if() takes. */
#define CACHE_SIZE_OPTION(config_type, field)                        \
	OPTION(config_type, field, 0, "cache-size", BYTES, "SIZE",   \
	       "show what half, twice and four times this size of\n" \
	       "the page cache would have changed (default: the\n"   \
	       "most that was cached during the recording)",         \
	       .min = 4096)

/*
 * Whether a trace has the devices that a user wants; all of its devices are known only after it was
 * read. Prints one line and returns an exit code if it has not.
 */
int cmd_explain_check_devices(const struct command_usage *usage, const struct trace_reader *reader,
			      const struct option_list *wanted, const char *path);

/*
 * Makes *duration_ns at least the length of the trace, which bins of time must cover; a trace that
 * cannot be read twice or has no end does not tell it. Prints one line and returns an exit code.
 */
int cmd_trace_duration(const char *path, uint64_t *duration_ns);

/*
 * Adds what another size of the page cache would have changed, if accesses were recorded. Reads the
 * rows again, because the present size (`cache_bytes`, or 0: as recorded) is known only at their
 * end; what cannot be read twice goes without. Prints one line and returns an exit code.
 */
int cmd_explain_what_if(const char *path, const struct trace_reader *whole, uint64_t cache_bytes,
			struct explanation *x);

#endif
