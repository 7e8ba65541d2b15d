/* SPDX-License-Identifier: MIT */
/* The answer in one or two sentences. */
#ifndef BLKREEL_EXPLAIN_VERDICT_H
#define BLKREEL_EXPLAIN_VERDICT_H

#include "explain/figures/explanation.h"

/* Fills x->verdict from the figures. */
void explain_verdict(struct explanation *x);

#endif
