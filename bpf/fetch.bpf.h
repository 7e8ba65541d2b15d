/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The steps of a reader and of a page fault, whichever probe sees them: fetch, wait, continue. */
#ifndef BLKREEL_BPF_FETCH_BPF_H
#define BLKREEL_BPF_FETCH_BPF_H

#include "access.bpf.h"
#include "account.bpf.h"
#include "reader.bpf.h"
#include "unread.bpf.h"

#define VM_FAULT_NOPAGE 0x100 /* the page was mapped */

/* The reader continues: a sleep for another reader's page was a wait. */
static __always_inline void end_wait(struct reader *reader, const struct cached_file *file)
{
	__u64 began_ns = reader->sleep_ns;
	struct account *account;

	reader->fetched = 0;
	if (!began_ns)
		return;
	reader->sleep_ns = 0;
	if (reader->sleep_mapping != file->mapping)
		return;
	account = account_of(file, account_owner(), 1);
	if (!account)
		return;
	began_ns = bpf_ktime_get_ns() - began_ns;
	__sync_fetch_and_add(&account->waits, 1);
	__sync_fetch_and_add(&account->wait_ns, began_ns);
	access_waited(began_ns);
}

/* A reader requests `pages` from `index` on, and readahead may add more. For a page fault, which
 * needs one page, the kernel requests the whole window. */
static __always_inline void begin_fetch(__u64 mapping, __u64 index, __u64 pages)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct reader *reader = current_reader(true);

	if (!reader || (reader->reason == FETCH_FAULT && in_fault(reader, mapping)))
		return;
	settle_read(reader, task);
	reader->fetch_mapping = mapping;
	if (does_not_wait(task)) {
		reader->reason = FETCH_ADVICE;
		reader->wanted_first = 0;
		reader->wanted_end = 0;
		return;
	}
	note_unmet(reader, task, mapping);
	reader->reason = FETCH_READ;
	reader->wanted_first = index;
	reader->wanted_end = index + pages;
}

static __always_inline void begin_advice(__u64 mapping)
{
	struct reader *reader = current_reader(true);

	if (!reader || (reader->reason && reader->fetch_mapping == mapping))
		return;
	reader->reason = FETCH_ADVICE;
	reader->fetch_mapping = mapping;
	reader->wanted_first = 0;
	reader->wanted_end = 0;
}

/* Counts the current fault of the task once: for one page, or for one of several. */
static __always_inline void count_fault(struct cached_file *file, struct reader *reader,
					__u64 first, __u64 pages)
{
	struct account *account;
	bool seen = in_fault(reader, file->mapping);

	reader->fault_mapping = file->mapping;
	reader->fault_number = fault_number();
	if (seen) {
		if (pages == 1)
			access_fault_page(first);
		return;
	}
	access_fault(file, first, pages);
	account = account_of(file, account_owner(), 1);
	if (!account)
		return;
	__sync_fetch_and_add(&account->reads, 1);
	__sync_fetch_and_add(&account->read_pages, 1);
	__sync_fetch_and_add(&account->fault_pages, 1);
}

/* A fault on a page of reader->file. */
static __always_inline void fault_in(struct reader *reader, __u64 index)
{
	struct cached_file *file = &reader->file;
	struct account *account;
	__u64 taken;

	end_wait(reader, file);
	count_fault(file, reader, index, 1);
	reader->reason = FETCH_FAULT;
	reader->fetch_mapping = file->mapping;
	reader->wanted_first = index;
	reader->wanted_end = index + 1;
	taken = take_unread_range(number_of(file), index, index + 1);
	account = taken ? account_of(file, account_owner(), taken) : NULL;
	if (account)
		__sync_fetch_and_add(&account->readahead_used_pages, taken);
}

static __always_inline int fault(struct address_space *mapping, __u64 index)
{
	struct reader *reader;

	if (ignored_task())
		return 0;
	reader = current_reader(true);
	if (reader && find_file(mapping, &reader->file))
		fault_in(reader, index);
	return 0;
}

/* Fault-around in reader->file: one page was accessed, and up to 16 were mapped, whose later
 * accesses are invisible. */
static __always_inline void fault_around_in(struct reader *reader, __u64 first, __u64 end)
{
	struct cached_file *file = &reader->file;
	struct account *account;
	__u64 taken;

	end_wait(reader, file);
	reader->reason = FETCH_NONE;
	count_fault(file, reader, first, end - first);
	taken = take_unread_range(number_of(file), first, end);
	account = taken ? account_of(file, account_owner(), taken) : NULL;
	if (account)
		__sync_fetch_and_add(&account->readahead_untracked_pages, taken);
}

static __always_inline int fault_around(struct address_space *mapping, __u64 first, __u64 end)
{
	struct reader *reader;

	if (ignored_task() || first >= end)
		return 0;
	reader = current_reader(true);
	if (reader && find_file(mapping, &reader->file))
		fault_around_in(reader, first, end);
	return 0;
}

#endif
