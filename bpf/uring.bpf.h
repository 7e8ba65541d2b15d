/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Buffered reads that were given to io_uring: where each begins, and whether it has been counted. */
#ifndef BLKREEL_BPF_URING_BPF_H
#define BLKREEL_BPF_URING_BPF_H

#include "maps.bpf.h"

#define URING_READS_MAX 16384

/* A read is known again by the page at which it ends: whoever goes on with it asks for the rest of it. */
struct uring_key {
	__u64 mapping; /* 0: of a file that only the ring knows */
	__u64 last;
	__u64 tgid;
};

struct uring_read {
	__u64 first;
	__s64 waiting; /* of those that were submitted, not counted yet */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, URING_READS_MAX);
	__type(key, struct uring_key);
	__type(value, struct uring_read);
} uring_reads __weak SEC(".maps");

/* Nobody looks into the table before there was one. */
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

/* True once for each read that was submitted. */
static __always_inline bool take_uring_read(struct uring_read *read)
{
	if (__sync_fetch_and_add(&read->waiting, -1) > 0)
		return true;
	__sync_fetch_and_add(&read->waiting, 1);
	return false;
}

#endif
