/* SPDX-License-Identifier: MIT */
/* The path of the data that was read: application, page cache, devices. */
#ifndef BLKREEL_EXPLAIN_FIGURES_FLOW_H
#define BLKREEL_EXPLAIN_FIGURES_FLOW_H

#include "explain/figures/explanation.h"

/* Fills x->flow from the figures of the cache and the devices. */
void explain_flow(struct explanation *x);

#endif
