/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The system call in which a task is switched out, its begin and its end. */
#ifndef BLKREEL_BPF_WAIT_CALLS_BPF_H
#define BLKREEL_BPF_WAIT_CALLS_BPF_H

#include "wait_tasks.bpf.h"

struct seen_call {
	__u32 entry; /* of the table of numbers; 0: no followed call */
	__s32 fd;
	bool is_over; /* the task is on its way back to the program */
	__u64 began_ns;
	__u64 saved; /* the address of the registers */
	__u64 mark;
};

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

static __always_inline const void *saved_registers(struct task_struct *current)
{
	if (config.has_task_pt_regs)
		return (const void *)bpf_task_pt_regs((void *)bpf_get_current_task_btf());
	return BPF_CORE_READ(current, stack) + STACK_BYTES - bpf_core_type_size(struct pt_regs);
}

/* The kernel has written the call's result. */
static __always_inline bool is_result(__u64 word, __u64 first_argument)
{
#if defined(__TARGET_ARCH_x86)
	return word != (__u64)-ENOSYS;
#else
	return word != first_argument;
#endif
}

/* The call of the current task, from its registers; but for the result they stay the same until the
 * task runs in its program again. */
static __always_inline void read_call(struct task_struct *current, struct seen_call *call)
{
	__u64 saved, word;
	__u32 entry;

	if (current->flags & PF_IO_WORKER)
		return;
	saved = (__u64)saved_registers(current);
	word = kernel_word(saved + WORD_NUMBER * sizeof(word));
	entry = number_entry(BYTES_OF_NUMBER == sizeof(word) ? word : (__u32)word);
	if (!entry || is_32_bit_call())
		return;
	call->entry = entry;
	call->saved = saved;
	call->fd = (__s32)kernel_word(
		saved + (entry & WAIT_NUMBER_SECOND ? WORD_SECOND : WORD_FIRST) * sizeof(word));
	word = kernel_word(saved + WORD_RESULT * sizeof(word));
	call->is_over = is_result(word, kernel_word(saved + WORD_FIRST * sizeof(word)));
}

/* What tells a call of a followed task from its others. The counts of reads and writes tell two
 * calls apart whose registers are equal. */
static __always_inline void mark_call(struct task_struct *current, struct seen_call *call)
{
	__u64 mark = 0;

	if (!call->entry || wait_config.every_call)
		return;
	for (int i = 0; i < WORDS_SAVED; i++)
		if (i != WORD_RESULT && !(WORDS_IMPLIED & 1ull << i))
			mark = (mark ^ kernel_word(call->saved + i * sizeof(mark))) *
			       0x9e3779b97f4a7c15ull;
	if (bpf_core_field_exists(struct task_io_accounting, syscw))
		mark += current->ioac.syscr + current->ioac.syscw;
	call->mark = mark;
}

/* Nothing counts calls that wait for completions: each sleep is one. */
static __always_inline bool is_same_call(const struct wait_task *task, const struct seen_call *call)
{
	return task->call == call->entry && task->call_mark == call->mark &&
	       !(call->entry & WAIT_NUMBER_ANY_TASK);
}

static __always_inline void begin_call(struct wait_task *task, const struct seen_call *call,
				       __u64 now_ns, bool asleep)
{
	if (!asleep && !wait_config.every_call && call->entry & WAIT_NUMBER_ANY_TASK)
		return;
	if (!(call->entry & WAIT_NUMBER_NO_FILE) && !note_file(task, call->fd))
		return;
	task->call_ns = call->began_ns;
	task->call = call->entry;
	task->call_mark = call->mark;
	task->end_unseen = !wait_config.every_call;
	task->call_cpu_ns = now_ns - call->began_ns;
	task->call_run_queue_ns = 0;
	task->call_sleep_ns = 0;
}

static __noinline int end_call(struct wait_task *task, __u64 end_ns)
{
	struct record_place place;
	struct wait_event *event;

	if (!task)
		return 0;
	event = new_wait(&place);
	if (event) {
		event->what = WAIT_EVENT_CALL;
		event->stack = -1;
		event->time_ns = event->call_ns = task->call_ns;
		event->end_ns = end_ns;
		event->run_queue_ns = task->call_run_queue_ns;
		event->sleep_ns = task->call_sleep_ns;
		event->cpu_ns = task->call_cpu_ns;
		event->call = task->call;
		event->pid = task->pid;
		event->tgid = task->tgid;
		bpf_get_current_comm(event->comm, sizeof(event->comm));
		if (!(task->call & WAIT_NUMBER_NO_FILE)) {
			event->device = task->file_device;
			event->mode = task->file_mode;
			event->inode = task->inode;
			event->version = task->file_version;
		}
		send_wait(event, &place);
	}
	task->call_ns = 0;
	return 0;
}

#endif
