// SPDX-License-Identifier: MIT
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"
#include "trace/columns/coding.h"

#define DICTIONARY_SLOT_BITS 10
#define DICTIONARY_SLOTS     (1u << DICTIONARY_SLOT_BITS)

/* An open hash table of four times as many slots as the largest dictionary: probes stay short. */
struct dictionary_index {
	uint64_t keys[DICTIONARY_SLOTS];
	uint16_t entry[DICTIONARY_SLOTS]; /* 0: free; else the place in the dictionary + 1 */
};

static unsigned int dictionary_slot(const struct dictionary_index *index, uint64_t value)
{
	unsigned int slot =
		(unsigned int)((value * 0x9e3779b97f4a7c15ull) >> (64 - DICTIONARY_SLOT_BITS));

	while (index->entry[slot] && index->keys[slot] != value)
		slot = (slot + 1) % DICTIONARY_SLOTS;
	return slot;
}

/* Bytes of the dictionary coding, or UINT32_MAX when there are too many different values. */
static uint32_t plan_dictionary(struct coding_plan *plan, const uint64_t *values, uint32_t count)
{
	struct dictionary_index index;
	uint32_t bytes = 1 + count;

	memset(index.entry, 0, sizeof(index.entry));
	plan->entries = 0;
	for (uint32_t i = 0; i < count; i++) {
		unsigned int slot = dictionary_slot(&index, values[i]);

		if (index.entry[slot])
			continue;
		if (plan->entries == CODING_DICTIONARY_MAX)
			return UINT32_MAX;
		plan->dictionary[plan->entries++] = values[i];
		index.keys[slot] = values[i];
		index.entry[slot] = (uint16_t)plan->entries;
		bytes += varint_bytes(values[i]);
	}
	return bytes;
}

/* Fills the table with the entries of the plan. */
static void index_dictionary(struct dictionary_index *index, const struct coding_plan *plan)
{
	memset(index->entry, 0, sizeof(index->entry));
	for (unsigned int i = 0; i < plan->entries; i++) {
		unsigned int slot = dictionary_slot(index, plan->dictionary[i]);

		index->keys[slot] = plan->dictionary[i];
		index->entry[slot] = (uint16_t)(i + 1);
	}
}

struct measure {
	uint64_t min, max;
	uint32_t changes; /* values that differ from the one before */
};

static void measure_values(struct measure *m, const uint64_t *values, uint32_t count)
{
	uint64_t min = values[0], max = values[0];
	uint32_t changes = 0;

	for (uint32_t i = 1; i < count; i++) {
		min = values[i] < min ? values[i] : min;
		max = values[i] > max ? values[i] : max;
		changes += values[i] != values[i - 1];
	}
	*m = (struct measure){min, max, changes};
}

static uint32_t bytes_of_varints(const uint64_t *values, uint32_t count)
{
	uint32_t bytes = 0;

	for (uint32_t i = 0; i < count; i++)
		bytes += varint_bytes(values[i]);
	return bytes;
}

static uint32_t bytes_of_runs(const uint64_t *values, uint32_t count)
{
	uint32_t bytes = 0, run_start = 0;

	for (uint32_t i = 1; i <= count; i++) {
		if (i < count && values[i] == values[i - 1])
			continue;
		bytes += varint_bytes(values[i - 1]) + varint_bytes(i - run_start);
		run_start = i;
	}
	return bytes;
}

static unsigned int bytes_needed(uint64_t value)
{
	return value ? (71u - (unsigned int)__builtin_clzll(value)) / 8 : 1;
}

/* A coding that compresses well may still need too many bytes before compression. */
static void take_if_smaller(struct coding_plan *plan, enum coding coding, uint32_t bytes,
			    uint32_t cost, uint32_t count)
{
	if (cost >= plan->cost || bytes > CODING_BYTES_MAX(count))
		return;
	plan->coding = coding;
	plan->bytes = bytes;
	plan->cost = cost;
}

/*
 * Costs are estimated from about SAMPLES values: with fewer, the frequencies of 256 bytes are
 * unreliable. Below ESTIMATE_VALUES a compressor's tables cost more than they save.
 */
#define SAMPLES		1600u
#define ESTIMATE_VALUES 512u

static uint32_t sample_step(uint32_t count)
{
	return 1 + (count - 1) / SAMPLES / 2 * 2;
}

/* Bits per byte (0 to 8) that an entropy coder needs for bytes that occur `counts[b]` times; `total`
 * is the sum, at most 2^17. */
static float entropy_bits(const uint32_t counts[256], uint32_t total)
{
	float sum = 0;

	if (!total)
		return 0;
	for (unsigned int byte = 0; byte < 256; byte++)
		if (counts[byte])
			sum += (float)counts[byte] * log2f((float)counts[byte]);
	return log2f((float)total) - sum / (float)total;
}

static uint32_t cost_of(const uint32_t counts[256], uint32_t samples, uint32_t bytes)
{
	return (uint32_t)(entropy_bits(counts, samples) / 8 * (float)bytes) + bytes / 64;
}

static uint32_t cost_of_planes(const struct coding_plan *plan, const uint64_t *values,
			       uint32_t count)
{
	uint32_t cost = 0, step = sample_step(count);

	for (unsigned int plane = 0; plane < plan->width_bytes; plane++) {
		uint32_t counts[256] = {0}, samples = 0;

		for (uint32_t i = 0; i < count; i += step, samples++)
			counts[(uint8_t)((values[i] - plan->min) >> (8 * plane))]++;
		cost += cost_of(counts, samples, count);
	}
	return cost;
}

static uint32_t cost_of_varints(const uint64_t *values, uint32_t count)
{
	uint32_t counts[256] = {0}, bytes = 0, samples = 0, step = sample_step(count);

	for (uint32_t i = 0; i < count; i += step, samples++) {
		uint64_t value = values[i];

		for (; value >= 0x80; value >>= 7, bytes++)
			counts[(uint8_t)(value | 0x80)]++;
		counts[value]++;
		bytes++;
	}
	return cost_of(counts, bytes, (uint32_t)((uint64_t)bytes * count / samples));
}

static uint32_t cost_of_dictionary(const struct coding_plan *plan, const uint64_t *values,
				   uint32_t count, uint32_t bytes)
{
	struct dictionary_index index;
	uint32_t counts[256] = {0}, samples = 0, step = sample_step(count);

	index_dictionary(&index, plan);
	for (uint32_t i = 0; i < count; i += step, samples++)
		counts[index.entry[dictionary_slot(&index, values[i])] - 1]++;
	return cost_of(counts, samples, count) + bytes - count;
}

/* For few values, compares the bytes that each coding would write. */
static void plan_small(struct coding_plan *plan, const uint64_t *values, uint32_t count)
{
	uint32_t bytes = bytes_of_varints(values, count);

	take_if_smaller(plan, CODING_VARINT, bytes, bytes, count);
	if (plan->bytes <= count + 1)
		return;
	bytes = plan_dictionary(plan, values, count);
	take_if_smaller(plan, CODING_DICTIONARY, bytes, bytes, count);
}

static void plan_large(struct coding_plan *plan, const uint64_t *values, uint32_t count)
{
	uint32_t bytes, cost;

	plan->cost = cost_of_planes(plan, values, count);
	if (plan->width_bytes == 1)
		return;
	cost = cost_of_varints(values, count);
	if (cost < plan->cost)
		take_if_smaller(plan, CODING_VARINT, bytes_of_varints(values, count), cost, count);
	bytes = plan_dictionary(plan, values, count);
	if (bytes != UINT32_MAX)
		take_if_smaller(plan, CODING_DICTIONARY, bytes,
				cost_of_dictionary(plan, values, count, bytes), count);
}

/* Plans planes, or a constant. True: all values are the same, no other coding can be better. */
static bool plan_simple(struct coding_plan *plan, const struct measure *m, uint32_t count)
{
	plan->min = m->min;
	plan->width_bytes = bytes_needed(m->max - m->min);
	if (m->min == m->max) {
		plan->coding = CODING_CONSTANT;
		plan->bytes = plan->cost = varint_bytes(m->min);
		return true;
	}
	plan->coding = CODING_PLANES;
	plan->bytes = plan->cost = varint_bytes(m->min) + 1 + plan->width_bytes * count;
	return false;
}

void coding_plan(struct coding_plan *plan, const uint64_t *values, uint32_t count)
{
	struct measure m;
	uint32_t bytes;

	measure_values(&m, values, count);
	if (plan_simple(plan, &m, count))
		return;
	if (count < ESTIMATE_VALUES)
		plan_small(plan, values, count);
	else
		plan_large(plan, values, count);
	if (m.changes >= count / 4)
		return;
	bytes = bytes_of_runs(values, count);
	take_if_smaller(plan, CODING_RUNS, bytes, bytes, count);
}

bool coding_plan_as(struct coding_plan *plan, enum coding coding, const uint64_t *values,
		    uint32_t count)
{
	struct measure m;

	measure_values(&m, values, count);
	if (plan_simple(plan, &m, count))
		return true;
	switch (coding) {
	case CODING_VARINT:
		coding_plan_varint(plan, values, count);
		break;
	case CODING_PLANES:
		plan->cost = cost_of_planes(plan, values, count);
		break;
	case CODING_DICTIONARY:
		plan->coding = CODING_DICTIONARY;
		plan->bytes = plan_dictionary(plan, values, count);
		if (plan->bytes == UINT32_MAX)
			return false;
		plan->cost = cost_of_dictionary(plan, values, count, plan->bytes);
		break;
	case CODING_RUNS:
		plan->coding = CODING_RUNS;
		plan->bytes = plan->cost = bytes_of_runs(values, count);
		break;
	case CODING_CONSTANT:
	case CODING_COUNT:
		return false;
	}
	return plan->bytes <= CODING_BYTES_MAX(count);
}

void coding_plan_varint(struct coding_plan *plan, const uint64_t *values, uint32_t count)
{
	plan->coding = CODING_VARINT;
	plan->bytes = bytes_of_varints(values, count);
	plan->cost = count < ESTIMATE_VALUES ? plan->bytes : cost_of_varints(values, count);
}

static uint8_t *pack_planes(const struct coding_plan *plan, const uint64_t *values, uint32_t count,
			    uint8_t *at)
{
	at += put_varint(at, plan->min);
	*at++ = (uint8_t)plan->width_bytes;
	for (unsigned int plane = 0; plane < plan->width_bytes; plane++) {
		for (uint32_t i = 0; i < count; i++)
			at[i] = (uint8_t)((values[i] - plan->min) >> (8 * plane));
		at += count;
	}
	return at;
}

static uint8_t *pack_dictionary(const struct coding_plan *plan, const uint64_t *values,
				uint32_t count, uint8_t *at)
{
	struct dictionary_index index;

	index_dictionary(&index, plan);
	*at++ = (uint8_t)(plan->entries - 1);
	for (unsigned int i = 0; i < plan->entries; i++)
		at += put_varint(at, plan->dictionary[i]);
	for (uint32_t i = 0; i < count; i++)
		*at++ = (uint8_t)(index.entry[dictionary_slot(&index, values[i])] - 1);
	return at;
}

static uint8_t *pack_runs(const uint64_t *values, uint32_t count, uint8_t *at)
{
	uint32_t run_start = 0;

	for (uint32_t i = 1; i <= count; i++) {
		if (i < count && values[i] == values[i - 1])
			continue;
		at += put_varint(at, values[i - 1]);
		at += put_varint(at, i - run_start);
		run_start = i;
	}
	return at;
}

uint8_t *coding_pack(const struct coding_plan *plan, const uint64_t *values, uint32_t count,
		     uint8_t *at)
{
	switch (plan->coding) {
	case CODING_CONSTANT:
		return at + put_varint(at, values[0]);
	case CODING_VARINT:
		for (uint32_t i = 0; i < count; i++)
			at += put_varint(at, values[i]);
		return at;
	case CODING_PLANES:
		return pack_planes(plan, values, count, at);
	case CODING_DICTIONARY:
		return pack_dictionary(plan, values, count, at);
	case CODING_RUNS:
		return pack_runs(values, count, at);
	case CODING_COUNT:
		break;
	}
	return at;
}

static int unpack_constant(const uint8_t *at, const uint8_t *end, uint64_t *values, uint32_t count)
{
	uint64_t value;
	unsigned int used = get_varint(at, end, &value);

	if (!used || at + used != end)
		return -EBADMSG;
	for (uint32_t i = 0; i < count; i++)
		values[i] = value;
	return 0;
}

static int unpack_varint(const uint8_t *at, const uint8_t *end, uint64_t *values, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		unsigned int used;

		if (at < end && *at < 0x80) {
			values[i] = *at++;
			continue;
		}
		used = get_varint(at, end, &values[i]);
		if (!used)
			return -EBADMSG;
		at += used;
	}
	return at == end ? 0 : -EBADMSG;
}

static int unpack_planes(const uint8_t *at, const uint8_t *end, uint64_t *values, uint32_t count)
{
	uint64_t min;
	unsigned int used = get_varint(at, end, &min), width_bytes;

	if (!used || at + used == end)
		return -EBADMSG;
	at += used;
	width_bytes = *at++;
	if (width_bytes < 1 || width_bytes > 8 || (size_t)(end - at) != (size_t)width_bytes * count)
		return -EBADMSG;
	for (uint32_t i = 0; i < count; i++)
		values[i] = min + at[i];
	for (unsigned int plane = 1; plane < width_bytes; plane++) {
		at += count;
		for (uint32_t i = 0; i < count; i++)
			values[i] += (uint64_t)at[i] << (8 * plane);
	}
	return 0;
}

static int unpack_dictionary(const uint8_t *at, const uint8_t *end, uint64_t *values,
			     uint32_t count)
{
	uint64_t dictionary[CODING_DICTIONARY_MAX] = {0};
	unsigned int entries, highest = 0;

	if (at == end)
		return -EBADMSG;
	entries = *at++ + 1u;
	for (unsigned int i = 0; i < entries; i++) {
		unsigned int used = get_varint(at, end, &dictionary[i]);

		if (!used)
			return -EBADMSG;
		at += used;
	}
	if ((size_t)(end - at) != count)
		return -EBADMSG;
	for (uint32_t i = 0; i < count; i++) {
		highest = at[i] > highest ? at[i] : highest;
		values[i] = dictionary[at[i]];
	}
	return highest < entries ? 0 : -EBADMSG;
}

static int unpack_runs(const uint8_t *at, const uint8_t *end, uint64_t *values, uint32_t count)
{
	uint32_t filled = 0;

	while (filled < count) {
		uint64_t value, run;
		unsigned int used = get_varint(at, end, &value);

		if (!used)
			return -EBADMSG;
		at += used;
		used = get_varint(at, end, &run);
		if (!used || !run || run > count - filled)
			return -EBADMSG;
		at += used;
		for (uint32_t last = filled + (uint32_t)run; filled < last; filled++)
			values[filled] = value;
	}
	return at == end ? 0 : -EBADMSG;
}

int coding_unpack(unsigned int coding, const uint8_t *at, size_t bytes, uint64_t *values,
		  uint32_t count)
{
	const uint8_t *end = at + bytes;

	switch (coding) {
	case CODING_CONSTANT:
		return unpack_constant(at, end, values, count);
	case CODING_VARINT:
		return unpack_varint(at, end, values, count);
	case CODING_PLANES:
		return unpack_planes(at, end, values, count);
	case CODING_DICTIONARY:
		return unpack_dictionary(at, end, values, count);
	case CODING_RUNS:
		return unpack_runs(at, end, values, count);
	default:
		return -EBADMSG;
	}
}
