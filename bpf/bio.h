/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The records that the probes of bio-based devices (zram, brd, dm, md, NVMe multipath heads) send
 * to the collector. Private to one build, like event.h.
 */
#ifndef BLKREEL_BPF_BIO_H
#define BLKREEL_BPF_BIO_H

#include "event.h"

enum bio_record_type { /* beside enum event_type */
	RECORD_BIO = 16,
	RECORD_LINK = 17,
};

enum bio_event_flags {
	BIO_EVENT_KTHREAD = 1 << 0,  /* submitted by a kernel thread */
	BIO_EVENT_NO_START = 1 << 1, /* its beginning was not seen */
	BIO_EVENT_NO_END = 1 << 2,   /* its completion was not seen: the bio began a new life */
	BIO_EVENT_RETRIED = 1 << 3, /* a failed attempt that will be repeated: only its links end */
};

/* Identifies an IO of an upper device; the address of a bio alone is soon reused. */
struct bio_identity {
	__u64 address;
	__u64 born_ns;
};

/* The life of one bio at a device without requests: the value of the table of bios while it lives,
 * then the record. */
struct bio_event {
	__u8 type;
	__u8 origin; /* enum event_origin */
	__u16 flags; /* enum bio_event_flags */
	__u16 cpu;
	__u16 inode_mode;
	__u64 created_ns;
	__u64 completed_ns;
	__u64 sector; /* of the whole disk */
	__u64 cgroup;
	__u64 inode;
	struct bio_identity identity;
	__u32 bytes;
	__u32 device; /* as in struct io_event */
	__u32 fs_device;
	__u32 opf;    /* op and flags as this kernel numbers them */
	__u32 status; /* blk_status_t */
	__u32 pid;
	__u32 tgid;
	__u32 depth; /* bios at the device when this one arrived, itself included */
	__u32 parts; /* parts that were split off and end with it */
	__u16 ioprio;
	__u8 version; /* of the inode's name */
	__u8 write_hint;
	char comm[EVENT_COMM_BYTES];
};

/* A driver sends a bio on to a device below. */
struct bio_link {
	__u8 type;
	__u8 padding[3];
	__u32 device; /* the device below */
	__u64 sector; /* on that whole disk */
	__u64 time_ns;
	struct bio_identity parent;
};

/* Set by the collector before load. */
struct bio_config {
	__u8 queue_has_queue; /* block_bio_queue(q, bio) rather than (bio), and so on */
	__u8 remap_has_queue;
	__u8 split_has_queue;
	__u8 links; /* send records of bios that are sent on */
};

struct bio_counts {
	__u64 retried;	/* attempts that failed with EAGAIN because they must not wait */
	__u64 unlinked; /* bios sent on whose bio above was not found */
};

_Static_assert(sizeof(struct bio_event) == 120, "bio_event is an ABI");
_Static_assert(sizeof(struct bio_link) == 40, "bio_link is an ABI");

#endif
