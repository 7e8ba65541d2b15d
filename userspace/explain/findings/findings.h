/* SPDX-License-Identifier: MIT */
/* The rules that turn figures into findings. */
#ifndef BLKREEL_EXPLAIN_FINDINGS_FINDINGS_H
#define BLKREEL_EXPLAIN_FINDINGS_FINDINGS_H

#include "explain/figures/explanation.h"

/* Applies every rule and fills x->findings, the gravest first. 0 or -ENOMEM. */
int explain_findings(struct explanation *x);

#endif
