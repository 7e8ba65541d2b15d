/* SPDX-License-Identifier: MIT */
/* The sockets on which 'blkreel serve' answers. */
#ifndef BLKREEL_COMMANDS_SERVE_SOCKETS_H
#define BLKREEL_COMMANDS_SERVE_SOCKETS_H

#define SOCKET_TEXT_MAX 256

/* Each returns a listening descriptor that does not block, or fills `message` with a sentence and
 * returns a negative errno (-EINVAL: the address is none). */

/* HOST:PORT or [HOST]:PORT; `where` receives what it listens on, with the port that port 0 got. */
int socket_listen_tcp(const char *address, char where[SOCKET_TEXT_MAX],
		      char message[SOCKET_TEXT_MAX]);

/* A Unix socket; one that nobody answers is replaced. */
int socket_listen_unix(const char *path, char message[SOCKET_TEXT_MAX]);

/* Whether it is still the socket of that descriptor: then removes it. */
void socket_remove_unix(const char *path, int fd);

/* The sockets that systemd passed are `count` descriptors from the result on; count 0: none. */
int socket_passed(unsigned int *count);

#endif
