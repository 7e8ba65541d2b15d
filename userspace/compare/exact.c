// SPDX-License-Identifier: MIT
#include "compare/exact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "compare/overlap_order.h"
#include "base/ioprio.h"
#include "trace/file/writer.h"

#define LIST_MAX (1u << 31)

/* The fields in which two IOs must agree to be partners; the strictest set comes first. */
enum field {
	FIELD_OFFSET = 1u << 0,
	FIELD_LENGTH = 1u << 1,
	FIELD_OP = 1u << 2,
	FIELD_FUA = 1u << 3,
	FIELD_ATOMIC = 1u << 4,
	FIELD_PRIORITY = 1u << 5,
	FIELDS_ALL = (1u << 6) - 1,
};

static int append(struct exact_list *list, const struct exact_io *io)
{
	if (list->count == list->capacity) {
		uint32_t capacity = list->capacity ? 2 * list->capacity : 1024;
		struct exact_io *items;

		if (list->capacity >= LIST_MAX)
			return -EFBIG;
		items = realloc(list->items, capacity * sizeof(*items));
		if (!items)
			return -ENOMEM;
		list->items = items;
		list->capacity = capacity;
	}
	list->items[list->count] = *io;
	list->items[list->count].place = list->count;
	list->count++;
	return 0;
}

int exact_list__add(struct exact_list *list, const struct io_row *row)
{
	const struct exact_io flush = {.op = IO_OP_FLUSH};
	struct exact_io io = {.offset_bytes = row->sector * SECTOR_BYTES,
			      .length_bytes = row->bytes,
			      .op = row->op,
			      .fua = !!(row->flags & IO_FUA),
			      .atomic = !!(row->flags & IO_ATOMIC)};
	int err = 0;

	if (row->op == IO_OP_READ || row->op == IO_OP_WRITE)
		io.ioprio = ioprio_effective(row->ioprio);

	if (io_row_is_flush(row) || (row->flags & IO_PREFLUSH))
		err = append(list, &flush);
	return err || io_row_is_flush(row) ? err : append(list, &io);
}

void exact_list__free(struct exact_list *list)
{
	free(list->items);
	*list = (struct exact_list){0};
}

/* Pairing ------------------------------------------------------------------------------------ */

static int by_number(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_fields(const struct exact_io *a, const struct exact_io *b, unsigned int fields)
{
	int order = fields & FIELD_OFFSET ? by_number(a->offset_bytes, b->offset_bytes) : 0;

	if (!order && (fields & FIELD_OP))
		order = by_number(a->op, b->op);
	if (!order && (fields & FIELD_LENGTH))
		order = by_number(a->length_bytes, b->length_bytes);
	if (!order && (fields & FIELD_FUA))
		order = by_number(a->fua, b->fua);
	if (!order && (fields & FIELD_ATOMIC))
		order = by_number(a->atomic, b->atomic);
	if (!order && (fields & FIELD_PRIORITY))
		order = by_number(a->ioprio, b->ioprio);
	return order;
}

static int by_fields_and_place(const void *a, const void *b, void *context)
{
	const struct exact_io *first = a, *second = b;
	int order = compare_fields(first, second, *(const unsigned int *)context);

	return order ? order : by_number(first->place, second->place);
}

static int by_place(const void *a, const void *b)
{
	const struct exact_io *first = a, *second = b;

	return by_number(first->place, second->place);
}

static void note(struct exact_differences *d, enum exact_kind kind, const struct exact_io *a,
		 const struct exact_io *b)
{
	d->counts[kind]++;
	if (d->example_count == EXACT_EXAMPLES)
		return;
	d->examples[d->example_count++] =
		(struct exact_example){.kind = kind,
				       .a = a ? *a : (struct exact_io){0},
				       .b = b ? *b : (struct exact_io){0}};
}

/*
 * Removes the IOs that agree in `fields` from both lists: the first of A with the first of B, and
 * so on. The rest stays, without gaps. Unless `pairs` is NULL, pairs[place in B] is set to the
 * place in A. Each pair counts as a difference of `kind`, unless `kind` is EXACT_KINDS.
 */
static void take_pairs(struct exact_list *a, struct exact_list *b, unsigned int fields,
		       uint32_t *pairs, enum exact_kind kind, struct exact_differences *d)
{
	uint32_t i = 0, j = 0, kept_a = 0, kept_b = 0;

	if (!a->count || !b->count)
		return;
	qsort_r(a->items, a->count, sizeof(a->items[0]), by_fields_and_place, &fields);
	qsort_r(b->items, b->count, sizeof(b->items[0]), by_fields_and_place, &fields);
	while (i < a->count && j < b->count) {
		int order = compare_fields(&a->items[i], &b->items[j], fields);

		if (order < 0) {
			a->items[kept_a++] = a->items[i++];
		} else if (order > 0) {
			b->items[kept_b++] = b->items[j++];
		} else {
			if (pairs)
				pairs[b->items[j].place] = a->items[i].place;
			if (kind != EXACT_KINDS)
				note(d, kind, &a->items[i], &b->items[j]);
			i++;
			j++;
		}
	}
	while (i < a->count)
		a->items[kept_a++] = a->items[i++];
	while (j < b->count)
		b->items[kept_b++] = b->items[j++];
	a->count = kept_a;
	b->count = kept_b;
}

static void note_rest(struct exact_list *list, enum exact_kind kind, struct exact_differences *d)
{
	if (list->count)
		qsort(list->items, list->count, sizeof(list->items[0]), by_place);
	for (uint32_t i = 0; i < list->count; i++)
		note(d, kind, kind == EXACT_MISSING ? &list->items[i] : NULL,
		     kind == EXACT_ADDED ? &list->items[i] : NULL);
}

/* Order -------------------------------------------------------------------------------------- */

/* `b`: all of B by place; pairs as in take_pairs(), UINT32_MAX for none. */
static int compare_order(const struct exact_io *b, uint32_t count, const uint32_t *pairs,
			 struct exact_differences *d)
{
	struct overlap_order *order;
	int err = overlap_order__create(&order);

	for (uint32_t i = 0; !err && i < count; i++)
		if (pairs[i] != UINT32_MAX && b[i].length_bytes)
			err = overlap_order__reserve(order, b[i].offset_bytes, b[i].length_bytes);
	if (!err)
		err = overlap_order__begin(order);
	for (uint32_t i = 0; !err && i < count; i++)
		if (pairs[i] != UINT32_MAX && b[i].length_bytes &&
		    overlap_order__add(order, b[i].offset_bytes, b[i].length_bytes, pairs[i]))
			note(d, EXACT_ORDER, &b[i], &b[i]);
	overlap_order__free(order);
	return err;
}

int exact_compare(struct exact_list *a, struct exact_list *b, struct exact_differences *d)
{
	uint32_t b_count = b->count, *pairs;
	struct exact_io *all_of_b;
	int err = -ENOMEM;

	*d = (struct exact_differences){.a_ios = a->count, .b_ios = b->count};
	pairs = malloc((b_count + 1ull) * sizeof(*pairs));
	all_of_b = malloc((b_count + 1ull) * sizeof(*all_of_b));
	if (!pairs || !all_of_b)
		goto out;
	memset(pairs, 0xff, (b_count + 1ull) * sizeof(*pairs));
	if (b_count)
		memcpy(all_of_b, b->items, b_count * sizeof(*all_of_b));
	take_pairs(a, b, FIELDS_ALL, pairs, EXACT_KINDS, d);
	take_pairs(a, b, FIELDS_ALL & ~FIELD_PRIORITY, pairs, EXACT_PRIORITY, d);
	take_pairs(a, b, FIELD_OFFSET | FIELD_LENGTH | FIELD_OP, NULL, EXACT_FLAGS, d);
	take_pairs(a, b, FIELD_OFFSET | FIELD_OP | FIELD_FUA | FIELD_ATOMIC, NULL, EXACT_SIZE, d);
	take_pairs(a, b, FIELD_OFFSET | FIELD_LENGTH, NULL, EXACT_OP, d);
	note_rest(a, EXACT_MISSING, d);
	note_rest(b, EXACT_ADDED, d);
	err = compare_order(all_of_b, b_count, pairs, d);
out:
	free(pairs);
	free(all_of_b);
	return err;
}

uint64_t exact_differences__total(const struct exact_differences *d)
{
	uint64_t total = 0;

	for (unsigned int kind = 0; kind < EXACT_KINDS; kind++)
		total += d->counts[kind];
	return total;
}

const char *exact_kind_name(enum exact_kind kind)
{
	static const char *const names[EXACT_KINDS] = {
		[EXACT_OP] = "op",	[EXACT_FLAGS] = "flags", [EXACT_PRIORITY] = "priority",
		[EXACT_SIZE] = "size",	[EXACT_ORDER] = "order", [EXACT_MISSING] = "missing",
		[EXACT_ADDED] = "added"};

	return names[kind];
}
