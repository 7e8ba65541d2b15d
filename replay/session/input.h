/* SPDX-License-Identifier: MIT */
/* What a replay plays: a trace or a profile, told apart by their content, or a job file of fio, NAME.fio. */
#ifndef BLKREEL_REPLAY_SESSION_INPUT_H
#define BLKREEL_REPLAY_SESSION_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"
#include "replay/session/failure.h"
#include "replay/source/survey.h"
#include "replay/source/window.h"
#include "trace/file/reader.h"
#include "workload/missing_rows.h"

struct replay_input {
	const char *path;
	struct replay_window window;
	struct trace_reader *reader; /* of a trace, else NULL */
	struct profile *profile;     /* of a profile, else NULL */
	uint64_t seed;
	struct replay_survey survey;
	uint64_t device_bytes; /* size of the recorded device; 0: not known */
	uint64_t zone_bytes;   /* of the recorded device; 0: it has none, or not known */
	char device_name[TRACE_NAME_MAX];
	uint32_t device;       /* of a trace: table id */
	uint64_t first_ns;     /* of a trace: time of due 0 */
	bool torn;	       /* the trace was cut; what is whole is used */
	uint64_t left_out_ios; /* of the parties that the window is without */
	struct missing_rows missing;
};

/*
 * Opens `path` once for each of `source_names`, which name devices of a trace, and puts all of them on one clock: due 0
 * is the first IO of any of them. All are to be closed in any case. 0, or -1 with *failure.
 */
int replay_inputs_open(struct replay_input *inputs, unsigned int count, const char *path,
		       const char *const *source_names, const struct replay_window *window,
		       struct failure *failure);

/*
 * Opens `path` and surveys it. `source_name` names the device of a trace with several, or is NULL; `seed` NULL: the
 * profile's own. To be closed in any case. 0, or -1 with *failure.
 */
int replay_input_open(struct replay_input *input, const char *path, const char *source_name,
		      const uint64_t *seed, const struct replay_window *window,
		      struct failure *failure);

/* The source from its start; to be freed. 0, or -1 with *failure. */
int replay_input_source(struct replay_input *input, struct replay_source **source,
			struct failure *failure);

/* IOs that came too late in the file to be given in order; known after the source has ended. */
uint64_t replay_input_out_of_order(const struct replay_input *input,
				   const struct replay_source *source);

/* Closes the trace, or frees the profile. */
void replay_input_close(struct replay_input *input);

#endif
