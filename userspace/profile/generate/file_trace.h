/* SPDX-License-Identifier: MIT */
/* The operations that a profile of files stands for, as a trace. */
#ifndef BLKREEL_PROFILE_GENERATE_FILE_TRACE_H
#define BLKREEL_PROFILE_GENERATE_FILE_TRACE_H

#include <signal.h>

#include "profile/profile.h"
#include "trace/file/writer.h"

struct file_trace_options {
	uint64_t seed;
	uint64_t count;			   /* operations, at most */
	uint64_t duration_ns;		   /* 0: that of the profile */
	const volatile sig_atomic_t *stop; /* not 0: end with -EINTR; NULL: never */
};

/* The head of a generated trace, of requests too, for the one who creates the writer. */
extern const struct trace_host file_trace_host;

/* A task for each stream: id from 1. 0 or negative errno. */
int file_trace__add_streams(const struct profile *p, struct trace_writer *writer);

/* Writes the trace and closes the writer, also after an error. 0 or negative errno. */
int file_trace__write(const struct profile *p, const struct file_trace_options *options,
		      struct trace_writer *writer);

#endif
