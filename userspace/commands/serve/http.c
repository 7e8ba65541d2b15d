// SPDX-License-Identifier: MIT
#include "commands/serve/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>

#include "base/log.h"
#include "commands/serve/connections.h"

#define IDLE_S		10
#define HEADER_BYTES	16384
#define SOCKETS_MAX	20
#define DESCRIPTORS_MAX 256 /* connections end there, and files can still be opened */
#define RETRY_S		1
#define WRITE_BYTES	(1 << 20) /* of a call to the kernel; libevent's own is 16 KiB */
#define KEPT_BYTES	(12 << 20)
#define HTTP_FORBIDDEN	403 /* libevent has no name for it */
#define MAPPED_BYTES	(1 << 20)
#define UNSENT_MAX	4 /* answers, of 25 MB each with 1,000 control groups */

struct http_server {
	struct event_base *base;
	struct evhttp *http;
	struct event *retry;
	struct evconnlistener *listeners[SOCKETS_MAX];
	unsigned int listener_count;
	struct http_options options;
	struct connections *connections;
	unsigned int unsent; /* answers that are not sent yet */
};

/* Connections that wait are taken when others have ended. */
static void stop_listening(struct http_server *s)
{
	const struct timeval later = {.tv_sec = RETRY_S};

	for (unsigned int i = 0; i < s->listener_count; i++)
		evconnlistener_disable(s->listeners[i]);
	event_add(s->retry, &later);
}

static bool is_full(void)
{
	int lowest = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);

	if (lowest >= 0)
		close(lowest);
	return lowest < 0 || lowest >= DESCRIPTORS_MAX;
}

static void listen_again(evutil_socket_t fd, short what, void *context)
{
	struct http_server *s = context;

	if (is_full()) {
		stop_listening(s);
		return;
	}
	for (unsigned int i = 0; i < s->listener_count; i++)
		evconnlistener_enable(s->listeners[i]);
}

static void accept_failed(struct evconnlistener *listener, void *context)
{
	stop_listening(context);
}

/* Called for each connection; NULL: libevent makes its own buffers. */
static struct bufferevent *on_connection(struct event_base *base, void *context)
{
	struct http_server *s = context;

	if (is_full())
		stop_listening(s);
	return connections__add(s->connections);
}

static int add_text(const char *text, size_t bytes, void *context)
{
	return evbuffer_add(context, text, bytes) ? -ENOMEM : 0;
}

static void write_much_at_once(struct evhttp_request *request)
{
	struct evhttp_connection *connection = evhttp_request_get_connection(request);

	bufferevent_set_max_single_write(evhttp_connection_get_bufferevent(connection),
					 WRITE_BYTES);
}

static void set_header(struct evhttp_request *request, const char *name, const char *value)
{
	evhttp_add_header(evhttp_request_get_output_headers(request), name, value);
}

static bool is_address(const char *host)
{
	char text[INET6_ADDRSTRLEN];
	size_t length = strlen(host);
	struct in6_addr address;

	if (host[0] != '[')
		return inet_pton(AF_INET, host, &address) == 1;
	if (length < 3 || length - 2 >= sizeof(text) || host[length - 1] != ']')
		return false;
	memcpy(text, host + 1, length - 2);
	text[length - 2] = '\0';
	return inet_pton(AF_INET6, text, &address) == 1;
}

static bool is_listen_host(const char *listen, const char *host)
{
	size_t length = strlen(host);

	return listen && !strncasecmp(listen, host, length) && listen[length] == ':';
}

static bool is_loopback(struct evhttp_request *request)
{
	struct evhttp_connection *connection = evhttp_request_get_connection(request);
	struct sockaddr_storage own = {0};
	socklen_t length = sizeof(own);

	if (getsockname(bufferevent_getfd(evhttp_connection_get_bufferevent(connection)),
			(struct sockaddr *)&own, &length))
		return true;
	if (own.ss_family == AF_INET)
		return ntohl(((struct sockaddr_in *)&own)->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	return own.ss_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(&((struct sockaddr_in6 *)&own)->sin6_addr);
}

/*
 * A web page elsewhere can have its own name lead to 127.0.0.1, and read what the browser of this
 * machine gets there.
 */
static bool is_misled(const struct http_server *s, struct evhttp_request *request)
{
	const char *host = evhttp_request_get_host(request);

	return host && *host && is_loopback(request) && !is_address(host) &&
	       strcasecmp(host, "localhost") && !is_listen_host(s->options.listen, host);
}

/* The connection has ended before its client had all. */
static void answer_left(struct evhttp_connection *connection, void *context)
{
	struct evbuffer *output =
		bufferevent_get_output(evhttp_connection_get_bufferevent(connection));
	struct http_server *s = context;

	s->unsent--;
	evbuffer_drain(output, evbuffer_get_length(output));
}

static void answer_sent(struct evhttp_request *request, void *context)
{
	struct evhttp_connection *connection = evhttp_request_get_connection(request);
	struct http_server *s = context;

	s->unsent--;
	evhttp_connection_set_closecb(connection, NULL, NULL);
	connections__renew(s->connections, evhttp_connection_get_bufferevent(connection));
}

static void count_unsent(struct http_server *s, struct evhttp_request *request)
{
	s->unsent++;
	evhttp_connection_set_closecb(evhttp_request_get_connection(request), answer_left, s);
	evhttp_request_set_on_complete_cb(request, answer_sent, s);
}

static void send_metrics(struct http_server *s, struct evhttp_request *request)
{
	struct evkeyvalq *headers = evhttp_request_get_input_headers(request);
	const char *accept = evhttp_find_header(headers, "Accept");
	bool open = accept && strstr(accept, "application/openmetrics-text");
	struct evbuffer *body = evbuffer_new();
	int err = body ? 0 : -ENOMEM;

	if (!err)
		err = s->options.metrics(open ? EXPOSITION_OPENMETRICS : EXPOSITION_TEXT, add_text,
					 body, s->options.context);
	if (err) {
		pr_warn("cannot answer: %s", strerror(-err));
		evhttp_send_error(request, HTTP_INTERNAL, NULL);
	} else {
		set_header(request, "Content-Type",
			   open ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
				: "text/plain; version=0.0.4; charset=utf-8");
		write_much_at_once(request);
		count_unsent(s, request);
		evhttp_send_reply(request, HTTP_OK, NULL, body);
	}
	if (body)
		evbuffer_free(body);
}

static void answer_metrics(struct evhttp_request *request, void *context)
{
	struct http_server *s = context;

	if (is_misled(s, request))
		evhttp_send_error(request, HTTP_FORBIDDEN, "Host is no address of this machine");
	else if (s->unsent >= UNSENT_MAX)
		evhttp_send_error(request, HTTP_SERVUNAVAIL, NULL);
	else
		send_metrics(s, request);
}

static void answer_root(struct evhttp_request *request, void *context)
{
	struct evbuffer *body = evbuffer_new();

	set_header(request, "Content-Type", "text/plain; charset=utf-8");
	if (body)
		evbuffer_add_printf(body, "blkreel: the metrics are at /metrics\n");
	evhttp_send_reply(request, HTTP_OK, NULL, body);
	if (body)
		evbuffer_free(body);
}

/* What an answer took is kept for the next one: the kernel would have to clear each page again. */
static void keep_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
	mallopt(M_TOP_PAD, KEPT_BYTES);
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
}

int http_server__create(struct event_base *base, const struct http_options *options,
			struct http_server **server)
{
	struct http_server *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	keep_memory();
	s->base = base;
	s->options = *options;
	s->http = evhttp_new(base);
	s->retry = evtimer_new(base, listen_again, s);
	if (!s->http || !s->retry ||
	    connections__create(base, options->deadline_s, &s->connections) ||
	    evhttp_set_cb(s->http, "/metrics", answer_metrics, s) ||
	    evhttp_set_cb(s->http, "/", answer_root, s)) {
		http_server__free(s);
		return -ENOMEM;
	}
	evhttp_set_allowed_methods(s->http, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD);
	evhttp_set_max_headers_size(s->http, HEADER_BYTES);
	evhttp_set_max_body_size(s->http, 0);
	evhttp_set_timeout(s->http, IDLE_S);
	evhttp_set_bevcb(s->http, on_connection, s);
	*server = s;
	return 0;
}

void http_server__free(struct http_server *s)
{
	if (!s)
		return;
	if (s->http)
		evhttp_free(s->http);
	connections__free(s->connections);
	if (s->retry)
		event_free(s->retry);
	free(s);
}

int http_server__add(struct http_server *s, int fd)
{
	struct evhttp_bound_socket *bound;
	struct evconnlistener *listener;

	if (s->listener_count == SOCKETS_MAX)
		return -ENOMEM;
	bound = evhttp_accept_socket_with_handle(s->http, fd);
	if (!bound)
		return -ENOMEM;
	listener = evhttp_bound_socket_get_listener(bound);
	evconnlistener_set_error_cb(listener, accept_failed);
	s->listeners[s->listener_count++] = listener;
	return 0;
}
