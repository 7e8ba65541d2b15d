// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The page-cache account: for each process and file the pages accessed and the pages fetched for
 * them, and the pages that readahead added and whether they were used. All counts are the kernel's
 * pages, whatever the size of the folios.
 */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "access.bpf.h"
#include "account.bpf.h"
#include "compat.bpf.h"
#include "event.h"
#include "fetch.bpf.h"
#include "reader.bpf.h"
#include "unread.bpf.h"
#include "uring.bpf.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* The event is emitted once per batch of folios with the rest of the request as its range, and not
 * for a batch that was cut short: only the first event of a request counts, with the whole request
 * as its range. */
SEC("tp_btf/mm_filemap_get_pages")
int mm_filemap_get_pages(__u64 *ctx)
{
	__u64 index = ctx[1], last = ctx[2], first, pages, end, used;
	struct cached_file *file;
	struct uring_read *uring;
	struct read_start start;
	struct account *account;
	struct reader *reader;
	__u32 owner;

	if (ignored_task())
		return 0;
	reader = current_reader(true);
	if (!reader)
		return 0;
	settle_read(reader, bpf_get_current_task_btf());
	reader->was_met = 1;
	reader->is_unmet = 0;
	if (!find_file((struct address_space *)ctx[0], &reader->file))
		return 0;
	file = &reader->file;
	end_wait(reader, file);
	reader->reason = FETCH_NONE;
	start = find_read_start(reader, file->mapping, index, last);
	first = start.page;
	uring = start.is_call ? NULL : find_uring_read(file->mapping, last, current_tgid());
	if (uring) {
		if (!take_uring_read(uring)) {
			access_request(file, 0, 0, last, false);
			return 0;
		}
		first = uring->first < index ? uring->first : index;
	} else if (reader->mapping == file->mapping && reader->last == last &&
		   index > reader->index &&
		   (start.in_pieces || first == index || first == reader->first)) {
		reader->index = index;
		access_request(file, 0, 0, last, false);
		return 0;
	}
	reader->mapping = file->mapping;
	reader->first = first;
	reader->last = last;
	reader->index = index;
	end = file_pages(((struct address_space *)ctx[0])->host);
	if (last + 1 < end)
		end = last + 1;
	if (first >= end)
		return 0;
	pages = end - first;
	owner = account_owner();
	account = account_of(file, owner, pages);
	if (!account)
		return 0;
	__sync_fetch_and_add(&account->reads, 1);
	__sync_fetch_and_add(&account->read_pages, pages);
	used = take_unread_range(number_of(file), first, end);
	if (used)
		__sync_fetch_and_add(&account->readahead_used_pages, used);
	note_counted(reader, &start, owner, pages, used);
	access_request(file, first, end, last, true);
	return 0;
}

/* The last read of a task. */
SEC("tp_btf/sched_process_exit")
int reader_exits(__u64 *ctx)
{
	struct reader *reader = recording ? current_reader(false) : NULL;

	if (reader)
		settle_read(reader, bpf_get_current_task_btf());
	return 0;
}

SEC("tp_btf/mm_filemap_fault")
int mm_filemap_fault(__u64 *ctx)
{
	return fault((struct address_space *)ctx[0], ctx[1]);
}

SEC("tp_btf/mm_filemap_map_pages")
int mm_filemap_map_pages(__u64 *ctx)
{
	return fault_around((struct address_space *)ctx[0], ctx[1], ctx[2] + 1);
}

static __always_inline __u64 mapping_of(struct inode *inode)
{
	return (__u64)BPF_CORE_READ(inode, i_mapping);
}

/* Since Linux 6.18 ("readahead: Add trace points"): a page is missing. */
SEC("tp_btf/page_cache_sync_ra")
int page_cache_sync_ra(__u64 *ctx)
{
	begin_fetch(mapping_of((struct inode *)ctx[0]), ctx[1], ctx[3]);
	return 0;
}

/* The last window nears its end: pages of the next one that the present read still needs were
 * missing when it began, too. */
SEC("tp_btf/page_cache_async_ra")
int page_cache_async_ra(__u64 *ctx)
{
	begin_fetch(mapping_of((struct inode *)ctx[0]), ctx[1], ctx[3]);
	return 0;
}

/* These two do the work for all of the above, and are called directly for advice. */
SEC("tp_btf/page_cache_ra_order")
int page_cache_ra_order(__u64 *ctx)
{
	begin_advice(mapping_of((struct inode *)ctx[0]));
	return 0;
}

SEC("tp_btf/page_cache_ra_unbounded")
int page_cache_ra_unbounded(__u64 *ctx)
{
	begin_advice(mapping_of((struct inode *)ctx[0]));
	return 0;
}

/* Pages that nobody requested are remembered until they are touched or evicted. */
static __always_inline void add_readahead(struct account *account, const struct reader *reader,
					  __u64 mapping, __u64 first, __u64 end)
{
	__u64 added = 0, untracked = 0;

	for (int i = 0; i < FOLIO_WORDS; i++) {
		__u64 word = (first >> WORD_SHIFT) + i, bits = word_bits(word, first, end);

		if (!bits)
			break;
		bits &= ~word_bits(word, reader->wanted_first, reader->wanted_end);
		added += count_bits(bits);
		if (bits && !put_unread(mapping, word, bits, account_owner()))
			untracked += count_bits(bits);
	}
	__sync_fetch_and_add(&account->readahead_added_pages, added);
	if (untracked)
		__sync_fetch_and_add(&account->readahead_untracked_pages, untracked);
}

enum writing {
	WRITING_NOT = 0,
	WRITING_SURELY,
	WRITING_PERHAPS, /* a page that no fetch brings is written */
};

static __always_inline enum writing task_writes(void)
{
	struct syscall_info call;
	struct task_struct *task;
	unsigned int flags;

	if (!config.has_task_pt_regs)
		return WRITING_NOT;
	task = (struct task_struct *)bpf_get_current_task_btf();
	flags = BPF_CORE_READ(task, flags);
	if (flags & PF_IO_WORKER)
		return WRITING_PERHAPS;
	if (flags & PF_KTHREAD)
		return WRITING_NOT;
	read_syscall((struct pt_regs *)bpf_task_pt_regs((void *)task), &call);
	if (is_write_call(call.number))
		return WRITING_SURELY;
	return is_mixed_call(call.number) ? WRITING_PERHAPS : WRITING_NOT;
}

/* Counts the pages for the task, and for its write if it is one. NULL: done. */
static __always_inline struct account *count_added(struct cached_file *file, struct folio *folio,
						   enum writing *writing)
{
	struct account *account;

	if (ignored_task() || !cached_file(folio_mapping(folio), file))
		return NULL;
	account = account_of(file, account_owner(), folio_pages(folio));
	*writing = task_writes();
	if (!account || *writing != WRITING_SURELY)
		return account;
	__sync_fetch_and_add(&account->write_added_pages, folio_pages(folio));
	access_made(file, folio_pages(folio));
	return NULL;
}

/* No read fetches the page. A file system that reads its own blocks adds pages of the block device. */
static __always_inline void count_unread(struct account *account, const struct cached_file *file,
					 enum writing writing, __u64 pages)
{
	if (writing == WRITING_PERHAPS && (file->mode & S_IFMT) != S_IFBLK)
		__sync_fetch_and_add(&account->write_added_pages, pages);
	else
		__sync_fetch_and_add(&account->other_added_pages, pages);
	access_made(file, pages);
}

SEC("tp_btf/mm_filemap_add_to_page_cache")
int mm_filemap_add(__u64 *ctx)
{
	struct folio *folio = (struct folio *)ctx[0];
	__u64 first, end, pages, wanted;
	struct cached_file file;
	struct account *account;
	struct reader *reader;
	enum writing writing;

	account = count_added(&file, folio, &writing);
	if (!account)
		return 0;
	first = folio_index(folio);
	pages = folio_pages(folio);
	end = first + pages;
	reader = current_reader(false);
	if (!reader || !reader->reason || reader->fetch_mapping != file.mapping) {
		count_unread(account, &file, writing, pages);
		return 0;
	}
	wanted = overlap(first, end, reader->wanted_first, reader->wanted_end);
	reader->fetched += wanted;
	if (wanted && reader->reason == FETCH_READ)
		note_missed(reader, &file, first, wanted);
	if (wanted)
		__sync_fetch_and_add(&account->demand_miss_pages, wanted);
	access_fetched(reader, wanted, pages - wanted);
	if (wanted < pages)
		add_readahead(account, reader, file.mapping, first, end);
	return 0;
}

/* For kernels that do not tell why they add pages. The oldest of them could not even load the other
 * program: atomic operations other than addition exist since Linux 5.12 (5ca419f2864a "bpf: Add
 * BPF_FETCH field / create atomic_fetch_add instruction"). */
SEC("tp_btf/mm_filemap_add_to_page_cache")
int mm_filemap_add_plain(__u64 *ctx)
{
	struct folio *folio = (struct folio *)ctx[0];
	struct cached_file file;
	struct account *account;
	enum writing writing;

	account = count_added(&file, folio, &writing);
	if (account)
		__sync_fetch_and_add(&account->other_added_pages, folio_pages(folio));
	return 0;
}

/* A thread of the kernel that reclaims on its own account (DAMON) has no reclaim_state. */
static __always_inline bool frees_memory(struct task_struct *task)
{
	unsigned int flags = BPF_CORE_READ(task, flags);

	return BPF_CORE_READ(task, reclaim_state) || (flags & PF_KTHREAD && flags & PF_MEMALLOC);
}

static __always_inline void count_deleted(const struct cached_file *file, __u64 first, __u64 pages)
{
	struct account *account;

	if (ignored_task())
		return;
	account = account_of(file, account_owner(), pages);
	if (!account)
		return;
	__sync_fetch_and_add(&account->deleted_pages, pages);
	/* Reclaim: the page is evicted for lack of memory, not removed by its owner. */
	if (frees_memory((struct task_struct *)bpf_get_current_task()))
		__sync_fetch_and_add(&account->evicted_pages, pages);
	else
		access_invalidated(file, first, pages);
}

/* The file was deleted, or cut before the page: that nobody read it does not tell how files are read. */
static __always_inline bool is_cut_off(struct folio *folio, __u64 first)
{
	struct inode *inode = BPF_CORE_READ(folio_mapping(folio), host);

	return !BPF_CORE_READ(inode, i_nlink) ||
	       first << config.page_shift >= (__u64)BPF_CORE_READ(inode, i_size);
}

SEC("tp_btf/mm_filemap_delete_from_page_cache")
int mm_filemap_delete(__u64 *ctx)
{
	struct folio *folio = (struct folio *)ctx[0];
	struct cached_file file;
	struct account *account;
	__u64 first, end, wasted;
	__u32 tgid = 0;

	if (!cached_file(folio_mapping(folio), &file))
		return 0;
	first = folio_index(folio);
	end = first + folio_pages(folio);
	wasted = take_unread_of_folio(file.mapping, first, end, &tgid);
	count_deleted(&file, first, end - first);
	account = wasted && !is_cut_off(folio, first) ? account_of(&file, tgid, wasted) : NULL;
	if (account)
		__sync_fetch_and_add(&account->readahead_wasted_pages, wasted);
	return 0;
}

SEC("tp_btf/mm_filemap_delete_from_page_cache")
int mm_filemap_delete_plain(__u64 *ctx)
{
	struct folio *folio = (struct folio *)ctx[0];
	struct cached_file file;

	if (cached_file(folio_mapping(folio), &file))
		count_deleted(&file, folio_index(folio), folio_pages(folio));
	return 0;
}
