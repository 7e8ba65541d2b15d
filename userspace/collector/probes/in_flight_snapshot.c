// SPDX-License-Identifier: MIT
#include "collector/probes/in_flight_snapshot.h"

#include <errno.h>
#include <stdlib.h>

#include <uthash.h>

#define ASKED_MAX (1u << 17)

struct in_flight_request {
	struct request_key {
		uint64_t created_ns, sector;
		uint32_t device, pid;
	} key;
	UT_hash_handle hh;
};

int in_flight_snapshot__note(const struct io_event *event, void *context)
{
	struct request_key key = {event->created_ns, event->sector, event->device, event->pid};
	struct in_flight_snapshot *f = context;
	struct in_flight_request *request;

	if (++f->asked > ASKED_MAX)
		return -ELOOP;
	if (event->created_ns > f->at_ns ||
	    (event->completed_ns && event->completed_ns <= f->at_ns))
		return 0;
	HASH_FIND(hh, f->requests, &key, sizeof(key), request);
	if (request)
		return 0;
	request = calloc(1, sizeof(*request));
	if (!request)
		return -ENOMEM;
	request->key = key;
	HASH_ADD(hh, f->requests, key, sizeof(request->key), request);
	return 0;
}

uint64_t in_flight_snapshot__count(const struct in_flight_snapshot *f)
{
	return HASH_COUNT(f->requests);
}

void in_flight_snapshot__release(struct in_flight_snapshot *f)
{
	struct in_flight_request *request, *next;

	HASH_ITER (hh, f->requests, request, next) {
		HASH_DEL(f->requests, request);
		free(request);
	}
}
