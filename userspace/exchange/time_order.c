// SPDX-License-Identifier: MIT
#include "exchange/time_order.h"

#include <stdlib.h>

#include "base/reorder_window.h"
#include "exchange/foreign_output.h"

struct time_order {
	struct reorder_window *window;
	uint64_t newest_ns;
	uint64_t disordered, disorder_ns;
};

struct time_order *time_order__new(void)
{
	struct time_order *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	if (reorder_window__create(TIME_ORDER_ROWS, sizeof(struct io_row), &t->window)) {
		free(t);
		return NULL;
	}
	return t;
}

void time_order__free(struct time_order *t)
{
	if (!t)
		return;
	reorder_window__free(t->window);
	free(t);
}

bool time_order__full(const struct time_order *t)
{
	return reorder_window__full(t->window);
}

void time_order__push(struct time_order *t, const struct io_row *row, uint64_t turn)
{
	uint64_t time_ns = foreign_row_time_ns(row);
	struct io_row *place = reorder_window__push(t->window, time_ns, turn);

	*place = *row;
	if (time_ns >= t->newest_ns) {
		t->newest_ns = time_ns;
		return;
	}
	t->disordered++;
	if (t->newest_ns - time_ns > t->disorder_ns)
		t->disorder_ns = t->newest_ns - time_ns;
}

const struct io_row *time_order__pop(struct time_order *t)
{
	return reorder_window__pop(t->window);
}

uint64_t time_order__disordered(const struct time_order *t)
{
	return t->disordered;
}

uint64_t time_order__disorder_ns(const struct time_order *t)
{
	return t->disorder_ns;
}
