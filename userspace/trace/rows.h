/* SPDX-License-Identifier: MIT */
/*
 * The rows of a recording and the tables that they refer to: the content of a trace file, apart
 * from its encoding. docs/trace-format.md describes every field. Times are ns of CLOCK_MONOTONIC; 0
 * means "not seen". Table ids start at 1; 0 means "none".
 */
#ifndef BLKREEL_TRACE_ROWS_H
#define BLKREEL_TRACE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

enum io_op {
	IO_OP_READ = 0,
	IO_OP_WRITE,
	IO_OP_FLUSH,
	IO_OP_DISCARD,
	IO_OP_SECURE_ERASE,
	IO_OP_WRITE_ZEROES,
	IO_OP_ZONE_OPEN,
	IO_OP_ZONE_CLOSE,
	IO_OP_ZONE_FINISH,
	IO_OP_ZONE_APPEND,
	IO_OP_ZONE_RESET,
	IO_OP_ZONE_RESET_ALL,
	IO_OP_PASSTHROUGH,
	IO_OP_COUNT,
};

enum io_flags {
	IO_SYNC = 1u << 0,
	IO_META = 1u << 1,
	IO_PRIO = 1u << 2,
	IO_FUA = 1u << 3,
	IO_PREFLUSH = 1u << 4, /* the device cache is flushed before this request */
	IO_RAHEAD = 1u << 5,
	IO_BACKGROUND = 1u << 6,
	IO_NOWAIT = 1u << 7,
	IO_IDLE = 1u << 8,
	IO_POLLED = 1u << 9,
	IO_SWAP = 1u << 10,
	IO_ATOMIC = 1u << 11, /* the device writes all of it or nothing */
	/* The write hint: how long the data is expected to live (F_SET_RW_HINT of fcntl(2)). */
	IO_HINT_SHORT = 1u << 12,
	IO_HINT_MEDIUM = 1u << 13,
	IO_HINT_LONG = 1u << 14,
	IO_HINT_EXTREME = 1u << 15,
	/* Set by the recorder, not the kernel: */
	IO_FLUSH_MACHINERY = 1u << 16, /* made by the kernel to carry out another's PREFLUSH/FUA */
	IO_STARTED_BEFORE = 1u << 17,  /* was in flight when recording started */
	IO_REQUEUED = 1u << 18,	       /* was handed back by the driver at least once */
	IO_MERGES_CUT = 1u << 19,      /* `merges` is a lower bound */
	IO_EVENT_MISSED =
		1u << 20, /* the kernel did not deliver every event of its life: a time is 0
					  or the submitter is missing */
};

#define IO_HINTS      (IO_HINT_SHORT | IO_HINT_MEDIUM | IO_HINT_LONG | IO_HINT_EXTREME)
#define IO_HINT_FIRST 2u /* RWH_WRITE_LIFE_SHORT; 0 and 1 say nothing of the data */
#define IO_HINT_LAST  5u

/* The flag of a write hint as fcntl(2) numbers it; 0: it has none. */
static inline uint32_t io_flags_of_hint(uint32_t hint)
{
	if (hint < IO_HINT_FIRST || hint > IO_HINT_LAST)
		return 0;
	return (uint32_t)IO_HINT_SHORT << (hint - IO_HINT_FIRST);
}

/* The write hint as fcntl(2) numbers it; 0: it has none. */
static inline uint8_t io_hint_of_flags(uint32_t flags)
{
	for (uint32_t hint = IO_HINT_FIRST; hint <= IO_HINT_LAST; hint++)
		if (flags & io_flags_of_hint(hint))
			return (uint8_t)hint;
	return 0;
}

/* The origin of an IO's memory, by the first page of its first bio. */
enum io_origin {
	IO_ORIGIN_UNKNOWN = 0, /* kernel memory, or not readable */
	IO_ORIGIN_FILE,	       /* page cache of a regular file or directory */
	IO_ORIGIN_BLOCKDEV,    /* page cache of a block device: file system metadata, raw access */
	IO_ORIGIN_DIRECT,      /* memory of a process (O_DIRECT) */
	IO_ORIGIN_SWAP,
	IO_ORIGIN_NONE, /* no data: flush, discard */
	IO_ORIGIN_COUNT,
};

struct io_row {
	uint64_t created_ns;
	uint64_t inserted_ns; /* first insertion into a scheduler's queue; 0: never, or not seen */
	uint64_t issued_ns;
	uint64_t completed_ns;
	uint64_t sector; /* of 512 bytes, from the start of the whole disk */
	uint64_t bytes;
	uint64_t id;	    /* unique in the trace; 0: nothing refers to this row */
	uint64_t parent_id; /* of the IO of the device above that caused this one; 0: none */
	uint32_t device;    /* table id */
	uint32_t task;	    /* table id of the submitter */
	uint32_t cgroup;    /* table id of the cgroup that is charged */
	uint32_t file;	    /* table id where the data is page cache */
	uint32_t flags;	    /* enum io_flags */
	uint32_t merges;    /* bios merged into this request after its first */
	uint32_t depth;	    /* requests at the driver at issue, including this one */
	int32_t error;	    /* 0 or negative errno */
	uint16_t cpu;	    /* that created it */
	uint16_t ioprio;    /* see base/ioprio.h; 0: none was set */
	uint8_t op;	    /* enum io_op */
	uint8_t origin;	    /* enum io_origin */
};

/*
 * The page cache activity of one task on one file in one interval. Counts are 4 KiB pages unless
 * named otherwise.
 */
struct cache_row {
	uint64_t time_ns;     /* end of the interval */
	uint64_t interval_ns; /* its length */
	uint32_t cgroup;
	uint32_t file;
	uint32_t task;		    /* of the process (thread group) */
	uint64_t reads;		    /* read operations and page faults */
	uint64_t read_pages;	    /* pages that they touched */
	uint64_t demand_miss_pages; /* of these: were not in the cache */
	uint64_t fault_pages;	    /* of read_pages: touched by page fault */
	uint64_t readahead_added_pages;
	uint64_t readahead_used_pages;	    /* touched for the first time after readahead */
	uint64_t readahead_wasted_pages;    /* left the cache without use */
	uint64_t readahead_untracked_pages; /* added, but could not be followed */
	uint64_t write_added_pages;	    /* added by a write */
	uint64_t other_added_pages;	    /* added for an unknown reason */
	uint64_t dirtied_pages;		    /* clean to dirty */
	uint64_t written_back_pages;
	uint64_t deleted_pages;
	uint64_t
		waits; /* a reader slept for a page that another reader or readahead had requested */
	uint64_t wait_ns;	    /* total length */
	uint64_t written_pages;	    /* touched by buffered writes */
	uint64_t overwritten_pages; /* of these: were dirty already */
	uint64_t evicted_pages;	    /* of deleted_pages: to free memory */
	uint64_t direct_reads;	    /* O_DIRECT: bypass the cache, in no count above */
	uint64_t direct_read_bytes;
	uint64_t direct_writes;
	uint64_t direct_write_bytes;
	uint64_t throttles;   /* the kernel delayed a writer because of too many dirty pages */
	uint64_t throttle_ns; /* total length */
};

/* The kernel's own counters of one device over one interval (differences). */
enum tick_op {
	TICK_READ = 0,
	TICK_WRITE,
	TICK_DISCARD,
	TICK_FLUSH,
	TICK_OP_COUNT
};

struct tick_row {
	uint64_t time_ns; /* end of the interval */
	uint64_t interval_ns;
	uint32_t device;
	uint32_t in_flight; /* at the end of the interval */
	uint64_t ios[TICK_OP_COUNT];
	uint64_t merges[TICK_OP_COUNT];
	uint64_t sectors[TICK_OP_COUNT];
	uint64_t ticks_ms[TICK_OP_COUNT];
	uint64_t io_ticks_ms; /* iostat's %util */
	uint64_t in_queue_ms;
	/* The recorder's own measurement, with TICK_MEASURED_BUSY: */
	uint64_t busy_ns;     /* at least one request in flight */
	uint64_t depth_ns;    /* requests in flight, integrated over the time */
	uint32_t depth_max;   /* most of them at once */
	uint32_t measured;    /* enum tick_measured */
	uint64_t snapshot_ns; /* time to read the counters, the longer of both ends; 0: not known */
};

enum tick_measured {
	TICK_MEASURED_BUSY = 1u << 0,
};

enum hist_figure {
	HIST_TOTAL_NS = 0, /* creation to completion */
	HIST_DEVICE_NS,	   /* issue to completion */
	HIST_BYTES,
	HIST_FIGURE_COUNT,
};

/*
 * One bucket of a distribution: requests of one device and operation that completed in an interval
 * with `low` <= value < `high`.
 */
struct hist_row {
	uint64_t time_ns; /* end of the interval */
	uint64_t interval_ns;
	uint64_t low, high; /* high 0: no end */
	uint64_t count;
	uint32_t device;
	uint8_t op;	/* enum io_op, grouped as in tick rows */
	uint8_t figure; /* enum hist_figure */
};

enum access_op {
	ACCESS_READ = 0,
	ACCESS_WRITE,
	ACCESS_FAULT,  /* a page fault on a mapped file */
	ACCESS_SPLICE, /* the read side of sendfile(2), splice(2), copy_file_range(2) */
	ACCESS_DIRECT_READ,
	ACCESS_DIRECT_WRITE,
	ACCESS_SYNC,	   /* fsync(2) and the like; of the whole file where bytes is 0 */
	ACCESS_ADVICE,	   /* readahead(2), posix_fadvise(2): read ahead, not used */
	ACCESS_TRUNCATE,   /* the file ends at offset from now on */
	ACCESS_INVALIDATE, /* pages left the cache, but not to free memory */
	ACCESS_OP_COUNT,
};

enum access_flags {
	ACCESS_IO_URING = 1u << 0,
	ACCESS_KERNEL = 1u << 1,   /* by a kernel thread, or by the kernel for a process (exec) */
	ACCESS_DIRTIED = 1u << 2,  /* a fault for writing */
	ACCESS_DATASYNC = 1u << 3, /* fdatasync(2), or a range of the file only */
	ACCESS_WAITS =
		1u << 4, /* O_SYNC or O_DSYNC: the write ends when the data is on the device */
	ACCESS_BOUNDED = 1u << 16, /* set by the recorder: the range is not exact */
};

/*
 * One logical operation on a file, as requested. Pages are of 4 KiB; the range touches
 * access_row_pages() of them. hit_pages of these were in the cache when the operation began;
 * miss_pages were read (read) or created (write) for it.
 */
struct access_row {
	uint64_t time_ns;     /* when it began */
	uint64_t duration_ns; /* 0: not known */
	uint64_t offset;      /* bytes */
	uint64_t bytes;	      /* that were transferred, or invalidated */
	uint64_t hit_pages, miss_pages;
	uint64_t readahead_pages; /* read ahead because of it, beyond its range */
	uint64_t wait_ns;	  /* total length of `waits` */
	uint32_t waits; /* it slept for a page that another reader or readahead had requested */
	uint32_t task, cgroup, file;
	uint32_t flags; /* enum access_flags */
	uint8_t op;	/* enum access_op */
};

/* What a wait row is about. */
enum wait_what {
	WAIT_SLEEP = 0, /* one sleep, in a call on a file or for IO outside of one */
	WAIT_CALL,	/* one call during which the task did not run all the time */
	WAIT_CALLS,	/* one bucket of the other calls of an interval */
	WAIT_TASK,	/* a task over an interval, inside and outside of such calls */
	WAIT_WHAT_COUNT,
};

enum wait_call {
	WAIT_CALL_NONE = 0, /* in none that is followed: the stack tells which */
	WAIT_CALL_READ,
	WAIT_CALL_WRITE,
	WAIT_CALL_FSYNC,
	WAIT_CALL_FDATASYNC,
	WAIT_CALL_SYNC,	    /* sync, syncfs, sync_file_range, msync */
	WAIT_CALL_SPLICE,   /* sendfile, splice, copy_file_range */
	WAIT_CALL_TRUNCATE, /* truncate, ftruncate, fallocate */
	WAIT_CALL_ADVICE,   /* readahead, posix_fadvise, madvise */
	WAIT_CALL_OPEN,
	WAIT_CALL_CLOSE,
	WAIT_CALL_NAME, /* stat, unlink, rename, mkdir, getdents and the like */
	WAIT_CALL_AIO_SUBMIT,
	WAIT_CALL_AIO_WAIT,
	WAIT_CALL_IO_URING,
	WAIT_CALL_EXEC,
	WAIT_CALL_COUNT,
};

enum wait_flags {
	WAIT_IOWAIT = 1u << 0,	  /* the kernel counted the sleep as a wait for IO */
	WAIT_NO_WAKEUP = 1u << 1, /* the wakeup was not seen: the sleep includes the run queue */
	WAIT_CUT = 1u << 2, /* it had not ended when the file ended: the next one has all of it */
};

/* Where a task was, by time: see enum wait_what. Times that do not apply are 0. */
struct wait_row {
	uint64_t time_ns;      /* of its start; the end of the interval */
	uint64_t duration_ns;  /* of the sleep, of the call or calls, of the interval */
	uint64_t run_queue_ns; /* woken or preempted, waiting for a CPU */
	uint64_t cpu_ns;       /* running */
	uint64_t sleep_ns;     /* of a call or task: sleeping */
	uint64_t call_ns;      /* when the call began that a sleep or call row is of; 0: none */
	uint64_t count;	       /* calls */
	uint64_t low, high;    /* of WAIT_CALLS: low <= duration of each < high; high 0: no end */
	uint32_t task, file;
	uint32_t waker; /* task that ran where the wakeup came from */
	uint32_t stack;
	uint32_t flags; /* enum wait_flags */
	uint8_t what, call;
};

enum loss_class {
	LOSS_IO_RING = 0, /* io records dropped because a ring buffer was full */
	LOSS_IO_STATE,	  /* requests not followed because the table of requests was full */
	LOSS_CACHE_TABLE, /* pages not attributed because the table of accounts was full */
	LOSS_RECURSION,	  /* probe calls skipped by the kernel (recursion misses) */
	LOSS_NAMES,	  /* file names dropped because a ring buffer was full */
	LOSS_OUTPUT,	  /* rows that could not be written to the output */
	LOSS_IO_EVENT,	  /* io rows of which the kernel did not deliver every event */
	LOSS_FILE_DAMAGE, /* rows lost because the file was damaged: found by repair */
	LOSS_ACCESS_RING, /* access records dropped because a ring buffer was full */
	LOSS_WAITS, /* sleeps, their stacks, or calls dropped because a ring or a table was full */
	LOSS_CLASS_COUNT,
};

struct loss_row {
	uint64_t from_ns, to_ns;
	uint64_t count;
	uint32_t class; /* enum loss_class */
};

enum row_kind {
	ROW_IO = 0,
	ROW_CACHE,
	ROW_TICK,
	ROW_LOSS,
	ROW_HIST,
	ROW_ACCESS,
	ROW_WAIT,
	ROW_KIND_COUNT
};

/* One block of rows, valid until the next call of its producer. */
struct row_block {
	enum row_kind kind;
	uint32_t rows;
	union {
		const struct io_row *io;
		const struct cache_row *cache;
		const struct tick_row *tick;
		const struct loss_row *loss;
		const struct hist_row *hist;
		const struct access_row *access;
		const struct wait_row *wait;
	};
};

#define TRACE_NAME_MAX 32
#define TRACE_TEXT_MAX 256
#define TRACE_PATH_MAX 4096

struct trace_device {
	uint32_t id;
	uint32_t major, minor;
	char name[TRACE_NAME_MAX];
	uint64_t size_bytes;
	uint32_t logical_block_bytes, physical_block_bytes;
	uint32_t nr_requests, read_ahead_kb;
	uint64_t max_discard_bytes;
	char scheduler[TRACE_NAME_MAX];
	char model[TRACE_TEXT_MAX];
	char zoned[TRACE_NAME_MAX];	 /* "host-managed", "host-aware"; "": no zones */
	uint64_t zone_bytes;		 /* 0: no zones */
	char stacked_on[TRACE_TEXT_MAX]; /* "file /srv/disk.img", "dm sda1 sdb1", "" for none */
	bool rotational, write_cache, fua;
	bool bio_based; /* works without requests */
};

struct trace_task {
	uint32_t id;
	uint32_t pid, tgid;
	bool kernel_thread;
	char comm[16];
};

enum file_kind {
	FILE_REGULAR = 0,
	FILE_DIRECTORY,
	FILE_BLOCKDEV,
	FILE_OTHER
};

struct trace_file {
	uint32_t id;
	uint32_t major,
		minor; /* of the file system's device; of the device itself for FILE_BLOCKDEV */
	uint64_t inode;
	uint32_t
		generation; /* tells it from other files that had this inode number; 0: not known */
	uint32_t
		first_id; /* the lowest id of this very file, which was renamed since; set by readers */
	enum file_kind kind;
	const char *path; /* at the time of its rows; "" when it was not seen; owned by the table */
};

#define TRACE_IO_LIMITS_MAX 64u /* of a cgroup */

/* What a cgroup, or one above it, may read and write of a device per second; 0: no limit. */
struct trace_io_limit {
	uint32_t major, minor;
	uint32_t above; /* whose limit it is: 0: its own, 1: of the cgroup above it, ... */
	uint64_t read_bytes_per_s, write_bytes_per_s, read_ios_per_s, write_ios_per_s;
};

struct trace_cgroup {
	uint32_t id;
	uint64_t kernel_id;
	const char *path; /* "" when not resolved; owned by the table */
	/* Of its container and pod, as the state files of their runtime had them; NULL: not known.
	 * Any bytes; owned by the table. */
	const char *container, *pod, *pod_namespace;
	/* When the cgroup was first seen; owned by the table. */
	const struct trace_io_limit *io_limits;
	uint32_t io_limit_count;
};

/* A stack of the kernel in which a task slept. */
struct trace_stack {
	uint32_t id;
	const char *functions; /* the innermost first, separated by spaces; owned by the table */
};

/* How one figure was measured on this kernel, and its quality. */
/* The figure of a tier that exists only when not every request was recorded; `how` tells which. */
#define TRACE_TIER_FILTER "filter"
/* After the name of a kind of rows: the figure of a tier of copies that left all these rows out. */
#define TRACE_TIER_LEFT_OUT "_left_out"
/* The figure of a tier of replays that left parties out; `how` names these. */
#define TRACE_TIER_WITHOUT "replay_without"
/* The figure of a tier of traces whose rows can have ids and parent_ids. */
#define TRACE_TIER_LINKS "stack_links"

struct trace_tier {
	const char *figure;  /* "block", "page_cache_reads" ... */
	const char *how;     /* "tp_btf", "raw_tp", "/proc/diskstats", "none" */
	const char *quality; /* "exact", "bounded", "estimated", "unavailable" */
	const char *note;    /* its meaning or cost; may be "" */
};

struct trace_host {
	char tool[TRACE_TEXT_MAX]; /* "blkreel 0.1.0" */
	char hostname[TRACE_TEXT_MAX];
	char kernel[TRACE_TEXT_MAX];
	char machine[TRACE_NAME_MAX];
	char command[TRACE_TEXT_MAX]; /* the recording's command line, cut at the end if long */
	char reason[TRACE_TEXT_MAX];  /* why the flight recorder wrote it; "": no flight recorder */
	char replay_mode[TRACE_NAME_MAX]; /* of the replay that recorded itself; "": none did */
	bool replay_generated;		  /* that replay played a profile or a job file */
	/* The request with which a trigger of the flight recorder fired; "" and 0: there was none. */
	char trigger_device[TRACE_NAME_MAX], trigger_op[TRACE_NAME_MAX]; /* as enum tick_op */
	uint64_t trigger_latency_ns; /* creation to completion */
	uint64_t trigger_end_ns;     /* CLOCK_MONOTONIC of its completion */
	uint64_t start_ns;	     /* CLOCK_MONOTONIC when the probes were attached */
	uint64_t start_wall_ns;	     /* CLOCK_REALTIME at that moment */
	uint64_t resolution_ns;	     /* times are multiples of it */
	bool anonymized;	     /* names are hashes: see anonymize.h */
};

/* Totals that are known only at the end. */
struct trace_summary {
	uint64_t stop_ns;		  /* CLOCK_MONOTONIC when the probes were detached */
	uint64_t stop_wall_ns;		  /* CLOCK_REALTIME at that moment; 0: not known */
	uint64_t in_flight_at_end;	  /* requests that were not completed: without a row */
	uint64_t started_before;	  /* rows with IO_STARTED_BEFORE */
	uint64_t readahead_unknown_pages; /* read ahead, not yet used at the end */
	uint64_t page_cache_bytes;	  /* cached files at their peak; 0: not known */
	uint64_t page_cache_free_bytes;	  /* memory that was free then; 0: none, or not known */
	bool page_cache_of_cgroup; /* in the memory of a control group; else of the machine */
	bool page_cache_mglru;	   /* the kernel used MGLRU, not two LRU lists */
	bool repaired; /* made by repair: in_flight_at_end and command_status are not known */
	int32_t command_status; /* of `-- CMD`, as waitpid() gives it; -1: there was none */
};

const char *tick_op_name(enum tick_op op);	       /* "read", "write", "discard", "flush" */
const char *io_op_name(enum io_op op);		       /* "read", ... */
int io_op_from_name(const char *name);		       /* enum io_op or -EINVAL */
const char *io_origin_name(enum io_origin origin);     /* "file", ... */
const char *hist_figure_name(enum hist_figure figure); /* "total_ns", ... */
const char *loss_class_name(enum loss_class class);    /* "io_ring", ... */
const char *loss_class_meaning(enum loss_class class); /* what was lost, as text */
const char *loss_class_remedy(enum loss_class class);  /* what helps, as text */
const char *access_op_name(enum access_op op);	       /* "read", ... */
const char *wait_what_name(enum wait_what what);       /* "sleep", ... */
const char *wait_call_name(enum wait_call call);       /* "read", ...; "" for none */
const char *file_kind_name(enum file_kind kind);
const char *trace_row_name(enum row_kind kind); /* "io", "cache" ... */

/* "sync|meta|fua", or "" ; `text` holds IO_FLAGS_TEXT_MAX bytes and is returned. */
#define IO_FLAGS_TEXT_MAX 256
const char *io_flags_text(uint32_t flags, char *text);

/* The same for enum access_flags. */
const char *access_flags_text(uint32_t flags, char *text);
const char *wait_flags_text(uint32_t flags, char *text);

/* Pages of 4 KiB that the range of an access touches; 0 where it has none. */
static inline uint64_t access_row_pages(const struct access_row *row)
{
	uint64_t end = row->offset + row->bytes;

	if (!row->bytes || end < row->offset)
		return 0;
	return (end - 1) / 4096 - row->offset / 4096 + 1;
}

/* Whether the operation uses pages of the cache, which keeps them there. */
static inline bool access_row_is_cached(const struct access_row *row)
{
	return row->op <= ACCESS_SPLICE;
}

/*
 * Whether an application or file system requested the IO. False for IOs of the kernel's flush
 * machinery, which a replay or a comparison must not repeat.
 */
static inline bool io_row_is_request(const struct io_row *row)
{
	return !(row->flags & IO_FLUSH_MACHINERY);
}

/*
 * Decides between IOs that were created at the same time, as times can be coarse and a batch can have
 * one time: they were issued one after the other, each to a device with one more in flight. Rows come
 * in order of completion.
 */
static inline uint64_t io_row_turn(const struct io_row *row)
{
	uint64_t wait_ns = row->issued_ns > row->created_ns ? row->issued_ns - row->created_ns : 0;

	return (wait_ns < UINT32_MAX ? wait_ns : UINT32_MAX) << 32 | row->depth;
}

/* How the kernel's counters of a device count the IO (enum tick_op); -1: not at all. */
static inline int io_row_tick_op(const struct io_row *row)
{
	if (row->op == IO_OP_PASSTHROUGH)
		return -1;
	if (row->op == IO_OP_FLUSH || !io_row_is_request(row))
		return TICK_FLUSH;
	if (row->op == IO_OP_READ)
		return TICK_READ;
	if (row->op == IO_OP_DISCARD)
		return TICK_DISCARD;
	/* secure erase, write zeroes and zone operations: the kernel counts them as writes */
	return TICK_WRITE;
}

/* Makes the ids of rows unique among several traces. */
static inline void io_row_spread_ids(struct io_row *row, unsigned int sources, unsigned int source)
{
	if (row->id)
		row->id = row->id * sources + source;
	if (row->parent_id)
		row->parent_id = row->parent_id * sources + source;
}

/* A write without data that only flushes the device cache (fsync). */
static inline bool io_row_is_flush_request(const struct io_row *row)
{
	return row->op == IO_OP_WRITE && !row->bytes && (row->flags & IO_PREFLUSH);
}

/* A request for a flush, or a flush of its own. */
static inline bool io_row_is_flush(const struct io_row *row)
{
	return row->op == IO_OP_FLUSH || io_row_is_flush_request(row);
}

#endif
