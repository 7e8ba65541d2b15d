// SPDX-License-Identifier: MIT
#include "collector/kernel/capabilities.h"

#include <stddef.h>
#include <string.h>

#include "collector/kernel/function_probes.h"
#include "collector/kernel/btf.h"

const struct probe_program probe_programs[] = {
	{"block_io_start", "block_io_start", PROBE_LIFE, NULL, NULL, NULL, false},
	{"block_rq_insert", "block_rq_insert", PROBE_LIFE, NULL, NULL, NULL, false},
	{"block_rq_issue", "block_rq_issue", PROBE_LIFE, NULL, NULL, NULL, false},
	{"block_rq_requeue", "block_rq_requeue", PROBE_LIFE, NULL, NULL, NULL, false},
	{"block_rq_merge", "block_rq_merge", PROBE_LIFE, NULL, NULL, NULL, false},
	{"block_rq_complete", "block_rq_complete", PROBE_REQUESTS, NULL, NULL, NULL, false},
	{"block_bio_queue", "block_bio_queue", PROBE_BIOS, NULL, NULL, NULL, false},
	{"block_split", "block_split", PROBE_BIOS, NULL, NULL, NULL, false},
	{"block_bio_complete", "block_bio_complete", PROBE_BIOS, NULL, NULL, NULL, false},
	{"block_bio_remap", "block_bio_remap", PROBE_BELOW, NULL, NULL, NULL, false},
	{"block_rq_complete_bios", "block_rq_complete", PROBE_BELOW, NULL, NULL, NULL, false},
	{"list_processes", "sched_process_fork", PROBE_PROCESSES, NULL, NULL, NULL, false},
	{"follow_child", "sched_process_fork", PROBE_PROCESSES, NULL, NULL, NULL, false},
	{"forget_process", "sched_process_free", PROBE_PROCESSES, NULL, NULL, NULL, false},
	{"mm_filemap_get_pages", "mm_filemap_get_pages", PROBE_CACHE, NULL, NULL, NULL, false},
	{"reader_exits", "sched_process_exit", PROBE_CACHE, "mm_filemap_get_pages", NULL, NULL,
	 false},
	{"mm_filemap_fault", "mm_filemap_fault", PROBE_CACHE, NULL, NULL, NULL, false},
	{"mm_filemap_map_pages", "mm_filemap_map_pages", PROBE_CACHE, NULL, NULL, NULL, false},
	{"page_cache_sync_ra", "page_cache_sync_ra", PROBE_CACHE, NULL, NULL, NULL, false},
	{"page_cache_async_ra", "page_cache_async_ra", PROBE_CACHE, NULL, NULL, NULL, false},
	{"page_cache_ra_order", "page_cache_ra_order", PROBE_CACHE, NULL, NULL, NULL, false},
	{"page_cache_ra_unbounded", "page_cache_ra_unbounded", PROBE_CACHE, NULL, NULL, NULL,
	 false},
	{"mm_filemap_add", "mm_filemap_add_to_page_cache", PROBE_CACHE, "page_cache_sync_ra", NULL,
	 NULL, false},
	{"mm_filemap_add_plain", "mm_filemap_add_to_page_cache", PROBE_CACHE, NULL,
	 "page_cache_sync_ra", NULL, false},
	{"mm_filemap_delete", "mm_filemap_delete_from_page_cache", PROBE_CACHE,
	 "page_cache_sync_ra", NULL, NULL, false},
	{"mm_filemap_delete_plain", "mm_filemap_delete_from_page_cache", PROBE_CACHE, NULL,
	 "page_cache_sync_ra", NULL, false},
	{"writeback_dirty_folio", "writeback_dirty_folio", PROBE_CACHE, NULL, NULL, NULL, false},
	{"writeback_dirty_page", "writeback_dirty_page", PROBE_CACHE, NULL, NULL, NULL, false},
	{"ext4_da_write_end", "ext4_da_write_end", PROBE_CACHE, "writeback_dirty_folio", NULL, NULL,
	 false},
	{"ext4_write_end", "ext4_write_end", PROBE_CACHE, "writeback_dirty_folio", NULL, NULL,
	 false},
	{"ext4_journalled_write_end", "ext4_journalled_write_end", PROBE_CACHE,
	 "writeback_dirty_folio", NULL, NULL, false},
	{"xfs_file_buffered_write", "xfs_file_buffered_write", PROBE_CACHE, "writeback_dirty_folio",
	 NULL, NULL, false},
	{"iomap_dio_rw_begin", "iomap_dio_rw_begin", PROBE_CACHE, NULL, NULL, NULL, false},
	{"balance_dirty_pages", "balance_dirty_pages", PROBE_CACHE, "writeback_dirty_folio", NULL,
	 NULL, false},
	{"sched_switch", "sched_switch", PROBE_CACHE, "page_cache_sync_ra", NULL, NULL, false},
	{"io_uring_submit_req", "io_uring_submit_req", PROBE_CACHE, "mm_filemap_get_pages", NULL,
	 NULL, false},
	{"called_sync_ra", "page_cache_sync_ra", PROBE_CACHE, NULL, NULL, "page_cache_sync_ra",
	 false},
	{"called_async_ra", "page_cache_async_ra", PROBE_CACHE, NULL, NULL, "page_cache_async_ra",
	 false},
	{"called_ra_order", "page_cache_ra_order", PROBE_CACHE, NULL, NULL, "page_cache_ra_order",
	 false},
	{"called_ra_unbounded", "page_cache_ra_unbounded", PROBE_CACHE, NULL, NULL,
	 "page_cache_ra_unbounded", false},
	{"called_read", "mm_filemap_get_pages", PROBE_CACHE, NULL, NULL, "filemap_read", false},
	{"called_fault", "mm_filemap_fault", PROBE_CACHE, NULL, NULL, "filemap_fault", false},
	{"called_map_pages", "mm_filemap_map_pages", PROBE_CACHE, NULL, NULL, "filemap_map_pages",
	 false},
	{"probed_sync_ra", "page_cache_sync_ra", PROBE_CACHE, NULL, NULL, "page_cache_sync_ra",
	 false},
	{"probed_async_ra", "page_cache_async_ra", PROBE_CACHE, NULL, NULL, "page_cache_async_ra",
	 false},
	{"probed_ra_order", "page_cache_ra_order", PROBE_CACHE, NULL, NULL, "page_cache_ra_order",
	 false},
	{"probed_ra_unbounded", "page_cache_ra_unbounded", PROBE_CACHE, NULL, NULL,
	 "page_cache_ra_unbounded", false},
	{"probed_read", "mm_filemap_get_pages", PROBE_CACHE, NULL, NULL, "filemap_read", false},
	{"probed_read_end", "mm_filemap_get_pages", PROBE_CACHE, NULL, NULL, "filemap_read", false},
	{"probed_fault", "mm_filemap_fault", PROBE_CACHE, NULL, NULL, "filemap_fault", false},
	{"probed_map_pages", "mm_filemap_map_pages", PROBE_CACHE, NULL, NULL, "filemap_map_pages",
	 false},
	{"probed_map_pages_end", "mm_filemap_map_pages", PROBE_CACHE, NULL, NULL,
	 "filemap_map_pages", false},
	{"access_sys_enter", "sys_enter", PROBE_ACCESS, "mm_filemap_get_pages", NULL, NULL, false},
	{"access_sys_exit", "sys_exit", PROBE_ACCESS, "mm_filemap_get_pages", NULL, NULL, false},
	{"access_io_uring_complete", "io_uring_complete", PROBE_ACCESS, "mm_filemap_get_pages",
	 NULL, NULL, false},
	{"access_sched_switch", "sched_switch", PROBE_ACCESS, "mm_filemap_get_pages", NULL, NULL,
	 false},
	{"waits_sys_enter", "sys_enter", PROBE_CALLS, NULL, NULL, NULL, false},
	{"waits_sys_exit", "sys_exit", PROBE_CALLS, NULL, NULL, NULL, false},
	{"waits_sched_switch", "sched_switch", PROBE_WAITS, NULL, NULL, NULL, false},
	{"waits_sched_waking", "sched_waking", PROBE_WAITS, NULL, NULL, NULL, false},
	{"waits_process_exit", "sched_process_exit", PROBE_WAITS, NULL, NULL, NULL, false},
	{"block_io_start_second", "block_io_start", PROBE_LIFE, NULL, NULL, NULL, true},
	{"block_io_start_third", "block_io_start", PROBE_LIFE, NULL, NULL, NULL, true},
	{"block_rq_issue_second", "block_rq_issue", PROBE_LIFE, NULL, NULL, NULL, true},
	{"block_rq_issue_third", "block_rq_issue", PROBE_LIFE, NULL, NULL, NULL, true},
	{"block_rq_merge_second", "block_rq_merge", PROBE_LIFE, NULL, NULL, NULL, true},
	{"block_rq_merge_third", "block_rq_merge", PROBE_LIFE, NULL, NULL, NULL, true},
	{"block_rq_complete_second", "block_rq_complete", PROBE_LIFE, NULL, NULL, NULL, true},
	{"block_rq_complete_third", "block_rq_complete", PROBE_LIFE, NULL, NULL, NULL, true},
	{0},
};

const char *const probe_suffixes[PROBE_SUFFIXES + 1] = {"_second", "_third", NULL};

/* Tracepoints are called under SRCU since a46023d5616e ("tracing: Guard __DECLARE_TRACE() use of
 * __DO_TRACE_CALL() with SRCU-fast"), Linux 7.0, which added tracepoint_srcu. An earlier variable
 * of that name, for callers where RCU was not watching, was removed by 48bcda684823 ("tracing:
 * Remove definition of trace_*_rcuidle()"), before struct tracepoint_ext existed. */
bool capabilities__probes_are_preempted(void)
{
	static int preempted = -1;

	if (preempted < 0)
		preempted = kernel_btf_has_variable("tracepoint_srcu_srcu_data") &&
			    kernel_btf_has_structure("tracepoint_ext") &&
			    kernel_btf_has_member("task_struct", "rcu_read_lock_nesting");
	return preempted;
}

/* Names of kprobe programs begin with this; those of fentry and fexit programs do not. */
#define KPROBE_PREFIX "probed_"

static bool is_of_type(const struct probe_program *program, enum function_probe_type type)
{
	bool is_kprobe = !strncmp(program->program, KPROBE_PREFIX, strlen(KPROBE_PREFIX));

	return type == (is_kprobe ? FUNCTION_PROBES_KPROBE : FUNCTION_PROBES_FENTRY);
}

/* Whether a function probe stands in for a tracepoint that this kernel lacks. */
static bool seen_by_function(const char *tracepoint)
{
	if (kernel_btf_has_tracepoint(tracepoint))
		return false;
	for (const struct probe_program *p = probe_programs; p->program; p++)
		if (p->function && !strcmp(p->tracepoint, tracepoint))
			return kernel_btf_has_function(p->function) &&
			       function_probes__type() != FUNCTION_PROBES_NONE;
	return false;
}

/* Access rows need the tracepoint of reads; a function probe does not replace it. */
static bool is_beyond(unsigned int part)
{
	return part & PROBE_ACCESS && seen_by_function("mm_filemap_get_pages");
}

static bool is_seen(const char *tracepoint)
{
	return kernel_btf_has_tracepoint(tracepoint) || seen_by_function(tracepoint);
}

/* A task that polls completes its requests in task context; the interrupt of another request's
 * completion then interrupts the probe, and the kernel skips the inner call. */
static bool is_skipped_at_times(const struct probe_program *program, unsigned int parts)
{
	return capabilities__probes_are_preempted() ||
	       (parts & PROBE_POLLED && !strcmp(program->tracepoint, "block_rq_complete"));
}

bool capabilities__usable(const struct probe_program *program, unsigned int parts)
{
	if (program->part & ~parts || is_beyond(program->part))
		return false;
	if (program->again && !is_skipped_at_times(program, parts))
		return false;
	if (program->with && !is_seen(program->with))
		return false;
	if (program->without && is_seen(program->without))
		return false;
	if (program->function)
		return seen_by_function(program->tracepoint) &&
		       is_of_type(program, function_probes__type());
	return kernel_btf_has_tracepoint(program->tracepoint);
}

/* A kind of figure: exact or bounded where its tracepoints exist, else the fallback. */
struct figure {
	const char *figure;
	unsigned int part;    /* enum probe_part */
	unsigned int also;    /* without this part it falls back */
	const char *needs[3]; /* tracepoints, all required */
	const char *quality;
	const char *note;
	const char *fallback_how;
	const char *fallback_quality;
	const char *fallback_note;
	const char *lean_quality; /* for record --lean; NULL: the same */
	const char *lean_note;
	const char *kprobe_quality; /* with kprobes; NULL: the same */
	const char *kprobe_note;
	const char *splice_note; /* where splices are not seen: bounded; NULL: the same */
};

static const struct figure figures[] = {
	{
		.figure = "block_requests",
		.needs = {"block_rq_issue", "block_rq_complete", "block_rq_merge"},
		.quality = "exact",
		.note = "every request of request-based devices, identified by its tag",
		.fallback_how = "none",
		.fallback_quality = "unavailable",
		.fallback_note = "nothing can be recorded on this kernel",
		.lean_quality = "bounded",
		.lean_note =
			"--lean: every completion; creation and issue times are the kernel's own, taken once for all requests of a plug, so both can be early by the time that the task spent on the requests before it; no depth",
	},
	{
		.figure = "block_submitter",
		.needs = {"block_io_start"},
		.quality = "exact",
		.note = "creation time and submitting task, taken when the request is created",
		.fallback_how = "tp_btf block_rq_insert, block_rq_issue",
		.fallback_quality = "bounded",
		.fallback_note =
			"no block_io_start (before Linux 6.5): a request issued by a kernel worker is attributed to the worker, a flush-only request to nobody; the creation time is the kernel's own start time",
		.lean_quality = "unavailable",
		.lean_note = "--lean: no submitter; cgroup and file are recorded",
	},
	{
		.figure = "cache_reads",
		.part = PROBE_CACHE,
		.needs = {"mm_filemap_get_pages"},
		.quality = "exact",
		.note = "read, readv, pread, preadv, sendfile, splice and io_uring: pages of every "
			"request; readv of several buffers by io_uring: bounded",
		.fallback_how = "none",
		.fallback_quality = "unavailable",
		.fallback_note =
			"no mm_filemap_get_pages (before Linux 6.12), and no fentry or kprobe can take its place: hits "
			"cannot be counted, only pages added and removed",
		.kprobe_quality = "bounded",
		.kprobe_note =
			"read, readv, pread, preadv, sendfile, splice and io_uring: pages of every "
			"request; a request that fails or ends early can count in full while more than 10 tasks (or 2 per CPU) read at once",
		.splice_note =
			"Linux 6.5 to 6.11: sendfile, splice and copy_file_range (cp) count no pages read, but their misses count; "
			"with kprobes a request that fails or ends early can count in full while more than 10 tasks (or 2 per CPU) read at once",
	},
	{
		.figure = "cache_demand_misses",
		.part = PROBE_CACHE,
		.needs = {"page_cache_sync_ra", "mm_filemap_add_to_page_cache"},
		.quality = "exact",
		.note = "pages that the reader itself requested and that were not in the cache at that time; sendfile requests 64 KiB at a time",
		.fallback_how = "none",
		.fallback_quality = "unavailable",
		.fallback_note =
			"no page_cache_sync_ra (before Linux 6.18), and no fentry or kprobe can take its place: demand "
			"misses and readahead cannot be told apart; pages fetched are counted as "
			"added for an unknown reason",
	},
	{
		.figure = "cache_readahead",
		.part = PROBE_CACHE,
		.needs = {"page_cache_async_ra", "page_cache_ra_unbounded",
			  "mm_filemap_delete_from_page_cache"},
		.quality = "exact",
		.note = "added, used and wasted for read(); whether pages mapped by fault-around are used is unknown",
		.splice_note =
			"Linux 6.5 to 6.11: pages that only sendfile, splice or copy_file_range (cp) used count as wasted when they are evicted; whether pages mapped by fault-around are used is unknown",
		.fallback_how = "none",
		.fallback_quality = "unavailable",
		.fallback_note =
			"no readahead tracepoints (before Linux 6.18), and no fentry or kprobe can take its place",
	},
	{
		.figure = "cache_faults",
		.part = PROBE_CACHE,
		.needs = {"mm_filemap_fault", "mm_filemap_map_pages"},
		.quality = "bounded",
		.note = "page faults on mapped files, each once; accesses after a page is mapped are "
			"invisible, and so are faults that map a whole 2 MiB page",
		.fallback_how = "none",
		.fallback_quality = "unavailable",
		.fallback_note =
			"no mm_filemap_fault (before Linux 6.12), and no fentry or kprobe can take its place: reads "
			"through mmap are not counted",
	},
	{
		.figure = "cache_dirtied",
		.part = PROBE_CACHE,
		.needs = {"writeback_dirty_folio"},
		.quality = "bounded",
		.note = "pages of folios that went from clean to dirty: a small write dirties the "
			"whole of a large folio",
		.fallback_how = "tp_btf writeback_dirty_page",
		.fallback_quality = "exact",
		.fallback_note = "pages that went from clean to dirty",
	},
	{
		.figure = "cache_waits",
		.part = PROBE_CACHE,
		.needs = {"page_cache_sync_ra", "sched_switch"},
		.quality = "bounded",
		.note = "read, readv, pread, preadv, sendfile, splice and page faults that slept for a page that another reader or readahead had requested; a sleep while submitting readahead can count as a wait",
		.fallback_how = "none",
		.fallback_quality = "unavailable",
		.fallback_note =
			"no page_cache_sync_ra (before Linux 6.18), and no fentry or kprobe can take its place: waits for another reader's page cannot be detected",
	},
	{
		.figure = "cache_overwritten",
		.part = PROBE_CACHE,
		.needs = {"writeback_dirty_folio", "ext4_da_write_end"},
		.quality = "bounded",
		.note = "buffered writes, and which of their pages were already dirty: exact for ext4, and for xfs built into the kernel; not for other file systems",
		.fallback_how = "none",
		.fallback_quality = "unavailable",
		.fallback_note =
			"no ext4_da_write_end (ext4 is a module), or before Linux 5.18: only "
			"clean pages that become dirty are counted",
	},
	{
		.figure = "cache_evicted",
		.part = PROBE_CACHE,
		.needs = {"mm_filemap_delete_from_page_cache"},
		.quality = "exact",
		.note = "pages evicted by reclaim, attributed to the task that needed the memory",
		.fallback_how = "none",
		.fallback_quality = "unavailable",
		.fallback_note = "no mm_filemap_delete_from_page_cache",
	},
	{
		.figure = "cache_direct",
		.part = PROBE_CACHE,
		.needs = {"iomap_dio_rw_begin"},
		.quality = "exact",
		.note = "O_DIRECT on ext4, xfs, btrfs and other users of iomap; on a block device itself: only in the IO rows",
		.fallback_how = "none",
		.fallback_quality = "unavailable",
		.fallback_note =
			"no iomap_dio_rw_begin (before Linux 6.6): direct IO on files is only in the IO rows, without its file",
	},
	{
		.figure = "access_rows",
		.part = PROBE_ACCESS,
		.needs = {"mm_filemap_get_pages", "sys_enter", "sys_exit"},
		.quality = "exact",
		.note = "system calls that read, write, sync, truncate or advise a file, by their results. Bounded: page faults that map several pages at once, io_uring (no duration; direct IO on a block device and sync are not seen; buffered writes only on ext4 and xfs), append by pwrite, calls of 32-bit programs (buffered, and O_DIRECT through iomap)",
		.fallback_how = "none",
		.fallback_quality = "unavailable",
		.fallback_note =
			"no mm_filemap_get_pages (before Linux 6.12), or no tracepoints of "
			"system calls: there are no access rows",
	},
	{
		.figure = "access_misses",
		.part = PROBE_ACCESS,
		.needs = {"page_cache_sync_ra", "mm_filemap_add_to_page_cache"},
		.quality = "exact",
		.note = "hit_pages, miss_pages and readahead_pages of each operation; bounded with "
			"io_uring where requests in flight end at the same page, and where a file "
			"is truncated during a read",
		.fallback_how = "none",
		.fallback_quality = "unavailable",
		.fallback_note = "no page_cache_sync_ra (before Linux 6.18): reads have no misses",
	},
	{
		.figure = "waits",
		.part = PROBE_WAITS,
		.needs = {"sched_switch", "sched_waking"},
		.quality = "bounded",
		.note = "the sleeps in system calls on files of the recorded devices. Bounded: calls without an open file (open, rename, io_uring_enter) only where they block; page faults and io_uring workers only while they sleep for IO",
		.fallback_how = "none",
		.fallback_quality = "unavailable",
		.fallback_note = "no tracepoints of the scheduler",
	},
	{
		.figure = "wait_calls",
		.part = PROBE_WAITS,
		.also = PROBE_CALLS,
		.needs = {"sys_enter", "sys_exit"},
		.quality = "exact",
		.note = "each call on a file of the recorded devices, from its begin to its end",
		.fallback_how = "tp_btf sched_switch",
		.fallback_quality = "bounded",
		.fallback_note =
			"without --files, or without tracepoints of system calls: only calls that "
			"block, from their first sleep to the end of their last; for requests in "
			"flight (io_getevents, io_uring_enter) each sleep is a call",
	},
	{
		.figure = "cache_throttled",
		.part = PROBE_CACHE,
		.needs = {"writeback_dirty_folio", "balance_dirty_pages"},
		.quality = "bounded",
		.note = "pauses that the kernel imposed on write system calls, in the length that it intended; not on writes through a mapping or io_uring",
		.fallback_how = "none",
		.fallback_quality = "unavailable",
		.fallback_note = "before Linux 5.18: throttled writers are not seen",
	},
	{
		.figure = "kernel_counters",
		.fallback_how = "/proc/diskstats",
		.quality = "exact",
		.note = "ios, merges, sectors and ticks per device as counted by the kernel itself",
	},
	{
		.figure = "bio_devices",
		.part = PROBE_BIOS,
		.needs = {"block_bio_queue", "block_bio_complete", "block_split"},
		.quality = "exact",
		.note = "zram, brd, dm, md and other devices without requests, each bio an IO; an attempt that failed because it must not wait is not counted",
		.fallback_how = "/proc/diskstats",
		.fallback_quality = "unavailable",
		.fallback_note = "only the kernel's own counters of dm, md and zram are recorded",
	},
	{
		.figure = TRACE_TIER_LINKS,
		.part = PROBE_LINKS,
		.needs = {"block_bio_remap"},
		.quality = "bounded",
		.note = "parent_id from the reports of drivers that send a bio on: exact for dm and for a bio that is itself sent on; it can be a neighbour's for bios that an md array splits, and for several bios at one address at once; a request of several bios is attributed to the first; none through loop or a file system",
		.fallback_how = "none",
		.fallback_quality = "unavailable",
		.fallback_note = "no block_bio_remap",
	},
};

static bool has_all(const struct figure *figure)
{
	if (is_beyond(figure->part))
		return false;
	for (size_t i = 0; i < 3 && figure->needs[i]; i++)
		if (!is_seen(figure->needs[i]))
			return false;
	return true;
}

static enum function_probe_type type_of(const struct figure *figure)
{
	for (size_t i = 0; i < 3 && figure->needs[i]; i++)
		if (seen_by_function(figure->needs[i]))
			return function_probes__type();
	return FUNCTION_PROBES_NONE;
}

/* Since Linux 6.5 (2cb1e08985e3 "splice: Use filemap_splice_read() instead of
 * generic_file_splice_read()") splices do not come by filemap_read(). */
static bool splices_are_unseen(void)
{
	return seen_by_function("mm_filemap_get_pages") &&
	       kernel_btf_has_function("filemap_splice_read") &&
	       !kernel_btf_has_function("generic_file_splice_read");
}

static struct trace_tier tier_of(const struct figure *figure, unsigned int parts)
{
	static const char *const names[] = {"tp_btf", "fentry", "kprobe"};
	enum function_probe_type type = type_of(figure);
	struct trace_tier tier = {figure->figure, figure->fallback_how, figure->fallback_quality,
				  figure->fallback_note};

	if (figure->also & ~parts || !has_all(figure))
		return tier;
	if (figure->needs[0])
		tier.how = names[type];
	tier.quality = figure->quality;
	tier.note = figure->note;
	if (type == FUNCTION_PROBES_KPROBE && figure->kprobe_quality) {
		tier.quality = figure->kprobe_quality;
		tier.note = figure->kprobe_note;
	}
	if (figure->splice_note && splices_are_unseen()) {
		tier.quality = "bounded";
		tier.note = figure->splice_note;
	}
	return tier;
}

void capabilities__each_tier(unsigned int parts,
			     void (*each)(const struct trace_tier *tier, void *context),
			     void *context)
{
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		const struct figure *figure = &figures[i];
		struct trace_tier tier = tier_of(figure, parts);

		if (!(parts & PROBE_LIFE) && figure->lean_quality) {
			tier.how = "tp_btf block_rq_complete";
			tier.quality = figure->lean_quality;
			tier.note = figure->lean_note;
		}
		if (!(figure->part & ~parts))
			each(&tier, context);
	}
}

struct wanted_tier {
	const char *figure;
	struct trace_tier tier;
};

static void take_wanted(const struct trace_tier *tier, void *context)
{
	struct wanted_tier *wanted = context;

	if (!strcmp(tier->figure, wanted->figure))
		wanted->tier = *tier;
}

bool capabilities__can_tell(const char *figure, unsigned int parts, const char **why)
{
	struct wanted_tier wanted = {.figure = figure, .tier = {.quality = "unavailable"}};

	capabilities__each_tier(parts, take_wanted, &wanted);
	if (why)
		*why = wanted.tier.note;
	return strcmp(wanted.tier.quality, "unavailable") != 0;
}
