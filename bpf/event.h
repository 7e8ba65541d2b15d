/*
 * What the probes hand to the collector. Private to one build: both sides are compiled together,
 * nothing of this reaches a file. Fixed-width fields, explicit padding, asserted sizes.
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
	IO_EVENT_NO_START = 1 << 3,    /* its creation was not seen: who and when are missing */
	IO_EVENT_KTHREAD = 1 << 4,     /* submitted by a kernel thread */
	IO_EVENT_KERNEL_TIME = 1 << 5, /* created_ns is the kernel's own start time */
	IO_EVENT_NO_END = 1 << 6,      /* its completion was not seen: the request lives again */
	IO_EVENT_AT_DRIVER = 1 << 7,   /* issued, and not handed back since */
};

/* The life of one request: the value of the table of requests while it lives, then the record. */
struct io_event {
	__u8 type;
	__u8 origin;  /* enum event_origin */
	__u16 flags;  /* enum io_event_flags */
	__u32 status; /* what the kernel gave to block_rq_complete: blk_status_t or errno */
	__u64 created_ns;
	__u64 issued_ns; /* first hand-over to the driver; 0: none */
	__u64 completed_ns;
	__u64 sector;
	__u64 cgroup; /* kernfs id of the io controller's cgroup that is charged */
	__u64 inode;
	__u32 bytes;
	__u32 device;	 /* kernel encoding: major << 20 | minor, of the whole disk */
	__u32 fs_device; /* of the inode's file system, or of the block device for ORIGIN_BLOCKDEV */
	__u32 cmd_flags; /* op and flags as this kernel numbers them */
	__u32 pid;
	__u32 tgid;
	__u32 merges;
	__u32 depth;
	__u16 cpu;
	__u16 inode_mode;
	__u32 padding;
	char comm[EVENT_COMM_BYTES];
};

#define FILE_COMPONENTS	     8
#define FILE_COMPONENT_BYTES 128

/* The name of a file, from its last component upwards; an empty one ends it. */
struct file_event {
	__u8 type;
	__u8 whole; /* 1: reached the root of its file system */
	__u16 mode;
	__u32 device;
	__u64 inode;
	char components[FILE_COMPONENTS][FILE_COMPONENT_BYTES];
};

/* Key and value of the page-cache account, in pages of the kernel. */
struct account_key {
	__u64 inode;
	__u32 device;
	__u32 tgid;
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
	__u64 cgroup;
	__u32 inode_mode;
	__u32 padding;
	char comm[EVENT_COMM_BYTES];
};

/* Key and value of the bitmap of pages that readahead brought and nobody has touched. */
struct unread_key {
	__u64 mapping;
	__u64 word; /* page index / 64 */
};

struct unread {
	__u64 bits;
	__u32 tgid; /* for whom */
	__u32 padding;
};

/* One watched disk: which sectors of it, and how many of its requests the driver holds. */
struct device_state {
	__u64 first_sector;
	__u64 end_sector;
	__u64 in_flight;
};

/* Set by the collector before load. */
struct probe_config {
	__u32 self_tgid;
	__u32 only_tgid;   /* 0: all */
	__u64 only_cgroup; /* 0: all */
	__u32 ring_mask;   /* number of rings - 1, a power of two - 1 */
	__u32 wakeup_bytes;
	__u8 devices_listed;	   /* only disks in the table `devices` */
	__u8 arguments_have_queue; /* block_rq_issue(q, rq) rather than (rq) */
	__u8 has_io_start;
	__u8 has_task_pt_regs;
	__u32 page_shift;
	__u32 cache_totals; /* the account is one per device, not one per file and process */
};

struct probe_losses {
	__u64 io_ring;
	__u64 io_state;
	__u64 cache_pages;
	__u64 names;
};

_Static_assert(sizeof(struct io_event) == 112, "io_event is an ABI");
_Static_assert(sizeof(struct file_event) == 16 + FILE_COMPONENTS * FILE_COMPONENT_BYTES,
	       "file_event is an ABI");
_Static_assert(sizeof(struct account_key) == 16, "account_key is a map key without holes");
_Static_assert(sizeof(struct account) == 128, "account is an ABI");

#endif
