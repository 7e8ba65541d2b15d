// SPDX-License-Identifier: MIT
#include "collector/rows/held_waits.h"

#include <errno.h>
#include <stdlib.h>

#define EVENTS_FIRST 1024u

int held_waits__add(struct held_waits *h, const struct wait_event *event)
{
	if (h->count == h->size) {
		size_t size = h->size ? 2 * h->size : EVENTS_FIRST;
		struct wait_event *events = realloc(h->events, size * sizeof(*events));

		if (!events)
			return -ENOMEM;
		h->events = events;
		h->size = size;
	}
	h->events[h->count++] = *event;
	return 0;
}

int held_waits__release(struct held_waits *h, uint64_t until_ns,
			int (*each)(const struct wait_event *event, void *context), void *context)
{
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < h->count; i++) {
		if (!err && h->events[i].end_ns <= until_ns)
			err = each(&h->events[i], context);
		else
			h->events[kept++] = h->events[i];
	}
	h->count = kept;
	return err;
}

void held_waits__free(struct held_waits *h)
{
	free(h->events);
	*h = (struct held_waits){0};
}
