/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Whose IO is recorded: a process with its descendants, a cgroup with those below it. */
#ifndef BLKREEL_BPF_SCOPE_BPF_H
#define BLKREEL_BPF_SCOPE_BPF_H

#include "compat.bpf.h"
#include "maps.bpf.h"

#define CGROUP_DEPTH_MAX 32

/* The processes that are recorded, by the number that the kernel gives them (thread group). */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PROCESSES_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u8);
} processes __weak SEC(".maps");

/* Cgroups that were met: does the chosen one hold them? */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, CGROUPS_MAX);
	__type(key, __u64);
	__type(value, __u8);
} cgroups_met __weak SEC(".maps");

/* The recorder itself, whose page-cache accesses are no part of its recording. */
__u32 self_tgid __weak = 0;

static __always_inline bool process_in_scope(__u32 tgid)
{
	return !config.only_pid || bpf_map_lookup_elem(&processes, &tgid);
}

static __noinline int is_below_cgroup(struct cgroup_subsys_state *css)
{
	for (int i = 0; i < CGROUP_DEPTH_MAX && css; i++) {
		if (BPF_CORE_READ(css, cgroup, kn, id) == config.only_cgroup)
			return true;
		css = BPF_CORE_READ(css, parent);
	}
	return false;
}

/* `id` is that of the cgroup of `css`. */
static __always_inline bool cgroup_in_scope(__u64 id, struct cgroup_subsys_state *css)
{
	__u8 below, *known;

	if (!config.only_cgroup || id == config.only_cgroup)
		return true;
	known = bpf_map_lookup_elem(&cgroups_met, &id);
	if (known)
		return *known;
	below = is_below_cgroup(css);
	bpf_map_update_elem(&cgroups_met, &id, &below, BPF_ANY);
	return below;
}

#endif
