/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Every difference between kernels, once, each with the commit that made it. Resolved when the
 * programs are loaded, from the running kernel's BTF; never by a version number.
 */
#ifndef BLKREEL_BPF_COMPAT_BPF_H
#define BLKREEL_BPF_COMPAT_BPF_H

#include <bpf/bpf_core_read.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* Before request_queue.disk. f3fa33acca9f ("block: remove the ->rq_disk field in struct request") */
struct request___rq_disk {
	struct gendisk *rq_disk;
};

/* "block: remove the ioprio field from struct request": since Linux 6.13 only the bio has it. */
struct request___ioprio {
	unsigned short ioprio;
};

/* The write hint of a bio: 16 bits until c75e707fe1aa ("block: remove the per-bio/request write hint"), an enum
 * of 8 bits since 449813515d3e ("block, fs: Restore the per-bio/request data lifetime fields"), Linux 6.9. */
struct bio___write_hint {
	unsigned short bi_write_hint;
};

enum rw_hint___byte {
	WRITE_LIFE_NOT_SET___byte = 0,
} __attribute__((packed));

struct bio___write_hint_byte {
	enum rw_hint___byte bi_write_hint;
};

/* Before request.queuelist was used for it. 81ada09cc25e ("blk-flush: reuse rq queuelist in flush
 * state machine") */
struct request___flush_list {
	struct {
		struct list_head list;
	} flush;
};

/* Before bio.bi_bdev. 309dca309fc3 ("block: store a block_device pointer in struct bio") */
struct bio___bi_disk {
	struct gendisk *bi_disk;
	__u8 bi_partno;
};

struct hd_struct___start_sect {
	__u64 start_sect;
};

struct disk_part_tbl___part {
	struct hd_struct___start_sect *part[1];
};

struct gendisk___part_tbl {
	struct disk_part_tbl___part *part_tbl;
};

/* In Linux 7.2 the union d_u around it has no name any more. */
struct dentry___no_d_u {
	struct hlist_node d_alias;
};

/* The name of the number of pages from Linux 6.6 to 6.12. */
struct folio___folio_nr_pages {
	unsigned int _folio_nr_pages;
};

/* Up to Linux 6.1 only its logarithm was stored. */
struct folio___folio_order {
	unsigned char _folio_order;
};

/* compound_head until the tail pages of hugetlb were reworked for Linux 7.1: since then either the
 * address of the head page, or a mask that turns the page's address into it; bit 0 is set. */
struct page___compound_info {
	unsigned long compound_info;
};

/* Before btrfs_fs_devices.latest_dev. d24fa5c1da08 ("btrfs: convert latest_bdev type to
 * btrfs_device and rename") */
struct btrfs_fs_devices___latest_bdev {
	struct block_device *latest_bdev;
};

#pragma clang attribute pop

enum pageflags___swapbacked {
	PG_swapbacked___swapbacked = 17,
};

enum pageflags___head {
	PG_head___head = 6,
};

enum cgroup_subsys_id___io {
	io_cgrp_id___io = 3,
};

enum cgroup_subsys_id___memory {
	memory_cgrp_id___memory = 4,
};

#define OP_MASK	 0xffu
#define OP_WRITE 1u /* as REQ_OP_WRITE in every supported kernel */
#define OP_FLUSH 2u /* REQ_OP_FLUSH has this number in every supported kernel */

/* bpf_get_current_task_btf: 3ca1032ab7ab ("bpf: Implement get_current_task_btf and RET_PTR_TO_BTF_ID"),
 * Linux 5.11. */
enum bpf_func_id___task_btf {
	BPF_FUNC_get_current_task_btf___task_btf = 158,
};

/* Reads the current task: ids, and its name (16 bytes, aligned to 8). Returns its flags. */
static __always_inline unsigned int current_task(__u32 *pid, __u32 *tgid, char *comm)
{
	struct task_struct *task;
	__u64 id;

	if (bpf_core_enum_value_exists(enum bpf_func_id___task_btf,
				       BPF_FUNC_get_current_task_btf___task_btf)) {
		task = bpf_get_current_task_btf();
		*pid = (__u32)task->pid;
		*tgid = (__u32)task->tgid;
		((__u64 *)comm)[0] = ((__u64 *)task->comm)[0];
		((__u64 *)comm)[1] = ((__u64 *)task->comm)[1];
		return task->flags;
	}
	task = (struct task_struct *)bpf_get_current_task();
	id = bpf_get_current_pid_tgid();
	*pid = (__u32)id;
	*tgid = id >> 32;
	bpf_get_current_comm(comm, 16);
	return BPF_CORE_READ(task, flags);
}

/* Read directly, so that the verifier knows the type and allows direct reads of its fields. */
static __always_inline struct gendisk *request_disk(struct request *rq)
{
	if (bpf_core_field_exists(struct request_queue, disk))
		return rq->q->disk;
	return ((struct request___rq_disk *)rq)->rq_disk;
}

/* Newer kernels do not store it for a request without a bio. */
static __always_inline __u16 request_ioprio(struct request *rq)
{
	struct bio *bio;

	if (bpf_core_field_exists(struct request___ioprio, ioprio))
		return ((struct request___ioprio *)rq)->ioprio;
	bio = rq->bio;
	return bio ? bio->bi_ioprio : 0;
}

/* enum rw_hint of the kernel; 0 where the kernel has none. */
static __always_inline __u8 bio_write_hint(struct bio *bio)
{
	if (bpf_core_field_exists(struct bio___write_hint_byte, bi_write_hint))
		return ((struct bio___write_hint_byte *)bio)->bi_write_hint;
	if (bpf_core_field_exists(struct bio___write_hint, bi_write_hint))
		return ((struct bio___write_hint *)bio)->bi_write_hint;
	return 0;
}

static __always_inline __u8 request_write_hint(struct request *rq)
{
	struct bio *bio = rq->bio;

	return bio ? bio_write_hint(bio) : 0;
}

/*
 * Argument n of an event that has a queue before it on older kernels. The load stays in its branch:
 * the verifier of those kernels rejects a modified context pointer. "block: remove the
 * request_queue argument to the block_bio_remap tracepoint", and others of that series
 */
static __always_inline __u64 tracepoint_argument(const __u64 *ctx, bool has_queue, int n)
{
	__u64 value;

	if (!has_queue)
		return ctx[n];
	value = ctx[n + 1];
	asm volatile("" : "+r"(value));
	return value;
}

static __always_inline struct gendisk *bio_disk(struct bio *bio)
{
	if (bpf_core_field_exists(struct bio, bi_bdev))
		return BPF_CORE_READ(bio, bi_bdev, bd_disk);
	return BPF_CORE_READ((struct bio___bi_disk *)bio, bi_disk);
}

/* Loads without helpers: this runs for every bio of the machine. */
static __always_inline bool bio_has_requests(struct bio *bio)
{
	if (bpf_core_field_exists(struct bio, bi_bdev))
		return bio->bi_bdev->bd_disk->queue->mq_ops != NULL;
	return ((struct bio___bi_disk *)bio)->bi_disk->queue->mq_ops != NULL;
}

/* The device that the bio was sent to, possibly a partition; 0: the kernel does not store it. */
static __always_inline __u32 bio_part_number(struct bio *bio)
{
	if (!bpf_core_field_exists(struct bio, bi_bdev))
		return 0;
	return BPF_CORE_READ(bio, bi_bdev, bd_dev);
}

/* The first sector of the partition that the bio is about to be sent to. */
static __always_inline __u64 bio_part_start(struct bio *bio)
{
	struct hd_struct___start_sect *part;
	struct disk_part_tbl___part *table;
	struct gendisk___part_tbl *disk;
	unsigned int number;

	if (bpf_core_field_exists(struct bio, bi_bdev))
		return BPF_CORE_READ(bio, bi_bdev, bd_start_sect);
	number = BPF_CORE_READ((struct bio___bi_disk *)bio, bi_partno);
	if (!number)
		return 0;
	disk = (void *)bio_disk(bio);
	table = BPF_CORE_READ(disk, part_tbl);
	if (bpf_probe_read_kernel(&part, sizeof(part),
				  (void *)table +
					  bpf_core_field_offset(struct disk_part_tbl___part, part) +
					  number * sizeof(part)))
		return 0;
	return BPF_CORE_READ(part, start_sect);
}

/* The numbers of request flags differ, and some kernels define them in an unnamed enum, which CO-RE
 * cannot look up: the collector sets the masks. */
static __always_inline bool request_has_flag(struct request *rq, __u32 mask)
{
	return rq->rq_flags & mask;
}

/* The offset in a request of the node by which it waits for a flush. */
static __always_inline unsigned long flush_list_offset(void)
{
	if (bpf_core_field_exists(struct request___flush_list, flush.list))
		return bpf_core_field_offset(struct request___flush_list, flush.list);
	return bpf_core_field_offset(struct request, queuelist);
}

/* The offset in a dentry of the node that links it into the inode's list of names. */
static __always_inline unsigned long dentry_alias_offset(void)
{
	if (bpf_core_field_exists(struct dentry, d_u.d_alias))
		return bpf_core_field_offset(struct dentry, d_u.d_alias);
	return bpf_core_field_offset(struct dentry___no_d_u, d_alias);
}

static __always_inline struct page *head_page(struct page *page)
{
	struct page___compound_info *newer = (void *)page;
	unsigned long word;

	if (bpf_core_field_exists(struct page, compound_head)) {
		word = BPF_CORE_READ(page, compound_head);
		return word & 1 ? (struct page *)(word - 1) : page;
	}
	if (!bpf_core_field_exists(struct page___compound_info, compound_info))
		return page;
	word = BPF_CORE_READ(newer, compound_info);
	if (!(word & 1))
		return page;
	/* No struct page lies in the last 4 GiB of the address space. */
	if (word >> 32 == 0xffffffff)
		return (struct page *)((unsigned long)page & word);
	return (struct page *)(word - 1);
}

/* Reads the word of struct page that holds the mapping of a page-cache page; false: not available,
 * because the page is not the first of a large one, or this kernel stores the mapping elsewhere.
 * Both words are in unions, so the verifier takes them for pointers and forbids bit operations:
 * passing through `word` turns them into numbers. */
static __always_inline bool page_mapping(struct page *page, volatile __u64 *word)
{
	if (!bpf_core_field_exists(struct page, compound_head))
		return false;
	*word = (__u64)page->compound_head;
	if (*word & 1)
		return false;
	*word = (__u64)page->mapping;
	return true;
}

/* The block device that joined last; usually there is one. */
static __always_inline struct block_device *btrfs_bdev(struct super_block *sb)
{
	struct btrfs_fs_devices___latest_bdev *older;
	struct btrfs_fs_devices *devices;
	struct btrfs_fs_info *info;

	if (!bpf_core_field_exists(struct btrfs_fs_info, fs_devices))
		return NULL;
	info = BPF_CORE_READ(sb, s_fs_info);
	devices = BPF_CORE_READ(info, fs_devices);
	if (bpf_core_field_exists(struct btrfs_fs_devices, latest_dev))
		return BPF_CORE_READ(devices, latest_dev, bdev);
	older = (void *)devices;
	if (bpf_core_field_exists(struct btrfs_fs_devices___latest_bdev, latest_bdev))
		return BPF_CORE_READ(older, latest_bdev);
	return NULL;
}

/* The flags word is the first of struct page and struct folio in every kernel; in 6.18 it is a
 * struct (memdesc_flags_t), which a typed access would miss. */
static __always_inline unsigned long page_flags(const void *page)
{
	unsigned long flags = 0;

	bpf_probe_read_kernel(&flags, sizeof(flags), page);
	return flags;
}

static __always_inline bool page_is_head(const void *page)
{
	return page_flags(page) &
	       (1ul << bpf_core_enum_value(enum pageflags___head, PG_head___head));
}

/* A page without a mapping that is backed by swap: the kernel has allocated it to read it back. */
static __always_inline bool page_comes_from_swap(const void *head)
{
	return page_flags(head) & (1ul << bpf_core_enum_value(enum pageflags___swapbacked,
							      PG_swapbacked___swapbacked));
}

/* Pages in a folio; 1 where the page cache has no large folios (before folios: a page). */
static __always_inline unsigned int folio_pages(struct folio *folio)
{
	if (!page_is_head(folio))
		return 1;
	if (bpf_core_field_exists(struct folio, _nr_pages))
		return BPF_CORE_READ(folio, _nr_pages);
	if (bpf_core_field_exists(struct folio___folio_nr_pages, _folio_nr_pages))
		return BPF_CORE_READ((struct folio___folio_nr_pages *)folio, _folio_nr_pages);
	if (bpf_core_field_exists(struct folio___folio_order, _folio_order))
		return 1u << (BPF_CORE_READ((struct folio___folio_order *)folio, _folio_order) &
			      31);
	return 1;
}

static __always_inline unsigned long folio_index(struct folio *folio)
{
	if (bpf_core_field_exists(struct folio, index))
		return BPF_CORE_READ(folio, index);
	return BPF_CORE_READ((struct page *)folio, index);
}

static __always_inline struct address_space *folio_mapping(struct folio *folio)
{
	if (bpf_core_field_exists(struct folio, mapping))
		return BPF_CORE_READ(folio, mapping);
	return BPF_CORE_READ((struct page *)folio, mapping);
}

/* The same on every supported architecture. */
#define O_APPEND	    02000
#define O_DSYNC		    010000
#define POSIX_FADV_WILLNEED 3
#define SYS_IO_URING_ENTER  426
#define RWF_NOWAIT	    8

/* The current system call of the task, and its arguments. */
#define SYS_NONE       (-1) /* as in the kernel: the task is in no system call */
#define SYS_OF_32_BITS (-2) /* our own value: a 32-bit system call */
struct syscall_info {
	long number;
	unsigned long arguments[4];
};

#if defined(__TARGET_ARCH_x86)
#define O_DIRECT 040000
enum {
	SYS_FSYNC = 74,
	SYS_FDATASYNC = 75,
	SYS_FTRUNCATE = 77,
	SYS_READAHEAD = 187,
	SYS_FADVISE64 = 221,
	SYS_SYNC_FILE_RANGE = 277,
	SYS_COPY_FILE_RANGE = 326,
	SYS_IO_SUBMIT = 209,
};
enum {
	SYS_READ = 0,
	SYS_PREAD64 = 17,
	SYS_READV = 19,
	SYS_SENDFILE = 40,
	SYS_SPLICE = 275,
	SYS_PREADV = 295,
	SYS_PREADV2 = 327
};
enum {
	SYS_WRITE = 1,
	SYS_PWRITE64 = 18,
	SYS_WRITEV = 20,
	SYS_PWRITEV = 296,
	SYS_PWRITEV2 = 328
};

static __always_inline void read_registers(const struct pt_regs *regs, struct syscall_info *info)
{
	info->number = (long)regs->orig_ax;
	info->arguments[0] = regs->di;
	info->arguments[1] = regs->si;
	info->arguments[2] = regs->dx;
	info->arguments[3] = regs->r10;
}

static __always_inline __u64 sixth_of_syscall(const struct pt_regs *regs)
{
	return regs->r9;
}

#define TS_COMPAT 2

static __always_inline bool in_32_bit_call(struct task_struct *task)
{
	return task->thread_info.status & TS_COMPAT;
}

/* At the entry of a function; returned(): at its return. */
static __always_inline __u64 first_argument(const struct pt_regs *regs)
{
	return regs->di;
}

static __always_inline __u64 second_argument(const struct pt_regs *regs)
{
	return regs->si;
}

static __always_inline __u64 third_argument(const struct pt_regs *regs)
{
	return regs->dx;
}

static __always_inline __u64 returned(const struct pt_regs *regs)
{
	return regs->ax;
}
#elif defined(__TARGET_ARCH_arm64)
#define O_DIRECT 0200000
enum {
	SYS_FTRUNCATE = 46,
	SYS_FSYNC = 82,
	SYS_FDATASYNC = 83,
	SYS_SYNC_FILE_RANGE = 84,
	SYS_READAHEAD = 213,
	SYS_FADVISE64 = 223,
	SYS_COPY_FILE_RANGE = 285,
	SYS_IO_SUBMIT = 2,
};
enum {
	SYS_READ = 63,
	SYS_PREAD64 = 67,
	SYS_READV = 65,
	SYS_PREADV = 69,
	SYS_SENDFILE = 71,
	SYS_SPLICE = 76,
	SYS_PREADV2 = 286
};
enum {
	SYS_WRITE = 64,
	SYS_PWRITE64 = 68,
	SYS_WRITEV = 66,
	SYS_PWRITEV = 70,
	SYS_PWRITEV2 = 287
};

static __always_inline void read_registers(const struct pt_regs *regs, struct syscall_info *info)
{
	info->number = regs->syscallno;
	info->arguments[0] = regs->orig_x0;
	info->arguments[1] = regs->regs[1];
	info->arguments[2] = regs->regs[2];
	info->arguments[3] = regs->regs[3];
}

static __always_inline __u64 sixth_of_syscall(const struct pt_regs *regs)
{
	return regs->regs[5];
}

#define TIF_32BIT 22

static __always_inline bool in_32_bit_call(struct task_struct *task)
{
	return task->thread_info.flags & 1ul << TIF_32BIT;
}

static __always_inline __u64 first_argument(const struct pt_regs *regs)
{
	return regs->regs[0];
}

static __always_inline __u64 second_argument(const struct pt_regs *regs)
{
	return regs->regs[1];
}

static __always_inline __u64 third_argument(const struct pt_regs *regs)
{
	return regs->regs[2];
}

static __always_inline __u64 returned(const struct pt_regs *regs)
{
	return regs->regs[0];
}
#else
#error "blkreel knows the system calls of x86-64 and arm64 only"
#endif

/* A 32-bit call has other numbers and passes its arguments elsewhere, except for this one. */
static __always_inline void read_syscall(const struct pt_regs *regs, struct syscall_info *info)
{
	read_registers(regs, info);
	if (info->number != SYS_NONE && info->number != SYS_IO_URING_ENTER &&
	    in_32_bit_call((struct task_struct *)bpf_get_current_task_btf()))
		info->number = SYS_OF_32_BITS;
}

static __always_inline bool is_write_call(long number)
{
	return number == SYS_WRITE || number == SYS_WRITEV || number == SYS_PWRITE64 ||
	       number == SYS_PWRITEV || number == SYS_PWRITEV2;
}

/* A call that can read one file and write another. */
static __always_inline bool is_mixed_call(long number)
{
	return number == SYS_IO_SUBMIT || number == SYS_IO_URING_ENTER ||
	       number == SYS_COPY_FILE_RANGE || number == SYS_SENDFILE || number == SYS_SPLICE;
}

#endif
