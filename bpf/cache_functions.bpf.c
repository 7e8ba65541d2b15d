// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The page-cache account on kernels that lack some of its tracepoints: the same events from kernel
 * functions. */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "account.bpf.h"
#include "compat.bpf.h"
#include "fetch.bpf.h"
#include "reader.bpf.h"
#include "unread.bpf.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* Before "readahead: Add trace points", Linux 6.18. */
SEC("fentry/page_cache_sync_ra")
int called_sync_ra(__u64 *ctx)
{
	struct readahead_control *control = (struct readahead_control *)ctx[0];

	begin_fetch((__u64)control->mapping, control->_index, ctx[1]);
	return 0;
}

SEC("fentry/page_cache_async_ra")
int called_async_ra(__u64 *ctx)
{
	struct readahead_control *control = (struct readahead_control *)ctx[0];

	begin_fetch((__u64)control->mapping, control->_index, ctx[2]);
	return 0;
}

SEC("fentry/page_cache_ra_order")
int called_ra_order(__u64 *ctx)
{
	begin_advice((__u64)((struct readahead_control *)ctx[0])->mapping);
	return 0;
}

SEC("fentry/page_cache_ra_unbounded")
int called_ra_unbounded(__u64 *ctx)
{
	begin_advice((__u64)((struct readahead_control *)ctx[0])->mapping);
	return 0;
}

/*
 * Before "filemap: Add trace events for get_pages, map_pages, and fault", Linux 6.12. The amount
 * read is known at the end: filemap_read(iocb, iter, already_read) returns the bytes, and the
 * position has advanced by them.
 */
SEC("fexit/filemap_read")
int called_read(__u64 *ctx)
{
	struct kiocb *iocb = (struct kiocb *)ctx[0];
	__s64 bytes = (__s64)ctx[3] - (__s64)ctx[2];
	__u64 first, end, position, used;
	struct account *account;
	struct reader *reader;

	if (ignored_task())
		return 0;
	reader = current_reader(true);
	if (!reader || !find_file(iocb->ki_filp->f_mapping, &reader->file))
		return 0;
	reader->by_function = 1;
	reader->is_unmet = 0;
	end_wait(reader, &reader->file);
	reader->reason = FETCH_NONE;
	position = (__u64)iocb->ki_pos;
	if (bytes <= 0 || position < (__u64)bytes)
		return 0;
	first = (position - (__u64)bytes) >> config.page_shift;
	end = ((position - 1) >> config.page_shift) + 1;
	account = account_of(&reader->file, account_owner(), end - first);
	if (!account)
		return 0;
	__sync_fetch_and_add(&account->reads, 1);
	__sync_fetch_and_add(&account->read_pages, end - first);
	used = take_unread_range(number_of(&reader->file), first, end);
	if (used)
		__sync_fetch_and_add(&account->readahead_used_pages, used);
	return 0;
}

SEC("fentry/filemap_fault")
int called_fault(__u64 *ctx)
{
	struct vm_fault *fault_in = (struct vm_fault *)ctx[0];

	return fault(fault_in->vma->vm_file->f_mapping, fault_in->pgoff);
}

/* If it has not mapped the page itself, filemap_fault() comes next. */
SEC("fexit/filemap_map_pages")
int called_map_pages(__u64 *ctx)
{
	struct vm_fault *fault_in = (struct vm_fault *)ctx[0];

	if (!(ctx[3] & VM_FAULT_NOPAGE))
		return 0;
	return fault_around(fault_in->vma->vm_file->f_mapping, ctx[1], ctx[2] + 1);
}
