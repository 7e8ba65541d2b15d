/* SPDX-License-Identifier: MIT */
/* What one task waited for, by kind of call and cause. */
#ifndef BLKREEL_EXPLAIN_WAITS_FIGURES_H
#define BLKREEL_EXPLAIN_WAITS_FIGURES_H

#include "explain/waits/blame.h"
#include "base/name_sums.h"

#define WAIT_KINDS_MAX 24u /* enum wait_call, and the places outside of calls */
#define WAIT_DEVICES_MAX \
	16u /* that one task waited for; the device of further waits is not known */

struct wait_kind {
	struct explain_calls figures;
	uint64_t *counts; /* by duration */
	uint64_t min_ns;
	struct name_sum *culprits;
};

/* All zero: nothing yet. */
struct wait_figures {
	struct explain_wait_task task;
	struct wait_kind kinds[WAIT_KINDS_MAX];
	struct name_sum *others; /* functions of CAUSE_OTHER */
	uint64_t unaccounted_ns; /* of calls */
	uint64_t unexplained;	 /* sleeps without a stack */
	uint64_t no_wakeup_ns;	 /* of sleeps that include the run queue */
};

void wait_figures__free(struct wait_figures *f); /* what it holds */

/* The entry of a kind of call; `kind` is one of a static text. */
struct explain_calls *wait_figures__calls(struct wait_figures *f, const char *kind);

/* `count` calls of this duration, of an entry of wait_figures__calls(). 0 or -ENOMEM. */
int wait_figures__count(struct explain_calls *calls, uint64_t ns, uint64_t count);

/* Adds a time to the kind of call. */
void wait_figures__add_to_calls(struct explain_calls *calls, enum wait_cause cause, uint64_t ns,
				uint64_t count);

/* Adds a time to the kind of call, and to the task. */
void wait_figures__add(struct wait_figures *f, struct explain_calls *calls, enum wait_cause cause,
		       uint64_t ns);

/* Counts what the recording did not see of a sleep in these functions. */
void wait_figures__note_quality(struct wait_figures *f, const struct wait_row *sleep,
				const char *functions);

/* Adds a sleep of CAUSE_OTHER in these functions. 0 or -ENOMEM. */
int wait_figures__add_other(struct wait_figures *f, const char *functions, uint64_t ns);

/* Adds the parts of a sleep that an IO of `device` ended. 0 or -ENOMEM. */
int wait_figures__add_to_device(struct wait_figures *f, uint32_t device,
				const uint64_t ns[CAUSE_COUNT]);

/* Adds the parts of a wait that passed behind others. 0 or -ENOMEM. */
int wait_figures__add_others(struct explain_calls *calls, const struct blame_others *others);

/* Whether waits were recorded, and how well: of the tiers. */
void wait_figures__quality(struct explanation *x);

/* Sorts and completes the figures of all tasks, and hands them and their sums to w. 0 or -ENOMEM. */
int wait_figures__finish(struct wait_figures **list, uint32_t count, struct explain_waits *w);

#endif
