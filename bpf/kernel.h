/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The kernel types that the probes use, each with only the fields that they read. CO-RE resolves
 * offsets against the running kernel when the programs are loaded, so neither order nor size
 * matters here, and the build needs no kernel's BTF.
 */
#ifndef BLKREEL_BPF_KERNEL_H
#define BLKREEL_BPF_KERNEL_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u64 __be64;
typedef __u16 __le16;
typedef __u32 __le32;
typedef __u32 __wsum;
typedef __u16 __sum16;
typedef _Bool bool;
#define true 1
#define false 0
#define NULL ((void *)0)

/* Numbers that are part of the kernel's user ABI, or are the same in every supported kernel. */
enum {
	EEXIST = 17,
	ENOSYS = 38
};
enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1
};
enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_STACK_TRACE = 7,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};
enum {
	BPF_F_NO_PREALLOC = 1,
	BPF_F_MMAPABLE = 1024
};
enum {
	BPF_F_FAST_STACK_CMP = 1 << 9
};
enum {
	BPF_LOCAL_STORAGE_GET_F_CREATE = 1
};
enum {
	BPF_RB_NO_WAKEUP = 1,
	BPF_RB_FORCE_WAKEUP = 2,
};
enum {
	BPF_RB_AVAIL_DATA = 0
};

#define S_IFMT	0170000
#define S_IFREG 0100000
#define S_IFDIR 0040000
#define S_IFBLK 0060000

#define PF_KTHREAD	     0x00200000
#define PF_EXITING	     0x00000004
#define PF_MEMALLOC	     0x00000800
#define PF_IO_WORKER	     0x00000010
#define TASK_DEAD	     0x00000080
#define TASK_UNINTERRUPTIBLE 0x00000002

#define PAGE_MAPPING_ANY 0x3ul /* anonymous or movable: not the page cache */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct hlist_node {
	struct hlist_node *next;
};

struct hlist_head {
	struct hlist_node *first;
};

struct qstr {
	__u64 hash_len;
	const unsigned char *name;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
	union {
		struct hlist_node d_alias;
	} d_u;
};

struct block_device {
	__u32 bd_dev;
	__u64 bd_start_sect;
	struct gendisk *bd_disk;
};

struct super_block {
	unsigned long s_magic;
	struct block_device *s_bdev;
	void *s_fs_info;
};

struct btrfs_device {
	struct block_device *bdev;
};

struct btrfs_fs_devices {
	struct btrfs_device *latest_dev;
};

struct btrfs_fs_info {
	struct btrfs_fs_devices *fs_devices;
};

struct inode {
	unsigned short i_mode;
	__u32 i_rdev;
	unsigned long i_ino;
	unsigned int i_nlink;
	long long i_size;
	__u32 i_generation;
	struct super_block *i_sb;
	struct address_space *i_mapping;
	struct hlist_head i_dentry;
};

struct address_space {
	struct inode *host;
};

struct page {
	struct address_space *mapping;
	unsigned long compound_head;
	unsigned long index;
};

struct folio {
	struct address_space *mapping;
	unsigned long index;
	unsigned int _nr_pages;
};

struct bio_vec {
	struct page *bv_page;
};

struct bvec_iter {
	__u64 bi_sector;
	unsigned int bi_size;
	unsigned int bi_idx;
};

struct kernfs_node {
	__u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};

struct blkcg {
	struct cgroup_subsys_state css;
};

struct blkcg_gq {
	struct blkcg *blkcg;
};

struct bio {
	struct bio *bi_next;
	unsigned short bi_flags;
	struct block_device *bi_bdev;
	unsigned int bi_opf;
	unsigned short bi_ioprio;
	__u8 bi_status;
	struct bvec_iter bi_iter;
	void *bi_private;
	struct bio_vec *bi_io_vec;
	struct blkcg_gq *bi_blkg;
};

struct gendisk {
	int major;
	int first_minor;
	struct request_queue *queue;
};

struct request_queue {
	const void *mq_ops; /* NULL: bio-based, without requests */
	struct gendisk *disk;
};

struct blk_mq_ctx {
	unsigned int cpu;
};

struct list_head {
	struct list_head *next;
};

struct blk_flush_queue {
	unsigned int flush_pending_idx : 1;
	unsigned int flush_running_idx : 1;
	struct list_head flush_queue[2];
	struct request *flush_rq;
};

struct blk_mq_hw_ctx {
	unsigned int queue_num;
	struct blk_flush_queue *fq;
};

struct request {
	struct request_queue *q;
	struct blk_mq_ctx *mq_ctx;
	struct blk_mq_hw_ctx *mq_hctx;
	unsigned int cmd_flags;
	unsigned int rq_flags;
	int tag;
	int internal_tag;
	unsigned int __data_len;
	unsigned long long __sector;
	struct bio *bio;
	struct bio *biotail;
	struct list_head queuelist;
	unsigned long long start_time_ns;
	unsigned long long io_start_time_ns;
};

struct file {
	struct inode *f_inode;
	struct address_space *f_mapping;
	unsigned int f_flags;
	long long f_pos;
	void *private_data;
};

struct kiocb {
	struct file *ki_filp;
	long long ki_pos;
};

struct iov_iter {
	bool data_source; /* the memory is read: a write */
	unsigned long count;
};

struct readahead_control {
	struct address_space *mapping;
	unsigned long _index;
};

struct vm_area_struct {
	struct file *vm_file;
};

struct vm_fault {
	struct vm_area_struct *vma;
	unsigned long pgoff;
};

struct io_rw {
	struct kiocb kiocb;
	__u64 addr;
	__u32 len;
};

struct io_cqe {
	int fd;
};

struct io_kiocb {
	__u8 opcode;
	__u64 flags; /* 32 bits before Linux 6.10 */
	struct io_cqe cqe;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct task_io_accounting {
	__u64 rchar;
	__u64 syscr;
	__u64 syscw;
};

struct sched_entity {
	__u64 sum_exec_runtime;
};

struct sched_info {
	unsigned long long run_delay;
};

struct css_set {
	struct cgroup_subsys_state *subsys[16];
};

struct reclaim_state;

struct pid_namespace;

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live; /* threads */
};

struct thread_info {
	unsigned long flags;
	__u32 status;
};

struct task_struct {
	struct thread_info thread_info;
	void *stack;
	struct sched_entity se;
	struct sched_info sched_info;
	unsigned int flags;
	unsigned int in_iowait : 1;
	int pid;
	int tgid;
	char comm[16];
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct signal_struct *signal;
	unsigned long min_flt;
	unsigned long maj_flt;
	struct reclaim_state *reclaim_state;
	void *journal_info;
	struct task_io_accounting ioac;
	struct files_struct *files;
	struct css_set *cgroups;
	unsigned long long self_exec_id;
	unsigned long long start_time;
};

struct file_ra_state {
	unsigned int ra_pages;
};

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long di, si, dx, r10, r9, ax, orig_ax;
};
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs {
	unsigned long long regs[31];
	unsigned long long orig_x0;
	int syscallno;
};
#endif

/* Its first field is a number: any word of memory is loaded as one. */
struct rb_node {
	unsigned long __rb_parent_color;
};

struct bpf_iter_meta;

struct bpf_iter__task {
	union {
		struct bpf_iter_meta *meta;
	};
	union {
		struct task_struct *task;
	};
};

#pragma clang attribute pop

#endif
