/* SPDX-License-Identifier: MIT */
/* The state of one recording; for recording.c, rows.c, parts.c and end.c alone. */
#ifndef BLKREEL_COLLECTOR_RECORDING_INTERNAL_H
#define BLKREEL_COLLECTOR_RECORDING_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "collector/options.h"
#include "collector/rows/accesses.h"
#include "collector/rows/bios.h"
#include "collector/rows/wait_rows.h"
#include "collector/rows/cache_account.h"
#include "collector/host/cache_size.h"
#include "collector/rows/depth.h"
#include "collector/rows/kernel_count.h"
#include "collector/host/diskstats.h"
#include "collector/recording/flight_recorder.h"
#include "collector/rows/io_order.h"
#include "collector/probes/probes.h"
#include "collector/recording/head.h"
#include "collector/rows/held_waits.h"
#include "collector/rows/registry.h"
#include "collector/recording/rotation.h"
#include "collector/recording/watched_devices.h"
#include "trace/file/writer.h"

struct recording {
	char path[TRACE_PATH_MAX];	 /* of the current file; belongs to the thread */
	char first_path[TRACE_PATH_MAX]; /* does not change while the thread runs */
	struct watched_devices watched;
	bool cache;
	uint64_t start_ns;
	/* The probes record, and the kernel's counters are compared, between these two times. */
	uint64_t active_ns;
	uint64_t stop_ns; /* UINT64_MAX while recording */
	uint64_t last_tick_ns;
	uint64_t duration_ns; /* as planned; 0: not known */
	uint64_t in_flight_at_end;
	uint32_t idle[WATCHED_DEVICES_MAX]; /* disks without a request in flight at the end */
	unsigned int idle_count;
	uint64_t missed_events;		 /* rows with IO_EVENT_MISSED */
	uint64_t lost[LOSS_CLASS_COUNT]; /* already written as loss rows */
	unsigned int replaced_disks;	 /* of a recording of all disks */
	uint64_t dropped;		 /* dropped records that `depth` was told */
	bool drops_settled;		 /* `depth` was told once more since the last drop */
	struct probes *probes;
	struct recording_head *head;
	struct trace_writer *writer; /* of the current file, or of the ring */
	struct registry *registry;
	struct cache_account *account;
	struct cache_size *cache_size; /* NULL: no page cache is recorded */
	struct diskstats *diskstats;
	struct io_order *order;
	struct depth_meter *depth;
	struct kernel_count *kernel_count; /* NULL: other probes tell what is missing */
	struct bios *bios;
	struct accesses *accesses;
	struct wait_rows *waits; /* NULL: not recorded */
	struct held_waits held_waits;
	/* At most one of the two. */
	struct flight_recorder *flight;
	struct rotation *rotation;
	/* State of the current file alone. */
	uint64_t part_start_ns; /* as in its head */
	uint64_t part_from_ns; /* when the kernel's counters were sampled for it; 0: not relevant */
	uint64_t started_before; /* rows with IO_STARTED_BEFORE */
	uint64_t part_lost;
	uint64_t next_in_flight_check_ns;
	uint64_t earlier_io_rows; /* in earlier files */
	uint64_t access_rows;	  /* in all files */
	pthread_t thread;
	bool thread_runs;
	atomic_bool stop;
	int error; /* of the thread; read after it was joined */
	int failure_fd;
};

/* rows.c: from the probes to rows. 0 or negative errno.
 * ----------------------------------------- */

/* Waits up to timeout_ms for records, then appends all that ended by now. */
int recording_rows__drain(struct recording *r, int timeout_ms);
/* Appends all that ended by until_ns, a time in the past; UINT64_MAX: everything. */
int recording_rows__drain_until(struct recording *r, uint64_t until_ns);
/* Appends the row of one request or bio; `recording` is a struct recording. */
int recording_rows__append_event(const struct io_event *event, void *recording);
/* Samples the kernel's counters; *now_ns receives the time of the sample. */
int recording_rows__sample(struct recording *r, uint64_t *now_ns);

/* Fills in the size of the page cache. */
void recording_rows__cache_size(const struct recording *r, struct trace_summary *summary);
/* Appends the page-cache account, the waits and the losses, and flushes the writer. */
int recording_rows__flush(struct recording *r, uint64_t now_ns, enum wait_rows_until until);

/* parts.c: the files that rows go to. 0 or negative errno.
 * -------------------------------------- */

/* Begins the first file or segment. On error `message` may hold a sentence. */
int recording_parts__begin(struct recording *r, const struct recording_options *options,
			   struct trace_host *host, char message[COLLECTOR_MESSAGE_MAX]);
/* Called in every round of the recorder: begins and writes files as they become due. *sampled tells
 * whether it sampled the kernel's counters. */
int recording_parts__advance(struct recording *r, bool *sampled);
/* Called after the last row: closes what is open in any case; without an end mark when the
 * recording has failed. Failures of one of several files were logged. */
int recording_parts__finish(struct recording *r, const struct trace_summary *summary, bool failed);

/* end.c
 * ----------------------------------------------------------------------------------------- */

/* Detaches the probes and appends the remaining rows. 0 or negative errno. */
int recording_end__finish(struct recording *r, struct trace_summary *summary);

#endif
