/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Reads a bio: its disk, whose memory it moves, which cgroup is charged. */
#ifndef BLKREEL_BPF_BIO_BPF_H
#define BLKREEL_BPF_BIO_BPF_H

#include "compat.bpf.h"
#include "event.h"
#include "file.bpf.h"
#include "maps.bpf.h"
#include "scope.bpf.h"

struct bio_memory {
	__u64 inode;
	__u32 fs_device;
	__u16 inode_mode;
	__u8 origin;  /* enum event_origin */
	__u8 version; /* of the inode's name */
};

static __always_inline __u32 disk_number(struct gendisk *disk)
{
	if (!disk)
		return 0;
	return (__u32)BPF_CORE_READ(disk, major) << 20 | (__u32)BPF_CORE_READ(disk, first_minor);
}

static __always_inline __u64 bio_cgroup(struct bio *bio)
{
	if (!bpf_core_field_exists(struct bio, bi_blkg))
		return 0;
	return BPF_CORE_READ(bio, bi_blkg, blkcg, css.cgroup, kn, id);
}

static __always_inline bool described_bio_in_scope(struct bio *bio, __u64 cgroup)
{
	struct blkcg *blkcg;

	if (!config.only_cgroup)
		return true;
	if (!bpf_core_field_exists(struct bio, bi_blkg))
		return false;
	blkcg = BPF_CORE_READ(bio, bi_blkg, blkcg);
	return cgroup_in_scope(cgroup, &blkcg->css);
}

/* Finds the file of the bio's first page, if the page is in the page cache. */
static __always_inline void describe_bio_memory(struct bio_memory *memory, struct bio *bio)
{
	unsigned int index = BPF_CORE_READ(bio, bi_iter.bi_idx);
	struct bio_vec *vec = BPF_CORE_READ(bio, bi_io_vec);
	struct address_space *mapping;
	struct inode *host;
	struct page *page;

	if (!vec) {
		memory->origin = ORIGIN_NONE;
		return;
	}
	memory->origin = ORIGIN_DIRECT;
	if (config.pinned_bio_flag && (BPF_CORE_READ(bio, bi_flags) & config.pinned_bio_flag))
		return;
	/* The index of a bio that was split is not 0, and the kernel's bio_vec is larger than
	 * ours. */
	vec = (void *)vec + (index & 0xffff) * bpf_core_type_size(struct bio_vec);
	page = head_page(BPF_CORE_READ(vec, bv_page));
	mapping = BPF_CORE_READ(page, mapping);
	if (!mapping || ((unsigned long)mapping & PAGE_MAPPING_ANY)) {
		if (!mapping)
			memory->origin = page_comes_from_swap(page) ? ORIGIN_SWAP : ORIGIN_UNKNOWN;
		return;
	}
	/* For slab and other kernel memory this word means something else: believe it only when the
	 * inode points back. */
	host = BPF_CORE_READ(mapping, host);
	if (!host || BPF_CORE_READ(host, i_mapping) != mapping) {
		memory->origin = ORIGIN_UNKNOWN;
		return;
	}
	memory->inode_mode = BPF_CORE_READ(host, i_mode);
	memory->fs_device = inode_device(host, memory->inode_mode);
	if (is_process_memory(memory->fs_device)) {
		memory->inode_mode = 0;
		return;
	}
	memory->origin = (memory->inode_mode & S_IFMT) == S_IFBLK ? ORIGIN_BLOCKDEV : ORIGIN_FILE;
	memory->inode = BPF_CORE_READ(host, i_ino);
	memory->version = name_version(host, memory->fs_device, memory->inode, memory->inode_mode);
}

#endif
