/* SPDX-License-Identifier: MIT */
/* The head of a recording, and of each of its files: the host, and how each figure was obtained. */
#ifndef BLKREEL_COLLECTOR_RECORDING_HEAD_H
#define BLKREEL_COLLECTOR_RECORDING_HEAD_H

#include "collector/options.h"
#include "trace/file/writer.h"

struct recording_head;

/* Collects the head for `parts` (enum probe_part). Keeps no pointer into `options`. 0 or
 * -ENOMEM. */
int recording_head__create(const struct recording_options *options, unsigned int parts,
			   struct recording_head **head);
void recording_head__free(struct recording_head *head); /* NULL is allowed */

/* Fills *host, with the clocks of now. */
void recording_head__host(const struct recording_head *head, struct trace_host *host);
/* Adds the tiers of this kernel, and one more for a filter. 0 or negative errno. */
int recording_head__add_tiers(const struct recording_head *head, struct trace_writer *writer);

#endif
