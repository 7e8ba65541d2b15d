// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/bytes.h"
#include "trace/columns/columns.h"
#include "trace/columns/work.h"

/* Errors are small and of either sign. Zigzag encoding makes small unsigned numbers of them. */
static void errors_to_numbers(uint64_t *values, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		values[i] = zigzag((uint64_t)(int64_t)(int32_t)(uint32_t)values[i]);
}

/* One column on its way to bytes: the best transform and coding found so far. */
struct candidate {
	enum transform transform;
	struct transform_head head;
	unsigned int slot; /* of coded[] and plan[] */
	uint32_t cost;	   /* as in struct coding_plan */
};

static uint32_t head_bytes(enum transform transform, const struct transform_head *head)
{
	return varint_bytes(head->scale) +
	       (transform_has_base(transform) ? varint_bytes(head->base) : 0);
}

static void try_transform(struct columns *c, struct candidate *best, enum transform transform,
			  const struct transform_inputs *in, const uint64_t *values, uint32_t count)
{
	struct candidate next = {.transform = transform, .slot = !best->slot};

	if (transform_apply(transform, in, values, count, c->coded[next.slot], &next.head))
		return;
	coding_plan(&c->plan[next.slot], c->coded[next.slot], count);
	next.cost = head_bytes(transform, &next.head) + c->plan[next.slot].cost;
	if (next.cost < best->cost)
		*best = next;
}

static void try_places(struct columns *c, struct candidate *best, const struct transform_inputs *in,
		       const uint64_t *values, uint32_t count)
{
	struct candidate next = {.transform = TRANSFORM_PLACES, .slot = !best->slot};
	uint64_t *fresh = c->coded[next.slot];

	if (!c->places)
		c->places = places__new();
	if (!c->places)
		return;
	next.head.base = values[0];
	c->fresh = places__find(c->places, in->rows, values, count, next.head.base, c->back, fresh);
	if (c->fresh == count)
		return;
	next.head.scale = transform_scale(fresh, c->fresh);
	coding_plan_varint(&c->back_plan, c->back, count);
	next.cost = head_bytes(TRANSFORM_PLACES, &next.head) + VARINT_MAX_BYTES + c->back_plan.cost;
	if (c->fresh) {
		coding_plan(&c->plan[next.slot], fresh, c->fresh);
		next.cost += c->plan[next.slot].cost;
	}
	if (next.cost < best->cost)
		*best = next;
}

static bool any_zero(const uint64_t *values, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!values[i])
			return true;
	return false;
}

/* A field that is the same in all rows separates no rows: its transform is not tried. */
static void choose_sector(struct columns *c, struct candidate *best,
			  const struct transform_inputs *in, const uint64_t *values, uint32_t count)
{
	const struct column_table *table = column_table(ROW_IO);

	try_transform(c, best, TRANSFORM_AFTER_DEVICE, in, values, count);
	if (!columns__is_constant(c, table, offsetof(struct io_row, op)))
		try_transform(c, best, TRANSFORM_AFTER_OP, in, values, count);
	if (!columns__is_constant(c, table, offsetof(struct io_row, task)))
		try_transform(c, best, TRANSFORM_AFTER_TASK, in, values, count);
	try_transform(c, best, TRANSFORM_DELTA, in, values, count);
	try_places(c, best, in, values, count);
}

static struct candidate choose_anew(struct columns *c, const struct column_definition *def,
				    const struct transform_inputs *in, const uint64_t *values,
				    uint32_t count)
{
	struct candidate best = {.cost = UINT32_MAX};

	switch ((enum column_role)def->role) {
	case ROLE_TIME:
		if (any_zero(values, count)) {
			try_transform(c, &best, TRANSFORM_DELTA_SEEN, in, values, count);
		} else {
			try_transform(c, &best, TRANSFORM_RISING, in, values, count);
			try_transform(c, &best, TRANSFORM_DELTA, in, values, count);
		}
		break;
	case ROLE_SINCE:
		try_transform(c, &best,
			      any_zero(values, count) ? TRANSFORM_SINCE_SEEN : TRANSFORM_SINCE, in,
			      values, count);
		break;
	case ROLE_SECTOR:
		choose_sector(c, &best, in, values, count);
		break;
	case ROLE_VALUE:
	case ROLE_ERROR:
		break;
	}
	if (best.cost > count)
		try_transform(c, &best, TRANSFORM_PLAIN, in, values, count);
	if (best.cost > count + count / 2 && def->role == ROLE_VALUE)
		try_transform(c, &best, TRANSFORM_DELTA, in, values, count);
	return best;
}

/* Few rows predict little about the rows that follow. */
#define REUSE_ROWS_MIN	 1024u
#define REUSE_BLOCKS	 15u
#define REUSE_DEARER_MAX 32u /* dearer by at most 1 / 32 */

static uint64_t bytes_per_64k(uint32_t cost, uint32_t count)
{
	return ((uint64_t)cost << 16) / count;
}

/* Reuses the choice of an earlier block if its cost has not risen. */
static bool choose_again(struct columns *c, struct column_choice *past, struct candidate *chosen,
			 const struct transform_inputs *in, const uint64_t *values, uint32_t count)
{
	struct candidate next = {.transform = past->transform};
	struct coding_plan *plan = &c->plan[0];

	if (!past->left)
		return false;
	past->left--;
	if (transform_apply(next.transform, in, values, count, c->coded[0], &next.head) ||
	    !coding_plan_as(plan, past->coding, c->coded[0], count))
		return false;
	next.cost = head_bytes(next.transform, &next.head) + plan->cost;
	if (bytes_per_64k(next.cost, count) > past->bytes + past->bytes / REUSE_DEARER_MAX)
		return false;
	*chosen = next;
	return true;
}

static void note_choice(const struct columns *c, struct column_choice *choice,
			const struct candidate *chosen, uint32_t count)
{
	choice->transform = (uint8_t)chosen->transform;
	choice->coding = (uint8_t)c->plan[chosen->slot].coding;
	choice->bytes = bytes_per_64k(chosen->cost, count);
	choice->left = chosen->transform == TRANSFORM_PLACES ? 0 : REUSE_BLOCKS;
}

/* `choice`: that of an earlier block, or NULL. */
static struct candidate choose(struct columns *c, const struct column_definition *def,
			       struct column_choice *choice, const struct transform_inputs *in,
			       const uint64_t *values, uint32_t count)
{
	struct candidate best = {.cost = UINT32_MAX};

	if (count == 1 && !column_is_time(def)) {
		try_transform(c, &best, TRANSFORM_PLAIN, in, values, 1);
		return best;
	}
	if (!choice || count < REUSE_ROWS_MIN)
		return choose_anew(c, def, in, values, count);
	if (choose_again(c, choice, &best, in, values, count))
		return best;
	best = choose_anew(c, def, in, values, count);
	note_choice(c, choice, &best, count);
	return best;
}

/*
 * A compressor does better when it starts a new part where bytes of another kind follow. Parts that
 * are too short stay with the part before them.
 */
#define PART_BYTES_MIN 512u

static void cut(struct payload_cuts *cuts, size_t at)
{
	size_t last = cuts->count ? cuts->at[cuts->count - 1] : 0;

	if (at - last >= PART_BYTES_MIN && cuts->count < PAYLOAD_CUTS_MAX)
		cuts->at[cuts->count++] = (uint32_t)at;
}

/* Writes numbers; each of their planes is a part of its own. */
static uint8_t *put_numbers(const struct coding_plan *plan, const uint64_t *numbers, uint32_t count,
			    uint8_t *payload, uint8_t *at, struct payload_cuts *cuts)
{
	uint8_t *end = coding_pack(plan, numbers, count, at);

	for (unsigned int plane = plan->width_bytes; plan->coding == CODING_PLANES && plane;
	     plane--)
		cut(cuts, (size_t)(end - payload) - (size_t)plane * count);
	cut(cuts, (size_t)(end - payload));
	return end;
}

static uint8_t *put_column(struct columns *c, const struct candidate *chosen, uint32_t count,
			   uint8_t *payload, uint8_t *at, struct payload_cuts *cuts)
{
	const struct coding_plan *plan = &c->plan[chosen->slot];
	const uint64_t *numbers = c->coded[chosen->slot];

	at += put_varint(at, chosen->head.scale);
	if (transform_has_base(chosen->transform))
		at += put_varint(at, chosen->head.base);
	if (chosen->transform != TRANSFORM_PLACES)
		return put_numbers(plan, numbers, count, payload, at, cuts);
	at += put_varint(at, c->back_plan.bytes);
	at = put_numbers(&c->back_plan, c->back, count, payload, at, cuts);
	if (!c->fresh)
		return at;
	*at++ = (uint8_t)plan->coding;
	return put_numbers(plan, numbers, c->fresh, payload, at, cuts);
}

static uint8_t coding_of(const struct columns *c, const struct candidate *chosen)
{
	if (chosen->transform == TRANSFORM_PLACES)
		return (uint8_t)c->back_plan.coding;
	return (uint8_t)c->plan[chosen->slot].coding;
}

/* Appends one column at `at` and fills its directory entry. Returns the new end. */
static uint8_t *encode_column(struct columns *c, const struct column_definition *def,
			      struct column_choice *choice, const struct transform_inputs *in,
			      const uint64_t *values, uint32_t count, uint8_t *payload, uint8_t *at,
			      uint8_t *entry, struct payload_cuts *cuts)
{
	struct candidate chosen = choose(c, def, choice, in, values, count);
	uint8_t *end = put_column(c, &chosen, count, payload, at, cuts);

	entry[0] = def->id;
	entry[1] = (uint8_t)chosen.transform;
	entry[2] = coding_of(c, &chosen);
	entry[3] = 0;
	put_le32(entry + 4, (uint32_t)(end - at));
	return end;
}

/* Moves the columns over the unused directory entries. */
static size_t close_gap(uint8_t *payload, uint8_t *entries_end, uint8_t *first, const uint8_t *end,
			struct payload_cuts *cuts)
{
	uint32_t gap = (uint32_t)(first - entries_end);

	memmove(entries_end, first, (size_t)(end - first));
	for (unsigned int i = 0; i < cuts->count; i++)
		cuts->at[i] -= gap;
	return (size_t)(end - payload) - gap;
}

size_t columns__encode(struct columns *c, enum row_kind kind, const void *rows, uint32_t count,
		       uint64_t unit, uint8_t *payload, struct payload_cuts *cuts)
{
	const struct column_table *table = column_table(kind);
	uint8_t *entry = payload + DIRECTORY_HEAD_BYTES;
	uint8_t *first = entry + table->count * DIRECTORY_ENTRY_BYTES, *at = first;
	bool reuses = c->reuses_choices && kind == ROW_IO;

	cuts->count = 0;
	columns__from_rows(c, table, rows, count);
	for (unsigned int i = 0; i < table->count; i++) {
		const struct column_definition *def = &table->columns[i];
		bool is_time = column_is_time(def), is_constant = c->constant >> i & 1;
		struct transform_inputs in = {.rows = rows, .unit = is_time ? unit : 0};
		uint32_t values = is_constant && !is_time ? 1 : count;

		if (is_constant && !c->column[i][0])
			continue;
		if (def->role == ROLE_ERROR)
			errors_to_numbers(c->column[i], values);
		if (def->role == ROLE_SINCE)
			in.since = columns__since(c, table, def, count);
		at = encode_column(c, def, reuses ? &c->choices[i] : NULL, &in, c->column[i],
				   values, payload, at, entry, cuts);
		entry += DIRECTORY_ENTRY_BYTES;
	}
	put_le16(payload, (uint16_t)((size_t)(entry - payload) / DIRECTORY_ENTRY_BYTES));
	put_le16(payload + 2, 0);
	return close_gap(payload, entry, first, at, cuts);
}
