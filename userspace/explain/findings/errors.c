// SPDX-License-Identifier: MIT
/* Findings about IOs that failed: of the device, of the way to it, of space, or refused. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "explain/findings/families.h"

static bool is_called(const struct explain_device *d, const char *prefix)
{
	return !strncmp(d->info.name, prefix, strlen(prefix));
}

/* Only disks have a health of their own to ask for. */
static const char *where_to_look(const struct explain_device *d)
{
	if (is_called(d, "nvme"))
		return "the health of the device (nvme smart-log)";
	if (is_called(d, "sd"))
		return "the health of the device (smartctl -a)";
	return "what lies below it (blkreel record --stack shows the IOs of the devices below)";
}

static const struct {
	const char *id, *title;
	enum explain_severity severity;
} kinds[EXPLAIN_ERROR_KINDS] = {
	[ERRORS_OF_DEVICE] = {"errors", "%s returned errors", SEVERITY_CRITICAL},
	[ERRORS_OF_PATH] = {"path-errors", "IOs of %s failed on the way to the device",
			    SEVERITY_CRITICAL},
	[ERRORS_OF_SPACE] = {"no-space", "%s has no space left", SEVERITY_CRITICAL},
	[ERRORS_REFUSED] = {"refused-ios",
			    "%s refused IOs that it does not support or that would "
			    "have had to wait",
			    SEVERITY_INFO},
};

static void advise(struct explain_finding *finding, const struct explain_device *d,
		   enum explain_error_kind kind)
{
	switch (kind) {
	case ERRORS_OF_PATH:
		finding_advice(finding,
			       "Look at the kernel log (dmesg), the paths (multipath -ll, nvme "
			       "list-subsys, iscsiadm -m session) and the network. With multipath, "
			       "another path may have carried them out.");
		break;
	case ERRORS_OF_SPACE:
		finding_advice(finding, "Enlarge what it lies on: the thin pool (lvs), or the file "
					"system of its file.");
		break;
	case ERRORS_REFUSED:
		finding_advice(finding, "Nothing is lost: who sent them does the work in another "
					"way, or sends them again.");
		break;
	default:
		finding_advice(finding,
			       "Look at the kernel log (dmesg) and %s before anything else.",
			       where_to_look(d));
		break;
	}
}

void findings_of_errors(struct finding_list *list, const struct explain_device *d)
{
	uint64_t ios = 0;

	for (int op = 0; op < TICK_OP_COUNT; op++)
		ios += d->counted[op].ios;
	for (enum explain_error_kind kind = 0; kind < EXPLAIN_ERROR_KINDS; kind++) {
		struct explain_finding *finding;
		int32_t first = d->first_error[kind];

		if (!d->errors[kind])
			continue;
		finding = finding_add(list, kinds[kind].id, kinds[kind].severity, d);
		finding_title(finding, kinds[kind].title, d->info.name);
		finding_evidence(finding, "%s of %s IOs failed; the first with \"%s\".",
				 COUNT_TEXT(d->errors[kind]), COUNT_TEXT(ios),
				 first < 0 && first > -4096 ? strerror(-first)
							    : "an unknown error");
		advise(finding, d, kind);
	}
}
