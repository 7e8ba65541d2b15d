// SPDX-License-Identifier: MIT
#include "commands/shared/anonymize_options.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/exit_codes.h"
#include "base/log.h"

#define KEY_BYTES_MAX 65536

/* Reads up to KEY_BYTES_MAX + 1 bytes. Their number or negative errno. */
static ssize_t read_all(int fd, uint8_t *key)
{
	size_t bytes = 0;
	ssize_t got;

	do {
		got = read(fd, key + bytes, KEY_BYTES_MAX + 1 - bytes);
		if (got < 0 && errno != EINTR)
			return -errno;
		bytes += got > 0 ? (size_t)got : 0;
	} while (got && bytes <= KEY_BYTES_MAX);
	return (ssize_t)bytes;
}

static ssize_t read_key(const char *path, uint8_t *key)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct stat file;
	ssize_t bytes;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &file) && S_ISREG(file.st_mode) && (file.st_mode & (S_IRGRP | S_IROTH)))
		pr_warn("%s can be read by others, who could then find out names: chmod 600 %s",
			path, path);
	bytes = read_all(fd, key);
	close(fd);
	return bytes;
}

static int key_error(const char *path, ssize_t bytes)
{
	if (bytes < 0) {
		pr_err("cannot read the key %s: %s", path, strerror((int)-bytes));
		return EXIT_FAILED;
	}
	if (bytes < ANONYMIZER_KEY_BYTES_MIN)
		pr_err("%s: a key of %zd bytes can be guessed: take at least %d (head -c 32 "
		       "/dev/urandom)",
		       path, bytes, ANONYMIZER_KEY_BYTES_MIN);
	else
		pr_err("%s: a key has at most %d bytes", path, KEY_BYTES_MAX);
	return EXIT_BAD_INPUT;
}

int cmd_anonymizer(const struct anonymize_config *config, struct anonymizer **anonymizer)
{
	static uint8_t key[KEY_BYTES_MAX + 1];
	ssize_t bytes = 0;
	int err;

	*anonymizer = NULL;
	if (!config->wanted && !config->key_path)
		return EXIT_OK;
	if (config->key_path) {
		bytes = read_key(config->key_path, key);
		if (bytes < ANONYMIZER_KEY_BYTES_MIN || bytes > KEY_BYTES_MAX)
			return key_error(config->key_path, bytes);
	}
	err = anonymizer__create(config->key_path ? key : NULL, (size_t)bytes, anonymizer);
	explicit_bzero(key, sizeof(key));
	if (!err)
		return EXIT_OK;
	pr_err("cannot make a key: %s", strerror(-err));
	return EXIT_FAILED;
}
