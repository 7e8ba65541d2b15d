// SPDX-License-Identifier: MIT
/*
 * slow_disk BACKING MOUNT READ_US WRITE_US FLUSH_US [AT_ONCE [BAD]]
 *
 * Mounts a file with the content of BACKING over the file MOUNT. Each read, write (or discard) and
 * fsync takes the given time longer, for all programs and however many run at once. AT_ONCE limits
 * asynchronous direct IOs (1024). The sector at byte BAD cannot be read until it is written. Under a loop device it is a disk of known latency, for file systems
 * and their journals too. Prints a line when it is ready; ends when it is unmounted.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define NSEC_PER_SEC  1000000000ull
#define NSEC_PER_USEC 1000ull
#define SECTOR_BYTES  512u
#define LONGEST_BYTES (1u << 20)
#define WAITING_MAX   4096

struct answer {
	uint64_t due_ns;
	void *data; /* of a read */
	struct fuse_out_header header;
	struct fuse_write_out written;
};

struct disk {
	int fuse, backing;
	uint64_t bytes;
	uint64_t read_ns, write_ns, flush_ns;
	uint64_t bad; /* UINT64_MAX: none */
	uint16_t at_once;
	unsigned int waiting_count;
	struct answer waiting[WAITING_MAX];
	uint8_t request[LONGEST_BYTES + 4096];
};

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

static void die(const char *what)
{
	fprintf(stderr, "slow_disk: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void send_answer(struct disk *d, uint64_t unique, int error, const void *body, size_t bytes)
{
	struct fuse_out_header header = {
		.len = (uint32_t)(sizeof(header) + bytes), .error = -error, .unique = unique};
	struct iovec parts[] = {{&header, sizeof(header)}, {(void *)body, bytes}};

	/* Nobody waits for a request that was interrupted meanwhile. */
	if (writev(d->fuse, parts, bytes ? 2 : 1) < 0 && errno != ENOENT)
		die("answer");
}

/* Sends the answers that are due; returns the due time of the next, UINT64_MAX for none. */
static uint64_t send_due(struct disk *d)
{
	uint64_t now_ns = clock_ns(), next_ns = UINT64_MAX;
	unsigned int remaining = 0;

	for (unsigned int i = 0; i < d->waiting_count; i++) {
		struct answer *a = &d->waiting[i];
		size_t bytes = a->header.len - sizeof(a->header);

		if (a->due_ns > now_ns) {
			next_ns = a->due_ns < next_ns ? a->due_ns : next_ns;
			d->waiting[remaining++] = *a;
			continue;
		}
		send_answer(d, a->header.unique, -a->header.error, a->data ? a->data : &a->written,
			    bytes);
		free(a->data);
	}
	d->waiting_count = remaining;
	return next_ns;
}

static struct answer *delay(struct disk *d, const struct fuse_in_header *in, uint64_t delay_ns,
			    int64_t done, size_t bytes)
{
	struct answer *a = &d->waiting[d->waiting_count];

	if (++d->waiting_count > WAITING_MAX) {
		errno = EBUSY;
		die("too many requests at once");
	}
	*a = (struct answer){.due_ns = clock_ns() + delay_ns};
	a->header = (struct fuse_out_header){
		.unique = in->unique,
		.error = done < 0 ? -errno : 0,
		.len = (uint32_t)(sizeof(a->header) + (done < 0 ? 0 : bytes))};
	return a;
}

static bool is_bad(const struct disk *d, uint64_t offset, uint64_t bytes)
{
	return d->bad != UINT64_MAX && offset < d->bad + SECTOR_BYTES && d->bad < offset + bytes;
}

static void read_or_write(struct disk *d, const struct fuse_in_header *in, const void *body)
{
	const struct fuse_read_in *read_in = body;
	const struct fuse_write_in *write_in = body;
	struct answer *a;
	ssize_t done;

	if (in->opcode == FUSE_READ) {
		void *data = malloc(read_in->size ? read_in->size : 1);

		done = data ? pread(d->backing, data, read_in->size, (off_t)read_in->offset) : -1;
		if (is_bad(d, read_in->offset, read_in->size)) {
			done = -1;
			errno = EIO;
		}
		a = delay(d, in, d->read_ns, done, (size_t)done);
		a->data = data;
		return;
	}
	done = pwrite(d->backing, write_in + 1, write_in->size, (off_t)write_in->offset);
	if (is_bad(d, write_in->offset, write_in->size))
		d->bad = UINT64_MAX;
	a = delay(d, in, d->write_ns, done, sizeof(a->written));
	a->written.size = (uint32_t)done;
}

static void tell_attributes(struct disk *d, const struct fuse_in_header *in)
{
	struct fuse_attr_out out = {.attr_valid = 3600,
				    .attr = {.ino = FUSE_ROOT_ID,
					     .size = d->bytes,
					     .blocks = d->bytes / 512,
					     .mode = S_IFREG | 0600,
					     .nlink = 1,
					     .blksize = 4096}};

	send_answer(d, in->unique, 0, &out, sizeof(out));
}

static void start(struct disk *d, const struct fuse_in_header *in, const struct fuse_init_in *init)
{
	struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION,
		.minor = FUSE_KERNEL_MINOR_VERSION,
		.max_readahead = 0,
		.flags = init->flags & (FUSE_ASYNC_READ | FUSE_BIG_WRITES | FUSE_MAX_PAGES |
					FUSE_ASYNC_DIO | FUSE_INIT_EXT),
		.max_background = d->at_once,
		.congestion_threshold = d->at_once,
		.max_write = LONGEST_BYTES,
		.time_gran = 1,
		.max_pages = LONGEST_BYTES / 4096,
	};

	if (init->minor < out.minor)
		out.minor = init->minor;
	send_answer(d, in->unique, 0, &out, sizeof(out));
}

static void serve(struct disk *d)
{
	const struct fuse_in_header *in = (const void *)d->request;
	const void *body = in + 1;
	const struct fuse_fallocate_in *space = body;
	const struct fuse_statfs_out space_left = {.st = {.bsize = 4096, .namelen = 255}};
	struct fuse_open_out opened = {.open_flags =
					       FOPEN_DIRECT_IO | FOPEN_PARALLEL_DIRECT_WRITES};

	switch (in->opcode) {
	case FUSE_INIT:
		start(d, in, body);
		break;
	case FUSE_GETATTR:
	case FUSE_SETATTR:
		tell_attributes(d, in);
		break;
	case FUSE_STATFS:
		send_answer(d, in->unique, 0, &space_left, sizeof(space_left));
		break;
	case FUSE_OPEN:
		send_answer(d, in->unique, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
	case FUSE_WRITE:
		read_or_write(d, in, body);
		break;
	case FUSE_FALLOCATE:
		delay(d, in, d->write_ns,
		      fallocate(d->backing, (int)space->mode, (off_t)space->offset,
				(off_t)space->length),
		      0);
		break;
	case FUSE_FSYNC:
		delay(d, in, d->flush_ns, fdatasync(d->backing), 0);
		break;
	case FUSE_FLUSH:
	case FUSE_RELEASE:
	case FUSE_ACCESS:
	case FUSE_DESTROY:
		send_answer(d, in->unique, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		send_answer(d, in->unique, ENOSYS, NULL, 0);
	}
}

static void run(struct disk *d)
{
	struct pollfd fd = {.fd = d->fuse, .events = POLLIN};

	for (;;) {
		uint64_t next_ns = send_due(d), now_ns = clock_ns();
		uint64_t wait_ns = next_ns > now_ns ? next_ns - now_ns : 0;
		struct timespec wait = {.tv_sec = (time_t)(wait_ns / NSEC_PER_SEC),
					.tv_nsec = (long)(wait_ns % NSEC_PER_SEC)};
		ssize_t bytes;

		if (ppoll(&fd, 1, next_ns == UINT64_MAX ? NULL : &wait, NULL) <= 0)
			continue;
		bytes = read(d->fuse, d->request, sizeof(d->request));
		if (bytes < 0 && errno == ENODEV)
			return;
		if (bytes < 0 && errno != EINTR && errno != EAGAIN && errno != ENOENT)
			die("/dev/fuse");
		if (bytes > 0)
			serve(d);
	}
}

int main(int argc, char **argv)
{
	static struct disk disk;
	struct sched_param priority = {.sched_priority = 1};
	char options[128];
	struct stat st;

	disk.at_once = argc >= 7 ? (uint16_t)strtoul(argv[6], NULL, 10) : 1024;
	disk.bad = argc == 8 ? strtoull(argv[7], NULL, 10) : UINT64_MAX;
	if (argc < 6 || argc > 8 || !disk.at_once) {
		fprintf(stderr,
			"usage: slow_disk BACKING MOUNT READ_US WRITE_US FLUSH_US [AT_ONCE [BAD]]\n");
		return 2;
	}
	disk.backing = open(argv[1], O_RDWR | O_CLOEXEC);
	if (disk.backing < 0 || fstat(disk.backing, &st))
		die(argv[1]);
	disk.bytes = (uint64_t)st.st_size;
	disk.read_ns = strtoull(argv[3], NULL, 10) * NSEC_PER_USEC;
	disk.write_ns = strtoull(argv[4], NULL, 10) * NSEC_PER_USEC;
	disk.flush_ns = strtoull(argv[5], NULL, 10) * NSEC_PER_USEC;
	disk.fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (disk.fuse < 0)
		die("/dev/fuse");
	snprintf(options, sizeof(options), "fd=%d,rootmode=100600,user_id=0,group_id=0", disk.fuse);
	if (mount("slow_disk", argv[2], "fuse", MS_NOSUID | MS_NODEV, options))
		die(argv[2]);
	/* Must not wait for memory that is freed by writing to this very disk. */
	mlockall(MCL_CURRENT | MCL_FUTURE);
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	/* A disk does not wait for a CPU. If this is refused, this one does. */
	sched_setscheduler(0, SCHED_FIFO, &priority);
	puts("ready");
	fflush(stdout);
	run(&disk);
	return 0;
}
