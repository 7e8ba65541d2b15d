#include "collector/io_order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_MAX 32768u

struct position {
	uint64_t completed_ns;
	uint32_t index;
};

struct io_order {
	uint32_t count;
	struct io_event events[EVENTS_MAX];
	struct io_event later[EVENTS_MAX];
	struct position positions[EVENTS_MAX];
};

int io_order__create(struct io_order **order)
{
	*order = malloc(sizeof(**order));
	if (!*order)
		return -ENOMEM;
	(*order)->count = 0;
	return 0;
}

void io_order__free(struct io_order *order)
{
	free(order);
}

int io_order__add(struct io_order *order, const struct io_event *event)
{
	struct position *position = &order->positions[order->count];

	position->completed_ns = event->completed_ns;
	position->index = order->count;
	order->events[order->count++] = *event;
	return order->count == EVENTS_MAX;
}

static int by_completion(const void *a, const void *b)
{
	const struct position *x = a, *y = b;

	if (x->completed_ns != y->completed_ns)
		return x->completed_ns < y->completed_ns ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

int io_order__release(struct io_order *order, uint64_t until_ns,
		      int (*each)(const struct io_event *event, void *context), void *context)
{
	uint32_t given = 0, left;
	int err = 0;

	qsort(order->positions, order->count, sizeof(order->positions[0]), by_completion);
	while (given < order->count && order->positions[given].completed_ns <= until_ns && !err)
		err = each(&order->events[order->positions[given++].index], context);
	left = order->count - given;
	for (uint32_t i = 0; i < left; i++)
		order->later[i] = order->events[order->positions[given + i].index];
	memcpy(order->events, order->later, left * sizeof(order->events[0]));
	for (uint32_t i = 0; i < left; i++)
		order->positions[i] = (struct position){order->events[i].completed_ns, i};
	order->count = left;
	return err;
}

void io_order__each_held(const struct io_order *order,
			 int (*each)(const struct io_event *event, void *context), void *context)
{
	for (uint32_t i = 0; i < order->count; i++)
		each(&order->events[i], context);
}
