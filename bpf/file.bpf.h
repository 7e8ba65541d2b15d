/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Names for inodes: sent once per file, when the probes meet it. */
#ifndef BLKREEL_BPF_FILE_BPF_H
#define BLKREEL_BPF_FILE_BPF_H

#include "compat.bpf.h"
#include "maps.bpf.h"

#define BTRFS_SUPER_MAGIC 0x9123683e

/* The device that a file belongs to: its file system's block device, or itself. 0: neither. */
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

static __noinline int send_name(struct inode *inode, __u32 device, __u64 number, __u32 mode)
{
	struct file_event *event;
	void *ring = current_ring();

	if (!ring)
		return 0;
	event = bpf_ringbuf_reserve(ring, sizeof(*event), 0);
	if (!event) {
		__sync_fetch_and_add(&losses.names, 1);
		return 0;
	}
	event->type = EVENT_FILE;
	event->whole = 0;
	event->mode = mode;
	event->device = device;
	event->inode = number;
	fill_name(event, inode);
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	return 0;
}

static __always_inline void name_once(struct inode *inode, __u32 device, __u64 number, __u32 mode)
{
	struct file_key key = {.inode = number, .device = device};
	__u8 one = 1;

	if (bpf_map_lookup_elem(&named_files, &key))
		return;
	bpf_map_update_elem(&named_files, &key, &one, BPF_ANY);
	if ((mode & S_IFMT) == S_IFBLK)
		return;
	send_name(inode, device, number, mode);
}

#endif
