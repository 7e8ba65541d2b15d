/* SPDX-License-Identifier: MIT */
/* The answer in one or two sentences. */
#ifndef BLKREEL_EXPLAIN_VERDICT_H
#define BLKREEL_EXPLAIN_VERDICT_H

#include "explain/figures/explanation.h"

/* Fills x->verdict from the figures. */
void explain_verdict(struct explanation *x);

/* The device whose IOs waited longest in total; NULL if no time is known. */
const struct explain_device *explain_busiest_device(const struct explanation *x);

#endif
