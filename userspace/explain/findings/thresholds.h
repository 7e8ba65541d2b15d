/* SPDX-License-Identifier: MIT */
/* Every threshold of the rules. */
#ifndef BLKREEL_EXPLAIN_FINDINGS_THRESHOLDS_H
#define BLKREEL_EXPLAIN_FINDINGS_THRESHOLDS_H

/* Below these amounts there is no finding: a few IOs prove nothing. */
#define FINDING_MIN_IOS		200u
#define FINDING_MIN_PAGES	256u
#define FINDING_MIN_DURATION_NS 100000000ull

#define COLD_MISS_PCT		   20.0	 /* of the pages read */
#define READ_ONCE_REREAD_PCT	   5.0	 /* of the blocks read for files */
#define READ_ONCE_ASKED_PCT	   105.0 /* pages read of pages fetched */
#define HITS_PCT		   95.0	 /* of the pages read */
#define HITS_DEVICE_PCT		   5.0	 /* of the recording: the most that their misses took */
#define HITS_READAHEAD_PCT	   10.0	 /* the most that readahead may have read of them */
#define READAHEAD_WASTED_PCT	   20.0	 /* of the pages that readahead read */
#define READAHEAD_SEQUENTIAL_PCT   80.0	 /* of the device reads of file pages */
#define READAHEAD_SMALL_KB_MAX	   256u	 /* a larger read_ahead_kb is not small */
#define READAHEAD_AT_LIMIT_LOW_PCT 75.0	 /* mean read size as a share of read_ahead_kb */
#define READAHEAD_AT_LIMIT_TOP_PCT 125.0
#define THRASHING_REPEATED_PCT	   20.0 /* of the blocks read for files */
#define THRASHING_EVICTED_PCT	   20.0 /* of the file pages read again: evicted before */
#define DROPPED_AGAIN_PCT	   20.0 /* of the file pages fetched: dropped before, and read again */
#define THROTTLED_MIN_NS	   50000000u /* that one process was throttled */
#define THROTTLED_PCT		   10.0	     /* of the recording */
#define DIRECT_REPEATED_PCT	   50.0	     /* of the blocks read directly */
#define QUEUE_DOMINATES_PCT	   50.0	     /* of the summed latency */
#define QUEUE_MEAN_MIN_NS	   20000u
#define DEVICE_DOMINATES_PCT	   80.0
#define STORAGE_IDLE_PCT	   2.0	    /* of the recording: busy for less */
#define SHARED_MIN_PCT		   5.0	    /* of the summed latency: less is no sharing */
#define SEEK_MIN_NS		   2000000u /* half of the reads take longer where heads move */
#define SHARED_DEPTH_MIN	   1.5	    /* requests at the driver at an issue, on average */
#define HUNG_MIN_NS		   5000000000ull /* in flight, and none completes */
#define FLUSH_MIN		   100u
#define FLUSH_MIN_PER_SECOND	   50.0
#define FLUSH_MIN_PER_WRITE_PCT	   20.0
#define FLUSH_CHEAP_PCT		   10.0 /* of what tasks waited for syncs */
#define FLUSH_MIN_PCT		   5.0	/* of the recording, where that is not known */
#define JOURNAL_MIN_WRITES	   100u
#define JOURNAL_MIN_PER_SECOND	   5.0
#define JOURNAL_PCT		   30.0 /* of the writes */
#define TAIL_RATIO		   10.0 /* p99 / p50 */
#define TAIL_MIN_NS		   1000000u
#define ONE_TASK_PCT		   80.0 /* of the summed latency */
#define WRITER_PCT		   50.0 /* of the latency of a kernel thread: pages of one program */
#define WAITS_PCT		   10.0 /* of what all tasks waited */
#define WAITS_MIN_NS		   10000000u
#define WAITS_OWN_PCT		   50.0 /* or of the wall time of a task, */
#define WAITS_OWN_WALL_PCT	   10.0 /* which lived for so much of the recording */
#define SWAP_PCT		   5.0	/* of the recording: summed latency of swap-ins */
#define EVICTED_AGAIN_PCT	   1.0	/* of the file pages fetched: others had evicted them */
#define AMONG_TASKS_MIN		   2u

#endif
