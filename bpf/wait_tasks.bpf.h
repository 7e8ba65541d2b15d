/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The tasks whose waits are recorded, and the files that their calls are for. */
#ifndef BLKREEL_BPF_WAIT_TASKS_BPF_H
#define BLKREEL_BPF_WAIT_TASKS_BPF_H

#include "account.bpf.h"
#include "compat.bpf.h"
#include "maps.bpf.h"
#include "reader.bpf.h"
#include "records.bpf.h"
#include "scope.bpf.h"
#include "waits.h"

#define WAIT_CROWDED_MAX  4096
#define FILE_LOOK_JIFFIES 25	/* how long a file that is seen again is not looked at */
#define STACK_BYTES	  16384 /* of the kernel */
#define WAITS_PART	  4	/* of the ring of a CPU waits take this fraction at most */

const volatile struct wait_config wait_config = {};
struct wait_losses wait_losses = {};

/* Whether a task ever had the place: most switches are of tasks that never did, and 64 places are
 * one line of the cache. */
__u8 wait_places_used[WAIT_PLACES_MAX] = {};

/* The registers that a task had when it entered the kernel, at the top of its kernel stack. Their
 * places are a part of the kernel's ABI for tracers (user_regs_struct, user_pt_regs). */
#if defined(__TARGET_ARCH_x86)
enum {
	WORDS_SAVED = 21,
	/* Copies of the flags and of the address (r11, cx), segments. */
	WORDS_IMPLIED = 1 << 6 | 1 << 11 | 1 << 17 | 1 << 20,
	WORD_NUMBER = 15,
	BYTES_OF_NUMBER = 8,
	WORD_FIRST = 14,
	WORD_SECOND = 13,
	WORD_RESULT = 10,
};
#elif defined(__TARGET_ARCH_arm64)
enum {
	WORDS_SAVED = 36,
	WORDS_IMPLIED = 0,
	WORD_NUMBER = 35,
	BYTES_OF_NUMBER = 4,
	WORD_FIRST = 34,
	WORD_SECOND = 1,
	WORD_RESULT = 0,
};
#endif

/* The followed call of the task that runs on this CPU, while it has not been switched out. */
struct wait_running {
	__u64 call_ns; /* 0: none */
	__u32 pid;
	__u32 call;
	__s32 fd;
	__u32 scope_pid; /* a task that ran here, */
	__u32 in_scope;	 /* and whether it is recorded */
	/* The file of the last call since the task runs, and whether it is followed. */
	__u32 is_followed;
	__u64 file;
	__u64 inode;
	/* Calls of one kind and bucket that are not in the table yet. */
	__u64 count;
	__u64 ns;
	__u32 count_pid;
	__u32 count_call;
	__u32 count_bucket;
	__u32 padding;
	__u64 stack_pointer; /* of the task that is switched out */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wait_running);
} wait_running SEC(".maps");

/* A task has its place by the last bits of its number: a look-up is a load. Memory that can be
 * mapped begins at a page, so that a place begins at a line of a cache. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, WAIT_PLACES_MAX);
	__type(key, __u32);
	__type(value, struct wait_task);
} wait_places SEC(".maps");

/* The places that are taken. All tables are allocated beforehand: entries are created while the run
 * queue is locked. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WAIT_PLACES_MAX);
	__type(key, __u32);
	__type(value, __u32);
} wait_taken SEC(".maps");

/* The tasks, by number, whose places are taken by others. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WAIT_CROWDED_MAX);
	__type(key, __u32);
	__type(value, struct wait_task);
} wait_crowded SEC(".maps");

/*
 * 0: it cannot be read. A load costs a tenth of a copy, but needs "bpf: Add kfunc bpf_rdonly_cast",
 * Linux 6.2.
 */
#ifdef WORDS_ARE_COPIED
static __always_inline __u64 kernel_word(__u64 address)
{
	__u64 word = 0;

	bpf_probe_read_kernel(&word, sizeof(word), (void *)address);
	return word;
}
#else
extern void *bpf_rdonly_cast(const void *address, __u32 type) __ksym;

static __always_inline __u64 kernel_word(__u64 address)
{
	struct rb_node *place =
		bpf_rdonly_cast((void *)address, bpf_core_type_id_kernel(struct rb_node));

	return place->__rb_parent_color;
}
#endif

static __always_inline struct wait_running *running_here(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&wait_running, &zero);
}

static __noinline int look_at_scope(struct wait_running *here, __u32 pid)
{
	if (!here)
		return 0;
	here->in_scope = !ignored_task();
	here->scope_pid = pid;
	return 0;
}

/* Of the current task. */
static __always_inline bool is_in_scope(struct wait_running *here, __u32 pid)
{
	if (here->scope_pid != pid)
		look_at_scope(here, pid);
	return here->in_scope;
}

/* Of a pointer in a structure whose address is known. */
#define POINTED_TO(structure, field)              \
	((typeof((structure)->field))kernel_word( \
		(__u64)__builtin_preserve_access_index(&(structure)->field)))

#define POINTED_TO_NUMBER(structure, field) \
	kernel_word((__u64)__builtin_preserve_access_index(&(structure)->field))

/* False: of no device, as pipes, sockets and terminals. */
static __always_inline bool has_device(struct inode *inode, __u32 mode)
{
	struct super_block *sb;

	if ((mode & S_IFMT) == S_IFBLK)
		return true;
	if ((mode & S_IFMT) != S_IFREG && (mode & S_IFMT) != S_IFDIR)
		return false;
	sb = POINTED_TO(inode, i_sb);
	return POINTED_TO(sb, s_bdev) || POINTED_TO_NUMBER(sb, s_magic) == BTRFS_SUPER_MAGIC;
}

/* "bpf: Implement get_current_task_btf", Linux 5.11. */
static __always_inline bool has_typed_task(void)
{
	return bpf_core_enum_value_exists(enum bpf_func_id___task_btf,
					  BPF_FUNC_get_current_task_btf___task_btf);
}

static __always_inline struct task_struct *current_here(void)
{
	if (has_typed_task())
		return bpf_get_current_task_btf();
	return (struct task_struct *)bpf_get_current_task();
}

/* The name of the current task. A call of a helper costs as much as ten loads. */
static __always_inline void copy_comm(struct task_struct *current, char comm[EVENT_COMM_BYTES])
{
	if (has_typed_task()) {
		((__u64 *)comm)[0] = ((__u64 *)current->comm)[0];
		((__u64 *)comm)[1] = ((__u64 *)current->comm)[1];
	} else {
		bpf_get_current_comm(comm, EVENT_COMM_BYTES);
	}
}

static __always_inline struct file *open_file(struct task_struct *task, __s32 fd)
{
	struct fdtable *table;

	if (fd < 0)
		return NULL;
	if (has_typed_task()) {
		table = task->files->fdt;
		if ((__u32)fd >= table->max_fds)
			return NULL;
		return (struct file *)kernel_word((__u64)(table->fd + fd));
	}
	table = BPF_CORE_READ(task, files, fdt);
	if ((__u32)fd >= BPF_CORE_READ(table, max_fds))
		return NULL;
	return (struct file *)kernel_word((__u64)(BPF_CORE_READ(table, fd) + fd));
}

/* The inode of an open file of the current task that is on a recorded device; NULL: of none. */
static __always_inline struct inode *followed_inode(struct task_struct *current, __s32 fd,
						    __u32 *device, __u32 *mode)
{
	struct file *file = open_file(current, fd);
	struct address_space *mapping;
	struct inode *inode;

	if (!file)
		return NULL;
	mapping = POINTED_TO(file, f_mapping);
	inode = POINTED_TO(mapping, host);
	*mode = (__u16)POINTED_TO_NUMBER(inode, i_mode);
	if (!has_device(inode, *mode))
		return NULL;
	*device = inode_device(inode, *mode);
	return is_watched(*device) ? inode : NULL;
}

/* Mostly the same file as in the last call. */
static __always_inline bool has_followed_file(struct wait_running *here, __s32 fd)
{
	struct task_struct *current = current_here();
	struct file *file = open_file(current, fd);
	__u32 device, mode;
	__u64 inode;

	if (!file)
		return false;
	inode = (__u64)POINTED_TO(file, f_inode);
	if (here->file == (__u64)file && here->inode == inode)
		return here->is_followed;
	here->is_followed = followed_inode(current, fd, &device, &mode) != NULL;
	here->file = (__u64)file;
	here->inode = inode;
	return here->is_followed;
}

static __noinline int look_at_file(struct wait_task *task, struct task_struct *current, __s32 fd)
{
	struct inode *inode;
	__u32 device, mode;

	if (!task || !current)
		return 0;
	inode = followed_inode(current, fd, &device, &mode);
	task->file_is_followed = inode != NULL;
	if (!inode)
		return 0;
	task->file_device = device;
	task->file_mode = mode;
	task->inode = BPF_CORE_READ(inode, i_ino);
	task->file_version = name_version(inode, device, task->inode, mode);
	return 0;
}

/* Notes the file of the call; false: it is of no recorded device. Mostly the same file as before. */
static __always_inline bool note_file(struct wait_task *task, struct task_struct *current, __s32 fd)
{
	struct file *file = open_file(current, fd);
	__u64 jiffies = bpf_jiffies64(), number;
	struct inode *inode;

	if (!file)
		return false;
	inode = POINTED_TO(file, f_inode);
	number = (__u64)POINTED_TO(inode, i_ino);
	if (task->file == (__u64)file && task->file_inode == (__u64)inode &&
	    task->file_number == number && jiffies - task->file_seen_jiffies < FILE_LOOK_JIFFIES)
		return task->file_is_followed;
	task->file = (__u64)file;
	task->file_inode = (__u64)inode;
	task->file_number = number;
	task->file_seen_jiffies = jiffies;
	look_at_file(task, current, fd);
	return task->file_is_followed;
}

static __always_inline void begin_task(struct wait_task *task, __u32 pid, __u64 now_ns)
{
	__u8 has_crowd = task->has_crowd;

	__builtin_memset(task, 0, sizeof(*task));
	task->has_crowd = has_crowd;
	task->since_ns = task->in_ns = now_ns;
	task->tgid = current_tgid();
	bpf_get_current_comm(task->comm, sizeof(task->comm));
	task->pid = pid;
}

static __noinline struct wait_task *create_task(__u32 pid, __u64 now_ns)
{
	__u32 at = pid & (WAIT_PLACES_MAX - 1);
	struct wait_task *task = bpf_map_lookup_elem(&wait_places, &at);

	if (!task)
		return NULL;
	if (bpf_map_update_elem(&wait_taken, &at, &pid, BPF_NOEXIST) && task->pid != pid) {
		task->has_crowd = 1;
		/* The value is that of another task, until it is overwritten. */
		if (bpf_map_update_elem(&wait_crowded, &pid, task, BPF_ANY))
			__sync_fetch_and_add(&wait_losses.table, 1);
		task = bpf_map_lookup_elem(&wait_crowded, &pid);
		if (!task)
			return NULL;
	}
	begin_task(task, pid, now_ns);
	/* Before Linux 5.16 the verifier forgets the bounds of what went through the stack. */
	wait_places_used[at & (WAIT_PLACES_MAX - 1)] = 1;
	return task;
}

/* NULL: it does not exist, or it is of an earlier task with this number. */
static __always_inline struct wait_task *find_task(__u32 pid)
{
	__u32 at = pid & (WAIT_PLACES_MAX - 1);
	struct wait_task *task;

	if (!wait_places_used[at])
		return NULL;
	task = bpf_map_lookup_elem(&wait_places, &at);
	if (task && task->pid != pid)
		task = task->has_crowd ? bpf_map_lookup_elem(&wait_crowded, &pid) : NULL;
	return task && !task->ended ? task : NULL;
}

/*
 * A record of a wait, until it is sent: all but its type is to be written. Of the ring of a CPU
 * waits take no more than a part, so that a flood of them leaves the records of requests their
 * places. NULL: full, counted.
 */
static __always_inline struct wait_event *new_wait(struct record_place *place)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct wait_event *event = NULL;

	place->ring = NULL;
	place->cpu_ring = enter_cpu_ring(cpu);
	if (place->cpu_ring) {
		if (place->cpu_ring->produced - place->cpu_ring->consumed <
		    config.cpu_events / WAITS_PART)
			event = (struct wait_event *)next_cpu_event(place->cpu_ring, cpu);
		if (!event)
			leave_cpu_ring(place->cpu_ring);
	}
	if (!event) {
		place->cpu_ring = NULL;
		place->ring = current_ring();
		if (place->ring)
			event = bpf_ringbuf_reserve(place->ring, sizeof(*event), 0);
	}
	if (!event) {
		__sync_fetch_and_add(&wait_losses.ring, 1);
		return NULL;
	}
	event->type = RECORD_WAIT;
	return event;
}

static __always_inline void send_wait(struct wait_event *event, const struct record_place *place)
{
	send_record((struct io_event *)event, place, event->end_ns);
}

#endif
