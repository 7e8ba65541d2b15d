/* SPDX-License-Identifier: MIT */
/* The families of rules, one file each. Each rule adds a finding or none. */
#ifndef BLKREEL_EXPLAIN_FINDINGS_FAMILIES_H
#define BLKREEL_EXPLAIN_FINDINGS_FAMILIES_H

#include "explain/findings/finding.h"

#define SCHEDULER_NONE "none" /* requests are not sorted, and not kept back */

void findings_of_recording(struct finding_list *list);
void findings_of_cache(struct finding_list *list);
void findings_of_memory(struct finding_list *list);
void findings_of_writeback(struct finding_list *list);
void findings_of_devices(struct finding_list *list);
void findings_of_errors(struct finding_list *list, const struct explain_device *device);
void findings_of_latency(struct finding_list *list, const struct explain_device *device);
/* cache.c: whether nearly all buffered reads were hits. */
bool finding_mostly_hits_applies(const struct explanation *x);
/* cache.c: whether the page cache was cold, and each page was read about once. */
bool finding_read_once_applies(const struct explanation *x);
/* device.c: whether IOs are in flight at the end, and none completed in the last *hung_ns. */
bool finding_hung_applies(const struct explanation *x, const struct explain_device *d,
			  uint64_t *hung_ns);
/* device.c: whether sequential reads are cut to the readahead window. */
bool finding_readahead_small_applies(const struct explain_device *d);
/* memory.c: whether dropped pages, not a small cache, made devices read again. */
bool finding_dropped_applies(const struct explanation *x);
/* waits.c: whether limits of cgroups held tasks back for much of what they waited. */
bool finding_limited_applies(const struct explanation *x);
/* waits.c: whether tasks waited behind the IOs of one program for much of what they waited. */
bool finding_behind_others_applies(const struct explanation *x);
void findings_of_tasks(struct finding_list *list);
void findings_of_waits(struct finding_list *list);

#endif
