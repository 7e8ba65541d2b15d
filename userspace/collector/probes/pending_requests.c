// SPDX-License-Identifier: MIT
#include "collector/probes/pending_requests.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>

static struct io_event as_event(const struct request_state *state)
{
	struct io_event event = {
		.type = EVENT_IO,
		.flags = state->flags,
		.created_ns = state->created_ns,
		.inserted_ns = state->flags & IO_EVENT_INSERTED ? state->inserted_ns : 0,
		.issued_ns = state->issued_ns,
		.sector = state->sector,
		.bytes = state->bytes,
		.device = state->device,
		.cmd_flags = state->cmd_flags,
		.pid = state->pid,
		.tgid = state->tgid,
		.issue_number = state->issue_number,
		.cpu = state->cpu,
		.subject.origin = ORIGIN_NONE,
	};

	memcpy(event.comm, state->comm, sizeof(event.comm));
	if (state->flags & IO_EVENT_IN_PARTS) {
		event.status = state->status;
		event.merges = state->merges;
		event.subject = state->subject;
	}
	return event;
}

static int each_slot(int fd, uint32_t count, int (*each)(struct io_event *event, void *context),
		     void *context)
{
	size_t bytes = (size_t)count * sizeof(struct request_state);
	const struct request_state *slots = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	int err = 0;

	if (slots == MAP_FAILED)
		return -errno;
	for (uint32_t i = 0; i < count && !err; i++) {
		struct io_event event = as_event(&slots[i]);

		if (slots[i].key)
			err = each(&event, context);
	}
	munmap((void *)slots, bytes);
	return err;
}

static int each_other(int fd, int (*each)(struct io_event *event, void *context), void *context)
{
	struct request_state state;
	struct io_event event;
	uint64_t key, next;
	bool first = true;
	int err = 0;

	while (!err && !bpf_map_get_next_key(fd, first ? NULL : &key, &next)) {
		first = false;
		key = next;
		if (bpf_map_lookup_elem(fd, &key, &state))
			continue;
		event = as_event(&state);
		err = each(&event, context);
	}
	return err;
}

int pending_requests__each(int slots_fd, uint32_t slot_count, int others_fd,
			   int (*each)(struct io_event *event, void *context), void *context)
{
	int err = each_slot(slots_fd, slot_count, each, context);

	return err ? err : each_other(others_fd, each, context);
}
