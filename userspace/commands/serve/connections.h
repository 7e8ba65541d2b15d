/* SPDX-License-Identifier: MIT */
/*
 * The connections of an HTTP server. Each ends at a deadline, however slowly its client sends or
 * reads.
 */
#ifndef BLKREEL_COMMANDS_SERVE_CONNECTIONS_H
#define BLKREEL_COMMANDS_SERVE_CONNECTIONS_H

#include <event2/bufferevent.h>
#include <event2/event.h>

struct connections;

/* 0 or -ENOMEM. */
int connections__create(struct event_base *base, unsigned int deadline_s,
			struct connections **connections);
void connections__free(struct connections *c); /* NULL is allowed */

/* The buffers of a new connection, for libevent; NULL: out of memory. */
struct bufferevent *connections__add(struct connections *c);

/* Its client has the whole answer: the deadline starts again. */
void connections__renew(struct connections *c, const struct bufferevent *buffers);

#endif
