// SPDX-License-Identifier: MIT
/* The HTTP server with clients that read slowly, send slowly, or were led to it by a web page. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/units.h"
#include "unit/shared/test.h"

/* The library of the tests has no commands. */
#include "commands/serve/connections.c"
#include "commands/serve/http.c"

#define DEADLINE_S 2
#define CLIENTS	   20

static struct event_base *base;
static struct http_server *server;
static struct sockaddr_in address;
static unsigned int answer_bytes;

static int much(enum exposition_format format,
		int (*sink)(const char *text, size_t bytes, void *context), void *sink_context,
		void *context)
{
	static char text[25 << 20];

	memset(text, 'x', sizeof(text));
	return sink(text, answer_bytes, sink_context);
}

static void start(unsigned int bytes)
{
	const struct http_options options = {
		.metrics = much, .listen = "metrics.example:9863", .deadline_s = DEADLINE_S};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	socklen_t length = sizeof(address);

	answer_bytes = bytes;
	address = (struct sockaddr_in){.sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	base = event_base_new();
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 64) ||
	    getsockname(fd, (struct sockaddr *)&address, &length) || !base ||
	    http_server__create(base, &options, &server) || http_server__add(server, fd))
		abort();
}

static void stop(void)
{
	http_server__free(server);
	event_base_free(base);
}

static void pump(unsigned int ms)
{
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + ms * NSEC_PER_MSEC;
	const struct timespec pause = {.tv_nsec = NSEC_PER_MSEC};

	while (clock_ns(CLOCK_MONOTONIC) < end_ns) {
		event_base_loop(base, EVLOOP_NONBLOCK);
		nanosleep(&pause, NULL);
	}
}

static int client(const char *request)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), small = 4096;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)) ||
	    connect(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    fcntl(fd, F_SETFL, O_NONBLOCK) ||
	    send(fd, request, strlen(request), MSG_NOSIGNAL) != (ssize_t)strlen(request))
		abort();
	return fd;
}

/* The status of the answer; 0: none yet. */
static int status(int fd)
{
	char text[16] = "";

	return recv(fd, text, sizeof(text) - 1, MSG_PEEK) > 12 ? atoi(text + 9) : 0;
}

static int status_of(const char *request)
{
	int fd = client(request), code;

	pump(100);
	code = status(fd);
	close(fd);
	pump(20);
	return code;
}

/* Reads what came and whether the connection has ended. */
static bool has_ended(int fd)
{
	static char text[1 << 20];
	ssize_t got;

	while ((got = recv(fd, text, sizeof(text), 0)) > 0)
		;
	return !got || errno != EAGAIN;
}

static void answers_that_nobody_reads_are_few_and_end(void)
{
	int clients[CLIENTS], answered = 0, refused = 0;

	start(25 << 20);
	for (unsigned int i = 0; i < CLIENTS; i++) {
		clients[i] = client("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
		pump(50);
	}
	for (unsigned int i = 0; i < CLIENTS; i++) {
		answered += status(clients[i]) == 200;
		refused += status(clients[i]) == 503;
	}
	CHECK_EQ(answered, 4);
	CHECK_EQ(refused, CLIENTS - 4);
	CHECK_EQ(server->unsent, 4);
	pump(DEADLINE_S * 1000 + 1500);
	CHECK_EQ(server->unsent, 0);
	CHECK_EQ(status_of("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"), 200);
	CHECK_EQ(server->unsent, 0);
	for (unsigned int i = 0; i < CLIENTS; i++)
		close(clients[i]);
	stop();
}

static void a_request_that_never_ends_is_ended(void)
{
	int fd;

	start(100);
	fd = client("GET /metrics HTTP/1.1\r\n");
	for (unsigned int i = 0; i < 10; i++) {
		send(fd, "X: y\r\n", 6, MSG_NOSIGNAL);
		pump(100);
	}
	CHECK(!has_ended(fd));
	for (unsigned int i = 0; i < 20; i++) {
		send(fd, "X: y\r\n", 6, MSG_NOSIGNAL);
		pump(100);
	}
	CHECK(has_ended(fd));
	pump(600);
	CHECK(!server->connections->list);
	close(fd);
	stop();
}

/* Each answer is far below the deadline, all together are above. */
static void a_connection_that_is_used_again_stays(void)
{
	static const char request[] = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
	int fd;

	start(100);
	fd = client("");
	for (unsigned int i = 0; i < 8; i++) {
		CHECK_EQ(send(fd, request, strlen(request), MSG_NOSIGNAL), strlen(request));
		pump(400);
		CHECK_EQ(status(fd), 200);
		CHECK(!has_ended(fd));
	}
	close(fd);
	stop();
}

/* Its socket is closed at once, and its number serves others then. */
static void a_connection_that_ends_leaves_others_alone(void)
{
	start(100);
	for (unsigned int i = 0; i < 50; i++) {
		int old = client("GET /metrics HTTP/1.0\r\n\r\n"), next;

		pump(10);
		CHECK_EQ(status(old), 200);
		CHECK(has_ended(old));
		next = client("GET /metrics HTTP/1.0\r\n");
		send(old, "GET / HTTP/1.0\r\n\r\n", 18, MSG_NOSIGNAL);
		pump(10);
		CHECK_EQ(send(next, "\r\n", 2, MSG_NOSIGNAL), 2);
		pump(10);
		CHECK_EQ(status(next), 200);
		close(old);
		close(next);
	}
	CHECK_EQ(server->unsent, 0);
	pump(300);
	CHECK(!server->connections->list);
	stop();
}

static void only_names_of_this_machine_are_answered(void)
{
	static const struct {
		const char *host;
		int status;
	} cases[] = {{"127.0.0.1:9863", 200}, {"[::1]:9863", 200},	{"LOCALHOST", 200},
		     {"10.0.0.7", 200},	      {"metrics.example", 200}, {"evil.example:9863", 403},
		     {"metrics", 403},	      {"127.0.0.1.evil", 403},	{"[evil]", 403}};
	char request[256];

	start(100);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(request, sizeof(request), "GET /metrics HTTP/1.1\r\nHost: %s\r\n\r\n",
			 cases[i].host);
		CHECK_EQ(status_of(request), cases[i].status);
	}
	CHECK_EQ(status_of("GET /metrics HTTP/1.0\r\n\r\n"), 200);
	CHECK_EQ(status_of("GET http://evil.example/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		 403);
	stop();
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN); /* as main() does */
	RUN(answers_that_nobody_reads_are_few_and_end);
	RUN(a_request_that_never_ends_is_ended);
	RUN(a_connection_that_is_used_again_stays);
	RUN(a_connection_that_ends_leaves_others_alone);
	RUN(only_names_of_this_machine_are_answered);
	return TEST_RESULT;
}
