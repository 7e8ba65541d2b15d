// SPDX-License-Identifier: MIT
#include "collector/doctor/doctor.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>
#include <linux/capability.h>

#include "collector/kernel/capabilities.h"
#include "collector/host/devices.h"
#include "collector/kernel/btf.h"
#include "collector/privileges/privileges.h"
#include "collector/probes/probes.h"
#include "collector/counters/counting_probes.h"
#include "collector/kernel/try_program.h"

static void examine_privilege(struct doctor_finding *finding)
{
	char command[PATH_MAX + 64];

	finding->name = "privileges";
	if (privileges__can_record()) {
		snprintf(finding->how, DOCTOR_TEXT_MAX, "%s",
			 geteuid() ? "CAP_BPF and CAP_PERFMON, all that recording needs" : "root");
		return;
	}
	finding->state = DOCTOR_MISSING;
	privileges__setcap_command(command, sizeof(command));
	snprintf(finding->how, DOCTOR_TEXT_MAX, "uid %u without%s%s", geteuid(),
		 privileges__effective() & PRIVILEGE(CAP_BPF) ? "" : " CAP_BPF",
		 privileges__effective() & PRIVILEGE(CAP_PERFMON) ? "" : " CAP_PERFMON");
	snprintf(
		finding->cost, DOCTOR_TEXT_MAX,
		"nothing can be recorded; traces can still be read, explained, compared, and replayed onto files. To record, run as root, or allow everyone who may execute blkreel to record: "
		"%.*s",
		DOCTOR_TEXT_MAX / 2, command);
}

static void examine_btf(struct doctor_finding *finding)
{
	finding->name = "kernel BTF";
	if (kernel_btf()) {
		snprintf(finding->how, DOCTOR_TEXT_MAX, "/sys/kernel/btf/vmlinux");
		return;
	}
	finding->state = DOCTOR_MISSING;
	snprintf(finding->how, DOCTOR_TEXT_MAX, "%s", strerror(errno));
	snprintf(finding->cost, DOCTOR_TEXT_MAX,
		 "nothing can be recorded: use a kernel built with CONFIG_DEBUG_INFO_BTF=y");
}

/* Loads, attaches and removes all the real probes. */
static void examine_probes(struct doctor_finding *finding)
{
	struct probes_options options = {.parts = PROBE_ALL};
	char message[COLLECTOR_MESSAGE_MAX] = "";
	struct probes *probes = NULL;
	int err;

	finding->name = "block and page-cache probes";
	err = probes__load(&options, &probes, message);
	if (!err)
		err = probes__attach(probes, message);
	probes__free(probes);
	if (!err) {
		snprintf(
			finding->how, DOCTOR_TEXT_MAX, "loaded and attached%s",
			capabilities__probes_are_preempted()
				? "; request probes three times, because this kernel skips a probe while another call of it is preempted"
				: "");
		return;
	}
	finding->state = DOCTOR_MISSING;
	snprintf(finding->how, DOCTOR_TEXT_MAX, "%s", strerror(-err));
	snprintf(finding->cost, DOCTOR_TEXT_MAX, "%s", message);
}

/* The same for the counting probes. */
static void examine_counting(struct doctor_finding *finding)
{
	static const char *const notes[] = {
		[COUNTING_EXACT] = "loaded and attached: busy time from creation to completion",
		[COUNTING_FROM_ISSUE] = "loaded and attached: busy time from issue to completion",
		[COUNTING_FROM_ISSUE_BOUNDED] = "loaded and attached: busy time from issue to "
						"completion, bounded",
	};
	struct counting_options options = {.disks = 1};
	char message[COLLECTOR_MESSAGE_MAX] = "";
	struct counting_probes *probes = NULL;
	int err = counting_probes__create(&options, &probes, message);

	finding->name = "counting probes";
	if (err) {
		finding->state = DOCTOR_LIMITED;
		snprintf(finding->how, DOCTOR_TEXT_MAX, "%s", strerror(-err));
		snprintf(
			finding->cost, DOCTOR_TEXT_MAX,
			"stat shows only the kernel's own figures, and record --aggregate does not work: %s",
			message);
		return;
	}
	snprintf(finding->how, DOCTOR_TEXT_MAX, "%s", notes[counting_probes__quality(probes)]);
	counting_probes__free(probes);
}

static const struct {
	const char *name, *program, *gives, *cost;
	enum doctor_state without;
} mechanisms[] = {
	{"tp_btf programs", "try_tp_btf",
	 "tracepoints with the kernel's own types (blkreel's main probes)",
	 "without them nothing can be recorded", DOCTOR_MISSING},
	{"raw_tp programs", "try_raw_tp", "the same tracepoints without types",
	 "no cost: blkreel does not need them", DOCTOR_LIMITED},
	{"tracepoint programs", "try_tracepoint",
	 "only the fields that the kernel prints of an event",
	 "no cost: blkreel does not need them", DOCTOR_LIMITED},
	{"fentry programs", "try_fentry", "the arguments of any function",
	 "no cost from Linux 6.18 on, or with kprobes; otherwise page-cache hits are missing",
	 DOCTOR_LIMITED},
	{"fexit programs", "try_fexit", "the return value of any function",
	 "no cost from Linux 6.12 on, or with kprobes; otherwise page-cache reads are missing",
	 DOCTOR_LIMITED},
	{"kprobe programs", "try_kprobe", "the registers at any function",
	 "no cost from Linux 6.18 on, or with fentry", DOCTOR_LIMITED},
};

static void examine_mechanism(size_t i, struct doctor_finding *finding)
{
	int err = try_program(mechanisms[i].program);

	finding->name = mechanisms[i].name;
	if (!err) {
		snprintf(finding->how, DOCTOR_TEXT_MAX, "loaded and attached: %s",
			 mechanisms[i].gives);
		return;
	}
	finding->state = mechanisms[i].without;
	snprintf(finding->how, DOCTOR_TEXT_MAX, "refused (%s)", strerror(-err));
	snprintf(finding->cost, DOCTOR_TEXT_MAX, "%s", mechanisms[i].cost);
}

void doctor__examine(void (*each)(const struct doctor_finding *finding, void *context),
		     void *context)
{
	static void (*const examinations[])(struct doctor_finding * finding) = {
		examine_privilege,
		examine_btf,
		examine_probes,
		examine_counting,
	};

	for (size_t i = 0; i < sizeof(examinations) / sizeof(examinations[0]); i++) {
		struct doctor_finding finding = {.state = DOCTOR_WORKS};

		examinations[i](&finding);
		each(&finding, context);
	}
	for (size_t i = 0; i < sizeof(mechanisms) / sizeof(mechanisms[0]); i++) {
		struct doctor_finding finding = {.state = DOCTOR_WORKS};

		examine_mechanism(i, &finding);
		each(&finding, context);
	}
}

static int not_hidden(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void examine_device(const char *name,
			   void (*each)(const char *name, bool recordable, const char *why,
					void *context),
			   void *context)
{
	struct device_choice choice;
	struct trace_device device;
	int err = devices__choose(name, &choice);

	if (err)
		return;
	devices__describe(choice.major, choice.minor, &device);
	if (device.size_bytes)
		each(name, true, choice.bio_based ? " (bio-based: no requests)" : "", context);
}

void doctor__each_device(void (*each)(const char *name, bool recordable, const char *why,
				      void *context),
			 void *context)
{
	struct dirent **entries;
	int count = scandir("/sys/block", &entries, not_hidden, versionsort);

	for (int i = 0; i < count; i++) {
		examine_device(entries[i]->d_name, each, context);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}
