/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Counts the calls that did not block (record --files). */
#ifndef BLKREEL_BPF_WAIT_COUNTS_BPF_H
#define BLKREEL_BPF_WAIT_COUNTS_BPF_H

#include "wait_tasks.bpf.h"

#define WAIT_CALLS_MAX 65536
#define COUNTED_MAX    64 /* calls; that many can be missing of a task that runs at the end */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, WAIT_CALLS_MAX);
	__type(key, struct wait_calls_key);
	__type(value, struct wait_calls);
} wait_calls SEC(".maps");

static __always_inline __u32 log2_of(__u64 number)
{
	__u32 result = 0;

	if (number >> 16) {
		number >>= 16;
		result = 16;
	}
	if (number >> 8) {
		number >>= 8;
		result += 8;
	}
	if (number >> 4) {
		number >>= 4;
		result += 4;
	}
	if (number >> 2) {
		number >>= 2;
		result += 2;
	}
	return result + (number >> 1 & 1);
}

static __always_inline __u32 bucket_of(__u64 ns)
{
	__u32 shift;

	if (ns < 2u << WAIT_STEP_BITS)
		return (__u32)ns;
	if (ns >> 32)
		return WAIT_BUCKETS - 1;
	shift = log2_of(ns) - WAIT_STEP_BITS;
	return (shift << WAIT_STEP_BITS) + (__u32)(ns >> (shift & 63));
}

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wait_calls);
} wait_no_calls SEC(".maps");

/* Into the table, whose entry exists. */
static __always_inline void flush_counted(struct wait_running *here)
{
	struct wait_calls_key key = {.pid = here->count_pid, .call = here->count_call};
	struct wait_calls *calls;

	if (!here->count)
		return;
	calls = bpf_map_lookup_elem(&wait_calls, &key);
	if (calls) {
		calls->count += here->count;
		calls->ns += here->ns;
		calls->buckets[here->count_bucket & (WAIT_BUCKETS - 1)] += (__u32)here->count;
	}
	here->count = here->ns = 0;
}

static __noinline int begin_counting(struct wait_running *here, __u32 pid, __u32 call, __u32 bucket)
{
	struct wait_calls_key key = {.pid = pid, .call = call};
	struct wait_calls *none;
	__u32 zero = 0;

	if (!here)
		return 0;
	flush_counted(here);
	here->count_pid = pid;
	here->count_call = call;
	here->count_bucket = bucket;
	if (bpf_map_lookup_elem(&wait_calls, &key))
		return 0;
	if (!find_task(pid))
		create_task(pid, bpf_ktime_get_ns());
	none = bpf_map_lookup_elem(&wait_no_calls, &zero);
	if (none && bpf_map_update_elem(&wait_calls, &key, none, BPF_NOEXIST))
		__sync_fetch_and_add(&wait_losses.table, 1);
	return 0;
}

/* Calls that follow each other are mostly of one kind and bucket. */
static __always_inline void count_call(struct wait_running *here, __u32 pid, __u64 ns)
{
	__u32 call = here->call & WAIT_NUMBER_CALL, bucket = bucket_of(ns);

	if (!here->count || here->count_bucket != bucket || here->count_call != call ||
	    here->count_pid != pid || here->count >= COUNTED_MAX)
		begin_counting(here, pid, call, bucket);
	here->count++;
	here->ns += ns;
}

#endif
