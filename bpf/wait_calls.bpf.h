/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The system call in which a task is switched out, its begin and its end. */
#ifndef BLKREEL_BPF_WAIT_CALLS_BPF_H
#define BLKREEL_BPF_WAIT_CALLS_BPF_H

#include "wait_tasks.bpf.h"

struct seen_call {
	__u32 entry; /* of the table of numbers; 0: no followed call */
	__s32 fd;
	__u64 began_ns;
	__u64 saved; /* the address of the registers */
	__u64 mark;
};

static __always_inline __u32 number_entry(__u64 number)
{
	return number < WAIT_NUMBERS_MAX ? wait_config.numbers[number & (WAIT_NUMBERS_MAX - 1)] : 0;
}

/* The kernels without typed pointers run no 32-bit calls through other numbers that are tested. */
static __always_inline bool is_32_bit_call(struct task_struct *current)
{
	if (has_typed_task())
		return in_32_bit_call(current);

#if defined(__TARGET_ARCH_x86)
	return BPF_CORE_READ(current, thread_info.status) & TS_COMPAT;
#else
	return BPF_CORE_READ(current, thread_info.flags) & 1ul << TIF_32BIT;
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
	if (!entry || is_32_bit_call(current))
		return;
	call->entry = entry;
	call->saved = saved;
	call->fd = (__s32)kernel_word(
		saved + (entry & WAIT_NUMBER_SECOND ? WORD_SECOND : WORD_FIRST) * sizeof(word));
}

/* The task is on its way back to the program; not known where each call is seen. */
static __always_inline bool is_over(const struct seen_call *call)
{
	if (!call->entry || wait_config.every_call)
		return false;
	return is_result(kernel_word(call->saved + WORD_RESULT * sizeof(__u64)),
			 kernel_word(call->saved + WORD_FIRST * sizeof(__u64)));
}

static __always_inline __u64 mark_of_registers(const struct seen_call *call)
{
	__u64 mark = 0;

	for (int i = 0; i < WORDS_SAVED; i++)
		if (i != WORD_RESULT && !(WORDS_IMPLIED & 1ull << i))
			mark = (mark ^ kernel_word(call->saved + i * sizeof(mark))) *
			       0x9e3779b97f4a7c15ull;
	return mark;
}

/* What tells a call of a followed task from its others. The kernel counts the reads and writes of a
 * task, each at its end; the registers tell the others. */
static __always_inline void mark_call(struct task_struct *current, struct seen_call *call)
{
	__u32 kind = call->entry & WAIT_NUMBER_CALL;

	if (!call->entry || wait_config.every_call)
		return;
	if (!bpf_core_field_exists(struct task_io_accounting, syscw)) {
		call->mark = mark_of_registers(call);
		return;
	}
	call->mark = current->ioac.syscr + current->ioac.syscw;
	if (kind > WAIT_NUMBER_LAST_COUNTED)
		call->mark += mark_of_registers(call);
}

/* Nothing counts calls that wait for completions: each sleep is one. */
static __always_inline bool is_same_call(const struct wait_task *task, const struct seen_call *call)
{
	return task->call == call->entry && task->call_mark == call->mark &&
	       !(call->entry & WAIT_NUMBER_ANY_TASK);
}

static __always_inline void begin_call(struct wait_task *task, struct task_struct *current,
				       const struct seen_call *call, __u64 now_ns, bool asleep)
{
	if (!asleep && !wait_config.every_call && call->entry & WAIT_NUMBER_ANY_TASK)
		return;
	if (!(call->entry & WAIT_NUMBER_NO_FILE) && !note_file(task, current, call->fd))
		return;
	task->call_ns = call->began_ns;
	task->call = call->entry;
	task->call_mark = call->mark;
	task->end_unseen = !wait_config.every_call;
	task->call_cpu_ns = now_ns - call->began_ns;
	task->call_run_queue_ns = 0;
	task->call_sleep_ns = 0;
}

/* What all records of waits have. */
static __always_inline void fill_wait(struct wait_event *event, const struct wait_task *task)
{
	event->call = task->call_ns ? task->call : 0;
	event->pid = task->pid;
	event->tgid = task->tgid;
	event->padding = 0;
	__builtin_memcpy(event->comm, task->comm, sizeof(event->comm));
}

static __always_inline void fill_sleep(struct wait_event *event, const struct wait_task *task)
{
	event->flags = task->flags;
	event->stack = task->stack;
	event->waker_pid = task->waker_pid;
	event->waker_tgid = task->waker_tgid;
	__builtin_memcpy(event->waker_comm, task->waker_comm, sizeof(event->waker_comm));
}

static __noinline int send_sleep(struct wait_task *task, __u64 slept_ns)
{
	struct record_place place;
	struct wait_event *event;

	if (!task)
		return 0;
	task->slept_ns = 0;
	event = new_wait(&place);
	if (!event)
		return 0;
	fill_wait(event, task);
	fill_sleep(event, task);
	event->what = WAIT_EVENT_SLEEP;
	event->time_ns = slept_ns;
	event->end_ns = task->slept_until_ns;
	event->run_queue_ns = task->in_ns - task->slept_until_ns;
	event->cpu_ns = event->sleep_ns = 0;
	event->call_ns = task->call_ns;
	event->inode = 0;
	event->device = event->mode = event->version = 0;
	send_wait(event, &place);
	return 0;
}

/* Whether the sleep that is no record yet was the only time that the call did not run. */
static __always_inline bool slept_once(const struct wait_task *task)
{
	return task->slept_ns && task->call_sleep_ns == task->slept_until_ns - task->slept_ns &&
	       task->call_run_queue_ns == task->in_ns - task->slept_until_ns;
}

static __noinline int end_call(struct wait_task *task, __u64 end_ns)
{
	struct record_place place;
	struct wait_event *event;

	if (!task)
		return 0;
	if (task->slept_ns && !slept_once(task))
		send_sleep(task, task->slept_ns);
	event = new_wait(&place);
	if (event) {
		fill_wait(event, task);
		event->time_ns = task->call_ns;
		event->end_ns = end_ns;
		event->run_queue_ns = task->call_run_queue_ns;
		event->sleep_ns = task->call_sleep_ns;
		event->cpu_ns = task->call_cpu_ns;
		event->inode = 0;
		event->device = event->mode = event->version = 0;
		if (!(task->call & WAIT_NUMBER_NO_FILE)) {
			event->device = task->file_device;
			event->mode = task->file_mode;
			event->inode = task->inode;
			event->version = task->file_version;
		}
		if (task->slept_ns) {
			event->what = WAIT_EVENT_SLEPT_CALL;
			event->call_ns = task->slept_ns;
			fill_sleep(event, task);
		} else {
			event->what = WAIT_EVENT_CALL;
			event->call_ns = task->call_ns;
			event->flags = 0;
			event->stack = -1;
			event->waker_pid = event->waker_tgid = 0;
			__builtin_memset(event->waker_comm, 0, sizeof(event->waker_comm));
		}
		send_wait(event, &place);
	}
	task->slept_ns = task->call_ns = 0;
	return 0;
}

#endif
