/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Names of inodes: sent at the first event of a file, and again when its name has changed. */
#ifndef BLKREEL_BPF_FILE_BPF_H
#define BLKREEL_BPF_FILE_BPF_H

#include "compat.bpf.h"
#include "maps.bpf.h"

#define BTRFS_SUPER_MAGIC 0x9123683e
#define PATH_HASH_FACTOR  0x9e3779b97f4a7c15ull
#define PATH_LOOK_NS	  100000000u

/* The device of a file: the block device of its file system, or the file itself. 0: neither. */
static __always_inline __u32 inode_device(struct inode *inode, __u32 mode)
{
	struct super_block *sb;
	struct block_device *bdev;

	if ((mode & S_IFMT) == S_IFBLK)
		return BPF_CORE_READ(inode, i_rdev);
	sb = BPF_CORE_READ(inode, i_sb);
	bdev = BPF_CORE_READ(sb, s_bdev);
	if (!bdev && BPF_CORE_READ(sb, s_magic) == BTRFS_SUPER_MAGIC)
		bdev = btrfs_bdev(sb);
	return bdev ? BPF_CORE_READ(bdev, bd_dev) : 0;
}

/*
 * The page cache of a file whose file system has no block device (tmpfs, hugetlbfs, memfd, a network file
 * system) is read from no disk: when a bio carries its pages, a process gave them as the buffer of direct IO.
 */
static __always_inline bool is_process_memory(__u32 fs_device)
{
	return !fs_device;
}

static __always_inline struct dentry *first_alias(struct inode *inode)
{
	struct hlist_node *node = BPF_CORE_READ(inode, i_dentry.first);

	if (!node)
		return NULL;
	return (void *)node - dentry_alias_offset();
}

static __noinline int fill_name(struct file_event *event, struct inode *inode)
{
	struct dentry *dentry = first_alias(inode);

	for (int i = 0; i < FILE_COMPONENTS; i++) {
		struct dentry *parent = BPF_CORE_READ(dentry, d_parent);

		event->components[i][0] = '\0';
		if (!dentry || parent == dentry) {
			event->whole = dentry != NULL;
			return 0;
		}
		bpf_probe_read_kernel_str(event->components[i], FILE_COMPONENT_BYTES,
					  BPF_CORE_READ(dentry, d_name.name));
		dentry = parent;
	}
	event->whole = dentry == BPF_CORE_READ(dentry, d_parent);
	return 0;
}

/* A hash of all components of the path; 0: it has no name. */
static __noinline __u64 path_hash(struct inode *inode)
{
	struct dentry *dentry = first_alias(inode);
	__u64 hash = 0;

	for (int i = 0; i < FILE_COMPONENTS && dentry; i++) {
		struct dentry *parent = BPF_CORE_READ(dentry, d_parent);

		if (parent == dentry)
			break;
		hash = (hash ^ BPF_CORE_READ(dentry, d_name.hash_len)) * PATH_HASH_FACTOR;
		dentry = parent;
	}
	return hash;
}

/* False: the ring is full. */
static __noinline int send_name(struct inode *inode, const struct file_key *key,
				const struct named_file *name)
{
	struct file_event *event;
	void *ring = current_ring();

	if (!ring || !key || !name)
		return false;
	event = bpf_ringbuf_reserve(ring, sizeof(*event), 0);
	if (!event) {
		__sync_fetch_and_add(&losses.names, 1);
		return false;
	}
	event->type = EVENT_FILE;
	event->whole = 0;
	event->version = name->version;
	event->padding = 0;
	event->device = key->device;
	event->inode = key->inode;
	event->generation = name->generation;
	event->padding2 = 0;
	event->time_ns = bpf_ktime_get_ns();
	fill_name(event, inode);
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	return true;
}

static __always_inline bool is_same_name(const struct named_file *known,
					 const struct named_file *now, struct inode *inode)
{
	if (known->generation != now->generation)
		return false;
	/* Its dentry was evicted: a rename would bring the dentry back. */
	if (!now->parent)
		return true;
	if (known->parent != now->parent || known->hash_len != now->hash_len)
		return false;
	return now->path_jiffies - known->path_jiffies < PATH_LOOK_NS / config.jiffy_ns ||
	       known->path_hash == path_hash(inode);
}

/*
 * The version of the name that a file has now; a name that was not sent yet is sent. The last component is
 * compared each time, the folders above it every 100 ms.
 */
static __always_inline __u8 name_version(struct inode *inode, __u32 device, __u64 number,
					 __u32 mode)
{
	struct file_key key = {.inode = number, .device = device};
	struct named_file now = {.generation = BPF_CORE_READ(inode, i_generation)}, *known;
	struct dentry *dentry = first_alias(inode);

	if ((mode & S_IFMT) == S_IFBLK)
		return 0;
	if (dentry) {
		now.parent = (__u64)BPF_CORE_READ(dentry, d_parent);
		now.hash_len = BPF_CORE_READ(dentry, d_name.hash_len);
	}
	now.path_jiffies = bpf_jiffies64();
	known = bpf_map_lookup_elem(&named_files, &key);
	if (known && is_same_name(known, &now, inode)) {
		if (now.path_jiffies - known->path_jiffies >= PATH_LOOK_NS / config.jiffy_ns)
			known->path_jiffies = now.path_jiffies;
		return known->version;
	}
	now.version = known ? (known->version + 1) & 0xff : 0;
	now.path_hash = path_hash(inode);
	if (send_name(inode, &key, &now))
		bpf_map_update_elem(&named_files, &key, &now, BPF_ANY);
	return now.version;
}

#endif
