// SPDX-License-Identifier: MIT
#include "commands/serve/sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG	     16
#define PASSED_FIRST 3
#define PASSED_MAX   16

/* Splits HOST:PORT; `host` has SOCKET_TEXT_MAX bytes. NULL: it is none. */
static const char *split(const char *address, char *host)
{
	const char *port = strrchr(address, ':'), *end = port;
	size_t length;

	if (!port || !port[1] || port == address)
		return NULL;
	if (*address == '[') {
		address++;
		end--;
		if (*end != ']')
			return NULL;
	} else if (memchr(address, ':', (size_t)(port - address))) {
		return NULL;
	}
	length = (size_t)(end - address);
	if (!length || length >= SOCKET_TEXT_MAX)
		return NULL;
	memcpy(host, address, length);
	host[length] = '\0';
	return port + 1;
}

static int listen_at(const struct addrinfo *info)
{
	int fd, one = 1, err;

	fd = socket(info->ai_family, info->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
		    info->ai_protocol);
	if (fd < 0)
		return -errno;
	if (!setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) &&
	    !bind(fd, info->ai_addr, info->ai_addrlen) && !listen(fd, BACKLOG))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static void name_socket(int fd, char where[SOCKET_TEXT_MAX])
{
	char host[128], port[16];
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);

	where[0] = '\0';
	if (getsockname(fd, (struct sockaddr *)&address, &length) ||
	    getnameinfo((struct sockaddr *)&address, length, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		return;
	snprintf(where, SOCKET_TEXT_MAX, address.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host,
		 port);
}

int socket_listen_tcp(const char *address, char where[SOCKET_TEXT_MAX],
		      char message[SOCKET_TEXT_MAX])
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
				       .ai_flags = AI_NUMERICSERV | AI_PASSIVE};
	struct addrinfo *found = NULL;
	char host[SOCKET_TEXT_MAX];
	const char *port = split(address, host);
	int err, fd;

	if (!port) {
		snprintf(message, SOCKET_TEXT_MAX,
			 "--listen is HOST:PORT (127.0.0.1:9863, [::1]:9863), not '%.64s'",
			 address);
		return -EINVAL;
	}
	err = getaddrinfo(host, port, &hints, &found);
	if (err) {
		snprintf(message, SOCKET_TEXT_MAX, "--listen %.64s: %s", address,
			 gai_strerror(err));
		return -EINVAL;
	}
	fd = listen_at(found);
	freeaddrinfo(found);
	if (fd < 0)
		snprintf(message, SOCKET_TEXT_MAX, "cannot listen on %.64s: %s", address,
			 strerror(-fd));
	else
		name_socket(fd, where);
	return fd;
}

/* True when a socket is there that nobody answers. */
static bool is_stale(const struct sockaddr_un *address)
{
	struct stat st;
	bool refused;
	int fd;

	if (lstat(address->sun_path, &st) || !S_ISSOCK(st.st_mode))
		return false;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return false;
	refused = connect(fd, (const struct sockaddr *)address, sizeof(*address)) &&
		  errno == ECONNREFUSED;
	close(fd);
	return refused;
}

int socket_listen_unix(const char *path, char message[SOCKET_TEXT_MAX])
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd, err = 0;

	if (strlen(path) >= sizeof(address.sun_path)) {
		snprintf(message, SOCKET_TEXT_MAX, "--socket: a path has at most %zu bytes",
			 sizeof(address.sun_path) - 1);
		return -EINVAL;
	}
	strcpy(address.sun_path, path);
	if (is_stale(&address))
		unlink(path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, BACKLOG))
		err = -errno;
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	snprintf(message, SOCKET_TEXT_MAX, "cannot listen on %s: %s", path, strerror(-err));
	return err;
}

void socket_remove_unix(const char *path, int fd)
{
	struct sockaddr_un address = {0};
	socklen_t length = sizeof(address);
	struct stat st;

	if (!getsockname(fd, (struct sockaddr *)&address, &length) &&
	    !strcmp(address.sun_path, path) && !lstat(path, &st) && S_ISSOCK(st.st_mode))
		unlink(path);
}

static bool is_number(const char *text, long long *number)
{
	char *end;

	if (!text || !*text)
		return false;
	errno = 0;
	*number = strtoll(text, &end, 10);
	return !errno && !*end;
}

int socket_passed(unsigned int *count)
{
	long long pid, fds;
	int accepting;
	socklen_t size = sizeof(accepting);

	*count = 0;
	if (is_number(getenv("LISTEN_PID"), &pid) && pid == getpid() &&
	    is_number(getenv("LISTEN_FDS"), &fds) && fds > 0 && fds <= PASSED_MAX)
		while (*count < (unsigned int)fds) {
			int fd = PASSED_FIRST + (int)*count, flags = fcntl(fd, F_GETFL);

			if (flags < 0 ||
			    getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepting, &size) ||
			    !accepting)
				break;
			fcntl(fd, F_SETFL, flags | O_NONBLOCK);
			fcntl(fd, F_SETFD, FD_CLOEXEC);
			(*count)++;
		}
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	return PASSED_FIRST;
}
