/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Which files' page cache is followed, and the account for their figures. */
#ifndef BLKREEL_BPF_ACCOUNT_BPF_H
#define BLKREEL_BPF_ACCOUNT_BPF_H

#include "compat.bpf.h"
#include "file.bpf.h"
#include "maps.bpf.h"
#include "scope.bpf.h"

#define ACCOUNTS_MAX 65536

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, ACCOUNTS_MAX);
	__type(key, struct account_key);
	__type(value, struct account);
} accounts __weak SEC(".maps");

/* A file whose page cache is followed. */
struct cached_file {
	__u64 mapping;
	__u64 number;
	__u64 super;
	__u32 device;
	__u32 mode;
	__u32 generation;
	__u32 watched;
};

static __always_inline __u32 current_tgid(void)
{
	return bpf_get_current_pid_tgid() >> 32;
}

static __always_inline bool is_watched(__u32 device)
{
	return device && (!config.devices_listed || bpf_map_lookup_elem(&listed_devices, &device));
}

/* False for a file that is not on a watched block device. */
static __always_inline bool cached_file(struct address_space *mapping, struct cached_file *file)
{
	struct inode *inode = BPF_CORE_READ(mapping, host);

	if (!inode || !recording)
		return false;
	file->mapping = (__u64)mapping;
	file->mode = BPF_CORE_READ(inode, i_mode);
	file->device = inode_device(inode, file->mode);
	file->number = BPF_CORE_READ(inode, i_ino);
	file->generation = BPF_CORE_READ(inode, i_generation);
	file->super = (__u64)BPF_CORE_READ(inode, i_sb);
	file->watched = is_watched(file->device);
	return file->watched;
}

/* The same for a mapping that is an argument of the event, by loads without helpers, and only if it
 * is not the file in `file` already: a task mostly continues with the same file. */
static __always_inline bool find_file(struct address_space *mapping, struct cached_file *file)
{
	struct inode *inode = mapping->host;

	if (!recording || !inode)
		return false;
	if (file->mapping == (__u64)mapping && file->number == inode->i_ino &&
	    file->super == (__u64)inode->i_sb && file->generation == inode->i_generation)
		return file->watched;
	file->mapping = (__u64)mapping;
	file->number = inode->i_ino;
	file->super = (__u64)inode->i_sb;
	file->generation = inode->i_generation;
	file->mode = inode->i_mode;
	file->device = 0;
	if ((file->mode & S_IFMT) != S_IFBLK)
		file->device = inode->i_sb->s_bdev->bd_dev;
	if (!file->device)
		file->device = inode_device(inode, file->mode);
	file->watched = is_watched(file->device);
	return file->watched;
}

/* The address of its mapping as a number instead of a typed pointer, which the verifier would
 * reject in arithmetic. */
static __always_inline __u64 number_of(const struct cached_file *file)
{
	return *(const volatile __u64 *)&file->mapping;
}

/* NULL: this kernel has no io controller. */
static __always_inline struct cgroup_subsys_state *task_css(void)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	unsigned int io;

	if (!bpf_core_enum_value_exists(enum cgroup_subsys_id___io, io_cgrp_id___io))
		return NULL;
	io = bpf_core_enum_value(enum cgroup_subsys_id___io, io_cgrp_id___io);
	return BPF_CORE_READ(task, cgroups, subsys[io & 15]);
}

static __always_inline __u64 task_cgroup(void)
{
	struct cgroup_subsys_state *css = task_css();

	return css ? BPF_CORE_READ(css, cgroup, kn, id) : 0;
}

/* The cgroup that the memory of the task is charged to; 0: this kernel has no memory controller. */
static __always_inline __u64 task_memory_cgroup(void)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	unsigned int memory;

	if (!bpf_core_enum_value_exists(enum cgroup_subsys_id___memory, memory_cgrp_id___memory))
		return 0;
	memory = bpf_core_enum_value(enum cgroup_subsys_id___memory, memory_cgrp_id___memory);
	return BPF_CORE_READ(task, cgroups, subsys[memory & 15], cgroup, kn, id);
}

/* account_key.tgid of what the task does. */
static __always_inline __u32 account_owner(void)
{
	return config.cache_totals == CACHE_OF_CGROUPS ? (__u32)task_memory_cgroup()
						       : current_tgid();
}

/* With totals the file does not matter. */
static __always_inline struct account_key key_of(const struct cached_file *file, __u32 owner)
{
	struct account_key key = {.device = file->device, .tgid = owner};

	if (config.cache_totals == CACHE_OF_FILES) {
		key.inode = file->number;
		key.generation = file->generation;
	} else if (config.cache_totals == CACHE_OF_CPUS) {
		/* So that CPUs do not wait for each other. */
		key.tgid = bpf_get_smp_processor_id();
	}
	return key;
}

/* Another process with the same number, or a process that has called execve(2), has another one: execve(2)
 * adds 1 to a number that fork(2) copies. */
static __always_inline __u64 current_program(void)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();

	return BPF_CORE_READ(task, group_leader, start_time) + BPF_CORE_READ(task, self_exec_id);
}

/* Another program has another name, and can be in another cgroup. */
static __always_inline void name_program(struct account *account)
{
	__u64 program = current_program();

	account->cgroup = task_cgroup();
	if (account->program == program)
		return;
	account->program = program;
	bpf_get_current_comm(account->comm, sizeof(account->comm));
}

static __noinline struct account *create_account(struct account_key *key, __u32 mode)
{
	struct account fresh = {.inode_mode = mode};

	if (!key)
		return NULL;
	fresh.cgroup = task_cgroup();
	fresh.program = current_program();
	bpf_get_current_comm(fresh.comm, sizeof(fresh.comm));
	bpf_map_update_elem(&accounts, key, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(&accounts, key);
}

/* NULL when the account is full; the pages are then counted as lost. */
static __always_inline struct account *account_of(const struct cached_file *file, __u32 owner,
						  __u64 pages)
{
	struct address_space *mapping = (struct address_space *)file->mapping;
	struct account_key key = key_of(file, owner);
	__u32 jiffies = bpf_jiffies64();
	struct account *account;

	account = bpf_map_lookup_elem(&accounts, &key);
	if (account && (account->named_jiffies == jiffies || config.cache_totals))
		return account;
	if (!config.cache_totals)
		name_version(BPF_CORE_READ(mapping, host), file->device, file->number, file->mode);
	if (!account)
		account = create_account(&key, file->mode);
	else if (owner == current_tgid())
		name_program(account);
	if (!account)
		__sync_fetch_and_add(&losses.cache_pages, pages);
	else
		account->named_jiffies = jiffies;
	return account;
}

/* The recorder itself must not appear in its recording. */
static __always_inline bool ignored_task(void)
{
	__u32 tgid = current_tgid();

	if (tgid == self_tgid || !process_in_scope(tgid))
		return true;
	return config.only_cgroup && !cgroup_in_scope(task_cgroup(), task_css());
}

static __always_inline __u64 file_pages(struct inode *inode)
{
	__u64 page_bytes = 1ull << config.page_shift;

	return ((__u64)inode->i_size + page_bytes - 1) >> config.page_shift;
}

static __always_inline __u64 overlap(__u64 first, __u64 end, __u64 other_first, __u64 other_end)
{
	__u64 low = first > other_first ? first : other_first;
	__u64 high = end < other_end ? end : other_end;

	return high > low ? high - low : 0;
}

#endif
