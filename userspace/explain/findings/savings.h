/* SPDX-License-Identifier: MIT */
/* What an advice could save, by what the tasks waited for (record --waits). */
#ifndef BLKREEL_EXPLAIN_FINDINGS_SAVINGS_H
#define BLKREEL_EXPLAIN_FINDINGS_SAVINGS_H

#include "explain/figures/explanation.h"

/* Bits 1 << enum wait_cause. */
#define WAITS_OF_SYNCS (1u << CAUSE_FLUSH | 1u << CAUSE_JOURNAL | 1u << CAUSE_WRITEBACK_OF_PAGE)

/*
 * Gives each finding about time the time that tasks waited for its causes. An advice that would save nothing is
 * replaced by a sentence that says so. Does nothing without rows of waits.
 */
void explain_findings_weigh(struct explanation *x);

/* The task that waited most for the causes of `mask` (bits 1 << enum wait_cause), or NULL; *total_ns: all tasks. */
const struct explain_wait_task *explain_most_waiting(const struct explain_waits *w, uint32_t mask,
						     uint64_t *total_ns);

#endif
