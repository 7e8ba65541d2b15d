// SPDX-License-Identifier: MIT
/*
 * Reads files so that the hits depend on the size of the page cache:
 *     cache_load GROUP skewed|loop|mixed FILE [SCANNED]
 * It moves itself into the control group GROUP, waits for a line on standard input, reads, and ends.
 *   skewed   random pages of 32 MiB of FILE, a few of them much more often, without readahead
 *   loop     20 MiB of FILE three times in sequence
 *   mixed    as skewed, of 8 MiB; after each eighth page 16 KiB of 16 MiB of SCANNED, in sequence
 * It also reads the group's memory.stat, which makes the kernel update the lengths of its page lists.
 * The kernel does so every two seconds otherwise, and evictions would depend on the speed of the load.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE_BYTES	  4096u
#define SKEWED_READS	  25000u
#define READS_PER_LOOK	  256u
#define LOOP_PAGES	  5120u
#define LOOP_READ_PAGES	  32u
#define SCANNED_PAGES	  4096u
#define SCANNED_PER_READ  4u
#define READS_PER_SCANNED 8u

static char buffer[LOOP_READ_PAGES * PAGE_BYTES];
static int stat_fd;
static uint64_t random_state = 88172645463325252ull;

static void fail(const char *what)
{
	fprintf(stderr, "cache_load: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* xorshift64 (Marsaglia, 2003) */
static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void read_pages(int fd, uint64_t page, uint64_t pages)
{
	static char text[16384];
	static unsigned int reads;

	if (++reads % READS_PER_LOOK == 0 && pread(stat_fd, text, sizeof(text), 0) <= 0)
		fail("memory.stat");
	if (pread(fd, buffer, pages * PAGE_BYTES, (off_t)(page * PAGE_BYTES)) !=
	    (ssize_t)(pages * PAGE_BYTES))
		fail("read");
}

/* The cube of a random number: an eighth of the pages gets half of the reads, spread over the file. */
static uint64_t skewed_page(uint64_t pages)
{
	double u = (double)(next_random() >> 11) * 0x1p-53;

	return (uint64_t)(u * u * u * (double)pages) * 2654435761u % pages;
}

static void read_skewed(int fd, uint64_t pages, int scanned)
{
	uint64_t at = 0;

	for (unsigned int i = 0; i < SKEWED_READS; i++) {
		read_pages(fd, skewed_page(pages), 1);
		if (scanned < 0 || i % READS_PER_SCANNED)
			continue;
		read_pages(scanned, at, SCANNED_PER_READ);
		at = (at + SCANNED_PER_READ) % SCANNED_PAGES;
	}
}

static void read_loop(int fd)
{
	for (unsigned int pass = 0; pass < 3; pass++)
		for (uint64_t page = 0; page < LOOP_PAGES; page += LOOP_READ_PAGES)
			read_pages(fd, page, LOOP_READ_PAGES);
}

static int open_in(const char *folder, const char *name, int flags)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s%s%s", folder, *name ? "/" : "", name);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		fail(path);
	return fd;
}

static void join(const char *group)
{
	char pid[16];
	int fd = open_in(group, "cgroup.procs", O_WRONLY);
	int length = snprintf(pid, sizeof(pid), "%d", (int)getpid());

	if (write(fd, pid, (size_t)length) != length)
		fail(group);
	close(fd);
	stat_fd = open_in(group, "memory.stat", O_RDONLY);
}

int main(int argc, char **argv)
{
	bool is_loop, is_mixed;
	int file, scanned = -1;

	if (argc < 4)
		return 2;
	is_loop = !strcmp(argv[2], "loop");
	is_mixed = !strcmp(argv[2], "mixed") && argc > 4;
	join(argv[1]);
	if (getchar() == EOF)
		return 1;
	file = open_in(argv[3], "", O_RDONLY);
	if (is_loop) {
		read_loop(file);
		return 0;
	}
	if (posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM))
		fail("fadvise");
	if (is_mixed)
		scanned = open_in(argv[4], "", O_RDONLY);
	read_skewed(file, is_mixed ? 2048 : 8192, scanned);
	return 0;
}
