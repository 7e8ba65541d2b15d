// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The same functions as in cache_functions.bpf.c, with kprobes, where the kernel refuses fentry. */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "account.bpf.h"
#include "compat.bpf.h"
#include "fetch.bpf.h"
#include "reader.bpf.h"
#include "unread.bpf.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

static __always_inline void probed_fetch(const struct pt_regs *regs, __u64 pages)
{
	struct readahead_control *control = (void *)first_argument(regs);

	begin_fetch((__u64)BPF_CORE_READ(control, mapping), BPF_CORE_READ(control, _index), pages);
}

static __always_inline void probed_advice(const struct pt_regs *regs)
{
	struct readahead_control *control = (void *)first_argument(regs);

	begin_advice((__u64)BPF_CORE_READ(control, mapping));
}

SEC("kprobe/page_cache_sync_ra")
int probed_sync_ra(struct pt_regs *regs)
{
	probed_fetch(regs, second_argument(regs));
	return 0;
}

SEC("kprobe/page_cache_async_ra")
int probed_async_ra(struct pt_regs *regs)
{
	probed_fetch(regs, third_argument(regs));
	return 0;
}

SEC("kprobe/page_cache_ra_order")
int probed_ra_order(struct pt_regs *regs)
{
	probed_advice(regs);
	return 0;
}

SEC("kprobe/page_cache_ra_unbounded")
int probed_ra_unbounded(struct pt_regs *regs)
{
	probed_advice(regs);
	return 0;
}

/* For the verifier a register holds a number: fields are read by helpers. */
static __always_inline struct reader *reader_of(__u64 mapping)
{
	struct reader *reader;

	if (ignored_task())
		return NULL;
	reader = current_reader(true);
	if (!reader || !cached_file((struct address_space *)mapping, &reader->file))
		return NULL;
	return reader;
}

static __always_inline void count_used(struct reader *reader, __u64 first, __u64 end)
{
	struct account *account;
	__u64 used = take_unread_range(number_of(&reader->file), first, end);

	account = used ? account_of(&reader->file, account_owner(), used) : NULL;
	if (account)
		__sync_fetch_and_add(&account->readahead_used_pages, used);
}

/* Pages of [position, position + bytes). */
static __always_inline __u64 pages_of(__u64 position, __u64 bytes)
{
	if (!bytes)
		return 0;
	return ((position + bytes - 1) >> config.page_shift) - (position >> config.page_shift) + 1;
}

/*
 * The kernel follows the returns of at most max(10, 2 * CPUs) calls of a function at once, and
 * readers sleep in this one. So the requested pages count at the entry, and the return, if seen,
 * only corrects the count.
 */
SEC("kprobe/filemap_read")
int probed_read(struct pt_regs *regs)
{
	struct kiocb *iocb = (void *)first_argument(regs);
	struct address_space *mapping = BPF_CORE_READ(iocb, ki_filp, f_mapping);
	struct reader *reader = current_reader(false);
	__u64 position, bytes, size, first, pages;
	struct account *account;

	if (reader)
		reader->call_mapping = 0;
	reader = reader_of((__u64)mapping);
	if (!reader)
		return 0;
	reader->by_function = 1;
	reader->sleep_ns = 0;
	reader->fetched = 0;
	reader->reason = FETCH_NONE;
	position = (__u64)BPF_CORE_READ(iocb, ki_pos);
	bytes = BPF_CORE_READ((struct iov_iter *)second_argument(regs), count);
	size = (__u64)BPF_CORE_READ(mapping, host, i_size);
	if (position >= size)
		return 0;
	if (bytes > size - position)
		bytes = size - position;
	pages = pages_of(position, bytes);
	account = pages ? account_of(&reader->file, account_owner(), pages) : NULL;
	if (!account)
		return 0;
	__sync_fetch_and_add(&account->reads, 1);
	__sync_fetch_and_add(&account->read_pages, pages);
	first = position >> config.page_shift;
	count_used(reader, first, first + pages);
	reader->call_mapping = (__u64)mapping;
	reader->call_position = position;
	reader->call_pages = pages;
	reader->call_before = third_argument(regs);
	return 0;
}

SEC("kretprobe/filemap_read")
int probed_read_end(struct pt_regs *regs)
{
	__s64 result = (__s64)returned(regs);
	struct reader *reader = current_reader(false);
	__u64 position, pages, bytes, read;
	struct account *account;

	if (!reader || !reader->call_mapping || !reader_of(reader->call_mapping))
		return 0;
	reader->call_mapping = 0;
	end_wait(reader, &reader->file);
	reader->reason = FETCH_NONE;
	position = reader->call_position;
	pages = reader->call_pages;
	bytes = result > (__s64)reader->call_before ? result - reader->call_before : 0;
	read = pages_of(position, bytes);
	position >>= config.page_shift;
	if (read)
		count_used(reader, position, position + read);
	account = read == pages ? NULL : account_of(&reader->file, account_owner(), pages);
	if (!account)
		return 0;
	__sync_fetch_and_add(&account->read_pages, read - pages);
	if (!read)
		__sync_fetch_and_add(&account->reads, -1);
	return 0;
}

static __always_inline struct address_space *faulted(const struct pt_regs *regs)
{
	return BPF_CORE_READ((struct vm_fault *)first_argument(regs), vma, vm_file, f_mapping);
}

SEC("kprobe/filemap_fault")
int probed_fault(struct pt_regs *regs)
{
	struct reader *reader = reader_of((__u64)faulted(regs));

	if (reader)
		fault_in(reader, BPF_CORE_READ((struct vm_fault *)first_argument(regs), pgoff));
	return 0;
}

SEC("kprobe/filemap_map_pages")
int probed_map_pages(struct pt_regs *regs)
{
	struct reader *reader = current_reader(false);

	if (reader)
		reader->map_mapping = 0;
	reader = reader_of((__u64)faulted(regs));
	if (!reader)
		return 0;
	reader->map_mapping = reader->file.mapping;
	reader->map_first = second_argument(regs);
	reader->map_end = third_argument(regs) + 1;
	return 0;
}

SEC("kretprobe/filemap_map_pages")
int probed_map_pages_end(struct pt_regs *regs)
{
	struct reader *reader = current_reader(false);
	__u64 mapping = reader ? reader->map_mapping : 0;

	if (!mapping)
		return 0;
	reader->map_mapping = 0;
	if (returned(regs) & VM_FAULT_NOPAGE && reader->map_first < reader->map_end &&
	    reader_of(mapping))
		fault_around_in(reader, reader->map_first, reader->map_end);
	return 0;
}
