// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Follows the processes of --pid, and finds the numbers that the kernel gives to processes of a PID namespace. */
#include "kernel.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

#include "compat.bpf.h"
#include "scope.bpf.h"

#define ANCESTORS_MAX 64

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* A process's number in its own PID namespace or in one above it. */
static __always_inline void read_number(struct task_struct *task, __u32 level, struct upid *number)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);

	number->nr = 0;
	number->ns = NULL;
	if (!pid || level > BPF_CORE_READ(pid, level))
		return;
	bpf_probe_read_kernel(&number->nr, sizeof(number->nr),
			      (void *)pid + bpf_core_field_offset(struct pid, numbers) +
				      level * bpf_core_type_size(struct upid) +
				      bpf_core_field_offset(struct upid, nr));
	bpf_probe_read_kernel(&number->ns, sizeof(number->ns),
			      (void *)pid + bpf_core_field_offset(struct pid, numbers) +
				      level * bpf_core_type_size(struct upid) +
				      bpf_core_field_offset(struct upid, ns));
}

/* Is it, or one of its ancestors, the process that the recorder numbers only_pid? */
static __always_inline bool descends_from_chosen(struct task_struct *task)
{
	struct task_struct *self = (void *)bpf_get_current_task();
	__u32 level = BPF_CORE_READ(self, thread_pid, level);
	struct upid own, number;

	read_number(self, level, &own);
	for (int i = 0; i < ANCESTORS_MAX && task; i++) {
		struct task_struct *parent;

		read_number(task, level, &number);
		if (number.ns == own.ns && (__u32)number.nr == config.only_pid)
			return true;
		parent = BPF_CORE_READ(task, real_parent, group_leader);
		if (parent == task)
			return false;
		task = parent;
	}
	return false;
}

SEC("iter/task")
int list_processes(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	__u8 one = 1;
	__u32 tgid;

	if (!task || task->pid != task->tgid)
		return 0;
	self_tgid = bpf_get_current_pid_tgid() >> 32;
	if (!config.only_pid || !descends_from_chosen(task))
		return 0;
	tgid = task->tgid;
	bpf_map_update_elem(&processes, &tgid, &one, BPF_ANY);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(follow_child, struct task_struct *parent, struct task_struct *child)
{
	__u32 tgid = parent->tgid;
	__u8 one = 1;

	if (!bpf_map_lookup_elem(&processes, &tgid))
		return 0;
	tgid = child->tgid;
	bpf_map_update_elem(&processes, &tgid, &one, BPF_ANY);
	return 0;
}

/* When a process exits it still closes its files, and a disk that it wrote to is written then. Nobody has its
 * number before it is freed. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(forget_process, struct task_struct *task)
{
	__u32 tgid = task->tgid;

	if (task->pid == task->tgid)
		bpf_map_delete_elem(&processes, &tgid);
	return 0;
}
