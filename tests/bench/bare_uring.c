/*
 * The least that io_uring needs: a loop of random direct reads, to hold a replay as fast as
 * possible against. The same flags, depth, registered buffers and file, and as the engine it
 * submits whatever has room and waits for one completion.
 *
 *     bare_uring DEVICE BYTES COUNT DEPTH      prints "IOPS USER-NS-PER-IO SYSTEM-NS-PER-IO"
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <liburing.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define DEPTH_MAX 1024
#define BATCH_MAX 64

static void fail(const char *what, int err)
{
	fprintf(stderr, "bare_uring: %s: %s\n", what, strerror(err < 0 ? -err : err));
	exit(1);
}

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	return z ^ (z >> 31);
}

static void setup(struct io_uring *ring, int *fd, uint8_t **memory, uint64_t bytes, unsigned depth)
{
	static const unsigned int attempts[] = {
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, 0};
	struct iovec iovec;
	int err = -EINVAL;

	for (unsigned int i = 0; i < 2 && err == -EINVAL; i++)
		err = io_uring_queue_init(2 * DEPTH_MAX, ring, attempts[i]);
	if (err)
		fail("io_uring", err);
	if (posix_memalign((void **)memory, 4096, bytes * depth))
		fail("memory", ENOMEM);
	iovec = (struct iovec){*memory, bytes * depth};
	err = io_uring_register_buffers(ring, &iovec, 1);
	if (!err)
		err = io_uring_register_files(ring, fd, 1);
	if (err)
		fail("registration", err);
}

int main(int argc, char **argv)
{
	uint64_t bytes, count, depth, issued = 0, completed = 0, state = 23, places;
	unsigned int free_slots[DEPTH_MAX], free_count;
	struct timespec start, end;
	struct rusage usage;
	struct io_uring ring;
	uint8_t *memory;
	double elapsed;
	off_t size;
	int fd;

	if (argc != 5)
		return 2;
	bytes = strtoull(argv[2], NULL, 10);
	count = strtoull(argv[3], NULL, 10);
	depth = strtoull(argv[4], NULL, 10);
	fd = open(argv[1], O_RDONLY | O_DIRECT);
	size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	if (size < 0 || !bytes || !depth || depth > DEPTH_MAX)
		fail(argv[1], errno);
	places = (uint64_t)size / bytes;
	setup(&ring, &fd, &memory, bytes, (unsigned int)depth);
	for (free_count = 0; free_count < depth; free_count++)
		free_slots[free_count] = free_count;
	clock_gettime(CLOCK_MONOTONIC, &start);
	while (completed < count) {
		struct io_uring_cqe *cqes[BATCH_MAX];
		unsigned int batch = 0, got;
		int err;

		while (free_count && issued < count && batch++ < BATCH_MAX) {
			struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
			unsigned int slot = free_slots[--free_count];

			io_uring_prep_read_fixed(sqe, 0, memory + slot * bytes, (unsigned int)bytes,
						 next_random(&state) % places * bytes, 0);
			sqe->flags |= IOSQE_FIXED_FILE;
			io_uring_sqe_set_data64(sqe, slot);
			issued++;
		}
		err = io_uring_submit_and_wait(&ring, 1);
		if (err < 0 && err != -EINTR)
			fail("submit", err);
		got = io_uring_peek_batch_cqe(&ring, cqes, BATCH_MAX);
		for (unsigned int i = 0; i < got; i++) {
			if (cqes[i]->res != (int)bytes)
				fail("read", cqes[i]->res);
			free_slots[free_count++] = (unsigned int)io_uring_cqe_get_data64(cqes[i]);
		}
		io_uring_cq_advance(&ring, got);
		completed += got;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	getrusage(RUSAGE_SELF, &usage);
	elapsed = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
	printf("%.0f %.0f %.0f\n", (double)count / elapsed,
	       seconds(&usage.ru_utime) * 1e9 / (double)count,
	       seconds(&usage.ru_stime) * 1e9 / (double)count);
	return 0;
}
