// SPDX-License-Identifier: MIT
#include "replay/engine/result.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "replay/engine/huge_pages.h"

void engine_result__init(struct engine_result *result)
{
	memset(result, 0, sizeof(*result));
	for (unsigned int op = 0; op < REPLAY_OP_COUNT; op++) {
		histogram_init(&result->ops[op].intended_ns);
		histogram_init(&result->ops[op].submitted_ns);
		for (unsigned int size = 0; size < ENGINE_SIZES; size++) {
			histogram_init(&result->ops[op].sizes[size].intended_ns);
			histogram_init(&result->ops[op].sizes[size].submitted_ns);
		}
	}
	histogram_init(&result->lateness_ns);
	histogram_init(&result->sqpoll_delay_ns);
	histogram_init(&result->wakeups_ns);
}

/* Up to 4 KiB is the first; each bound is a power of two. */
static const uint64_t size_bounds[ENGINE_SIZES] = {
	4096, 8192, 16384, 65536, 262144, 1048576, UINT64_MAX,
};

static unsigned int size_class_of(uint64_t bytes)
{
	unsigned int size = 0;

	while (bytes > size_bounds[size])
		size++;
	return size;
}

uint64_t engine_size_bytes(unsigned int size_class)
{
	return size_bounds[size_class];
}

void engine_result__set_whole_bytes(struct engine_result *result, const struct io_limits *limits,
				    uint64_t run_bytes)
{
	result->whole_bytes = io_limits__whole_bytes(limits, run_bytes);
	result->small_pages = result->whole_bytes < io_limits__whole_bytes(limits, HUGE_PAGE_BYTES);
}

void engine_result__finish(struct engine_result *result)
{
	for (unsigned int i = 0; i < REPLAY_OP_COUNT; i++) {
		struct engine_op_result *op = &result->ops[i];

		for (unsigned int size = 0; size < ENGINE_SIZES; size++) {
			histogram_merge(&op->intended_ns, &op->sizes[size].intended_ns);
			histogram_merge(&op->submitted_ns, &op->sizes[size].submitted_ns);
		}
	}
}

static void add_error(struct engine_result *result, enum replay_op op, int error, uint64_t count)
{
	for (unsigned int i = 0; i < result->error_kinds; i++) {
		if (result->errors[i].op == op && result->errors[i].error == error) {
			result->errors[i].count += count;
			return;
		}
	}
	if (result->error_kinds == ENGINE_ERROR_KINDS) {
		result->errors_of_other_kinds += count;
		return;
	}
	result->errors[result->error_kinds++] = (struct engine_error){op, error, count};
}

void engine_result__add_error(struct engine_result *result, enum replay_op op, int error)
{
	result->ops[op].errors++;
	add_error(result, op, error, 1);
}

void engine_result__add_completed(struct engine_result *result, const struct engine_completed *io)
{
	struct engine_op_result *op = &result->ops[io->op];
	struct engine_latency *latency = &op->sizes[size_class_of(io->length_bytes)];

	op->completed += io->count;
	op->bytes += io->count * io->length_bytes;
	if (io->in_ramp) {
		result->ramp_ios += io->count;
		result->ramp_bytes += replay_op_has_data(io->op) ? io->count * io->length_bytes : 0;
		return;
	}
	histogram_add_many(&latency->submitted_ns, io->submitted_ns, io->count);
	if (io->has_due)
		histogram_add_many(&latency->intended_ns, io->intended_ns, io->count);
}

void engine_result__add_deviations(struct engine_result *result, uint32_t flags, uint32_t left_out)
{
	result->aligned += !!(flags & REPLAY_ALIGNED);
	result->wrapped += !!(flags & REPLAY_WRAPPED);
	result->clipped += !!(flags & REPLAY_CLIPPED);
	result->emulated += !!(flags & REPLAY_EMULATED);
	result->atomic += !!(flags & REPLAY_ATOMIC);
	if (flags & REPLAY_AFTER_GAP)
		result->left_out += left_out;
}

void engine_result__add_wait(struct engine_result *result, const struct replay_wait *wait)
{
	result->anchors[wait->anchor]++;
	result->uncounted += wait->uncounted;
	result->overflowed += wait->overflowed;
	/* They are numbered as they appear. */
	if (wait->stream >= result->streams)
		result->streams = wait->stream + 1;
}

static void merge_deviations(struct engine_result *into, const struct engine_result *from)
{
	into->aligned += from->aligned;
	into->wrapped += from->wrapped;
	into->clipped += from->clipped;
	into->emulated += from->emulated;
	into->atomic += from->atomic;
	into->left_out += from->left_out;
	for (unsigned int i = 0; i < REPLAY_ANCHOR_COUNT; i++)
		into->anchors[i] += from->anchors[i];
	into->uncounted += from->uncounted;
	into->overflowed += from->overflowed;
	into->streams += from->streams;
}

static void add_errors(struct engine_result *into, const struct engine_result *from)
{
	for (unsigned int i = 0; i < from->error_kinds; i++) {
		const struct engine_error *error = &from->errors[i];

		add_error(into, error->op, error->error, error->count);
	}
	into->errors_of_other_kinds += from->errors_of_other_kinds;
}

static void merge_op(struct engine_op_result *into, const struct engine_op_result *from)
{
	into->issued += from->issued;
	into->completed += from->completed;
	into->errors += from->errors;
	into->bytes += from->bytes;
	histogram_merge(&into->intended_ns, &from->intended_ns);
	histogram_merge(&into->submitted_ns, &from->submitted_ns);
	for (unsigned int size = 0; size < ENGINE_SIZES; size++) {
		histogram_merge(&into->sizes[size].intended_ns, &from->sizes[size].intended_ns);
		histogram_merge(&into->sizes[size].submitted_ns, &from->sizes[size].submitted_ns);
	}
}

void engine_result__merge(struct engine_result *into, const struct engine_result *from)
{
	for (unsigned int op = 0; op < REPLAY_OP_COUNT; op++)
		merge_op(&into->ops[op], &from->ops[op]);
	histogram_merge(&into->lateness_ns, &from->lateness_ns);
	histogram_merge(&into->sqpoll_delay_ns, &from->sqpoll_delay_ns);
	histogram_merge(&into->wakeups_ns, &from->wakeups_ns);
	if (from->lead_ns > into->lead_ns)
		into->lead_ns = from->lead_ns;
	into->spun_ns += from->spun_ns;
	into->spin_limited |= from->spin_limited;
	add_errors(into, from);
	merge_deviations(into, from);
	into->preflushes += from->preflushes;
	into->held_back += from->held_back;
	into->ordered += from->ordered;
	into->waited += from->waited;
	into->starved += from->starved;
	into->polled += from->polled;
	into->lowered_priorities += from->lowered_priorities;
	into->blocking_zones += from->blocking_zones;
	into->appended += from->appended;
	into->unhinted += from->unhinted;
	into->split += from->split;
	into->split_into += from->split_into;
	if (from->whole_bytes && (!into->whole_bytes || from->whole_bytes < into->whole_bytes)) {
		into->whole_bytes = from->whole_bytes;
		into->small_pages = from->small_pages;
	}
	into->blocking_discards += from->blocking_discards;
	into->user_ns += from->user_ns;
	into->system_ns += from->system_ns;
	if (from->cpu_wait_ns > into->cpu_wait_ns)
		into->cpu_wait_ns = from->cpu_wait_ns;
	into->ramp_ios += from->ramp_ios;
	into->ramp_bytes += from->ramp_bytes;
	into->stopped |= from->stopped;
	into->stopped_at_error |= from->stopped_at_error;
	into->runtime_over |= from->runtime_over;
	into->source_over &= from->source_over;
	into->registered &= from->registered;
	if (from->priority < into->priority)
		into->priority = from->priority;
	if (from->highest_depth > into->highest_depth)
		into->highest_depth = from->highest_depth;
	if (from->completion_batch > into->completion_batch)
		into->completion_batch = from->completion_batch;
	if (from->duration_ns > into->duration_ns)
		into->duration_ns = from->duration_ns;
	if (from->last_due_ns > into->last_due_ns)
		into->last_due_ns = from->last_due_ns;
}

static uint64_t sum(const struct engine_result *r, size_t field_offset)
{
	uint64_t total = 0;

	for (unsigned int op = 0; op < REPLAY_OP_COUNT; op++)
		total += *(const uint64_t *)((const char *)&r->ops[op] + field_offset);
	return total;
}

uint64_t engine_result__issued(const struct engine_result *r)
{
	return sum(r, offsetof(struct engine_op_result, issued));
}

uint64_t engine_result__completed(const struct engine_result *r)
{
	return sum(r, offsetof(struct engine_op_result, completed));
}

uint64_t engine_result__errors(const struct engine_result *r)
{
	return sum(r, offsetof(struct engine_op_result, errors));
}

uint64_t engine_result__bytes(const struct engine_result *r)
{
	return r->ops[REPLAY_READ].bytes + r->ops[REPLAY_WRITE].bytes;
}

static uint64_t timeval_ns(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * NSEC_PER_SEC + (uint64_t)t->tv_usec * NSEC_PER_USEC;
}

/* The second number of schedstat; some kernels have the file for processes alone. */
static uint64_t run_queue_ns(void)
{
	FILE *file = fopen("/proc/thread-self/schedstat", "re");
	uint64_t wait_ns = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%*u %" SCNu64, &wait_ns) != 1)
		wait_ns = 0;
	fclose(file);
	return wait_ns;
}

void thread_times__read(struct thread_times *t)
{
	getrusage(RUSAGE_THREAD, &t->usage);
	t->wait_ns = run_queue_ns();
}

void engine_result__add_cpu_time(struct engine_result *result, const struct thread_times *before)
{
	const struct rusage *was = &before->usage;
	struct thread_times now;

	thread_times__read(&now);
	result->user_ns = timeval_ns(&now.usage.ru_utime) - timeval_ns(&was->ru_utime);
	result->system_ns = timeval_ns(&now.usage.ru_stime) - timeval_ns(&was->ru_stime);
	result->cpu_wait_ns = now.wait_ns > before->wait_ns ? now.wait_ns - before->wait_ns : 0;
}
