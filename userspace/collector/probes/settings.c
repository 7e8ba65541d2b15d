// SPDX-License-Identifier: MIT
#include <time.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "base/log.h"
#include "collector/kernel/capabilities.h"
#include "collector/kernel/btf.h"
#include "collector/kernel/numbering.h"
#include "collector/probes/internal.h"
#include "collector/probes/probes.h"
#include "collector/probes/wait_numbers.h"

static bool has_task_storage(void)
{
	static const char *const map_types[] = {"bpf_map_type", NULL};

	return kernel_btf_enum_value(map_types, "BPF_MAP_TYPE_TASK_STORAGE") >= 0;
}

/* Access rows need these; without them their maps are not needed either. */
unsigned int probes_settings__possible(unsigned int parts)
{
	if (!kernel_btf_has_tracepoint("mm_filemap_get_pages") || !has_task_storage())
		parts &= ~(unsigned int)PROBE_ACCESS;
	return parts;
}

static void choose_programs(struct collector_bpf *skeleton, unsigned int parts)
{
	for (const struct probe_program *p = probe_programs; p->program; p++) {
		struct bpf_program *program =
			bpf_object__find_program_by_name(skeleton->obj, p->program);

		if (!program || capabilities__usable(p, parts))
			continue;
		bpf_program__set_autoload(program, false);
		if (!(p->part & ~parts))
			pr_debug("%s is not loaded: this kernel has no tracepoint %s, or does not "
				 "need it",
				 p->program, p->tracepoint);
	}
	bpf_map__set_autocreate(skeleton->maps.accounts, parts & PROBE_CACHE);
	/* Older kernels have none of the events that fill this map. */
	bpf_map__set_autocreate(skeleton->maps.readers,
				(parts & PROBE_CACHE) && has_task_storage());
	bpf_map__set_autocreate(skeleton->maps.uring_reads, parts & PROBE_CACHE);
	bpf_map__set_autocreate(skeleton->maps.access_states, parts & PROBE_ACCESS);
	bpf_map__set_autocreate(skeleton->maps.fetches, parts & PROBE_ACCESS);
	bpf_map__set_autocreate(skeleton->maps.unread_pages, parts & PROBE_CACHE);
	bpf_map__set_autocreate(skeleton->maps.wait_running, parts & PROBE_WAITS);
	bpf_map__set_autocreate(skeleton->maps.wait_places, parts & PROBE_WAITS);
	bpf_map__set_autocreate(skeleton->maps.wait_taken, parts & PROBE_WAITS);
	bpf_map__set_autocreate(skeleton->maps.wait_crowded, parts & PROBE_WAITS);
	bpf_map__set_autocreate(skeleton->maps.wait_calls, parts & PROBE_CALLS);
	bpf_map__set_autocreate(skeleton->maps.wait_no_calls, parts & PROBE_CALLS);
	bpf_map__set_autocreate(skeleton->maps.wait_stacks, parts & PROBE_WAITS);
	bpf_map__set_autocreate(skeleton->maps.wait_known_stacks, parts & PROBE_WAITS);
	bpf_map__set_autocreate(skeleton->maps.wait_unwound, parts & PROBE_WAITS);
	bpf_map__set_autocreate(skeleton->maps.bios, parts & PROBE_BIOS);
	bpf_map__set_autocreate(skeleton->maps.bio_places, parts & PROBE_LINKS);
	bpf_map__set_autocreate(skeleton->maps.bio_disks, parts & PROBE_BIOS);
	bpf_map__set_autocreate(skeleton->maps.bio_parts, parts & PROBE_BIOS);
	bpf_map__set_autocreate(skeleton->maps.bios_above, parts & PROBE_LINKS);
	bpf_map__set_autocreate(skeleton->maps.bio_queued_last, parts & PROBE_LINKS);
}

/* The number of arguments tells the version of the tracepoint: with 8 the pause is argument 6, with
 * 12 it is argument 10. */
static uint32_t pause_argument(void)
{
	switch (kernel_btf_tracepoint_arguments("balance_dirty_pages")) {
	case 8:
		return 6;
	case 12:
		return 10;
	}
	return 0;
}

/* The coarse clocks advance once per jiffy. */
static uint32_t jiffy_ns(void)
{
	struct timespec step = {};

	clock_getres(CLOCK_MONOTONIC_COARSE, &step);
	return (uint32_t)step.tv_nsec;
}

static void configure(struct probes *p, const struct probes_options *options)
{
	struct collector_bpf__rodata *rodata = p->skeleton->rodata;
	static const char *const unnamed_enums[] = {"", NULL};
	int pinned;

	p->skeleton->bss->self_tgid = (uint32_t)getpid();
	rodata->config.only_pid = options->pid;
	rodata->config.only_cgroup = options->cgroup_id;
	rodata->config.ring_mask = p->ring_count - 1;
	rodata->config.wakeup_bytes = (uint32_t)(p->ring_bytes / 4);
	rodata->config.cpu_events = p->cpu_events;
	rodata->config.devices_listed = options->device_count != 0;
	rodata->config.arguments_have_queue =
		kernel_btf_tracepoint_arguments("block_rq_issue") == 2;
	rodata->config.has_io_start = kernel_btf_has_tracepoint("block_io_start");
	rodata->bio_config.queue_has_queue =
		kernel_btf_tracepoint_arguments("block_bio_queue") == 2;
	rodata->bio_config.remap_has_queue =
		kernel_btf_tracepoint_arguments("block_bio_remap") == 4;
	rodata->bio_config.split_has_queue = kernel_btf_tracepoint_arguments("block_split") == 3;
	rodata->bio_config.links = (options->parts & PROBE_LINKS) != 0;
	rodata->config.watch_below = options->watch_below;
	rodata->config.cache_totals = options->cache_totals;
	rodata->config.accesses = (p->parts & PROBE_ACCESS) != 0;
	rodata->config.page_shift = (uint32_t)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	rodata->config.flush_sequence_mask = kernel_btf_request_flag("__RQF_FLUSH_SEQ", 4);
	rodata->config.accounted_mask = kernel_btf_request_flag("__RQF_IO_STAT", 13);
	rodata->config.has_task_pt_regs = kernel_btf_has_function("bpf_task_pt_regs");
	rodata->config.device_shift = p->watched.shift;
	rodata->config.device_mask = p->watched.entry_count - 1;
	pinned = kernel_btf_enum_value(unnamed_enums, "BIO_PAGE_PINNED");
	rodata->config.pinned_bio_flag = pinned >= 0 && pinned < 16 ? 1u << pinned : 0;
	rodata->config.pause_argument = pause_argument();
	rodata->config.jiffy_ns = jiffy_ns();
	rodata->config.lean = !(options->parts & PROBE_LIFE);
	rodata->config.ops_listed = options->ops != 0;
	wait_numbers__fill(rodata->wait_config.numbers);
	rodata->wait_config.every_call = (p->parts & PROBE_CALLS) != 0;
	rodata->wait_config.has_prev_state = kernel_btf_tracepoint_arguments("sched_switch") == 4;
	numbering__kernel_ops(options->ops, rodata->config.ops);
}

void probes_settings__apply(struct probes *p, const struct probes_options *options)
{
	choose_programs(p->skeleton, p->parts);
	configure(p, options);
}
