/* SPDX-License-Identifier: MIT */
/* From the probes' running totals to rows: what changed for each file and process since last time. */
#ifndef BLKREEL_COLLECTOR_ROWS_CACHE_ACCOUNT_H
#define BLKREEL_COLLECTOR_ROWS_CACHE_ACCOUNT_H

#include "bpf/event.h"
#include "collector/probes/probes.h"
#include "collector/rows/registry.h"
#include "trace/file/writer.h"

struct cache_account;

int cache_account__create(struct cache_account **account); /* 0 or -ENOMEM */
void cache_account__free(struct cache_account *account);

/* A write of page-cache pages that completed: seen at the block layer, counted with the rest. */
int cache_account__written_back(struct cache_account *a, const struct io_event *io);

/* Takes over the probes' account. 0 or -errno. */
int cache_account__read(struct cache_account *a, struct probes *probes);
/* Appends a row for everything that moved since the last one, in pages of 4 KiB. The names of the
 * files must be in the registry by now: a file keeps the name of its first row. 0 or -errno. */
int cache_account__write(struct cache_account *a, struct registry *registry,
			 struct trace_writer *writer, uint64_t now_ns, uint64_t interval_ns);

/* Pages of 4 KiB that readahead has brought and nobody has touched, by the rows written so far. */
uint64_t cache_account__unread_pages(const struct cache_account *a);

#endif
