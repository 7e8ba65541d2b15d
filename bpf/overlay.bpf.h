/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Files of overlayfs: the page cache is that of the real file, in a layer below. */
#ifndef BLKREEL_BPF_OVERLAY_BPF_H
#define BLKREEL_BPF_OVERLAY_BPF_H

#include "compat.bpf.h"

#define OVERLAYFS_SUPER_MAGIC 0x794c7630

/* Linux 6.13 and later; fs/overlayfs/file.c. */
struct overlay_file {
	struct file *real;
	struct file *upper; /* after a copy-up while it was open */
};

/* The page cache of what may be a file; 0: it is none. */
static __always_inline __u64 mapping_if_file(struct file *file)
{
	struct address_space *mapping = BPF_CORE_READ(file, f_mapping);

	if (!mapping || BPF_CORE_READ(mapping, host, i_mapping) != mapping)
		return 0;
	return (__u64)mapping;
}

/* The page cache below a file of overlayfs; 0: the file is of another file system. Before 6.13 private_data is
 * the real file itself, whose first words are no pointers to files. */
static __noinline __u64 mapping_below_overlay(struct file *file)
{
	struct overlay_file layers = {};
	void *private;
	__u64 mapping;

	if (BPF_CORE_READ(file, f_mapping, host, i_sb, s_magic) != OVERLAYFS_SUPER_MAGIC)
		return 0;
	private = BPF_CORE_READ(file, private_data);
	bpf_probe_read_kernel(&layers, sizeof(layers), private);
	mapping = mapping_if_file(layers.upper ? layers.upper : layers.real);
	return mapping ? mapping : mapping_if_file(private);
}

/* The page cache that reads and writes of the file go through. */
static __always_inline __u64 cached_mapping(struct file *file)
{
	__u64 below = mapping_below_overlay(file);

	return below ? below : (__u64)BPF_CORE_READ(file, f_mapping);
}

#endif
