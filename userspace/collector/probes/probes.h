/* SPDX-License-Identifier: MIT */
/*
 * The probes in the kernel: which of them this kernel can carry, loaded and attached, and what
 * they count about themselves. The only user of the skeleton.
 */
#ifndef BLKREEL_COLLECTOR_PROBES_PROBES_H
#define BLKREEL_COLLECTOR_PROBES_PROBES_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/bio.h"
#include "collector/host/devices.h"
#include "collector/options.h"
#include "trace/rows.h"

struct probes;

struct probes_options {
	const struct device_choice *devices;
	unsigned int device_count; /* 0: every disk */
	uint32_t ops;		   /* a bit for each enum io_op that is wanted; 0: all */
	unsigned int parts;	   /* enum probe_part */
	bool watch_below;	   /* also record the devices that bios are sent on to */
	bool cache_totals;	   /* the account is one per device (account_key: tgid is a CPU) */
	uint32_t pid;
	uint64_t cgroup_id;
	uint64_t ring_bytes; /* per CPU, a power of two; 0: the default */
};

/* What libbpf says goes to the log, when the user wants to see so much. */
void probes__route_messages(void);

/* Opens and loads. On error `message` holds a sentence. 0 or negative errno. */
int probes__load(const struct probes_options *options, struct probes **probes,
		 char message[COLLECTOR_MESSAGE_MAX]);
int probes__attach(struct probes *p, char message[COLLECTOR_MESSAGE_MAX]);
/* Whether what loading returned came of the limit of open files, which libbpf does not always say. */
bool probes__too_few_files(int err);
#define PROBES_TOO_FEW_FILES "too few files may be open for the probes: allow more (ulimit -n 1024)"
/* Whether bpf(2) gives out of the probes (`context`) what it has: 0, or -EPERM where the kernel
 * asks for CAP_BPF even for that (kernel.unprivileged_bpf_disabled before 5.19). */
int probes__are_readable(void *context);
/* Attached probes let everything pass until resumed. Paused again, they still follow the requests
 * that they know to their end, and take no new ones. */
void probes__resume(struct probes *p);
void probes__pause(struct probes *p);
/* No event comes after this returns; what is in the rings can still be drained. */
void probes__detach(struct probes *p);
void probes__free(struct probes *p);

/* Who takes records. Both return 0 or negative errno. */
struct probes_receiver {
	int (*record)(void *context, void *data, size_t bytes);
	/* Of a request: stays where it is until probes__let_go(). NULL: without PROBE_REQUESTS. */
	int (*request)(void *context, const struct io_event *event);
};

/* Waits up to timeout_ms for records, less when a ring fills or a signal comes. 0 or negative errno. */
int probes__wait(struct probes *p, int timeout_ms);
/* Hands over the records that there are: of very many all that ended up to probes__drained_ns() and some that ended
 * later, more each time by probes__drain_more(), until that is UINT64_MAX. 0 or negative errno. */
int probes__drain(struct probes *p, const struct probes_receiver *receiver, void *context);
int probes__drain_more(struct probes *p, const struct probes_receiver *receiver, void *context);
uint64_t probes__drained_ns(const struct probes *p);
/* The room of the records that drain() has handed over is the probes' again. */
void probes__let_go(struct probes *p);

/* Calls `each` for every entry of the page-cache account, whose pages are those of the kernel.
 * 0 or negative errno. */
int probes__each_account(struct probes *p,
			 int (*each)(const struct account_key *key, const struct account *account,
				     void *context),
			 void *context);

/* Losses since attaching, by enum loss_class. */
void probes__losses(const struct probes *p, uint64_t losses[LOSS_CLASS_COUNT]);
/* Records of requests that were dropped since attaching; takes no system call. */
uint64_t probes__dropped(const struct probes *p);
/* Calls `each` for every device (as in bpf/event.h) of which numbered records were dropped, with their
 * number since attaching. 0, negative errno, or what `each` gave but 0. */
int probes__each_lost(const struct probes *p,
		      int (*each)(uint32_t device, uint64_t count, void *context), void *context);
/* Calls `each` for every request that is created and not completed. 0 or negative errno. */
int probes__each_request(struct probes *p, int (*each)(struct io_event *event, void *context),
			 void *context);
/* What the probes of bios count: attempts that were made again, bios sent on without a link. */
struct bio_counts probes__bio_counts(const struct probes *p);
/* Bios that are queued and not completed. */
uint64_t probes__bios_in_flight(struct probes *p);
/* Pages (of the kernel) brought by readahead that nobody has touched yet. */
uint64_t probes__unread_pages(const struct probes *p);

#endif
