/* SPDX-License-Identifier: MIT */
/* What replay plays: a trace or a profile, told apart by content. */
#ifndef BLKREEL_COMMANDS_REPLAY_INPUT_H
#define BLKREEL_COMMANDS_REPLAY_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"
#include "replay/source/survey.h"
#include "replay/source/window.h"
#include "trace/file/reader.h"

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
	uint32_t device;   /* of a trace: table id */
	uint64_t first_ns; /* of a trace: time of due 0 */
	int torn;	   /* EXIT_INCOMPLETE when the trace was cut, else EXIT_OK */
};

/*
 * Opens `path` once for each of `words`, which name devices of a trace, and puts all of them on one
 * clock: due 0 is the first IO of any of them. As replay_input_open(); all are to be closed.
 */
int replay_inputs_open(struct replay_input *inputs, unsigned int count, const char *path,
		       const char *const *words, const struct replay_window *window);

/*
 * Opens `path` and surveys it. `source_word` names the device of a trace with several, or is
 * NULL; `seed` NULL: the profile's own. Prints one line and returns an exit code when that fails;
 * to be closed in any case.
 */
int replay_input_open(struct replay_input *input, const char *path, const char *source_word,
		      const uint64_t *seed, const struct replay_window *window);

/* The source from its start. Prints and returns an exit code when that fails. */
int replay_input_source(struct replay_input *input, struct replay_source **source);

/* IOs that came too late in the file to be given in order; after the source has ended. */
uint64_t replay_input_out_of_order(const struct replay_input *input,
				   const struct replay_source *source);

void replay_input_close(struct replay_input *input);

#endif
