/* SPDX-License-Identifier: MIT */
/* Takes rows one by one, in bounded memory, and makes an explanation. */
#ifndef BLKREEL_EXPLAIN_EXPLAINER_H
#define BLKREEL_EXPLAIN_EXPLAINER_H

#include "explain/figures/explanation.h"
#include "explain/figures/labels.h"

/*
 * Devices with figures of their own (up to 500 KiB each); rows of later ones are ignored and
 * counted.
 */
#define EXPLAIN_DEVICES_MAX 512u

struct explainer;

/*
 * `devices`: names (with or without /dev/) of the devices to explain; none: all. The array and
 * *tables must live as long as the explainer. NULL: out of memory.
 */
struct explainer *explainer__new(const struct explain_tables *tables, const char *const *devices,
				 uint32_t device_count);
void explainer__free(struct explainer *e); /* NULL is allowed */

/*
 * When the recording began; 0: not known. `end_ns`: of a part, whose rows may end later; UINT64_MAX: a whole recording.
 * Before the first row.
 */
void explainer__begin(struct explainer *e, uint64_t start_ns, uint64_t end_ns);

/* The rows are of several hosts, on which different tasks may have one number. Before the first row. */
void explainer__join_hosts(struct explainer *e);

/* Each returns 0 or -ENOMEM. */
int explainer__add_io(struct explainer *e, const struct io_row *row);
int explainer__add_cache(struct explainer *e, const struct cache_row *row);
int explainer__add_tick(struct explainer *e, const struct tick_row *row);
int explainer__add_hist(struct explainer *e, const struct hist_row *row);
int explainer__add_wait(struct explainer *e, const struct wait_row *row);
void explainer__add_loss(struct explainer *e, const struct loss_row *row);
int explainer__add_tier(struct explainer *e, const struct trace_tier *tier);

/* Begin and end of the recording. `summary` is NULL if it has no proper end. */
struct explain_frame {
	const struct trace_host *host;
	const struct trace_summary *summary;
	bool cut;
	bool cut_before_rows; /* of any kind */
};

/*
 * Hands over the figures, without findings and verdict, and frees `e` whatever happens. *result is
 * for explanation__free(). 0 or -ENOMEM.
 */
int explainer__finish(struct explainer *e, const struct explain_frame *frame,
		      struct explanation **result);

#endif
