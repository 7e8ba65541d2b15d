/* SPDX-License-Identifier: MIT */
/* Converts the probes' running totals to rows: the changes for each file and process since the last
 * row. */
#ifndef BLKREEL_COLLECTOR_ROWS_CACHE_ACCOUNT_H
#define BLKREEL_COLLECTOR_ROWS_CACHE_ACCOUNT_H

#include "bpf/event.h"
#include "collector/probes/probes.h"
#include "collector/rows/registry.h"
#include "trace/file/writer.h"

struct cache_account;

int cache_account__create(struct cache_account **account); /* 0 or -ENOMEM */
void cache_account__free(struct cache_account *account);

/* Counts a completed write of page-cache pages, seen at the block layer. 0 or negative errno. */
int cache_account__written_back(struct cache_account *a, struct registry *registry,
				const struct io_event *io);

/* Reads the probes' account. 0 or negative errno. */
int cache_account__read(struct cache_account *a, struct probes *probes);
/* Makes a row for every file and process whose counts changed since the last row, in pages of 4
 * KiB. A row has the newest name of its file. 0, negative errno, or the first result of `each` that
 * is not 0. */
int cache_account__each(struct cache_account *a, struct registry *registry, uint64_t now_ns,
			uint64_t interval_ns,
			int (*each)(const struct cache_row *row, void *context), void *context);

/* The probes have room for 65,536 files and processes. When this many are kept, those that did not
 * change for so long make room. */
#define CACHE_ACCOUNT_MANY    32768u
#define CACHE_ACCOUNT_IDLE_NS 10000000000ull

/* Forgets them, after cache_account__each(). One that counted something since then gets a row of
 * it. As cache_account__each(). */
int cache_account__forget_idle(struct cache_account *a, struct probes *probes,
			       struct registry *registry, uint64_t now_ns, uint64_t interval_ns,
			       int (*each)(const struct cache_row *row, void *context),
			       void *context);

/* Appends these rows to a trace, and forgets idle files and processes. 0 or negative errno. */
int cache_account__write(struct cache_account *a, struct probes *probes, struct registry *registry,
			 struct trace_writer *writer, uint64_t now_ns, uint64_t interval_ns);

/* Pages of 4 KiB that readahead added and nobody has touched, according to the rows written so
 * far. */
uint64_t cache_account__unread_pages(const struct cache_account *a);

#endif
