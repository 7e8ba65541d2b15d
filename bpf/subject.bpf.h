/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Whose data a bio carries: the charged cgroup, and the file when its memory is page cache. */
#ifndef BLKREEL_BPF_SUBJECT_BPF_H
#define BLKREEL_BPF_SUBJECT_BPF_H

#include "compat.bpf.h"
#include "file.bpf.h"
#include "maps.bpf.h"
#include "scope.bpf.h"

static __always_inline __u64 bio_cgroup(struct bio *bio)
{
	if (!bpf_core_field_exists(struct bio, bi_blkg))
		return 0;
	return bio->bi_blkg->blkcg->css.cgroup->kn->id;
}

static __always_inline bool bio_in_scope(struct bio *bio)
{
	if (!bpf_core_field_exists(struct bio, bi_blkg))
		return false;
	return cgroup_in_scope(bio_cgroup(bio), &bio->bi_blkg->blkcg->css);
}

/* The index of a bio that was split is not 0; the kernel's bio_vec is larger than ours. */
static __noinline __u64 mapping_by_reading(__u64 first_vec, __u32 index)
{
	struct bio_vec *vec =
		(void *)(first_vec + (__u64)(index & 0xffff) * bpf_core_type_size(struct bio_vec));
	struct page *page = head_page(BPF_CORE_READ(vec, bv_page));

	return (__u64)BPF_CORE_READ(page, mapping);
}

static __noinline bool is_swap_in(__u64 first_vec, __u32 index)
{
	struct bio_vec *vec =
		(void *)(first_vec + (__u64)(index & 0xffff) * bpf_core_type_size(struct bio_vec));

	return page_comes_from_swap(head_page(BPF_CORE_READ(vec, bv_page)));
}

/* Reads the mapping of a bio's first page when the page is in the page cache. The verifier forbids
 * arithmetic on a typed pointer: passing through `scratch` turns it into a number. */
static __always_inline __u64 first_mapping(struct bio *bio, volatile __u64 *scratch)
{
	struct bio_vec *vec = bio->bi_io_vec;
	__u32 index = bio->bi_iter.bi_idx;

	if (!index && page_mapping(vec->bv_page, scratch))
		return *scratch;
	*scratch = (__u64)vec;
	return mapping_by_reading(*scratch, index);
}

static __always_inline bool is_kernel_address(__u64 address)
{
	return (__s64)address < 0;
}

/* For slab and other kernel memory this word means something else than the mapping: believe it only
 * when the inode points back. */
static __always_inline void describe_host(struct io_subject *subject, struct address_space *mapping)
{
	struct inode *host = BPF_CORE_READ(mapping, host);

	if (!host || BPF_CORE_READ(host, i_mapping) != mapping)
		return;
	subject->inode_mode = BPF_CORE_READ(host, i_mode);
	subject->fs_device = inode_device(host, subject->inode_mode);
	if (is_process_memory(subject->fs_device)) {
		subject->inode_mode = 0;
		subject->origin = ORIGIN_DIRECT;
		return;
	}
	subject->origin = (subject->inode_mode & S_IFMT) == S_IFBLK ? ORIGIN_BLOCKDEV : ORIGIN_FILE;
	subject->inode = BPF_CORE_READ(host, i_ino);
	subject->version =
		name_version(host, subject->fs_device, subject->inode, subject->inode_mode);
}

/* Fills in the file of the bio's first page, if the page is in the page cache. */
static __always_inline void describe_memory(struct io_subject *subject, struct bio *bio)
{
	volatile __u64 *scratch = &subject->inode; /* see first_mapping() */
	__u64 mapping;

	subject->origin = ORIGIN_DIRECT;
	if (config.pinned_bio_flag && (bio->bi_flags & config.pinned_bio_flag))
		return;
	mapping = first_mapping(bio, &subject->inode);
	subject->inode = 0;
	if (mapping & PAGE_MAPPING_ANY)
		return;
	subject->origin = ORIGIN_UNKNOWN;
	if (!mapping) {
		*scratch = (__u64)bio->bi_io_vec;
		if (is_swap_in(*scratch, bio->bi_iter.bi_idx))
			subject->origin = ORIGIN_SWAP;
		subject->inode = 0;
	}
	if (is_kernel_address(mapping))
		describe_host(subject, (struct address_space *)mapping);
}

static __always_inline void describe(struct io_subject *subject, struct bio *bio, __u32 bytes)
{
	subject->cgroup = 0;
	subject->inode = 0;
	subject->fs_device = 0;
	subject->inode_mode = 0;
	subject->version = 0;
	subject->origin = ORIGIN_NONE;
	if (!bio)
		return;
	subject->cgroup = bio_cgroup(bio);
	if (bytes && bio->bi_io_vec)
		describe_memory(subject, bio);
}

#endif
