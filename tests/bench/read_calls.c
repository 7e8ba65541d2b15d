// SPDX-License-Identifier: MIT
/*
 * read_calls FILE COUNT cached|direct|nothing: reads 4 KiB (nothing: 0 bytes) so often, and prints the
 * ns of CPU and of wall time that a read took, and how many slept.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define READ_BYTES 4096
#define PLACES	   1024

static double now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static long sleeps(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw;
}

static int read_often(int fd, void *buffer, long count, ssize_t bytes)
{
	for (long i = 0; i < count; i++)
		if (pread(fd, buffer, (size_t)bytes, i % PLACES * READ_BYTES) != bytes)
			return -1;
	return 0;
}

int main(int argc, char **argv)
{
	double cpu_ns, wall_ns;
	long count, slept;
	void *buffer;
	int fd;

	if (argc != 4)
		return 2;
	count = strtol(argv[2], NULL, 10);
	fd = open(argv[1], O_RDONLY | (strcmp(argv[3], "direct") ? 0 : O_DIRECT));
	if (fd < 0 || count <= 0 || posix_memalign(&buffer, READ_BYTES, READ_BYTES))
		return 1;
	slept = sleeps();
	cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
	wall_ns = now_ns(CLOCK_MONOTONIC);
	if (read_often(fd, buffer, count, strcmp(argv[3], "nothing") ? READ_BYTES : 0))
		return 1;
	printf("%.1f %.1f %ld\n", (now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns) / (double)count,
	       (now_ns(CLOCK_MONOTONIC) - wall_ns) / (double)count, sleeps() - slept);
	free(buffer);
	return close(fd) ? 1 : 0;
}
