/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The kernel stack of a task that falls asleep, by id. To unwind it takes microseconds, so each
 * stack is unwound once for a task and kind of call, and then recognised: the same return addresses
 * stand at the same distances from the stack pointer.
 */
#ifndef BLKREEL_BPF_WAIT_STACKS_BPF_H
#define BLKREEL_BPF_WAIT_STACKS_BPF_H

#include "wait_tasks.bpf.h"

#define WAIT_STACKS_MAX 8192
#define KNOWN_BITS	11
#define KNOWN_MAX	(1 << KNOWN_BITS) /* tasks with kinds of calls */
#define LEARNING_MAX	1024		  /* at once: CPUs */
#define KNOWN_STACKS	4		  /* of each, a power of two */
#define COPIED_WORDS	256
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
	__s32 id;
	__u32 count;			/* of addresses; 0: none is known */
	__u32 addresses[ADDRESSES_MAX]; /* their lower half */
	__u16 distances[ADDRESSES_MAX]; /* from the stack pointer, in bytes */
};

struct known_stacks {
	__u32 pid; /* whose they are */
	__u32 call;
	__u32 last; /* was met last */
	__u32 next; /* to be replaced next */
	struct known_stack stacks[KNOWN_STACKS];
};

/* A task with a kind of call has one of two places, which follow from their numbers. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, KNOWN_MAX);
	__type(key, __u32);
	__type(value, struct known_stacks);
} wait_known_stacks SEC(".maps");

/* The places that are being written: one CPU writes at a time. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, LEARNING_MAX);
	__type(key, __u32);
	__type(value, __u32);
} wait_learning SEC(".maps");

struct unwound {
	__u64 pointer;
	__u32 count; /* of addresses */
	/* Volatile: the verifier would follow each of their values. */
	volatile __u32 next; /* to be found */
	volatile __u32 found;
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
static __noinline int note_stack_pointer(struct unwound *unwound)
{
	volatile __u64 here = 0;

	if (unwound)
		unwound->pointer = (__u64)&here;
	return (int)here;
}

static __noinline bool is_known_stack(__u64 pointer, const struct known_stack *known)
{
	if (!known || !known->count)
		return false;
	for (__u32 i = 0; i < WAIT_STACK_DEPTH; i++) {
		if (i >= known->count)
			return true;
		if ((__u32)kernel_word(pointer + known->distances[i]) != known->addresses[i])
			return false;
	}
	return true;
}

static __always_inline __u32 place_of_known(__u32 pid, __u32 call)
{
	return (pid + (call << 16)) * 0x9e3779b1u >> (32 - KNOWN_BITS);
}

/* NULL: none is known. */
static __always_inline struct known_stacks *find_known(__u32 pid, __u32 call)
{
	__u32 at = place_of_known(pid, call);
	struct known_stacks *known = bpf_map_lookup_elem(&wait_known_stacks, &at);

	if (known && known->pid == pid && known->call == call)
		return known;
	at ^= 1;
	known = bpf_map_lookup_elem(&wait_known_stacks, &at);
	return known && known->pid == pid && known->call == call ? known : NULL;
}

/* Another task can take the place meanwhile: an id counts if it is the same after the look. */
static __always_inline __s32 recognise(struct known_stacks *known, __u64 pointer)
{
	__u32 at = known->last;

	for (__u32 i = 0; i < KNOWN_STACKS; i++, at++) {
		struct known_stack *stack = &known->stacks[at & (KNOWN_STACKS - 1)];
		__s32 id = *(volatile __s32 *)&stack->id;

		if (!is_known_stack(pointer, stack) || *(volatile __s32 *)&stack->id != id)
			continue;
		known->last = at;
		return id;
	}
	return -1;
}

/*
 * Finds the addresses on the stack, in their order. False: the stack cannot be recognised. The
 * probe's own addresses can be missing at the begin, and the last one at the end: on the way into
 * the kernel stands a gap of random size.
 */
static __noinline bool learn(struct unwound *unwound, struct known_stack *known)
{
	if (!unwound || !known)
		return false;
	known->count = unwound->found = unwound->next = 0;
	for (__u32 i = 0; i < COPIED_WORDS; i++) {
		__u64 word = unwound->words[i];
		__u32 next = unwound->next, found;

		if (!unwound->found && word == unwound->addresses[(next + 1) & ADDRESSES_MASK])
			next++;
		if (next >= unwound->count || word != unwound->addresses[next & ADDRESSES_MASK])
			continue;
		found = unwound->found & ADDRESSES_MASK;
		known->addresses[found] = (__u32)word;
		known->distances[found] = i * sizeof(word);
		unwound->found = found + 1;
		unwound->next = next + 1;
	}
	if (unwound->found <= 2 || unwound->next + 1 < unwound->count)
		return false;
	known->count = unwound->found;
	return true;
}

static __always_inline void write_known(struct known_stacks *known, struct unwound *unwound,
					__u32 pid, __u32 call, __s32 id)
{
	struct known_stack *place;

	if (known->pid != pid || known->call != call) {
		for (__u32 i = 0; i < KNOWN_STACKS; i++)
			known->stacks[i].count = 0;
		known->pid = pid;
		known->call = call;
	}
	place = &known->stacks[known->next & (KNOWN_STACKS - 1)];
	*(volatile __s32 *)&place->id = -1;
	if (!learn(unwound, place))
		return;
	*(volatile __s32 *)&place->id = id;
	known->next++;
}

static __noinline int remember(struct unwound *unwound, __u32 call, __s32 id)
{
	__u32 pid = (__u32)bpf_get_current_pid_tgid();
	__u32 at = place_of_known(pid, call) ^ (id & 1), other;
	struct known_stacks *known = bpf_map_lookup_elem(&wait_known_stacks, &at);

	if (!unwound || !known ||
	    bpf_probe_read_kernel(unwound->words, sizeof(unwound->words), (void *)unwound->pointer))
		return 0;
	if (known->pid != pid || known->call != call) {
		other = at ^ 1;
		known = bpf_map_lookup_elem(&wait_known_stacks, &other);
		if (known && known->pid == pid && known->call == call)
			at = other;
		else
			known = bpf_map_lookup_elem(&wait_known_stacks, &at);
	}
	if (!known || bpf_map_update_elem(&wait_learning, &at, &pid, BPF_NOEXIST))
		return 0;
	write_known(known, unwound, pid, call, id);
	bpf_map_delete_elem(&wait_learning, &at);
	return 0;
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

/* Negative: there is no room. `call` is 0 outside of calls. */
static __always_inline __s32 stack_of_current(void *ctx, __u32 pid, __u32 call)
{
	struct known_stacks *known = find_known(pid, call);
	struct unwound *unwound;
	__u32 zero = 0;
	__s32 id = -1;
	long bytes;

	unwound = bpf_map_lookup_elem(&wait_unwound, &zero);
	if (!unwound)
		return -1;
	note_stack_pointer(unwound);
	if (known)
		id = recognise(known, unwound->pointer);
	if (id >= 0)
		return id;
	id = id_of_stack(ctx);
	if (id < 0) {
		__sync_fetch_and_add(&wait_losses.stacks, 1);
		return id;
	}
	bytes = bpf_get_stack(ctx, unwound->addresses, WAIT_STACK_DEPTH * sizeof(__u64),
			      PROBE_FRAMES);
	if (bytes <= 0)
		return id;
	unwound->count = (__u32)bytes / sizeof(__u64);
	remember(unwound, call, id);
	return id;
}

#endif
