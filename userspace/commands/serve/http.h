/* SPDX-License-Identifier: MIT */
/* Answers GET /metrics over HTTP on listening sockets, in the loop of libevent. */
#ifndef BLKREEL_COMMANDS_SERVE_HTTP_H
#define BLKREEL_COMMANDS_SERVE_HTTP_H

#include <event2/event.h>

#include "render/metrics/exposition.h"

struct http_server;

/* Writes the metrics by exposition's sink. 0 or negative errno. */
typedef int (*http_metrics)(enum exposition_format format,
			    int (*sink)(const char *text, size_t bytes, void *context),
			    void *sink_context, void *context);

struct http_options {
	http_metrics metrics;
	void *context;
	const char *listen;	 /* HOST:PORT, whose HOST clients may name; NULL: none */
	unsigned int deadline_s; /* for a request and its answer */
};

/* 0 or -ENOMEM. */
int http_server__create(struct event_base *base, const struct http_options *options,
			struct http_server **server);
void http_server__free(struct http_server *s); /* closes the sockets; NULL is allowed */

/* Answers on a listening socket, which belongs to the server then. 0 or -ENOMEM. */
int http_server__add(struct http_server *s, int fd);

#endif
