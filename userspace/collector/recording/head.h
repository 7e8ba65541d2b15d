/* SPDX-License-Identifier: MIT */
/* What stands at the head of a recording, and of each file of one that goes into several: the
 * host, and how each figure was got. */
#ifndef BLKREEL_COLLECTOR_RECORDING_HEAD_H
#define BLKREEL_COLLECTOR_RECORDING_HEAD_H

#include "collector/options.h"
#include "trace/file/writer.h"

struct recording_head;

/* Finds out what the head says of `parts` (enum probe_part); nothing of `options` is needed afterwards.
 * 0 or -ENOMEM. */
int recording_head__create(const struct recording_options *options, unsigned int parts,
			   struct recording_head **head);
void recording_head__free(struct recording_head *head); /* NULL is allowed */

/* The host; the clocks are read now. */
void recording_head__host(const struct recording_head *head, struct trace_host *host);
/* The tiers of this kernel, and one more when not everything is recorded. 0 or negative errno. */
int recording_head__add_tiers(const struct recording_head *head, struct trace_writer *writer);

#endif
