// SPDX-License-Identifier: MIT
#include "collector/rows/cache_account.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uthash.h>

#include "base/units.h"

struct entry {
	struct account_key key;
	struct account now;
	struct account written; /* the counts as of the last row */
	uint64_t written_back_pages;
	uint64_t changed_ns; /* when a row was made of it last; at first, when it was seen */
	bool kernel_thread;
	UT_hash_handle hh;
};

struct cache_account {
	struct entry *entries;
	uint64_t scale; /* pages of 4 KiB per kernel page */
	/* Of the rows of entries that were forgotten, in kernel pages. */
	uint64_t forgotten_added_pages, forgotten_known_pages;
};

int cache_account__create(struct cache_account **account)
{
	*account = calloc(1, sizeof(**account));
	if (!*account)
		return -ENOMEM;
	(*account)->scale = (uint64_t)sysconf(_SC_PAGESIZE) / PAGE_BYTES;
	return 0;
}

void cache_account__free(struct cache_account *a)
{
	struct entry *entry, *next;

	if (!a)
		return;
	HASH_ITER (hh, a->entries, entry, next) {
		HASH_DEL(a->entries, entry);
		free(entry);
	}
	free(a);
}

static struct entry *find_entry(struct cache_account *a, const struct account_key *key)
{
	struct entry *entry;

	HASH_FIND(hh, a->entries, key, sizeof(*key), entry);
	if (entry)
		return entry;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return NULL;
	entry->key = *key;
	HASH_ADD(hh, a->entries, key, sizeof(*key), entry);
	return entry;
}

int cache_account__written_back(struct cache_account *a, struct registry *registry,
				const struct io_event *io)
{
	const struct io_subject *subject = &io->subject;
	struct account_key key = {
		.inode = subject->inode,
		.device = subject->fs_device,
		.tgid = io->tgid,
		.generation = registry__generation(registry, subject->fs_device, subject->inode,
						   subject->version, io->completed_ns),
	};
	struct entry *entry = find_entry(a, &key);

	if (!entry)
		return -ENOMEM;
	if (!entry->now.comm[0]) {
		memcpy(entry->now.comm, io->comm, sizeof(entry->now.comm));
		entry->now.inode_mode = subject->inode_mode;
		entry->now.cgroup = subject->cgroup;
		entry->kernel_thread = io->flags & IO_EVENT_KTHREAD;
	}
	entry->written_back_pages += io->bytes / PAGE_BYTES;
	return 0;
}

static int take_account(const struct account_key *key, const struct account *account, void *context)
{
	struct entry *entry = find_entry(context, key);

	if (!entry)
		return -ENOMEM;
	entry->now = *account;
	return 0;
}

/* What the probes take back after a row was written is taken off later rows. Of an account that
 * was forgotten since, it would make less than nothing. */
static uint64_t since(__u64 *now, __u64 before)
{
	if ((int64_t)(*now - before) < 0)
		*now = before;
	return *now - before;
}

static bool fill_row(struct entry *entry, uint64_t scale, struct cache_row *row)
{
	struct account *now = &entry->now;
	const struct account *before = &entry->written;

#define CHANGED(figure) row->figure = since(&now->figure, before->figure) * scale
	row->reads = since(&now->reads, before->reads);
	CHANGED(read_pages);
	CHANGED(demand_miss_pages);
	CHANGED(fault_pages);
	CHANGED(readahead_added_pages);
	CHANGED(readahead_used_pages);
	CHANGED(readahead_wasted_pages);
	CHANGED(readahead_untracked_pages);
	CHANGED(write_added_pages);
	CHANGED(other_added_pages);
	CHANGED(dirtied_pages);
	CHANGED(deleted_pages);
	CHANGED(written_pages);
	CHANGED(overwritten_pages);
	CHANGED(evicted_pages);
#undef CHANGED
#define CHANGED(figure) row->figure = since(&now->figure, before->figure)
	CHANGED(waits);
	CHANGED(wait_ns);
	CHANGED(direct_reads);
	CHANGED(direct_read_bytes);
	CHANGED(direct_writes);
	CHANGED(direct_write_bytes);
	CHANGED(throttles);
	CHANGED(throttle_ns);
#undef CHANGED
	row->written_back_pages = entry->written_back_pages;
	return row->reads || row->demand_miss_pages || row->readahead_added_pages ||
	       row->readahead_used_pages || row->readahead_wasted_pages ||
	       row->readahead_untracked_pages || row->write_added_pages || row->other_added_pages ||
	       row->dirtied_pages || row->deleted_pages || row->written_back_pages || row->waits ||
	       row->written_pages || row->direct_reads || row->direct_writes || row->throttles;
}

int cache_account__read(struct cache_account *a, struct probes *probes)
{
	return probes__each_account(probes, take_account, a);
}

static int make_row(struct entry *entry, struct registry *registry, struct cache_row *row,
		    int (*each)(const struct cache_row *row, void *context), void *context)
{
	int err;

	row->file = registry__newest_file(registry, entry->key.device, entry->key.inode,
					  entry->now.inode_mode, entry->key.generation);
	row->task = registry__task(registry, entry->key.tgid, entry->key.tgid, entry->kernel_thread,
				   entry->now.comm);
	row->cgroup = registry__cgroup(registry, entry->now.cgroup);
	err = each(row, context);
	entry->changed_ns = row->time_ns;
	entry->written = entry->now;
	entry->written_back_pages = 0;
	return err;
}

int cache_account__each(struct cache_account *a, struct registry *registry, uint64_t now_ns,
			uint64_t interval_ns,
			int (*each)(const struct cache_row *row, void *context), void *context)
{
	struct entry *entry, *next;
	int err = 0;

	HASH_ITER (hh, a->entries, entry, next) {
		struct cache_row row = {.time_ns = now_ns, .interval_ns = interval_ns};

		if (!entry->changed_ns)
			entry->changed_ns = now_ns;
		if (!err && fill_row(entry, a->scale, &row))
			err = make_row(entry, registry, &row, each, context);
	}
	return err;
}

static uint64_t known_pages(const struct account *account)
{
	return account->readahead_used_pages + account->readahead_wasted_pages +
	       account->readahead_untracked_pages;
}

/* What the probes counted since the last row was made goes into one more. */
static int forget(struct cache_account *a, struct entry *entry, struct probes *probes,
		  struct registry *registry, struct cache_row *row,
		  int (*each)(const struct cache_row *row, void *context), void *context)
{
	struct account last;
	int err = probes__take_account(probes, &entry->key, &last);

	if (err && err != -ENOENT)
		return err;
	if (!err)
		entry->now = last;
	err = fill_row(entry, a->scale, row) ? make_row(entry, registry, row, each, context) : 0;
	a->forgotten_added_pages += entry->written.readahead_added_pages;
	a->forgotten_known_pages += known_pages(&entry->written);
	HASH_DEL(a->entries, entry);
	free(entry);
	return err;
}

int cache_account__forget_idle(struct cache_account *a, struct probes *probes,
			       struct registry *registry, uint64_t now_ns, uint64_t interval_ns,
			       int (*each)(const struct cache_row *row, void *context),
			       void *context)
{
	struct entry *entry, *next;
	int err = 0;

	if (HASH_COUNT(a->entries) <= CACHE_ACCOUNT_MANY)
		return 0;
	HASH_ITER (hh, a->entries, entry, next) {
		struct cache_row row = {.time_ns = now_ns, .interval_ns = interval_ns};

		if (!err && now_ns - entry->changed_ns >= CACHE_ACCOUNT_IDLE_NS)
			err = forget(a, entry, probes, registry, &row, each, context);
	}
	return err;
}

static int append_row(const struct cache_row *row, void *writer)
{
	return trace_writer__append_cache(writer, row);
}

int cache_account__write(struct cache_account *a, struct probes *probes, struct registry *registry,
			 struct trace_writer *writer, uint64_t now_ns, uint64_t interval_ns)
{
	int err = cache_account__each(a, registry, now_ns, interval_ns, append_row, writer);

	return err ? err
		   : cache_account__forget_idle(a, probes, registry, now_ns, interval_ns,
						append_row, writer);
}

uint64_t cache_account__unread_pages(const struct cache_account *a)
{
	uint64_t added = a->forgotten_added_pages, known = a->forgotten_known_pages;

	for (const struct entry *entry = a->entries; entry; entry = entry->hh.next) {
		added += entry->written.readahead_added_pages;
		known += known_pages(&entry->written);
	}
	return added > known ? (added - known) * a->scale : 0;
}
