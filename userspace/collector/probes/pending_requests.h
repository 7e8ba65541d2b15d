/* SPDX-License-Identifier: MIT */
/* The requests that the probes remember at the end: created and, as far as the probes know, not
 * completed. */
#ifndef BLKREEL_COLLECTOR_PROBES_PENDING_REQUESTS_H
#define BLKREEL_COLLECTOR_PROBES_PENDING_REQUESTS_H

#include <stdint.h>

#include "bpf/event.h"

/* Calls `each` for every request in the slots and in the overflow table, as the record that its
 * completion would have sent. 0, negative errno, or the first result of `each` that is not 0. */
int pending_requests__each(int slots_fd, uint32_t slot_count, int others_fd,
			   int (*each)(struct io_event *event, void *context), void *context);

#endif
