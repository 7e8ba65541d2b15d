// SPDX-License-Identifier: MIT
#include "replay/engine/ring.h"

#include <errno.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/units.h"
#include "replay/source/zones.h"

/* Linux 6.12, include/uapi/linux/blkdev.h; older headers do not have it. */
#ifndef BLOCK_URING_CMD_DISCARD
#define BLOCK_URING_CMD_DISCARD _IO(0x12, 0)
#endif

/* Linux 6.11, include/uapi/linux/fs.h. */
#ifndef RWF_ATOMIC
#define RWF_ATOMIC 0x40
#endif

#define INVALID_OPCODE 0xff

/* How long the kernel's thread looks for submissions before it sleeps. */
#define SQPOLL_IDLE_MS 50

static unsigned int flags_with_sqpoll(unsigned int attempt)
{
	return IORING_SETUP_SQPOLL |
	       (attempt & (IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_SUBMIT_ALL));
}

/*
 * With SQPOLL an entry is free again when the kernel's thread has read it: there are two for each
 * IO in flight.
 */
static unsigned int entries_needed(const struct engine_options *options)
{
	if (!options->sqpoll || options->iodepth < ENGINE_BATCH_MAX)
		return 2 * ENGINE_BATCH_MAX;
	return 2 * options->iodepth;
}

static int setup_uring(struct engine_ring *r, const struct engine_options *options)
{
	/* Linux 6.1, 6.0, 5.19, 5.18 and before: the first that the kernel accepts is used. */
	static const unsigned int attempts[] = {
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
			IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_SUBMIT_ALL,
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG |
			IORING_SETUP_SUBMIT_ALL,
		IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_SUBMIT_ALL,
		IORING_SETUP_SUBMIT_ALL,
		0,
	};
	int err = -EINVAL;

	for (unsigned int i = 0; i < sizeof(attempts) / sizeof(attempts[0]) && err == -EINVAL;
	     i++) {
		struct io_uring_params params = {
			.flags = IORING_SETUP_CQSIZE |
				 (options->sqpoll ? flags_with_sqpoll(attempts[i]) : attempts[i]),
			.cq_entries = 2 * (options->iodepth + ENGINE_BATCH_MAX),
			.sq_thread_idle = SQPOLL_IDLE_MS,
		};

		err = io_uring_queue_init_params(entries_needed(options), &r->uring, &params);
	}
	return err;
}

static void uring_message(int err, bool sqpoll, char *message)
{
	if (err == -EPERM && sqpoll)
		snprintf(
			message, ENGINE_MESSAGE_MAX,
			"io_uring is not allowed to submit from a thread of the kernel (root only before "
			"Linux 5.11): leave out --sqpoll");
	else if (err == -EPERM || err == -ENOSYS)
		snprintf(message, ENGINE_MESSAGE_MAX,
			 "io_uring is not allowed here (%s): see sysctl kernel.io_uring_disabled "
			 "and the container's seccomp profile",
			 strerror(-err));
	else if (err == -ENOMEM)
		snprintf(
			message, ENGINE_MESSAGE_MAX,
			"io_uring cannot be set up: no memory (raise 'ulimit -l' or lower --iodepth)");
	else
		snprintf(message, ENGINE_MESSAGE_MAX, "io_uring cannot be set up: %s",
			 strerror(-err));
}

static bool ops_exist(struct engine_ring *r, const int *needed, unsigned int count)
{
	struct io_uring_probe *probe = io_uring_get_probe_ring(&r->uring);
	bool all = probe;

	for (unsigned int i = 0; all && i < count; i++)
		all = io_uring_opcode_supported(probe, needed[i]);
	io_uring_free_probe(probe);
	return all;
}

static void prepare_discard(struct engine_ring *r, struct io_uring_sqe *sqe, uint64_t offset_bytes,
			    uint64_t length_bytes)
{
	io_uring_prep_rw(IORING_OP_URING_CMD, sqe, r->fixed_file ? 0 : r->fd, NULL, 0, 0);
	sqe->cmd_op = BLOCK_URING_CMD_DISCARD;
	sqe->addr = offset_bytes;
	sqe->addr3 = length_bytes;
}

/*
 * An empty discard changes nothing. A kernel with the command refuses the length; one without it,
 * or a device that cannot discard, does not get that far. Before Linux 5.19 the op itself is
 * refused.
 */
static bool discard_command_exists(struct engine_ring *r)
{
	static const int op = IORING_OP_URING_CMD;
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	int result;

	if (!ops_exist(r, &op, 1))
		return false;
	sqe = io_uring_get_sqe(&r->uring);
	if (!sqe)
		return false;
	prepare_discard(r, sqe, 0, 0);
	if (r->fixed_file)
		sqe->flags |= IOSQE_FIXED_FILE;
	if (io_uring_submit_and_wait(&r->uring, 1) < 0 || io_uring_wait_cqe(&r->uring, &cqe))
		return false;
	result = cqe->res;
	io_uring_cqe_seen(&r->uring, cqe);
	return result == -EINVAL;
}

/* Uses registered memory and descriptors only if both rings have them. */
static void register_polled(struct engine_ring *r, const struct iovec *iovecs,
			    unsigned int iovec_count)
{
	if (!r->polled.open)
		return;
	if (r->fixed_file && io_uring_register_files(&r->polled.uring, &r->fd, 1)) {
		io_uring_unregister_files(&r->uring);
		r->fixed_file = false;
	}
	if (r->fixed_buffers)
		r->fixed_buffers =
			!io_uring_register_buffers(&r->polled.uring, iovecs, iovec_count);
	io_uring_register_ring_fd(&r->polled.uring);
}

static void prepare_read(struct engine_ring *r, struct io_uring_sqe *sqe, int fd,
			 const struct replay_io *io, uint32_t slot)
{
	void *into = buffers__read(r->buffers, slot);
	unsigned int bytes = (unsigned int)io->length_bytes;

	if (r->fixed_buffers && io->length_bytes <= r->fixed_bytes)
		io_uring_prep_read_fixed(sqe, fd, into, bytes, io->offset_bytes,
					 BUFFERS_READ_INDEX);
	else
		io_uring_prep_read(sqe, fd, into, bytes, io->offset_bytes);
	sqe->ioprio = io_priority__of(&r->priority, io);
}

static void prepare_write(struct engine_ring *r, struct io_uring_sqe *sqe, int fd,
			  const struct replay_io *io, uint32_t slot)
{
	const void *from = buffers__write(r->buffers, io, slot);
	unsigned int bytes = (unsigned int)io->length_bytes;

	/* An atomic write must not come from registered memory: -EINVAL. */
	if (r->fixed_buffers && !(io->flags & REPLAY_ATOMIC) && io->length_bytes <= r->fixed_bytes)
		io_uring_prep_write_fixed(sqe, fd, from, bytes, io->offset_bytes,
					  BUFFERS_WRITE_INDEX);
	else
		io_uring_prep_write(sqe, fd, from, bytes, io->offset_bytes);
	sqe->ioprio = io_priority__of(&r->priority, io);
	sqe->rw_flags = (io->flags & REPLAY_FUA ? RWF_DSYNC : 0) |
			(io->flags & REPLAY_ATOMIC ? RWF_ATOMIC : 0);
}

/* Most IOs differ in little: the rest is written once, here. */
static void prepare_plain(struct engine_ring *r)
{
	static const struct replay_io read = {.op = REPLAY_READ}, write = {.op = REPLAY_WRITE};
	int fd = r->fixed_file ? 0 : r->fd;

	prepare_read(r, &r->plain[REPLAY_READ], fd, &read, 0);
	prepare_write(r, &r->plain[REPLAY_WRITE], fd, &write, 0);
	for (unsigned int op = 0; op <= REPLAY_WRITE; op++)
		r->plain[op].flags |= r->fixed_file ? IOSQE_FIXED_FILE : 0;
}

static bool is_plain(const struct engine_ring *r, const struct replay_io *io)
{
	return io->op <= REPLAY_WRITE && !r->polled.open && io->length_bytes <= r->fixed_bytes &&
	       !(io->flags & (REPLAY_PREFLUSH | REPLAY_FUA | REPLAY_ATOMIC)) &&
	       ioprio_class(io->ioprio) == IO_CLASS_NONE;
}

static void queue_plain(struct engine_ring *r, const struct replay_io *io, uint32_t slot)
{
	const void *buffer = io->op == REPLAY_READ ? buffers__read(r->buffers, slot)
						   : buffers__write(r->buffers, io, slot);
	struct io_uring_sqe *sqe = io_uring_get_sqe(&r->uring);

	*sqe = r->plain[io->op];
	sqe->off = io->offset_bytes;
	sqe->addr = (uintptr_t)buffer;
	sqe->len = (uint32_t)io->length_bytes;
	sqe->user_data = slot;
}

int engine_ring__open(struct engine_ring *r, const struct engine_options *options,
		      struct buffers *buffers, char message[ENGINE_MESSAGE_MAX])
{
	static const int needed[] = {IORING_OP_READ, IORING_OP_WRITE, IORING_OP_FSYNC,
				     IORING_OP_FALLOCATE};
	const struct iovec *iovecs;
	unsigned int iovec_count;
	int err;

	*r = (struct engine_ring){
		.fd = options->fd, .block_device = options->block_device, .buffers = buffers};
	err = setup_uring(r, options);
	if (err) {
		uring_message(err, options->sqpoll, message);
		return err;
	}
	if (!ops_exist(r, needed, sizeof(needed) / sizeof(needed[0]))) {
		snprintf(message, ENGINE_MESSAGE_MAX,
			 "io_uring of this kernel is too old: Linux 5.6 or newer is needed");
		io_uring_queue_exit(&r->uring);
		return -EOPNOTSUPP;
	}
	r->waits_with_timeout = r->uring.features & IORING_FEAT_EXT_ARG;
	iovecs = buffers__iovecs(buffers, &iovec_count);
	if (options->iopoll) {
		err = polled_ring__open(&r->polled, options, message);
		if (err) {
			io_uring_queue_exit(&r->uring);
			return err;
		}
	}
	r->fixed_file = !io_uring_register_files(&r->uring, &r->fd, 1);
	/* Fails if the user may lock too little memory; that only costs speed. */
	r->fixed_buffers = !io_uring_register_buffers(&r->uring, iovecs, iovec_count);
	/*
	 * Before Linux 6.12, registered memory is a segment for each of its small pages, even if
	 * they are contiguous.
	 */
	r->fixed_bytes =
		options->limits.segments ? options->limits.segments * PAGE_BYTES : UINT64_MAX;
	/* Linux 5.18: saves a lookup in each system call. */
	io_uring_register_ring_fd(&r->uring);
	register_polled(r, iovecs, iovec_count);
	r->uring_discard = options->block_device && discard_command_exists(r);
	prepare_plain(r);
	return 0;
}

void engine_ring__close(struct engine_ring *r)
{
	/*
	 * The kernel frees a ring after the process is gone. A target that is registered with it
	 * would stay claimed for milliseconds, and the next replay would find it in use.
	 */
	if (r->fixed_file)
		io_uring_unregister_files(&r->uring);
	polled_ring__close(&r->polled);
	io_uring_queue_exit(&r->uring);
}

int engine_ring__blocking(const struct engine_ring *r, const struct replay_io *io)
{
	uint64_t range[2] = {io->offset_bytes, io->length_bytes};

	if (io->op == REPLAY_ZONE)
		return zones__ask(r->fd, io);
	return ioctl(r->fd, BLKDISCARD, range) ? -errno : 0;
}

static void prepare_flush_part(struct engine_ring *r, int fd, uint32_t slot)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&r->uring);

	io_uring_prep_fsync(sqe, fd, 0);
	sqe->flags |= IOSQE_IO_LINK | (r->fixed_file ? IOSQE_FIXED_FILE : 0);
	io_uring_sqe_set_data64(sqe, slot | ENGINE_RING_FLUSH_PART);
}

static void prepare_allocation(struct io_uring_sqe *sqe, int fd, int mode,
			       const struct replay_io *io)
{
	io_uring_prep_fallocate(sqe, fd, mode | FALLOC_FL_KEEP_SIZE, (off_t)io->offset_bytes,
				(off_t)io->length_bytes);
}

static void queue_special(struct engine_ring *r, const struct replay_io *io, uint32_t slot)
{
	bool polled = polled_ring__takes(&r->polled, io);
	int fd = r->fixed_file ? 0 : r->fd;
	struct io_uring_sqe *sqe;

	if (io->flags & REPLAY_PREFLUSH)
		prepare_flush_part(r, fd, slot);
	r->polled.queued += polled;
	sqe = io_uring_get_sqe(polled ? &r->polled.uring : &r->uring);
	switch ((enum replay_op)io->op) {
	case REPLAY_READ:
		prepare_read(r, sqe, fd, io, slot);
		break;
	case REPLAY_WRITE:
		prepare_write(r, sqe, fd, io, slot);
		break;
	case REPLAY_FLUSH:
		io_uring_prep_fsync(sqe, fd, 0);
		break;
	case REPLAY_DISCARD:
		if (r->block_device)
			prepare_discard(r, sqe, io->offset_bytes, io->length_bytes);
		else
			prepare_allocation(sqe, fd, FALLOC_FL_PUNCH_HOLE, io);
		break;
	case REPLAY_WRITE_ZEROES:
		/*
		 * On a device: the mode that the kernel does not replace by writes when it fails.
		 */
		prepare_allocation(
			sqe, fd, r->block_device ? FALLOC_FL_PUNCH_HOLE : FALLOC_FL_ZERO_RANGE, io);
		break;
	case REPLAY_SECURE_ERASE:
	case REPLAY_ZONE:
	case REPLAY_OTHER:
	case REPLAY_OP_COUNT:
		/*
		 * Such IOs were left out before; one that comes here anyway fails, so that it is
		 * counted.
		 */
		io_uring_prep_rw(INVALID_OPCODE, sqe, fd, NULL, 0, 0);
		break;
	}
	if (r->fixed_file)
		sqe->flags |= IOSQE_FIXED_FILE;
	io_uring_sqe_set_data64(sqe, slot);
}

void engine_ring__queue(struct engine_ring *r, const struct replay_io *io, uint32_t slot)
{
	if (is_plain(r, io))
		queue_plain(r, io, slot);
	else
		queue_special(r, io, slot);
}

void engine_ring__take_back(struct engine_ring *r, bool preflush)
{
	r->uring.sq.sqe_tail -= preflush ? 2 : 1;
}

int engine_ring__submit_and_wait(struct engine_ring *r, unsigned int count, uint64_t timeout_ns)
{
	struct __kernel_timespec timeout = {.tv_nsec = (long long)timeout_ns};
	struct io_uring_cqe *cqe;

	if (!r->waits_with_timeout)
		return io_uring_submit_and_wait(&r->uring, count);
	return io_uring_submit_and_wait_timeout(&r->uring, &cqe, count, &timeout, NULL);
}

int engine_ring__submit_then_wait(struct engine_ring *r, uint64_t timeout_ns)
{
	int submitted = io_uring_submit(&r->uring), err;

	if (submitted < 0 || io_uring_cq_ready(&r->uring))
		return submitted;
	err = engine_ring__submit_and_wait(r, 1, timeout_ns);
	return err < 0 ? err : submitted;
}
