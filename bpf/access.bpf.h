/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Operations on files, one record each (record --files). A system call's arguments are known when
 * it returns (access.bpf.c); until then the page-cache probes count its misses here. Operations
 * that no system call ends (page faults, io_uring, kernel threads) are held until the task does
 * something else.
 */
#ifndef BLKREEL_BPF_ACCESS_BPF_H
#define BLKREEL_BPF_ACCESS_BPF_H

#include "account.bpf.h"
#include "compat.bpf.h"
#include "maps.bpf.h"
#include "reader.bpf.h"

#define FETCHES_MAX 16384

struct access_state {
	struct access_event out; /* the held operation; `type` 0: none */
	struct cached_file file; /* file of the last system call */
	/* The current system call of the task, if it is one that is followed. */
	__u64 call;
	__u64 began_ns;
	/* Counted since the call began, or since the last operation of another kind. */
	__u64 miss_pages;
	__u64 readahead_pages;
	__u64 added_pages; /* pages added by writing */
	__u64 added_blockdev_pages;
	__u64 waits;
	__u64 wait_ns;
	/* Cached values of the task. */
	__u64 groups;
	__u64 cgroup;
	__u64 memory_cgroup;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct access_state);
} access_states __weak SEC(".maps");

/* A request that begins with a fetch and is read later, as io_uring does. Its end page identifies
 * it: every event of the request has it. */
struct fetch_key {
	__u64 mapping;
	__u64 end;
};

struct fetch {
	__u64 miss_pages;
	__u64 readahead_pages;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, FETCHES_MAX);
	__type(key, struct fetch_key);
	__type(value, struct fetch);
} fetches __weak SEC(".maps");

/* NULL without --files; the verifier then removes the rest from the programs. */
static __always_inline struct access_state *current_access(bool create)
{
	if (!config.accesses)
		return NULL;
	return bpf_task_storage_get(&access_states, bpf_get_current_task_btf(), NULL,
				    create ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
}

static __always_inline void fill_who(struct access_state *state)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 groups = (__u64)task->cgroups;

	if (state->groups != groups) {
		state->groups = groups;
		state->cgroup = task_cgroup();
		state->memory_cgroup = task_memory_cgroup();
	}
	state->out.cgroup = state->cgroup;
	state->out.memory_cgroup = state->memory_cgroup;
	if (current_task(&state->out.pid, &state->out.tgid, state->out.comm) & PF_KTHREAD)
		state->out.flags |= ACCESS_EVENT_KTHREAD;
}

/* Sends the held operation. */
static __noinline int send_access(struct access_state *state)
{
	void *ring = current_ring();
	__u64 flags;

	if (!state)
		return 0;
	state->out.type = EVENT_ACCESS;
	fill_who(state);
	if (!ring)
		return 0;
	flags = wakeup_flags(ring, bpf_ktime_get_ns());
	if (bpf_ringbuf_output(ring, &state->out, sizeof(state->out), flags))
		__sync_fetch_and_add(&losses.access_ring, 1);
	state->out.type = 0;
	return 0;
}

static __always_inline void flush_access(struct access_state *state)
{
	if (state->out.type)
		send_access(state);
}

/* Begins an operation in `out`, which must be empty. */
static __always_inline void begin_access(struct access_state *state, const struct cached_file *file,
					 __u8 op, __u64 offset, __u64 bytes)
{
	struct address_space *mapping = (struct address_space *)file->mapping;

	state->out.type = EVENT_ACCESS;
	state->out.op = op;
	state->out.flags = 0;
	state->out.device = file->device;
	state->out.inode = file->number;
	state->out.mode = file->mode;
	state->out.time_ns = bpf_ktime_get_ns();
	state->out.duration_ns = 0;
	state->out.offset = offset;
	state->out.bytes = bytes;
	state->out.miss_pages = 0;
	state->out.readahead_pages = 0;
	state->out.waits = 0;
	state->out.wait_ns = 0;
	state->out.version =
		name_version(BPF_CORE_READ(mapping, host), file->device, file->number, file->mode);
}

static __always_inline bool in_io_uring(struct task_struct *task)
{
	struct syscall_info call;

	if (task->flags & PF_IO_WORKER)
		return true;
	if (task->flags & PF_KTHREAD || !config.has_task_pt_regs)
		return false;
	read_syscall((struct pt_regs *)bpf_task_pt_regs((void *)task), &call);
	return call.number == SYS_IO_URING_ENTER;
}

static __always_inline void begin_kept(struct access_state *state, const struct cached_file *file,
				       __u8 op, __u64 offset, __u64 bytes)
{
	flush_access(state);
	begin_access(state, file, op, offset, bytes);
	state->out.flags |= in_io_uring(bpf_get_current_task_btf()) ? ACCESS_EVENT_IO_URING
								    : ACCESS_EVENT_KERNEL;
}

static __always_inline void take_fetch(struct access_state *state, __u64 mapping, __u64 end)
{
	struct fetch_key key = {.mapping = mapping, .end = end};
	struct fetch *fetch = bpf_map_lookup_elem(&fetches, &key);

	state->out.waits += state->waits;
	state->out.wait_ns += state->wait_ns;
	state->waits = state->wait_ns = 0;
	if (!fetch)
		return;
	state->out.miss_pages += fetch->miss_pages;
	state->out.readahead_pages += fetch->readahead_pages;
	bpf_map_delete_elem(&fetches, &key);
}

/* A request for [first, end) begins or continues; `last` is its last page, which can lie beyond the
 * end of the file. */
static __always_inline void access_request(const struct cached_file *file, __u64 first, __u64 end,
					   __u64 last, bool is_new)
{
	struct access_state *state = current_access(true);

	if (!state || state->call)
		return;
	if (is_new) {
		begin_kept(state, file, ACCESS_EVENT_READ, first << config.page_shift,
			   (end - first) << config.page_shift);
		state->out.flags |= ACCESS_EVENT_BOUNDED;
	}
	if (state->out.type && state->out.op == ACCESS_EVENT_READ)
		take_fetch(state, file->mapping, last + 1);
}

/* Pages [first, first + pages): the faulting page, or the window that was mapped around it. */
static __always_inline void access_fault(const struct cached_file *file, __u64 first, __u64 pages)
{
	struct access_state *state = current_access(true);

	if (!state)
		return;
	flush_access(state);
	begin_access(state, file, ACCESS_EVENT_FAULT, first << config.page_shift,
		     pages << config.page_shift);
	if (pages > 1)
		state->out.flags |= ACCESS_EVENT_BOUNDED;
}

/* The kernel first tried to map the pages around it, and came back for the page itself. */
static __always_inline void access_fault_page(__u64 index)
{
	struct access_state *state = current_access(false);

	if (!state || !state->out.type || state->out.op != ACCESS_EVENT_FAULT)
		return;
	state->out.offset = index << config.page_shift;
	state->out.bytes = 1ull << config.page_shift;
	state->out.flags &= ~ACCESS_EVENT_BOUNDED;
}

static __always_inline bool keeps_fault(const struct access_state *state)
{
	return state->out.type && state->out.op == ACCESS_EVENT_FAULT;
}

/* Of the added pages, `wanted` were requested and `more` were added by readahead. */
static __always_inline void access_fetched(const struct reader *reader, __u64 wanted, __u64 more)
{
	struct access_state *state = current_access(true);
	struct fetch_key key = {.mapping = reader->fetch_mapping, .end = reader->wanted_end};
	struct fetch fresh = {.miss_pages = wanted, .readahead_pages = more}, *fetch;

	if (!state)
		return;
	if (reader->reason == FETCH_FAULT && keeps_fault(state)) {
		state->out.miss_pages += wanted;
		state->out.readahead_pages += more;
	} else if (state->call) {
		state->miss_pages += wanted;
		state->readahead_pages += more;
	} else if (reader->reason == FETCH_READ) {
		fetch = bpf_map_lookup_elem(&fetches, &key);
		if (fetch) {
			fetch->miss_pages += wanted;
			fetch->readahead_pages += more;
		} else {
			bpf_map_update_elem(&fetches, &key, &fresh, BPF_ANY);
		}
	}
}

/* Pages added without a read. */
static __always_inline void access_made(const struct cached_file *file, __u64 pages)
{
	struct access_state *state = current_access(true);

	if (!state)
		return;
	if ((file->mode & S_IFMT) == S_IFBLK)
		state->added_blockdev_pages += pages;
	else
		state->added_pages += pages;
}

static __always_inline void access_waited(__u64 wait_ns)
{
	struct access_state *state = current_access(false);

	if (!state)
		return;
	if (keeps_fault(state)) {
		state->out.waits++;
		state->out.wait_ns += wait_ns;
	} else {
		state->waits++;
		state->wait_ns += wait_ns;
	}
}

/* One record per folio: the collector joins them. */
static __always_inline void access_invalidated(const struct cached_file *file, __u64 first,
					       __u64 pages)
{
	struct access_state *state = current_access(true);

	if (!state)
		return;
	flush_access(state);
	begin_access(state, file, ACCESS_EVENT_INVALIDATE, first << config.page_shift,
		     pages << config.page_shift);
	send_access(state);
}

/* Writes without a system call of their own, piece by piece. */
static __always_inline void access_written(const struct cached_file *file, __u64 position,
					   __u64 bytes)
{
	struct access_state *state = current_access(true);
	struct access_event *out;

	if (!state || state->call)
		return;
	out = &state->out;
	if (out->type && out->op == ACCESS_EVENT_WRITE && out->inode == file->number &&
	    out->device == file->device && out->offset + out->bytes == position)
		out->bytes += bytes;
	else
		begin_kept(state, file, ACCESS_EVENT_WRITE, position, bytes);
	out->miss_pages +=
		(file->mode & S_IFMT) == S_IFBLK ? state->added_blockdev_pages : state->added_pages;
	state->added_pages = state->added_blockdev_pages = 0;
}

static __always_inline void access_direct(const struct cached_file *file, bool is_write,
					  __u64 position, __u64 bytes)
{
	struct access_state *state = current_access(true);

	if (!state || state->call)
		return;
	begin_kept(state, file, is_write ? ACCESS_EVENT_DIRECT_WRITE : ACCESS_EVENT_DIRECT_READ,
		   position, bytes);
	send_access(state);
}

/* Clean pages became dirty. In a page fault, which has no system call number, the access was a
 * write. */
static __always_inline void access_dirtied(const struct cached_file *file, __u64 first, __u64 pages)
{
	struct task_struct *task;
	struct access_state *state = current_access(true);
	struct syscall_info call;
	__u64 offset = first << config.page_shift, bytes = pages << config.page_shift;

	if (!state || state->call || !config.has_task_pt_regs)
		return;
	task = bpf_get_current_task_btf();
	if (task->flags & PF_KTHREAD)
		return;
	read_syscall((struct pt_regs *)bpf_task_pt_regs((void *)task), &call);
	if (call.number != SYS_NONE)
		return;
	if (!keeps_fault(state) || state->out.inode != file->number ||
	    state->out.device != file->device ||
	    !overlap(state->out.offset, state->out.offset + state->out.bytes, offset,
		     offset + bytes)) {
		flush_access(state);
		begin_access(state, file, ACCESS_EVENT_FAULT, offset, bytes);
		if (pages > 1)
			state->out.flags |= ACCESS_EVENT_BOUNDED;
	}
	state->out.flags |= ACCESS_EVENT_DIRTIED;
}

#endif
