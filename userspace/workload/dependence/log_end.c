// SPDX-License-Identifier: MIT
#include "workload/dependence/log_end.h"

#include <stddef.h>

/* Appenders wait for each other if they write this many times as often in turn as at once. */
#define TURNS_FACTOR 8

static unsigned int recent_count(const struct log_end *log)
{
	return log->written < LOG_END_WRITES ? (unsigned int)log->written : LOG_END_WRITES;
}

static struct log_write *recent(struct log_end *log, unsigned int back)
{
	return &log->recent[(log->written - 1 - back) % LOG_END_WRITES];
}

/* The newest write that this one continues or overwrites; NULL: none. */
static struct log_write *continued(struct log_end *log, const struct log_write *by)
{
	for (unsigned int back = 0; back < recent_count(log); back++) {
		struct log_write *write = recent(log, back);

		if (by->offset_bytes <= write->end_bytes && write->offset_bytes < by->end_bytes)
			return write;
	}
	return NULL;
}

bool log_end__submit(struct log_end *log, const struct log_write *write, struct log_write *found)
{
	const struct log_write *before = continued(log, write);
	bool waits = false;

	if (before && before->stream != write->stream) {
		log->in_turn += before->count > 0;
		log->at_once += !before->count;
		waits = before->count && log->at_once * TURNS_FACTOR <= log->in_turn;
	}
	if (waits)
		*found = *before;
	log->recent[log->written++ % LOG_END_WRITES] = *write;
	return waits;
}

void log_end__complete(struct log_end *log, uint32_t stream, bool flush, uint64_t done_ns,
		       uint64_t count)
{
	for (unsigned int back = 0; back < recent_count(log); back++) {
		struct log_write *write = recent(log, back);
		bool of_write = !flush && !write->count && write->done_ns == done_ns;
		bool behind = flush && write->count && !write->durable;

		if (write->stream != stream || (!of_write && !behind))
			continue;
		write->done_ns = done_ns;
		write->count = count;
		write->durable = flush;
	}
}
