/* SPDX-License-Identifier: MIT */
/*
 * Where the time of a recording went: figures and findings, computed once and rendered as text or
 * JSON elsewhere. Nothing here prints.
 */
#ifndef BLKREEL_EXPLAIN_FIGURES_EXPLANATION_H
#define BLKREEL_EXPLAIN_FIGURES_EXPLANATION_H

#include "base/histogram.h"
#include "workload/figures/peak_load.h"
#include "explain/figures/task_waits.h"
#include "trace/rows.h"
#include "workload/page_cache/cache_model.h"

#define EXPLAIN_SLOWEST_MAX   5
#define EXPLAIN_GROUPS_MAX    1000 /* listed of each kind; the rest is summed as "others" */
#define EXPLAIN_TITLE_MAX     128
#define EXPLAIN_SENTENCES_MAX 640
#define EXPLAIN_VERDICT_MAX   1536

/* What /proc/diskstats counts: ios are completed requests, ticks their summed latency. */
struct explain_counters {
	uint64_t ios, merges, bytes, ticks_ms;
};

/* The latency of a request in two parts and as a whole. */
enum explain_latency {
	LATENCY_QUEUE = 0, /* created to issued: in the kernel */
	LATENCY_DEVICE,	   /* issued to completed: at the driver and below */
	LATENCY_TOTAL,	   /* created to completed */
	LATENCY_PART_COUNT
};

enum explain_agreement {
	AGREEMENT_UNKNOWN = 0, /* no tick rows, or the recording was cut or filtered */
	AGREEMENT_EXACT,
	AGREEMENT_EDGES, /* differ by the IOs in flight, or ending, at an edge at most: edges.h */
	AGREEMENT_DIFFERS,
};

/* Sizes up to 512 bytes, 1 KiB, 2 KiB ...; the last class has all larger ones. */
#define EXPLAIN_SIZE_CLASSES 16

enum explain_error_kind {
	ERRORS_OF_DEVICE = 0,
	ERRORS_OF_PATH,
	ERRORS_OF_SPACE,
	ERRORS_REFUSED, /* not supported, or would have had to wait: no work is lost */
	EXPLAIN_ERROR_KINDS
};

struct explain_origin {
	uint64_t ios, bytes, latency_ns;
};

enum explain_direction {
	DIRECTION_READ = 0,
	DIRECTION_WRITE,
	DIRECTION_COUNT
};

/* IOs of a device that are work of IOs of a device above: sums over devices leave them out. */
struct explain_linked {
	struct explain_counters counted[TICK_OP_COUNT];
	struct explain_origin origin[DIRECTION_COUNT][IO_ORIGIN_COUNT];
	/* Requests that flush count as flushes. */
	uint64_t latency_ns[TICK_OP_COUNT][LATENCY_PART_COUNT];
	struct histogram *latency[TICK_OP_COUNT][LATENCY_PART_COUNT]; /* NULL when empty */
};

/*
 * Arrays over enum tick_op follow the columns of /proc/diskstats; histograms are NULL when empty.
 */
struct explain_device {
	uint32_t id;
	struct trace_device info; /* zeroes but for id and name when the table has no entry */
	struct explain_counters counted[TICK_OP_COUNT];
	struct explain_counters kernel[TICK_OP_COUNT]; /* summed from tick rows */
	uint64_t tick_rows;
	uint64_t kernel_busy_ms, kernel_in_queue_ms;
	uint32_t in_flight_at_last_tick;
	uint64_t last_tick_ns, last_completed_ns; /* 0: none */
	enum explain_agreement agreement;

	uint64_t flush_requests;    /* of the write ios: without data, to flush the device cache */
	uint64_t flushes_requested; /* rows that asked for a flush, with data or without */
	uint64_t passthrough_ios;   /* in no other figure, as in /proc/diskstats */
	uint64_t errors[EXPLAIN_ERROR_KINDS];	  /* rows with an error */
	int32_t first_error[EXPLAIN_ERROR_KINDS]; /* negative errno */
	uint64_t started_before; /* rows of requests in flight when recording started */
	uint64_t untimed_ios;	 /* rows whose latency is unknown: in no time figure */
	uint64_t
		timed_from_issue_ios; /* rows without a creation: latency and busy from the issue */
	uint64_t merges_cut_ios;

	uint64_t busy_ns;	  /* at least one request between created and completed */
	bool busy_is_lower_bound; /* see busy.h */
	uint64_t outside_ns; /* at the driver, before the recording began or after its part ended */
	uint64_t in_queue_ns; /* summed latency */
	uint64_t latency_sum_ns[TICK_OP_COUNT][LATENCY_PART_COUNT];
	uint64_t
		preflush_ns; /* of the queue: writes with data, whose flush the device did meanwhile */
	/* The sums have the writes without data, the histograms of writes do not. */
	struct histogram *latency_by_op[TICK_OP_COUNT][LATENCY_PART_COUNT];
	struct histogram *flush_request_latency[LATENCY_PART_COUNT];
	struct histogram *latency[LATENCY_PART_COUNT];
	struct histogram *size_bytes[TICK_OP_COUNT];
	/* Of latency_by_op: the total latency of each class of sizes; only where there are rows. */
	struct histogram *latency_by_size[TICK_OP_COUNT][EXPLAIN_SIZE_CLASSES];
	uint64_t depth_sum, depth_ios, depth_max; /* requests at the driver at each issue */
	/* Of the time at the driver: of IOs that were there with one of another application. A lower bound. */
	uint64_t shared_ns;

	struct explain_origin origin[DIRECTION_COUNT][IO_ORIGIN_COUNT];
	uint64_t sequential_ios[DIRECTION_COUNT]; /* continue one of the last few of their kind */
	uint64_t data_ios[DIRECTION_COUNT];	  /* all IOs among which sequential_ios counts */
	uint64_t sequential_file_reads;		  /* but those of IOs of a device above */
	/* The device of the file system that most reads of files were for; 0:0: not known. */
	uint32_t read_major, read_minor;
	uint64_t small_journal_writes; /* see device_account.c */
	uint64_t direct_read_blocks, direct_repeated_blocks;

	uint64_t kernel_flush_ios;    /* of the kernel's flush machinery */
	uint64_t linked_ios;	      /* IOs that are work of IOs of a device above */
	struct explain_linked linked; /* their part of the figures */
	/* Of `origin`: reads of files of a loop device above, which reads its own file directly. */
	struct explain_origin loop_reads;
	uint64_t part_page_reads; /* reads of file pages that were no multiple of 4 KiB */
	/* IOs that devices below carried out in part, their summed latency, and the part of it
	 * spent below. */
	uint64_t passed_on_ios, passed_on_ns, below_ns;
	struct peak_figures peaks; /* of reads and writes with data whose time is known */
};

/* Figures for which the recorder writes a tier; older kernels cannot tell some of them. */
enum explain_cache_figure {
	CACHE_READS = 0,
	CACHE_DEMAND_MISSES,
	CACHE_READAHEAD,
	CACHE_FAULTS,
	CACHE_DIRTIED,
	/* A recording without a tier of these knows nothing about them. */
	CACHE_WAITS,
	CACHE_OVERWRITTEN,
	CACHE_EVICTED,
	CACHE_DIRECT,
	CACHE_THROTTLED,
	CACHE_FIGURE_COUNT
};

/* Cache rows summed; counts of 4 KiB pages unless named otherwise. */
struct explain_cache {
	bool recorded; /* false: every figure below is unknown, not 0 */
	uint64_t rows;
	uint64_t read_operations, read_pages, demand_miss_pages, fault_pages;
	uint64_t hit_pages; /* read_pages - demand_miss_pages */
	uint64_t readahead_added_pages, readahead_used_pages, readahead_wasted_pages;
	uint64_t readahead_untracked_pages;
	uint64_t readahead_unknown_pages; /* added - used - wasted: untracked, or still cached */
	uint64_t write_added_pages, dirtied_pages, written_back_pages;
	uint64_t other_added_pages, deleted_pages;
	uint64_t waits, wait_ns; /* readers that slept for a page that was being read */
	uint64_t written_pages, overwritten_pages, evicted_pages;
	uint64_t
		damon_pages; /* of evicted_pages: reclaimed by DAMON, however much memory is free */
	uint64_t direct_reads, direct_read_bytes, direct_writes, direct_write_bytes;
	uint64_t throttles, throttle_ns; /* writers that the kernel throttled */
	/* Of demand_miss, readahead_added, readahead_used, readahead_untracked, other_added and
	 * write_added: pages of block devices. */
	uint64_t blockdev_demand_pages, blockdev_readahead_pages, blockdev_used_pages;
	uint64_t blockdev_untracked_pages, blockdev_other_pages, blockdev_write_added_pages;
	const char *quality[CACHE_FIGURE_COUNT]; /* "exact" ... "unavailable"; "": no tier */
	bool hits_known;			 /* reads and demand misses are available */
	bool fetched_known;			 /* demand misses and readahead are available */
	/* Of its rows, each at the end of an interval; 0: the trace does not tell. */
	uint64_t first_interval_begin_ns, last_interval_end_ns, longest_interval_ns;
	uint64_t last_file_read_ns; /* the last creation of a read for file pages */
};

enum explain_present_cache {
	PRESENT_CACHE_UNKNOWN = 0,
	PRESENT_CACHE_MACHINE,
	PRESENT_CACHE_CGROUP, /* of the memory that a control group may use */
	PRESENT_CACHE_GIVEN,  /* by the user */
};

/* What the page cache would have done with half, once, twice and four times its present size. */
struct explain_what_if {
	bool recorded; /* there are rows of accesses */
	enum explain_present_cache present;
	uint64_t present_bytes;
	uint64_t free_bytes; /* of these: free in the recording; the cache was never as large */
	uint64_t size_bytes[CACHE_MODEL_SIZES];
	struct cache_model_result result;
};

/* The share of pages read that were hits, 0 to 100; 0 if none were read. */
double explain_hit_pct(const struct cache_model_counts *counts);

/* Why devices read less than the cache fetched, or another number, as far as it can be known. */
enum explain_gap {
	GAP_NONE = 0,
	GAP_SMALL_BLOCKS, /* blocks below 4 KiB: those past the end of a file are not read */
	GAP_OWN_PAGES,	  /* reads of unknown origin: of pages of a file system that compresses */
	GAP_HOLES,	  /* none of these: holes, or data that lies in the inode */
	GAP_CUT_INTERVAL, /* the trace begins or ends inside an interval of the page cache */
};

/* The path of the data that was read, in bytes. */
struct explain_flow {
	uint64_t application_bytes, hit_bytes, demand_bytes, readahead_bytes;
	uint64_t device_bytes[IO_ORIGIN_COUNT], device_ios[IO_ORIGIN_COUNT];
	bool closed; /* whether the check below is possible: cache and all devices recorded */
	uint64_t fetched_file_pages; /* demand + readahead of files, as the cache counts */
	uint64_t device_file_pages;  /* read for file pages, as the devices count */
	/* Part of device_file_pages read for other reasons, such as metadata of btrfs. */
	uint64_t other_file_pages;
	uint64_t partial_write_pages; /* and before a write changed a part of a page */
	int64_t unaccounted_pages;    /* device_file_pages - the three above */
	/* Bytes of files read from devices / bytes of them that were used; pages that fault-around
	 * mapped count as used. 0: unknown. */
	double read_amplification;
	bool amplification_is_lower_bound; /* such pages were many */
	enum explain_gap gap;
	uint64_t part_page_reads;
};

/* The unaccounted pages without their sign. */
static inline uint64_t explain_pages_apart(const struct explain_flow *f)
{
	return f->unaccounted_pages < 0 ? 0 - (uint64_t)f->unaccounted_pages
					: (uint64_t)f->unaccounted_pages;
}

/* One process, file, cgroup or owner of cgroups. */
struct explain_group {
	uint32_t id; /* table id; of the first thread for a process */
	char *name;
	uint32_t tgid; /* processes, and commands of one process */
	bool kernel_thread;
	uint32_t processes; /* commands: how many processes, told apart by their ids */
	uint64_t ios, bytes;
	uint64_t read_ios, read_bytes, write_ios, write_bytes, other_ios;
	uint64_t latency_sum_ns, latency_p50_ns, latency_p99_ns;
	uint64_t cache_read_pages, cache_hit_pages, cache_miss_pages, cache_dirtied_pages;
	uint64_t cache_fetched_pages; /* from the devices: on demand and by readahead */
	uint64_t waits, wait_ns, written_pages, overwritten_pages, evicted_pages;
	uint64_t direct_read_bytes, direct_write_bytes, throttles, throttle_ns;
};

/* The process that evicted most cached pages that were read again, of a file that only others use. */
struct explain_eviction {
	char *evictor, *file; /* NULL when there is none */
	uint32_t tgid;
	uint64_t pages, again_pages; /* estimated: of these, read from devices again */
};

/* The processes of one command that removed most cached pages that devices read again, not for want of
 * memory. */
struct explain_dropping {
	char *dropper, *file; /* NULL when there is none; the file of which it removed most */
	uint32_t tgid;	      /* of the one that removed most */
	uint32_t processes, files;
	uint64_t pages;	      /* of all these files */
	uint64_t again_pages; /* estimated: how many of these were read from devices again */
	bool used;	      /* it also read or wrote that file through the page cache */
	bool wrote_directly;  /* it wrote to that file with O_DIRECT, which removes cached pages */
};

/* A program for which threads of the kernel sent IOs: they wrote its pages, or a limit held its IOs back. */
struct explain_writer {
	char comm[16];
	bool is_limited;
	uint64_t io_ns; /* summed latency of these IOs */
};

#define EXPLAIN_WRITERS_MAX 3

struct explain_groups {
	struct explain_group *list; /* by summed latency, then bytes, then pages read */
	uint32_t count;
	uint64_t others_count; /* groups that are not listed */
	struct explain_group others;
};

struct explain_slow_io {
	struct io_row row;
	uint64_t total_ns;
	char device[TRACE_NAME_MAX];
	char comm[16];
	uint32_t pid;
	char *file; /* NULL when not known */
};

struct explain_loss {
	uint64_t rows, count;
};

enum explain_severity {
	SEVERITY_INFO = 0,
	SEVERITY_WARNING,
	SEVERITY_CRITICAL
};

struct explain_finding {
	const char *id;
	enum explain_severity severity;
	char device[TRACE_NAME_MAX]; /* "": not about one device */
	char title[EXPLAIN_TITLE_MAX];
	char evidence[EXPLAIN_SENTENCES_MAX];
	char advice[EXPLAIN_SENTENCES_MAX];
	/* Time that tasks waited for what the advice is about: at most this can be saved. */
	bool is_weighed; /* false: no rows of waits, or the finding is not about time */
	uint64_t saves_ns;
	uint64_t saves_max_ns; /* what the device spent on it; 0: not known */
	double saves_pct;      /* the part of that time that it is about; 0: all */
	char saves_of[16];     /* who waited most of it; "": nobody */
};

struct explain_tier {
	char *figure, *how, *quality, *note;
};

struct explanation {
	struct trace_host host;
	struct trace_summary summary;
	bool has_summary;
	bool cut; /* the trace was torn or damaged */
	bool cut_before_rows;
	bool devices_chosen;
	uint64_t duration_ns;
	uint64_t from_ns;      /* of the recording, of which only the rest is explained */
	uint64_t io_rows;      /* of the devices explained */
	uint64_t began_before; /* IOs that were in flight when the recording, or its part, began */
	uint64_t ignored_rows; /* rows of devices or groups beyond a bound: in no device figure */
	struct explain_device **devices;
	uint32_t device_count;
	struct explain_cache cache;
	struct explain_what_if what_if;
	struct explain_flow flow;
	struct explain_waits waits;
	struct explain_groups by_task, by_command, by_file, by_cgroup;
	/* The cgroups by their owners; empty when the names of cgroups are hashes. */
	struct explain_groups by_unit, by_pod, by_container;
	struct explain_writer writers[EXPLAIN_WRITERS_MAX]; /* the longest time first */
	uint32_t writer_count;
	struct explain_eviction eviction;
	struct explain_dropping dropping;
	double reread_pct; /* estimated: of the 4 KiB blocks read for files, those read before */
	uint64_t evicted_again_pages; /* estimated: evicted, and read from devices again */
	struct explain_slow_io slowest[EXPLAIN_SLOWEST_MAX];
	uint32_t slowest_count;
	struct explain_loss losses[LOSS_CLASS_COUNT];
	uint64_t lost;
	struct explain_tier *tiers;
	uint32_t tier_count;
	char verdict[EXPLAIN_VERDICT_MAX]; /* a few sentences */
	struct explain_finding *findings;  /* the gravest first */
	uint32_t finding_count;
};

unsigned int explain_size_class(uint64_t bytes);
uint64_t explain_size_class_bytes(unsigned int size_class); /* its largest size */
void explain_device__free(struct explain_device *d);	    /* NULL is allowed */
void explain_groups_release(struct explain_groups *groups);
/* The run queue counts in and out of calls. */
uint64_t explain_waited_for(const struct explain_wait_task *task, enum wait_cause cause);

/* Of the time of calls: while no write was at the device; over all causes. */
uint64_t explain_no_write_ns(const struct explain_calls *calls);
/* What is read of them: the tasks, or the commands where tasks are more than EXPLAIN_WAITERS_FEW and some are alike. */
#define EXPLAIN_WAITERS_FEW 3u
const struct explain_wait_task *explain_waiters(const struct explain_waits *w, uint32_t *count);
/* "db 4711" or "db (60 tasks)". `text`: EXPLAIN_LABEL_MAX. */
const char *explain_waiter_label(const struct explain_wait_task *task, char *text);
void explain_waits_release(struct explain_waits *waits);
void explanation__free(struct explanation *x); /* NULL is allowed */

/* What figures are grouped by; the words are those of top. */
enum explain_by {
	EXPLAIN_BY_PROCESS = 0,
	EXPLAIN_BY_COMMAND,
	EXPLAIN_BY_CGROUP,
	EXPLAIN_BY_UNIT,
	EXPLAIN_BY_CONTAINER,
	EXPLAIN_BY_POD,
	EXPLAIN_BY_FILE,
	EXPLAIN_BY_ALL, /* each of these */
};

extern const char *const explain_by_names[]; /* with a NULL at the end, for options */
const struct explain_groups *explain_groups_by(const struct explanation *x, enum explain_by by);

/* Of all devices: an IO of a stack of devices counts once, unless devices were named. */
struct explain_totals {
	uint64_t ios[TICK_OP_COUNT], bytes[TICK_OP_COUNT], all_ios;
	uint32_t timed_devices; /* of which latencies are known */
};

struct explain_totals explain_totals_of(const struct explanation *x);

/* How many groups there are. */
uint64_t explain_groups_count(const struct explain_groups *groups);

/* What is read as one: by_task, or by_command where the processes are many and often alike. */
const struct explain_groups *explain_programs(const struct explanation *x);

/* "db", "db 4711" (a process, or the only one of a command) or "db (813 processes)". `text` has
 * EXPLAIN_LABEL_MAX bytes, which suffice for every name but a path. */
#define EXPLAIN_LABEL_MAX 128
const char *explain_group_label(const struct explain_group *group, char *text, size_t size);
/* The same for a column whose head says what is counted: "db (813)". */
const char *explain_group_cell(const struct explain_group *group, char *text, size_t size);

/* "info", "warning", "critical". */
const char *explain_severity_name(enum explain_severity severity);

/* Requests at the driver on average while the device was busy; 0: not known. */
double explain_at_driver_mean(const struct explain_device *d);

/* "at the driver while busy: mean 8.6, at most 128"; "" if depths are not known. `text`: EXPLAIN_LABEL_MAX. */
const char *explain_at_driver_text(const struct explain_device *d, char *text);

/* No IO has a known latency, as in many imported traces: times of the device are not known. */
static inline bool explain_device_is_untimed(const struct explain_device *d)
{
	return d->untimed_ios && !d->busy_ns;
}

/* The trace was not recorded but imported: whether its source lacks something is not known. */
bool explain_is_import(const struct explanation *x);

/* The page cache was recorded, but the trace is a copy by device or operation, which lacks it. */
bool explain_cache_is_left_out(const struct explanation *x);

/*
 * False if the kernel that was recorded could not tell the figure, which is then unknown and not 0.
 */
bool explain_cache_knows(const struct explain_cache *cache, enum explain_cache_figure figure);

/* Times of the rows are multiples of this; 1 when they are whole. */
static inline uint64_t explain_resolution_ns(const struct explanation *x)
{
	return x->host.resolution_ns > 1 ? x->host.resolution_ns : 1;
}

/* `time_ns` with its unit, or "< 1 ms" for a time below the resolution. `text`: UNITS_TEXT_MAX. */
const char *explain_time(const struct explanation *x, uint64_t time_ns, char *text);

/*
 * Whether the rows of operations and the account of the page cache differ in demand misses. The
 * account also has the metadata that the kernel reads. 0 <= *rows, *account: both, without it.
 */
bool explain_misses_differ(const struct explanation *x, uint64_t *rows, uint64_t *account);

/*
 * The summed latency before and at the driver. A flush before a write is no queue: it counts at the driver, with the
 * kernel's row of it if there are such rows.
 */
void explain_where(const struct explain_device *d, uint64_t *queue_ns, uint64_t *device_ns);

/* Of a device: with and without what was refused. */
uint64_t explain_errors(const struct explain_device *d);
uint64_t explain_failures(const struct explain_device *d);

/* 100 * part / whole, 0 when whole is 0. */
double explain_pct(uint64_t part, uint64_t whole);

/* The device whose IOs waited longest in total; NULL if no time is known. */
const struct explain_device *explain_busiest_device(const struct explanation *x);

/* The device with most flushes whose time is known, or NULL. */
const struct explain_device *explain_flushed_device(const struct explanation *x);

#endif
