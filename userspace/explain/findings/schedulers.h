/* SPDX-License-Identifier: MIT */
/* What a scheduler can do on a device where some wait behind others. */
#ifndef BLKREEL_EXPLAIN_FINDINGS_SCHEDULERS_H
#define BLKREEL_EXPLAIN_FINDINGS_SCHEDULERS_H

#include "explain/figures/explanation.h"

enum dividing {
	DIVIDES_NOT, /* a device without requests, as of dm and md, has no scheduler */
	DIVIDES_ALREADY,
	CAN_DIVIDE,
};

/* Whether bfq, which divides a device among control groups, is there or can be. */
enum dividing explain_dividing(const struct explain_device *d);

#endif
