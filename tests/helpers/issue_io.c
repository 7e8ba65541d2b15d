// SPDX-License-Identifier: MIT
/*
 * Issues a known number of IOs and prints the byte offset of each, in order: the ground truth for
 * recordings.
 *
 *   issue_io read    TARGET COUNT BYTES         direct random reads, no offset twice
 *   issue_io write   TARGET COUNT BYTES EVERY   direct random writes, fdatasync after every EVERY
 *   issue_io atomic  TARGET COUNT BYTES         the same with RWF_ATOMIC (Linux 6.11)
 *   issue_io discard TARGET COUNT BYTES         BLKDISCARD of random ranges
 *   issue_io cached-random     FILE COUNT BYTES buffered, POSIX_FADV_RANDOM, no offset twice
 *   issue_io cached-sequential FILE COUNT BYTES buffered, from the start
 *
 * ISSUE_IO_HINT, a number of fcntl(2): the write hint of the target.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

/* Linux 6.11; older headers do not have it. */
#ifndef RWF_ATOMIC
#define RWF_ATOMIC 0x40
#endif

#ifndef F_SET_RW_HINT
#define F_SET_RW_HINT 1036
#endif

struct job {
	const char *mode;
	int fd;
	uint64_t count, bytes, every;
	uint64_t slots; /* how many times `bytes` fits into the target */
	uint64_t *order;
	char *buffer;
};

static void fail(const char *what)
{
	fprintf(stderr, "issue_io: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* A random order of all slots (Fisher and Yates), so that no offset comes twice. */
static void shuffle(struct job *job)
{
	uint64_t state = 1009;

	for (uint64_t i = 0; i < job->slots; i++)
		job->order[i] = i;
	for (uint64_t i = job->slots - 1; i > 0; i--) {
		uint64_t j = next_random(&state) % (i + 1), swap = job->order[i];

		job->order[i] = job->order[j];
		job->order[j] = swap;
	}
}

static int open_flags(const char *mode)
{
	if (!strcmp(mode, "read"))
		return O_RDONLY | O_DIRECT;
	if (!strcmp(mode, "write") || !strcmp(mode, "atomic"))
		return O_WRONLY | O_DIRECT;
	return strcmp(mode, "discard") ? O_RDONLY : O_WRONLY;
}

static void give_hint(int fd)
{
	const char *text = getenv("ISSUE_IO_HINT");
	uint64_t hint;

	if (!text)
		return;
	hint = strtoull(text, NULL, 10);
	if (fcntl(fd, F_SET_RW_HINT, &hint))
		fail("F_SET_RW_HINT");
}

static void issue(struct job *job, uint64_t i)
{
	off_t offset = (off_t)(job->order[i] * job->bytes);
	uint64_t range[2] = {(uint64_t)offset, job->bytes};
	ssize_t done = (ssize_t)job->bytes;

	if (!strcmp(job->mode, "discard")) {
		if (ioctl(job->fd, BLKDISCARD, range))
			fail("BLKDISCARD");
	} else if (!strcmp(job->mode, "write")) {
		done = pwrite(job->fd, job->buffer, job->bytes, offset);
		if (job->every && (i + 1) % job->every == 0 && fdatasync(job->fd))
			fail("fdatasync");
	} else if (!strcmp(job->mode, "atomic")) {
		struct iovec data = {.iov_base = job->buffer, .iov_len = job->bytes};

		done = pwritev2(job->fd, &data, 1, offset, RWF_ATOMIC);
		if (done < 0)
			fail("pwritev2");
	} else if (!strcmp(job->mode, "cached-sequential")) {
		done = read(job->fd, job->buffer, job->bytes);
	} else {
		done = pread(job->fd, job->buffer, job->bytes, offset);
	}
	if (done != (ssize_t)job->bytes)
		fail("short IO");
}

int main(int argc, char **argv)
{
	struct job job = {0};
	off_t size;

	if (argc < 5) {
		fprintf(stderr, "usage: issue_io MODE TARGET COUNT BYTES [EVERY]\n");
		return 2;
	}
	job.mode = argv[1];
	job.fd = open(argv[2], open_flags(job.mode));
	if (job.fd < 0)
		fail(argv[2]);
	give_hint(job.fd);
	job.count = strtoull(argv[3], NULL, 10);
	job.bytes = strtoull(argv[4], NULL, 10);
	job.every = argc > 5 ? strtoull(argv[5], NULL, 10) : 0;
	size = lseek(job.fd, 0, SEEK_END);
	if (size < 0 || lseek(job.fd, 0, SEEK_SET) < 0)
		fail("lseek");
	job.slots = (uint64_t)size / job.bytes;
	if (!job.count || job.count > job.slots) {
		errno = ERANGE;
		fail("COUNT");
	}
	job.order = malloc(job.slots * sizeof(*job.order));
	if (!job.order || posix_memalign((void **)&job.buffer, 4096, job.bytes))
		fail("memory");
	memset(job.buffer, 'b', job.bytes);
	shuffle(&job);
	if (!strcmp(job.mode, "cached-sequential"))
		for (uint64_t i = 0; i < job.slots; i++)
			job.order[i] = i;
	if (!strcmp(job.mode, "cached-random") && posix_fadvise(job.fd, 0, 0, POSIX_FADV_RANDOM))
		fail("posix_fadvise");
	for (uint64_t i = 0; i < job.count; i++)
		issue(&job, i);
	for (uint64_t i = 0; i < job.count; i++)
		printf("%" PRIu64 "\n", job.order[i] * job.bytes);
	free(job.order);
	free(job.buffer);
	return close(job.fd) ? 1 : 0;
}
