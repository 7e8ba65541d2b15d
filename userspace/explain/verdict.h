/* SPDX-License-Identifier: MIT */
/* The answer in one or two sentences. */
#ifndef BLKREEL_EXPLAIN_VERDICT_H
#define BLKREEL_EXPLAIN_VERDICT_H

#include "explain/figures/explanation.h"

/* Fills x->verdict from the figures. */
void explain_verdict(struct explanation *x);

/* Without latencies the load is all there is to say. */
bool explain_says_load(const struct explanation *x);

/* What makes findings impossible, without a period at the end; "": nothing. */
const char *explain_why_no_findings(const struct explanation *x);

#endif
