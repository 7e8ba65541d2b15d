/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Buffered reads submitted to io_uring: where each begins, and whether it has been counted. */
#ifndef BLKREEL_BPF_URING_BPF_H
#define BLKREEL_BPF_URING_BPF_H

#include "maps.bpf.h"

#define URING_READS_MAX 16384

/* The last page identifies a read: whoever continues it requests the rest of it. */
struct uring_key {
	__u64 mapping; /* 0: a fixed file, known only to the ring */
	__u64 last;
	__u64 tgid;
};

struct uring_read {
	__u64 first;
	__s64 waiting; /* submitted reads that are not counted yet */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, URING_READS_MAX);
	__type(key, struct uring_key);
	__type(value, struct uring_read);
} uring_reads __weak SEC(".maps");

/* Set by the first read: until then the table is not searched. */
__u32 uring_reads_seen __weak = 0;

static __always_inline struct uring_read *find_uring_read(__u64 mapping, __u64 last, __u32 tgid)
{
	struct uring_key key = {.mapping = mapping, .last = last, .tgid = tgid};
	struct uring_read *read;

	if (!*(volatile __u32 *)&uring_reads_seen)
		return NULL;
	read = bpf_map_lookup_elem(&uring_reads, &key);
	if (read)
		return read;
	key.mapping = 0;
	return bpf_map_lookup_elem(&uring_reads, &key);
}

/* True once for each submitted read. */
static __always_inline bool take_uring_read(struct uring_read *read)
{
	if (__sync_fetch_and_add(&read->waiting, -1) > 0)
		return true;
	__sync_fetch_and_add(&read->waiting, 1);
	return false;
}

#endif
