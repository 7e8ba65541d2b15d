/* SPDX-License-Identifier: MIT */
/*
 * Loads and attaches the probes that this kernel supports, and reads their records and counts. The
 * only user of the skeleton.
 */
#ifndef BLKREEL_COLLECTOR_PROBES_PROBES_H
#define BLKREEL_COLLECTOR_PROBES_PROBES_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/bio.h"
#include "bpf/event.h"
#include "bpf/waits.h"
#include "collector/host/devices.h"
#include "collector/options.h"
#include "trace/rows.h"

struct probes;

struct probes_options {
	const struct device_choice *devices;
	unsigned int device_count; /* 0: all disks */
	uint32_t ops;		   /* record only these: a bit for each enum io_op; 0: all */
	unsigned int parts;	   /* enum probe_part */
	bool watch_below;	   /* also record the devices that bios are sent on to */
	enum cache_totals cache_totals;
	uint32_t pid;
	uint64_t cgroup_id;
	uint64_t ring_bytes; /* per CPU, a power of two; 0: the default */
};

/* Routes messages of libbpf to the log, with -v. */
void probes__route_messages(void);

/* Opens and loads the probes. On error `message` holds a sentence. 0 or negative errno. */
int probes__load(const struct probes_options *options, struct probes **probes,
		 char message[COLLECTOR_MESSAGE_MAX]);
/* Attaches all loaded programs. On error `message` holds a sentence. 0 or negative errno. */
int probes__attach(struct probes *p, char message[COLLECTOR_MESSAGE_MAX]);
/* Whether loading failed with `err` because of the limit of open files, which libbpf does not
 * always report. */
bool probes__too_few_files(int err);
#define PROBES_TOO_FEW_FILES \
	"the limit of open files is too low for the probes: raise it (ulimit -n 1024)"
/* Tests whether bpf(2) still lets the probes (`context`) be read: 0, or -EPERM where the kernel
 * asks for CAP_BPF even for that (kernel.unprivileged_bpf_disabled before Linux 5.19). */
int probes__are_readable(void *context);
/* Attached probes record nothing until resumed. Paused again, they follow the requests that they
 * know to their end and take no new ones. */
void probes__resume(struct probes *p);
void probes__pause(struct probes *p);
/* Detaches: no event comes after this returns; records in the rings can still be drained. */
void probes__detach(struct probes *p);
void probes__free(struct probes *p); /* NULL is allowed */

/* Receives records. Both functions return 0 or negative errno. */
struct probes_receiver {
	int (*record)(void *context, void *data, size_t bytes);
	/* A record of a request, which stays in place until probes__release_requests(). NULL:
	 * without PROBE_REQUESTS. */
	int (*request)(void *context, const struct io_event *event);
};

/* Waits up to timeout_ms for records; returns early when a ring fills or a signal comes. 0 or
 * negative errno. */
int probes__wait(struct probes *p, int timeout_ms);
/* Hands the available records to `receiver`. Of very many records only the early part: all that
 * ended up to probes__drained_ns(), and some that ended later. Call probes__drain_more() until
 * probes__drained_ns() is UINT64_MAX. 0 or negative errno. */
int probes__drain(struct probes *p, const struct probes_receiver *receiver, void *context);
int probes__drain_more(struct probes *p, const struct probes_receiver *receiver, void *context);
uint64_t probes__drained_ns(const struct probes *p);
/* Returns the space of the handed-out records of requests to the probes. */
void probes__release_requests(struct probes *p);

/* Calls `each` for every entry of the page-cache account, counted in the kernel's pages. 0 or
 * negative errno. */
int probes__each_account(struct probes *p,
			 int (*each)(const struct account_key *key, const struct account *account,
				     void *context),
			 void *context);
/* Removes an account; not while probes__each_account() walks along them. 0 or negative errno. */
int probes__forget_account(struct probes *p, const struct account_key *key);
/* The same, and hands out what it counted. 0; -ENOENT: there is no such account; other negative
 * errno. */
int probes__take_account(struct probes *p, const struct account_key *key, struct account *account);

/* The entries of tasks and of calls that did not block (record --waits). 0 or negative errno. */
int probes__each_wait_task(struct probes *p,
			   int (*each)(const struct wait_task *task, void *context), void *context);
int probes__each_wait_calls(struct probes *p,
			    int (*each)(const struct wait_calls_key *key,
					const struct wait_calls *calls, void *context),
			    void *context);
/* Deletes the entry of a task that has ended, and those of its calls. */
void probes__forget_wait_task(struct probes *p, uint32_t pid);
/* Switches to tasks that the kernel did not report; when they were is computed. */
uint64_t probes__computed_switches(const struct probes *p);
/* The addresses of a stack, the innermost first. Returns how many; 0: not known. */
unsigned int probes__wait_stack(const struct probes *p, uint32_t stack,
				uint64_t addresses[WAIT_STACK_DEPTH]);

/* Losses since attaching, by enum loss_class. None falls from one call to the next. */
void probes__losses(struct probes *p, uint64_t losses[LOSS_CLASS_COUNT]);
/* Records of requests dropped since attaching. Needs no system call. */
uint64_t probes__dropped(const struct probes *p);
/* Calls `each` for every device (encoded as in bpf/event.h) that dropped numbered records, with
 * their number since attaching. 0, negative errno, or the first result of `each` that is not 0. */
int probes__each_lost(const struct probes *p,
		      int (*each)(uint32_t device, uint64_t count, void *context), void *context);
/* Calls `each` for every request that was created and not completed. 0 or negative errno. */
int probes__each_request(struct probes *p, int (*each)(struct io_event *event, void *context),
			 void *context);
/* The counts of the bio probes: failed attempts that were repeated, and bios sent on without a
 * link. */
struct bio_counts probes__bio_counts(const struct probes *p);
/* The number of bios that are queued and not completed. */
uint64_t probes__bios_in_flight(struct probes *p);
/* Pages (of the kernel) that readahead added and nobody has touched yet. */
uint64_t probes__unread_pages(const struct probes *p);

#endif
