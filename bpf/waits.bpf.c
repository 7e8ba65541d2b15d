// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What tasks wait for (record --waits). A call that does not block stays in the entry of its CPU
 * and is only counted. When a task is switched out inside a followed call, the call moves to the
 * entry of the task, and each sleep becomes a record with the kernel stack that slept.
 */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "account.bpf.h"
#include "compat.bpf.h"
#include "maps.bpf.h"
#include "reader.bpf.h"
#include "scope.bpf.h"
#include "waits.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#define WAIT_TASKS_MAX	16384
#define WAIT_CALLS_MAX	65536
#define WAIT_STACKS_MAX 8192
#define COUNTED_MAX	64 /* calls; that many can be missing of a task that runs at the end */

const volatile struct wait_config wait_config = {};
struct wait_losses wait_losses = {};

/* The followed call of the task that runs on this CPU, while it has not been switched out. */
struct wait_running {
	__u64 call_ns; /* 0: none */
	__u32 pid;
	__u32 call;
	__s32 fd;
	__u32 scope_pid; /* the task of which in_scope tells */
	__u32 in_scope;
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
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wait_running);
} wait_running SEC(".maps");

/* Allocated beforehand: entries are created while the run queue is locked. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WAIT_TASKS_MAX);
	__type(key, __u32);
	__type(value, struct wait_task);
} wait_tasks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, WAIT_CALLS_MAX);
	__type(key, struct wait_calls_key);
	__type(value, struct wait_calls);
} wait_calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, WAIT_STACKS_MAX);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, WAIT_STACK_DEPTH * sizeof(__u64));
} wait_stacks SEC(".maps");

static __always_inline struct wait_running *running_here(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&wait_running, &zero);
}

/* Of the current task. */
static __always_inline bool is_in_scope(struct wait_running *here, __u32 pid)
{
	if (here->scope_pid == pid)
		return here->in_scope;
	here->in_scope = !ignored_task();
	here->scope_pid = pid;
	return here->in_scope;
}

static __always_inline struct file *open_file(__s32 fd)
{
	struct task_struct *task;
	struct fdtable *table;
	struct file *file = NULL;

	if (fd < 0)
		return NULL;
	if (bpf_core_enum_value_exists(enum bpf_func_id___task_btf,
				       BPF_FUNC_get_current_task_btf___task_btf)) {
		task = bpf_get_current_task_btf();
		return file_of(task, (__u32)fd);
	}
	task = (struct task_struct *)bpf_get_current_task();
	table = BPF_CORE_READ(task, files, fdt);
	if ((__u32)fd < BPF_CORE_READ(table, max_fds))
		bpf_probe_read_kernel(&file, sizeof(file), BPF_CORE_READ(table, fd) + fd);
	return file;
}

/* The inode of an open file of the current task that is on a recorded device; NULL: of none. */
static __always_inline struct inode *followed_inode(__s32 fd, __u32 *device, __u32 *mode)
{
	struct file *file = open_file(fd);
	struct inode *inode;

	if (!file)
		return NULL;
	inode = BPF_CORE_READ(file, f_mapping, host);
	*mode = BPF_CORE_READ(inode, i_mode);
	*device = inode_device(inode, *mode);
	return is_watched(*device) ? inode : NULL;
}

/* Mostly the same file as in the last call. */
static __always_inline bool has_followed_file(struct wait_running *here, __s32 fd)
{
	struct file *file = open_file(fd);
	__u32 device, mode;
	__u64 inode;

	if (!file)
		return false;
	inode = (__u64)BPF_CORE_READ(file, f_inode);
	if (here->file == (__u64)file && here->inode == inode)
		return here->is_followed;
	here->is_followed = followed_inode(fd, &device, &mode) != NULL;
	here->file = (__u64)file;
	here->inode = inode;
	return here->is_followed;
}

static __always_inline struct wait_task *create_task(__u32 pid, __u64 now_ns)
{
	struct wait_task fresh = {};
	struct wait_task *task;

	fresh.since_ns = fresh.in_ns = now_ns;
	fresh.pid = pid;
	fresh.tgid = current_tgid();
	bpf_get_current_comm(fresh.comm, sizeof(fresh.comm));
	if (bpf_map_update_elem(&wait_tasks, &pid, &fresh, BPF_ANY))
		__sync_fetch_and_add(&wait_losses.table, 1);
	task = bpf_map_lookup_elem(&wait_tasks, &pid);
	return task;
}

/* NULL: it does not exist, or it is of an earlier task with this number. */
static __always_inline struct wait_task *find_task(__u32 pid)
{
	struct wait_task *task = bpf_map_lookup_elem(&wait_tasks, &pid);

	return task && !task->ended ? task : NULL;
}

static __noinline int send_wait(struct wait_event *event)
{
	void *ring = current_ring();

	if (!ring || !event)
		return 0;
	if (bpf_ringbuf_output(ring, event, sizeof(*event),
			       wakeup_flags(ring, event->time_ns + event->duration_ns)))
		__sync_fetch_and_add(&wait_losses.ring, 1);
	return 0;
}

/* Counts a call that did not block. ------------------------------------------------------------- */

static __always_inline __u32 log2_of(__u64 number)
{
	__u32 result = 0;

	if (number >> 16) {
		number >>= 16;
		result = 16;
	}
	if (number >> 8) {
		number >>= 8;
		result += 8;
	}
	if (number >> 4) {
		number >>= 4;
		result += 4;
	}
	if (number >> 2) {
		number >>= 2;
		result += 2;
	}
	return result + (number >> 1 & 1);
}

static __always_inline __u32 bucket_of(__u64 ns)
{
	__u32 shift;

	if (ns < 2u << WAIT_STEP_BITS)
		return (__u32)ns;
	if (ns >> 32)
		return WAIT_BUCKETS - 1;
	shift = log2_of(ns) - WAIT_STEP_BITS;
	return (shift << WAIT_STEP_BITS) + (__u32)(ns >> (shift & 63));
}

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wait_calls);
} wait_no_calls SEC(".maps");

/* Into the table, whose entry exists. */
static __always_inline void flush_counted(struct wait_running *here)
{
	struct wait_calls_key key = {.pid = here->count_pid, .call = here->count_call};
	struct wait_calls *calls;

	if (!here->count)
		return;
	calls = bpf_map_lookup_elem(&wait_calls, &key);
	if (calls) {
		calls->count += here->count;
		calls->ns += here->ns;
		calls->buckets[here->count_bucket & (WAIT_BUCKETS - 1)] += (__u32)here->count;
	}
	here->count = here->ns = 0;
}

static __noinline int begin_counting(struct wait_running *here, __u32 pid, __u32 call, __u32 bucket)
{
	struct wait_calls_key key = {.pid = pid, .call = call};
	struct wait_calls *none;
	__u32 zero = 0;

	if (!here)
		return 0;
	flush_counted(here);
	here->count_pid = pid;
	here->count_call = call;
	here->count_bucket = bucket;
	if (bpf_map_lookup_elem(&wait_calls, &key))
		return 0;
	if (!find_task(pid))
		create_task(pid, bpf_ktime_get_ns());
	none = bpf_map_lookup_elem(&wait_no_calls, &zero);
	if (none && bpf_map_update_elem(&wait_calls, &key, none, BPF_NOEXIST))
		__sync_fetch_and_add(&wait_losses.table, 1);
	return 0;
}

/* Calls that follow each other are mostly of one kind and bucket. */
static __always_inline void count_call(struct wait_running *here, __u32 pid, __u64 ns)
{
	__u32 call = here->call & WAIT_NUMBER_CALL, bucket = bucket_of(ns);

	if (!here->count || here->count_bucket != bucket || here->count_call != call ||
	    here->count_pid != pid || here->count >= COUNTED_MAX)
		begin_counting(here, pid, call, bucket);
	here->count++;
	here->ns += ns;
}

/* System calls ---------------------------------------------------------------------------------- */

static __always_inline __u32 number_entry(__u64 number)
{
	return number < WAIT_NUMBERS_MAX ? wait_config.numbers[number & (WAIT_NUMBERS_MAX - 1)] : 0;
}

/* The kernels without this helper run no 32-bit calls through other numbers that are tested. */
static __always_inline bool is_32_bit_call(void)
{
	struct task_struct *task;

	if (bpf_core_enum_value_exists(enum bpf_func_id___task_btf,
				       BPF_FUNC_get_current_task_btf___task_btf))
		return in_32_bit_call(bpf_get_current_task_btf());
	task = (struct task_struct *)bpf_get_current_task();

#if defined(__TARGET_ARCH_x86)
	return BPF_CORE_READ(task, thread_info.status) & TS_COMPAT;
#else
	return BPF_CORE_READ(task, thread_info.flags) & 1ul << TIF_32BIT;
#endif
}

SEC("tp_btf/sys_enter")
int waits_sys_enter(__u64 *ctx)
{
	struct pt_regs *regs = (struct pt_regs *)ctx[0];
	__u32 call = number_entry(ctx[1]), pid;
	struct wait_running *here;

	if (!call || !recording)
		return 0;
	here = running_here();
	if (!here)
		return 0;
	here->call_ns = 0;
	pid = (__u32)bpf_get_current_pid_tgid();
	if (!is_in_scope(here, pid) || is_32_bit_call())
		return 0;
	here->pid = pid;
	here->call = call;
	here->fd =
		(__s32)(call & WAIT_NUMBER_SECOND ? second_argument(regs) : first_argument(regs));
	here->call_ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline void send_call(struct wait_task *task, __u64 now_ns)
{
	struct wait_event event = {.type = RECORD_WAIT, .what = WAIT_EVENT_CALL, .stack = -1};
	__u32 device = 0, mode = 0;
	struct inode *inode;

	event.time_ns = event.call_ns = task->call_ns;
	event.duration_ns = now_ns - task->call_ns;
	event.run_queue_ns = task->call_run_queue_ns;
	event.sleep_ns = task->call_sleep_ns;
	event.cpu_ns = task->call_cpu_ns + (now_ns - task->in_ns);
	event.call = task->call;
	event.pid = task->pid;
	event.tgid = task->tgid;
	bpf_get_current_comm(event.comm, sizeof(event.comm));
	if (!(task->call & WAIT_NUMBER_NO_FILE)) {
		inode = followed_inode(task->fd, &device, &mode);
		if (inode) {
			event.device = device;
			event.mode = mode;
			event.inode = BPF_CORE_READ(inode, i_ino);
			event.version = name_version(inode, device, event.inode, mode);
		}
	}
	send_wait(&event);
}

SEC("tp_btf/sys_exit")
int waits_sys_exit(__u64 *ctx)
{
	struct syscall_info info;
	struct wait_running *here;
	struct wait_task *task;
	__u64 began_ns, now_ns;
	__u32 call, pid;

	read_registers((struct pt_regs *)ctx[0], &info);
	call = number_entry((__u64)info.number);
	if (!call || !recording)
		return 0;
	here = running_here();
	if (!here)
		return 0;
	pid = (__u32)bpf_get_current_pid_tgid();
	began_ns = here->call_ns;
	if (began_ns && here->pid == pid) {
		here->call_ns = 0;
		if (here->call & WAIT_NUMBER_NO_FILE || !has_followed_file(here, here->fd))
			return 0;
		count_call(here, pid, bpf_ktime_get_ns() - began_ns);
		return 0;
	}
	task = find_task(pid);
	if (!task || !task->call_ns)
		return 0;
	now_ns = bpf_ktime_get_ns();
	send_call(task, now_ns);
	task->call_ns = 0;
	return 0;
}

/* Switches -------------------------------------------------------------------------------------- */

/* Before "sched: Change task_struct::state", Linux 5.14. */
struct task_struct___state {
	volatile long state;
} __attribute__((preserve_access_index));

struct task_struct___new_state {
	unsigned int __state;
} __attribute__((preserve_access_index));

static __always_inline bool sleeps(__u64 *ctx, struct task_struct *task)
{
	if (ctx[0])
		return false; /* preempted */
	if (wait_config.has_prev_state)
		return (__u32)ctx[3] != 0;
	if (bpf_core_field_exists(struct task_struct___state, state))
		return BPF_CORE_READ((struct task_struct___state *)task, state) != 0;
	return BPF_CORE_READ((struct task_struct___new_state *)task, __state) != 0;
}

/* The call that the CPU's entry holds becomes the task's; false: it is none of storage. */
static __always_inline bool take_call(struct wait_running *here, struct wait_task *task,
				      __u64 now_ns)
{
	if (!(here->call & WAIT_NUMBER_NO_FILE) && !has_followed_file(here, here->fd))
		return false;
	task->call_ns = here->call_ns;
	task->call = here->call;
	task->fd = here->fd;
	task->call_cpu_ns = now_ns - here->call_ns;
	task->call_run_queue_ns = 0;
	task->call_sleep_ns = 0;
	return true;
}

/* Whether a task that is not known yet is to be followed from now on. */
static __always_inline bool becomes_known(struct wait_running *here, struct task_struct *prev,
					  __u32 pid, bool in_call, bool waits_for_io)
{
	unsigned int flags = prev->flags;

	if (flags & PF_KTHREAD && !(flags & PF_IO_WORKER))
		return false;
	if (!is_in_scope(here, pid))
		return false;
	if (waits_for_io)
		return true;
	if (!in_call)
		return false;
	if (here->call & WAIT_NUMBER_NO_FILE)
		return here->call & WAIT_NUMBER_ANY_TASK;
	return has_followed_file(here, here->fd);
}

static __always_inline void leave(void *ctx, struct wait_running *here, struct task_struct *prev,
				  __u64 now_ns, bool asleep)
{
	__u32 pid = prev->pid;
	bool in_call = here->call_ns && here->pid == pid;
	bool waits_for_io = asleep && BPF_CORE_READ_BITFIELD_PROBED(prev, in_iowait);
	struct wait_task *task = find_task(pid);

	if (!task) {
		if (!in_call && !waits_for_io)
			return;
		if (!becomes_known(here, prev, pid, in_call, waits_for_io))
			return;
		task = create_task(pid, in_call ? here->call_ns : now_ns);
		if (!task)
			return;
	}
	if (task->in_ns) {
		task->cpu_ns += now_ns - task->in_ns;
		if (task->call_ns)
			task->call_cpu_ns += now_ns - task->in_ns;
	}
	if (in_call)
		take_call(here, task, now_ns);
	task->in_ns = 0;
	task->out_ns = now_ns;
	task->woken_ns = 0;
	task->asleep = asleep;
	task->storage = asleep && (task->call_ns || waits_for_io);
	task->waker_pid = 0;
	task->stack = -1;
	if (!task->storage)
		return;
	task->flags = waits_for_io ? WAIT_EVENT_IOWAIT : 0;
	if (prev->flags & PF_IO_WORKER)
		task->flags |= WAIT_EVENT_KTHREAD;
	bpf_get_current_comm(task->comm, sizeof(task->comm));
	task->stack = (__s32)bpf_get_stackid(ctx, &wait_stacks, BPF_F_FAST_STACK_CMP);
	if (task->stack < 0)
		__sync_fetch_and_add(&wait_losses.stacks, 1);
}

static __noinline int send_sleep(struct wait_task *task, __u64 woken_ns, __u64 now_ns)
{
	struct wait_event event = {.type = RECORD_WAIT, .what = WAIT_EVENT_SLEEP};

	if (!task)
		return 0;
	event.flags = task->flags;
	event.stack = task->stack;
	event.time_ns = task->out_ns;
	event.duration_ns = woken_ns - task->out_ns;
	event.run_queue_ns = now_ns - woken_ns;
	event.call_ns = task->call_ns;
	event.call = task->call_ns ? task->call : 0;
	event.pid = task->pid;
	event.tgid = task->tgid;
	event.waker_pid = task->waker_pid;
	event.waker_tgid = task->waker_tgid;
	__builtin_memcpy(event.comm, task->comm, sizeof(event.comm));
	__builtin_memcpy(event.waker_comm, task->waker_comm, sizeof(event.waker_comm));
	send_wait(&event);
	return 0;
}

static __always_inline void enter(__u32 pid, __u64 now_ns)
{
	struct wait_task *task = find_task(pid);
	__u64 woken_ns;

	if (!task)
		return;
	if (task->out_ns) {
		woken_ns = task->asleep ? task->woken_ns : task->out_ns;
		if (!woken_ns) {
			woken_ns = now_ns;
			task->flags |= WAIT_EVENT_NO_WAKEUP;
		}
		task->sleep_ns += woken_ns - task->out_ns;
		task->run_queue_ns += now_ns - woken_ns;
		if (task->call_ns) {
			task->call_sleep_ns += woken_ns - task->out_ns;
			task->call_run_queue_ns += now_ns - woken_ns;
		}
		if (task->storage)
			send_sleep(task, woken_ns, now_ns);
	}
	task->out_ns = 0;
	task->in_ns = now_ns;
}

SEC("tp_btf/sched_switch")
int waits_sched_switch(__u64 *ctx)
{
	struct task_struct *prev = (struct task_struct *)ctx[1];
	struct task_struct *next = (struct task_struct *)ctx[2];
	struct wait_running *here;
	__u64 now_ns;

	if (!recording)
		return 0;
	here = running_here();
	if (!here)
		return 0;
	now_ns = bpf_ktime_get_ns();
	flush_counted(here);
	if (prev->pid)
		leave(ctx, here, prev, now_ns, sleeps(ctx, prev));
	here->call_ns = here->file = 0;
	if (next->pid)
		enter((__u32)next->pid, now_ns);
	return 0;
}

SEC("tp_btf/sched_waking")
int waits_sched_waking(__u64 *ctx)
{
	struct task_struct *woken = (struct task_struct *)ctx[0];
	struct wait_task *task;
	__u64 who;

	if (!recording)
		return 0;
	task = find_task((__u32)woken->pid);
	if (!task || !task->asleep || !task->out_ns || task->woken_ns)
		return 0;
	task->woken_ns = bpf_ktime_get_ns();
	if (!task->storage)
		return 0;
	who = bpf_get_current_pid_tgid();
	task->waker_pid = (__u32)who;
	task->waker_tgid = who >> 32;
	bpf_get_current_comm(task->waker_comm, sizeof(task->waker_comm));
	return 0;
}

SEC("tp_btf/sched_process_exit")
int waits_process_exit(__u64 *ctx)
{
	__u32 pid = (__u32)bpf_get_current_pid_tgid();
	struct wait_running *here = running_here();
	struct wait_task *task = find_task(pid);
	__u64 now_ns;

	if (here)
		here->call_ns = here->scope_pid = 0;
	if (!task)
		return 0;
	now_ns = bpf_ktime_get_ns();
	if (task->in_ns)
		task->cpu_ns += now_ns - task->in_ns;
	bpf_get_current_comm(task->comm, sizeof(task->comm));
	task->in_ns = 0;
	task->out_ns = now_ns;
	task->ended = 1;
	return 0;
}
