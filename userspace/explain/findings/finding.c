// SPDX-License-Identifier: MIT
#include "explain/findings/finding.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct explain_finding *finding_add(struct finding_list *list, const char *id,
				    enum explain_severity severity,
				    const struct explain_device *device)
{
	static struct explain_finding nowhere;
	struct explanation *x = list->x;
	struct explain_finding *added = &nowhere;

	if (!list->err && x->finding_count == list->allocated) {
		uint32_t allocated = list->allocated ? 2 * list->allocated : 16;
		struct explain_finding *grown = realloc(x->findings, allocated * sizeof(*grown));

		if (grown) {
			x->findings = grown;
			list->allocated = allocated;
		} else {
			list->err = -ENOMEM;
		}
	}
	if (!list->err)
		added = &x->findings[x->finding_count++];
	memset(added, 0, sizeof(*added));
	added->id = id;
	added->severity = severity;
	if (device)
		snprintf(added->device, sizeof(added->device), "%s", device->info.name);
	return added;
}

void finding_title(struct explain_finding *finding, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(finding->title, sizeof(finding->title), fmt, args);
	va_end(args);
}

void finding_evidence(struct explain_finding *finding, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(finding->evidence, sizeof(finding->evidence), fmt, args);
	va_end(args);
}

void finding_advice(struct explain_finding *finding, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(finding->advice, sizeof(finding->advice), fmt, args);
	va_end(args);
}
