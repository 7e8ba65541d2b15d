/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The kernel stack of a task that falls asleep, by id. To unwind it takes microseconds, so it is
 * compared with the stacks that the task met last in this kind of call: the same return addresses
 * stand at the same distances from the stack pointer, whichever task sleeps.
 */
#ifndef BLKREEL_BPF_WAIT_STACKS_BPF_H
#define BLKREEL_BPF_WAIT_STACKS_BPF_H

#include "wait_tasks.bpf.h"

#define WAIT_STACKS_MAX 8192
#define LEARN_TRIES	64 /* a stack whose addresses stand elsewhere each time is always unwound */
#define COPIED_WORDS	512
#define ADDRESSES_MAX	32 /* WAIT_STACK_DEPTH, rounded up */
#define ADDRESSES_MASK	(ADDRESSES_MAX - 1)
#define PROBE_FRAMES \
	2 /* on each kernel: the program, and what calls it; before schedule() are more */
#define STACK_BUCKETS 3 /* that are tried */

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, WAIT_STACKS_MAX);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, WAIT_STACK_DEPTH * sizeof(__u64));
} wait_stacks SEC(".maps");

struct known_stack {
	__u32 count; /* of frames; 0: none is known */
	__u32 tries; /* to learn them */
	/* The lower half of a return address; above it, in bytes, its distance from the stack
	 * pointer. One word, which is written at once. */
	__u64 frames[ADDRESSES_MAX];
};

/* By the id of the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WAIT_STACKS_MAX);
	__type(key, __u32);
	__type(value, struct known_stack);
} wait_known_stacks SEC(".maps");

struct unwound {
	__u32 count; /* of addresses */
	/* Volatile: the verifier would follow each of their values. */
	volatile __u32 next; /* to be found */
	volatile __u32 found;
	__u32 words_copied;
	__u64 addresses[ADDRESSES_MAX];
	__u64 words[COPIED_WORDS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwound);
} wait_unwound SEC(".maps");

/* Functions with large variables can have a stack of their own; this one stands on the kernel's. */
static __noinline int note_stack_pointer(struct wait_running *running)
{
	volatile __u64 here = 0;

	if (running)
		running->stack_pointer = (__u64)&here;
	return (int)here;
}

/* Another CPU may learn the stack again meanwhile: all frames that it had must fit. Global, as are
 * others with loops: the verifier follows it once, not from each of its callers' states. */
__noinline int is_stack(__u64 pointer, __u32 id)
{
	struct known_stack *known = bpf_map_lookup_elem(&wait_known_stacks, &id);
	__u32 count = known ? *(volatile __u32 *)&known->count : 0;

	if (!known || !count)
		return false;
	for (__u32 i = 0; i < WAIT_STACK_DEPTH; i++) {
		__u64 frame = *(volatile __u64 *)&known->frames[i];

		if (i >= count)
			return true;
		if ((__u32)kernel_word(pointer + (frame >> 32)) != (__u32)frame)
			return false;
	}
	return true;
}

/* One of the stacks that the task met last; negative: none of them. */
static __always_inline __s32 recognise(struct wait_met *met, __u64 pointer)
{
	__u32 last = met->last, before = met->before;

	if (last && is_stack(pointer, last - 1))
		return (__s32)last - 1;
	if (!before || !is_stack(pointer, before - 1))
		return -1;
	met->last = (__u16)before;
	met->before = (__u16)last;
	return (__s32)before - 1;
}

/*
 * Finds the addresses on the stack, in their order; else the stack cannot be recognised. The
 * probe's own addresses can be missing at the begin. The last one is left out: on the way into the
 * kernel stands a gap of random size.
 */
__noinline int learn(__u32 id)
{
	struct known_stack *known = bpf_map_lookup_elem(&wait_known_stacks, &id);
	__u32 zero = 0;
	struct unwound *unwound = bpf_map_lookup_elem(&wait_unwound, &zero);

	if (!unwound || !known)
		return 0;
	*(volatile __u32 *)&known->count = 0;
	unwound->found = unwound->next = 0;
	for (__u32 i = 0; i < COPIED_WORDS && i < unwound->words_copied; i++) {
		__u64 word = unwound->words[i];
		__u32 next = unwound->next, found;

		if (!unwound->found && word == unwound->addresses[(next + 1) & ADDRESSES_MASK])
			next++;
		if (next + 1 >= unwound->count || word != unwound->addresses[next & ADDRESSES_MASK])
			continue;
		found = unwound->found & ADDRESSES_MASK;
		known->frames[found] = (__u64)(i * sizeof(word)) << 32 | (__u32)word;
		unwound->found = found + 1;
		unwound->next = next + 1;
	}
	IN_THIS_ORDER();
	if (unwound->found > 2 && unwound->next + 1 >= unwound->count)
		*(volatile __u32 *)&known->count = unwound->found;
	return 0;
}

__noinline int is_to_be_learned(__u64 pointer, __u32 id)
{
	struct known_stack *known = bpf_map_lookup_elem(&wait_known_stacks, &id);

	if (!known || known->tries >= LEARN_TRIES || is_stack(pointer, id))
		return false;
	known->tries++;
	return true;
}

static __always_inline void learn_stack(void *ctx, __u64 pointer, __u32 id)
{
	__u32 zero = 0;
	struct unwound *unwound = bpf_map_lookup_elem(&wait_unwound, &zero);
	__u32 above_bytes = STACK_BYTES - (pointer & (STACK_BYTES - 1));
	long bytes;

	if (!unwound)
		return;
	/* Nothing stands above the stack, which begins at a multiple of its size. */
	if (above_bytes > sizeof(unwound->words))
		above_bytes = sizeof(unwound->words);
	if (bpf_probe_read_kernel(unwound->words, above_bytes, (void *)pointer))
		return;
	unwound->words_copied = above_bytes / sizeof(__u64);
	bytes = bpf_get_stack(ctx, unwound->addresses, WAIT_STACK_DEPTH * sizeof(__u64),
			      PROBE_FRAMES);
	if (bytes <= 0)
		return;
	unwound->count = (__u32)bytes / sizeof(__u64);
	learn(id);
}

/*
 * The map has one stack a bucket and refuses another one. Without one more frame of the probe that one has another
 * bucket. Negative: they are all taken.
 */
static __always_inline __s32 id_of_stack(void *ctx)
{
	__s32 id = -EEXIST;

	for (__u64 skip = PROBE_FRAMES; skip < PROBE_FRAMES + STACK_BUCKETS && id == -EEXIST;
	     skip++)
		id = (__s32)bpf_get_stackid(ctx, &wait_stacks, BPF_F_FAST_STACK_CMP | skip);
	return id;
}

/* Negative: there is no room. */
static __always_inline __s32 stack_of_current(void *ctx, struct wait_running *here,
					      struct wait_task *task)
{
	__u32 kind = task->call_ns ? task->call : 0;
	struct wait_met *met = &task->met[kind & (WAIT_KINDS - 1)];
	__u64 pointer;
	__s32 id;

	note_stack_pointer(here);
	pointer = here->stack_pointer;
	id = recognise(met, pointer);
	if (id >= 0)
		return id;
	id = id_of_stack(ctx);
	if (id < 0) {
		__sync_fetch_and_add(&wait_losses.stacks, 1);
		return id;
	}
	met->before = met->last;
	met->last = (__u16)(id + 1);
	if (is_to_be_learned(pointer, (__u32)id))
		learn_stack(ctx, pointer, (__u32)id);
	return id;
}

#endif
