// SPDX-License-Identifier: MIT
#include "replay/files/action.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/units.h"

#define BUFFER_BYTES	(256u << 10)
#define VECTORS		1024u /* UIO_MAXIOV */
#define DESCRIPTORS	32u
#define SENDFILE_BYTES	0x7ffff000ull
#define DIRECT_BYTES	512u
#define DIRECT_ALIGN_TO 4096u

/* The kernel's readahead belongs to the descriptor, and in the recording each task had its own. */
struct descriptor {
	int fd; /* -1: none */
	uint32_t file, task;
	bool direct;
};

struct file_actor {
	const struct file_tree *tree;
	const struct file_script *script;
	struct file_actor_counts *counts;
	struct descriptor open[DESCRIPTORS];
	unsigned int next; /* the next descriptor to close */
	struct iovec vectors[VECTORS];
	char *buffer;
	int null_fd;
	bool write;
};

static __thread sigjmp_buf fault_return;
static __thread volatile sig_atomic_t fault_expected;
static struct sigaction fault_before;

static void on_fault(int signal)
{
	if (fault_expected)
		siglongjmp(fault_return, 1);
	/* Not raised by a replayed operation: it is raised again at once, and ends the process. */
	sigaction(signal, &fault_before, NULL);
}

void file_actor_catch_faults(void)
{
	struct sigaction action = {.sa_handler = on_fault};

	sigaction(SIGBUS, &action, &fault_before);
}

void file_actor_release_faults(void)
{
	sigaction(SIGBUS, &fault_before, NULL);
}

struct file_actor *file_actor__create(const struct file_tree *tree,
				      const struct file_script *script, bool write,
				      struct file_actor_counts *counts)
{
	struct file_actor *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->tree = tree;
	a->script = script;
	a->write = write;
	a->counts = counts;
	for (unsigned int i = 0; i < DESCRIPTORS; i++)
		a->open[i].fd = -1;
	a->null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	a->buffer = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	if (a->buffer == MAP_FAILED || a->null_fd < 0) {
		file_actor__free(a);
		return NULL;
	}
	for (unsigned int i = 0; i < VECTORS; i++)
		a->vectors[i].iov_base = a->buffer;
	if (write)
		file_tree_fill((uint64_t *)(void *)a->buffer, BUFFER_BYTES / 8, 2);
	return a;
}

void file_actor__free(struct file_actor *a)
{
	if (!a)
		return;
	for (unsigned int i = 0; i < DESCRIPTORS; i++)
		if (a->open[i].fd >= 0)
			close(a->open[i].fd);
	if (a->buffer != MAP_FAILED)
		munmap(a->buffer, BUFFER_BYTES);
	if (a->null_fd >= 0)
		close(a->null_fd);
	free(a);
}

static int open_for(struct file_actor *a, const struct file_op *op, bool *direct)
{
	int flags = a->write ? O_RDWR : O_RDONLY, fd;

	fd = file_tree__open_file(a->tree, op->file, flags | (*direct ? O_DIRECT : 0));
	if (fd == -EINVAL && *direct) {
		*direct = false;
		fd = file_tree__open_file(a->tree, op->file, flags);
	}
	if (fd >= 0 && !*direct && file_need_is_random(&a->script->files[op->file]))
		posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	return fd;
}

/* The task's descriptor of the file, or negative errno. */
static int descriptor_of(struct file_actor *a, const struct file_op *op)
{
	bool wants_direct = op->op == ACCESS_DIRECT_READ || op->op == ACCESS_DIRECT_WRITE;
	bool direct = wants_direct;
	struct descriptor *d;
	int fd;

	for (unsigned int i = 0; i < DESCRIPTORS; i++) {
		d = &a->open[i];
		if (d->fd >= 0 && d->file == op->file && d->task == op->task &&
		    d->direct == wants_direct)
			return d->fd;
	}
	fd = open_for(a, op, &direct);
	if (fd < 0)
		return fd;
	a->counts->not_direct += direct != wants_direct;
	d = &a->open[a->next];
	a->next = (a->next + 1) % DESCRIPTORS;
	if (d->fd >= 0) {
		close(d->fd);
		a->counts->reopened_files++;
	}
	*d = (struct descriptor){
		.fd = fd, .file = op->file, .task = op->task, .direct = wants_direct};
	return fd;
}

/* Moves the bytes with one system call, however many: all its vectors are the same buffer. */
static ssize_t move(struct file_actor *a, int fd, uint64_t at, uint64_t bytes, bool write,
		    int flags)
{
	unsigned int count = 0;
	ssize_t moved;

	for (uint64_t left = bytes; left && count < VECTORS; count++) {
		a->vectors[count].iov_len = left < BUFFER_BYTES ? left : BUFFER_BYTES;
		left -= a->vectors[count].iov_len;
	}
	moved = write ? pwritev2(fd, a->vectors, (int)count, (off_t)at, flags)
		      : preadv2(fd, a->vectors, (int)count, (off_t)at, flags);
	return moved < 0 ? -errno : moved;
}

static int transfer(struct file_actor *a, int fd, const struct file_op *op, uint64_t bytes)
{
	bool write = op->op == ACCESS_WRITE || op->op == ACCESS_DIRECT_WRITE;
	int flags = write && (op->flags & ACCESS_WAITS) ? RWF_DSYNC : 0;
	uint64_t done = 0;

	while (done < op->bytes) {
		ssize_t moved = move(a, fd, op->offset + done, bytes - done, write, flags);

		if (moved < 0)
			return (int)moved;
		if (!moved)
			break;
		done += (uint64_t)moved;
	}
	if (done > op->bytes)
		done = op->bytes;
	a->counts->moved_bytes = done;
	return done < op->bytes;
}

static bool is_at_end(int fd, const struct file_op *op)
{
	struct stat file;

	return !fstat(fd, &file) && op->offset + op->bytes >= (uint64_t)file.st_size;
}

/*
 * A direct read that ended at the end of the file was asked for in whole blocks. The blocks of this
 * device can be longer than those of the recorded one.
 */
static int read_directly(struct file_actor *a, int fd, const struct file_op *op)
{
	uint64_t rest = op->bytes % DIRECT_ALIGN_TO;
	uint64_t whole = op->bytes + (rest ? DIRECT_ALIGN_TO - rest : 0);
	int err = transfer(a, fd, op, op->bytes % DIRECT_BYTES ? whole : op->bytes);

	return err == -EINVAL && rest && is_at_end(fd, op) ? transfer(a, fd, op, whole) : err;
}

static int send_out(struct file_actor *a, int fd, const struct file_op *op)
{
	off_t at = (off_t)op->offset;
	uint64_t left = op->bytes;

	while (left) {
		uint64_t part = left < SENDFILE_BYTES ? left : SENDFILE_BYTES;
		ssize_t sent = sendfile(a->null_fd, fd, &at, part);

		if (sent < 0)
			return -errno;
		if (!sent)
			break;
		left -= (uint64_t)sent;
	}
	a->counts->moved_bytes = op->bytes - left;
	return left > 0;
}

static int touch_page(volatile char *page, bool dirty)
{
	if (sigsetjmp(fault_return, 1)) {
		fault_expected = false;
		return -EFAULT;
	}
	fault_expected = true;
	if (dirty)
		page[0] = 1;
	else
		(void)page[0];
	fault_expected = false;
	return 0;
}

/*
 * A mapping of its own, no larger than in the recording, so that each fault is one again. Creating
 * and removing it is part of the time.
 */
static int fault(struct file_actor *a, int fd, const struct file_op *op)
{
	bool dirty = op->flags & ACCESS_DIRTIED;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), from = op->offset / page * page;
	uint64_t bytes = op->bytes ? op->offset + op->bytes - from : page;
	char *map;
	int err;

	map = mmap(NULL, bytes, PROT_READ | (dirty ? PROT_WRITE : 0), MAP_SHARED, fd, (off_t)from);
	if (map == MAP_FAILED)
		return -errno;
	if (file_need_is_random(&a->script->files[op->file]))
		madvise(map, bytes, MADV_RANDOM);
	err = touch_page(map, dirty);
	munmap(map, bytes);
	a->counts->moved_bytes = err ? 0 : op->bytes;
	return err;
}

static int sync_file(int fd, const struct file_op *op)
{
	return (op->flags & ACCESS_DATASYNC ? fdatasync(fd) : fsync(fd)) ? -errno : 0;
}

static int advise(int fd, const struct file_op *op, int advice)
{
	if (op->offset > INT64_MAX || op->bytes > INT64_MAX)
		return -EINVAL;
	return -posix_fadvise(fd, (off_t)op->offset, (off_t)op->bytes, advice);
}

int file_actor__do(struct file_actor *a, const struct file_op *op)
{
	int fd = descriptor_of(a, op);

	a->counts->moved_bytes = 0;
	if (fd < 0)
		return fd;
	switch ((enum access_op)op->op) {
	case ACCESS_READ:
	case ACCESS_WRITE:
	case ACCESS_DIRECT_WRITE:
		return transfer(a, fd, op, op->bytes);
	case ACCESS_DIRECT_READ:
		return read_directly(a, fd, op);
	case ACCESS_FAULT:
		return fault(a, fd, op);
	case ACCESS_SPLICE:
		return send_out(a, fd, op);
	case ACCESS_SYNC:
		return sync_file(fd, op);
	case ACCESS_ADVICE:
		return advise(fd, op, POSIX_FADV_WILLNEED);
	case ACCESS_INVALIDATE:
		return advise(fd, op, POSIX_FADV_DONTNEED);
	case ACCESS_TRUNCATE:
		return ftruncate(fd, (off_t)op->offset) ? -errno : 0;
	case ACCESS_OP_COUNT:
		break;
	}
	return -EINVAL;
}
