/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The pages that readahead added and nobody has touched: one bit each, 64 to an entry. */
#ifndef BLKREEL_BPF_UNREAD_BPF_H
#define BLKREEL_BPF_UNREAD_BPF_H

#include "maps.bpf.h"

#define UNREAD_MAX	   262144
#define WORD_SHIFT	   6 /* pages per entry: 64 */
#define UNREAD_FILTER_BITS 12
#define FOLIO_WORDS	   9	/* a folio of 2 MiB at any offset */
#define REQUEST_WORDS	   8192 /* a read of 2 GiB, the largest possible */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, UNREAD_MAX);
	__type(key, struct unread_key);
	__type(value, struct unread);
} unread_pages __weak SEC(".maps");

/* The number of entries for mappings with the same hash: it mostly tells a reader that there is
 * nothing to look up. Raised before an entry is added, lowered after it is removed. */
__u64 unread_entries[1 << UNREAD_FILTER_BITS] __weak;

/* `mapping` must come from memory: the verifier forbids arithmetic on an argument of the event. */
static __always_inline __u64 *entries_of(__u64 mapping)
{
	return &unread_entries[mapping * 0x9e3779b97f4a7c15ull >> (64 - UNREAD_FILTER_BITS)];
}

/* The bits of [first, end) that are in one word. */
static __always_inline __u64 word_bits(__u64 word, __u64 first, __u64 end)
{
	__u64 low = word << WORD_SHIFT, high = low + 64, bits = ~0ull;

	if (first >= high || end <= low)
		return 0;
	if (first > low)
		bits &= ~0ull << (first - low);
	if (end < high)
		bits &= ~0ull >> (high - end);
	return bits;
}

static __always_inline __u64 count_bits(__u64 bits)
{
	bits -= (bits >> 1) & 0x5555555555555555ull;
	bits = (bits & 0x3333333333333333ull) + ((bits >> 2) & 0x3333333333333333ull);
	bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0full;
	return (bits * 0x0101010101010101ull) >> 56;
}

/* Takes pages out of the unread bitmap; returns how many were in it, and in *tgid the process that
 * readahead ran for. */
static __always_inline __u64 take_unread(__u64 mapping, __u64 word, __u64 bits, __u32 *tgid)
{
	struct unread_key key = {.mapping = mapping, .word = word};
	struct unread *unread = bpf_map_lookup_elem(&unread_pages, &key);
	__u64 before;

	if (!unread)
		return 0;
	*tgid = unread->tgid;
	before = __sync_fetch_and_and(&unread->bits, ~bits);
	if (!(before & ~bits) && !bpf_map_delete_elem(&unread_pages, &key))
		__sync_fetch_and_add(entries_of(mapping), -1);
	return count_bits(before & bits);
}

/* The same for a range of one folio. */
static __always_inline __u64 take_unread_of_folio(__u64 mapping, __u64 first, __u64 end,
						  __u32 *tgid)
{
	__u64 taken = 0;

	for (int i = 0; i < FOLIO_WORDS; i++) {
		__u64 word = (first >> WORD_SHIFT) + i, bits = word_bits(word, first, end);

		if (!bits)
			break;
		taken += take_unread(mapping, word, bits, tgid);
	}
	return taken;
}

/* For this owner (account_owner()). */
static __always_inline bool put_unread(__u64 mapping, __u64 word, __u64 bits, __u32 owner)
{
	struct unread_key key = {.mapping = mapping, .word = word};
	struct unread fresh = {.tgid = owner};
	struct unread *unread = bpf_map_lookup_elem(&unread_pages, &key);

	if (!unread) {
		__sync_fetch_and_add(entries_of(mapping), 1);
		if (bpf_map_update_elem(&unread_pages, &key, &fresh, BPF_NOEXIST))
			__sync_fetch_and_add(entries_of(mapping), -1);
		unread = bpf_map_lookup_elem(&unread_pages, &key);
		if (!unread)
			return false;
	}
	__sync_fetch_and_or(&unread->bits, bits);
	return true;
}

struct take_range {
	__u64 mapping;
	__u64 first;
	__u64 end;
	__u64 taken;
};

static int take_word(__u32 i, struct take_range *range)
{
	__u64 word = (range->first >> WORD_SHIFT) + i;
	__u32 tgid;

	range->taken +=
		take_unread(range->mapping, word, word_bits(word, range->first, range->end), &tgid);
	return 0;
}

/* Takes the pages of [first, end) out of the unread bitmap; returns how many were in it. */
static __always_inline __u64 take_unread_range(__u64 mapping, __u64 first, __u64 end)
{
	struct take_range range = {.mapping = mapping, .first = first, .end = end};
	__u64 words = ((end - 1) >> WORD_SHIFT) - (first >> WORD_SHIFT) + 1;

	if (!*(volatile __u64 *)entries_of(mapping))
		return 0;
	if (words == 1)
		take_word(0, &range);
	else
		bpf_loop(words > REQUEST_WORDS ? REQUEST_WORDS : words, take_word, &range, 0);
	return range.taken;
}

#endif
