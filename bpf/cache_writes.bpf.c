// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The page-cache account, second part: written and dirtied pages, and IO that bypasses the
 * cache. */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "access.bpf.h"
#include "account.bpf.h"
#include "compat.bpf.h"
#include "event.h"
#include "reader.bpf.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* Counts the pages that a write is about to touch as overwritten while dirty. A page that was clean
 * is subtracted again when it becomes dirty. */
static __always_inline int write(struct address_space *mapping, __u64 position, __u64 bytes)
{
	struct cached_file file;
	struct account *account;
	struct reader *writer;
	__u64 first, end;

	if (!bytes || ignored_task() || !cached_file(mapping, &file))
		return 0;
	writer = current_reader(true);
	first = position >> config.page_shift;
	end = ((position + bytes - 1) >> config.page_shift) + 1;
	account = account_of(&file, account_owner(), end - first);
	if (!writer || !account)
		return 0;
	writer->write_mapping = file.mapping;
	writer->write_first = first;
	writer->write_end = end;
	writer->write_left = end - first;
	__sync_fetch_and_add(&account->written_pages, end - first);
	__sync_fetch_and_add(&account->overwritten_pages, end - first);
	access_written(&file, position, bytes);
	return 0;
}

/* Called for each folio, before it is marked dirty. */
SEC("tp_btf/ext4_da_write_end")
int ext4_da_write_end(__u64 *ctx)
{
	return write(BPF_CORE_READ((struct inode *)ctx[0], i_mapping), ctx[1], (__u32)ctx[3]);
}

SEC("tp_btf/ext4_write_end")
int ext4_write_end(__u64 *ctx)
{
	return write(BPF_CORE_READ((struct inode *)ctx[0], i_mapping), ctx[1], (__u32)ctx[3]);
}

SEC("tp_btf/ext4_journalled_write_end")
int ext4_journalled_write_end(__u64 *ctx)
{
	return write(BPF_CORE_READ((struct inode *)ctx[0], i_mapping), ctx[1], (__u32)ctx[3]);
}

/* Called once for the whole write. */
SEC("tp_btf/xfs_file_buffered_write")
int xfs_file_buffered_write(__u64 *ctx)
{
	struct kiocb *iocb = (struct kiocb *)ctx[0];

	return write(BPF_CORE_READ(iocb, ki_filp, f_mapping), BPF_CORE_READ(iocb, ki_pos),
		     BPF_CORE_READ((struct iov_iter *)ctx[1], count));
}

static __always_inline void was_clean(struct account *account, __u64 mapping, __u64 first,
				      __u64 end)
{
	struct reader *writer = current_reader(false);
	__u64 pages;
	__u32 tgid;

	if (!writer || !writer->write_left || writer->write_mapping != mapping)
		return;
	pages = overlap(first, end, writer->write_first, writer->write_end);
	if (pages > writer->write_left)
		pages = writer->write_left;
	writer->write_left -= pages;
	if (!pages)
		return;
	__sync_fetch_and_sub(&account->overwritten_pages, pages);
	/* What was read ahead is neither used nor wasted. */
	if (first < writer->write_first)
		first = writer->write_first;
	if (end > writer->write_end)
		end = writer->write_end;
	take_unread_of_folio(writer->write_mapping, first, end, &tgid);
}

/* A folio; a page before Linux 5.17. */
static __always_inline struct account *dirty(struct folio *folio, struct address_space *mapping)
{
	struct cached_file file;
	struct account *account;
	__u64 pages;

	/* The verifier knows that the mapping may be NULL. */
	if (!mapping || ignored_task() || !cached_file(mapping, &file))
		return NULL;
	pages = folio_pages(folio);
	account = account_of(&file, account_owner(), pages);
	if (account) {
		__sync_fetch_and_add(&account->dirtied_pages, pages);
		access_dirtied(&file, folio_index(folio), pages);
	}
	return account;
}

SEC("tp_btf/writeback_dirty_folio")
int writeback_dirty_folio(__u64 *ctx)
{
	struct address_space *mapping = (struct address_space *)ctx[1];
	struct folio *folio = (struct folio *)ctx[0];
	struct account *account = dirty(folio, mapping);
	__u64 first;

	if (!account)
		return 0;
	first = folio_index(folio);
	was_clean(account, (__u64)mapping, first, first + folio_pages(folio));
	return 0;
}

SEC("tp_btf/writeback_dirty_page")
int writeback_dirty_page(__u64 *ctx)
{
	dirty((struct folio *)ctx[0], (struct address_space *)ctx[1]);
	return 0;
}

/* O_DIRECT of file systems; that of a block device does not call this. */
SEC("tp_btf/iomap_dio_rw_begin")
int iomap_dio_rw_begin(__u64 *ctx)
{
	struct iov_iter *iter = (struct iov_iter *)ctx[1];
	struct kiocb *iocb = (struct kiocb *)ctx[0];
	__u64 bytes = BPF_CORE_READ(iter, count);
	struct cached_file file;
	struct account *account;
	__u64 size, position;

	if (ignored_task() || !cached_file(BPF_CORE_READ(iocb, ki_filp, f_mapping), &file))
		return 0;
	account = account_of(&file, account_owner(), bytes >> config.page_shift);
	if (!account)
		return 0;
	position = (__u64)BPF_CORE_READ(iocb, ki_pos);
	if (BPF_CORE_READ(iter, data_source)) {
		__sync_fetch_and_add(&account->direct_writes, 1);
		__sync_fetch_and_add(&account->direct_write_bytes, bytes);
		access_direct(&file, true, position, bytes);
		return 0;
	}
	size = (__u64)BPF_CORE_READ(iocb, ki_filp, f_mapping, host, i_size);
	if (position >= size)
		return 0;
	__sync_fetch_and_add(&account->direct_reads, 1);
	__sync_fetch_and_add(&account->direct_read_bytes,
			     overlap(position, position + bytes, 0, size));
	access_direct(&file, false, position, overlap(position, position + bytes, 0, size));
	return 0;
}

/* The pause in jiffies. The load stays in its branch, as in tracepoint_argument(). */
static __always_inline __s64 balance_pause(const __u64 *ctx)
{
	__u64 pause;

	if (config.pause_argument == 6)
		return (__s64)ctx[6];
	if (config.pause_argument != 10)
		return 0;
	pause = ctx[10];
	asm volatile("" : "+r"(pause));
	return (__s64)pause;
}

static __always_inline void note_throttled(void)
{
	struct reader *reader = current_reader(true);

	if (reader)
		reader->is_throttled = 1;
}

/* Too much memory is dirty: the kernel is about to make the writer sleep, or lets it continue (0 or
 * less). */
SEC("tp_btf/balance_dirty_pages")
int balance_dirty_pages(__u64 *ctx)
{
	struct task_struct *task;
	struct cached_file cached;
	struct syscall_info call;
	struct account *account;
	struct file *file;
	__s64 jiffies = balance_pause(ctx);

	if (jiffies <= 0 || !config.has_task_pt_regs || ignored_task())
		return 0;
	task = bpf_get_current_task_btf();
	if (task->flags & PF_KTHREAD)
		return 0;
	read_syscall((struct pt_regs *)bpf_task_pt_regs((void *)task), &call);
	if (is_mixed_call(call.number))
		note_throttled();
	file = is_write_call(call.number) ? file_of(task, (__u32)call.arguments[0]) : NULL;
	if (!file || !cached_file((struct address_space *)cached_mapping(file), &cached))
		return 0;
	account = account_of(&cached, account_owner(), 0);
	if (!account)
		return 0;
	__sync_fetch_and_add(&account->throttles, 1);
	__sync_fetch_and_add(&account->throttle_ns, (__u64)jiffies * config.jiffy_ns);
	return 0;
}

/* ext4, btrfs and XFS (before Linux 6.9) set it from the begin of a transaction to its end. */
static __always_inline bool is_in_transaction(struct task_struct *task)
{
	return bpf_core_field_exists(task->journal_info) && task->journal_info;
}

/*
 * A reader that sleeps for IO without a request of its own waits for a page on its way: another
 * reader's, or readahead's. Counted when it continues to read, because the sleep can have another
 * cause. A call that also writes (copy_file_range) sleeps for the journal, and for the limit of dirty
 * pages.
 */
SEC("tp_btf/sched_switch")
int sched_switch(__u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx[1];
	struct read_call read = {};
	struct reader *reader;
	struct file *file;
	__u64 mapping;

	if (!BPF_CORE_READ_BITFIELD(task, in_iowait) || !recording || !config.has_task_pt_regs ||
	    task->flags & PF_KTHREAD || is_in_transaction(task))
		return 0;
	reader = current_reader(true);
	if (!reader)
		return 0;
	if (reader->is_throttled) {
		reader->is_throttled = 0;
		return 0;
	}
	if (reader->sleep_ns)
		return 0;
	if (reader->reason == FETCH_FAULT && in_fault(reader, reader->fetch_mapping)) {
		mapping = reader->fetch_mapping;
	} else {
		if (!current_read_call(task, &read))
			return 0;
		file = file_of(task, read.fd);
		if (!file || BPF_CORE_READ(file, f_flags) & O_DIRECT)
			return 0;
		mapping = cached_mapping(file);
	}
	if (reader->fetched && reader->fetch_mapping == mapping)
		return 0;
	reader->sleep_mapping = mapping;
	reader->sleep_ns = bpf_ktime_get_ns();
	return 0;
}
