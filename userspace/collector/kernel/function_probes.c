// SPDX-License-Identifier: MIT
#include "collector/kernel/function_probes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "collector/kernel/btf.h"
#include "collector/kernel/try_program.h"

static const struct candidate {
	const char *tier, *at_begin, *at_end;
	enum function_probe_type type;
} candidates[] = {
	{"fentry", "try_fentry", "try_fexit", FUNCTION_PROBES_FENTRY},
	{"kprobe", "try_kprobe", "try_kretprobe", FUNCTION_PROBES_KPROBE},
	{"tracepoint", NULL, NULL, FUNCTION_PROBES_NONE},
};

#define CANDIDATE_COUNT (sizeof(candidates) / sizeof(candidates[0]))

/* NULL: no tier is forced. */
static const char *forced_tier(void)
{
	const char *tier = getenv("BLKREEL_FORCE_TIER");

	if (!tier || !*tier)
		return NULL;
	for (size_t i = 0; i < CANDIDATE_COUNT; i++)
		if (!strcmp(tier, candidates[i].tier))
			return tier;
	pr_warn("ignoring BLKREEL_FORCE_TIER=%s: use fentry, kprobe or tracepoint", tier);
	return NULL;
}

/* The programs need bpf_loop (e6f2dd0f8067 "bpf: Add bpf_loop helper", Linux 5.17). */
static enum function_probe_type find_type(void)
{
	static const char *const helpers[] = {"bpf_func_id", NULL};
	const char *tier = forced_tier();

	if (kernel_btf_enum_value(helpers, "BPF_FUNC_loop") < 0)
		return FUNCTION_PROBES_NONE;
	for (size_t i = 0; i < CANDIDATE_COUNT; i++)
		if ((!tier || !strcmp(tier, candidates[i].tier)) && candidates[i].at_begin &&
		    !try_program(candidates[i].at_begin) && !try_program(candidates[i].at_end))
			return candidates[i].type;
	return FUNCTION_PROBES_NONE;
}

enum function_probe_type function_probes__type(void)
{
	static enum function_probe_type found;
	static bool is_known;

	if (!is_known)
		found = find_type();
	is_known = true;
	return found;
}
