// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What tasks wait for (record --waits). When a task is switched out, its saved registers say in
 * which system call. The sleeps of a call, each with the kernel stack that slept, become records,
 * and the call becomes one when the task is switched out elsewhere. With record --files each call
 * is seen when it begins and ends: one that does not block stays in the entry of its CPU and is
 * only counted.
 */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "wait_calls.bpf.h"
#include "wait_counts.bpf.h"
#include "wait_stacks.bpf.h"
#include "wait_tasks.bpf.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* Sleeps ---------------------------------------------------------------------------------------- */

/* Runs. A sleep becomes a record; in a call it is kept until the call ends or sleeps again, without
 * a wakeup until the kernel has counted the run queue. */
static __always_inline void run_from(struct wait_task *task, __u64 now_ns)
{
	__u64 woken_ns = 0;

	if (task->out_ns) {
		woken_ns = task->asleep ? task->woken_ns : task->out_ns;
		if (!woken_ns) {
			woken_ns = now_ns;
			task->flags |= WAIT_EVENT_NO_WAKEUP;
		}
		/* It can be woken on another CPU while it is switched out. */
		if (woken_ns < task->out_ns)
			woken_ns = task->out_ns;
		task->sleep_ns += woken_ns - task->out_ns;
		task->run_queue_ns += now_ns - woken_ns;
		if (task->call_ns) {
			task->call_sleep_ns += woken_ns - task->out_ns;
			task->call_run_queue_ns += now_ns - woken_ns;
		}
	}
	task->in_ns = now_ns;
	task->asleep = 0;
	if (task->out_ns && task->storage) {
		task->slept_ns = task->out_ns;
		task->slept_until_ns = woken_ns;
		if (!task->call_ns && !(task->flags & WAIT_EVENT_NO_WAKEUP))
			send_sleep(task, task->slept_ns);
	}
	task->out_ns = 0;
}

/* With CONFIG_SCHED_INFO; 0: not known. */
static __always_inline __u64 run_delay_of(struct task_struct *task)
{
	if (!bpf_core_field_exists(task->sched_info.run_delay))
		return 0;
	return BPF_CORE_READ(task, sched_info.run_delay);
}

static __always_inline bool is_without_wakeup(const struct wait_task *task)
{
	return task->slept_ns && task->flags & WAIT_EVENT_NO_WAKEUP;
}

/* The task runs since its sleep, whose wakeup was not seen: since then the kernel has counted how
 * long it was in the run queue. */
static __noinline int find_wakeup(struct wait_task *task, __u64 run_delay_ns)
{
	__u64 queued_ns;

	if (!task)
		return 0;
	if (run_delay_ns) {
		queued_ns = above(run_delay_ns, task->run_delay_ns);
		if (queued_ns > task->slept_until_ns - task->slept_ns)
			queued_ns = task->slept_until_ns - task->slept_ns;
		task->slept_until_ns -= queued_ns;
		task->sleep_ns -= queued_ns;
		task->run_queue_ns += queued_ns;
		if (task->call_ns) {
			task->call_sleep_ns -= queued_ns;
			task->call_run_queue_ns += queued_ns;
		}
		task->flags &= ~WAIT_EVENT_NO_WAKEUP;
	}
	if (!task->call_ns)
		send_sleep(task, task->slept_ns);
	return 0;
}

/* Some kernels report no switch from certain tasks, and so none to the next one. The kernel's own
 * count of the time on CPUs says when that one began to run. */
static __noinline int find_switch(struct wait_task *task, __u64 ran_ns, __u64 now_ns)
{
	__u64 first_ns, in_ns;

	if (!task)
		return 0;
	first_ns = task->woken_ns ? task->woken_ns : task->out_ns;
	in_ns = now_ns - above(ran_ns, task->ran_ns);
	__sync_fetch_and_add(&wait_losses.switches, 1);
	run_from(task, in_ns < first_ns || in_ns > now_ns ? first_ns : in_ns);
	return 0;
}

/* System calls, where each is seen -------------------------------------------------------------- */

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
	if (!is_in_scope(here, pid) || is_32_bit_call(current_here()))
		return 0;
	here->pid = pid;
	here->call = call;
	here->fd =
		(__s32)(call & WAIT_NUMBER_SECOND ? second_argument(regs) : first_argument(regs));
	here->call_ns = bpf_ktime_get_ns();
	return 0;
}

/* Attached before all other programs of sys_exit, whose time is not the call's. */
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
		if (here->call & WAIT_NUMBER_NO_FILE)
			return 0;
		/* Before the look at the file, whose time is not the call's. */
		now_ns = bpf_ktime_get_ns();
		if (has_followed_file(here, here->fd))
			count_call(here, pid, now_ns - began_ns);
		return 0;
	}
	task = find_task(pid);
	if (!task || !task->call_ns)
		return 0;
	now_ns = bpf_ktime_get_ns();
	if (!task->in_ns)
		run_from(task, task->woken_ns ? task->woken_ns : now_ns);
	task->call_cpu_ns += now_ns - task->in_ns;
	if (is_without_wakeup(task))
		find_wakeup(task, run_delay_of((void *)bpf_get_current_task()));
	copy_comm(current_here(), task->comm);
	end_call(task, now_ns);
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

/* 0: it would run on. */
static __always_inline __u32 state_of(__u64 *ctx, struct task_struct *task)
{
	if (ctx[0])
		return 0; /* preempted */
	if (wait_config.has_prev_state)
		return (__u32)ctx[3];
	if (bpf_core_field_exists(struct task_struct___state, state))
		return (__u32)BPF_CORE_READ((struct task_struct___state *)task, state);
	return BPF_CORE_READ((struct task_struct___new_state *)task, __state);
}

/* Kernel threads have no calls; idle tasks are threads of the kernel, too. */
static __always_inline bool can_wait(struct task_struct *task)
{
	unsigned int flags = task->flags;

	return !(flags & PF_KTHREAD) || flags & PF_IO_WORKER;
}

/* The call in which the current task is switched out. */
static __always_inline void find_call(struct wait_running *here, struct task_struct *prev,
				      struct seen_call *call)
{
	if (!wait_config.every_call) {
		read_call(prev, call);
	} else if (here->call_ns && here->pid == (__u32)prev->pid) {
		call->entry = here->call;
		call->fd = here->fd;
		call->began_ns = here->call_ns;
	}
}

/* A worker of io_uring waits for requests where signals reach it; in a request on storage they do not. */
static __always_inline bool is_in_request(struct task_struct *prev, __u32 state)
{
	return prev->flags & PF_IO_WORKER && state & TASK_UNINTERRUPTIBLE;
}

/* Whether a task that is not known yet is to be followed from now on. */
static __noinline int becomes_known(struct wait_running *here, struct task_struct *prev,
				    const struct seen_call *call, bool in_storage)
{
	__u32 device, mode;

	if (!here || !prev || !call || !is_in_scope(here, (__u32)prev->pid))
		return false;
	if (in_storage)
		return true;
	if (call->entry & WAIT_NUMBER_NO_FILE)
		return call->entry & WAIT_NUMBER_ANY_TASK;
	return followed_inode(prev, call->fd, &device, &mode) != NULL;
}

/* Where each call is seen, it ends in sys_exit. */
static __always_inline void continue_call(struct wait_task *task, struct task_struct *prev,
					  const struct seen_call *call, __u64 ran_ns, __u64 now_ns,
					  bool asleep)
{
	if (task->call_ns && (wait_config.every_call ? !call->entry : is_same_call(task, call))) {
		task->call_cpu_ns += ran_ns;
		return;
	}
	if (task->call_ns)
		end_call(task, now_ns - ran_ns);
	if (call->entry)
		begin_call(task, prev, call, now_ns, asleep);
}

/* A task that exits can still wait, for the last close of a device; it is in no call any more. */
static __always_inline struct wait_task *find_leaving(struct task_struct *prev)
{
	struct wait_task *task = find_task((__u32)prev->pid);

	/* The end of an earlier task of this number was not seen. */
	if (task && task->exits && !(prev->flags & PF_EXITING))
		return NULL;
	return task;
}

/* Returns when, of a task that is followed; else 0. */
static __always_inline __u64 leave(void *ctx, struct wait_running *here, struct task_struct *prev,
				   __u32 state)
{
	bool asleep = state && state != TASK_DEAD;
	__u64 kernel_ran_ns = prev->se.sum_exec_runtime, ran_ns, run_delay_ns = 0;
	bool waits_for_io = asleep && BPF_CORE_READ_BITFIELD(prev, in_iowait);
	bool in_storage = waits_for_io || (asleep && is_in_request(prev, state));
	struct seen_call call = {};
	struct wait_task *task = find_leaving(prev);
	__u64 now_ns = task ? bpf_ktime_get_ns() : 0;

	if (bpf_core_field_exists(prev->sched_info.run_delay))
		run_delay_ns = prev->sched_info.run_delay;
	if (!(prev->flags & PF_EXITING))
		find_call(here, prev, &call);
	/* What a call left to be done behind it, as the last close of a file, is its own. */
	if (!asleep && is_over(&call))
		call.entry = 0;
	if (!task) {
		if (!call.entry && !in_storage)
			return 0;
		if (!becomes_known(here, prev, &call, in_storage))
			return 0;
		now_ns = bpf_ktime_get_ns();
		task = create_task((__u32)prev->pid, call.began_ns ? call.began_ns : now_ns);
		if (!task)
			return 0;
	}
	if (!call.began_ns)
		call.began_ns = now_ns;
	if (!task->in_ns)
		find_switch(task, kernel_ran_ns, now_ns);
	if (is_without_wakeup(task))
		find_wakeup(task, run_delay_ns);
	/* From here on it can be woken. */
	task->woken_ns = 0;
	task->asleep = asleep;
	IN_THIS_ORDER();
	mark_call(prev, &call);
	ran_ns = now_ns - task->in_ns;
	task->cpu_ns += ran_ns;
	task->ran_ns = kernel_ran_ns;
	copy_comm(prev, task->comm);
	continue_call(task, prev, &call, ran_ns, now_ns, asleep);
	if (task->slept_ns)
		send_sleep(task, task->slept_ns);
	task->storage = asleep && (task->call_ns || in_storage);
	task->waker_pid = 0;
	task->stack = -1;
	task->in_ns = 0;
	IN_THIS_ORDER();
	task->out_ns = now_ns;
	task->run_delay_ns = run_delay_ns;
	task->ended = state == TASK_DEAD;
	task->flags = waits_for_io ? WAIT_EVENT_IOWAIT : 0;
	if (prev->flags & PF_KTHREAD)
		task->flags |= WAIT_EVENT_KTHREAD;
	if (!task->storage)
		return now_ns;
	task->stack = stack_of_current(ctx, here, task);
	return now_ns;
}

SEC("tp_btf/sched_switch")
int waits_sched_switch(__u64 *ctx)
{
	struct task_struct *prev = (struct task_struct *)ctx[1];
	struct task_struct *next = (struct task_struct *)ctx[2];
	bool leaves = can_wait(prev), enters = can_wait(next);
	struct wait_running *here;
	struct wait_task *task;
	__u64 now_ns = 0;

	if (!recording)
		return 0;
	task = enters ? find_task((__u32)next->pid) : NULL;
	if (leaves) {
		here = running_here();
		if (!here)
			return 0;
		if (wait_config.every_call)
			flush_counted(here);
		now_ns = leave(ctx, here, prev, state_of(ctx, prev));
		here->call_ns = here->file = 0;
	}
	/* A switch between tasks that are not followed reads no clock. */
	if (task)
		run_from(task, now_ns ? now_ns : bpf_ktime_get_ns());
	return 0;
}

SEC("tp_btf/sched_waking")
int waits_sched_waking(__u64 *ctx)
{
	struct task_struct *woken = (struct task_struct *)ctx[0];
	struct wait_task *task;

	if (!recording || !can_wait(woken))
		return 0;
	task = find_task((__u32)woken->pid);
	if (!task || !task->asleep || task->woken_ns)
		return 0;
	task->woken_ns = bpf_ktime_get_ns();
	/* Without out_ns the sleep before can still become a record, which has another waker. */
	if (!task->out_ns || !task->storage)
		return 0;
	if (current_task(&task->waker_pid, &task->waker_tgid, task->waker_comm) & PF_KTHREAD)
		task->waker_tgid = 0;
	return 0;
}

SEC("tp_btf/sched_process_exit")
int waits_process_exit(__u64 *ctx)
{
	struct wait_running *here = running_here();
	struct wait_task *task = find_task((__u32)bpf_get_current_pid_tgid());

	if (here)
		here->call_ns = here->scope_pid = 0;
	if (!task)
		return 0;
	copy_comm(current_here(), task->comm);
	if (task->in_ns && is_without_wakeup(task))
		find_wakeup(task, run_delay_of((void *)bpf_get_current_task()));
	if (!wait_config.every_call && task->call_ns && task->in_ns)
		end_call(task, task->in_ns);
	if (task->slept_ns)
		send_sleep(task, task->slept_ns);
	task->exits = 1;
	return 0;
}
