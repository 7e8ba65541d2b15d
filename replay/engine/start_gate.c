// SPDX-License-Identifier: MIT
#include "replay/engine/start_gate.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/units.h"

struct start_gate {
	pthread_mutex_t mutex;
	pthread_cond_t opened;
	unsigned int expected; /* engines that have not arrived yet */
	uint64_t latest_ns;
	bool open;
};

int start_gate__create(unsigned int expected, struct start_gate **gate)
{
	*gate = calloc(1, sizeof(**gate));
	if (!*gate)
		return -ENOMEM;
	(*gate)->expected = expected;
	pthread_mutex_init(&(*gate)->mutex, NULL);
	pthread_cond_init(&(*gate)->opened, NULL);
	return 0;
}

void start_gate__free(struct start_gate *g)
{
	if (!g)
		return;
	pthread_mutex_destroy(&g->mutex);
	pthread_cond_destroy(&g->opened);
	free(g);
}

static void one_less(struct start_gate *g)
{
	if (g->open || --g->expected)
		return;
	g->open = true;
	pthread_cond_broadcast(&g->opened);
}

uint64_t start_gate__arrive(struct start_gate *g, uint64_t now_ns)
{
	uint64_t start_ns;

	pthread_mutex_lock(&g->mutex);
	if (!g->open && now_ns > g->latest_ns)
		g->latest_ns = now_ns;
	one_less(g);
	while (!g->open)
		pthread_cond_wait(&g->opened, &g->mutex);
	start_ns = g->latest_ns + START_GATE_LEAD_NS;
	pthread_mutex_unlock(&g->mutex);
	return start_ns;
}

void start_gate__leave(struct start_gate *g)
{
	pthread_mutex_lock(&g->mutex);
	one_less(g);
	pthread_mutex_unlock(&g->mutex);
}

int start_gate_by_day(uint64_t start_wall_ns, uint64_t *start_ns, char *message, size_t bytes)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC), wall_ns = clock_ns(CLOCK_REALTIME);
	char late[UNITS_TEXT_MAX];

	if (!start_wall_ns)
		return 0;
	if (wall_ns > start_wall_ns) {
		snprintf(message, bytes, "the time to start was missed by %s",
			 units_time(wall_ns - start_wall_ns, late));
		return -ETIME;
	}
	*start_ns = now_ns + start_wall_ns - wall_ns;
	return 0;
}
