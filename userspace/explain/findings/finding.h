/* SPDX-License-Identifier: MIT */
/* One finding: an id, a title, the evidence for it, and advice. */
#ifndef BLKREEL_EXPLAIN_FINDINGS_FINDING_H
#define BLKREEL_EXPLAIN_FINDINGS_FINDING_H

#include "explain/figures/explanation.h"

/* The findings so far; after -ENOMEM (stored in err) no more are added. */
struct finding_list {
	struct explanation *x;
	uint32_t allocated;
	int err;
};

/* Adds an empty finding. Never NULL; once err is set it is not in the list. */
struct explain_finding *finding_add(struct finding_list *list, const char *id,
				    enum explain_severity severity,
				    const struct explain_device *device);

__attribute__((format(printf, 2, 3))) void finding_title(struct explain_finding *finding,
							 const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void finding_evidence(struct explain_finding *finding,
							    const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void finding_advice(struct explain_finding *finding,
							  const char *fmt, ...);

#endif
