// SPDX-License-Identifier: MIT
#include "workload/row_order.h"

#include <errno.h>
#include <stdlib.h>

#include "base/reorder_window.h"

struct row_order {
	struct reorder_window *window;
	uint64_t last_ns;
	uint64_t late_rows;
};

int row_order__create(struct row_order **order)
{
	struct row_order *o = calloc(1, sizeof(*o));
	int err;

	if (!o)
		return -ENOMEM;
	err = reorder_window__create(ROW_ORDER_WINDOW, sizeof(struct io_row), &o->window);
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

static void give(struct row_order *o, const struct io_row *row, struct io_row *out)
{
	*out = *row;
	if (out->created_ns < o->last_ns) {
		o->late_rows++;
		out->created_ns = o->last_ns;
	}
	o->last_ns = out->created_ns;
}

int row_order__push(struct row_order *o, const struct io_row *row, struct io_row *out)
{
	bool full = reorder_window__full(o->window);
	struct io_row *place;
	uint64_t first_ns;

	if (full) {
		reorder_window__first(o->window, &first_ns);
		if (row->created_ns < first_ns) {
			give(o, row, out);
			return 1;
		}
		give(o, reorder_window__pop(o->window), out);
	}
	place = reorder_window__push(o->window, row->created_ns);
	*place = *row;
	return full;
}

int row_order__drain(struct row_order *o, struct io_row *out)
{
	const struct io_row *row = reorder_window__pop(o->window);

	if (!row)
		return 0;
	give(o, row, out);
	return 1;
}

uint64_t row_order__late_rows(const struct row_order *o)
{
	return o->late_rows;
}
