// SPDX-License-Identifier: MIT
#include "workload/row_order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/reorder_window.h"

_Static_assert(!offsetof(struct io_row, created_ns) && !offsetof(struct access_row, time_ns),
	       "a row begins with its time");

struct row_order {
	struct reorder_window *window;
	enum row_kind kind;
	size_t row_bytes;
	uint64_t last_ns;
	uint64_t late_rows;
};

int row_order__create(enum row_kind kind, struct row_order **order)
{
	struct row_order *o = calloc(1, sizeof(*o));
	int err;

	if (!o)
		return -ENOMEM;
	o->kind = kind;
	o->row_bytes = kind == ROW_IO ? sizeof(struct io_row) : sizeof(struct access_row);
	err = reorder_window__create(ROW_ORDER_WINDOW, o->row_bytes, &o->window);
	if (err) {
		free(o);
		return err;
	}
	*order = o;
	return 0;
}

void row_order__free(struct row_order *o)
{
	if (!o)
		return;
	reorder_window__free(o->window);
	free(o);
}

static uint64_t time_of(const void *row)
{
	return *(const uint64_t *)row;
}

static uint64_t turn_of(const struct row_order *o, const void *row)
{
	return o->kind == ROW_IO ? io_row_turn(row) : 0;
}

static void give(struct row_order *o, const void *row, void *out)
{
	memcpy(out, row, o->row_bytes);
	if (time_of(out) < o->last_ns) {
		o->late_rows++;
		memcpy(out, &o->last_ns, sizeof(o->last_ns));
	}
	o->last_ns = time_of(out);
}

int row_order__push(struct row_order *o, const void *row, void *out)
{
	bool full = reorder_window__full(o->window);
	uint64_t first_ns;

	if (full) {
		reorder_window__first(o->window, &first_ns);
		if (time_of(row) < first_ns) {
			give(o, row, out);
			return 1;
		}
		give(o, reorder_window__pop(o->window), out);
	}
	memcpy(reorder_window__push(o->window, time_of(row), turn_of(o, row)), row, o->row_bytes);
	return full;
}

int row_order__drain(struct row_order *o, void *out)
{
	const void *row = reorder_window__pop(o->window);

	if (!row)
		return 0;
	give(o, row, out);
	return 1;
}

uint64_t row_order__late_rows(const struct row_order *o)
{
	return o->late_rows;
}
