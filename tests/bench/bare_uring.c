// SPDX-License-Identifier: MIT
/*
 * A minimal io_uring loop of direct IOs, the peer of a replay: the same flags, depth, registered
 * buffers and file as the engine.
 *
 *     bare_uring DEVICE BYTES COUNT DEPTH        as fast as possible: submits while slots are free,
 *                                                waits for a quarter of DEPTH to complete
 *         prints "IOPS USER-NS-PER-IO SYSTEM-NS-PER-IO"
 *     bare_uring DEVICE BYTES COUNT DEPTH RATE   RATE reads a second, evenly spaced; always awake
 *         prints "LATENESS-P50-NS LATENESS-P99-NS SECONDS", lateness at the call that submits
 *     bare_uring DEVICE FILE DIVISOR             the same with the IOs of FILE, "due_ns op sector bytes"
 *                                                a line, due times to be divided by DIVISOR; up to 1,024
 *                                                in flight, which all use one buffer
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <liburing.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define DEPTH_MAX 1024
#define BATCH_MAX 64
#define NS_PER_S  1000000000ull

struct io {
	uint64_t due_ns, offset_bytes, bytes;
	bool writes;
};

struct load {
	struct io_uring ring;
	int fd;
	uint8_t *memory;
	uint64_t bytes, count, depth, rate, places;
	struct io *schedule; /* NULL: random reads */
	bool timed;
	uint64_t issued, completed, state, start_ns;
	uint64_t *late_ns; /* of each IO; timed */
	uint64_t slot_bytes[DEPTH_MAX];
	unsigned int free_slots[DEPTH_MAX], free_count;
};

static void fail(const char *what, int err)
{
	fprintf(stderr, "bare_uring: %s: %s\n", what, strerror(err < 0 ? -err : err));
	exit(1);
}

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
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

static void setup(struct load *l)
{
	static const unsigned int attempts[] = {
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, 0};
	struct iovec iovec;
	uint64_t memory_bytes;
	int err = -EINVAL;

	for (unsigned int i = 0; i < 2 && err == -EINVAL; i++)
		err = io_uring_queue_init(2 * DEPTH_MAX, &l->ring, attempts[i]);
	if (err)
		fail("io_uring", err);
	memory_bytes = l->schedule ? l->bytes : l->bytes * l->depth;
	if (posix_memalign((void **)&l->memory, 4096, memory_bytes))
		fail("memory", ENOMEM);
	memset(l->memory, 1, memory_bytes);
	iovec = (struct iovec){l->memory, memory_bytes};
	err = io_uring_register_buffers(&l->ring, &iovec, 1);
	if (!err)
		err = io_uring_register_files(&l->ring, &l->fd, 1);
	if (err)
		fail("registration", err);
	for (l->free_count = 0; l->free_count < l->depth; l->free_count++)
		l->free_slots[l->free_count] = l->free_count;
	if (!l->timed)
		return;
	l->late_ns = malloc(l->count * sizeof(*l->late_ns));
	if (!l->late_ns)
		fail("memory", ENOMEM);
	memset(l->late_ns, 1, l->count * sizeof(*l->late_ns));
}

static struct io io_of(struct load *l, uint64_t number)
{
	if (l->schedule)
		return l->schedule[number];
	return (struct io){.bytes = l->bytes,
			   .due_ns = l->timed ? number * NS_PER_S / l->rate : 0,
			   .offset_bytes = next_random(&l->state) % l->places * l->bytes};
}

static void queue_io(struct load *l, const struct io *io)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&l->ring);
	unsigned int slot = l->free_slots[--l->free_count];
	uint8_t *memory = l->schedule ? l->memory : l->memory + slot * l->bytes;

	if (io->writes)
		io_uring_prep_write_fixed(sqe, 0, memory, (unsigned int)io->bytes, io->offset_bytes,
					  0);
	else
		io_uring_prep_read_fixed(sqe, 0, memory, (unsigned int)io->bytes, io->offset_bytes,
					 0);
	sqe->flags |= IOSQE_FIXED_FILE;
	io_uring_sqe_set_data64(sqe, slot);
	l->slot_bytes[slot] = io->bytes;
	l->issued++;
}

/* Queues due IOs while slots are free, up to one batch; returns their number, *next is the IO after. */
static unsigned int queue_ios(struct load *l, struct io *next)
{
	uint64_t now_ns = l->timed ? clock_ns() - l->start_ns : 0;
	unsigned int batch = 0;

	while (l->free_count && l->issued < l->count && batch < BATCH_MAX &&
	       next->due_ns <= now_ns) {
		if (l->timed)
			l->late_ns[l->issued] = next->due_ns;
		queue_io(l, next);
		batch++;
		if (l->issued < l->count)
			*next = io_of(l, l->issued);
	}
	return batch;
}

static void reap(struct load *l)
{
	struct io_uring_cqe *cqes[BATCH_MAX];
	unsigned int got = io_uring_peek_batch_cqe(&l->ring, cqes, BATCH_MAX);

	for (unsigned int i = 0; i < got; i++) {
		unsigned int slot = (unsigned int)io_uring_cqe_get_data64(cqes[i]);

		if (cqes[i]->res != (int)l->slot_bytes[slot])
			fail("an IO", cqes[i]->res < 0 ? cqes[i]->res : EIO);
		l->free_slots[l->free_count++] = slot;
	}
	io_uring_cq_advance(&l->ring, got);
	l->completed += got;
}

/* Completions to wait for: as many as the replay waits for. */
static unsigned int batch_to_wait_for(const struct load *l)
{
	uint64_t in_flight = l->issued - l->completed;
	uint64_t batch = l->depth / 4 < 1 ? 1 : l->depth / 4;

	return (unsigned int)(batch < in_flight ? batch : in_flight);
}

static void run(struct load *l)
{
	struct io next = io_of(l, 0);
	int err;

	l->start_ns = clock_ns();
	while (l->completed < l->count) {
		unsigned int batch = queue_ios(l, &next);
		uint64_t now_ns = l->timed && batch ? clock_ns() - l->start_ns : 0;

		for (uint64_t i = l->issued - batch; l->timed && i < l->issued; i++)
			l->late_ns[i] = now_ns - l->late_ns[i];
		err = l->timed ? io_uring_submit_and_get_events(&l->ring)
			       : io_uring_submit_and_wait(&l->ring, batch_to_wait_for(l));
		if (err < 0 && err != -EINTR)
			fail("submit", err);
		reap(l);
	}
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void print_results(struct load *l, double elapsed_s)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	if (l->timed) {
		qsort(l->late_ns, l->count, sizeof(*l->late_ns), compare);
		printf("%" PRIu64 " %" PRIu64 " %.6f\n", l->late_ns[l->count / 2],
		       l->late_ns[l->count * 99 / 100], elapsed_s);
	} else {
		printf("%.0f %.0f %.0f\n", (double)l->count / elapsed_s,
		       seconds(&usage.ru_utime) * 1e9 / (double)l->count,
		       seconds(&usage.ru_stime) * 1e9 / (double)l->count);
	}
}

/* Sets l->bytes to the length of the longest IO. */
static void read_schedule(struct load *l, const char *path, uint64_t divisor)
{
	uint64_t capacity = 0, sector;
	FILE *file = fopen(path, "r");
	struct io io;
	char op[16];

	if (!file || !divisor)
		fail(path, file ? EINVAL : errno);
	while (fscanf(file, "%" SCNu64 " %15s %" SCNu64 " %" SCNu64, &io.due_ns, op, &sector,
		      &io.bytes) == 4) {
		if (l->count == capacity) {
			capacity = capacity ? 2 * capacity : 4096;
			l->schedule = realloc(l->schedule, capacity * sizeof(*l->schedule));
			if (!l->schedule)
				fail("memory", ENOMEM);
		}
		io.due_ns /= divisor;
		io.offset_bytes = sector * 512;
		io.writes = !strcmp(op, "write");
		if (io.bytes > l->bytes)
			l->bytes = io.bytes;
		l->schedule[l->count++] = io;
	}
	if (!feof(file) || !l->count)
		fail(path, EINVAL);
	fclose(file);
}

int main(int argc, char **argv)
{
	static struct load l = {.state = 23, .depth = DEPTH_MAX};
	off_t size;

	if (argc < 4 || argc > 6)
		return 2;
	if (argc == 4) {
		read_schedule(&l, argv[2], strtoull(argv[3], NULL, 10));
	} else {
		l.bytes = strtoull(argv[2], NULL, 10);
		l.count = strtoull(argv[3], NULL, 10);
		l.depth = strtoull(argv[4], NULL, 10);
		l.rate = argc == 6 ? strtoull(argv[5], NULL, 10) : 0;
	}
	l.timed = l.schedule || l.rate;
	l.fd = open(argv[1], (l.schedule ? O_RDWR : O_RDONLY) | O_DIRECT);
	size = l.fd < 0 ? -1 : lseek(l.fd, 0, SEEK_END);
	if (size < 0 || !l.bytes || !l.count || !l.depth || l.depth > DEPTH_MAX)
		fail(argv[1], errno ? errno : EINVAL);
	l.places = (uint64_t)size / l.bytes;
	setup(&l);
	/* As in the replay: a thread that is always awake has no real-time priority. */
	if (l.timed && setpriority(PRIO_PROCESS, 0, -20))
		fail("priority", errno);
	run(&l);
	print_results(&l, (double)(clock_ns() - l.start_ns) / 1e9);
	return 0;
}
