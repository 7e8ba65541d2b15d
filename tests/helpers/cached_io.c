// SPDX-License-Identifier: MIT
/*
 * Reads or writes a file through the page cache and prints which pages each operation found there.
 * Before an operation cachestat(2) counts its pages in the cache, and mincore(2) those that hold data.
 *
 *   cached_io HOW ORDER FILE BYTES COUNT [FIRST [READERS]]
 *
 * HOW      read pread readv preadv sendfile splice uring uring-deep mmap write pwrite;
 *          truncate, unlink: pread; halfway the file is cut to a half, or its name is removed;
 *          aio-write uring-write: the same by libaio's system calls and by io_uring;
 *          uring-write-async: by a worker of io_uring;
 *          copy-from copy-to: copy_file_range to and from a file without a name;
 *          late: pread, each when its first page is in the cache without data;
 *          nowait: preadv2 with RWF_NOWAIT; efault, efault-half: pread into memory that the process
 *          cannot write, or of which it can write the first half
 * ORDER    forward random backward twice (operation i is at a multiple of BYTES: FIRST + i, shuffled,
 *          FIRST - i, FIRST + i / 2)
 * BYTES    of an operation; mmap touches a byte in each page of it
 * READERS  processes that do all of it at once; absent pages are unknown then
 *
 * Prints operations, bytes, pages, absent (pages not in the cache before their operation), empty
 * (pages in the cache without data: under read), before and cached (pages of the file in the cache
 * at the start and at the end), dirty (at the end), faults (page faults of the task in all operations).
 * The file named by CACHED_IO_LOG receives offset, bytes, pages and absent of each operation.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <liburing.h>
#include <linux/aio_abi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define CACHESTAT    451 /* Linux 6.5 */
#define RING_ENTRIES 8

struct job {
	const char *how, *order, *path;
	int fd, null, nameless, pipe[2];
	aio_context_t aio;
	uint64_t bytes, count, first, *slots;
	off_t size;
	char *buffer;
	char *hole;	    /* of `bytes`, none or half of which can be written */
	unsigned char *map; /* of the whole file */
	unsigned char *resident;
	struct io_uring ring;
	FILE *log; /* NULL: none */
	long page;
	uint64_t before;
};

struct cachestat {
	uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

struct tally {
	uint64_t operations, bytes, pages, absent, empty, faults;
};

static void fail(const char *what)
{
	fprintf(stderr, "cached_io: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static void order(struct job *job)
{
	uint64_t state = 1013;

	job->slots = malloc(job->count * sizeof(*job->slots));
	if (!job->slots)
		fail("memory");
	for (uint64_t i = 0; i < job->count; i++) {
		job->slots[i] = job->first + i;
		if (!strcmp(job->order, "backward"))
			job->slots[i] = job->first - i;
		if (!strcmp(job->order, "twice"))
			job->slots[i] = job->first + i / 2;
	}
	for (uint64_t i = job->count - 1; !strcmp(job->order, "random") && i > 0; i--) {
		uint64_t j = next_random(&state) % (i + 1), swap = job->slots[i];

		job->slots[i] = job->slots[j];
		job->slots[j] = swap;
	}
}

static bool is(const struct job *job, const char *how)
{
	return !strcmp(job->how, how);
}

static bool is_write(const struct job *job)
{
	return strstr(job->how, "write") || is(job, "copy-to");
}

static ssize_t read_without_waiting(struct job *job, off_t at)
{
	struct iovec whole = {job->buffer, job->bytes};
	ssize_t done = preadv2(job->fd, &whole, 1, at, RWF_NOWAIT);

	return done < 0 && errno == EAGAIN ? 0 : done;
}

static ssize_t read_into_hole(struct job *job, off_t at)
{
	ssize_t done = pread(job->fd, job->hole, job->bytes, at);

	return done < 0 && errno == EFAULT ? 0 : done;
}

/* Bytes of an operation that it can wait for. */
static uint64_t readable(const struct job *job)
{
	if (is(job, "nowait") || is(job, "efault"))
		return 0;
	return is(job, "efault-half") ? job->bytes / 2 : job->bytes;
}

/* Through a pipe, which holds 64 KiB. */
static ssize_t splice_all(struct job *job, off_t at)
{
	ssize_t done = 0, in, out;

	while ((uint64_t)done < job->bytes) {
		in = splice(job->fd, &at, job->pipe[1], NULL, job->bytes - (size_t)done, 0);
		if (in <= 0)
			return in < 0 ? in : done;
		for (ssize_t left = in; left; left -= out) {
			out = splice(job->pipe[0], NULL, job->null, NULL, (size_t)left, 0);
			if (out <= 0)
				return -1;
		}
		done += in;
	}
	return done;
}

/* In `parts` parts, all in flight at once. */
static ssize_t by_uring_in_parts(struct job *job, off_t at, unsigned int parts)
{
	size_t part_bytes = job->bytes / parts;
	struct io_uring_cqe *cqe;
	ssize_t done = 0;

	for (unsigned int i = 0; i < parts; i++)
		io_uring_prep_read(io_uring_get_sqe(&job->ring), job->fd,
				   job->buffer + i * part_bytes, (unsigned int)part_bytes,
				   (__u64)at + i * part_bytes);
	io_uring_submit(&job->ring);
	for (unsigned int i = 0; i < parts; i++) {
		if (io_uring_wait_cqe(&job->ring, &cqe) || cqe->res < 0)
			fail("io_uring");
		done += cqe->res;
		io_uring_cqe_seen(&job->ring, cqe);
	}
	return done;
}

static ssize_t by_uring(struct job *job, off_t at)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&job->ring);
	struct io_uring_cqe *cqe;
	int done;

	if (is_write(job))
		io_uring_prep_write(sqe, job->fd, job->buffer, (unsigned int)job->bytes, (__u64)at);
	else
		io_uring_prep_read(sqe, job->fd, job->buffer, (unsigned int)job->bytes, (__u64)at);
	if (is(job, "uring-write-async"))
		sqe->flags |= IOSQE_ASYNC;
	io_uring_submit_and_wait(&job->ring, 1);
	if (io_uring_wait_cqe(&job->ring, &cqe))
		fail("io_uring");
	done = cqe->res;
	io_uring_cqe_seen(&job->ring, cqe);
	return done;
}

static ssize_t write_by_aio(struct job *job, off_t at)
{
	struct iocb block = {.aio_lio_opcode = IOCB_CMD_PWRITE,
			     .aio_fildes = (uint32_t)job->fd,
			     .aio_buf = (uint64_t)job->buffer,
			     .aio_nbytes = job->bytes,
			     .aio_offset = at};
	struct iocb *blocks[1] = {&block};
	struct io_event event = {0};

	if (!job->aio && syscall(SYS_io_setup, 1, &job->aio))
		fail("io_setup");
	if (syscall(SYS_io_submit, job->aio, 1, blocks) != 1 ||
	    syscall(SYS_io_getevents, job->aio, 1, 1, &event, NULL) != 1)
		fail("io_submit");
	return (ssize_t)event.res;
}

static ssize_t copy(int from, off_t at, int to, off_t to_at, size_t bytes)
{
	ssize_t done = 0, part;

	while ((size_t)done < bytes) {
		part = copy_file_range(from, &at, to, &to_at, bytes - (size_t)done, 0);
		if (part <= 0)
			return part < 0 ? part : done;
		done += part;
	}
	return done;
}

/* A sanitizer's access to its shadow memory would be a page fault as well. */
__attribute__((no_sanitize("address", "undefined"))) static ssize_t touch(struct job *job, off_t at)
{
	volatile unsigned char *map = job->map;
	ssize_t done = 0;

	for (; (uint64_t)done < job->bytes && at + done < job->size; done += job->page)
		(void)map[at + done];
	return done;
}

static ssize_t operate(struct job *job, off_t at)
{
	struct iovec halves[2] = {{job->buffer, job->bytes / 2},
				  {job->buffer + job->bytes / 2, job->bytes - job->bytes / 2}};

	if ((is(job, "read") || is(job, "readv") || is(job, "write")) &&
	    lseek(job->fd, at, SEEK_SET) < 0)
		fail("lseek");
	if (is(job, "read"))
		return read(job->fd, job->buffer, job->bytes);
	if (is(job, "pread") || is(job, "truncate") || is(job, "unlink") || is(job, "late"))
		return pread(job->fd, job->buffer, job->bytes, at);
	if (is(job, "readv"))
		return readv(job->fd, halves, 2);
	if (is(job, "preadv"))
		return preadv(job->fd, halves, 2, at);
	if (is(job, "sendfile"))
		return sendfile(job->null, job->fd, &at, job->bytes);
	if (is(job, "splice"))
		return splice_all(job, at);
	if (is(job, "uring") || is(job, "uring-write") || is(job, "uring-write-async"))
		return by_uring(job, at);
	if (is(job, "aio-write"))
		return write_by_aio(job, at);
	if (is(job, "copy-from"))
		return copy(job->fd, at, job->nameless, at, job->bytes);
	if (is(job, "copy-to"))
		return copy(job->nameless, 0, job->fd, at, job->bytes);
	if (is(job, "uring-deep"))
		return by_uring_in_parts(job, at, RING_ENTRIES);
	if (is(job, "mmap"))
		return touch(job, at);
	if (is(job, "nowait"))
		return read_without_waiting(job, at);
	if (is(job, "efault") || is(job, "efault-half"))
		return read_into_hole(job, at);
	if (is(job, "write"))
		return write(job->fd, job->buffer, job->bytes);
	if (is(job, "pwrite"))
		return pwrite(job->fd, job->buffer, job->bytes, at);
	errno = EINVAL;
	fail(job->how);
	return -1;
}

static struct cachestat cachestat_of(const struct job *job, off_t from, off_t to)
{
	uint64_t range[2] = {(uint64_t)from, (uint64_t)(to - from)};
	struct cachestat stat = {0};

	if (syscall(CACHESTAT, job->fd, range, &stat, 0))
		fail("cachestat");
	return stat;
}

/* Only pages before the end of the file can be cached. */
static void look(struct job *job, off_t at, struct tally *tally)
{
	off_t from = at / job->page * job->page, to = at + (off_t)readable(job);
	uint64_t pages, cached, held = 0;

	if (to > job->size)
		to = job->size;
	if (to <= from)
		return;
	pages = (uint64_t)((to - from + job->page - 1) / job->page);
	/* In this order a page that arrives in between does not count as one without data. */
	cached = cachestat_of(job, from, to).cached;
	if (mincore(job->map + from, (size_t)(to - from), job->resident))
		fail("mincore");
	for (uint64_t p = 0; p < pages; p++)
		held += job->resident[p] & 1;
	tally->absent += pages - cached;
	tally->empty += cached > held ? cached - held : 0;
}

static uint64_t faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
}

/* At most half a minute. */
static void await_page(struct job *job, off_t at)
{
	at = at / job->page * job->page;
	for (int i = 0; i < 30000; i++) {
		if (cachestat_of(job, at, at + job->page).cached) {
			if (mincore(job->map + at, (size_t)job->page, job->resident))
				fail("mincore");
			if (!(job->resident[0] & 1))
				return;
		}
		usleep(1000);
	}
	errno = ETIME;
	fail("late");
}

static void halfway(struct job *job)
{
	if (is(job, "truncate")) {
		job->size /= 2;
		if (truncate(job->path, job->size))
			fail("truncate");
	}
	if (is(job, "unlink") && unlink(job->path))
		fail("unlink");
}

static void work(struct job *job, struct tally *tally, bool looks)
{
	for (uint64_t i = 0; i < job->count; i++) {
		off_t at = (off_t)(job->slots[i] * job->bytes);
		uint64_t before, absent = tally->absent, pages = 0;
		ssize_t done;

		if (i == job->count / 2)
			halfway(job);
		if (is(job, "late"))
			await_page(job, at);
		if (looks && !is_write(job))
			look(job, at, tally);
		before = faults();
		done = operate(job, at);
		tally->faults += faults() - before;
		if (done < 0)
			fail(job->how);
		tally->operations++;
		tally->bytes += (uint64_t)done;
		if (done)
			pages = (uint64_t)((at + done - 1) / job->page - at / job->page + 1);
		tally->pages += pages;
		if (job->log)
			fprintf(job->log, "%lld %zd %" PRIu64 " %" PRIu64 "\n", (long long)at, done,
				pages, tally->absent - absent);
	}
}

static void open_nameless(struct job *job)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%s", job->path);
	*strrchr(folder, '/') = '\0';
	job->nameless = open(folder, O_TMPFILE | O_RDWR, 0600);
	if (job->nameless < 0 ||
	    pwrite(job->nameless, job->buffer, job->bytes, 0) != (ssize_t)job->bytes)
		fail(folder);
}

static void open_job(struct job *job)
{
	int advice = !strcmp(job->order, "random") ? POSIX_FADV_RANDOM : POSIX_FADV_NORMAL;

	job->page = sysconf(_SC_PAGESIZE);
	job->fd = open(job->path, is_write(job) ? O_RDWR | O_CREAT : O_RDONLY, 0600);
	job->null = open("/dev/null", O_WRONLY);
	if (job->fd < 0 || job->null < 0 || pipe(job->pipe))
		fail(job->path);
	job->size = lseek(job->fd, 0, SEEK_END);
	job->resident = malloc(job->bytes / (uint64_t)job->page + 2);
	if (!job->resident || posix_memalign((void **)&job->buffer, 4096, job->bytes))
		fail("memory");
	memset(job->buffer, 'c', job->bytes);
	job->hole = mmap(NULL, job->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (job->hole == MAP_FAILED ||
	    (is(job, "efault-half") && mprotect(job->hole, job->bytes / 2, PROT_READ | PROT_WRITE)))
		fail("memory");
	if (posix_fadvise(job->fd, 0, 0, advice))
		fail("posix_fadvise");
	if (strstr(job->how, "copy"))
		open_nameless(job);
	if (strstr(job->how, "uring") && io_uring_queue_init(RING_ENTRIES, &job->ring, 0))
		fail("io_uring");
	if (!job->size)
		return;
	job->map = mmap(NULL, (size_t)job->size, PROT_READ, MAP_SHARED, job->fd, 0);
	if (job->map == MAP_FAILED)
		fail("mmap");
	if (is(job, "mmap") &&
	    madvise(job->map, (size_t)job->size,
		    !strcmp(job->order, "random") ? MADV_RANDOM : MADV_SEQUENTIAL))
		fail("madvise");
}

static void print(const struct job *job, const struct tally *tally, unsigned long readers)
{
	struct cachestat stat = cachestat_of(job, 0, 0);

	printf("operations=%" PRIu64 "\nbytes=%" PRIu64 "\npages=%" PRIu64 "\n",
	       tally->operations * readers, tally->bytes * readers, tally->pages * readers);
	if (readers == 1)
		printf("absent=%" PRIu64 "\nempty=%" PRIu64 "\nfaults=%" PRIu64 "\n", tally->absent,
		       tally->empty, tally->faults);
	printf("before=%" PRIu64 "\ncached=%" PRIu64 "\ndirty=%" PRIu64 "\n", job->before,
	       stat.cached, stat.dirty);
}

int main(int argc, char **argv)
{
	unsigned long readers = argc > 7 ? strtoul(argv[7], NULL, 10) : 1;
	struct tally tally = {0};
	struct job job = {0};
	int status;

	if (argc < 6 || argc > 8 || !readers || readers > 64) {
		fprintf(stderr, "usage: cached_io HOW ORDER FILE BYTES COUNT [FIRST [READERS]]\n");
		return 2;
	}
	job.path = argv[3];
	job.how = argv[1];
	job.order = argv[2];
	job.bytes = strtoull(argv[4], NULL, 10);
	job.count = strtoull(argv[5], NULL, 10);
	job.first = argc > 6 ? strtoull(argv[6], NULL, 10) : 0;
	if (!job.bytes || !job.count)
		return 2;
	if (getenv("CACHED_IO_LOG")) {
		job.log = fopen(getenv("CACHED_IO_LOG"), "w");
		if (!job.log)
			fail("CACHED_IO_LOG");
	}
	order(&job);
	open_job(&job);
	job.before = cachestat_of(&job, 0, 0).cached;
	for (unsigned long i = 1; i < readers; i++) {
		if (fork())
			continue;
		/* Its own open file, which has its own readahead state. */
		open_job(&job);
		work(&job, &tally, false);
		_exit(0);
	}
	work(&job, &tally, readers == 1);
	for (unsigned long i = 1; i < readers; i++)
		if (wait(&status) < 0 || status)
			fail("a reader");
	print(&job, &tally, readers);
	if (job.log)
		fclose(job.log);
	free(job.slots);
	free(job.resident);
	free(job.buffer);
	return 0;
}
