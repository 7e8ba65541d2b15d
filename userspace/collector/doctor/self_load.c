// SPDX-License-Identifier: MIT
#include "collector/doctor/self_load.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_PAGES	 2048u
#define RANDOM_PAGES	 211u
#define MAPPED_FIRST	 424u
#define SEQUENTIAL_FIRST 1000u
#define SEQUENTIAL_PAGES 1000u
#define MAPPED_PAGES	 53u
#define WRITTEN_PAGES	 31u
#define STRIDE		 2u   /* between pages that are read singly */
#define CACHESTAT	 451  /* Linux 6.5 */
#define DROP_TRIES	 100u /* of 10 ms */

struct self_load {
	pid_t pid;
	int socket;
	uint64_t inode;
};

struct hello {
	uint64_t inode;
	int err;
};

struct file {
	int fd;
	size_t page;
	char *buffer;
	unsigned char *map;
	unsigned char resident[FILE_PAGES];
	bool has_cachestat;
};

const char *self_load__describe(enum self_load_step step)
{
	static const char *const texts[SELF_LOAD_STEPS] = {
		[SELF_LOAD_COLD] = "211 reads of a page each, nothing cached",
		[SELF_LOAD_WARM] = "the same reads again",
		[SELF_LOAD_MAPPED] = "53 pages of a mapping touched",
		[SELF_LOAD_SEQUENTIAL] = "1,000 pages read in sequence",
		[SELF_LOAD_WRITTEN] = "31 cached pages overwritten",
	};

	return texts[step];
}

struct cachestat {
	uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

static struct cachestat cachestat_of(struct file *f, uint64_t first, uint64_t pages)
{
	uint64_t range[2] = {first * f->page, pages * f->page};
	struct cachestat stat = {0};

	f->has_cachestat = !syscall(CACHESTAT, f->fd, range, &stat, 0);
	return stat;
}

/* Counts pages that are in the cache with their data. */
static uint64_t resident(struct file *f, uint64_t first, uint64_t pages)
{
	uint64_t count = 0;

	if (mincore(f->map + first * f->page, pages * f->page, f->resident))
		return 0;
	for (uint64_t i = 0; i < pages; i++)
		count += f->resident[i] & 1;
	return count;
}

static int drop(struct file *f)
{
	for (unsigned int i = 0; i < DROP_TRIES; i++) {
		if (fsync(f->fd))
			return -errno;
		if (posix_fadvise(f->fd, 0, 0, POSIX_FADV_DONTNEED))
			return -EIO;
		if (!resident(f, 0, FILE_PAGES))
			return 0;
		usleep(10000);
	}
	return -EBUSY;
}

static int open_file(const char *directory, struct file *f)
{
	f->page = (size_t)sysconf(_SC_PAGESIZE);
	f->fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (f->fd < 0)
		return -errno;
	f->buffer = malloc(f->page);
	if (!f->buffer)
		return -ENOMEM;
	for (uint64_t i = 0; i < FILE_PAGES; i++) {
		memset(f->buffer, (int)i, f->page);
		if (pwrite(f->fd, f->buffer, f->page, (off_t)(i * f->page)) != (ssize_t)f->page)
			return -errno;
	}
	f->map = mmap(NULL, FILE_PAGES * f->page, PROT_READ, MAP_SHARED, f->fd, 0);
	if (f->map == MAP_FAILED)
		return -errno;
	madvise(f->map, FILE_PAGES * f->page, MADV_RANDOM);
	return drop(f);
}

static int read_pages(struct file *f, uint64_t first, uint64_t count, uint64_t stride,
		      struct self_load_truth *truth)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t page = first + i * stride;

		truth->absent += 1 - cachestat_of(f, page, 1).cached;
		if (pread(f->fd, f->buffer, f->page, (off_t)(page * f->page)) != (ssize_t)f->page)
			return -EIO;
		truth->pages++;
	}
	return 0;
}

static uint64_t faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
}

/* A sanitizer's access to its shadow memory would count as a page fault. */
__attribute__((noinline, no_sanitize("address", "undefined"))) static void
touch(const volatile unsigned char *byte)
{
	(void)*byte;
}

static void touch_pages(struct file *f, struct self_load_truth *truth)
{
	for (uint64_t i = 0; i < MAPPED_PAGES; i++) {
		uint64_t page = MAPPED_FIRST + i * STRIDE, before;

		truth->absent += 1 - cachestat_of(f, page, 1).cached;
		before = faults();
		touch(f->map + page * f->page);
		truth->faults += faults() - before;
		truth->pages++;
	}
}

static int write_pages(struct file *f, struct self_load_truth *truth)
{
	for (uint64_t i = 0; i < WRITTEN_PAGES; i++) {
		if (pwrite(f->fd, f->buffer, f->page, (off_t)(i * STRIDE * f->page)) !=
		    (ssize_t)f->page)
			return -errno;
		truth->pages++;
	}
	truth->dirty = cachestat_of(f, 0, FILE_PAGES).dirty;
	return 0;
}

static void carry_out(struct file *f, enum self_load_step step, struct self_load_truth *truth)
{
	uint64_t before = cachestat_of(f, 0, FILE_PAGES).cached;

	switch (step) {
	case SELF_LOAD_COLD:
	case SELF_LOAD_WARM:
		posix_fadvise(f->fd, 0, 0, POSIX_FADV_RANDOM);
		truth->err = read_pages(f, 0, RANDOM_PAGES, STRIDE, truth);
		break;
	case SELF_LOAD_SEQUENTIAL:
		posix_fadvise(f->fd, 0, 0, POSIX_FADV_NORMAL);
		truth->err = read_pages(f, SEQUENTIAL_FIRST, SEQUENTIAL_PAGES, 1, truth);
		break;
	case SELF_LOAD_MAPPED:
		touch_pages(f, truth);
		break;
	case SELF_LOAD_WRITTEN:
		truth->err = write_pages(f, truth);
		break;
	case SELF_LOAD_STEPS:
		break;
	}
	truth->added = cachestat_of(f, 0, FILE_PAGES).cached - before;
	truth->has_cachestat = f->has_cachestat;
}

static void run_child(int socket, const char *directory)
{
	struct file f = {.fd = -1};
	struct hello hello = {.err = open_file(directory, &f)};
	enum self_load_step step;
	struct stat st = {0};

	if (!hello.err && fstat(f.fd, &st))
		hello.err = -errno;
	hello.inode = st.st_ino;
	if (write(socket, &hello, sizeof(hello)) != sizeof(hello))
		_exit(1);
	while (read(socket, &step, sizeof(step)) == sizeof(step)) {
		struct self_load_truth truth = {0};

		carry_out(&f, step, &truth);
		if (write(socket, &truth, sizeof(truth)) != sizeof(truth))
			_exit(1);
	}
	_exit(0);
}

static int exchange(const struct self_load *load, const void *question, size_t question_bytes,
		    void *answer, size_t answer_bytes)
{
	if (question_bytes &&
	    send(load->socket, question, question_bytes, MSG_NOSIGNAL) != (ssize_t)question_bytes)
		return -errno;
	return recv(load->socket, answer, answer_bytes, MSG_WAITALL) == (ssize_t)answer_bytes
		       ? 0
		       : -ECHILD;
}

int self_load__start(const char *directory, struct self_load **result)
{
	struct self_load *load = calloc(1, sizeof(*load));
	struct hello hello;
	int sockets[2], err;

	if (!load)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets)) {
		free(load);
		return -errno;
	}
	load->socket = sockets[0];
	load->pid = fork();
	if (!load->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(sockets[0]);
		run_child(sockets[1], directory);
	}
	close(sockets[1]);
	err = load->pid < 0 ? -errno : exchange(load, NULL, 0, &hello, sizeof(hello));
	if (!err)
		err = hello.err;
	if (err) {
		self_load__free(load);
		return err;
	}
	load->inode = hello.inode;
	*result = load;
	return 0;
}

int self_load__step(struct self_load *load, enum self_load_step step, struct self_load_truth *truth)
{
	int err = exchange(load, &step, sizeof(step), truth, sizeof(*truth));

	return err ? err : truth->err;
}

void self_load__free(struct self_load *load)
{
	if (!load)
		return;
	close(load->socket);
	if (load->pid > 0)
		waitpid(load->pid, NULL, 0);
	free(load);
}

pid_t self_load__pid(const struct self_load *load)
{
	return load->pid;
}

uint64_t self_load__inode(const struct self_load *load)
{
	return load->inode;
}
