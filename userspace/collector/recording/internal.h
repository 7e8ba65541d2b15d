/* SPDX-License-Identifier: MIT */
/* One recording from the inside; for the recording_*.c files alone, which part it among them. */
#ifndef BLKREEL_COLLECTOR_RECORDING_INTERNAL_H
#define BLKREEL_COLLECTOR_RECORDING_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "collector/options.h"
#include "collector/rows/accesses.h"
#include "collector/rows/bios.h"
#include "collector/rows/cache_account.h"
#include "collector/host/cache_size.h"
#include "collector/rows/depth.h"
#include "collector/host/diskstats.h"
#include "collector/recording/flight_recorder.h"
#include "collector/rows/io_order.h"
#include "collector/probes/probes.h"
#include "collector/recording/head.h"
#include "collector/rows/registry.h"
#include "collector/recording/rotation.h"
#include "collector/recording/watched_devices.h"
#include "trace/file/writer.h"

struct recording {
	char path[TRACE_PATH_MAX];	 /* of the file that rows go to now: the thread's */
	char first_path[TRACE_PATH_MAX]; /* does not change while the thread runs */
	struct watched_devices watched;
	bool cache;
	uint64_t start_ns;
	/* Between these the probes take notice and the kernel's counters are compared. */
	uint64_t active_ns;
	uint64_t stop_ns; /* UINT64_MAX while it lasts */
	uint64_t last_tick_ns;
	uint64_t in_flight_at_end;
	uint32_t idle[WATCHED_DEVICES_MAX]; /* disks that had no request in flight at the end */
	unsigned int idle_count;
	uint64_t missed_events;		 /* rows with IO_EVENT_MISSED */
	uint64_t lost[LOSS_CLASS_COUNT]; /* already written as loss rows */
	uint64_t dropped;		 /* of which the depth knows */
	bool drops_settled;		 /* it has looked once more since */
	struct probes *probes;
	struct recording_head *head;
	struct trace_writer *writer; /* of the file that rows go to now, or the ring's */
	struct registry *registry;
	struct cache_account *account;
	struct cache_size cache_size;
	struct diskstats *diskstats;
	struct io_order *order;
	struct depth_meter *depth;
	struct bios *bios;
	struct accesses *accesses;
	/* At most one of them. */
	struct flight_recorder *flight;
	struct rotation *rotation;
	/* What concerns the file that rows go to now alone. */
	uint64_t part_start_ns;	 /* as its head says */
	uint64_t part_from_ns;	 /* the kernel's counters were looked at; 0: of no interest */
	uint64_t started_before; /* rows with IO_STARTED_BEFORE */
	uint64_t part_lost;
	uint64_t next_in_flight_check_ns;
	uint64_t earlier_io_rows; /* in the files before */
	uint64_t access_rows;	  /* in all files */
	pthread_t thread;
	bool thread_runs;
	atomic_bool stop;
	int error; /* of the thread; read after it was joined */
	int failure_fd;
};

/* recording_rows.c: from the probes to rows. 0 or negative errno. ------------------------------- */

/* Waits up to timeout_ms for records, then appends all of the records of this moment. */
int recording_rows__drain(struct recording *r, int timeout_ms);
/* All that completed up to a moment that has passed; UINT64_MAX: of any moment. */
int recording_rows__drain_until(struct recording *r, uint64_t until_ns);
int recording_rows__append_event(const struct io_event *event, void *recording);
/* The kernel's counters as they are now; *now_ns becomes that moment. */
int recording_rows__sample(struct recording *r, uint64_t *now_ns);
/* Page-cache account, losses; and everything goes to the file. */
int recording_rows__flush(struct recording *r, uint64_t now_ns);

/* recording_parts.c: what the rows go into. 0 or negative errno. --------------------------------- */

/* The first file or segment. On error `message` may hold a sentence. */
int recording_parts__begin(struct recording *r, const struct recording_options *options,
			   struct trace_host *host, char message[COLLECTOR_MESSAGE_MAX]);
/* In every round of the recorder: begins and writes files as they become due, and says whether the
 * kernel's counters were looked at for it in *looked. */
int recording_parts__go_on(struct recording *r, bool *looked);
/* After the last row. Closes what is open, whatever happens; without an end mark when the recording
 * has failed. What goes wrong with one of several files was said. */
int recording_parts__finish(struct recording *r, const struct trace_summary *summary, bool failed);

/* recording_end.c -------------------------------------------------------------------------------- */

/* Takes the probes off and appends what is left. 0 or negative errno. */
int recording_end__finish(struct recording *r, struct trace_summary *summary);

#endif
