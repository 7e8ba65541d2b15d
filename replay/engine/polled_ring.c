// SPDX-License-Identifier: MIT
#include "replay/engine/polled_ring.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/units.h"

#define PROBE_SECONDS 5

static int setup(struct polled_ring *p, const struct engine_options *options)
{
	/* Linux 6.1, 5.18 and before, as for the first ring. */
	static const unsigned int attempts[] = {
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_SUBMIT_ALL,
		IORING_SETUP_SUBMIT_ALL,
		0,
	};
	int err = -EINVAL;

	for (unsigned int i = 0; i < sizeof(attempts) / sizeof(attempts[0]) && err == -EINVAL;
	     i++) {
		struct io_uring_params params = {
			.flags = IORING_SETUP_IOPOLL | IORING_SETUP_CQSIZE | attempts[i],
			.cq_entries = 2 * (options->iodepth + ENGINE_BATCH_MAX),
		};

		err = io_uring_queue_init_params(ENGINE_BATCH_MAX, &p->uring, &params);
	}
	return err;
}

int polled_ring__look(struct polled_ring *p)
{
	int err = io_uring_get_events(&p->uring);

	return err < 0 && err != -EINTR && err != -EAGAIN && err != -EBUSY ? err : 0;
}

/* A read of no bytes: a device that cannot be polled refuses it before it checks the length. */
static int probe(struct polled_ring *p, int fd)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&p->uring);
	time_t end = time(NULL) + PROBE_SECONDS;
	struct io_uring_cqe *cqe;
	int err;

	io_uring_prep_read(sqe, fd, NULL, 0, 0);
	err = io_uring_submit(&p->uring);
	while (err >= 0 && io_uring_peek_cqe(&p->uring, &cqe)) {
		err = time(NULL) > end ? -ETIME : polled_ring__look(p);
	}
	if (err < 0)
		return err;
	err = cqe->res;
	io_uring_cqe_seen(&p->uring, cqe);
	return err;
}

int polled_ring__open(struct polled_ring *p, const struct engine_options *options,
		      char message[ENGINE_MESSAGE_MAX])
{
	int err;

	*p = (struct polled_ring){0};
	err = setup(p, options);
	if (err) {
		snprintf(message, ENGINE_MESSAGE_MAX,
			 "a polled io_uring cannot be set up: %s: leave out --iopoll",
			 strerror(-err));
		return err;
	}
	err = probe(p, options->fd);
	if (!err) {
		p->open = true;
		return 0;
	}
	io_uring_queue_exit(&p->uring);
	if (err == -EOPNOTSUPP)
		snprintf(message, ENGINE_MESSAGE_MAX,
			 "the target cannot be polled: its file system does not do that, or not "
			 "without O_DIRECT: leave out --iopoll");
	else
		snprintf(message, ENGINE_MESSAGE_MAX, "the target cannot be polled: %s",
			 strerror(-err));
	return err;
}

void polled_ring__close(struct polled_ring *p)
{
	if (!p->open)
		return;
	/* As for the first ring. */
	io_uring_unregister_files(&p->uring);
	io_uring_queue_exit(&p->uring);
	p->open = false;
}

int polled_ring__submit(struct polled_ring *p)
{
	int submitted = io_uring_submit(&p->uring);

	if (submitted < 0)
		return submitted;
	p->queued -= (uint32_t)submitted;
	p->in_flight += (uint32_t)submitted;
	return 0;
}
