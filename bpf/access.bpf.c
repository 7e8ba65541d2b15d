// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Operations on files: those of system calls, and the end of operations that no system call
 * ends. */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "access.bpf.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

enum call {
	CALL_NONE = 0,
	CALL_READ,
	CALL_READ_AT,
	CALL_WRITE,
	CALL_WRITE_AT,
	CALL_SENDFILE,
	CALL_SPLICE,
	CALL_SYNC,
	CALL_SYNC_DATA,
	CALL_SYNC_RANGE,
	CALL_TRUNCATE,
	CALL_READAHEAD,
	CALL_ADVISE,
};

static __always_inline enum call call_of(long number)
{
	switch (number) {
	case SYS_READ:
	case SYS_READV:
		return CALL_READ;
	case SYS_PREAD64:
	case SYS_PREADV:
	case SYS_PREADV2:
		return CALL_READ_AT;
	case SYS_WRITE:
	case SYS_WRITEV:
		return CALL_WRITE;
	case SYS_PWRITE64:
	case SYS_PWRITEV:
	case SYS_PWRITEV2:
		return CALL_WRITE_AT;
	case SYS_SENDFILE:
		return CALL_SENDFILE;
	case SYS_SPLICE:
	case SYS_COPY_FILE_RANGE:
		return CALL_SPLICE;
	case SYS_FSYNC:
		return CALL_SYNC;
	case SYS_FDATASYNC:
		return CALL_SYNC_DATA;
	case SYS_SYNC_FILE_RANGE:
		return CALL_SYNC_RANGE;
	case SYS_FTRUNCATE:
		return CALL_TRUNCATE;
	case SYS_READAHEAD:
		return CALL_READAHEAD;
	case SYS_FADVISE64:
		return CALL_ADVISE;
	}
	return CALL_NONE;
}

SEC("tp_btf/sys_enter")
int access_sys_enter(__u64 *ctx)
{
	enum call call = call_of((long)ctx[1]);
	struct access_state *state;

	if (!call || !recording || ignored_task() || in_32_bit_call(bpf_get_current_task_btf()))
		return 0;
	state = current_access(true);
	if (!state)
		return 0;
	flush_access(state);
	state->call = call;
	state->miss_pages = state->readahead_pages = 0;
	state->added_pages = state->added_blockdev_pages = 0;
	state->waits = state->wait_ns = 0;
	state->began_ns = bpf_ktime_get_ns();
	return 0;
}

/* The effect of a system call on one file. */
struct side {
	__u32 fd;
	__u8 op;
	bool moves;	 /* at the file's position, which is now behind it */
	__u64 position;	 /* otherwise: where it began, */
	__u64 behind_at; /* or the address in the process of its end position */
	__u64 bytes;
};

static __always_inline bool is_write(__u8 op)
{
	return op == ACCESS_EVENT_WRITE;
}

/* Mostly the same file as last time. */
static __always_inline bool find_followed(struct access_state *state, struct file *file)
{
	struct address_space *mapping = BPF_CORE_READ(file, f_mapping);
	struct inode *inode = BPF_CORE_READ(mapping, host);
	struct cached_file found = {};

	if (!inode)
		return false;
	if (state->file.mapping == (__u64)mapping &&
	    state->file.number == BPF_CORE_READ(inode, i_ino) &&
	    state->file.super == (__u64)BPF_CORE_READ(inode, i_sb) &&
	    state->file.generation == BPF_CORE_READ(inode, i_generation))
		return state->file.watched;
	if (!cached_file(mapping, &found) && recording) {
		mapping = (struct address_space *)mapping_below_overlay(file);
		if (mapping)
			cached_file(mapping, &found);
	}
	state->file = found;
	return found.watched;
}

static __always_inline void place(struct side *side, struct file *file, struct access_event *out)
{
	__u64 behind = 0;

	if (side->moves) {
		side->position = (__u64)BPF_CORE_READ(file, f_pos) - side->bytes;
	} else if (side->behind_at) {
		if (bpf_probe_read_user(&behind, sizeof(behind), (void *)side->behind_at))
			out->flags |= ACCESS_EVENT_BOUNDED;
		side->position = behind - side->bytes;
	} else if (is_write(side->op) && BPF_CORE_READ(file, f_flags) & O_APPEND) {
		side->position = (__u64)BPF_CORE_READ(file, f_mapping, host, i_size) - side->bytes;
		out->flags |= ACCESS_EVENT_BOUNDED;
	}
	out->offset = side->position;
}

static __always_inline void place_counts(struct access_state *state, __u8 op)
{
	struct access_event *out = &state->out;

	if (op == ACCESS_EVENT_WRITE) {
		out->miss_pages = (state->file.mode & S_IFMT) == S_IFBLK
					  ? state->added_blockdev_pages
					  : state->added_pages;
		return;
	}
	out->miss_pages = state->miss_pages;
	out->readahead_pages = state->readahead_pages;
	out->waits = state->waits;
	out->wait_ns = state->wait_ns;
}

/* A read that ended early has fetched pages that it did not get to: they are readahead. */
static __always_inline void limit_misses(struct access_event *out)
{
	__u32 more = above(out->miss_pages, pages_between(out->offset, out->bytes));

	out->miss_pages -= more;
	out->readahead_pages += more;
}

/* Sends one side of the call that ends. */
static __noinline int send_side(struct access_state *state, struct side *side)
{
	struct file *file = file_of(bpf_get_current_task_btf(), side->fd);
	__u32 flags;
	__u8 op = side->op;

	if (!file || !find_followed(state, file))
		return 0;
	flags = BPF_CORE_READ(file, f_flags);
	if (flags & O_DIRECT && op == ACCESS_EVENT_READ)
		op = ACCESS_EVENT_DIRECT_READ;
	if (flags & O_DIRECT && op == ACCESS_EVENT_WRITE)
		op = ACCESS_EVENT_DIRECT_WRITE;
	begin_access(state, &state->file, op, 0, side->bytes);
	if (op == ACCESS_EVENT_READ || op == ACCESS_EVENT_WRITE || op == ACCESS_EVENT_SPLICE ||
	    op == ACCESS_EVENT_ADVICE)
		place_counts(state, op);
	place(side, file, &state->out);
	if (op == ACCESS_EVENT_READ)
		limit_misses(&state->out);
	if (is_write(side->op) && flags & O_DSYNC)
		state->out.flags |= ACCESS_EVENT_WAITS;
	if (op == ACCESS_EVENT_SYNC && state->call != CALL_SYNC)
		state->out.flags |= ACCESS_EVENT_DATASYNC;
	state->out.duration_ns = state->out.time_ns - state->began_ns;
	state->out.time_ns = state->began_ns;
	return send_access(state);
}

static __always_inline int send_two(struct access_state *state, struct side *from, struct side *to)
{
	send_side(state, from);
	return send_side(state, to);
}

/* Data moved from one file or pipe to another. */
static __always_inline int send_pair(struct access_state *state, const struct syscall_info *call,
				     __u64 bytes)
{
	struct side from = {.op = ACCESS_EVENT_SPLICE, .bytes = bytes};
	struct side to = {.op = ACCESS_EVENT_WRITE, .bytes = bytes};

	if (state->call == CALL_SENDFILE) {
		from.fd = (__u32)call->arguments[1];
		from.behind_at = call->arguments[2];
		to.fd = (__u32)call->arguments[0];
	} else {
		from.fd = (__u32)call->arguments[0];
		from.behind_at = call->arguments[1];
		to.fd = (__u32)call->arguments[2];
		to.behind_at = call->arguments[3];
	}
	from.moves = !from.behind_at;
	to.moves = !to.behind_at;
	return send_two(state, &from, &to);
}

static __always_inline int send_call(struct access_state *state, const struct syscall_info *call,
				     __s64 result)
{
	struct side side = {.fd = (__u32)call->arguments[0], .bytes = (__u64)result};

	switch (state->call) {
	case CALL_READ:
	case CALL_READ_AT:
		side.op = ACCESS_EVENT_READ;
		break;
	case CALL_WRITE:
	case CALL_WRITE_AT:
		side.op = ACCESS_EVENT_WRITE;
		break;
	case CALL_SYNC_RANGE:
	case CALL_READAHEAD:
	case CALL_ADVISE:
		side.op = state->call == CALL_SYNC_RANGE ? ACCESS_EVENT_SYNC : ACCESS_EVENT_ADVICE;
		if (state->call == CALL_ADVISE && call->arguments[3] != POSIX_FADV_WILLNEED)
			return 0;
		side.position = call->arguments[1];
		side.bytes = call->arguments[2];
		break;
	case CALL_TRUNCATE:
		side.op = ACCESS_EVENT_TRUNCATE;
		side.position = call->arguments[1];
		break;
	default:
		side.op = ACCESS_EVENT_SYNC;
	}
	if (state->call == CALL_READ || state->call == CALL_WRITE)
		side.moves = true;
	if (state->call == CALL_READ_AT || state->call == CALL_WRITE_AT) {
		side.position = call->arguments[3];
		side.moves = (__s64)side.position < 0;
	}
	return send_side(state, &side);
}

/* Whether a call with this result did something: calls that move data return how much. */
static __always_inline bool did_something(__u64 call, __s64 result)
{
	return call < CALL_SYNC ? result > 0 : result == 0;
}

SEC("tp_btf/sys_exit")
int access_sys_exit(__u64 *ctx)
{
	struct access_state *state = current_access(false);
	__s64 result = (__s64)ctx[1];
	struct syscall_info call;

	if (!state)
		return 0;
	flush_access(state);
	if (!state->call)
		return 0;
	if (recording && did_something(state->call, result)) {
		read_syscall((struct pt_regs *)ctx[0], &call);
		if (state->call == CALL_SENDFILE || state->call == CALL_SPLICE)
			send_pair(state, &call, (__u64)result);
		else
			send_call(state, &call, result);
	}
	state->call = CALL_NONE;
	state->added_pages = state->added_blockdev_pages = 0;
	state->waits = state->wait_ns = 0;
	return 0;
}

/* A request of io_uring is complete: in a worker no system call ends it. */
SEC("tp_btf/io_uring_complete")
int access_io_uring_complete(__u64 *ctx)
{
	struct access_state *state = current_access(false);

	if (state)
		flush_access(state);
	return 0;
}

/* A task that goes to sleep, but not for IO, has finished its operation; a preempted task may be in
 * the middle of it, unless it is a fault and the task's fault count has changed. */
SEC("tp_btf/sched_switch")
int access_sched_switch(__u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx[1];
	struct access_state *state;
	struct reader *reader;

	if (!recording)
		return 0;
	state = current_access(false);
	if (!state || !state->out.type)
		return 0;
	if (keeps_fault(state)) {
		reader = current_reader(false);
		if (reader && reader->fault_number == fault_number())
			return 0;
	} else if (ctx[0] || BPF_CORE_READ_BITFIELD(task, in_iowait)) {
		return 0;
	}
	flush_access(state);
	return 0;
}
