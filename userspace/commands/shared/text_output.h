/* SPDX-License-Identifier: MIT */
/* A text file that is there whole, or not at all; a stream is written to at once. */
#ifndef BLKREEL_COMMANDS_SHARED_TEXT_OUTPUT_H
#define BLKREEL_COMMANDS_SHARED_TEXT_OUTPUT_H

#include <stdio.h>

#include "base/output_file.h"

struct text_output {
	FILE *file;
	struct output_file *pending;
};

/* Opens output->file. 0, an error of output_file__begin(), or -ENOMEM. */
int text_output__begin(struct text_output *output, const char *path,
		       const struct output_kind *kind);

/* Closes it. The path gets the file if `err` is 0 and everything could be written. `err`, or an error
 * of writing or of output_file__end(). */
int text_output__end(struct text_output *output, int err);

#endif
