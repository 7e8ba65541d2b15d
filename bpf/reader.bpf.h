/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The reads of each task: the request in progress, the fetch that it began, its last page fault. */
#ifndef BLKREEL_BPF_READER_BPF_H
#define BLKREEL_BPF_READER_BPF_H

#include "account.bpf.h"
#include "compat.bpf.h"
#include "maps.bpf.h"
#include "overlay.bpf.h"
#include "unread.bpf.h"

/* Why a task is adding pages. */
enum fetch_reason {
	FETCH_NONE = 0,
	FETCH_READ,   /* a read: the requested pages, and readahead behind them */
	FETCH_FAULT,  /* the same for a page fault */
	FETCH_ADVICE, /* readahead(2), fadvise, or another caller of readahead */
};

struct reader {
	struct cached_file file; /* the file that it read last */
	/* The read in progress, or the last one. */
	__u64 mapping;
	__u64 first;
	__u64 last;
	__u64 index; /* next page of the request */
	/* The fetch in progress: the reader requested pages [wanted_first, wanted_end). */
	__u64 fetch_mapping;
	__u64 wanted_first;
	__u64 wanted_end;
	__u64 reason; /* enum fetch_reason */
	/* The last page fault, which the kernel reports again at each retry. */
	__u64 fault_mapping;
	__u64 fault_number;
	__u64 fetched; /* pages that the fetch in progress has added and the reader waits for */
	/* Set while it sleeps for a page that it did not request; 0: it does not. */
	__u64 sleep_mapping;
	__u64 sleep_ns;
	__u64 is_throttled; /* its next sleep for IO is for the limit of dirty pages */
	/* The write in progress, and its pages that were not seen to be clean. */
	__u64 write_mapping;
	__u64 write_first;
	__u64 write_end;
	__u64 write_left;
	/* What was counted for the system call whose number among the task's reads is `call_number`. */
	__u64 call_number;
	__u64 call_rchar; /* bytes that the task had read by system calls before it */
	__u64 counted_position;
	__u64 counted_pages; /* 0: nothing that its result could correct */
	__u64 counted_used;
	__u64 counted_missed;
	__u64 missed_first; /* the first page missed, and bits for 64 pages from there on */
	__u64 missed_bits;
	__u32 was_met;		    /* an event of the call in progress was seen */
	__u32 is_unmet;		    /* the call fetched, and no event of it was seen */
	__u32 by_function;	    /* reads are counted by a kernel function: none is unmet */
	struct account_key counted; /* where it was counted */
	/* The current calls of filemap_read() and filemap_map_pages(), for their ends; only for
	 * kprobes. A mapping of 0: none. */
	__u64 call_mapping;
	__u64 call_position;
	__u64 call_pages;  /* pages counted when it began */
	__u64 call_before; /* bytes read before it, which its result includes */
	__u64 map_mapping;
	__u64 map_first;
	__u64 map_end;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct reader);
} readers __weak SEC(".maps");

static __always_inline struct reader *current_reader(bool create)
{
	return bpf_task_storage_get(&readers, bpf_get_current_task_btf(), NULL,
				    create ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
}

/* The number of the task's page faults plus one: it stays the same during a fault and its
 * retries. */
static __always_inline __u64 fault_number(void)
{
	struct task_struct *task = bpf_get_current_task_btf();

	return task->min_flt + task->maj_flt + 1;
}

static __always_inline bool in_fault(const struct reader *reader, __u64 mapping)
{
	return reader->fault_mapping == mapping && reader->fault_number == fault_number();
}

/* The first page of the request in progress. */
struct read_start {
	__u64 page;
	__u64 position; /* in bytes; of a system call */
	bool in_pieces; /* part of a system call that reads in pieces */
	bool is_call;	/* of a system call on this file; else of io_uring or a kernel thread */
};

/* The file that a system call reads, and where the call passes the position: in a register, or at
 * an address of the process (0: in neither; the file's position counts). */
struct read_call {
	__u32 fd;
	bool has_position;
	__u64 position;
	__u64 position_at;
	__u64 bytes; /* 0: not known */
	bool in_pieces;
};

static __always_inline bool current_read_call(struct task_struct *task, struct read_call *read)
{
	struct syscall_info call;

	read_syscall((struct pt_regs *)bpf_task_pt_regs((void *)task), &call);
	read->fd = (__u32)call.arguments[0];
	switch (call.number) {
	case SYS_PREAD64:
		read->bytes = call.arguments[2];
		read->has_position = true;
		read->position = call.arguments[3];
		return true;
	case SYS_PREADV:
	case SYS_PREADV2:
		read->has_position = (long long)call.arguments[3] >= 0;
		read->position = call.arguments[3];
		return true;
	case SYS_READ:
	case SYS_READV:
		return true;
	case SYS_SENDFILE:
		read->fd = (__u32)call.arguments[1];
		read->position_at = call.arguments[2];
		read->in_pieces = true;
		return true;
	case SYS_SPLICE:
	case SYS_COPY_FILE_RANGE:
		read->position_at = call.arguments[1];
		read->in_pieces = true;
		return true;
	}
	return false;
}

static __always_inline struct file *file_of(struct task_struct *task, __u32 fd)
{
	struct fdtable *table = task->files->fdt;
	struct file *file = NULL;

	if (fd < table->max_fds)
		bpf_probe_read_kernel(&file, sizeof(file), table->fd + fd);
	return file;
}

/* Finds the first page from the current system call, because the kernel does not report pages
 * before the first missing one; it is `index` when the task is in no system call on this file
 * (io_uring, a kernel thread). */
static __always_inline struct read_start find_read_start(const struct reader *reader, __u64 mapping,
							 __u64 index, __u64 last)
{
	struct read_start start = {.page = index};
	struct read_call read = {};
	struct task_struct *task;
	struct file *file;
	__u64 page;

	if (!config.has_task_pt_regs)
		return start;
	task = bpf_get_current_task_btf();
	if (task->flags & (PF_KTHREAD | PF_IO_WORKER) || !current_read_call(task, &read))
		return start;
	/* A call that ends at the page where this request ends can only be this request. */
	if (read.bytes && (read.position + read.bytes - 1) >> config.page_shift == last) {
		page = read.position >> config.page_shift;
		if (page < index)
			start.page = page;
		start.position = read.position;
		start.is_call = true;
		return start;
	}
	file = file_of(task, read.fd);
	if (!file || ((__u64)BPF_CORE_READ(file, f_mapping) != mapping &&
		      mapping_below_overlay(file) != mapping))
		return start;
	if (read.position_at)
		read.has_position = !bpf_probe_read_user(&read.position, sizeof(read.position),
							 (void *)read.position_at);
	if (!read.has_position)
		read.position = (__u64)BPF_CORE_READ(file, f_pos);
	start.position = read.position;
	start.is_call = true;
	start.in_pieces = read.in_pieces;
	page = read.position >> config.page_shift;
	/* A piece begins where the previous one ended. */
	if (read.in_pieces && reader->mapping == mapping && reader->last + 1 > page &&
	    reader->last + 1 <= index)
		page = reader->last + 1;
	if (page < index)
		start.page = page;
	return start;
}

/*
 * A read counts when its first pages are met, and can end early: at an address that is not the process's
 * (EFAULT), or at a page that it does not wait for (RWF_NOWAIT). How many bytes its system call returned the
 * kernel adds to the task's own figures, with the number of its reads: they are looked at when the task reads
 * again, and when it exits. Bytes that other reads returned in between let a short read pass for a whole one.
 */
static __always_inline bool counts_results(void)
{
	return bpf_core_field_exists(struct task_struct, ioac.rchar) &&
	       bpf_core_field_exists(struct task_struct, ioac.syscr);
}

static __always_inline __u64 pages_between(__u64 position, __u64 bytes)
{
	if (!bytes)
		return 0;
	return ((position + bytes - 1) >> config.page_shift) - (position >> config.page_shift) + 1;
}

static __always_inline __u64 above(__u64 value, __u64 limit)
{
	return value > limit ? value - limit : 0;
}

/* What is taken back goes from the account that has it: the task may be on another CPU by then, or in
 * another cgroup. */
static __always_inline void note_account(struct reader *reader, const struct cached_file *file,
					 __u32 owner)
{
	struct account_key key = key_of(file, owner);

	reader->counted = key;
}

/* Of the pages from `first` on, `pages` that the read wants were missed. */
static __always_inline void note_missed(struct reader *reader, const struct cached_file *file,
					__u64 first, __u64 pages)
{
	__u64 low = first > reader->wanted_first ? first : reader->wanted_first;

	if (!reader->counted_missed) {
		reader->missed_first = low;
		reader->missed_bits = 0;
	}
	reader->counted_missed += pages;
	note_account(reader, file, account_owner());
	if (low < reader->missed_first)
		return;
	low -= reader->missed_first;
	reader->missed_bits |= word_bits(0, low, low + pages);
}

/* Of the missed pages, those that a read of `pages` did not get to. Of a miss of more than 64 pages only the
 * least number is known. */
static __always_inline __u64 missed_beyond(const struct reader *reader, __u64 pages)
{
	__u64 end = (reader->counted_position >> config.page_shift) + pages,
	      bits = reader->missed_bits;

	if (count_bits(bits) != reader->counted_missed)
		return above(reader->counted_missed, pages);
	if (end <= reader->missed_first)
		return reader->counted_missed;
	return count_bits(bits & ~word_bits(0, 0, end - reader->missed_first));
}

/* The read got `pages`, less than were counted. What it had fetched or found beyond was readahead. */
static __noinline int correct_read(struct reader *reader, __u64 pages)
{
	struct account_key key;
	struct account *account;
	__u64 missed, used;

	if (!reader)
		return 0;
	key = reader->counted;
	account = bpf_map_lookup_elem(&accounts, &key);
	if (!account)
		return 0;
	missed = missed_beyond(reader, pages);
	used = above(reader->counted_used, pages);
	__sync_fetch_and_add(&account->read_pages, pages - reader->counted_pages);
	if (reader->is_unmet)
		__sync_fetch_and_add(&account->reads, pages > 0);
	else if (!pages)
		__sync_fetch_and_add(&account->reads, -1);
	__sync_fetch_and_add(&account->demand_miss_pages, -missed);
	__sync_fetch_and_add(&account->readahead_added_pages, missed);
	__sync_fetch_and_add(&account->readahead_used_pages, -used);
	__sync_fetch_and_add(&account->readahead_untracked_pages, missed + used);
	return 0;
}

/* Where the task reads: what it counted in an earlier system call is held against what that returned. */
static __always_inline void settle_read(struct reader *reader, struct task_struct *task)
{
	__u64 number, pages;

	if (!counts_results())
		return;
	number = task->ioac.syscr;
	if (number == reader->call_number)
		return;
	if (reader->counted_pages || reader->is_unmet) {
		pages = pages_between(reader->counted_position,
				      task->ioac.rchar - reader->call_rchar);
		if (pages < reader->counted_pages || reader->is_unmet)
			correct_read(reader, pages);
	}
	reader->call_number = number;
	reader->call_rchar = task->ioac.rchar;
	reader->counted_pages = 0;
	reader->counted_used = 0;
	reader->counted_missed = 0;
	reader->was_met = 0;
	reader->is_unmet = 0;
	/* The next event is of another call, and continues no request. */
	reader->index = ~0ull;
}

/*
 * The kernel reports no batch whose last page is still being read, and a read can end in such a batch, at an address
 * that is not the process's. It has fetched, though: here it begins to be followed, until an event of it is seen.
 */
static __always_inline void note_unmet(struct reader *reader, struct task_struct *task,
				       __u64 mapping)
{
	struct read_call read = {};
	struct file *file;

	if (reader->was_met || reader->is_unmet || reader->by_function || !counts_results() ||
	    !config.has_task_pt_regs || task->flags & (PF_KTHREAD | PF_IO_WORKER) ||
	    !current_read_call(task, &read) || read.in_pieces)
		return;
	file = file_of(task, read.fd);
	if (!file || cached_mapping(file) != mapping)
		return;
	reader->counted_position =
		read.has_position ? read.position : (__u64)BPF_CORE_READ(file, f_pos);
	reader->is_unmet = 1;
}

/* A second request in the same call: the call's result tells of neither. */
static __always_inline void note_counted(struct reader *reader, const struct read_start *start,
					 __u32 owner, __u64 pages, __u64 used)
{
	if (!counts_results())
		return;
	if (!start->is_call || start->in_pieces || reader->counted_pages ||
	    start->position >> config.page_shift != start->page) {
		reader->counted_pages = 0;
		return;
	}
	reader->counted_position = start->position;
	reader->counted_pages = pages;
	reader->counted_used = used;
	note_account(reader, &reader->file, owner);
}

/* A read that would rather return than wait: what it fetches is for later. */
static __always_inline bool does_not_wait(struct task_struct *task)
{
	struct syscall_info call;
	struct pt_regs *regs;

	if (!config.has_task_pt_regs || task->flags & (PF_KTHREAD | PF_IO_WORKER))
		return false;
	regs = (struct pt_regs *)bpf_task_pt_regs((void *)task);
	read_syscall(regs, &call);
	return call.number == SYS_PREADV2 && sixth_of_syscall(regs) & RWF_NOWAIT;
}

#endif
