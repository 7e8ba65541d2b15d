// SPDX-License-Identifier: MIT
#include <errno.h>

#include "base/bytes.h"
#include "trace/columns/transform.h"

bool transform_has_base(unsigned int transform)
{
	return transform == TRANSFORM_DELTA || transform == TRANSFORM_DELTA_SEEN ||
	       transform == TRANSFORM_RISING || transform >= TRANSFORM_AFTER_DEVICE;
}

static bool keeps_zero(unsigned int transform)
{
	return transform == TRANSFORM_DELTA_SEEN || transform == TRANSFORM_SINCE_SEEN;
}

static bool is_unsigned(unsigned int transform)
{
	return transform == TRANSFORM_PLAIN || transform == TRANSFORM_RISING;
}

static unsigned int context_of(unsigned int transform, const struct io_row *row)
{
	switch (transform) {
	case TRANSFORM_AFTER_OP:
		return (row->device * 16 + row->op) % TRANSFORM_CONTEXTS;
	case TRANSFORM_AFTER_TASK:
		return (row->device * 16 + row->task) % TRANSFORM_CONTEXTS;
	default:
		return row->device % TRANSFORM_CONTEXTS;
	}
}

static void predict_after(enum transform transform, const struct io_row *rows,
			  const uint64_t *sectors, uint32_t count, uint64_t *differences)
{
	uint64_t ends[TRANSFORM_CONTEXTS];

	for (unsigned int i = 0; i < TRANSFORM_CONTEXTS; i++)
		ends[i] = sectors[0];
	for (uint32_t i = 0; i < count; i++) {
		unsigned int context = context_of(transform, &rows[i]);

		differences[i] = sectors[i] - ends[context];
		ends[context] = sectors[i] + rows[i].bytes / 512;
	}
}

static void undo_after(unsigned int transform, const struct io_row *rows, uint64_t *sectors,
		       uint32_t count, uint64_t base)
{
	uint64_t ends[TRANSFORM_CONTEXTS];

	for (unsigned int i = 0; i < TRANSFORM_CONTEXTS; i++)
		ends[i] = base;
	for (uint32_t i = 0; i < count; i++) {
		unsigned int context = context_of(transform, &rows[i]);

		sectors[i] += ends[context];
		ends[context] = sectors[i] + rows[i].bytes / 512;
	}
}

/* The first value; for a transform that preserves 0, the first that is not 0. */
static uint64_t base_of(enum transform transform, const uint64_t *values, uint32_t count)
{
	uint32_t i = 0;

	while (transform == TRANSFORM_DELTA_SEEN && i + 1 < count && !values[i])
		i++;
	return values[i];
}

static void take_differences(enum transform transform, const struct transform_inputs *in,
			     const uint64_t *values, uint32_t count, uint64_t *differences)
{
	uint64_t previous = base_of(transform, values, count);

	switch (transform) {
	case TRANSFORM_DELTA:
	case TRANSFORM_RISING:
		differences[0] = 0;
		for (uint32_t i = 1; i < count; i++)
			differences[i] = values[i] - values[i - 1];
		break;
	case TRANSFORM_DELTA_SEEN:
		for (uint32_t i = 0; i < count; i++) {
			differences[i] = values[i] ? values[i] - previous : 0;
			previous = values[i] ? values[i] : previous;
		}
		break;
	case TRANSFORM_SINCE:
		for (uint32_t i = 0; i < count; i++)
			differences[i] = values[i] - in->since[i];
		break;
	case TRANSFORM_SINCE_SEEN:
		for (uint32_t i = 0; i < count; i++)
			differences[i] = values[i] ? values[i] - in->since[i] : 0;
		break;
	case TRANSFORM_AFTER_DEVICE:
	case TRANSFORM_AFTER_OP:
	case TRANSFORM_AFTER_TASK:
		predict_after(transform, in->rows, values, count, differences);
		break;
	default:
		for (uint32_t i = 0; i < count; i++)
			differences[i] = values[i];
	}
}

static bool all_divide(const uint64_t *differences, uint32_t count, uint64_t unit, bool with_sign)
{
	for (uint32_t i = 0; i < count; i++) {
		bool divides = with_sign ? !((int64_t)differences[i] % (int64_t)unit)
					 : !(differences[i] % unit);

		if (!divides)
			return false;
	}
	return true;
}

/*
 * `unit` if it divides all differences (times of a coarse resolution), else a unit that the source
 * of an import may have had, else the largest power of two.
 */
static uint64_t common_scale(const uint64_t *differences, uint32_t count, uint64_t unit,
			     bool with_sign)
{
	static const uint64_t usual_units[] = {1000000000, 1000000, 1000, 100};
	uint64_t bits = 0;

	if (unit > 1 && unit <= INT64_MAX && all_divide(differences, count, unit, with_sign))
		return unit;
	for (unsigned int i = 0; unit && i < sizeof(usual_units) / sizeof(usual_units[0]); i++)
		if (all_divide(differences, count, usual_units[i], with_sign))
			return usual_units[i];
	for (uint32_t i = 0; i < count; i++)
		bits |= differences[i];
	return bits ? 1ull << (__builtin_ctzll(bits) % 63) : 1;
}

static void divide(uint64_t *differences, uint32_t count, uint64_t scale, bool with_sign)
{
	unsigned int shift = (unsigned int)__builtin_ctzll(scale);

	if (scale == 1)
		return;
	if (scale == 1ull << shift && with_sign) {
		for (uint32_t i = 0; i < count; i++)
			differences[i] = (uint64_t)((int64_t)differences[i] >> shift);
	} else if (scale == 1ull << shift) {
		for (uint32_t i = 0; i < count; i++)
			differences[i] >>= shift;
	} else if (with_sign) {
		for (uint32_t i = 0; i < count; i++)
			differences[i] = (uint64_t)((int64_t)differences[i] / (int64_t)scale);
	} else {
		for (uint32_t i = 0; i < count; i++)
			differences[i] /= scale;
	}
}

uint64_t transform_scale(uint64_t *differences, uint32_t count)
{
	uint64_t scale = common_scale(differences, count, 0, true);

	divide(differences, count, scale, true);
	for (uint32_t i = 0; i < count; i++)
		differences[i] = zigzag(differences[i]);
	return scale;
}

void transform_unscale(uint64_t *numbers, uint32_t count, uint64_t scale)
{
	for (uint32_t i = 0; i < count; i++)
		numbers[i] = unzigzag(numbers[i]) * scale;
}

int transform_apply(enum transform transform, const struct transform_inputs *in,
		    const uint64_t *values, uint32_t count, uint64_t *coded,
		    struct transform_head *head)
{
	bool with_sign = !is_unsigned(transform);

	take_differences(transform, in, values, count, coded);
	head->base = base_of(transform, values, count);
	head->scale = common_scale(coded, count, in->unit, with_sign);
	divide(coded, count, head->scale, with_sign);
	if (!with_sign)
		return 0;
	for (uint32_t i = 0; i < count; i++)
		coded[i] = zigzag(coded[i]);
	if (!keeps_zero(transform))
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		if (coded[i] == UINT64_MAX)
			return -ERANGE;
		coded[i] = values[i] ? coded[i] + 1 : 0;
	}
	return 0;
}

/* Turns coded numbers into differences. For a transform that preserves 0, the caller handles 0. */
static void expand(unsigned int transform, uint64_t *values, uint32_t count, uint64_t scale)
{
	if (is_unsigned(transform)) {
		for (uint32_t i = 0; i < count && scale != 1; i++)
			values[i] *= scale;
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		values[i] = unzigzag(values[i]) * scale;
}

static void undo_delta(uint64_t *values, uint32_t count, uint64_t base)
{
	for (uint32_t i = 0; i < count; i++) {
		base += values[i];
		values[i] = base;
	}
}

static void undo_delta_seen(uint64_t *values, uint32_t count, const struct transform_head *head)
{
	uint64_t previous = head->base;

	for (uint32_t i = 0; i < count; i++) {
		if (!values[i])
			continue;
		previous += unzigzag(values[i] - 1) * head->scale;
		values[i] = previous;
	}
}

static void undo_since_seen(uint64_t *values, const uint64_t *since, uint32_t count, uint64_t scale)
{
	for (uint32_t i = 0; i < count; i++)
		values[i] = values[i] ? since[i] + unzigzag(values[i] - 1) * scale : 0;
}

int transform_undo(unsigned int transform, const struct transform_inputs *in, uint64_t *values,
		   uint32_t count, const struct transform_head *head)
{
	bool needs_since = transform == TRANSFORM_SINCE || transform == TRANSFORM_SINCE_SEEN;

	if (transform >= TRANSFORM_COUNT || (needs_since && !in->since) ||
	    (transform >= TRANSFORM_AFTER_DEVICE && !in->rows))
		return -EBADMSG;
	if (!keeps_zero(transform))
		expand(transform, values, count, head->scale);
	switch ((enum transform)transform) {
	case TRANSFORM_PLAIN:
	case TRANSFORM_COUNT:
		break;
	case TRANSFORM_DELTA:
	case TRANSFORM_RISING:
		undo_delta(values, count, head->base);
		break;
	case TRANSFORM_DELTA_SEEN:
		undo_delta_seen(values, count, head);
		break;
	case TRANSFORM_SINCE:
		for (uint32_t i = 0; i < count; i++)
			values[i] += in->since[i];
		break;
	case TRANSFORM_SINCE_SEEN:
		undo_since_seen(values, in->since, count, head->scale);
		break;
	case TRANSFORM_AFTER_DEVICE:
	case TRANSFORM_AFTER_OP:
	case TRANSFORM_AFTER_TASK:
		undo_after(transform, in->rows, values, count, head->base);
		break;
	case TRANSFORM_PLACES:
		return -EBADMSG;
	}
	return 0;
}
