/* What stands at the head of a recording: the host, and how each figure was got. */
#ifndef BLKREEL_COLLECTOR_RECORDING_HEAD_H
#define BLKREEL_COLLECTOR_RECORDING_HEAD_H

#include "collector/recording.h"
#include "trace/writer.h"

/* The clocks are read now. */
void recording_head__fill(struct trace_host *host, const struct recording_options *options);

/* The tiers of this kernel, and one more when not everything is recorded. 0 or negative errno. */
int recording_head__add_tiers(const struct recording_options *options, struct trace_writer *writer);

/* Says why the trace at `path` could not be created, and what helps. */
void recording_head__create_error(const char *path, int err, char message[COLLECTOR_MESSAGE_MAX]);

#endif
