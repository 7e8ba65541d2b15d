// SPDX-License-Identifier: MIT
#include "collector/probes/memory_need.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include <bpf/libbpf.h>

#include "base/log.h"
#include "collector/host/memory_limit.h"

#define MIB	      (1ull << 20)
#define BTF_FILE      "/sys/kernel/btf/vmlinux"
#define BTF_COPIES    3		/* that libbpf holds at once: measured */
#define ELEMENT_BYTES 40	/* the head of an element of a hash, and its share of the buckets */
#define REST_BYTES    (3 * MIB) /* the program itself */
#define CHECKS_BYTES  (24 * MIB)
#define LIMIT_MAX     (1ull << 40) /* no limit, for a machine of today */

static uint64_t rounded(uint32_t bytes)
{
	return (bytes + 7ull) & ~7ull;
}

/* A lower bound: what the kernel allocates when it creates the map. */
static uint64_t map_bytes(const struct bpf_map *map, uint64_t cpus)
{
	uint64_t entries = bpf_map__max_entries(map), key = rounded(bpf_map__key_size(map)),
		 value = rounded(bpf_map__value_size(map));

	switch (bpf_map__type(map)) {
	case BPF_MAP_TYPE_RINGBUF:
		return entries;
	case BPF_MAP_TYPE_ARRAY:
		return entries * value;
	case BPF_MAP_TYPE_PERCPU_ARRAY:
		return entries * value * cpus;
	case BPF_MAP_TYPE_HASH:
		return bpf_map__map_flags(map) & BPF_F_NO_PREALLOC
			       ? 0
			       : entries * (ELEMENT_BYTES + key + value);
	case BPF_MAP_TYPE_LRU_HASH:
		return entries * (ELEMENT_BYTES + key + value);
	default:
		return 0;
	}
}

/* Since Linux 5.11 maps are charged to the group. libbpf asks for the same function. */
static bool maps_are_charged(void)
{
	return libbpf_probe_bpf_helper(BPF_PROG_TYPE_SOCKET_FILTER, BPF_FUNC_ktime_get_coarse_ns,
				       NULL) == 1;
}

uint64_t memory_need(const struct bpf_object *object, uint64_t more_bytes)
{
	int cpus = libbpf_num_possible_cpus();
	uint64_t bytes = REST_BYTES;
	const struct bpf_map *map;
	struct stat btf;

	if (!stat(BTF_FILE, &btf))
		bytes += BTF_COPIES * (uint64_t)btf.st_size;
	if (!maps_are_charged())
		return bytes;
	for (map = object ? bpf_object__next_map(object, NULL) : NULL; map;
	     map = bpf_object__next_map(object, map))
		if (bpf_map__autocreate(map))
			bytes += map_bytes(map, cpus > 0 ? (uint64_t)cpus : 1);
	return bytes + more_bytes;
}

/* What the kernel needs while it checks the programs depends on its version. */
static void warn_when_scarce(const struct memory_limit *least, uint64_t need_bytes,
			     const char *what)
{
	if (least->bytes < need_bytes + CHECKS_BYTES)
		pr_warn("the memory control group %s allows %.1f MiB, and %s needs %.1f MiB and some "
			"while it starts: the kernel may end blkreel",
			least->group, (double)least->bytes / MIB, what, (double)need_bytes / MIB);
}

int memory_need__check(uint64_t need_bytes, const char *what, bool warn,
		       char message[COLLECTOR_MESSAGE_MAX])
{
	struct memory_limit least;

	memory_limit__find(&least, false);
	if (least.bytes >= need_bytes) {
		if (warn)
			warn_when_scarce(&least, need_bytes, what);
		return 0;
	}
	snprintf(
		message, COLLECTOR_MESSAGE_MAX,
		"the memory control group %.200s allows %.1f MiB, and %s needs at least %.1f MiB: raise "
		"the limit, or run blkreel in another group",
		least.group, (double)least.bytes / MIB, what, (double)need_bytes / MIB);
	return -ENOMEM;
}

void memory_need__explain(const char *what, char message[COLLECTOR_MESSAGE_MAX])
{
	struct memory_limit least;

	memory_limit__find(&least, true);
	if (least.bytes > LIMIT_MAX)
		snprintf(message, COLLECTOR_MESSAGE_MAX,
			 "the kernel has no memory left for %s: free some", what);
	else
		snprintf(
			message, COLLECTOR_MESSAGE_MAX,
			"the memory control group %.200s allows %.1f MiB, of which %.1f MiB were used, and "
			"%s needs more: raise the limit, or run blkreel in another group",
			least.group, (double)least.bytes / MIB, (double)least.used_bytes / MIB,
			what);
}
