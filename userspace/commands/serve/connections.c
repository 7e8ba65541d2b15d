// SPDX-License-Identifier: MIT
#include "commands/serve/connections.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/units.h"

#define LOOK_MS	    100
#define INPUT_BYTES 65536 /* that are read before they are looked at */

struct connection {
	struct connection *next;
	struct bufferevent
		*buffers; /* a reference: they and the socket outlive libevent's connection */
	uint64_t end_ns;
};

struct connections {
	struct event_base *base;
	struct event *look;
	struct connection *list;
	uint64_t deadline_ns;
};

/* libevent takes its functions away when it frees the connection. */
static bool is_open(const struct connection *connection)
{
	bufferevent_event_cb call = NULL;

	bufferevent_getcb(connection->buffers, NULL, NULL, &call, NULL);
	return call;
}

static void release(struct connection *connection)
{
	bufferevent_decref(connection->buffers);
	free(connection);
}

/* libevent then finds an end or an error, and frees the connection. */
static void end(const struct connection *connection)
{
	shutdown(bufferevent_getfd(connection->buffers), SHUT_RDWR);
}

static void look_later(struct connections *c)
{
	const struct timeval later = {.tv_usec = LOOK_MS * 1000};

	event_add(c->look, &later);
}

static void look(evutil_socket_t fd, short what, void *context)
{
	struct connections *c = context;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	for (struct connection **at = &c->list; *at;) {
		struct connection *connection = *at;

		if (!is_open(connection)) {
			*at = connection->next;
			release(connection);
			continue;
		}
		if (now_ns >= connection->end_ns)
			end(connection);
		at = &connection->next;
	}
	if (c->list)
		look_later(c);
}

int connections__create(struct event_base *base, unsigned int deadline_s,
			struct connections **connections)
{
	struct connections *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->base = base;
	c->deadline_ns = deadline_s * NSEC_PER_SEC;
	c->look = evtimer_new(base, look, c);
	if (!c->look) {
		connections__free(c);
		return -ENOMEM;
	}
	*connections = c;
	return 0;
}

void connections__free(struct connections *c)
{
	if (!c)
		return;
	while (c->list) {
		struct connection *connection = c->list;

		c->list = connection->next;
		release(connection);
	}
	if (c->look)
		event_free(c->look);
	free(c);
}

struct bufferevent *connections__add(struct connections *c)
{
	struct connection *connection = calloc(1, sizeof(*connection));

	if (!connection)
		return NULL;
	/* The number of the socket is not used again before they are released. */
	connection->buffers = bufferevent_socket_new(c->base, -1, BEV_OPT_CLOSE_ON_FREE);
	if (!connection->buffers) {
		free(connection);
		return NULL;
	}
	bufferevent_incref(connection->buffers);
	bufferevent_setwatermark(connection->buffers, EV_READ, 0, INPUT_BYTES);
	connection->end_ns = clock_ns(CLOCK_MONOTONIC) + c->deadline_ns;
	connection->next = c->list;
	c->list = connection;
	if (!evtimer_pending(c->look, NULL))
		look_later(c);
	return connection->buffers;
}

void connections__renew(struct connections *c, const struct bufferevent *buffers)
{
	for (struct connection *connection = c->list; connection; connection = connection->next)
		if (connection->buffers == buffers)
			connection->end_ns = clock_ns(CLOCK_MONOTONIC) + c->deadline_ns;
}
