/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The records that the probes send to the collector. Private to one build: both sides are compiled
 * together, and nothing of it is stored in a file. Fixed-width fields, explicit padding, asserted
 * sizes.
 */
#ifndef BLKREEL_BPF_EVENT_H
#define BLKREEL_BPF_EVENT_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define EVENT_COMM_BYTES 16

enum event_type {
	EVENT_IO = 1,
	EVENT_FILE = 2,
	EVENT_ACCESS = 3,
	EVENT_WAKE = 4, /* no data; wakes the collector */
};

enum event_origin { /* as enum io_origin of the trace */
	ORIGIN_UNKNOWN = 0,
	ORIGIN_FILE,
	ORIGIN_BLOCKDEV,
	ORIGIN_DIRECT,
	ORIGIN_SWAP,
	ORIGIN_NONE,
};

enum io_event_flags {
	IO_EVENT_FLUSH_MACHINERY = 1 << 0,
	IO_EVENT_REQUEUED = 1 << 1,
	IO_EVENT_MERGES_CUT = 1 << 2,
	IO_EVENT_NO_START = 1 << 3, /* its creation was not seen: submitter and time are missing */
	IO_EVENT_KTHREAD = 1 << 4,  /* submitted by a kernel thread */
	IO_EVENT_KERNEL_TIME = 1 << 5, /* created_ns is the kernel's own start time */
	IO_EVENT_NO_END = 1 << 6,    /* its completion was not seen: the request began a new life */
	IO_EVENT_AT_DRIVER = 1 << 7, /* issued, and not requeued since */
	IO_EVENT_IN_PARTS = 1 << 8,  /* completed in more than one part */
	IO_EVENT_LEAN = 1 << 9,	     /* record --lean: only its completion was examined */
	IO_EVENT_OVERFLOW = 1 << 10, /* its state is in the overflow table */
	IO_EVENT_BIO = 1 << 11,	     /* of a device without requests; set by the collector */
	IO_EVENT_INSERTED = 1 << 12, /* inserted into an IO scheduler */
};

/* Whose data an IO carries. */
struct io_subject {
	__u64 cgroup; /* kernfs id of the charged cgroup of the io controller */
	__u64 inode;
	__u32 fs_device; /* of the inode's file system; the device itself for ORIGIN_BLOCKDEV */
	__u16 inode_mode;
	__u8 origin;  /* enum event_origin */
	__u8 version; /* of the inode's name, see struct file_event */
};

/* The state of a live request: the value of a slot, or of the overflow table. One CPU submits and
 * another completes: the end of an ordinary request needs only the first cache line, so that the
 * second line does not move between CPUs. */
struct request_state {
	__u64 key; /* address of the request; 0: the slot is free */
	__u64 created_ns;
	__u64 issued_ns; /* first issue to the driver; 0: none */
	char comm[EVENT_COMM_BYTES];
	__u32 pid;
	__u32 tgid;
	__u64 issue_number; /* counts the issued requests of its device, from 1 */
	__u32 device;
	__u16 flags; /* enum io_event_flags */
	__u16 cpu;
	/* From here: read only for a request that was inserted into a scheduler, or whose end was
	 * not seen. */
	__u64 inserted_ns; /* insertion into an IO scheduler; valid with IO_EVENT_INSERTED */
	__u64 sector;
	__u32 bytes;
	__u32 cmd_flags;
	/* From here: only for a request that is completed in parts, as it was before the first
	 * part. */
	__u32 status;
	__u32 merges;
	struct io_subject subject;
	__u16 ioprio;
	__u8 write_hint;
	__u8 padding[5];
};

/* The record of one request. */
struct io_event {
	__u8 type;
	__u8 write_hint; /* enum rw_hint of the kernel */
	__u16 flags;	 /* enum io_event_flags */
	__u32 status;	 /* argument of block_rq_complete: blk_status_t or errno */
	__u64 created_ns;
	__u64 inserted_ns;
	__u64 issued_ns;
	__u64 completed_ns;
	__u64 issue_number; /* 0: not issued, or not seen; with IO_EVENT_BIO: the depth itself */
	__u64 sector;
	__u32 bytes;
	__u32 device;	 /* kernel encoding: major << 20 | minor, of the whole disk */
	__u32 cmd_flags; /* op and flags as this kernel numbers them */
	__u32 pid;
	__u32 tgid;
	__u32 merges;
	__u16 cpu;
	__u16 ioprio; /* as ioprio_set(2) numbers it */
	char comm[EVENT_COMM_BYTES];
	__u32 number; /* set by the collector: IOs of devices below refer to it */
	struct io_subject subject;
};

enum access_event_op { /* as enum access_op of the trace */
	ACCESS_EVENT_READ = 0,
	ACCESS_EVENT_WRITE,
	ACCESS_EVENT_FAULT,
	ACCESS_EVENT_SPLICE,
	ACCESS_EVENT_DIRECT_READ,
	ACCESS_EVENT_DIRECT_WRITE,
	ACCESS_EVENT_SYNC,
	ACCESS_EVENT_ADVICE,
	ACCESS_EVENT_TRUNCATE,
	ACCESS_EVENT_INVALIDATE,
};

enum access_event_flags { /* as enum access_flags of the trace, except the last two */
	ACCESS_EVENT_IO_URING = 1 << 0,
	ACCESS_EVENT_KERNEL = 1 << 1,
	ACCESS_EVENT_DIRTIED = 1 << 2,
	ACCESS_EVENT_DATASYNC = 1 << 3,
	ACCESS_EVENT_WAITS = 1 << 4,
	ACCESS_EVENT_BOUNDED = 1 << 5,
	ACCESS_EVENT_KTHREAD = 1 << 6,
};

/* The record of one operation on a file; pages are the kernel's. */
struct access_event {
	__u8 type; /* 0 while incomplete */
	__u8 op;   /* enum access_event_op */
	__u16 flags;
	__u32 device;
	__u64 inode;
	__u64 time_ns;
	__u64 duration_ns;
	__u64 offset;
	__u64 bytes;
	__u64 cgroup;
	__u64 memory_cgroup; /* of the task: whose page cache it uses */
	__u64 wait_ns;
	__u32 miss_pages;
	__u32 readahead_pages;
	__u32 waits;
	__u16 mode;
	__u16 version; /* of the inode's name */
	__u32 pid;
	__u32 tgid;
	char comm[EVENT_COMM_BYTES];
};

/* The state of the shared ring of one CPU. Each side writes one cache line. */
struct cpu_ring {
	__u64 produced; /* number of records written */
	__u64 busy; /* a probe is writing a record; an interrupting probe uses the ring buffer */
	__u64 padding[6];
	__u64 consumed; /* number of records that the collector has consumed */
	__u64 padding2[7];
};

#define FILE_COMPONENTS	     8
#define FILE_COMPONENT_BYTES 128

/* The name of a file, from its last component upwards; an empty component ends it. */
struct file_event {
	__u8 type;
	__u8 whole;   /* 1: reached the root of its file system */
	__u8 version; /* of the name: one more, modulo 256, after a rename or a new generation */
	__u8 padding;
	__u32 device;
	__u64 inode;
	__u32 generation; /* tells apart files that have had the same inode number */
	__u32 padding2;
	__u64 time_ns; /* when the probes read it */
	char components[FILE_COMPONENTS][FILE_COMPONENT_BYTES];
};

/* Key and value of the page-cache account, in the kernel's pages. */
struct account_key {
	__u64 inode;
	__u32 device;
	__u32 tgid;
	__u32 generation; /* of the inode */
	__u32 padding;
};

struct account {
	__u64 reads;
	__u64 read_pages;
	__u64 demand_miss_pages;
	__u64 fault_pages;
	__u64 readahead_added_pages;
	__u64 readahead_used_pages;
	__u64 readahead_wasted_pages;
	__u64 readahead_untracked_pages;
	__u64 write_added_pages;
	__u64 other_added_pages;
	__u64 dirtied_pages;
	__u64 deleted_pages;
	__u64 waits;
	__u64 wait_ns;
	__u64 written_pages;
	__u64 overwritten_pages;
	__u64 evicted_pages;
	__u64 direct_reads;
	__u64 direct_read_bytes;
	__u64 direct_writes;
	__u64 direct_write_bytes;
	__u64 throttles;
	__u64 throttle_ns;
	__u64 cgroup;
	__u64 program; /* tells the program whose name is comm from others of this process number */
	__u32 inode_mode;
	__u32 named_jiffies; /* when the name was read */
	char comm[EVENT_COMM_BYTES];
};

/* Key and value of the bitmap of pages that readahead added and nobody has touched. */
struct unread_key {
	__u64 mapping;
	__u64 word; /* page index / 64 */
};

struct unread {
	__u64 bits;
	__u32 tgid; /* the process that readahead ran for */
	__u32 padding;
};

/* One watched disk. The fields that change have a cache line of their own. */
struct device_state {
	__u32 device;	   /* as in io_event; 0: the entry is free */
	__u32 queue_slots; /* slots of each hardware queue, indexed by tag */
	__u32 first_slot;
	__u32 end_slot;
	__u64 first_sector; /* the watched range of the disk */
	__u64 end_sector;
	__u64 lost_numbers; /* dropped records of requests with an issue number */
	__u64 padding[3];
	__u64 issued; /* issued requests: written by the issuing CPU, not by the completing one */
	__u64 padding2[7];
};

#define DEVICE_PROBES	  4
#define DEVICE_MULTIPLIER 2654435769u /* Knuth, The Art of Computer Programming 3, 6.4 */

/* Why a disk or partition is in the list of devices. */
enum listed_device {
	LISTED_ABOVE = 1, /* it is above a named one: its files are followed, its IO is not */
	LISTED_NAMED,
};

/* What an account of the page cache is for. */
enum cache_totals {
	CACHE_OF_FILES = 0, /* a file and process */
	CACHE_OF_CPUS,	    /* a device; account_key: tgid is a CPU */
	/* A device and memory cgroup; account_key: tgid is the cgroup's number, the lower half of its
	 * kernfs id, whose upper half is 0 until the lower one has wrapped. */
	CACHE_OF_CGROUPS,
};

/* Set by the collector before load. */
struct probe_config {
	__u32 only_pid; /* this process and its descendants, as the recorder numbers it; 0: all */
	__u64 only_cgroup; /* this cgroup and those below it; 0: all */
	__u32 ring_mask;   /* number of rings - 1; the number is a power of two */
	__u32 wakeup_bytes;
	__u8 devices_listed;	   /* record only disks in the table `devices` */
	__u8 watch_below;	   /* and disks found below them */
	__u8 arguments_have_queue; /* block_rq_issue(q, rq) rather than (rq) */
	__u8 has_io_start;
	__u8 has_task_pt_regs;
	__u32 page_shift;
	__u32 device_shift; /* the table of devices has 1 << (32 - device_shift) entries */
	__u32 device_mask;
	__u32 pinned_bio_flag;	   /* bio->bi_flags: the pages belong to a process; 0: not known */
	__u8 lean;		   /* record --lean: only completions are examined */
	__u8 ops_listed;	   /* record only the operations whose bit in `ops` is set */
	__u64 ops[4];		   /* indexed by the kernel's number */
	__u32 flush_sequence_mask; /* of request.rq_flags */
	__u32 accounted_mask; /* of request.rq_flags: accounted by the kernel (queue/iostats) */
	__u32 accesses;	      /* send a record for each operation on a file */
	__u32 jiffy_ns;
	__u32 pause_argument; /* argument of balance_dirty_pages with the pause; 0: not known */
	__u32 cache_totals;   /* enum cache_totals */
	__u32 cpu_events; /* records per CPU in shared memory, a power of two; 0: no shared memory */
};

struct probe_losses {
	__u64 io_ring;
	__u64 io_state;
	__u64 cache_pages;
	__u64 names;
	__u64 access_ring;
};

_Static_assert(sizeof(struct io_event) == 128, "io_event is an ABI");
_Static_assert(sizeof(struct request_state) == 128, "a slot is two cache lines");
_Static_assert(__builtin_offsetof(struct request_state, inserted_ns) == 64,
	       "the end of an ordinary request needs the first of them");
_Static_assert(sizeof(struct device_state) == 128, "a device is two cache lines");
_Static_assert(sizeof(struct cpu_ring) == 128, "one cache line for each side");
_Static_assert(sizeof(struct file_event) == 32 + FILE_COMPONENTS * FILE_COMPONENT_BYTES,
	       "file_event is an ABI");
_Static_assert(sizeof(struct access_event) == 112, "access_event is an ABI");
_Static_assert(sizeof(struct account_key) == 24, "account_key is a map key without holes");
_Static_assert(sizeof(struct account) == 224, "account is an ABI");

#endif
